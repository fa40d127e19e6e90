/* SPDX-License-Identifier: Apache-2.0 */
/* flat_json - JSON as a list of paths with values, in the order of the text. */
#include "migrate/flat_json.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 16

struct builder {
    struct flat_json flat;
    struct strbuf path;
    size_t sizes[DEPTH_MAX + 2]; /* of the path at each depth */
    size_t indexes[DEPTH_MAX + 2];
    bool is_array[DEPTH_MAX + 2];
};

void flat_json_done(struct flat_json *flat)
{
    for (size_t i = 0; i < flat->count; i++) {
        free(flat->items[i].path);
        free(flat->items[i].value);
    }
    free(flat->items);
    *flat = (struct flat_json){ 0 };
}

static void builder_done(struct builder *b)
{
    flat_json_done(&b->flat);
    strbuf_done(&b->path);
}
DEFINE_AUTO_DONE(struct builder, builder_done);

static void cut_path(struct builder *b, size_t size)
{
    if (b->path.size > size) {
        b->path.size = size;
        b->path.data[size] = '\0';
    }
}

static int add_item(struct builder *b, enum json_event type, struct span value)
{
    struct flat_json *flat = &b->flat;
    if (flat->count == flat->capacity) {
        size_t capacity = 2 * flat->capacity + 64;
        struct flat_json_item *items = realloc(flat->items, capacity * sizeof *items);
        if (!items)
            return -ENOMEM;
        flat->items = items;
        flat->capacity = capacity;
    }
    struct flat_json_item item = { .path = span_dup(strbuf_span(&b->path)),
                                   .value = span_dup(value),
                                   .is_null = type == JSON_NULL };
    if (!item.path || !item.value) {
        free(item.path);
        free(item.value);
        return -ENOMEM;
    }
    flat->items[flat->count++] = item;
    return 0;
}

static void add_name(struct builder *b, struct span name, unsigned depth)
{
    cut_path(b, b->sizes[depth]);
    if (b->path.size > 0)
        strbuf_addc(&b->path, '/');
    strbuf_add_span(&b->path, name);
}

/* A value within an array has its position for a name. */
static void name_value(struct builder *b, unsigned depth)
{
    char digits[NUMBER_DIGITS_MAX];
    if (depth == 0 || !b->is_array[depth - 1])
        return;
    size_t size = number_print_u64(digits, b->indexes[depth - 1]++);
    add_name(b, (struct span){ digits, size }, depth - 1);
}

static int read_event(void *arg, enum json_event event, struct span text,
                      unsigned depth)
{
    struct builder *b = arg;
    switch (event) {
    case JSON_KEY:
        add_name(b, text, depth);
        return b->path.size > FLAT_JSON_PATH_MAX ? -EMSGSIZE : strbuf_error(&b->path);
    case JSON_OBJECT:
    case JSON_ARRAY:
        name_value(b, depth);
        b->sizes[depth] = b->path.size;
        b->is_array[depth] = event == JSON_ARRAY;
        b->indexes[depth] = 0;
        return 0;
    case JSON_OBJECT_END:
    case JSON_ARRAY_END:
        cut_path(b, b->sizes[depth]);
        return 0;
    default:
        name_value(b, depth);
        return add_item(b, event,
                        event == JSON_TRUE    ? SPAN("true")
                        : event == JSON_FALSE ? SPAN("false")
                        : event == JSON_NULL  ? SPAN("null")
                                              : text);
    }
}

int flat_json_parse(struct span text, struct flat_json *ret, struct err *err)
{
    AUTO(json_reader_done) struct json_reader reader;
    AUTO(builder_done) struct builder b = { 0 };
    const struct json_reader_opts opts = { .depth_max = DEPTH_MAX };
    json_reader_init(&reader, &opts, read_event, &b);
    int rc = json_reader_feed(&reader, text.data, text.size, err);
    if (rc == 0)
        rc = json_reader_finish(&reader, err);
    if (rc < 0)
        return rc;
    *ret = b.flat;
    b.flat = (struct flat_json){ 0 };
    return 0;
}

const char *flat_json_use(struct flat_json *flat, const char *path)
{
    for (size_t i = 0; i < flat->count; i++) {
        struct flat_json_item *item = &flat->items[i];
        if (strcmp(item->path, path) != 0)
            continue;
        item->is_used = true;
        return !item->is_null && item->value[0] ? item->value : NULL;
    }
    return NULL;
}
