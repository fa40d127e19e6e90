/* SPDX-License-Identifier: Apache-2.0 */
/* login_helper - one password checked by the helper: a process, or a socket of one.
 *
 *     PATH        a new process for each, killed at the deadline with what it started
 *     unix:PATH   a connection for each: systemd starts the helper there, as root
 *
 * A process that does not even end when it is killed (a module that hangs in the
 * kernel) is left alone, and counts against LOGIN_LEFT_MAX until it ends.
 *
 * Threads  several may check at a time.
 */
#ifndef SIGNIN_LOGIN_HELPER_H
#define SIGNIN_LOGIN_HELPER_H

#include "signin/login_message.h"

#include <pthread.h>
#include <sys/types.h>

enum { LOGIN_LEFT_MAX = 8 };

struct login_helper {
    const char *path;      /* or "unix:PATH" */
    const char *service;   /* of PAM */
    const char *directory; /* of its files; "": PAM's own */
    int64_t timeout_ns;
    int stop_fd; /* readable: give up at once */
    pthread_mutex_t lock;
    pid_t left[LOGIN_LEFT_MAX]; /* under the lock; 0: free */
};

void login_helper_init(struct login_helper *helper);
void login_helper_done(struct login_helper *helper);
/* Is there something to be started?  Errors: -EINVAL with the remedy. */
int login_helper_examine(const struct login_helper *helper, struct err *err);
/* Errors: -ETIMEDOUT, -ECANCELED (stopped), -EBADMSG (it crashed, or sent something
 * else), -EAGAIN (too many are left), what starting one reports. */
int login_helper_check(struct login_helper *helper, struct span question,
                       struct login_result *ret, struct err *err);

#endif
