/* SPDX-License-Identifier: Apache-2.0 */
/* ninep_message - requests of 9P2000.L read, and responses written; without state. */
#include "dataset/forwarder/ninep/ninep_message.h"

#include "dataset/repository/repository.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* ---- fields of a body ---- */

struct body {
    const uint8_t *at;
    size_t left;
    bool is_short;
};

static const uint8_t *body_cut(struct body *body, size_t size)
{
    static const uint8_t zeros[8];
    const uint8_t *at = body->at;
    if (body->is_short || size > body->left) {
        body->is_short = true;
        return zeros;
    }
    body->at += size;
    body->left -= size;
    return at;
}

static uint16_t body_u16(struct body *body)
{
    const uint8_t *p = body_cut(body, 2);
    return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t body_u32(struct body *body)
{
    return bytes_u32(body_cut(body, 4));
}

static uint64_t body_u64(struct body *body)
{
    return bytes_u64(body_cut(body, 8));
}

static struct span body_bytes(struct body *body, uint32_t size)
{
    const uint8_t *at = body_cut(body, size);
    return (struct span){ (const char *)at, body->is_short ? 0 : size };
}

static struct span body_text(struct body *body)
{
    return body_bytes(body, body_u16(body));
}

/* ---- bodies ---- */

static void version_read(struct body *body, struct ninep_message *message)
{
    message->msize = body_u32(body);
    message->version = body_text(body);
}

static void auth_read(struct body *body, struct ninep_message *message)
{
    message->afid = body_u32(body);
    (void)body_text(body); /* the user's name: the number is what counts */
    message->aname = body_text(body);
    message->user = body_u32(body);
}

static void attach_read(struct body *body, struct ninep_message *message)
{
    message->fid = body_u32(body);
    auth_read(body, message);
}

static void walk_read(struct body *body, struct ninep_message *message)
{
    message->fid = body_u32(body);
    message->newfid = body_u32(body);
    message->name_count = body_u16(body);
    if (message->name_count > NINEP_NAMES_MAX)
        body->is_short = true;
    for (uint16_t i = 0; i < message->name_count && !body->is_short; i++)
        message->names[i] = body_text(body);
}

/* Tread and Treaddir; Twrite has its data behind that. */
static void read_read(struct body *body, struct ninep_message *message)
{
    message->fid = body_u32(body);
    message->offset = body_u64(body);
    message->count = body_u32(body);
    if (message->type == NINEP_TWRITE)
        message->data = body_bytes(body, message->count);
}

static void xattr_read(struct body *body, struct ninep_message *message)
{
    message->fid = body_u32(body);
    message->newfid = body_u32(body);
    (void)body_text(body);
}

static int body_read(struct body *body, struct ninep_message *message)
{
    switch (message->type) {
    case NINEP_TVERSION:
        version_read(body, message);
        break;
    case NINEP_TAUTH:
        auth_read(body, message);
        break;
    case NINEP_TATTACH:
        attach_read(body, message);
        break;
    case NINEP_TFLUSH:
        message->old_tag = body_u16(body);
        break;
    case NINEP_TWALK:
        walk_read(body, message);
        break;
    case NINEP_TREAD:
    case NINEP_TREADDIR:
    case NINEP_TWRITE:
        read_read(body, message);
        break;
    case NINEP_TLOPEN:
        message->fid = body_u32(body);
        message->flags = body_u32(body);
        break;
    case NINEP_TGETATTR:
        message->fid = body_u32(body);
        message->mask = body_u64(body);
        break;
    case NINEP_TXATTRWALK:
        xattr_read(body, message);
        break;
    case NINEP_TSTATFS:
    case NINEP_TREADLINK:
    case NINEP_TCLUNK:
    case NINEP_TREMOVE:
        message->fid = body_u32(body);
        break;
    default:
        body->left = 0; /* it is refused, whatever is in it */
    }
    return body->is_short || body->left ? -EBADMSG : 0;
}

bool ninep_type_writes(uint8_t type)
{
    switch (type) {
    case NINEP_TLCREATE:
    case NINEP_TSYMLINK:
    case NINEP_TMKNOD:
    case NINEP_TRENAME:
    case NINEP_TSETATTR:
    case NINEP_TXATTRCREATE:
    case NINEP_TLINK:
    case NINEP_TMKDIR:
    case NINEP_TRENAMEAT:
    case NINEP_TUNLINKAT:
    case NINEP_TWRITE:
    case NINEP_TREMOVE:
        return true;
    default:
        return false;
    }
}

int ninep_message_read(struct span in, uint32_t msize, struct ninep_message *ret,
                       size_t *ret_used)
{
    const uint8_t *p = (const uint8_t *)in.data;
    if (in.size < NINEP_HEAD_SIZE)
        return 1;
    uint32_t size = bytes_u32(p);
    struct ninep_message message = { .type = p[4],
                                     .tag = (uint16_t)(p[5] | p[6] << 8),
                                     .fid = NINEP_NO_FID };
    if (size < NINEP_HEAD_SIZE || size > msize)
        return -EMSGSIZE;
    if (size > NINEP_REQUEST_MAX) {
        if (!ninep_type_writes(message.type))
            return -EMSGSIZE;
        message.skip = size - NINEP_HEAD_SIZE;
        *ret_used = NINEP_HEAD_SIZE;
        *ret = message;
        return 0;
    }
    if (in.size < size)
        return 1;
    struct body body = { p + NINEP_HEAD_SIZE, size - NINEP_HEAD_SIZE, false };
    int rc = body_read(&body, &message);
    if (rc < 0)
        return rc;
    *ret_used = size;
    *ret = message;
    return 0;
}

/* ---- responses ---- */

static uint8_t *response_add(struct ninep_response *response, uint32_t size)
{
    assert(size <= NINEP_RESPONSE_MAX - response->size);
    uint8_t *at = response->data + response->size;
    response->size += size;
    return at;
}

void ninep_put_u8(struct ninep_response *response, uint8_t value)
{
    *response_add(response, 1) = value;
}

void ninep_put_u16(struct ninep_response *response, uint16_t value)
{
    uint8_t *at = response_add(response, 2);
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

void ninep_put_u32(struct ninep_response *response, uint32_t value)
{
    bytes_put_u32(response_add(response, 4), value);
}

void ninep_put_u64(struct ninep_response *response, uint64_t value)
{
    bytes_put_u64(response_add(response, 8), value);
}

void ninep_put_text(struct ninep_response *response, struct span text)
{
    ninep_put_u16(response, (uint16_t)text.size);
    if (text.size)
        memcpy(response_add(response, (uint32_t)text.size), text.data, text.size);
}

void ninep_put_qid(struct ninep_response *response, const struct ninep_qid *qid)
{
    ninep_put_u8(response, qid->type);
    ninep_put_u32(response, 0); /* its version: nothing changes */
    ninep_put_u64(response, qid->path);
}

void ninep_response_begin(struct ninep_response *response, uint8_t type, uint16_t tag)
{
    response->size = 0;
    ninep_put_u32(response, 0);
    ninep_put_u8(response, type);
    ninep_put_u16(response, tag);
}

void ninep_response_end(struct ninep_response *response, uint32_t more)
{
    bytes_put_u32(response->data, response->size + more);
}
