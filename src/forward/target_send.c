/* SPDX-License-Identifier: Apache-2.0 */
/* target_send - the thread of a target: records out of its queue, into requests. */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"
#include "forward/target_private.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

enum {
    BACKOFF_FIRST_S = 1,
    BACKOFF_MAX_S = 30,
    RETRY_AFTER_MAX_S = 300,
    IDLE_MS = 1000,
    REASON_MAX = 200,
};

/* ---- waiting ---- */

static bool has_to_stop(struct forward_target *t)
{
    LOCKED(&t->lock);
    return t->is_stopping;
}

/* Until it is to stop, and where idle until something was queued. */
static void wait_ms(struct forward_target *t, int64_t ms, const uint64_t *idle_after)
{
    int64_t until_ns = clock_monotonic_ns() + ms * NS_PER_MS;
    const struct timespec until = { .tv_sec = until_ns / NS_PER_S,
                                    .tv_nsec = until_ns % NS_PER_S };
    LOCKED(&t->lock);
    t->is_idle = idle_after != NULL;
    /* What came since the queue was read has woken nothing. */
    while (!t->is_stopping && (!idle_after || atomic_load(&t->queued) == *idle_after))
        if (pthread_cond_timedwait(&t->wake, &t->lock, &until) != 0)
            break;
    t->is_idle = false;
}

static void back_off(struct forward_target *t, int64_t retry_after_s)
{
    int64_t wait_s = BACKOFF_FIRST_S;
    for (unsigned i = 1; i < t->failures && wait_s < BACKOFF_MAX_S; i++)
        wait_s *= 2;
    if (wait_s > BACKOFF_MAX_S)
        wait_s = BACKOFF_MAX_S;
    if (retry_after_s > wait_s)
        wait_s = retry_after_s < RETRY_AFTER_MAX_S ? retry_after_s : RETRY_AFTER_MAX_S;
    wait_ms(t, wait_s * 1000, NULL);
}

/* ---- out of the queue ---- */

/* Counted when they are acknowledged: until then they are read again after each
 * failure. */
static void leave_out(struct forward_target *t, uint64_t count, const char *reason)
{
    t->unsendable += count;
    (void)snprintf(t->unsendable_reason, sizeof t->unsendable_reason, "%s", reason);
}

static void lose_left_out(struct forward_target *t)
{
    if (t->unsendable == 0)
        return;
    {
        LOCKED(&t->lock);
        t->stats.lost += t->unsendable;
    }
    target_report(t, FORWARD_LOST, "%" PRIu64 " queued samples are lost: %s",
                  t->unsendable, t->unsendable_reason);
}

/* What went with the oldest segments of a full queue. */
static void report_lost(struct forward_target *t)
{
    struct spool_counts counts;
    spool_count(t->spool, &counts);
    if (counts.lost_entries > t->lost_before)
        target_report(t, FORWARD_LOST,
                      "%" PRIu64 " samples are lost: the queue is full (queue_max), or "
                      "was damaged",
                      counts.lost_entries - t->lost_before);
    t->lost_before = counts.lost_entries;
}

/* The list of names is not there, or broken: it stays so. */
static bool is_final(int rc)
{
    return rc == -ENOENT || rc == -EBADMSG || rc == -EMSGSIZE || rc == -EFBIG;
}

/* Returns 1 where the record is of another list, and so of the next message.
 * Errors: -ENOMEM, of reading the list: the record stays. */
static int add_record(struct forward_target *t, const struct spool_record *record)
{
    struct sample_record_reader reader;
    struct queued_sample sample;
    struct err err = { 0 };
    int rc = sample_record_open(&reader, strbuf_span(&t->record));
    if (rc == 0 && t->samples.count > 0 && reader.list != t->list)
        return 1;
    if (rc == 0) {
        rc = series_names_open(t->names, reader.list, &err);
        if (rc < 0 && !is_final(rc))
            return rc;
    }
    t->list = reader.list;
    size_t before = t->samples.count;
    while (rc == 0) {
        int more = sample_record_next(&reader, &sample);
        if (more <= 0) {
            rc = more;
            break;
        }
        rc = message_samples_add(&t->samples, &sample);
    }
    if (rc == -ENOMEM)
        return rc;
    if (rc < 0) {
        t->samples.count = before;
        leave_out(t, record->count,
                  err.text[0] ? err.text : "a record that cannot be read");
    }
    return 0;
}

/* Of a list whose end is missing. */
static void leave_out_nameless(struct forward_target *t)
{
    struct message_samples *samples = &t->samples;
    struct series_name name;
    size_t named = 0;
    {
        LOCKED(&t->lock);
        for (size_t i = 0; i < samples->count; i++)
            if (series_names_get(t->names, samples->items[i].series, &name))
                samples->items[named++] = samples->items[i];
    }
    if (named < samples->count)
        leave_out(t, samples->count - named, "their series have no name");
    samples->count = named;
}

/* As many records as one request may have samples of. */
static int fill_samples(struct forward_target *t)
{
    struct spool_record record;
    struct err err = { 0 };
    int rc = 0;
    t->samples.count = 0;
    t->unsendable = 0;
    t->last_sequence = spool_acked(t->spool);
    while (t->samples.count < t->opts.batch_samples) {
        rc = spool_read(t->spool, t->last_sequence, &t->record, &record, &err);
        if (rc < 0)
            break;
        rc = add_record(t, &record);
        if (rc != 0)
            break;
        t->last_sequence = record.sequence;
    }
    if (rc == -ENOENT || rc > 0)
        rc = 0;
    if (rc < 0 && t->failures++ == 0)
        target_report(t, FORWARD_FAILS, "its queue cannot be read: %s",
                      err.text[0] ? err.text : strerror(-rc));
    leave_out_nameless(t);
    message_samples_sort(&t->samples);
    return rc;
}

