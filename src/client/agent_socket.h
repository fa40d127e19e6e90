/* SPDX-License-Identifier: Apache-2.0 */
/* agent_socket - requests of a program to the agent of its node
 * (doc/formats/agent-socket.md).
 */
#ifndef CLIENT_AGENT_SOCKET_H
#define CLIENT_AGENT_SOCKET_H

#include "base/err.h"
#include "base/span_type.h"

#define AGENT_SOCKET_DEFAULT "/run/baro-agent/agent.sock"

/* BARO_AGENT, or the default. */
const char *agent_socket_path(void);
/* Submit lines (each ends in a newline) over one connection, one after the other.
 * Errors: -EINVAL (the path is too long), -EPERM (the agent refuses one: err states
 * why), -EAGAIN (it accepts it later: likewise), -ETIMEDOUT (10 s without a response),
 * those of connect() and of the stream. */
int agent_socket_submit(const char *path, struct span lines, struct err *err);
/* A connection for who reads and writes it in its own way: it never waits.  Errors: as
 * above, -ETIMEDOUT where too many wait to be accepted. */
int agent_socket_open(const char *path, int *ret_fd, struct err *err);

/* What the agent would refuse anyway is refused here with -EINVAL.
 * put: operands are NAME VALUE [NAME VALUE]..., an even count of them. */
int agent_socket_put(const char *path, size_t operand_count, char *const *operands,
                     struct err *err);
int agent_socket_publish(const char *path, const char *name, const char *payload,
                         struct err *err);

#endif
