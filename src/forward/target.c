/* SPDX-License-Identifier: Apache-2.0 */
/* target - one engine that samples are sent to: its queue. */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/secret.h"
#include "forward/target_private.h"

#include <errno.h>
#include <stdlib.h>

#define RECORD_SAMPLES_MAX 4096
#define PASSWORD_BYTES_MAX 4096
#define NO_SAMPLE_BITS UINT64_C(0x7FF8000000000000) /* the store's, model/sample.h */
#define WRITE_VERSION "X-Prometheus-Remote-Write-Version: 0.1.0"

/* ---- opening ---- */

/* Of "http://host:9090/api/v1/write" the server and the path. */
static int split_target_url(const char *name, const char *url, char **ret_base,
                            const char **ret_path, struct err *err)
{
    const char *host = strstr(url, "://");
    const char *path = host ? strchr(host + 3, '/') : NULL;
    if (!host || !path || !path[1])
        return err_set(err, EINVAL,
                       "forward %s: url: '%s' is not a whole url such as "
                       "http://host:9090/api/v1/write",
                       name, url);
    *ret_base = span_dup((struct span){ url, (size_t)(path - url) });
    *ret_path = path;
    return *ret_base ? 0 : err_set(err, ENOMEM, "out of memory");
}

static int open_client(const struct forward_opts *opts, const char *base,
                       struct net_client **ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf password = STRBUF_INIT;
    if (*opts->password_file) {
        int rc = secret_read(opts->password_file, PASSWORD_BYTES_MAX, &password, err);
        if (rc < 0)
            return rc;
        while (password.size > 0 && strchr("\r\n", password.data[password.size - 1]))
            password.data[--password.size] = '\0';
    }
    const struct net_client_opts client = {
        .url = base,
        .token_file = opts->token_file,
        .user = opts->user,
        .password = strbuf_text(&password),
        .header = WRITE_VERSION,
        .ca_file = opts->ca_file,
        .timeout_ns = opts->timeout_ns,
        .reply_bytes_max = 1 << 20,
    };
    int rc = net_client_new(&client, ret, err);
    if (password.data)
        explicit_bzero(password.data, password.capacity);
    return rc;
}

int target_check(const char *name, const struct forward_opts *opts, struct err *err)
{
    AUTO(net_client_free) struct net_client *client = NULL;
    AUTO_FREE char *base = NULL;
    const char *path;
    struct external_labels labels;
    int rc = split_target_url(name, opts->url, &base, &path, err);
    if (rc == 0)
        rc = open_client(opts, base, &client, err);
    if (rc == 0)
        rc = external_labels_read(&opts->label, &labels, err);
    return rc;
}

static bool fits_one(const struct config_list *patterns, struct span name)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (span_glob(name, patterns->items[i]))
            return true;
    return false;
}

static bool is_wanted_metric(void *arg, struct span metric)
{
    const struct forward_opts *opts = arg;
    return (opts->include.count == 0 || fits_one(&opts->include, metric)) &&
           !fits_one(&opts->exclude, metric);
}

/* The entries of directories that may be new: "forward" and "NAME" by default. */
static void sync_parents(const char *dir)
{
    AUTO_FREE char *path = strdup(dir);
    char *slash = path ? strrchr(path, '/') : NULL;
    for (int i = 0; i < 2 && slash && slash > path; i++) {
        *slash = '\0';
        (void)file_sync_dir(path, NULL);
        slash = strrchr(path, '/');
    }
}

static int open_queue(struct forward_target *target, struct err *err)
{
    AUTO(strbuf_done) struct strbuf dir = STRBUF_INIT;
    strbuf_addf(&dir, "%s/queue", target->opts.directory);
    target->spool_dir = strbuf_error(&dir) < 0 ? NULL : span_dup(strbuf_span(&dir));
    if (!target->spool_dir)
        return err_set(err, ENOMEM, "out of memory");
    int rc = file_make_dirs(target->spool_dir, 0700, err);
    sync_parents(target->opts.directory);
    const struct spool_opts spool = { .dir = target->spool_dir,
                                      .bytes_max = target->opts.queue_bytes_max };
    if (rc == 0)
        rc = spool_open(&spool, &target->spool, err);
    const struct series_names_opts names = {
        .dir = target->opts.directory,
        .describe = target->source.describe,
        .describe_arg = target->source.arg,
        .is_wanted = is_wanted_metric,
        .wanted_arg = &target->opts,
    };
    if (rc == 0)
        rc = series_names_new(&names, &target->names, err);
    if (rc < 0)
        return rc;
    struct spool_counts counts;
    spool_count(target->spool, &counts);
    target->lost_before = counts.lost_entries;
    if (counts.records == 0)
        series_names_forget(target->names);
    return 0;
}

int target_new(const struct forward_source *source, const char *name,
               const struct forward_opts *opts, struct forward_target **ret,
               struct err *err)
{
    AUTO(target_free) struct forward_target *target = calloc(1, sizeof *target);
    pthread_condattr_t attr;
    if (!target)
        return err_set(err, ENOMEM, "out of memory");
    (void)pthread_mutex_init(&target->lock, NULL);
    (void)pthread_mutex_init(&target->sync_lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&target->wake, &attr);
    (void)pthread_condattr_destroy(&attr);
    target->name = name;
    target->opts = *opts;
    target->source = *source;
    int rc = external_labels_read(&opts->label, &target->labels, err);
    if (rc == 0)
        rc = split_target_url(name, opts->url, &target->base, &target->path, err);
    if (rc == 0)
        rc = open_client(opts, target->base, &target->client, err);
    if (rc == 0)
        rc = open_queue(target, err);
    if (rc == 0)
        *ret = TAKE(target);
    return rc;
}

