/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_source - a server, or the directory of a repository, out of which a dataset is
 * pulled. */
#include "dataset/forwarder/chunk_source.h"

#include "base/span.h"
#include "dataset/forwarder/chunk_frame.h"
#include "dataset/forwarder/datasets.h"
#include "dataset/forwarder/server_socket.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TIMEOUT_S 120U /* a server may wait for its own upstream */
#define READ_BYTES 65536U

struct server_source {
    const char *address;
    int fd;
    struct strbuf in;
    size_t used; /* of in */
    uint64_t id; /* of the last request */
};

static void server_source_done(struct server_source *source)
{
    if (source->fd >= 0)
        (void)close(source->fd);
    strbuf_done(&source->in);
}
DEFINE_AUTO_DONE(struct server_source, server_source_done);

/* ---- frames ---- */

static int frame_write(struct server_source *source, uint16_t type, const void *body,
                       size_t size, struct err *err)
{
    uint8_t bytes[CHUNK_FRAME_HEAD_SIZE + CHUNK_FRAME_BATCH_MAX * DIGEST_SIZE];
    const struct chunk_frame frame = { .type = type, .id = ++source->id };
    chunk_frame_head(bytes, &frame, size);
    memcpy(bytes + CHUNK_FRAME_HEAD_SIZE, body, size);
    size += CHUNK_FRAME_HEAD_SIZE;
    ssize_t sent = send(source->fd, bytes, size, MSG_NOSIGNAL);
    return sent == (ssize_t)size
               ? 0
               : server_wait_failed(source->address, sent < 0 ? errno : EIO, err);
}

static int bytes_read(struct server_source *source, struct err *err)
{
    char part[READ_BYTES];
    ssize_t size = recv(source->fd, part, sizeof part, 0);
    if (size < 0)
        return server_wait_failed(source->address, errno, err);
    if (size == 0)
        return err_set(err, ECONNRESET, "'%s' closed the connection", source->address);
    if (source->used) {
        memmove(source->in.data, source->in.data + source->used,
                source->in.size - source->used);
        source->in.size -= source->used;
        source->used = 0;
    }
    strbuf_add(&source->in, part, (size_t)size);
    return strbuf_error(&source->in);
}

/* Valid until the next. */
static int frame_next(struct server_source *source, struct chunk_frame *ret,
                      struct err *err)
{
    for (;;) {
        size_t used = 0;
        int rc = chunk_frame_read(span_skip(strbuf_span(&source->in), source->used),
                                  ret, &used, err);
        source->used += used;
        if (rc == 0 && ret->type == CHUNK_FRAME_WELCOME)
            continue;
        if (rc <= 0)
            return err_prefix(err, rc, "'%s'", source->address);
        rc = bytes_read(source, err);
        if (rc < 0)
            return rc;
    }
}

static int response_failed(const struct server_source *source,
                           const struct chunk_frame *frame, struct err *err)
{
    static const struct {
        int errnum;
        const char *why;
    } failures[] = {
        [CHUNK_FAILURE_NOT_FOUND] = { ENOENT, "it has no such dataset, or chunk" },
        [CHUNK_FAILURE_DAMAGED] = { EUCLEAN, "what it has is damaged" },
        [CHUNK_FAILURE_UNAVAILABLE] = { EAGAIN, "none of its upstreams responded" },
        [CHUNK_FAILURE_REFUSED] = { EFBIG, "it refused the request" },
        [CHUNK_FAILURE_BUSY] = { EBUSY, "it has too much to do" },
        [CHUNK_FAILURE_DENIED] = { EACCES, "you may not read it" },
    };
    uint32_t code =
        frame->type == CHUNK_FRAME_FAILED ? chunk_frame_u32(frame->body) : 0;
    if (frame->type != CHUNK_FRAME_FAILED || frame->id != source->id)
        return err_set(err, EBADMSG, "'%s' responded to what was not requested",
                       source->address);
    if (code == 0 || code >= COUNT_OF(failures))
        return err_set(err, EBADMSG, "'%s': failure %u", source->address, code);
    return err_set(err, failures[code].errnum, "'%s': %s", source->address,
                   failures[code].why);
}

static int response_next(struct server_source *source, uint16_t type,
                         struct chunk_frame *ret, struct err *err)
{
    int rc = frame_next(source, ret, err);
    if (rc < 0)
        return rc;
    return ret->type == type && ret->id == source->id
               ? 0
               : response_failed(source, ret, err);
}

/* ---- the source ---- */

