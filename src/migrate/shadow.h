/* SPDX-License-Identifier: Apache-2.0 */
/* shadow - the same queries to barod and to a cc-metric-store, and where their results
 * differ: for the time before switching.
 *
 *     series list ─▶ 100 queries at a time ─┬▶ barod ──▶ response ─┬▶ differences
 *                                           └▶ other ──▶ response ─┘
 */
#ifndef MIGRATE_SHADOW_H
#define MIGRATE_SHADOW_H

#include "migrate/http_peer.h"
#include "migrate/response_compare.h"
#include "migrate/time_window.h"

enum shadow_kind {
    SHADOW_NOT_THERE, /* the other store has nothing of the series */
    SHADOW_ONLY_OURS, /* barod has samples where the other has none */
    SHADOW_ONLY_THEIRS,
    SHADOW_VALUE, /* values differ */
    SHADOW_OUR_ERROR,
    SHADOW_THEIR_ERROR,
};
const char *shadow_kind_name(enum shadow_kind kind);

/* One series that differs. */
struct shadow_finding {
    struct span component, metric;
    enum shadow_kind kind;
    uint64_t points;     /* that differ in this way; 0 for an error */
    int64_t first_s;     /* of the first point that differs, seconds since the epoch */
    double ours, theirs; /* its values; NaN: none */
    const char *text;    /* of an error; else NULL */
};

/* Called for each series that differs, at most once.  Errors: end the run. */
typedef int shadow_found_fn(void *arg, const struct shadow_finding *finding);

struct shadow_opts {
    const char *metric;    /* patterns, separated by commas; NULL: all but baro_* */
    const char *component; /* a pattern; NULL: all */
    struct time_window window;
    struct response_tolerance tolerance;
    shadow_found_fn *found;
    void *found_arg;
};

struct shadow_counts {
    uint64_t queried, equal; /* series */
    uint64_t shifted;        /* series whose times differ by a part of a step */
    uint64_t without_step;   /* series that no cc-metric-store can have; not queried */
    uint64_t points;         /* compared */
};

/* Responses have three decimals: a thousandth is no difference, and one part in a
 * million neither. */
struct response_tolerance shadow_tolerance_default(void);

/* All series that barod lists and that match, but those of a cluster itself.
 * *ret is filled as far as it came.
 * Errors: what the peers return (err begins with "barod" or "the other store"),
 * -EBADMSG, what found returns, -ENOMEM. */
int shadow_run(const struct http_peer *barod, const struct http_peer *other,
               const struct shadow_opts *opts, struct shadow_counts *ret,
               struct err *err);

#endif
