/* SPDX-License-Identifier: Apache-2.0 */
/* index_files - indexes of datasets below a cache's directory, a file each. */
#include "dataset/forwarder/index_files.h"

#include "base/file.h"
#include "base/span.h"
#include "dataset/forwarder/datasets.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

static void index_path(const char *dir, const struct digest *name,
                       char path[static PATH_MAX])
{
    char text[DIGEST_TEXT_SIZE];
    digest_print(name, text);
    (void)snprintf(path, PATH_MAX, "%s/indexes/%s", dir, text);
}

int index_file_read(const char *dir, const struct digest *name, struct payload **ret)
{
    char path[PATH_MAX];
    struct stat st;
    index_path(dir, name, path);
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return -errno;
    if (st.st_size <= 0 || st.st_size > DATASET_INDEX_BYTES_MAX)
        return -EBADMSG;
    AUTO(payload_unref) struct payload *payload = payload_new((size_t)st.st_size);
    if (!payload)
        return -ENOMEM;
    if (pread(fd, payload->data, payload->size, 0) != (ssize_t)payload->size)
        return -EIO;
    (void)futimens(fd, NULL); /* used now: the oldest go first */
    *ret = TAKE(payload);
    return 0;
}

void index_file_remove(const char *dir, const struct digest *name)
{
    char path[PATH_MAX];
    index_path(dir, name, path);
    (void)unlink(path);
}

/* Removes the oldest file, where all have more than bytes_max; whether it did. */
static bool oldest_remove(int fd, uint64_t bytes_max)
{
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO_CLOSEDIR DIR *entries = copy < 0 ? NULL : fdopendir(copy);
    char oldest[256] = "";
    struct timespec oldest_time = { 0 };
    uint64_t bytes = 0;
    struct dirent *entry;
    struct stat st;
    while (entries && (entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] == '.' ||
            fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISREG(st.st_mode))
            continue;
        bytes += (uint64_t)st.st_size;
        bool is_older = !oldest[0] || st.st_mtim.tv_sec < oldest_time.tv_sec ||
                        (st.st_mtim.tv_sec == oldest_time.tv_sec &&
                         st.st_mtim.tv_nsec < oldest_time.tv_nsec);
        if (is_older) {
            (void)snprintf(oldest, sizeof oldest, "%s", entry->d_name);
            oldest_time = st.st_mtim;
        }
    }
    return bytes > bytes_max && oldest[0] && unlinkat(fd, oldest, 0) == 0;
}

void index_file_write(const char *dir, const struct digest *name,
                      const struct payload *encoded, uint64_t bytes_max)
{
    char path[PATH_MAX];
    index_path(dir, name, path);
    if (encoded->size > bytes_max ||
        file_replace(path, encoded->data, encoded->size, 0600, NULL) < 0)
        return;
    (void)snprintf(path, sizeof path, "%s/indexes", dir);
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && oldest_remove(fd, bytes_max))
        ;
}
