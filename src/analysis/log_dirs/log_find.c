/* SPDX-License-Identifier: Apache-2.0 */
/* log_find - the log of one run, looked for by a thread that may hang. */
#include "analysis/log_dirs/log_dirs_private.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "source/darshan/darshan.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAY_S INT64_C(86400)
#define THREADS_MAX 8
#define CLOCKS_S 600 /* as those of nodes and of the batch system differ */
#define HEADER_NAMES_BYTES_MAX (UINT64_C(1) << 20)
#define HEADER_REGION_BYTES_MAX (UINT64_C(16) << 20)

/* Owned by the caller and its thread; the last one frees it. */
struct looking {
    _Atomic unsigned owners;
    struct log_dirs *dirs;
    char *id, *raw_id, *user, *uid, *log;
    int64_t start_s, end_s, until_ns;
    pthread_mutex_t lock; /* the three below */
    pthread_cond_t is_over;
    bool is_done;
    int rc;
    struct err why;
    struct found_log found;
    /* Of the thread: */
    uint64_t files, bytes;
    int64_t best_s; /* how long the best one ran; -1: none yet */
    size_t others;  /* of that name, and not the run's */
    size_t unread;  /* that could not be read, or were too large */
    bool is_limit;  /* files_max was reached */
};

void found_log_done(struct found_log *found)
{
    strbuf_done(&found->path);
    strbuf_done(&found->bytes);
    *found = (struct found_log){ .path = STRBUF_INIT, .bytes = STRBUF_INIT };
}

static void looking_free(struct looking *l)
{
    if (atomic_fetch_sub(&l->owners, 1) != 1)
        return;
    log_dirs_free(l->dirs);
    found_log_done(&l->found);
    free(l->id);
    free(l->raw_id);
    free(l->user);
    free(l->uid);
    free(l->log);
    (void)pthread_mutex_destroy(&l->lock);
    (void)pthread_cond_destroy(&l->is_over);
    free(l);
}

static bool is_late(const struct looking *l)
{
    return clock_monotonic_ns() >= l->until_ns;
}

/* ---- whose it is ---- */

/* Without a uid in the record: the name that the host has for the owner. */
static bool is_name_of(const char *user, uid_t uid)
{
    char buffer[4096];
    struct passwd entry, *found = NULL;
    return user && getpwuid_r(uid, &entry, buffer, sizeof buffer, &found) == 0 &&
           found && strcmp(found->pw_name, user) == 0;
}

/* A file's owner cannot be forged; where logs are collected by root or by barod's own
 * user, the uid in the log has to do. */
static bool is_owner(const struct looking *l, uid_t owner, int64_t uid_in_log)
{
    uint64_t uid = 0;
    bool has_uid = l->uid && number_parse_u64(span_of(l->uid), &uid) == 0;
    bool is_collected = owner == 0 || owner == geteuid();
    if (!has_uid)
        return is_name_of(l->user, owner) && uid_in_log == (int64_t)owner;
    return uid <= UINT32_MAX && uid_in_log == (int64_t)uid &&
           (owner == (uid_t)uid || is_collected);
}

/* Before a file is read: names of another's logs are no reason to. */
static bool may_be_its(const struct looking *l, uid_t owner)
{
    uint64_t uid = 0;
    bool has_uid = l->uid && number_parse_u64(span_of(l->uid), &uid) == 0;
    return has_uid ? owner == uid || owner == 0 || owner == geteuid()
                   : is_name_of(l->user, owner);
}

/* ---- one file ---- */

static bool is_id(const struct looking *l, int64_t jobid)
{
    int64_t number = 0;
    return number_parse_i64(span_of(l->raw_id), &number) == 0 && number == jobid;
}

/* How long it ran, -1: it is not of this run. */
static int64_t header_judge(const struct looking *l, uid_t owner,
                            const struct strbuf *bytes)
{
    AUTO(darshan_log_close) struct darshan_log *log = NULL;
    const struct darshan_opts opts = { .names_bytes_max = HEADER_NAMES_BYTES_MAX,
                                       .region_bytes_max = HEADER_REGION_BYTES_MAX };
    if (darshan_log_open_memory(bytes->data, bytes->size, &opts, &log, NULL) < 0)
        return -1;
    const struct darshan_job *job = darshan_log_job(log);
    bool is_its = is_id(l, job->jobid) && is_owner(l, owner, job->uid) &&
                  job->start_s >= l->start_s - CLOCKS_S &&
                  job->start_s <= l->end_s + CLOCKS_S;
    if (!is_its)
        return -1;
    return job->end_s > job->start_s ? job->end_s - job->start_s : 0;
}

