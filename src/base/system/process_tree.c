/* SPDX-License-Identifier: Apache-2.0 */
/* process_tree - a child of ours with all that it started, killed as one. */
#include "base/system/process_tree.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

/* Each finds what was started before the last one stopped its parent. */
#define ROUNDS_MAX 8
#define CHILDREN_BYTES 16384

struct tree {
    pid_t pids[PROCESS_TREE_MAX];
    size_t count;
};

static void tree_add(struct tree *tree, pid_t pid)
{
    for (size_t i = 0; i < tree->count; i++)
        if (tree->pids[i] == pid)
            return;
    if (pid <= 1 || tree->count == COUNT_OF(tree->pids))
        return;
    tree->pids[tree->count++] = pid;
    (void)kill(pid, SIGSTOP);
}

/* "12 345 ": a file of a task, of which a line may be longer than what is read. */
static void children_read(struct tree *tree, int tasks, const char *task)
{
    char path[300], bytes[CHILDREN_BYTES];
    (void)snprintf(path, sizeof path, "%.*s/children", 250, task);
    AUTO_CLOSE int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);
    if (size <= 0)
        return;
    struct span rest = { bytes, (size_t)size }, word;
    uint64_t pid;
    while (span_cut(&rest, ' ', &word)) /* the last is followed by one, or is cut */
        if (number_parse_u64(word, &pid) == 0 && pid <= INT32_MAX)
            tree_add(tree, (pid_t)pid);
}

static void tasks_read(struct tree *tree, pid_t pid)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    AUTO_CLOSEDIR DIR *tasks = opendir(path);
    const struct dirent *entry;
    while (tasks && (entry = readdir(tasks)))
        if (entry->d_name[0] != '.')
            children_read(tree, dirfd(tasks), entry->d_name);
}

void process_tree_kill(pid_t leader)
{
    struct tree tree = { .pids = { leader }, .count = 1 };
    size_t before = 0;
    (void)kill(leader, SIGSTOP);
    (void)kill(-leader, SIGSTOP);
    for (int round = 0; round < 2 || (round < ROUNDS_MAX && before < tree.count);
         round++) {
        before = tree.count;
        for (size_t i = 0; i < tree.count; i++)
            tasks_read(&tree, tree.pids[i]);
    }
    (void)kill(-leader, SIGKILL);
    for (size_t i = tree.count; i-- > 0;)
        (void)kill(tree.pids[i], SIGKILL);
}
