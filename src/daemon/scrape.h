/* SPDX-License-Identifier: Apache-2.0 */
/* scrape - the joint between exporters that are asked and the metric store. */
#ifndef DAEMON_SCRAPE_H
#define DAEMON_SCRAPE_H

#include "ingest/ingest.h"

/* What [scrape NAME] say, ready for scrape_source_start(); *ret stays NULL where there
 * is none.  write, sink and routes outlive it.  Errors: -EINVAL, -EACCES, -ENOMEM. */
int daemon_scrape_new(const struct config *config, const struct write_opts *write,
                      const struct sink *sink, struct write_routes *routes,
                      struct scrape_source **ret, struct err *err);
/* Its counters as Prometheus reads them. */
void daemon_scrape_print(struct scrape_source *source, struct strbuf *out);

#endif
