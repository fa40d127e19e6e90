/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_text - the text format of Prometheus: heads, values, labels.
 *
 *     # HELP baro_net_requests_total Requests since start.
 *     # TYPE baro_net_requests_total counter
 *     baro_net_requests_total 17
 *     baro_ingest_scrape_samples_total{scrape="nodes"} 5
 *
 * Names are without "baro_", which is put before them.
 */
#ifndef DAEMON_METRICS_TEXT_H
#define DAEMON_METRICS_TEXT_H

#include "base/strbuf.h"

/* The two lines before the values of a metric; kind is "counter" or "gauge". */
void metrics_add_head(struct strbuf *out, const char *name, const char *kind,
                      const char *help);
/* A value with one label; text is escaped where it must be. */
void metrics_add_labelled(struct strbuf *out, const char *name, const char *label,
                          const char *text, uint64_t value);
/* Head and value.  Exactly: a double would round what is over 2^53. */
void metrics_add_count(struct strbuf *out, const char *name, const char *kind,
                       const char *help, uint64_t value);
void metrics_add_double(struct strbuf *out, const char *name, const char *kind,
                        const char *help, double value);

#endif
