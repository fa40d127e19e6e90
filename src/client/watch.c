/* SPDX-License-Identifier: Apache-2.0 */
/* watch - who does most, read and shown round after round. */
#include "client/watch.h"

#include "base/clock.h"
#include "base/number.h"

static int watch_show(const struct watch_opts *opts, struct err *err)
{
    AUTO(selection_done) struct selection sel;
    AUTO(table_done) struct table table;
    selection_init(&sel, clock_now_ms());
    table_init(&table);
    int rc = client_args_select(opts->args, &sel, err);
    if (rc == 0)
        rc = observed_top(opts->observed, &sel, &table, err);
    return rc == 0 ? opts->show_fn(opts->arg, &table, err) : rc;
}

/* Until the next round is due.  1: it is; 0: the watch ends. */
static int watch_pause(const struct watch_opts *opts, int64_t began_ns, struct err *err)
{
    for (;;) {
        int64_t left_ns = began_ns + opts->interval_ns - clock_monotonic_ns();
        if (!opts->wait_fn(opts->arg, left_ns > 0 ? left_ns / NS_PER_MS : 0))
            return 0;
        if (clock_monotonic_ns() - began_ns + NS_PER_MS >= opts->interval_ns)
            return 1;
        /* A terminal that changes its size is drawn again at once. */
        int rc = watch_show(opts, err);
        if (rc < 0)
            return rc;
    }
}

int watch_run(const struct watch_opts *opts, struct err *err)
{
    for (uint64_t round = 1;; round++) {
        bool is_last = round == opts->rounds;
        int64_t began_ns = clock_monotonic_ns();
        int64_t t_ms = clock_now_ms();
        int rc = opts->read_fn(opts->arg, t_ms, err);
        observed_round(opts->observed, t_ms);
        if (rc == 0 && (opts->shows_each_round || !opts->rounds || is_last))
            rc = watch_show(opts, err);
        if (rc < 0 || is_last)
            return rc;
        rc = watch_pause(opts, began_ns, err);
        if (rc <= 0)
            return rc;
    }
}
