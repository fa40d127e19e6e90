/* SPDX-License-Identifier: Apache-2.0 */
/* health_recorder - a sample of how full file systems are and who serves them, into the
 * directory that stores them (source/health's health_dir).
 *
 *     lfs df, lctl dl -t, each in a process of its own ──▶ checked ──▶ DIR
 *
 * A command that hangs is given up at the deadline and goes on holding the lock of its
 * kind, so that it is not started again until it is gone.
 *
 * Threads  one; a process may call health_recorder_run() once.
 */
#ifndef AGENT_RECORD_HEALTH_RECORDER_H
#define AGENT_RECORD_HEALTH_RECORDER_H

#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>
#include <stdint.h>

/* The texts are the caller's. */
struct health_recorder_opts {
    const char *dir;       /* made if it is not there */
    const char *lfs;       /* the program; NULL: lfs */
    const char *lctl;      /* the program; NULL: lctl */
    int64_t deadline_ns;   /* of a command; 0: 30 s */
    int64_t keep_ns;       /* days that ended before are removed; 0: none */
    int64_t not_within_ns; /* no sample where the last one is younger; 0: always */
    void (*log)(void *arg, const char *text); /* a line; NULL: nothing is reported */
    void *log_arg;
};

/* Take a sample of each kind.  *ret_is_whole: of each kind there is one, be it a recent
 * one; else the log has the reason.  Errors: what making the directory, or pruning it,
 * says. */
int health_recorder_run(const struct health_recorder_opts *opts, bool *ret_is_whole,
                        struct err *err);

/* Whether the text of a command is a sample that readers understand.
 * Errors: -ENODATA (it is empty, or names no target), -EBADMSG (it is cut, or has a
 * line that begins with BEGIN), -ENOMEM. */
int health_recorder_check(struct span text, struct err *err);

#endif
