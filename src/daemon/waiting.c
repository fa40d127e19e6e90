/* SPDX-License-Identifier: Apache-2.0 */
/* waiting - a barod whose database is not there yet: metrics go on, rows wait. */
#include "daemon/waiting.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"

#include <stdatomic.h>
#include <systemd/sd-daemon.h>

#define WAIT_MAX_S 10

struct daemon_waiting {
    struct daemon_parts *parts;
    uv_async_t given_up;
    /* Of the writer's thread. */
    bool is_over;
    unsigned wait_s;
    int64_t next_ns;
    struct err err;
    /* Set when err is complete. */
    _Atomic int outcome;
};

/* ---- what begins when the database is there ---- */

void daemon_warm(struct daemon_parts *parts)
{
    AUTO(records_reader_close) struct records_reader *rows = NULL;
    AUTO(records_reader_close) struct records_reader *series = NULL;
    struct err err = { 0 };
    int rc = records_reader_open(parts->records, &rows, &err);
    if (rc == 0)
        rc = records_reader_open(parts->records, &series, &err);
    if (rc == 0) {
        struct history_readers readers = { .rows = rows, .series = series };
        struct history history;
        history_of_records(&readers, &history);
        rc = live_warm(parts->live, &history, clock_now_ms(), &err);
    }
    if (rc < 0)
        log_warn("live: %s; the database is queried instead", err.text);
}

static void arrive(struct daemon_waiting *w)
{
    w->is_over = true;
    daemon_warm(w->parts);
    log_info("records: %s", records_describe(w->parts->records));
    log_notice("barod %s is ready", BARO_VERSION);
    (void)sd_notify(0, "READY=1\nSTATUS=" DAEMON_STATUS_READY);
}

/* ---- until then ---- */

static void put_off(struct daemon_waiting *w, const struct err *err)
{
    w->wait_s += w->wait_s < WAIT_MAX_S;
    w->next_ns = clock_monotonic_ns() + w->wait_s * NS_PER_S;
    log_warn("records: %s; tried again in %u s", err->text, w->wait_s);
}

bool daemon_waiting_is_on(struct daemon_waiting *w)
{
    struct err err = { 0 };
    if (!w || w->is_over)
        return false;
    if (w->outcome < 0 || clock_monotonic_ns() < w->next_ns)
        return true;
    int rc = records_connect(w->parts->records, &err);
    if (rc == 0) {
        arrive(w);
        return false;
    }
    if (records_may_come(rc)) {
        put_off(w, &err);
        return true;
    }
    w->err = err;
    atomic_store(&w->outcome, rc);
    (void)uv_async_send(&w->given_up);
    return true;
}

int daemon_waiting_outcome(const struct daemon_waiting *w, struct err *err)
{
    int rc = w ? atomic_load(&w->outcome) : 0;
    if (rc < 0)
        *err = w->err;
    return rc;
}

static void on_given_up(uv_async_t *handle)
{
    uv_stop(handle->loop);
}

int daemon_waiting_new(struct daemon_parts *parts, uv_loop_t *loop, struct err *err,
                       struct daemon_waiting **ret)
{
    struct daemon_waiting *w = calloc(1, sizeof *w);
    if (!w)
        return err_set(err, ENOMEM, "out of memory");
    w->parts = parts;
    int rc = uv_async_init(loop, &w->given_up, on_given_up);
    if (rc < 0) {
        free(w);
        return err_set(err, -rc, "a loop of events: %s", uv_strerror(rc));
    }
    w->given_up.data = w;
    put_off(w, err);
    log_notice("barod %s has no database yet: %s", BARO_VERSION,
               "batches of job counters are refused until then, metrics are accepted "
               "and queried");
    (void)sd_notifyf(0, "STATUS=waits for its database: %s", err->text);
    *ret = w;
    return 0;
}

static void free_waiting(uv_handle_t *handle)
{
    free(handle->data);
}

void daemon_waiting_free(struct daemon_waiting *w)
{
    if (w)
        uv_close((uv_handle_t *)&w->given_up, free_waiting);
}
