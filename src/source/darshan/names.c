/* SPDX-License-Identifier: Apache-2.0 */
/* names - record id -> the path of the file it is about. */
#include "source/darshan/names.h"

/* Darshan itself knows no limit; a path of Linux has 4 KiB, and a data set inside a
 * file adds its own. */
#define NAME_BYTES_MAX ((size_t)65536)
/* What an entry of the table costs beside the text, about: it counts as well. */
#define ENTRY_BYTES ((size_t)72)
#define NUMBER_WITH_NUL 310 /* before it, each name had its length before it */

void darshan_names_init(struct darshan_names *names, size_t bytes_max)
{
    *names = (struct darshan_names){ 0 };
    arena_init(&names->arena, bytes_max);
}

void darshan_names_done(struct darshan_names *names)
{
    arena_done(&names->arena);
    hashmap_done(&names->map);
}

static struct span id_key(const uint64_t *id)
{
    return (struct span){ (const char *)id, sizeof *id };
}

static int put(struct darshan_names *names, uint64_t id, struct span name)
{
    bool is_new = false;
    if (hashmap_get(&names->map, id_key(&id)))
        return 0;
    size_t used = names->arena.used_bytes + names->map.count * ENTRY_BYTES;
    if (names->arena.bytes_max > 0 && used + name.size > names->arena.bytes_max) {
        names->left_out++;
        return 0;
    }
    const char *text = arena_dup(&names->arena, name);
    if (!text)
        return -ENOMEM;
    uintptr_t *value = hashmap_put(&names->map, id_key(&id), &is_new);
    if (!value)
        return -ENOMEM;
    *value = (uintptr_t)text;
    return 0;
}

/* One name into text.  False at the end of the stream. */
static bool read_name(struct darshan_stream *s, const struct darshan_header *header,
                      struct strbuf *text)
{
    if (header->number >= NUMBER_WITH_NUL)
        return darshan_stream_text(s, text, NAME_BYTES_MAX);
    uint8_t data[4];
    if (darshan_stream_read(s, data, sizeof data) < sizeof data)
        return false;
    size_t size = darshan_u32(data, header->is_big);
    if (size > NAME_BYTES_MAX)
        return false;
    return darshan_stream_append(s, text, size) == size;
}

int darshan_names_read(struct darshan_names *names, struct darshan_stream *s,
                       const struct darshan_header *header)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    uint8_t id[8];
    while (darshan_stream_read(s, id, sizeof id) == sizeof id) {
        strbuf_clear(&text);
        if (!read_name(s, header, &text)) {
            names->left_out++; /* the rest cannot be distinguished any more */
            break;
        }
        if (strbuf_error(&text) < 0)
            return strbuf_error(&text);
        struct span name = strbuf_span(&text);
        name.size = strnlen(name.data, name.size);
        int rc = put(names, darshan_u64(id, header->is_big), name);
        if (rc < 0)
            return rc;
    }
    return 0;
}

const char *darshan_names_get(const struct darshan_names *names, uint64_t id)
{
    const uintptr_t *value = hashmap_get(&names->map, id_key(&id));
    return value ? (const char *)*value : NULL;
}