static int server_resolve(void *arg, const char *spec, struct digest *ret,
                          struct err *err)
{
    struct chunk_frame frame = { 0 };
    size_t size = strlen(spec);
    if (size == 0 || size > DATASET_TAG_MAX)
        return err_set(err, EINVAL, "'%s': a tag, or digits of a name", spec);
    int rc = frame_write(arg, CHUNK_FRAME_RESOLVE, spec, size, err);
    if (rc == 0)
        rc = response_next(arg, CHUNK_FRAME_RESOLVED, &frame, err);
    if (rc == 0)
        *ret = chunk_frame_digest(frame.body, 0);
    return rc;
}

static int index_part_read(struct server_source *source, const struct digest *name,
                           struct strbuf *out, uint64_t *total, struct err *err)
{
    uint8_t body[DIGEST_SIZE + 8];
    struct chunk_frame frame = { 0 };
    memcpy(body, name->bytes, DIGEST_SIZE);
    bytes_put_u64(body + DIGEST_SIZE, out->size);
    int rc = frame_write(source, CHUNK_FRAME_INDEX, body, sizeof body, err);
    if (rc == 0)
        rc = response_next(source, CHUNK_FRAME_INDEX_PART, &frame, err);
    if (rc < 0)
        return rc;
    uint64_t stated = chunk_frame_total(frame.body), size = frame.body.size - 8;
    if (stated > DATASET_INDEX_BYTES_MAX || (*total && stated != *total) || size == 0 ||
        size > stated - out->size)
        return err_set(err, EBADMSG, "'%s': an index that is not possible",
                       source->address);
    *total = stated;
    strbuf_add(out, frame.body.data + 8, (size_t)size);
    return strbuf_error(out);
}

static int server_index(void *arg, const struct digest *name, struct dataset_index *ret,
                        struct err *err)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    uint64_t total = 0;
    int rc = 0;
    do
        rc = index_part_read(arg, name, &bytes, &total, err);
    while (rc == 0 && bytes.size < total);
    return rc < 0 ? rc : dataset_index_decode(strbuf_span(&bytes), ret, err);
}

static int server_chunks(void *arg, const struct digest *digests, size_t count,
                         dataset_source_fn each, void *each_arg, struct err *err)
{
    uint64_t seen = 0;
    int rc = frame_write(arg, CHUNK_FRAME_CHUNKS, digests, count * DIGEST_SIZE, err);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct server_source *source = arg;
        struct chunk_frame frame = { 0 };
        rc = response_next(source, CHUNK_FRAME_CHUNK, &frame, err);
        if (rc < 0)
            return rc;
        if (frame.position >= count || seen & UINT64_C(1) << frame.position)
            return err_set(err, EBADMSG, "'%s' sent a chunk twice", source->address);
        seen |= UINT64_C(1) << frame.position;
        rc = each(each_arg, frame.position, span_skip(frame.body, 4),
                  chunk_frame_u32(frame.body), err);
    }
    return rc;
}

_Static_assert(PULL_BATCH_MAX <= CHUNK_FRAME_BATCH_MAX && CHUNK_FRAME_BATCH_MAX <= 64,
               "one frame, and a bit for each chunk of it");
_Static_assert(sizeof(struct digest) == DIGEST_SIZE, "they are sent as they lie");

static int server_greet(struct server_source *source, struct err *err)
{
    static const struct chunk_hello hello = { CHUNK_FRAME_VERSION,
                                              CHUNK_FRAME_BATCH_MAX,
                                              CHUNK_FRAME_BATCH_MAX };
    uint8_t body[CHUNK_FRAME_HELLO_SIZE];
    int rc = server_connect(source->address, TIMEOUT_S, &source->fd, err);
    chunk_hello_encode(&hello, body);
    return rc < 0 ? rc : frame_write(source, CHUNK_FRAME_HELLO, body, sizeof body, err);
}

static int pull_from_server(struct repository *r, const char *address,
                            const struct dataset_admission *in,
                            struct dataset_added *ret, struct err *err)
{
    AUTO(server_source_done)
    struct server_source server = { .address = address, .fd = -1, .in = STRBUF_INIT };
    const struct dataset_source source = { server_resolve, server_index, server_chunks,
                                           &server };
    int rc = server_greet(&server, err);
    return rc < 0 ? rc : repository_pull(r, &source, in, ret, err);
}

static int pull_from_directory(struct repository *r, const char *dir,
                               const struct dataset_admission *in,
                               struct dataset_added *ret, struct err *err)
{
    AUTO(repository_free) struct repository *from = NULL;
    int rc = repository_open(dir, false, &from, err);
    if (rc < 0)
        return rc;
    const struct dataset_source source = repository_source(from);
    return repository_pull(r, &source, in, ret, err);
}

int chunk_source_pull(struct repository *r, const char *from,
                      const struct dataset_admission *in, struct dataset_added *ret,
                      struct err *err)
{
    bool is_directory = strchr(from, '/') && strncmp(from, "unix:", 5) != 0;
    return (is_directory ? pull_from_directory : pull_from_server)(r, from, in, ret,
                                                                   err);
}
