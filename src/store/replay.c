/* SPDX-License-Identifier: Apache-2.0 */
/* replay - the logs of a directory, read into memory again. */
#include "store/replay.h"

#include "base/file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#define PAGE_ITEMS 4096

struct bound {
    struct level_series *series; /* NULL: not known */
    uint64_t applied;
};

/* What the numbers of one log stand for. */
struct replay {
    struct metric_store *store;
    struct bound *pages[SERIES_NUMBER_MAX / PAGE_ITEMS + 1];
    struct record record;
    struct shard *locked;
    struct replay_result result;
};

int replay_new(struct metric_store *store, struct replay **ret)
{
    struct replay *replay = calloc(1, sizeof *replay);
    if (!replay)
        return -ENOMEM;
    replay->store = store;
    *ret = replay;
    return 0;
}

void replay_free(struct replay *replay)
{
    if (!replay)
        return;
    for (size_t i = 0; i < COUNT_OF(replay->pages); i++)
        free(replay->pages[i]);
    record_done(&replay->record);
    free(replay);
}

static struct bound *find_bound(const struct replay *replay, uint32_t number)
{
    struct bound *page = replay->pages[number / PAGE_ITEMS];
    return page ? &page[number % PAGE_ITEMS] : NULL;
}

int replay_bind(struct replay *replay, uint32_t number, struct level_series *series,
                uint64_t applied)
{
    if (number == 0 || number > SERIES_NUMBER_MAX)
        return -EBADMSG;
    struct bound **page = &replay->pages[number / PAGE_ITEMS];
    if (!*page)
        *page = calloc(PAGE_ITEMS, sizeof **page);
    if (!*page)
        return -ENOMEM;
    (*page)[number % PAGE_ITEMS] = (struct bound){ series, applied };
    series->number = number;
    struct replay_result *r = &replay->result;
    r->last_number = number > r->last_number ? number : r->last_number;
    r->last_sequence = applied > r->last_sequence ? applied : r->last_sequence;
    return 0;
}

static void lock_shard(struct replay *replay, struct shard *shard)
{
    if (replay->locked == shard)
        return;
    if (replay->locked)
        shard_unlock(replay->locked);
    replay->locked = shard;
    if (shard)
        shard_lock(shard);
}

/* Names that are known already are those of a segment that followed one that failed. */
static int bind_names(struct replay *replay)
{
    struct metric_store *store = replay->store;
    for (size_t i = 0; i < replay->record.name_count; i++) {
        const struct record_name *n = &replay->record.names[i];
        const struct bound *known = find_bound(replay, n->number);
        const struct metric *metric = metric_find(store->metrics, n->metric);
        struct metric made = { .name = n->metric, .step_ns = n->step_ns };
        struct level_series *series = NULL;
        if (known && known->series)
            continue;
        int rc = metric ? 0 : metric_declare(store->metrics, &made, &metric);
        if (rc < 0)
            return rc == -EINVAL ? -EBADMSG : rc;
        struct shard *shard = store->shards[metric_store_shard(store, n->path)];
        lock_shard(replay, shard);
        rc = shard_level_series(shard, n->path, metric->id, n->step_ns, &series);
        if (rc == 0)
            rc = replay_bind(replay, n->number, series, 0);
        if (rc < 0)
            return rc == -EINVAL ? -EBADMSG : rc;
    }
    return 0;
}

/* NULL: there is none. */
static const struct level_series *series_at(const struct replay *replay, size_t i)
{
    const struct record *record = &replay->record;
    const struct bound *bound =
        i < record->count ? find_bound(replay, record->numbers[i]) : NULL;
    return bound ? bound->series : NULL;
}

/* Before sample i is put.  Nothing of a series is looked at without its shard's lock.
 */
static void prefetch_ahead(const struct replay *replay, size_t i)
{
    static void (*const prefetch[])(const struct metric_series *series) = {
        series_prefetch_slot,
        series_prefetch_head,
        series_prefetch_view,
    };
    __builtin_prefetch(series_at(replay, i + 4 * SERIES_AHEAD));
    for (size_t n = 0; n < COUNT_OF(prefetch); n++) {
        const struct level_series *s = series_at(replay, i + (n + 1) * SERIES_AHEAD);
        if (s && replay->store->shards[s->level->shard] == replay->locked)
            prefetch[n](&s->series);
    }
}

static int apply_samples(struct replay *replay)
{
    const struct record *record = &replay->record;
    for (size_t i = 0; i < record->count; i++) {
        prefetch_ahead(replay, i);
        const struct bound *bound = find_bound(replay, record->numbers[i]);
        struct level_series *series = bound ? bound->series : NULL;
        if (!series) {
            replay->result.lost_samples++;
            continue;
        }
        if (record->sequence <= bound->applied)
            continue;
        struct shard *shard = replay->store->shards[series->level->shard];
        lock_shard(replay, shard);
        int rc =
            shard_replay(shard, &series->series, record->times[i], record->values[i]);
        if (rc < 0 && rc != -ERANGE)
            return rc;
        replay->result.samples++;
    }
    return 0;
}

