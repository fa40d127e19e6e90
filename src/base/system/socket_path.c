/* SPDX-License-Identifier: Apache-2.0 */
/* socket_path - the path on which a unix socket is to be bound. */
#include "base/system/socket_path.h"

#include "base/cleanup.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

int socket_path_clear(const char *path, struct err *err)
{
    struct sockaddr_un un = { .sun_family = AF_UNIX };
    struct stat st;
    if (strlen(path) >= sizeof un.sun_path)
        return err_set(err, EINVAL, "socket: '%s' is longer than %zu bytes", path,
                       sizeof un.sun_path - 1);
    memcpy(un.sun_path, path, strlen(path) + 1);
    if (lstat(path, &st) < 0)
        return 0;
    if (!S_ISSOCK(st.st_mode))
        return err_set(err, EEXIST, "'%s' exists and is not a socket", path);
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return err_set(err, errno, "socket: %s", strerror(errno));
    /* EAGAIN: served, and as many wait already as may. */
    if (connect(fd, (const struct sockaddr *)&un, sizeof un) == 0 || errno == EAGAIN)
        return err_set(err, EADDRINUSE, "'%s' is served by another process", path);
    if (unlink(path) < 0)
        return err_set(err, errno, "remove '%s': %s", path, strerror(errno));
    return 0;
}
