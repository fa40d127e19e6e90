/* SPDX-License-Identifier: Apache-2.0 */
/* ninep_files - the directory of datasets and its files: opened, listed, described. */
#include "base/span.h"
#include "dataset/forwarder/ninep/ninep_client.h"
#include "dataset/repository/repository.h"

#define MODE_DIRECTORY 0040555U
#define MODE_FILE 0100444U
#define ATTR_BASIC UINT64_C(0x7ff)
#define FS_TYPE 0x01021997U /* of 9P in Linux */
#define FS_BLOCK 4096U
#define NAME_MAX_BYTES 255U
#define ENTRY_HEAD (NINEP_QID_SIZE + 8U + 1U + 2U)
#define ENTRY_DIRECTORY 4U /* as in d_type */
#define ENTRY_FILE 8U

static struct ninep_fid *ninep_file_find(struct ninep_client *client,
                                         const struct ninep_message *message)
{
    struct ninep_fid *fid = ninep_fid_find(client, message->fid);
    if (fid && fid->kind != NINEP_FID_AUTH)
        return fid;
    ninep_fail(client, message->tag, -EBADF);
    return NULL;
}

void ninep_open(struct ninep_client *client, const struct ninep_message *message)
{
    struct ninep_response response;
    struct ninep_fid *fid = ninep_file_find(client, message);
    int rc = 0;
    if (!fid)
        return;
    if (message->flags & NINEP_OPEN_WRITES)
        rc = -EROFS;
    else if (fid->is_open)
        rc = -EBADF;
    else if (fid->kind == NINEP_FID_ROOT && !fid->user->reader.is_trusted)
        rc = -EACCES; /* names of datasets are theirs who may read them */
    if (rc < 0) {
        ninep_fail(client, message->tag, rc);
        return;
    }
    fid->is_open = true;
    const struct ninep_qid qid = ninep_qid_of(fid);
    ninep_response_begin(&response, NINEP_TLOPEN + 1, message->tag);
    ninep_put_qid(&response, &qid);
    ninep_put_u32(&response, 0); /* as much as a message has */
    ninep_send(client, &response);
}

void ninep_getattr(struct ninep_client *client, const struct ninep_message *message)
{
    struct ninep_response response;
    const struct ninep_fid *fid = ninep_file_find(client, message);
    if (!fid)
        return;
    uint64_t size = fid->dataset ? fid->dataset->index.image_bytes : 0;
    const struct ninep_qid qid = ninep_qid_of(fid);
    ninep_response_begin(&response, NINEP_TGETATTR + 1, message->tag);
    ninep_put_u64(&response, ATTR_BASIC);
    ninep_put_qid(&response, &qid);
    ninep_put_u32(&response, fid->dataset ? MODE_FILE : MODE_DIRECTORY);
    ninep_put_u64(&response, 0); /* root and its group */
    ninep_put_u64(&response, fid->dataset ? 1 : 2);
    ninep_put_u64(&response, 0);
    ninep_put_u64(&response, size);
    ninep_put_u64(&response, client->msize - NINEP_IO_SIZE);
    ninep_put_u64(&response, (size + 511) / 512);
    /* Four times in seconds and nanoseconds, generation, version: it never changed. */
    for (unsigned i = 0; i < 10; i++)
        ninep_put_u64(&response, 0);
    ninep_send(client, &response);
}

void ninep_statfs(struct ninep_client *client, const struct ninep_message *message)
{
    struct ninep_response response;
    if (!ninep_file_find(client, message))
        return;
    ninep_response_begin(&response, NINEP_TSTATFS + 1, message->tag);
    ninep_put_u32(&response, FS_TYPE);
    ninep_put_u32(&response, FS_BLOCK);
    for (unsigned i = 0; i < 6; i++) /* blocks, files and the id: none */
        ninep_put_u64(&response, 0);
    ninep_put_u32(&response, NAME_MAX_BYTES);
    ninep_send(client, &response);
}

/* ---- the directory ---- */

/* Entries from the offset on, as many as fit; an entry's offset is its number and one.
 */
struct listing {
    uint64_t offset, number;
    struct payload *out;
    uint32_t size, size_max;
    bool is_full;
};

