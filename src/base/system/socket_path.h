/* SPDX-License-Identifier: Apache-2.0 */
/* socket_path - the path on which a unix socket is to be bound. */
#ifndef BASE_SYSTEM_SOCKET_PATH_H
#define BASE_SYSTEM_SOCKET_PATH_H

#include "base/err.h"

/* A socket that a killed process left there is removed; one that another process serves
 * is not, and neither is anything that is no socket.
 * Errors: -EADDRINUSE, -EEXIST, -EINVAL (longer than a socket's path may be), those of
 * socket() and unlink(). */
int socket_path_clear(const char *path, struct err *err);

#endif
