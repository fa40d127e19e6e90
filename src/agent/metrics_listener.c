/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_listener - GET /metrics of an agent. */
#include "agent/metrics_listener.h"

#include "base/number.h"
#include "base/span.h"
#include "base/system/socket_path.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNIX_PREFIX "unix:"

enum { HEAD_BYTES_MAX = 4096, DEADLINE_MS = 5000, BACKLOG = 16 };

union stream {
    uv_stream_t stream;
    uv_handle_t handle;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
};

struct metrics_listener {
    union stream socket;
    uv_loop_t *loop;
    bool is_unix;
    metrics_print_fn *print;
    void *arg;
    size_t peer_count;
};

struct peer {
    struct metrics_listener *listener;
    union stream socket;
    uv_timer_t deadline;
    uv_write_t write;
    unsigned open_handles;
    bool has_response;
    char head[HEAD_BYTES_MAX];
    size_t size;
    struct strbuf response;
};

/* ---- one connection ---- */

static void on_peer_closed(uv_handle_t *handle)
{
    struct peer *peer = handle->data;
    if (--peer->open_handles > 0)
        return;
    peer->listener->peer_count--;
    strbuf_done(&peer->response);
    free(peer);
}

static void close_peer(struct peer *peer)
{
    if (!uv_is_closing(&peer->socket.handle))
        uv_close(&peer->socket.handle, on_peer_closed);
    if (!uv_is_closing((uv_handle_t *)&peer->deadline))
        uv_close((uv_handle_t *)&peer->deadline, on_peer_closed);
}

static void on_deadline(uv_timer_t *timer)
{
    close_peer(timer->data);
}

static void on_written(uv_write_t *write, int status)
{
    (void)status;
    close_peer(write->data);
}

static void write_reply(struct peer *peer, const char *status,
                        const struct strbuf *body, bool has_body)
{
    strbuf_addf(&peer->response,
                "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4\r\n"
                "Content-Length: %zu\r\nConnection: close\r\n\r\n",
                status, body->size);
    if (has_body)
        strbuf_add_span(&peer->response, strbuf_span(body));
    peer->has_response = true;
    if (strbuf_error(&peer->response) < 0 || strbuf_error(body) < 0) {
        close_peer(peer);
        return;
    }
    uv_buf_t buf = uv_buf_init(peer->response.data, (unsigned)peer->response.size);
    if (uv_write(&peer->write, &peer->socket.stream, &buf, 1, on_written) < 0)
        close_peer(peer);
}

/* "GET /metrics HTTP/1.1" */
static void respond_to_head(struct peer *peer)
{
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    struct span rest = { peer->head, peer->size }, line, method, path;
    const char *status = "200 OK";
    (void)span_cut(&rest, '\r', &line);
    (void)span_cut(&line, ' ', &method);
    (void)span_cut(&line, ' ', &path);
    bool is_head = span_is(method, "HEAD");
    (void)span_cut(&path, '?', &rest);
    if (!is_head && !span_is(method, "GET"))
        status = "405 Method Not Allowed";
    else if (!span_is(rest, "/metrics"))
        status = "404 Not Found";
    else
        peer->listener->print(peer->listener->arg, &body);
    if (body.size == 0)
        strbuf_addf(&body, "%s: GET /metrics\n", status);
    write_reply(peer, status, &body, !is_head);
}

static void on_alloc(uv_handle_t *handle, size_t wanted, uv_buf_t *ret)
{
    struct peer *peer = handle->data;
    (void)wanted;
    *ret = uv_buf_init(peer->head + peer->size,
                       (unsigned)(sizeof peer->head - peer->size));
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buf)
{
    struct peer *peer = stream->data;
    (void)buf;
    if (size == 0)
        return;
    if (size < 0) {
        if (!peer->has_response)
            close_peer(peer);
        return;
    }
    peer->size += (size_t)size;
    bool is_whole = memmem(peer->head, peer->size, "\r\n\r\n", 4) != NULL;
    if (!is_whole && peer->size < sizeof peer->head)
        return;
    (void)uv_read_stop(stream);
    if (is_whole)
        respond_to_head(peer);
    else
        close_peer(peer);
}

static int open_stream(const struct metrics_listener *listener, union stream *ret)
{
    return listener->is_unix ? uv_pipe_init(listener->loop, &ret->pipe, 0)
                             : uv_tcp_init(listener->loop, &ret->tcp);
}

