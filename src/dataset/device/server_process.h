/* SPDX-License-Identifier: Apache-2.0 */
/* server_process - a process that is started again when it has ended, sooner or later.
 *
 *     pause   0.1 s behind an end, twice as long behind each further one, at most 10 s;
 * one that ran for a minute begins anew
 *
 * The process has no capabilities, and cannot have any: it is root's so that systemd
 * does not end it (its name begins with @), and has what comes from a network in its
 * hands. Threads  one: there is one process, and waitpid() is of this noun alone.
 */
#ifndef DATASET_DEVICE_SERVER_PROCESS_H
#define DATASET_DEVICE_SERVER_PROCESS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SERVER_PAUSE_FIRST_NS INT64_C(100000000)
#define SERVER_PAUSE_MAX_NS INT64_C(10000000000)
#define SERVER_SETTLED_NS INT64_C(60000000000)

struct server_process {
    const char *path;
    char *const *argv; /* argv[0]: what it is called */
    pid_t pid;         /* 0: there is none */
    int64_t started_ns, pause_ns;
    uint64_t starts;
    int status; /* of the last one that ended, as waitpid() has it */
};

/* Errors: -EAGAIN, -ENOMEM: there was no process; that a program cannot be executed is
 * its end, with status 127. */
int server_process_start(struct server_process *server, struct err *err);
/* Has it ended?  Then it is none any more, and how long to wait before the next start
 * is pause_ns. */
bool server_process_has_ended(struct server_process *server);
/* Does it end within wait_ns?  It stays to be reaped by one of the others. */
bool server_process_ends_within(const struct server_process *server, int64_t wait_ns);
/* Until it has ended. */
void server_process_wait(struct server_process *server);
/* Kills it and waits for its end. */
void server_process_end(struct server_process *server);
/* "signal 9", "status 1", for a person. */
void server_process_describe(int status, char *ret, size_t size);

/* How long to wait behind the end of one that ran for ran_ns, where it was pause_ns
 * before. */
int64_t server_pause_next(int64_t pause_ns, int64_t ran_ns);

#endif
