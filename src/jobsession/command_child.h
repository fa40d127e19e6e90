/* SPDX-License-Identifier: Apache-2.0 */
/* command_child - the owner's command: started, its signals passed on, its end awaited.
 *
 * Signals that one process sends to this one are passed on; those of a terminal go to
 * the whole foreground, and reach the command without us.
 * Threads  the main one; _hold before others start, so that none of them has signals.
 */
#ifndef JOBSESSION_COMMAND_CHILD_H
#define JOBSESSION_COMMAND_CHILD_H

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct command_child {
    pid_t pid; /* 0: not started, or ended */
    int signal_fd;
    sigset_t old_mask;
    bool was_pipe_ignored;
    int early_signal; /* that came before the command began; 0: none */
};

/* Signals wait for command_child_wait() from now on.  Errors: of signalfd. */
int command_child_hold(struct command_child *child, struct err *err);
/* Signals are as they were. */
void command_child_release(struct command_child *child);
struct command_variable {
    const char *name, *value;
};

/* Its environment is that of this program with the variables in place of those of the
 * same name.  This program's own is not changed: other threads read it.
 * Errors: of posix_spawnp: -ENOENT, -EACCES ..., -ENOMEM. */
int command_child_start(struct command_child *child, char *const *argv,
                        const struct command_variable *variables, size_t count,
                        struct err *err);
/* Pass signals on until it has ended, or wait_ns have passed (INT64_MAX: no bound).
 * true: it has, and *ret_status is its exit status, 128 and the signal that ended it.
 */
bool command_child_wait(struct command_child *child, int64_t wait_ns, int *ret_status);
/* Whether a signal to end came while there is no command. */
bool command_child_is_unwanted(struct command_child *child, int64_t wait_ns);

#endif
