/* SPDX-License-Identifier: Apache-2.0 */
/* bounded_command - a program with a deadline, bounded output and an end that is known.
 *
 *     start ──▶ its group of processes ──▶ wait ──▶ end: exit n, signal, deadline,
 *                 │ stdout, stderr                       too much, could not start
 *                 └──▶ two texts, each up to its bound; what is over it is counted
 *
 * It is started from a descriptor table of three (and one that is passed on), with the
 * environment that is given, all signals as by default, in a process group of its own.
 * It has ended when its first process has: what is left of the group then is killed,
 * and what is in the pipes then is its output.  At the deadline it is killed with all
 * of its descendants that are still below it, also those that left the group; one whose
 * own parent has ended before is not below it any more.  Nothing of it is left as a
 * zombie, but for one that hangs in the kernel for over a second.
 *
 * Owns     the texts of the end are the command's, until it is freed.
 * Threads  any; a command is its thread's: a wait is for commands of the same one.
 *          The program must not ignore SIGCHLD.
 */
#ifndef BASE_SYSTEM_BOUNDED_COMMAND_H
#define BASE_SYSTEM_BOUNDED_COMMAND_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/* Where fd is found by the program. */
#define BOUNDED_COMMAND_FD 3
#define BOUNDED_COMMAND_FD_PATH "/proc/self/fd/3"
/* For services and for what an administrator configures. */
#define BOUNDED_COMMAND_PATH "/usr/sbin:/usr/bin:/sbin:/bin"

struct bounded_command;

struct bounded_limit {
    int resource; /* RLIMIT_* */
    rlim_t value;
};

struct bounded_command_opts {
    const char *const *argv;        /* argv[0]: a path, or a name to be found in path */
    const char *path;               /* "/usr/bin:/bin"; NULL: argv[0] is a path */
    const char *const *environment; /* all of it; ends with NULL */
    const char *directory;          /* NULL: this program's */
    int64_t until_ns;               /* of clock_monotonic_ns() */
    size_t output_bytes_max, message_bytes_max; /* of stdout; of stderr */
    const struct bounded_limit *limits;
    size_t limit_count;
    bool has_fd; /* fd is passed on */
    int fd;
    bool ends_over_bound; /* kill it once stdout is over its bound */
    bool gains_nothing;   /* no privileges by programs that would give some */
    bool ends_with_us;    /* its first process is killed when our thread ends */
};

enum bounded_command_kind {
    BOUNDED_COMMAND_RUNS,
    BOUNDED_COMMAND_EXITED,      /* number: its status */
    BOUNDED_COMMAND_SIGNALLED,   /* number: the signal, which was not ours */
    BOUNDED_COMMAND_DEADLINE,    /* killed */
    BOUNDED_COMMAND_OVER_BOUND,  /* killed: ends_over_bound */
    BOUNDED_COMMAND_NOT_STARTED, /* number: the errno of execve() or before it */
    BOUNDED_COMMAND_LOST         /* its status went to another: SIGCHLD is ignored */
};

struct bounded_command_end {
    enum bounded_command_kind kind;
    int number;
    struct strbuf output, messages;
    uint64_t output_cut, message_cut; /* bytes over the bounds */
};

/* Errors: -ENOENT, -EACCES (no such program in path), of fork() and pipe2(), -ENOMEM.
 */
int bounded_command_start(const struct bounded_command_opts *opts,
                          struct bounded_command **ret, struct err *err);
/* Until at least one of them has ended; those that had before are left out.  The index
 * of that one; count: none runs. */
size_t bounded_command_wait(struct bounded_command *const *commands, size_t count);
/* The same without waiting: one that has ended, or is killed at its deadline now;
 * count: none. */
size_t bounded_command_poll(struct bounded_command *const *commands, size_t count);
const struct bounded_command_end *bounded_command_end(
    const struct bounded_command *command);
/* Kills what still runs. */
void bounded_command_free(struct bounded_command *command);
DEFINE_AUTO(struct bounded_command, bounded_command_free);

/* One, to its end.  Errors: as start; *ret is to be freed. */
int bounded_command_run(const struct bounded_command_opts *opts,
                        struct bounded_command **ret, struct err *err);
/* That end as a code with a line for a person: 0 (exit 0, nothing cut), -ETIMEDOUT,
 * -EMSGSIZE, -EIO (a status or a signal, with the first line of its messages), that of
 * NOT_STARTED. */
int bounded_command_check(const struct bounded_command *command, const char *name,
                          struct err *err);

/* Where a program is: a name with a slash is a path.  Errors: -ENOENT, -EACCES,
 * -ENOMEM.
 */
int bounded_command_find(const char *name, const char *path, struct strbuf *ret);

#endif
