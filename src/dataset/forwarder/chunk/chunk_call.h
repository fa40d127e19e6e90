/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_call - requests to a server of the chunk protocol by who waits for the
 * responses, without a loop.
 *
 * Threads  one a connection.
 * Errors   with a line: those of connect, -ETIMEDOUT, -ECONNRESET, -EBADMSG (it does
 *          not speak the protocol); of a FAILED: -ENOENT, -EUCLEAN, -EAGAIN (it has no
 *          upstream), -EFBIG (refused for good), -EBUSY, -EACCES.
 */
#ifndef DATASET_FORWARDER_CHUNK_CHUNK_CALL_H
#define DATASET_FORWARDER_CHUNK_CHUNK_CALL_H

#include "base/strbuf.h"
#include "dataset/forwarder/chunk/chunk_frame.h"
#include "dataset/forwarder/chunk/credential.h"

struct chunk_call {
    const char *address;
    int fd;
    struct strbuf in;
    size_t used; /* of in */
    uint64_t id; /* of the last request */
    bool has_pong;
    int64_t pong_ns; /* when the server last responded to a ping; 0 */
    char note[192];  /* why it has no credential that it might have; or "" */
};

/* Connected, greeted; over TCP with a credential of the process's user, as opts has it:
 * where that is automatic, a server or a host without MUNGE is no error. */
int chunk_call_open(struct chunk_call *call, const char *address,
                    const struct credential_opts *opts, struct err *err);
void chunk_call_done(struct chunk_call *call);
DEFINE_AUTO_DONE(struct chunk_call, chunk_call_done);

/* A request of head, then body. */
int chunk_call_write(struct chunk_call *call, uint16_t type, struct span head,
                     struct span body, struct err *err);
/* The next frame, of this type, and to request id (0: any); valid until the next. */
int chunk_call_read(struct chunk_call *call, uint16_t type, uint64_t id,
                    struct chunk_frame *ret, struct err *err);
/* The same of what takes long: the server is sent a ping now and then. */
int chunk_call_wait(struct chunk_call *call, uint16_t type, struct chunk_frame *ret,
                    struct err *err);

#endif
