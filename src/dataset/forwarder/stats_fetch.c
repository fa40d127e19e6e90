/* SPDX-License-Identifier: Apache-2.0 */
/* stats_fetch - the counters of a forwarder, over its chunk door. */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "dataset/forwarder/chunk/chunk_frame.h"
#include "dataset/forwarder/forwarder.h"
#include "dataset/forwarder/server_socket.h"

#include <sys/socket.h>

#define READ_BYTES 65536
#define STATS_WAIT_S 10U

static int request_write(int fd)
{
    static const struct chunk_hello hello = { CHUNK_FRAME_VERSION,
                                              CHUNK_FRAME_BATCH_MAX,
                                              CHUNK_FRAME_BATCH_MAX };
    uint8_t bytes[2 * CHUNK_FRAME_HEAD_SIZE + CHUNK_FRAME_HELLO_SIZE];
    const struct chunk_frame first = { .type = CHUNK_FRAME_HELLO };
    const struct chunk_frame second = { .type = CHUNK_FRAME_STATS, .id = 1 };
    chunk_frame_head(bytes, &first, CHUNK_FRAME_HELLO_SIZE);
    chunk_hello_encode(&hello, bytes + CHUNK_FRAME_HEAD_SIZE);
    chunk_frame_head(bytes + CHUNK_FRAME_HEAD_SIZE + CHUNK_FRAME_HELLO_SIZE, &second,
                     0);
    ssize_t sent = send(fd, bytes, sizeof bytes, MSG_NOSIGNAL);
    return sent < 0 ? -errno : 0;
}

/* 1: there is more to be read. */
static int response_parse(struct span in, struct strbuf *out, struct err *err)
{
    struct chunk_frame frame;
    struct chunk_hello hello;
    size_t used = 0;
    int rc;
    while ((rc = chunk_frame_read(in, &frame, &used, err)) == 0) {
        if (frame.type == CHUNK_FRAME_WELCOME)
            rc = chunk_hello_decode(frame.body, &hello, err);
        if (rc < 0)
            return rc;
        if (frame.type == CHUNK_FRAME_TEXT) {
            strbuf_add_span(out, frame.body);
            return strbuf_error(out);
        }
        in = span_skip(in, used);
    }
    return rc;
}

int forwarder_stats_fetch(const char *address, unsigned wait_s, struct strbuf *out,
                          struct err *err)
{
    AUTO_CLOSE int fd = -1;
    AUTO(strbuf_done) struct strbuf in = STRBUF_INIT;
    int64_t end_ns = clock_steady_ns() + (int64_t)wait_s * NS_PER_S;
    int rc = server_connect(address, wait_s, &fd, err);
    if (rc < 0)
        return rc;
    rc = request_write(fd);
    if (rc < 0)
        return server_wait_failed(address, -rc, err);
    for (;;) {
        char part[READ_BYTES];
        ssize_t size = recv(fd, part, sizeof part, 0);
        if (size < 0 || clock_steady_ns() > end_ns)
            return server_wait_failed(address, size < 0 ? errno : EAGAIN, err);
        if (size == 0)
            return err_set(err, EBADMSG, "'%s' closed the connection", address);
        strbuf_add(&in, part, (size_t)size);
        rc = response_parse(strbuf_span(&in), out, err);
        if (rc <= 0)
            return err_prefix(err, rc, "'%s'", address);
    }
}

static void counters_add(struct table *out, struct span text)
{
    struct span line, name;
    uint64_t value;
    table_add_column(out, "counter", TABLE_TEXT, "");
    table_add_column(out, "value", TABLE_U64, "");
    while (text.size) {
        (void)span_cut(&text, '\n', &line);
        (void)span_cut(&line, ' ', &name);
        if (number_parse_u64(line, &value) < 0)
            continue;
        table_add_row(out);
        table_set_text(out, 0, name);
        table_set_u64(out, 1, value);
    }
}

int forwarder_stats_table(const char *address, struct table *out, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = forwarder_stats_fetch(address, STATS_WAIT_S, &text, err);
    if (rc < 0)
        return rc;
    counters_add(out, strbuf_span(&text));
    return table_error(out);
}