static void listing_add(struct listing *listing, const struct ninep_qid *qid,
                        struct span name)
{
    if (listing->is_full || listing->number++ < listing->offset)
        return;
    uint32_t size = ENTRY_HEAD + (uint32_t)name.size;
    listing->is_full = size > listing->size_max - listing->size;
    if (listing->is_full)
        return;
    uint8_t *at = listing->out->data + listing->size;
    bool is_directory = qid->type == NINEP_QID_DIRECTORY;
    at[0] = qid->type;
    bytes_put_u32(at + 1, 0);
    bytes_put_u64(at + 5, qid->path);
    bytes_put_u64(at + 13, listing->number);
    at[21] = is_directory ? ENTRY_DIRECTORY : ENTRY_FILE;
    at[22] = (uint8_t)name.size;
    at[23] = (uint8_t)(name.size >> 8);
    memcpy(at + ENTRY_HEAD, name.data, name.size);
    listing->size += size;
}

/* Tags with a '/' are no names of files. */
static void dataset_entries(struct listing *listing, struct span line)
{
    struct digest digest;
    struct span word;
    (void)span_cut(&line, '\t', &word);
    if (digest_parse(word, &digest) < 0)
        return;
    const struct ninep_qid qid = ninep_qid_of_dataset(&digest);
    listing_add(listing, &qid, word);
    while (line.size) {
        (void)span_cut(&line, ' ', &word);
        if (word.size && word.size <= NAME_MAX_BYTES &&
            !memchr(word.data, '/', word.size))
            listing_add(listing, &qid, word);
    }
}

static int listing_send(struct ninep_client *client, const struct ninep_fid *fid,
                        const struct ninep_message *message)
{
    uint32_t most = client->msize - NINEP_READ_HEAD_SIZE;
    const struct ninep_qid root = ninep_qid_of(fid);
    struct listing listing = { .offset = message->offset,
                               .size_max =
                                   message->count < most ? message->count : most };
    struct span rest = { (const char *)fid->names->data, fid->names->size }, line;
    struct ninep_response response;
    AUTO(payload_unref) struct payload *out = payload_new(listing.size_max);
    if (!out)
        return -ENOMEM;
    listing.out = out;
    listing_add(&listing, &root, SPAN("."));
    listing_add(&listing, &root, SPAN(".."));
    while (rest.size && !listing.is_full) {
        (void)span_cut(&rest, '\n', &line);
        dataset_entries(&listing, line);
    }
    if (listing.is_full && listing.size == 0)
        return -EINVAL; /* it wants less than an entry */
    ninep_response_begin(&response, NINEP_TREADDIR + 1, message->tag);
    ninep_put_u32(&response, listing.size);
    ninep_response_end(&response, listing.size);
    channel_send(&client->client.channel, response.data, response.size, out, 0,
                 listing.size);
    return 0;
}

static void on_listing(struct dataset_names *waiter, int rc, struct payload *payload)
{
    struct ninep_names *names = (struct ninep_names *)waiter;
    struct ninep_request *request = names->request;
    if (request) {
        struct ninep_client *client = request->client;
        struct ninep_fid *fid = ninep_fid_find(client, request->fid);
        const struct ninep_message message = { .tag = request->tag,
                                               .count = request->count };
        request->names = NULL;
        if (rc == 0 && (!fid || fid->kind != NINEP_FID_ROOT || !fid->is_open))
            rc = -EBADF;
        if (rc == 0) {
            payload_unref(fid->names);
            fid->names = payload_ref(payload);
            rc = listing_send(client, fid, &message);
        }
        if (rc < 0)
            ninep_fail(client, request->tag, rc == -ENOENT ? -EIO : rc);
        ninep_request_end(request);
    }
    payload_unref(payload);
    free(names);
}

static int names_begin(struct ninep_client *client, const struct ninep_message *message)
{
    struct ninep_names *names = calloc(1, sizeof *names);
    struct ninep_request *request = names ? ninep_request_new(client, message) : NULL;
    if (!request) {
        free(names);
        return -ENOMEM;
    }
    names->names.done = on_listing;
    names->request = request;
    request->names = names;
    datasets_names(client->server->datasets, &names->names);
    return 0;
}

/* From its start the directory is listed anew; further parts are of that list. */
void ninep_readdir(struct ninep_client *client, const struct ninep_message *message)
{
    struct ninep_fid *fid = ninep_file_find(client, message);
    int rc = 0;
    if (!fid)
        return;
    if (fid->kind != NINEP_FID_ROOT)
        rc = -ENOTDIR;
    else if (!fid->is_open)
        rc = -EBADF;
    else if (message->offset == 0)
        rc = names_begin(client, message);
    else
        rc = fid->names ? listing_send(client, fid, message) : -EINVAL;
    if (rc < 0)
        ninep_fail(client, message->tag, rc);
}