static int log_file_scan(struct looking *l, int dir, const char *path, const char *name)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct stat st;
    AUTO_CLOSE int fd =
        openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    bool is_readable =
        fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0;
    if (is_readable && !may_be_its(l, st.st_uid)) {
        l->others++;
        return 0;
    }
    is_readable = is_readable && (uint64_t)st.st_size <= l->dirs->bytes_max - l->bytes;
    if (!is_readable ||
        file_read_fd(fd, (size_t)(l->dirs->bytes_max - l->bytes), &bytes) < 0) {
        l->unread++;
        return 0;
    }
    l->bytes += bytes.size;
    int64_t ran_s = header_judge(l, st.st_uid, &bytes);
    if (ran_s < 0) {
        l->others++;
        return 0;
    }
    l->found.count++;
    /* One that is cut has the same header.  Directories have no order: of two of a size
     * it is the first by name. */
    bool is_better = ran_s > l->best_s;
    if (ran_s == l->best_s && bytes.size != l->found.bytes.size)
        is_better = bytes.size > l->found.bytes.size;
    else if (ran_s == l->best_s)
        is_better = strcmp(name, strrchr(strbuf_text(&l->found.path), '/') + 1) < 0;
    if (!is_better)
        return 0;
    l->best_s = ran_s;
    strbuf_clear(&l->found.path);
    strbuf_addf(&l->found.path, "%s/%s", path, name);
    strbuf_done(&l->found.bytes);
    l->found.bytes = bytes;
    bytes = (struct strbuf)STRBUF_INIT;
    return strbuf_error(&l->found.path);
}

/* ---- directories ---- */

static bool name_is_wanted(const struct looking *l, struct span name)
{
    if (l->log)
        return span_is(name, l->log);
    return log_dirs_is_named(name, span_of(l->raw_id)) ||
           (strcmp(l->id, l->raw_id) != 0 && log_dirs_is_named(name, span_of(l->id)));
}

static int log_dir_scan(struct looking *l, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    int rc = 0;
    if (!dir && fd >= 0)
        (void)close(fd);
    if (!dir)
        return 0; /* a day on which nothing ran */
    for (const struct dirent *entry; rc == 0 && (entry = readdir(dir));) {
        if (is_late(l) || l->files == l->dirs->files_max) {
            l->is_limit = !is_late(l);
            rc = -ETIMEDOUT;
            continue;
        }
        l->files++;
        if (name_is_wanted(l, span_of(entry->d_name)))
            rc = log_file_scan(l, dirfd(dir), path, entry->d_name);
    }
    (void)closedir(dir);
    return rc;
}

/* Days are those of the zone of the nodes, which is a day away at most. */
static int log_pattern_scan(struct looking *l, const char *pattern)
{
    AUTO(strbuf_done) struct strbuf seen = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf paths = STRBUF_INIT;
    int64_t last_s = l->end_s + DAY_S;
    int rc = 0;
    for (int n = 0; rc == 0 && n < LOG_DAYS_MAX; n++) {
        int64_t t_s = l->start_s + (n - 1) * DAY_S;
        if (t_s / DAY_S > last_s / DAY_S)
            break;
        strbuf_clear(&paths);
        size_t count = log_dirs_of_day(pattern, t_s, &paths);
        const char *path = strbuf_text(&paths);
        if (strbuf_error(&paths) < 0)
            return -ENOMEM;
        if (strcmp(strbuf_text(&seen), path) == 0)
            continue; /* it names no day, or a month: a later one may be another */
        strbuf_clear(&seen);
        strbuf_adds(&seen, path);
        for (size_t i = 0; rc == 0 && i < count; i++, path += strlen(path) + 1)
            rc = log_dir_scan(l, path);
    }
    return rc;
}

/* ---- the thread ---- */

