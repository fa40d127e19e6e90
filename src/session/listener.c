/* SPDX-License-Identifier: Apache-2.0 */
/* listener - where a node's children connect to. */
#include "session/listener.h"

#include "base/system/socket_path.h"
#include "session/address.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#define BACKLOG 1024

static int bind_path(struct session_listener *listener, const char *path, unsigned mode)
{
    mode_t old = umask(0777 & ~mode);
    int rc = uv_pipe_bind(&listener->pipe, path);
    (void)umask(old);
    return rc;
}

static int bind_tcp(struct session_listener *listener, uv_loop_t *loop,
                    const char *address)
{
    struct address_parts parts;
    uv_getaddrinfo_t request;
    int rc = address_split(address, &parts);
    if (rc == 0) /* at the start, where waiting is allowed */
        rc = uv_getaddrinfo(loop, &request, NULL, parts.host, parts.port, NULL);
    if (rc < 0)
        return rc;
    rc = uv_tcp_bind(&listener->tcp, request.addrinfo->ai_addr, 0);
    uv_freeaddrinfo(request.addrinfo);
    return rc;
}

int session_listen(struct session_listener *listener, uv_loop_t *loop,
                   const char *address, unsigned mode, uv_connection_cb on_connection,
                   void *arg, struct err *err)
{
    const char *path = address_path(address);
    int rc = path ? socket_path_clear(path, err) : 0;
    if (rc == 0)
        rc = path ? uv_pipe_init(loop, &listener->pipe, 0)
                  : uv_tcp_init(loop, &listener->tcp);
    if (rc < 0)
        return rc;
    listener->handle.data = arg;
    rc = path ? bind_path(listener, path, mode) : bind_tcp(listener, loop, address);
    if (rc == 0)
        rc = uv_listen(&listener->stream, BACKLOG, on_connection);
    if (rc < 0)
        return err_set(err, -rc, "session: listen on '%s': %s", address,
                       uv_strerror(rc));
    return 0;
}
