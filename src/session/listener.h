/* SPDX-License-Identifier: Apache-2.0 */
/* listener - where a node's children connect to. */
#ifndef SESSION_LISTENER_H
#define SESSION_LISTENER_H

#include "base/err.h"

#include <uv.h>

struct session_listener {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    };
};

/* Listen; on_connection is libuv's, with arg as the stream's data.  A socket that an
 * earlier process left behind is replaced; its mode is mode.
 * Errors: -EINVAL (the address), errno of bind, each with a line in err. */
int session_listen(struct session_listener *listener, uv_loop_t *loop,
                   const char *address, unsigned mode, uv_connection_cb on_connection,
                   void *arg, struct err *err);

#endif
