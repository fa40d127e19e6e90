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
#include <sys/mman.h>
#include <unistd.h>

/* Of a command: its datasets are bounded, and each is written once. */
#define FILE_BYTES_MAX (VISIT_DATASETS_MAX * JOB_DATASET_LINE_BYTES_MAX)

static void use_path(const struct node_mounts *node, const char *name,
                     char path[static NODE_MOUNTS_PATH_SIZE])
{
    (void)snprintf(path, NODE_MOUNTS_PATH_SIZE, "%s/uses/%s", node->dir, name);
}

static void own_path(const struct node_mounts *node,
                     char path[static NODE_MOUNTS_PATH_SIZE])
{
    char name[24];
    (void)snprintf(name, sizeof name, "%ld", (long)getpid());
    use_path(node, name, path);
}

int node_uses_add(const struct node_mounts *node, const struct job_dataset *use,
                  int *fd)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    char path[NODE_MOUNTS_PATH_SIZE];
    if (*fd < 0) {
        own_path(node, path);
        (void)unlink(path); /* of a process that had this number */
        *fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
        if (*fd < 0 || flock(*fd, LOCK_EX | LOCK_NB) < 0)
            return -errno;
    }
    job_dataset_print(use, &line);
    int rc = strbuf_error(&line);
    if (rc == 0 && write(*fd, line.data, line.size) != (ssize_t)line.size)
        rc = errno ? -errno : -EIO;
    return rc;
}

void node_uses_clear(const struct node_mounts *node, int *fd)
{
    char path[NODE_MOUNTS_PATH_SIZE];
    if (*fd < 0)
        return;
    own_path(node, path);
    (void)unlink(path);
    (void)close(*fd);
    *fd = -1;
}

/* ---- all of them ---- */

typedef void use_fn(void *arg, struct span text);

/* What has no lock is left by a process that was killed. */
static void use_read(const char *path, use_fn *fn, void *arg)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char piece[4096];
    ssize_t size;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_SH | LOCK_NB) == 0) {
        (void)unlink(path);
        return;
    }
    while (fn && text.size < FILE_BYTES_MAX &&
           (size = read(fd, piece, sizeof piece)) > 0)
        strbuf_add(&text, piece, (size_t)size);
    if (fn && strbuf_error(&text) == 0)
        fn(arg, strbuf_span(&text));
}

static void uses_walk(const struct node_mounts *node, use_fn *fn, void *arg)
{
    char path[NODE_MOUNTS_PATH_SIZE];
    const struct dirent *entry;
    use_path(node, "", path);
    DIR *uses = opendir(path);
    while (uses && (entry = readdir(uses))) {
        if (entry->d_name[0] == '.' || strlen(entry->d_name) > 20)
            continue;
        use_path(node, entry->d_name, path);
        use_read(path, fn, arg);
    }
    if (uses)
        (void)closedir(uses);
}

struct uses_list {
    uid_t uid;
    struct strbuf lines;
};

static void uses_list_add(void *arg, struct span text)
{
    struct uses_list *list = arg;
    struct span line;
    while (span_cut(&text, '\n', &line)) {
        AUTO(arena_done) struct arena arena;
        struct job_dataset use;
        arena_init(&arena, 0);
        if (job_dataset_read(line, &arena, &use, NULL) < 0 ||
            (list->uid && use.uid != list->uid))
            continue;
        strbuf_add_span(&list->lines, line);
        strbuf_addc(&list->lines, '\n');
    }
}

int node_uses_list(const struct node_mounts *node, uid_t uid, int *ret_fd)
{
    struct uses_list list = { uid, STRBUF_INIT };
    uses_walk(node, uses_list_add, &list);
    int rc = strbuf_error(&list.lines);
    int fd = rc == 0 ? memfd_create("barograph-uses", MFD_CLOEXEC) : -1;
    if (rc == 0 && fd < 0)
        rc = -errno;
    if (rc == 0 && list.lines.size > 0 &&
        write(fd, list.lines.data, list.lines.size) != (ssize_t)list.lines.size)
        rc = -EIO;
    strbuf_done(&list.lines);
    if (rc < 0 && fd >= 0)
        (void)close(fd);
    if (rc == 0)
        *ret_fd = fd;
    return rc;
}

void node_uses_sweep(const struct node_mounts *node)
{
    uses_walk(node, NULL, NULL);
}
