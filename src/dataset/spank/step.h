/* SPDX-License-Identifier: Apache-2.0 */
/* step - a step's datasets on a node: mounted once in a namespace that each task
 * enters; private to the room.
 *
 * The mounts stay as long as slurmstepd, by its connection to the agent, also where it
 * is killed.
 * A task has no privilege by a set-user-ID program (no_new_privs): its user may have a
 * dataset over /etc.
 */
#ifndef DATASET_SPANK_STEP_H
#define DATASET_SPANK_STEP_H

#include "dataset/spank/datasets.h"

#include <limits.h>

#define STEP_BINDS 4U
/* A namespace that is not there by then is given up: hooks have 30 of these. */
#define STEP_NAMESPACE_WAIT_S 90U

/* What a step has besides its datasets. */
struct step_root {
    struct span name; /* of the dataset that is the root; empty: none */
    const char *hooks;
    /* Home and scratch, as the user's environment has them, and where a script of
     * sbatch is; "": none. */
    char binds[STEP_BINDS][VISIT_PATH_SIZE];
};

struct step {
    struct step_root root;
    struct visit_user user;
    struct visit visit;
    int namespace_fd; /* -1: it has no datasets */
    char directory[PATH_MAX];
};

/* command: whose option it was, "-": not known.  Errors: those of visit, with a line.
 */
int step_prepare(struct step *step, const char *agent, const struct datasets *datasets,
                 const char *command, struct err *err);
/* Of a task, as root.  Errors: those of setns(2), with a line. */
int step_enter(struct step *step, struct err *err);
/* As its user, to where it was before: into what is mounted there. */
void step_return_directory(const struct step *step);

/* The job's references of its datasets, the root too, before any step. */
int step_hold(const char *agent, const struct datasets *datasets,
              const struct visit_user *user, struct err *err);
int step_give_back(const char *agent, uint32_t job, struct err *err);

#endif
