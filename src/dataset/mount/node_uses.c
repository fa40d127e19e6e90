/* SPDX-License-Identifier: Apache-2.0 */
/* node_uses - what commands have mounted where on this node. */
#include "dataset/mount/node_uses.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "dataset/visit/visit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a command: its datasets are bounded, and each is written once. */
#define FILE_BYTES_MAX (VISIT_DATASETS_MAX * JOB_DATASET_LINE_BYTES_MAX)

static void use_path(const struct node_mounts *node, const char *name,
                     char path[static NODE_MOUNTS_PATH_SIZE])
{
    (void)snprintf(path, NODE_MOUNTS_PATH_SIZE, "%s/uses/%s", node->dir, name);
}

static void own_path(const struct node_mounts *node, const char *before,
                     char path[static NODE_MOUNTS_PATH_SIZE])
{
    char name[24];
    (void)snprintf(name, sizeof name, "%s%ld", before, (long)getpid());
    use_path(node, name, path);
}

/* What has no lock is removed as one of a process that was killed: it has its name
 * when it is locked. */
static int own_open(const struct node_mounts *node, int *ret_fd)
{
    char path[NODE_MOUNTS_PATH_SIZE], new_path[NODE_MOUNTS_PATH_SIZE];
    own_path(node, "", path);
    own_path(node, ".", new_path);
    (void)unlink(new_path); /* of a process that had this number */
    AUTO_CLOSE int fd =
        open(new_path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 || rename(new_path, path) < 0) {
        int rc = -errno;
        (void)unlink(new_path);
        return rc;
    }
    *ret_fd = TAKE_FD(fd);
    return 0;
}

int node_uses_add(const struct node_mounts *node, const struct job_dataset *use,
                  int *fd)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    int rc = *fd < 0 ? own_open(node, fd) : 0;
    if (rc < 0)
        return rc;
    job_dataset_print(use, &line);
    rc = strbuf_error(&line);
    errno = 0;
    if (rc == 0 && write(*fd, line.data, line.size) != (ssize_t)line.size)
        rc = errno ? -errno : -EIO;
    return rc;
}

void node_uses_clear(const struct node_mounts *node, int *fd)
{
    char path[NODE_MOUNTS_PATH_SIZE];
    if (*fd < 0)
        return;
    own_path(node, "", path);
    (void)unlink(path);
    (void)close(*fd);
    *fd = -1;
}

/* ---- all of them ---- */

struct uses_walk {
    uid_t uid;
    node_use_fn *fn; /* NULL: what was left is removed, and no more */
    void *arg;
};

static int lines_call(const struct uses_walk *walk, struct span text)
{
    struct span line, rest = text;
    int rc = 0;
    while (rc == 0 && span_cut(&rest, '\n', &line)) {
        AUTO(arena_done) struct arena arena;
        struct job_dataset use;
        arena_init(&arena, 0);
        if (job_dataset_read(line, &arena, &use, NULL) == 0 &&
            (walk->uid == 0 || use.uid == walk->uid))
            rc = walk->fn(walk->arg, (struct span){ line.data, line.size + 1 });
    }
    return rc;
}

/* Its number may be another process's meanwhile, whose file has its name. */
static void left_remove(const char *path, int fd)
{
    struct stat opened, named;
    if (fstat(fd, &opened) == 0 && lstat(path, &named) == 0 &&
        opened.st_ino == named.st_ino && opened.st_dev == named.st_dev)
        (void)unlink(path);
}

/* What has no lock is left by a process that was killed. */
static int use_read(const char *path, const struct uses_walk *walk)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char piece[4096];
    ssize_t size;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return 0;
    if (flock(fd, LOCK_SH | LOCK_NB) == 0) {
        left_remove(path, fd);
        return 0;
    }
    while (walk->fn && text.size < FILE_BYTES_MAX &&
           (size = read(fd, piece, sizeof piece)) > 0)
        strbuf_add(&text, piece, (size_t)size);
    return walk->fn && strbuf_error(&text) == 0 ? lines_call(walk, strbuf_span(&text))
                                                : strbuf_error(&text);
}

static int uses_walk(const struct node_mounts *node, const struct uses_walk *walk)
{
    char path[NODE_MOUNTS_PATH_SIZE];
    const struct dirent *entry;
    int rc = 0;
    use_path(node, "", path);
    AUTO_CLOSEDIR DIR *uses = opendir(path);
    while (rc == 0 && uses && (entry = readdir(uses))) {
        if (entry->d_name[0] == '.' || strlen(entry->d_name) > 20)
            continue;
        use_path(node, entry->d_name, path);
        rc = use_read(path, walk);
    }
    return rc;
}

int node_uses_each(const struct node_mounts *node, uid_t uid, node_use_fn *fn,
                   void *arg)
{
    const struct uses_walk walk = { uid, fn, arg };
    return uses_walk(node, &walk);
}

void node_uses_sweep(const struct node_mounts *node)
{
    const struct uses_walk walk = { 0 };
    (void)uses_walk(node, &walk);
}