static int scan_outcome(struct looking *l, int rc)
{
    const struct log_dirs *d = l->dirs;
    if (rc == -ETIMEDOUT && l->is_limit)
        return err_set(
            &l->why, ETIMEDOUT,
            "the directories of logs have more than %llu names (files_max of "
            "[darshan])",
            (unsigned long long)d->files_max);
    if (rc == -ETIMEDOUT)
        return err_set(&l->why, ETIMEDOUT,
                       "looking for its log takes longer than time_max of [darshan]");
    if (rc < 0)
        return err_set(&l->why, -rc, "looking for its log: %s", strerror(-rc));
    if (l->found.count > 0)
        return 0;
    if (l->unread > 0)
        return err_set(&l->why, ENOENT,
                       "a log of it is there and not read: no permission, no regular "
                       "file, or larger than bytes_max of [darshan]");
    return err_set(&l->why, ENOENT, "%s",
                   l->others > 0
                       ? "logs of its id are another user's, or of another time"
                       : "no log has its id");
}

static void *looking_run(void *arg)
{
    struct looking *l = arg;
    struct log_dirs *dirs = log_dirs_hold(l->dirs);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < dirs->count; i++)
        rc = log_pattern_scan(l, dirs->patterns[i]);
    rc = scan_outcome(l, rc);
    atomic_fetch_sub(&dirs->threads, 1);
    (void)pthread_mutex_lock(&l->lock);
    l->rc = rc;
    l->is_done = true;
    (void)pthread_cond_broadcast(&l->is_over);
    (void)pthread_mutex_unlock(&l->lock);
    looking_free(l);
    log_dirs_free(dirs);
    return NULL;
}

/* ---- the caller ---- */

static char *text_of(struct span text)
{
    return text.size > 0 ? span_dup(text) : NULL;
}

static int looking_new(struct log_dirs *dirs, const struct log_query *query,
                       struct looking **ret)
{
    struct looking *l = calloc(1, sizeof *l);
    if (!l)
        return -ENOMEM;
    *l = (struct looking){ .owners = 2,
                           .dirs = log_dirs_hold(dirs),
                           .id = span_dup(query->id),
                           .raw_id = span_dup(query->raw_id.size > 0 ? query->raw_id
                                                                     : query->id),
                           .user = text_of(query->user),
                           .uid = text_of(query->uid),
                           .log = text_of(query->log),
                           .start_s = query->start_s,
                           .end_s = query->end_s,
                           .until_ns = clock_monotonic_ns() + dirs->time_max_ns,
                           .found = { .path = STRBUF_INIT, .bytes = STRBUF_INIT },
                           .best_s = -1 };
    pthread_condattr_t attributes;
    (void)pthread_mutex_init(&l->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&l->is_over, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    *ret = l;
    return l->id && l->raw_id ? 0 : -ENOMEM;
}

static int looking_start(struct looking *l)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&thread, &attributes, looking_run, l);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return -rc;
}

static int looking_wait(struct looking *l, struct found_log *ret, struct err *err)
{
    struct timespec at = { .tv_sec = l->until_ns / NS_PER_S,
                           .tv_nsec = l->until_ns % NS_PER_S };
    LOCKED(&l->lock);
    while (!l->is_done &&
           pthread_cond_timedwait(&l->is_over, &l->lock, &at) != ETIMEDOUT)
        ;
    if (!l->is_done)
        return err_set(err, ETIMEDOUT,
                       "looking for its log takes longer than time_max of [darshan]");
    if (l->rc < 0)
        return err_set(err, -l->rc, "%s", l->why.text);
    *ret = l->found;
    ret->until_ns = l->until_ns;
    l->found = (struct found_log){ .path = STRBUF_INIT, .bytes = STRBUF_INIT };
    return 0;
}

int log_dirs_find(struct log_dirs *dirs, const struct log_query *query,
                  struct found_log *ret, struct err *err)
{
    struct looking *l = NULL;
    if (query->uid.size == 0 && query->user.size == 0)
        return err_set(err, ENOENT, "whose the job is is not recorded");
    if (atomic_fetch_add(&dirs->threads, 1) >= THREADS_MAX) {
        atomic_fetch_sub(&dirs->threads, 1);
        return err_set(err, EBUSY,
                       "the directories of logs do not respond: earlier requests still "
                       "wait for them");
    }
    int rc = looking_new(dirs, query, &l);
    if (rc == 0)
        rc = looking_start(l);
    if (rc < 0) {
        atomic_fetch_sub(&dirs->threads, 1);
        if (l)
            looking_free(l); /* of the thread that is not */
    }
    if (rc == 0)
        rc = looking_wait(l, ret, err);
    if (l)
        looking_free(l);
    return rc < 0 && !err->text[0] ? err_set(err, -rc, "%s", strerror(-rc)) : rc;
}
