/* SPDX-License-Identifier: Apache-2.0 */
/* question - the parameters of a request to /api/v1, out of its URL and its form.
 *
 *     ?time=1668988800 + query=up     ─▶  text "up", at 1668988800000 ms
 *
 * Times are seconds since 1970, with decimals, or RFC 3339; durations are seconds or as
 * the language has them (5m, 1h30m).  Of a name that stands twice the first counts, and
 * that of the form before that of the URL, as with Prometheus; what is not known is
 * passed over, as there.
 */
#ifndef API_PROMETHEUS_QUESTION_H
#define API_PROMETHEUS_QUESTION_H

#include "api/prometheus/form.h"

struct question {
    struct form form, url;
};

/* Data NULL: it is not there. */
struct span question_text(const struct question *q, const char *name);
/* The index-th value of a name, those of the form first; false at the end. */
bool question_text_at(const struct question *q, const char *name, size_t index,
                      struct span *ret);
/* otherwise, where it is not there.  Errors: -EINVAL (err has name and value). */
int question_time(const struct question *q, const char *name, int64_t otherwise_ms,
                  int64_t *ret_ms, struct err *err);
/* Likewise; above 0. */
int question_duration(const struct question *q, const char *name, int64_t otherwise_ms,
                      int64_t *ret_ms, struct err *err);

#endif
