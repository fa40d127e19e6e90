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
    uint64_t image_bytes, disk_bytes;
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
        if (i == 0)
            ret->image_bytes = (uint64_t)st.st_size;
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

/* Without this one. */
static void user_sum(int user_fd, const char *own, uint64_t *ret_bytes,
                     unsigned *ret_count)
{
    AUTO_CLOSEDIR DIR *entries = directory_list(user_fd);
    struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        struct area_push push;
        struct digest name;
        if (digest_parse(span_of(entry->d_name), &name) < 0 ||
            strcmp(entry->d_name, own) == 0)
            continue;
        AUTO_CLOSE int fd = directory_open(user_fd, entry->d_name);
        if (fd < 0)
            continue;
        area_push_stat(fd, &push);
        *ret_bytes += push.image_bytes;
        ++*ret_count;
    }
}

/* ---- whether there may be one more ---- */

static int space_check(const struct repository *r, uint64_t bytes, struct err *err)
{
    struct statvfs disk;
    if (statvfs(r->dir, &disk) < 0)
        return err_set(err, errno, "'%s': %s", r->dir, strerror(errno));
    uint64_t all = (uint64_t)disk.f_blocks * disk.f_frsize;
    uint64_t available = (uint64_t)disk.f_bavail * disk.f_frsize;
    uint64_t reserve = all / DISK_RESERVE_SHARE;
    if (available > reserve && bytes <= available - reserve)
        return 0;
    return err_set(err, ENOSPC, "the server's disk has not the space for this image");
}

static int bytes_check(struct repository *r, const struct push_terms *terms,
                       uint64_t others, struct err *err)
{
    char most[FIGURE_SIZE];
    uint64_t all = others + terms->image_bytes;
    int rc = repository_permit(r, &terms->name, terms->uid, terms->groups, NULL);
    if (rc == 0) /* it is here: nothing is sent */
        return 0;
    figure_print_bytes(most, sizeof most, (double)terms->user_bytes_max);
    if (all < others || all > terms->user_bytes_max)
        return err_set(err, EDQUOT,
                       "images that a user pushes at a time may have %s in all: finish "
                       "others first, or wait until they are a day old",
                       most);
    rc = quota_check(r, terms->uid, all, err);
    return rc < 0 ? rc : space_check(r, terms->image_bytes, err);
}

static int user_admit(struct repository *r, const struct push_terms *terms, int user_fd,
                      struct err *err)
{
    char own[DIGEST_TEXT_SIZE];
    unsigned count = 0;
    uint64_t bytes = 0;
    digest_print(&terms->name, own);
    user_sum(user_fd, own, &bytes, &count);
    if (count >= PUSH_COUNT_MAX)
        return err_set(err, EDQUOT,
                       "a user may push %u images at a time: finish others first, or "
                       "wait until they are a day old",
                       PUSH_COUNT_MAX);
    return bytes_check(r, terms, bytes, err);
}

static int area_make(const char *path, struct err *err)
{
    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return 0;
    return err_set(err, errno == ENOENT ? EBUSY : errno, "'%s': %s", path,
                   strerror(errno));
}

/* gc may remove the user's empty directory meanwhile: then once more. */
static int user_open(const struct repository *r, uint32_t uid, int *ret_fd,
                     struct err *err)
{
    char path[STORE_PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/pushes", r->dir);
    int rc = area_make(path, err);
    (void)snprintf(path, sizeof path, "%s/pushes/%u", r->dir, uid);
    if (rc == 0)
        rc = area_make(path, err);
    if (rc < 0)
        return rc;
    AUTO_CLOSE int fd = directory_open(AT_FDCWD, path);
    if (fd < 0 || flock(fd, LOCK_EX) < 0)
        return err_set(err, errno == ENOENT ? EBUSY : errno, "'%s': %s", path,
                       strerror(errno));
    *ret_fd = TAKE_FD(fd);
    return 0;
}

int push_area_admit(struct repository *r, const struct push_terms *terms,
                    const char *dir, int *ret_lock, struct err *err)
{
    AUTO_CLOSE int fd = -1;
    int rc = 0;
    if (terms->user_bytes_max)
        rc = push_each(r, false, NULL, NULL, err);
    if (rc == 0)
        rc = user_open(r, terms->uid, &fd, err);
    if (rc == 0 && terms->user_bytes_max)
        rc = user_admit(r, terms, fd, err);
    if (rc == 0 && terms->user_bytes_max)
        rc = area_make(dir, err);
    if (rc == 0)
        *ret_lock = TAKE_FD(fd);
    return rc;
}
