/* SPDX-License-Identifier: Apache-2.0 */
/* signals - SIGTERM and SIGINT end the loop, SIGTSTP saves and stops, SIGHUP is logged.
 */
#include "daemon/signals.h"

#include "base/log.h"

#include <signal.h>

/* Ctrl+Z.  What others put between the sync and the stop is in the log all the same. */
static void suspend(const struct daemon_signals *signals)
{
    struct metric_store *store = signals->store;
    struct err err = { 0 };
    log_notice("SIGTSTP: what is in memory only is written, then this stops until "
               "SIGCONT");
    int rc = store ? metric_store_shutdown(store, &err) : 0;
    if (rc < 0)
        log_error("store: %s; the log has it", err.text);
    rc = store ? metric_store_sync(store) : 0;
    if (rc < 0)
        log_error("store: sync: %s", strerror(-rc));
    (void)raise(SIGSTOP);
    log_notice("continued");
}

static void on_signal(uv_signal_t *handle, int signum)
{
    if (signum == SIGTSTP) {
        suspend(handle->data);
        return;
    }
    if (signum == SIGHUP) {
        log_info(
            "SIGHUP: the configuration is read at start only; restart to change it");
        return;
    }
    log_info("signal %d: stopping", signum);
    uv_stop(handle->loop);
}

void signals_start(struct daemon_signals *s, uv_loop_t *loop,
                   struct metric_store *store)
{
    static const int numbers[] = { SIGTERM, SIGINT, SIGHUP, SIGTSTP };
    _Static_assert(COUNT_OF(numbers) == COUNT_OF(s->handles), "a handle for each");
    s->store = store;
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        (void)uv_signal_init(loop, &s->handles[i]);
        s->handles[i].data = s;
        (void)uv_signal_start(&s->handles[i], on_signal, numbers[i]);
    }
    s->is_started = true;
}

void signals_stop(struct daemon_signals *s)
{
    for (size_t i = 0; s->is_started && i < COUNT_OF(s->handles); i++)
        uv_close((uv_handle_t *)&s->handles[i], NULL);
    s->is_started = false;
}
