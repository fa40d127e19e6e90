/* SPDX-License-Identifier: Apache-2.0 */
/* service_user - barod --check judges as the service's user.
 *
 * What root may read and write tells nothing about the service.  So a check that root
 * starts runs in a child that has become that user.
 */
#ifndef DAEMON_SERVICE_USER_H
#define DAEMON_SERVICE_USER_H

#include "base/err.h"

#include <sys/types.h>

struct service_user {
    const struct passwd *user; /* NULL: the check goes on as the user who started it */
};

/* As whom uid is to check.  name NULL: barograph, where the configuration is the one in
 * /etc/barograph and that user exists.  Single-threaded (getpwnam).
 * Errors: -EINVAL (no such user; uid is not root and another user is named). */
int service_user_find(const char *config, const char *name, uid_t uid,
                      struct service_user *ret, struct err *err);
/* NULL: nobody else. */
const char *service_user_name(const struct service_user *user);
/* Fork; the child becomes the user and gets 0.  The parent gets 1 when the child has
 * ended, *ret_status is its exit status.  Flush what was printed before.
 * Errors: what fork() or setresuid() report; in the child. */
int service_user_enter(const struct service_user *user, int *ret_status,
                       struct err *err);

#endif
