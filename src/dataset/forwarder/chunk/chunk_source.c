/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_source - a server, or the directory of a repository, out of which a dataset is
 * pulled. */
#include "dataset/forwarder/chunk/chunk_source.h"

#include "base/span.h"
#include "dataset/forwarder/chunk/chunk_call.h"
#include "dataset/forwarder/datasets.h"

#include <string.h>

/* ---- the source ---- */

static int server_resolve(void *arg, const char *spec, struct digest *ret,
                          struct err *err)
{
    struct chunk_frame frame = { 0 };
    size_t size = strlen(spec);
    if (size == 0 || size > DATASET_TAG_MAX)
        return err_set(err, EINVAL, "'%s': a tag, or digits of a name", spec);
    struct chunk_call *call = arg;
    int rc = chunk_call_write(call, CHUNK_FRAME_RESOLVE, SPAN(""), span_of(spec), err);
    if (rc == 0)
        rc = chunk_call_read(call, CHUNK_FRAME_RESOLVED, call->id, &frame, err);
    if (rc == 0)
        *ret = chunk_frame_digest(frame.body, 0);
    return rc;
}

static int index_part_read(struct chunk_call *call, const struct digest *name,
                           struct strbuf *out, uint64_t *total, struct err *err)
{
    uint8_t body[DIGEST_SIZE + 8];
    struct chunk_frame frame = { 0 };
    memcpy(body, name->bytes, DIGEST_SIZE);
    bytes_put_u64(body + DIGEST_SIZE, out->size);
    int rc = chunk_call_write(call, CHUNK_FRAME_INDEX, SPAN(""),
                              (struct span){ (const char *)body, sizeof body }, err);
    if (rc == 0)
        rc = chunk_call_read(call, CHUNK_FRAME_INDEX_PART, call->id, &frame, err);
    if (rc < 0)
        return rc;
    uint64_t stated = chunk_frame_total(frame.body), size = frame.body.size - 8;
    if (stated > DATASET_INDEX_BYTES_MAX || (*total && stated != *total) || size == 0 ||
        size > stated - out->size)
        return err_set(err, EBADMSG, "'%s': an index that is not possible",
                       call->address);
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
    struct chunk_call *call = arg;
    int rc = chunk_call_write(
        call, CHUNK_FRAME_CHUNKS, SPAN(""),
        (struct span){ (const char *)digests, count * DIGEST_SIZE }, err);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct chunk_frame frame = { 0 };
        rc = chunk_call_read(call, CHUNK_FRAME_CHUNK, call->id, &frame, err);
        if (rc < 0)
            return rc;
        if (frame.position >= count || seen & UINT64_C(1) << frame.position)
            return err_set(err, EBADMSG, "'%s' sent a chunk twice", call->address);
        seen |= UINT64_C(1) << frame.position;
        rc = each(each_arg, frame.position, span_skip(frame.body, 4),
                  chunk_frame_u32(frame.body), err);
    }
    return rc;
}

_Static_assert(PULL_BATCH_MAX <= CHUNK_FRAME_BATCH_MAX && CHUNK_FRAME_BATCH_MAX <= 64,
               "one frame, and a bit for each chunk of it");
_Static_assert(sizeof(struct digest) == DIGEST_SIZE, "they are sent as they lie");

static int pull_from_server(struct repository *r, const char *address,
                            const struct credential_opts *munge,
                            const struct dataset_admission *in,
                            struct dataset_added *ret, struct err *err)
{
    AUTO(chunk_call_done) struct chunk_call server = { .fd = -1 };
    const struct dataset_source source = { server_resolve, server_index, server_chunks,
                                           &server };
    int rc = chunk_call_open(&server, address, munge, err);
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

int chunk_source_pull(struct repository *r, const char *from, const char *munge,
                      const struct dataset_admission *in, struct dataset_added *ret,
                      struct err *err)
{
    bool is_directory = strchr(from, '/') && strncmp(from, "unix:", 5) != 0;
    struct credential_opts opts;
    int rc = credential_opts_parse(munge, &opts, err);
    if (rc < 0)
        return rc;
    return is_directory ? pull_from_directory(r, from, in, ret, err)
                        : pull_from_server(r, from, &opts, in, ret, err);
}
