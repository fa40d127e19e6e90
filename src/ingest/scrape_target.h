/* SPDX-License-Identifier: Apache-2.0 */
/* scrape_target - targets made of a section: a URL each, or files. */
#ifndef INGEST_SCRAPE_TARGET_H
#define INGEST_SCRAPE_TARGET_H

#include "ingest/scrape_private.h"

void scrape_target_free(struct scrape_target *target);
DEFINE_AUTO(struct scrape_target, scrape_target_free);
void scrape_section_free(struct scrape_section *section);
DEFINE_AUTO(struct scrape_section, scrape_section_free);

/* When the target is due next after now_ns (Unix time): once an interval, at a moment
 * of its own within it, the same after each start. */
int64_t scrape_target_next_due(const struct scrape_target *target, int64_t now_ns);
/* The connection of a URL's target.  Errors: -ENOMEM, -EINVAL, -EACCES (its token). */
int scrape_target_open(const struct scrape_source *source, struct scrape_target *target,
                       struct err *err);
/* Check the keys of a section, and read its token.
 * Errors: -EINVAL, -EACCES, -ENOMEM. */
int scrape_section_fill(struct scrape_source *source, struct scrape_section *section,
                        struct err *err);
/* A target for each host of each URL, and each file.
 * Errors: -EINVAL (a URL twice, too many), -ENOMEM. */
int scrape_section_add_targets(struct scrape_source *source,
                               struct scrape_section *section, struct err *err);

#endif
