/* SPDX-License-Identifier: Apache-2.0 */
/* barod_scrape - the joint between exporters that are asked and the metric store. */
#ifndef CMD_BAROD_SCRAPE_H
#define CMD_BAROD_SCRAPE_H

#include "ingest/ingest.h"

/* Ask what [scrape NAME] say; *ret stays NULL where there is none.  write, sink and
 * routes outlive it.  Errors: -EINVAL, -ENOMEM, -EAGAIN (no thread). */
int barod_scrape_start(const struct config *config, const struct write_opts *write,
                       const struct sink *sink, struct write_routes *routes,
                       struct scrape_source **ret, struct err *err);
/* Its counters as Prometheus reads them. */
void barod_scrape_print(struct scrape_source *source, struct strbuf *out);

#endif
