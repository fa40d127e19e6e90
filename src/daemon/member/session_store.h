/* SPDX-License-Identifier: Apache-2.0 */
/* session_store - the numbers of a session's results as samples of the metric store.
 *
 *     load_one moments ─▶ load_one_mean, load_one_stddev   CLUSTER/HOST/session:NAME
 *
 * Their names come from nodes and their plugins, and a store gives no metric back: what
 * a session creates is charged to an account of its own, as if it were sent.
 *
 * Threads  the session's; session_store_refused(): any.
 */
#ifndef DAEMON_SESSION_STORE_H
#define DAEMON_SESSION_STORE_H

#include "daemon/forward.h"
#include "daemon/store_sink.h"
#include "session/session.h"

struct session_store;

struct session_store_opts {
    const char *name; /* of the session */
    struct span path; /* of the component that results are of; copied */
    struct metric_store *store;
    const struct store_sink *write;
    struct daemon_forward *forward; /* NULL: nothing is forwarded */
};

/* All but opts itself outlives it.  Errors: -ENOMEM. */
int session_store_new(const struct session_store_opts *opts,
                      struct session_store **ret);
void session_store_free(struct session_store *store); /* NULL is fine */
DEFINE_AUTO(struct session_store, session_store_free);

/* What cannot be stored is left out, counted and logged. */
void session_store_put(struct session_store *store,
                       const struct session_result *result);

/* Of what below the session a sample is; type empty: the session itself. */
struct session_store_part {
    struct span type, id, subtype, subid;
};

/* One number of a plugin's sink. */
struct session_store_sample {
    const char *metric;
    struct session_store_part part;
    bool is_counter;
    int64_t t_ns, step_ns; /* how far apart they are */
    double value;
};

/* It is stored with those that follow, by session_store_flush() at the latest.  Errors:
 * why it is not, which is counted and logged; -EINVAL: a type without an id, a subtype
 * without a type. */
int session_store_sample(struct session_store *store,
                         const struct session_store_sample *sample);
/* Errors: why they are not stored, which is counted and logged. */
int session_store_flush(struct session_store *store);
/* Samples that were left out. */
uint64_t session_store_refused(const struct session_store *store);

#endif
