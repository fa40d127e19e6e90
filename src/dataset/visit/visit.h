/* SPDX-License-Identifier: Apache-2.0 */
/* visit - the door of dataset/visit: a process that has datasets of the agent in a
 * mount namespace; what commands and the batch system's steps share.
 *
 *     visit_begin(), visit_add() ..., visit_connect(), visit_mount()
 *     in a mount namespace of its own: visit_attach()
 *
 * It uses base, dataset/view and the text of digests alone: slurmstepd loads it.
 * Threads  none inside.
 */
#ifndef DATASET_VISIT_VISIT_H
#define DATASET_VISIT_VISIT_H

#include "base/cleanup.h"
#include "base/err.h"
#include "dataset/visit/agent_line.h"

#include <stdbool.h>

#define AGENT_DIRECTORY "/run/baro-dataset"
#define AGENT_SOCKET AGENT_DIRECTORY "/agent.sock"
#define VISIT_DATASETS_MAX 32U
#define VISIT_PATH_SIZE 512

struct visit_dataset {
    char name[AGENT_NAME_SIZE];
    char path[VISIT_PATH_SIZE];
    bool is_named; /* the path was; else it is below the agent's directory */
    int fd;        /* the mount; -1: none yet */
    struct digest digest;
};

/* For whom; only root may state another one. */
struct visit_user {
    uint32_t uid, gid;
    char groups[AGENT_GROUPS_SIZE];
    uint64_t job; /* 0: none */
};

struct visit {
    const char *socket;         /* of the agent */
    unsigned wait_s;            /* for each response; 0: as long as it lasts */
    int fd;                     /* the mounts stay as long as it is open */
    char here[VISIT_PATH_SIZE]; /* below it is what has no path */
    bool has_here;
    int root;        /* which of them is the root; -1: none */
    struct err note; /* of visit_enter_root(): what it did without, for a person */
    size_t count;
    struct visit_dataset datasets[VISIT_DATASETS_MAX];
};

/* Errors: -ENAMETOOLONG with a line. */
int visit_begin(struct visit *visit, const char *socket, struct err *err);
/* "NAME" or "NAME:/path"; what is there already is not added again.  Errors: -EINVAL,
 * -ENAMETOOLONG, -E2BIG, with a line. */
int visit_add(struct visit *visit, struct span text, struct err *err);
/* "NAME": the root.  Errors: -EINVAL (a path, or a second one), -E2BIG, with a line. */
int visit_add_root(struct visit *visit, struct span text, struct err *err);
/* Errors: those of connect(2), with a line that states a remedy. */
int visit_connect(struct visit *visit, struct err *err);
/* Each dataset has its mount then.  user NULL: the process's own.  Errors: those
 * of the agent, with a line that has the dataset. */
int visit_mount(struct visit *visit, const struct visit_user *user, struct err *err);
/* After it: each dataset, or the root alone, is a mount whose files are the user's.
 * Errors: the same; -EINVAL: the kernel has no mounts of mapped users. */
int visit_own(struct visit *visit, bool is_root_alone, struct err *err);
/* What the job has references of on this node is given back.  Errors: the same. */
int visit_end_job(struct visit *visit, uint64_t job, struct err *err);
/* In a mount namespace of its own.  user: who has to be able to
 * reach the directories.  Errors: those of mounting, with a line. */
int visit_attach(struct visit *visit, const struct visit_user *user, struct err *err);
/* Before it: what is written of each that is not the root is in a tmpfs of its own,
 * of so many bytes.  Errors: those of mounting, with a line. */
int visit_make_writable(struct visit *visit, uint64_t size_bytes, struct err *err);

/* Programs of the site, which have been looked at: files of root that no other user can
 * write. */
#define VISIT_HOOKS_MAX 32U
#define VISIT_HOOK_NAME_SIZE 64
struct visit_hooks {
    size_t count;
    struct visit_hook {
        int fd;
        char name[VISIT_HOOK_NAME_SIZE];
    } hooks[VISIT_HOOKS_MAX];
};
/* Before a user namespace is entered, in which no file is root's.  A directory that is
 * not there has none.  Errors: -EPERM, -E2BIG, those of open, with a line. */