static int take_record(void *arg, struct span payload)
{
    struct replay *replay = arg;
    int rc = record_decode(payload, &replay->record);
    if (rc == 0)
        rc = bind_names(replay);
    if (rc == 0)
        rc = apply_samples(replay);
    if (rc == 0 && replay->record.sequence > replay->result.last_sequence)
        replay->result.last_sequence = replay->record.sequence;
    lock_shard(replay, NULL);
    return rc;
}

/* Beside the segment, under a name of its own, for an administrator to look at. */
static int save_damaged(const char *path, char aside[static STORE_PATH_MAX])
{
    int n = snprintf(aside, STORE_PATH_MAX, "%s.damaged", path);
    if (n < 0 || n >= STORE_PATH_MAX)
        return -ENAMETOOLONG;
    return link(path, aside) < 0 && errno != EEXIST ? -errno : 0;
}

static void report_damaged_log(const struct replay *replay, const char *path,
                               uint64_t good_bytes, const char *why)
{
    char aside[STORE_PATH_MAX];
    if (replay->store->options.is_read_only) {
        store_report(replay->store, STORE_ERROR,
                     "the log '%s' is damaged behind byte %" PRIu64
                     " (%s): what follows in it is not read",
                     path, good_bytes, why[0] ? why : "a checksum");
        return;
    }
    int rc = save_damaged(path, aside);
    store_report(replay->store, STORE_ERROR,
                 "the log '%s' is damaged behind byte %" PRIu64
                 " (%s): what follows in it is lost; %s%s%s",
                 path, good_bytes, why[0] ? why : "a checksum",
                 rc < 0 ? "it could not be saved: " : "it is saved as '",
                 rc < 0 ? strerror(-rc) : aside, rc < 0 ? "" : "'");
}

/* What a crash left of a record and what damage left of a durable one can look alike:
 * nothing is removed that is not saved beside it. */
static int save_tail(const char *path, uint64_t offset,
                     char aside[static STORE_PATH_MAX])
{
    char bytes[64 << 10];
    ssize_t size;
    int n = snprintf(aside, STORE_PATH_MAX, "%s.%" PRIu64 ".torn", path, offset);
    if (n < 0 || n >= STORE_PATH_MAX)
        return -ENAMETOOLONG;
    AUTO_CLOSE int from = open(path, O_RDONLY | O_CLOEXEC);
    AUTO_CLOSE int to =
        open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640);
    if (from < 0 || to < 0)
        return -errno;
    int rc = 0;
    while (rc == 0 && (size = pread(from, bytes, sizeof bytes, (off_t)offset)) > 0) {
        rc = file_write_all(to, bytes, (size_t)size);
        offset += (uint64_t)size;
    }
    if (rc == 0 && (size < 0 || fsync(to) < 0))
        rc = -errno;
    if (rc < 0)
        (void)unlink(aside);
    return rc;
}

static int cut_tail(const char *path, uint64_t size, struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)size) < 0 || fdatasync(fd) < 0)
        return err_set(err, errno, "cut the torn tail of '%s': %s", path,
                       strerror(errno));
    return 0;
}

/* The tail of a log that a crash seems to have torn: it is removed, or the
 * next check of the log takes it for damage.  One that cannot be saved stays where it
 * is. */
static int end_torn(struct replay *replay, const char *path,
                    const struct log_read *read, struct err *err)
{
    char aside[STORE_PATH_MAX];
    if (!read->has_left_data) {
        store_report(replay->store, STORE_WARNING,
                     "the log '%s' ends within a record, as after a crash: cut at byte "
                     "%" PRIu64,
                     path, read->good_bytes);
        return cut_tail(path, read->good_bytes, err);
    }
    int rc = save_tail(path, read->good_bytes, aside);
    if (rc < 0) {
        store_report(replay->store, STORE_WARNING,
                     "the log '%s' ends within a record, as after a crash: the last "
                     "%" PRIu64
                     " bytes are not read; they could not be saved beside it "
                     "(%s) and stay in it",
                     path, read->left_bytes, strerror(-rc));
        return 0;
    }
    store_report(
        replay->store, STORE_WARNING,
        "the log '%s' ends within a record, as after a crash: cut at byte %" PRIu64
        "; the %" PRIu64 " bytes behind are saved as '%s'",
        path, read->good_bytes, read->left_bytes, aside);
    return cut_tail(path, read->good_bytes, err);
}

int replay_segment(struct replay *replay, const char *path, struct err *err)
{
    struct log_read read = { 0 };
    struct err why = { 0 };
    int rc = log_read(path, take_record, replay, &read, &why);
    lock_shard(replay, NULL);
    if (rc == -EBADMSG || (rc == 0 && read.end == LOG_DAMAGED)) {
        report_damaged_log(replay, path, read.good_bytes, why.text);
        replay->result.is_damaged = true;
        return 0;
    }
    if (rc < 0)
        return why.text[0] ? err_set(err, -rc, "%s", why.text)
                           : err_set(err, -rc, "read '%s': %s", path, strerror(-rc));
    if (read.end != LOG_TORN || replay->store->options.is_read_only)
        return 0;
    if (read.good_bytes == 0) {
        store_report(
            replay->store, STORE_INFO,
            "the log '%s' was only begun, as before a crash: nothing was in it", path);
        return 0;
    }
    return end_torn(replay, path, &read, err);
}

const struct replay_result *replay_result(const struct replay *replay)
{
    return &replay->result;
}