/* One too many is accepted and closed: it would be waiting otherwise. */
static void on_connection(uv_stream_t *server, int status)
{
    struct metrics_listener *listener = server->data;
    if (status < 0)
        return;
    struct peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return;
    peer->listener = listener;
    peer->socket.handle.data = peer->deadline.data = peer->write.data = peer;
    if (open_stream(listener, &peer->socket) < 0) {
        free(peer);
        return;
    }
    (void)uv_timer_init(listener->loop, &peer->deadline);
    peer->socket.handle.data = peer->deadline.data = peer;
    peer->open_handles = 2;
    listener->peer_count++;
    if (uv_accept(server, &peer->socket.stream) < 0 ||
        listener->peer_count > METRICS_PEERS_MAX ||
        uv_timer_start(&peer->deadline, on_deadline, DEADLINE_MS, 0) < 0 ||
        uv_read_start(&peer->socket.stream, on_alloc, on_read) < 0)
        close_peer(peer);
}

/* ---- the listener ---- */

static int parse_address(const char *text, struct sockaddr_storage *ret,
                         struct err *err)
{
    struct sockaddr_in *four = (struct sockaddr_in *)ret;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)ret;
    struct span host = span_of(text);
    const char *colon = strrchr(text, ':');
    uint64_t port = 0;
    char name[INET6_ADDRSTRLEN] = "";
    memset(ret, 0, sizeof *ret);
    if (colon)
        host.size = (size_t)(colon - text);
    bool has_port = colon && number_parse_u64(span_of(colon + 1), &port) == 0 &&
                    port > 0 && port <= UINT16_MAX;
    bool is_six =
        host.size > 2 && host.data[0] == '[' && host.data[host.size - 1] == ']';
    if (is_six)
        host = (struct span){ host.data + 1, host.size - 2 };
    if (host.size < sizeof name)
        memcpy(name, host.data, host.size);
    if (has_port && is_six && inet_pton(AF_INET6, name, &six->sin6_addr) == 1 &&
        IN6_IS_ADDR_LOOPBACK(&six->sin6_addr)) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons((uint16_t)port);
        return 0;
    }
    if (has_port && !is_six && inet_pton(AF_INET, name, &four->sin_addr) == 1 &&
        ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET) {
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)port);
        return 0;
    }
    return err_set(
        err, EINVAL,
        "metrics_listen: '%s' is not a loopback address with a port, such as "
        "127.0.0.1:9191, nor unix:PATH",
        text);
}

int metrics_listener_check(const char *address, struct err *err)
{
    struct sockaddr_storage unused;
    if (!address || !*address)
        return 0;
    if (!span_starts(span_of(address), UNIX_PREFIX))
        return parse_address(address, &unused, err);
    if (address[strlen(UNIX_PREFIX)] != '/')
        return err_set(err, EINVAL, "metrics_listen: unix: wants an absolute path");
    return 0;
}

static int bind_listener(struct metrics_listener *listener, const char *address,
                         struct err *err)
{
    struct sockaddr_storage where;
    int rc = open_stream(listener, &listener->socket);
    if (rc < 0)
        return err_set(err, -rc, "metrics_listen: %s", uv_strerror(rc));
    listener->socket.handle.data = listener;
    if (listener->is_unix) {
        rc = socket_path_clear(address + strlen(UNIX_PREFIX), err);
        if (rc < 0)
            return rc;
        rc = uv_pipe_bind(&listener->socket.pipe, address + strlen(UNIX_PREFIX));
        if (rc == 0)
            rc = chmod(address + strlen(UNIX_PREFIX), 0660) < 0 ? -errno : 0;
    } else {
        rc = parse_address(address, &where, err);
        if (rc == 0)
            rc = uv_tcp_bind(&listener->socket.tcp, (const struct sockaddr *)&where, 0);
    }
    if (rc == 0)
        rc = uv_listen(&listener->socket.stream, BACKLOG, on_connection);
    return rc < 0
               ? err_set(err, -rc, "metrics_listen: %s: %s", address, uv_strerror(rc))
               : 0;
}

int metrics_listener_start(const char *address, uv_loop_t *loop,
                           metrics_print_fn *print, void *arg,
                           struct metrics_listener **ret, struct err *err)
{
    int rc = metrics_listener_check(address, err);
    if (rc < 0 || !address || !*address)
        return rc;
    struct metrics_listener *listener = calloc(1, sizeof *listener);
    if (!listener)
        return err_set(err, ENOMEM, "out of memory");
    listener->loop = loop;
    listener->is_unix = span_starts(span_of(address), UNIX_PREFIX);
    listener->print = print;
    listener->arg = arg;
    *ret = listener; /* the loop has it from now on */
    rc = bind_listener(listener, address, err);
    if (rc == 0)
        uv_unref(&listener->socket.handle);
    return rc;
}
