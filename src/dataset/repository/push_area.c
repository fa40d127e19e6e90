/* SPDX-License-Identifier: Apache-2.0 */
/* push_area - DIR/pushes: how much each user may have there, and what is old. */
#include "dataset/repository/push_area.h"

#include "base/clock.h"
#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "dataset/repository/quota.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define DISK_RESERVE_SHARE 20U /* of the file system stays free */

/* ---- one ---- */

struct area_push {
    uint64_t image_bytes, disk_bytes, part_disk_bytes;
    int64_t written_ns;
};

static int64_t time_ns(const struct timespec *t)
{
    return t->tv_sec * NS_PER_S + t->tv_nsec;
}

/* What is written last has the newest time. */
static void area_push_stat(int fd, struct area_push *ret)
{
    static const char *const names[] = { "part", "have", "index", "facts" };
    struct stat st;
    *ret = (struct area_push){ 0 };
    if (fstat(fd, &st) == 0)
        ret->written_ns = time_ns(&st.st_mtim);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (fstatat(fd, names[i], &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (i == 0) {
            ret->image_bytes = (uint64_t)st.st_size;
            ret->part_disk_bytes = (uint64_t)st.st_blocks * 512;
        }
        ret->disk_bytes += (uint64_t)st.st_blocks * 512;
        if (time_ns(&st.st_mtim) > ret->written_ns)
            ret->written_ns = time_ns(&st.st_mtim);
    }
}

static void area_push_remove(int user_fd, const char *name, int fd)
{
    static const char *const names[] = { "part", "have", "index", "facts" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        (void)unlinkat(fd, names[i], 0);
    (void)unlinkat(user_fd, name, AT_REMOVEDIR);
}

static int directory_open(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static DIR *directory_list(int fd)
{
    int copy = directory_open(fd, ".");
    DIR *entries = copy < 0 ? NULL : fdopendir(copy);
    if (copy >= 0 && !entries)
        (void)close(copy);
    return entries;
}

/* ---- all of a user ---- */

struct area_user {
    int fd;
    const char *user;
    bool is_trial;
    push_state_fn each;
    void *arg;
};

static int user_each(const struct area_user *user)
{
    AUTO_CLOSEDIR DIR *entries = directory_list(user->fd);
    struct dirent *entry;
    int rc = 0;
    while (rc == 0 && entries && (entry = readdir(entries)) != NULL) {
        struct area_push push;
        struct digest name;
        if (digest_parse(span_of(entry->d_name), &name) < 0)
            continue;
        AUTO_CLOSE int fd = directory_open(user->fd, entry->d_name);
        if (fd < 0)
            continue;
        bool is_busy = flock(fd, LOCK_EX | LOCK_NB) < 0;
        area_push_stat(fd, &push);
        struct push_state state = { .user = user->user,
                                    .name = entry->d_name,
                                    .bytes = push.disk_bytes,
                                    .age_ns = clock_now_ns() - push.written_ns,
                                    .is_busy = is_busy };
        state.is_old = !is_busy && state.age_ns > PUSH_LASTS_NS;
        if (user->each)
            rc = user->each(user->arg, &state);
        if (rc == 0 && state.is_old && !user->is_trial)
            area_push_remove(user->fd, entry->d_name, fd);
    }
    return rc;
}

int push_each(struct repository *r, bool is_trial, push_state_fn each, void *arg,
              struct err *err)
{
    char path[STORE_PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/pushes", r->dir);
    AUTO_CLOSEDIR DIR *entries = opendir(path);
    struct dirent *entry;
    int rc = 0;
    if (!entries)
        return errno == ENOENT ? 0
                               : err_set(err, errno, "'%s': %s", path, strerror(errno));
    while (rc == 0 && (entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
            continue;
        AUTO_CLOSE int fd = directory_open(dirfd(entries), entry->d_name);
        if (fd < 0)
            continue;
        const struct area_user user = { fd, entry->d_name, is_trial, each, arg };
        rc = user_each(&user);
        if (!is_trial && flock(fd, LOCK_EX | LOCK_NB) == 0)
            (void)unlinkat(dirfd(entries), entry->d_name, AT_REMOVEDIR);
    }
    return rc;
}

/* What other pushes have; promised: what those under way may still write. */
struct area_sum {
    uint64_t user_bytes, promised;
    unsigned user_count;
};

static uint64_t part_rest(const struct area_push *push)
{
    return push->image_bytes > push->part_disk_bytes
               ? push->image_bytes - push->part_disk_bytes
               : 0;
}

/* Without the one named own, which may be "". */
static void user_sum(int user_fd, bool is_own_user, const char *own,
                     struct area_sum *sum)
{
    AUTO_CLOSEDIR DIR *entries = directory_list(user_fd);
    struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        struct area_push push;
        struct digest name;
        if (digest_parse(span_of(entry->d_name), &name) < 0 ||
            (is_own_user && strcmp(entry->d_name, own) == 0))
            continue;
        AUTO_CLOSE int fd = directory_open(user_fd, entry->d_name);
        if (fd < 0)
            continue;
        area_push_stat(fd, &push);
        if (flock(fd, LOCK_EX | LOCK_NB) < 0)
            sum->promised += part_rest(&push);
        if (!is_own_user)
            continue;
        sum->user_bytes += push.image_bytes;
        sum->user_count++;
    }
}

static void area_sum(int area_fd, uint32_t uid, const char *own, struct area_sum *ret)
{
    AUTO_CLOSEDIR DIR *entries = directory_list(area_fd);
    char user[16];
    struct dirent *entry;
    (void)snprintf(user, sizeof user, "%u", uid);
    *ret = (struct area_sum){ 0 };
    while (entries && (entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
            continue;
        AUTO_CLOSE int fd = directory_open(area_fd, entry->d_name);
        if (fd >= 0)
            user_sum(fd, strcmp(entry->d_name, user) == 0, own, ret);
    }
}

/* ---- whether there may be one more ---- */

int push_area_space(int fd, uint64_t bytes, struct err *err)
{
    struct statvfs disk;
    if (fstatvfs(fd, &disk) < 0)
        return err_set(err, errno, "the server's disk: %s", strerror(errno));
    uint64_t all = (uint64_t)disk.f_blocks * disk.f_frsize;
    uint64_t available = (uint64_t)disk.f_bavail * disk.f_frsize;
    uint64_t reserve = all / DISK_RESERVE_SHARE;
    if (available > reserve && bytes <= available - reserve)
        return 0;
    return err_set(err, ENOSPC, "the server's disk has not the space for this image");
}

/* Of what was written of it before the rest is needed. */
static int space_check(int user_fd, const char *own, const struct push_terms *terms,
                       uint64_t promised, struct err *err)
{
    struct area_push push = { 0 };
    AUTO_CLOSE int fd = directory_open(user_fd, own);
    if (fd >= 0)
        area_push_stat(fd, &push);
    push.image_bytes = terms->image_bytes;
    return push_area_space(user_fd, part_rest(&push) + promised, err);
}

static int bytes_check(struct repository *r, const struct push_terms *terms,
                       uint64_t others, struct err *err)
{
    char most[FIGURE_SIZE];
    uint64_t all = others + terms->image_bytes;
    figure_print_bytes(most, sizeof most, (double)terms->user_bytes_max);
    if (all < others || all > terms->user_bytes_max)
        return err_set(err, EDQUOT,
                       "images that a user pushes at a time may have %s in all: finish "
                       "others first, or wait until they are a day old",
                       most);
    return quota_check(r, terms->uid, all, err);
}

static int user_admit(struct repository *r, const struct push_terms *terms, int area_fd,
                      int user_fd, struct err *err)
{
    char own[DIGEST_TEXT_SIZE];
    struct area_sum others;
    digest_print(&terms->name, own);
    area_sum(area_fd, terms->uid, own, &others);
    if (others.user_count >= PUSH_COUNT_MAX)
        return err_set(err, EDQUOT,
                       "a user may push %u images at a time: finish others first, or "
                       "wait until they are a day old",
                       PUSH_COUNT_MAX);
    if (repository_permit(r, &terms->name, terms->uid, terms->groups, NULL) == 0)
        return 0; /* it is here: nothing is sent */
    int rc = bytes_check(r, terms, others.user_bytes, err);
    return rc < 0 ? rc : space_check(user_fd, own, terms, others.promised, err);
}

static int area_make(const char *path, struct err *err)
{
    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return 0;
    return err_set(err, errno == ENOENT ? EBUSY : errno, "'%s': %s", path,
                   strerror(errno));
}

/* gc may remove the user's empty directory meanwhile: then once more. */
static int locked_open(const char *path, int *ret_fd, struct err *err)
{
    int rc = area_make(path, err);
    if (rc < 0)
        return rc;
    AUTO_CLOSE int fd = directory_open(AT_FDCWD, path);
    if (fd < 0 || flock(fd, LOCK_EX) < 0)
        return err_set(err, errno == ENOENT ? EBUSY : errno, "'%s': %s", path,
                       strerror(errno));
    *ret_fd = TAKE_FD(fd);
    return 0;
}

void push_area_lock_done(struct push_area_lock *lock)
{
    auto_close(&lock->user_fd);
    auto_close(&lock->fd);
}

int push_area_admit(struct repository *r, const struct push_terms *terms,
                    const char *dir, struct push_area_lock *ret, struct err *err)
{
    char path[STORE_PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/pushes", r->dir);
    int rc = locked_open(path, &ret->fd, err);
    if (rc == 0 && terms->user_bytes_max)
        rc = push_each(r, false, NULL, NULL, err);
    (void)snprintf(path, sizeof path, "%s/pushes/%u", r->dir, terms->uid);
    if (rc == 0)
        rc = locked_open(path, &ret->user_fd, err);
    if (rc == 0 && terms->user_bytes_max)
        rc = user_admit(r, terms, ret->fd, ret->user_fd, err);
    if (rc == 0 && terms->user_bytes_max)
        rc = area_make(dir, err);
    return rc;
}
