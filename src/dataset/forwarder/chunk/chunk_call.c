/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_call - requests to a server of the chunk protocol by who waits for the
 * responses, without a loop. */
#include "dataset/forwarder/chunk/chunk_call.h"

#include "base/clock.h"
#include "base/span.h"
#include "dataset/forwarder/address.h"
#include "dataset/forwarder/server_socket.h"

#include <openssl/crypto.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define TIMEOUT_S 120U /* a server may wait for its own upstream */
#define PING_S 20U
#define READ_BYTES 65536U

void chunk_call_done(struct chunk_call *call)
{
    auto_close(&call->fd);
    strbuf_done(&call->in);
    call->used = 0;
}

/* ---- frames ---- */

static int iov_send(struct chunk_call *call, struct iovec *iov, size_t count,
                    struct err *err)
{
    while (count) {
        struct msghdr message = { .msg_iov = iov, .msg_iovlen = count };
        ssize_t sent = sendmsg(call->fd, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return server_wait_failed(call->address, sent < 0 ? errno : EIO, err);
        for (; count && (size_t)sent >= iov->iov_len; iov++, count--)
            sent -= (ssize_t)iov->iov_len;
        if (count) {
            iov->iov_base = (char *)iov->iov_base + sent;
            iov->iov_len -= (size_t)sent;
        }
    }
    return 0;
}

static int frame_write(struct chunk_call *call, const struct chunk_frame *frame,
                       struct span head, struct span body, struct err *err)
{
    uint8_t bytes[CHUNK_FRAME_HEAD_SIZE];
    chunk_frame_head(bytes, frame, head.size + body.size);
    struct iovec iov[] = {
        { bytes, sizeof bytes },
        { (void *)(uintptr_t)head.data, head.size },
        { (void *)(uintptr_t)body.data, body.size },
    };
    return iov_send(call, iov, COUNT_OF(iov), err);
}

int chunk_call_write(struct chunk_call *call, uint16_t type, struct span head,
                     struct span body, struct err *err)
{
    const struct chunk_frame frame = { .type = type, .id = ++call->id };
    return frame_write(call, &frame, head, body, err);
}

static int bytes_read(struct chunk_call *call, struct err *err)
{
    char part[READ_BYTES];
    ssize_t size = recv(call->fd, part, sizeof part, 0);
    if (size < 0)
        return server_wait_failed(call->address, errno, err);
    if (size == 0)
        return err_set(err, ECONNRESET, "'%s' closed the connection", call->address);
    if (call->used) {
        memmove(call->in.data, call->in.data + call->used, call->in.size - call->used);
        call->in.size -= call->used;
        call->used = 0;
    }
    strbuf_add(&call->in, part, (size_t)size);
    return strbuf_error(&call->in);
}

/* Valid until the next. */
static int frame_next(struct chunk_call *call, struct chunk_frame *ret, struct err *err)
{
    for (;;) {
        size_t used = 0;
        int rc = chunk_frame_read(span_skip(strbuf_span(&call->in), call->used), ret,
                                  &used, err);
        call->used += used;
        if (rc == 0 &&
            (ret->type == CHUNK_FRAME_WELCOME || ret->type == CHUNK_FRAME_PONG)) {
            call->has_pong = true;
            if (ret->type == CHUNK_FRAME_PONG)
                call->pong_ns = clock_steady_ns();
            continue;
        }
        if (rc <= 0)
            return err_prefix(err, rc, "'%s'", call->address);
        rc = bytes_read(call, err);
        if (rc < 0)
            return rc;
    }
}

/* A line of the server's is for a terminal: nothing of it controls that. */
static void failure_text(const struct chunk_frame *frame, char *out, size_t size)
{
    struct span text = span_skip(frame->body, 4);
    size_t most = text.size < size ? text.size : size - 1;
    for (size_t i = 0; i < most; i++)
        out[i] = text.data[i] >= ' ' && text.data[i] <= '~' ? text.data[i] : '?';
    out[most] = '\0';
}

static int response_failed(const struct chunk_call *call,
                           const struct chunk_frame *frame, struct err *err)
{
    static const struct {
        int errnum;
        const char *why;
    } failures[] = {
        [CHUNK_FAILURE_NOT_FOUND] = { ENOENT, "it has no such dataset, or you may not "
                                              "read it" },
        [CHUNK_FAILURE_DAMAGED] = { EUCLEAN, "what it has is damaged" },
        [CHUNK_FAILURE_UNAVAILABLE] = { EAGAIN, "none of its upstreams responded" },
        [CHUNK_FAILURE_REFUSED] = { EFBIG, "it refused the request" },
        [CHUNK_FAILURE_BUSY] = { EBUSY, "it has too much to do" },
        [CHUNK_FAILURE_DENIED] = { EACCES, "it denied the request" },
    };
    char text[CHUNK_FRAME_TEXT_MAX + 1];
    uint32_t code = chunk_frame_u32(frame->body);
    if (code == 0 || code >= COUNT_OF(failures))
        return err_set(err, EBADMSG, "'%s': failure %u", call->address, code);
    failure_text(frame, text, sizeof text);
    return err_set(err, failures[code].errnum, "'%s': %s%s%s", call->address,
                   text[0] ? text : failures[code].why, call->note[0] ? "; " : "",
                   call->note);
}

int chunk_call_read(struct chunk_call *call, uint16_t type, uint64_t id,
                    struct chunk_frame *ret, struct err *err)
{
    int rc = frame_next(call, ret, err);
    if (rc < 0)
        return rc;
    bool is_its = !id || ret->id == id;
    if (is_its && ret->type == type)
        return 0;
    return is_its && ret->type == CHUNK_FRAME_FAILED
               ? response_failed(call, ret, err)
               : err_set(err, EBADMSG, "'%s' responded to what was not requested",
                         call->address);
}

static void patience_set(const struct chunk_call *call, unsigned seconds)
{
    const struct timeval timeout = { .tv_sec = seconds };
    (void)setsockopt(call->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
}

/* A server that works responds to a ping. */
int chunk_call_wait(struct chunk_call *call, uint16_t type, struct chunk_frame *ret,
                    struct err *err)
{
    const struct chunk_frame ping = { .type = CHUNK_FRAME_PING };
    unsigned silent = 0;
    int rc;
    patience_set(call, PING_S);
    do {
        uint64_t id = call->id;
        rc = chunk_call_read(call, type, id, ret, err);
        if (rc != -ETIMEDOUT)
            break;
        silent = call->has_pong ? 0 : silent + 1;
        call->has_pong = false;
        rc = silent < TIMEOUT_S / PING_S
                 ? frame_write(call, &ping, SPAN(""), SPAN(""), err)
                 : rc;
    } while (rc == 0);
    patience_set(call, TIMEOUT_S);
    return rc;
}

/* ---- the beginning ---- */

static int call_greet(struct chunk_call *call, struct err *err)
{
    static const struct chunk_hello hello = { CHUNK_FRAME_VERSION,
                                              CHUNK_FRAME_BATCH_MAX,
                                              CHUNK_FRAME_BATCH_MAX };
    uint8_t body[CHUNK_FRAME_HELLO_SIZE];
    chunk_hello_encode(&hello, body);
    return chunk_call_write(call, CHUNK_FRAME_HELLO, SPAN(""),
                            (struct span){ (const char *)body, sizeof body }, err);
}

/* Of this connection alone: the server's random number is in it. */
static int credential_send(struct chunk_call *call, const struct credential_opts *opts,
                           struct err *err)
{
    char credential[CREDENTIAL_MAX + 1];
    uint8_t nonce[READER_NONCE_SIZE];
    struct chunk_frame frame;
    int rc = reader_nonce_make(nonce);
    if (rc == 0)
        rc = chunk_call_write(call, CHUNK_FRAME_CHALLENGE, SPAN(""),
                              (struct span){ (const char *)nonce, sizeof nonce }, err);
    if (rc == 0)
        rc = chunk_call_read(call, CHUNK_FRAME_IDENTITY, call->id, &frame, err);
    if (rc == 0)
        rc = credential_make(opts, (struct span){ frame.body.data, READER_NONCE_SIZE },
                             credential, err);
    if (rc == 0)
        rc = chunk_call_write(call, CHUNK_FRAME_CREDENTIAL, SPAN(""),
                              span_of(credential), err);
    if (rc == 0)
        rc = chunk_call_read(call, CHUNK_FRAME_LEASED, call->id, &frame, err);
    OPENSSL_cleanse(credential, sizeof credential);
    return rc;
}

/* A server that has no MUNGE refuses it, one whose munged has another key denies it. */
static bool may_do_without(int rc)
{
    return rc == -EHOSTUNREACH || rc == -ENOTSUP || rc == -EPERM || rc == -EFBIG ||
           rc == -EACCES || rc == -EAGAIN;
}

static int call_identify(struct chunk_call *call, const struct credential_opts *opts,
                         struct err *err)
{
    struct err own = { 0 };
    bool is_unix = strncmp(call->address, "unix:", 5) == 0;
    if (opts->use == CREDENTIAL_NO || (opts->use == CREDENTIAL_AUTO && is_unix))
        return 0;
    int rc = credential_send(call, opts, &own);
    if (rc == 0)
        return 0;
    if (opts->use == CREDENTIAL_AUTO && may_do_without(rc)) {
        (void)snprintf(call->note, sizeof call->note, "you are not known there: %.160s",
                       own.text);
        return 0;
    }
    return rc == -EFBIG    ? err_set(err, ENOTSUP, "'%s' accepts no MUNGE credentials",
                                     call->address)
           : rc == -EACCES ? err_set(err, EACCES,
                                     "'%s' does not accept your MUNGE credential: has "
                                     "it the same key, and the same time?",
                                     call->address)
                           : err_set(err, -rc, "%s", own.text);
}

int chunk_call_open(struct chunk_call *call, const char *address,
                    const struct credential_opts *opts, struct err *err)
{
    *call = (struct chunk_call){ .address = address, .fd = -1, .in = STRBUF_INIT };
    int rc = server_connect(address, TIMEOUT_S, &call->fd, err);
    if (rc == 0)
        rc = call_greet(call, err);
    if (rc == 0)
        rc = call_identify(call, opts, err);
    if (rc < 0)
        chunk_call_done(call);
    return rc;
}