int target_start(struct forward_target *target, struct err *err)
{
    int errnum = pthread_create(&target->thread, NULL, target_send, target);
    target->has_thread = errnum == 0;
    return errnum ? err_set(err, EAGAIN, "forward %s: no thread: %s", target->name,
                            strerror(errnum))
                  : 0;
}

void target_free(struct forward_target *target)
{
    if (!target)
        return;
    if (target->has_thread) {
        (void)pthread_mutex_lock(&target->lock);
        target->is_stopping = true;
        (void)pthread_cond_signal(&target->wake);
        (void)pthread_mutex_unlock(&target->lock);
        (void)pthread_join(target->thread, NULL);
    }
    spool_close(target->spool);
    series_names_free(target->names);
    net_client_free(target->client);
    net_response_done(&target->response);
    message_samples_done(&target->samples);
    strbuf_done(&target->record);
    strbuf_done(&target->text);
    strbuf_done(&target->block);
    (void)pthread_cond_destroy(&target->wake);
    (void)pthread_mutex_destroy(&target->lock);
    (void)pthread_mutex_destroy(&target->sync_lock);
    free(target->base);
    free(target->spool_dir);
    free(target);
}

/* ---- into the queue ---- */

/* Their numbers; 0: it is not forwarded.  New names are in the file when this returns.
 */
static int number_samples(struct forward_target *target, const struct sample *samples,
                          size_t count, int64_t oldest_ns, uint32_t *ret)
{
    int rc = 0;
    LOCKED(&target->lock);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &samples[i].value, sizeof bits);
        ret[i] = 0;
        if (bits == NO_SAMPLE_BITS || samples[i].t_ns < oldest_ns)
            continue;
        rc = series_names_number(target->names, samples[i].series, &ret[i]);
        if (ret[i] == SERIES_UNWANTED)
            ret[i] = 0;
    }
    return rc < 0 ? rc : series_names_store(target->names);
}

static int64_t ms_of(int64_t t_ns)
{
    int64_t t_ms = t_ns / NS_PER_MS;
    return t_ms * NS_PER_MS > t_ns ? t_ms - 1 : t_ms;
}

/* Returns how many there are. */
static uint32_t write_record(struct forward_target *target,
                             const struct sample *samples, const uint32_t *numbers,
                             size_t count, struct strbuf *out)
{
    const struct forward_source *source = &target->source;
    struct sample_record_writer writer;
    int64_t shown_ns[RECORD_SAMPLES_MAX];
    uint32_t written = 0;
    source->show_times(source->arg, samples, count, shown_ns);
    sample_record_begin(&writer, out, series_names_list(target->names));
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] == 0)
            continue;
        struct queued_sample item = {
            .series = numbers[i],
            .t_ms = ms_of(shown_ns[i]),
        };
        memcpy(&item.bits, &samples[i].value, sizeof item.bits);
        sample_record_add(&writer, &item);
        written++;
    }
    return written;
}

static void wake_sender(struct forward_target *target)
{
    LOCKED(&target->lock);
    if (target->is_idle)
        (void)pthread_cond_signal(&target->wake);
}

static void put_record(struct forward_target *target, const struct sample *samples,
                       size_t count, int64_t oldest_ns)
{
    AUTO(strbuf_done) struct strbuf record = STRBUF_INIT;
    uint32_t numbers[RECORD_SAMPLES_MAX], written = 0;
    struct err err = { 0 };
    int rc = number_samples(target, samples, count, oldest_ns, numbers);
    if (rc == 0) {
        written = write_record(target, samples, numbers, count, &record);
        rc = strbuf_error(&record);
    }
    if (rc == 0 && written > 0)
        rc = spool_append(target->spool, strbuf_span(&record), written, &err);
    if (rc < 0) {
        (void)atomic_fetch_add(&target->unqueued, count);
        target_report(target, FORWARD_LOST, "%zu samples could not be queued: %s",
                      count, err.text[0] ? err.text : strerror(-rc));
        return;
    }
    (void)atomic_fetch_add(&target->queued, written);
    if (written > 0)
        wake_sender(target);
}

void target_put(struct forward_target *target, const struct sample *samples,
                size_t count, int64_t oldest_ns)
{
    for (size_t i = 0; i < count; i += RECORD_SAMPLES_MAX) {
        size_t some = count - i < RECORD_SAMPLES_MAX ? count - i : RECORD_SAMPLES_MAX;
        put_record(target, samples + i, some, oldest_ns);
    }
}

/* Names first: on the disk, too, no record has a number without one. */
int target_sync(struct forward_target *target)
{
    struct err err = { 0 };
    LOCKED(&target->sync_lock);
    uint64_t sequence = spool_next_sequence(target->spool) - 1;
    int rc = series_names_sync(target->names, &err);
    if (rc == 0)
        rc = spool_sync(target->spool, sequence, &err);
    if (rc < 0)
        target_report(target, FORWARD_UNSYNCED,
                      "what is queued may not survive loss of power: %s", err.text);
    return rc;
}

/* ---- what it counts ---- */

const char *target_name(const struct forward_target *target)
{
    return target->name;
}

void target_stats(struct forward_target *target, struct forward_stats *ret)
{
    struct spool_counts counts;
    spool_count(target->spool, &counts);
    LOCKED(&target->lock);
    *ret = target->stats;
    ret->queued = atomic_load(&target->queued);
    ret->lost += counts.lost_entries + atomic_load(&target->unqueued);
    ret->waiting_samples = counts.entries;
    ret->waiting_bytes = counts.bytes;
    ret->bytes_max = target->opts.queue_bytes_max;
}
