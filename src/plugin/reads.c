/* SPDX-License-Identifier: Apache-2.0 */
/* reads - the files that a plugin may read. */
#include "plugin/reads.h"

#include "base/span.h"

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#define WILDCARDS_MAX 3

const char *const reads_default[] = {
    "/proc/loadavg",
    "/proc/stat",
    "/proc/meminfo",
    "/proc/vmstat",
    "/proc/uptime",
    "/proc/version",
    "/proc/cpuinfo",
    "/proc/diskstats",
    "/proc/interrupts",
    "/proc/softirqs",
    "/proc/buddyinfo",
    "/proc/mdstat",
    "/proc/swaps",
    "/proc/filesystems",
    "/proc/pressure/*",
    "/proc/net/*",
    "/proc/[0-9]*/net/*",
    "/proc/fs/*",
    "/proc/sys/fs/*",
    "/proc/sys/kernel/*",
    "/proc/sys/vm/*",
    "/proc/sys/lnet/*",
    "/proc/spl/*",
    "/sys/block/*",
    "/sys/bus/*",
    "/sys/class/*",
    "/sys/devices/*",
    "/sys/fs/*",
    "/sys/kernel/debug/lustre/*",
    "/sys/kernel/mm/*",
};
const size_t reads_default_count = COUNT_OF(reads_default);

__attribute__((format(printf, 2, 3))) static void refuse(struct reads *reads,
                                                         const char *fmt, ...)
{
    va_list ap;
    reads->refused++;
    if (reads->why[0])
        return;
    va_start(ap, fmt);
    (void)vsnprintf(reads->why, sizeof reads->why, fmt, ap);
    va_end(ap);
}

static bool is_allowed(const char *path, const char *const *patterns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (span_glob(span_of(path), patterns[i]))
            return true;
    return false;
}

/* Where the file really is, links followed, below root; false: outside of it. */
static bool true_path(int fd, const char *root, char out[PATH_MAX])
{
    char link[64], path[PATH_MAX], real_root[PATH_MAX] = "";
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size <= 0)
        return false;
    path[size] = '\0';
    if (*root && !realpath(root, real_root))
        return false;
    size_t skip = strlen(real_root);
    if (skip == 1) /* "/" */
        skip = 0;
    if (strncmp(path, real_root, skip) != 0 || path[skip] != '/')
        return false;
    memcpy(out, path + skip, strlen(path + skip) + 1);
    return true;
}

#define NOT_LISTED "is not in the list of what plugins may read ([plugins] read)"

/* -1: refused, or not there. */
static int file_open(const char *path, const char *root, const char *const *patterns,
                     size_t pattern_count, struct reads *reads)
{
    char where[PATH_MAX], again[64];
    struct stat status;
    if (!is_allowed(path + strlen(root), patterns, pattern_count)) {
        refuse(reads, "%s: " NOT_LISTED, path);
        return -1;
    }
    /* Looked at before it is opened: to open a device may do something already, and "*"
     * finds ".." and links, too. */
    AUTO_CLOSE int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) {
        if (errno != ENOENT)
            refuse(reads, "%s: %s", path, strerror(errno));
        return -1;
    }
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        refuse(reads, "%s: is not a regular file", path);
        return -1;
    }
    if (!(status.st_mode & S_IROTH)) {
        refuse(reads, "%s: not all users may read it", path);
        return -1;
    }
    if (!true_path(fd, root, where) || !is_allowed(where, patterns, pattern_count)) {
        refuse(reads, "%s: " NOT_LISTED, path);
        return -1;
    }
    (void)snprintf(again, sizeof again, "/proc/self/fd/%d", fd);
    int ret = open(again, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (ret < 0)
        refuse(reads, "%s: %s", path, strerror(errno));
    return ret;
}

/* How many parts of the path are patterns: each makes the search longer. */
static unsigned wildcard_count(const char *pattern)
{
    struct span rest = span_of(pattern), part;
    unsigned count = 0;
    while (rest.size) {
        (void)span_cut(&rest, '/', &part);
        for (size_t i = 0; i < part.size; i++)
            if (strchr("*?[", part.data[i])) {
                count++;
                break;
            }
    }
    return count;
}

static void pattern_open(const char *root, const char *pattern,
                         const char *const *patterns, size_t pattern_count,
                         struct reads *reads)
{
    char text[PATH_MAX];
    glob_t found = { 0 };
    size_t skip = strlen(root);
    if (skip + strlen(pattern) >= sizeof text)
        return;
    if (!is_allowed(pattern, patterns, pattern_count)) {
        refuse(reads, "%s: " NOT_LISTED, pattern);
        return;
    }
    if (wildcard_count(pattern) > WILDCARDS_MAX) {
        refuse(reads, "%s: more than %d parts with * or ?", pattern, WILDCARDS_MAX);
        return;
    }
    (void)snprintf(text, sizeof text, "%s%s", root, pattern);
    if (glob(text, 0, NULL, &found) != 0) {
        globfree(&found);
        return;
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i] + skip;
        if (reads->count == FRAME_FILES_MAX) {
            refuse(reads, "%s: more than %d files", pattern, FRAME_FILES_MAX);
            break;
        }
        if (strlen(path) >= sizeof reads->paths[0])
            continue;
        int fd = file_open(found.gl_pathv[i], root, patterns, pattern_count, reads);
        if (fd < 0)
            continue;
        memcpy(reads->paths[reads->count], path, strlen(path) + 1);
        reads->fds[reads->count++] = fd;
    }
    globfree(&found);
}

void reads_open(const char *root, const struct plugin_manifest *m,
                const char *const *patterns, size_t pattern_count, struct reads *ret)
{
    ret->count = ret->refused = 0;
    ret->why[0] = '\0';
    if (strcmp(root, "/") == 0)
        root = "";
    for (size_t i = 0; i < m->read_count; i++)
        pattern_open(root, m->reads[i], patterns, pattern_count, ret);
}

void reads_close(struct reads *reads)
{
    for (size_t i = 0; i < reads->count; i++)
        (void)close(reads->fds[i]);
    reads->count = 0;
}
