/* SPDX-License-Identifier: Apache-2.0 */
/* confine - what a child process that reads hostile bytes takes from itself.
 *
 *     fork ──▶ confine_child()   dies with its parent; no descriptors but one, no
 *              network, no new process or program, no file written; memory bounded
 *              confine_cpu()     before each piece of work: so many more seconds
 *
 * Only the system calls that a reader of files needs are let through; all others fail
 * with EPERM (a seccomp filter; on processors that it is not written for there is
 * none).  A limit that is lower already stays as it is.  Under a sanitizer the bound of
 * memory is left out, since that reserves terabytes of addresses.
 *
 * Threads  none: for a process that was just forked.
 */
#ifndef BASE_SYSTEM_CONFINE_H
#define BASE_SYSTEM_CONFINE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CONFINE_FD 3

struct confine_opts {
    pid_t parent;        /* that forked: where it is gone already, this is an error */
    int fd;              /* the one that stays open; as descriptor CONFINE_FD */
    size_t memory_bytes; /* of addresses, more than now; 0: no limit */
};

/* Signals have their default actions, standard input, output and error are /dev/null
 * (error is not under a sanitizer, which reports there).
 * Errors: -ESRCH (the parent is gone), errors of prctl, setrlimit and /dev/null; the
 * descriptor is CONFINE_FD even then, so that the error can be sent to the parent. */
int confine_child(const struct confine_opts *opts, struct err *err);

/* SIGXCPU after this many more seconds of CPU time.  Errors: what setrlimit says. */
int confine_cpu(unsigned seconds);

#endif
