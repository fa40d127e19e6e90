/* SPDX-License-Identifier: Apache-2.0 */
/* signals - SIGTERM and SIGINT end the loop, SIGTSTP saves and stops, SIGHUP is logged.
 *
 * Threads  the loop's.
 */
#ifndef DAEMON_SIGNALS_H
#define DAEMON_SIGNALS_H

#include "store/store.h"

#include <stdbool.h>
#include <uv.h>

struct daemon_signals {
    uv_signal_t handles[4];
    struct metric_store *store; /* what is in memory only is written at SIGTSTP */
    bool is_started;
};

/* store may be NULL.  Cannot fail. */
void signals_start(struct daemon_signals *signals, uv_loop_t *loop,
                   struct metric_store *store);
/* Again is fine; the handles end in the loop's last turn. */
void signals_stop(struct daemon_signals *signals);

#endif