int visit_hooks_open(const char *directory, struct visit_hooks *ret, struct err *err);
void visit_hooks_close(struct visit_hooks *hooks);
DEFINE_AUTO_DONE(struct visit_hooks, visit_hooks_close);

struct visit_root {
    uint64_t size_bytes; /* what may be written; 0: it is read-only */
    /* That stay reachable besides /proc, /sys, /dev and /tmp, where they are there. */
    const char *const *paths;
    size_t path_count;
    const struct visit_hooks *hooks;
    uint32_t uid;
};
/* Before it: the root is another one then.  Of an image that has a link, or a file,
 * where one of these is to be, it fails; one below another is there with that.  While
 * hooks run no link of the image is followed.  Errors: those of mounting and of hooks,
 * with a line. */
int visit_enter_root(struct visit *visit, const struct visit_root *opts,
                     const struct visit_user *user, struct err *err);
/* By their names, as the user that this process is: the end of each is waited for, of
 * all together 30 seconds; then it is killed, with its process group.  They have
 * nothing of the environment.  What they know of mounts is where these will be: paths
 * that the user wrote.  Errors: -ECANCELED (one failed), -ETIMEDOUT, with a line. */
int visit_hooks_run(const struct visit *visit, const struct visit_root *opts,
                    struct err *err);
/* The agent has what is mounted where from now on, and by which command ("srun"): it
 * is recorded, and nothing waits for that. */
void visit_report(const struct visit *visit, const char *command);
/* What is mounted: lines are next at visit->fd, and an empty one; the caller's own, of
 * root all.  Errors: those of the agent, with a line. */
int visit_where(const struct visit *visit, struct err *err);
/* A request whose response has no mount.  Errors: those of the agent, with a line. */
int visit_query(const struct visit *visit, const struct agent_request *request,
                struct err *err);
/* What is mounted where, for VISIT_VARIABLE: "DIGEST:/path,...". */
#define VISIT_VARIABLE "BARO_DATASET_MOUNTS"
#define VISIT_MOUNTS_SIZE \
    (VISIT_DATASETS_MAX * (DIGEST_TEXT_SIZE + VISIT_PATH_SIZE + 1))
void visit_print(const struct visit *visit, char out[static VISIT_MOUNTS_SIZE]);
/* What a change is applied to: an environment. */
struct visit_environment {
    /* NULL: not set.  Valid until the next call. */
    const char *(*find)(void *arg, const char *name);
    int (*set)(void *arg, const char *name, const char *value, struct err *err);
    void *arg;
};

/* The view of each dataset that has it, after visit_mount(), in the order of the
 * datasets.  What came from a server is checked here, whatever it was checked before.
 * Errors: -ENODATA: none has it; -EBADMSG, -EPERM, -E2BIG, those of the agent, with a
 * line. */
int visit_view_apply(const struct visit *visit, struct span name,
                     const struct visit_environment *environment, struct err *err);

/* After visit_mount(): what is read of the first dataset's image is recorded from now
 * on; what has been is added to out, as text of at most VISIT_PROFILE_MAX bytes.
 * Errors: those of the agent, with a line. */
#define VISIT_PROFILE_MAX (1U << 20)
struct strbuf;
int visit_record(const struct visit *visit, struct err *err);
int visit_profile(const struct visit *visit, struct strbuf *out, struct err *err);

/* For the files of the room: a directory as its user reaches it, with the user's
 * groups, and by no link of /proc; one in a root, where no link is followed, and which
 * is made in the root's own file system alone (-EXDEV).  Errors: those of open(2). */
int visit_directory_open(const char *path, const struct visit_user *user);
int root_path_open(int root, const char *path, bool creates);
void visit_done(struct visit *visit);
DEFINE_AUTO_DONE(struct visit, visit_done);

#endif
