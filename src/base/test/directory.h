/* SPDX-License-Identifier: Apache-2.0 */
/* directory - a directory of a unit test's own: made, copied, removed with its files.
 */
#ifndef BASE_TEST_DIRECTORY_H
#define BASE_TEST_DIRECTORY_H

#include "base/file.h"
#include "base/strbuf.h"
#include "base/test/testing.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY_PATH_MAX 512

static inline void directory_make(char path[static DIRECTORY_PATH_MAX])
{
    (void)snprintf(path, DIRECTORY_PATH_MAX, "/tmp/baro-test.XXXXXX");
    assert_non_null(mkdtemp(path));
}

/* Its files, and itself. */
static inline void directory_remove(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir)))
        (void)unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        (void)closedir(dir);
    (void)rmdir(path);
}

static inline void directory_write(const char *dir, const char *name, const void *data,
                                   size_t size)
{
    char path[DIRECTORY_PATH_MAX];
    assert_in_range(snprintf(path, sizeof path, "%s/%s", dir, name), 1,
                    sizeof path - 1);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(file_write_all(fd, data, size), 0);
    (void)close(fd);
}

/* Appends the bytes of a file to out. */
static inline void directory_read(const char *dir, const char *name, struct strbuf *out)
{
    char path[DIRECTORY_PATH_MAX];
    assert_in_range(snprintf(path, sizeof path, "%s/%s", dir, name), 1,
                    sizeof path - 1);
    assert_int_equal(file_read(path, (size_t)1 << 30, out, NULL), 0);
}

/* What stands in files of from now; to is made. */
static inline void directory_copy(const char *from, const char *to)
{
    assert_int_equal(mkdir(to, 0700), 0);
    DIR *dir = opendir(from);
    const struct dirent *entry;
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
        if (entry->d_name[0] == '.')
            continue;
        directory_read(from, entry->d_name, &bytes);
        directory_write(to, entry->d_name, bytes.data, bytes.size);
    }
    (void)closedir(dir);
}

#endif
