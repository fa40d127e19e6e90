/* SPDX-License-Identifier: Apache-2.0 */
/* tree_remove - a tree of files removed by descriptors. */
#include "dataset/image/tree_remove.h"

#include "base/cleanup.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void entry_remove(int fd, const char *name, unsigned depth);

static void below_remove(int fd, unsigned depth)
{
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO_CLOSEDIR DIR *entries = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;
    if (copy >= 0 && !entries)
        (void)close(copy);
    while (entries && (entry = readdir(entries)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            entry_remove(fd, entry->d_name, depth);
}

/* Its own mode may deny what removes what is in it.  Not through a link: chmod is of
 * the directory that was opened. */
static void directory_enter(int fd, const char *name, unsigned depth)
{
    AUTO_CLOSE int inner =
        openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) {
        (void)fchmodat(fd, name, S_IRWXU, 0);
        inner = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (inner < 0)
        return;
    (void)fchmod(inner, S_IRWXU);
    below_remove(inner, depth + 1);
}

static void entry_remove(int fd, const char *name, unsigned depth)
{
    struct stat st;
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    if (S_ISDIR(st.st_mode) && depth < TREE_DEPTH_MAX)
        directory_enter(fd, name, depth);
    (void)unlinkat(fd, name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0);
}

void tree_remove_below(int fd)
{
    below_remove(fd, 0);
}

void tree_remove_at(int fd, const char *name)
{
    entry_remove(fd, name, 0);
}
