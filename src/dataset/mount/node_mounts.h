/* SPDX-License-Identifier: Apache-2.0 */
/* node_mounts - what is mounted where on a node; only root calls this.
 *
 *     DIR                       mounted on itself, private
 *     DIR/agent.sock            where commands connect
 *     DIR/images/DIGEST         a FUSE file an image (images: root alone)
 *     DIR/trees/DIGEST          that image mounted as EROFS, once for all (root alone)
 *     DIR/locks/                who uses which of these; a lock goes with its process
 *     DIR/jobs/JOB              which references a job has (node_jobs)
 *     DIR/uses/PROCESS          what a command has mounted where (node_uses)
 *     DIR/here/                 empty: where a command's own mounts are, where it names
 *                               no path
 *
 * The kernel mounts the file itself where it can (6.12 and later), else through a loop
 * device.
 * Threads  none inside; several processes.
 */
#ifndef DATASET_MOUNT_NODE_MOUNTS_H
#define DATASET_MOUNT_NODE_MOUNTS_H

#include "dataset/forwarder/forwarder.h"
#include "dataset/mount/image_table.h"

#include <sys/types.h>

#define NODE_MOUNTS_PATH_SIZE 512
#define NODE_MOUNTS_DIR_MAX 128U
#define NODE_MOUNTS_NAME_SIZE 129
/* Datasets that a user has had mounted and that still are, somewhere. */
#define NODE_MOUNTS_OF_USER_MAX 256U

struct node_mounts {
    const char *dir;
    struct image_table *table;
    bool is_bound; /* DIR was mounted on itself by this one */
};

/* Directories are made; what a process before this one left mounted there is unmounted.
 * Errors: those of mkdir and umount2, with a line. */
int node_mounts_make(struct node_mounts *node, struct err *err);
/* What the agent before this one has mounted stays, where fd is the connection of its
 * images.  Errors: -ENOTCONN. */
int node_mounts_adopt(const struct node_mounts *node, int fd);
/* Unmounts everything, the files of images too. */
void node_mounts_clear(const struct node_mounts *node);

/* The files of images, for root alone, out of the descriptor of /dev/fuse that is
 * returned.  Errors: those of open and mount, with a line. */
int node_mounts_mount_images(const struct node_mounts *node, int *ret_fd,
                             struct err *err);
/* The digest that a name stands for, if reader may have it: it waits for the process
 * that serves the files.  Errors: -ENOENT, -EACCES, -EIO, -ETIMEDOUT, -EAGAIN, each
 * with a line. */
int node_mounts_resolve(const struct node_mounts *node, const char *name,
                        const struct reader *reader, struct digest *ret,
                        struct err *err);

/* What a view of a dataset has that is in use: not looked into here.  Errors: -ENODATA
 * (it has no such view), -ETIMEDOUT, -EIO, each with a line. */
int node_mounts_view(const struct node_mounts *node, const struct digest *name,
                     const char *view, struct view_text *ret, struct err *err);

/* A job's reference: of this node, until it is given back, however long. */
struct node_job_ref {
    uint64_t job;
    uint32_t uid;
    struct digest name;
};
/* Written in the repository when this returns, or removed there; the same again changes
 * nothing.  Errors: -ENOENT, -ETIMEDOUT, -EIO, -EAGAIN, each with a line. */
int node_mounts_job_ref(const struct node_mounts *node, const struct node_job_ref *ref,
                        bool is_held, struct err *err);

/* A dataset that is used, until it is left. */
struct node_mount {
    struct digest name;
    uid_t uid; /* for whom */
    int lock_fd;
    /* A copy of the mount that is nowhere yet, for move_mount(2): private, and who
     * receives it cannot clear nodev, nosuid or read-only. */
    int tree_fd;
};

/* Errors: those of mount, with a line: what was tried, and the kernel's error; -EDQUOT:
 * its user has too many. */
int node_mounts_enter(const struct node_mounts *node, const struct digest *name,
                      uid_t uid, struct node_mount *ret, struct err *err);
/* Another copy of one that is entered, in which what root owns is its user's, and of
 * the group gid.  Errors: those of tree_own(), with a line. */
int node_mounts_own(const struct node_mounts *node, const struct node_mount *mount,
                    gid_t gid, int *ret, struct err *err);
/* Unmounted where no other process has it.  False: it stays, see node_mounts_sweep().
 */
bool node_mounts_leave(const struct node_mounts *node, struct node_mount *mount);
/* Unmounts what no process uses: it was killed, or a copy was retained then.  False:
 * a user retains a copy of one, which stays mounted until a later sweep. */
bool node_mounts_sweep(const struct node_mounts *node);

#endif