/* ---- requests ---- */

enum verdict { ACCEPTED, REFUSED, LATER };

static enum verdict verdict_of(unsigned status)
{
    if (status >= 200 && status < 300)
        return ACCEPTED;
    /* These are of the configuration, here or there: they can be put right. */
    if (status < 400 || status >= 500 || status == 401 || status == 403 ||
        status == 404 || status == 407 || status == 408 || status == 429)
        return LATER;
    return REFUSED;
}

static int make_block(struct forward_target *t, size_t from, size_t to)
{
    const struct message_samples *samples = &t->samples;
    size_t at = from;
    strbuf_clear(&t->text);
    strbuf_clear(&t->block);
    while (at < to) {
        struct series_name name = { SPAN(""), SPAN("") };
        {
            LOCKED(&t->lock);
            (void)series_names_get(t->names, samples->items[at].series, &name);
        }
        message_add_series(&t->text, &name, &t->labels, samples, &at, to);
    }
    int rc = strbuf_error(&t->text);
    return rc < 0 ? rc : snappy_block_encode(strbuf_span(&t->text), &t->block);
}

/* The first line of a response, for the log. */
static void print_reason(const struct forward_target *t, char *out, size_t size)
{
    struct span rest = strbuf_span(&t->response.body), line;
    char text[REASON_MAX];
    (void)span_cut(&rest, '\n', &line);
    line = span_trim(line);
    (void)utf8_print_shown(text, sizeof text, line);
    (void)snprintf(out, size, "status %u%s%s", t->response.status, text[0] ? ": " : "",
                   text);
}

static void note_working(struct forward_target *t, uint64_t sent)
{
    bool was_working;
    {
        LOCKED(&t->lock);
        was_working = t->stats.is_working;
        t->stats.is_working = true;
        t->stats.sent += sent;
    }
    t->failures = 0;
    if (!was_working)
        target_report(t, FORWARD_WORKS, "samples are accepted");
}

static void note_failing(struct forward_target *t, const char *reason)
{
    {
        LOCKED(&t->lock);
        t->stats.is_working = false;
        t->stats.retries++;
    }
    if (t->failures++ == 0)
        target_report(t, FORWARD_FAILS, "%s; the queue waits", reason);
}

static void note_refused(struct forward_target *t, uint32_t series, const char *reason)
{
    struct series_name name = { SPAN("?"), SPAN("?") };
    {
        LOCKED(&t->lock);
        t->stats.refused++;
        (void)series_names_get(t->names, series, &name);
    }
    target_report(t, FORWARD_REFUSED,
                  "a sample of " SPAN_FMT " " SPAN_FMT " is refused for good: %s",
                  SPAN_ARG(name.path), SPAN_ARG(name.metric), reason);
}

/* One request, again and again until there is a verdict.  False: it is to stop. */
static bool send_until_clear(struct forward_target *t, size_t from, size_t to,
                             enum verdict *ret)
{
    while (!has_to_stop(t)) {
        struct err err = { 0 };
        char reason[REASON_MAX + 64];
        int rc = make_block(t, from, to);
        if (rc < 0)
            (void)err_set(&err, -rc, "out of memory");
        else
            rc = net_client_post(t->client, t->path, "application/x-protobuf", "snappy",
                                 strbuf_span(&t->block), &t->response, &err);
        {
            LOCKED(&t->lock);
            t->stats.requests++;
        }
        *ret = rc < 0 ? LATER : verdict_of(t->response.status);
        if (*ret != LATER)
            return true;
        print_reason(t, reason, sizeof reason);
        note_failing(t, rc < 0 ? err.text : reason);
        report_lost(t);
        back_off(t, rc < 0 ? -1 : t->response.retry_after_s);
    }
    return false;
}

/* A request that is refused is halved, so that what is wrong in it costs no more than
 * itself: Prometheus stores nothing of a request with one sample out of order. */
static bool send_range(struct forward_target *t, size_t from, size_t to)
{
    enum verdict verdict;
    if (from == to)
        return true;
    if (!send_until_clear(t, from, to, &verdict))
        return false;
    if (verdict == ACCEPTED) {
        note_working(t, to - from);
        return true;
    }
    if (to - from == 1) {
        char reason[REASON_MAX + 64];
        print_reason(t, reason, sizeof reason);
        note_refused(t, t->samples.items[from].series, reason);
        return true;
    }
    size_t middle = from + (to - from) / 2;
    return send_range(t, from, middle) && send_range(t, middle, to);
}

static bool send_all(struct forward_target *t)
{
    for (size_t from = 0; from < t->samples.count;) {
        size_t to = from + t->opts.batch_samples;
        if (to > t->samples.count)
            to = t->samples.count;
        if (!send_range(t, from, to))
            return false;
        from = to;
    }
    return true;
}

/* ---- the thread ---- */

static void send_next(struct forward_target *t)
{
    struct err err = { 0 };
    uint64_t queued = atomic_load(&t->queued);
    int rc = fill_samples(t);
    report_lost(t);
    if (rc < 0) {
        back_off(t, -1);
        return;
    }
    if (t->last_sequence == spool_acked(t->spool)) {
        wait_ms(t, IDLE_MS, &queued);
        return;
    }
    if (!send_all(t))
        return;
    rc = spool_ack(t->spool, t->last_sequence, &err);
    if (rc < 0) {
        note_failing(t, err.text);
        back_off(t, -1);
        return;
    }
    lose_left_out(t);
}

void *target_send(void *arg)
{
    struct forward_target *t = arg;
    while (!has_to_stop(t))
        send_next(t);
    return NULL;
}
