/* SPDX-License-Identifier: Apache-2.0 */
/* rest_document - a document of JSON as rows of a table. */
#include "bmc/box/rest_document.h"

#include "base/json_reader.h"
#include "base/span.h"

#define DEPTH_MAX 16
#define TOKEN_BYTES_MAX ((size_t)16 << 10)

struct document {
    const struct mapping_table *table;
    struct box_rows *rows;
    char pointer[REST_POINTER_BYTES]; /* of the value that comes next */
    size_t size;                      /* of it */
    size_t end[DEPTH_MAX + 1];        /* of the pointer to the container at a depth */
    uint64_t next[DEPTH_MAX + 1];     /* of an array: its next element */
    bool is_array[DEPTH_MAX + 1];
    bool is_too_long; /* of the pointer: nothing is read below it */
};

/* A pointer of RFC 6901: ~ and / within a key are ~0 and ~1. */
static void segment_add(struct document *d, unsigned depth, struct span key)
{
    d->size = d->end[depth];
    d->is_too_long = d->size + 2 * key.size + 1 >= sizeof d->pointer;
    if (d->is_too_long)
        return;
    d->pointer[d->size++] = '/';
    for (size_t i = 0; i < key.size; i++) {
        char byte = key.data[i];
        if (byte == '~' || byte == '/') {
            d->pointer[d->size++] = '~';
            byte = byte == '~' ? '0' : '1';
        }
        d->pointer[d->size++] = byte;
    }
}

/* An element of an array has its number as its key. */
static void element_begin(struct document *d, unsigned depth)
{
    char number[24];
    if (depth == 0) {
        d->size = 0;
        d->is_too_long = false;
        return;
    }
    if (!d->is_array[depth - 1])
        return; /* its key has come */
    int size = snprintf(number, sizeof number, "%llu",
                        (unsigned long long)d->next[depth - 1]++);
    segment_add(d, depth - 1, (struct span){ number, (size_t)size });
}

static void container_begin(struct document *d, enum json_event event, unsigned depth)
{
    d->is_array[depth] = event == JSON_ARRAY;
    d->next[depth] = 0;
    /* Of one whose own pointer is too long none of its members' fits, either. */
    d->end[depth] = d->is_too_long ? sizeof d->pointer : d->size;
}

/* Whether the pointer is that of a row and below; its index and the rest of it.  One
 * with an index that does not fit is counted. */
static bool row_match(const struct document *d, char index[static BMC_ID_BYTES + 1],
                      size_t *ret_size, struct span *ret_rest)
{
    struct span pointer = { d->pointer, d->size }, wanted = span_of(d->table->items);
    size_t used = 0;
    while (wanted.size > 0) {
        struct span have, segment;
        if (pointer.size == 0)
            return false;
        wanted = span_skip(wanted, 1);
        pointer = span_skip(pointer, 1);
        const char *end = memchr(wanted.data, '/', wanted.size);
        segment = (struct span){ wanted.data,
                                 end ? (size_t)(end - wanted.data) : wanted.size };
        end = memchr(pointer.data, '/', pointer.size);
        have = (struct span){ pointer.data,
                              end ? (size_t)(end - pointer.data) : pointer.size };
        wanted = span_skip(wanted, segment.size);
        pointer = span_skip(pointer, have.size);
        bool is_star = span_is(segment, "*");
        if (!is_star && !span_eq(segment, have))
            return false;
        if (!is_star)
            continue;
        if (used + have.size + 1 > BMC_ID_BYTES) {
            d->rows->lost++;
            return false;
        }
        if (used > 0)
            index[used++] = '.';
        memcpy(index + used, have.data, have.size);
        used += have.size;
    }
    *ret_size = used;
    *ret_rest = pointer;
    return true;
}

static void scalar(struct document *d, struct span text)
{
    char index[BMC_ID_BYTES + 1];
    size_t size;
    struct span rest;
    d->rows->lost += d->is_too_long;
    if (d->is_too_long || !row_match(d, index, &size, &rest))
        return;
    const struct span one = SPAN("0"); /* a document that is one row */
    for (size_t i = 0; i < MAPPING_COLUMN_COUNT; i++) {
        const char *column = d->table->column[i];
        /* "/" alone: the row is the value itself. */
        bool is_it = strcmp(column, "/") == 0 ? rest.size == 0 : span_is(rest, column);
        if (column[0] && is_it)
            box_rows_set(d->rows, size > 0 ? (struct span){ index, size } : one,
                         (enum mapping_column)i, text);
    }
}

static int on_document_event(void *arg, enum json_event event, struct span text,
                             unsigned depth)
{
    struct document *d = arg;
    switch (event) {
    case JSON_KEY:
        segment_add(d, depth, text);
        return 0;
    case JSON_OBJECT:
    case JSON_ARRAY:
        element_begin(d, depth);
        container_begin(d, event, depth);
        return 0;
    case JSON_OBJECT_END:
    case JSON_ARRAY_END:
        return 0;
    case JSON_NULL:
        element_begin(d, depth);
        return 0;
    case JSON_TRUE:
        text = SPAN("true");
        break;
    case JSON_FALSE:
        text = SPAN("false");
        break;
    default:
        break;
    }
    element_begin(d, depth);
    scalar(d, text);
    return 0;
}

int rest_document_read(struct span text, const struct mapping_table *table,
                       struct box_rows *rows, struct err *err)
{
    static const struct json_reader_opts opts = { .depth_max = DEPTH_MAX,
                                                  .token_bytes_max = TOKEN_BYTES_MAX };
    struct document document = { .table = table, .rows = rows };
    AUTO(json_reader_done) struct json_reader reader;
    json_reader_init(&reader, &opts, on_document_event, &document);
    int rc = json_reader_feed(&reader, text.data, text.size, err);
    return rc < 0 ? rc : json_reader_finish(&reader, err);
}
