/* SPDX-License-Identifier: Apache-2.0 */
/* log_maker - writes Darshan logs for the tests: any format, byte order, compression.
 */
#include "source/darshan/test/log_maker.h"

#include <assert.h>
#include <bzlib.h>
#include <zlib.h>

void log_maker_done(struct log_maker *m)
{
    strbuf_done(&m->job);
    strbuf_done(&m->names);
    for (size_t i = 0; i < DARSHAN_SLOTS_MAX; i++)
        strbuf_done(&m->slots[i]);
}

unsigned log_slot(const struct log_maker *m, enum darshan_module_id id)
{
    unsigned slot = id;
    if (m->number < 341 && slot > DARSHAN_PNETCDF_VAR)
        slot--;
    if (m->number < 320 && slot > DARSHAN_H5D)
        slot--;
    return slot;
}

static void put(const struct log_maker *m, uint8_t *to, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[m->is_big ? size - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

void log_u64(const struct log_maker *m, struct strbuf *to, uint64_t value)
{
    uint8_t bytes[8];
    put(m, bytes, value, 8);
    strbuf_add(to, bytes, 8);
}

void log_double(const struct log_maker *m, struct strbuf *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    log_u64(m, to, bits);
}

void log_text(struct strbuf *to, const char *text, size_t size)
{
    size_t n = strlen(text);
    assert(n <= size);
    strbuf_add(to, text, n);
    for (; n < size; n++)
        strbuf_add(to, "", 1);
}

void log_job(struct log_maker *m, const char *metadata, const char *texts)
{
    bool has_ns = m->number >= 341;
    log_u64(m, &m->job, 1000);
    log_u64(m, &m->job, 1500000000 + m->later_s);
    if (has_ns)
        log_u64(m, &m->job, 250000000);
    log_u64(m, &m->job, 1500000060 + m->later_s);
    if (has_ns)
        log_u64(m, &m->job, 750000000);
    log_u64(m, &m->job, 4);
    log_u64(m, &m->job, 4711);
    log_text(&m->job, metadata, 1024);
    strbuf_adds(&m->job, texts);
    strbuf_add(&m->job, "", 1);
}

void log_name(struct log_maker *m, uint64_t id, const char *name)
{
    log_u64(m, &m->names, id);
    if (m->number < 310) {
        uint8_t size[4];
        put(m, size, strlen(name), 4);
        strbuf_add(&m->names, size, 4);
        strbuf_adds(&m->names, name);
    } else {
        strbuf_add(&m->names, name, strlen(name) + 1);
    }
}

static void add_member(const struct log_maker *m, struct strbuf *out, const char *data,
                       size_t size)
{
    if (m->compression == DARSHAN_PLAIN) {
        strbuf_add(out, data, size);
        return;
    }
    size_t room = size + size / 50 + 1024;
    AUTO_FREE char *packed = malloc(room);
    assert(packed);
    if (m->compression == DARSHAN_ZLIB) {
        uLongf got = room;
        int rc = compress((Bytef *)packed, &got, (const Bytef *)data, size);
        assert(rc == Z_OK);
        strbuf_add(out, packed, got);
    } else {
        unsigned got = (unsigned)room;
        AUTO_FREE char *copy = malloc(size + 1);
        assert(copy);
        memcpy(copy, data, size);
        int rc = BZ2_bzBuffToBuffCompress(packed, &got, copy, (unsigned)size, 1, 0, 0);
        assert(rc == BZ_OK);
        strbuf_add(out, packed, got);
    }
}

/* Put the region behind out, and where it is at map in out. */
static void add_region(const struct log_maker *m, struct strbuf *out, size_t map,
                       const struct strbuf *region)
{
    size_t from = out->size;
    unsigned members = m->members > 0 ? m->members : 1;
    if (region->size == 0)
        return;
    for (unsigned i = 0; i < members; i++) {
        size_t begin = region->size * i / members;
        size_t end = region->size * (i + 1) / members;
        add_member(m, out, region->data + begin, end - begin);
    }
    if (map > 0) {
        put(m, (uint8_t *)out->data + map, from, 8);
        put(m, (uint8_t *)out->data + map + 8, out->size - from, 8);
    }
}

void log_make(const struct log_maker *m, struct strbuf *out)
{
    bool is_wide = m->number >= 341;
    unsigned slots = is_wide ? 64 : 16;
    size_t maps = is_wide ? 32 : 24;
    size_t versions = maps + 16 + (size_t)slots * 16;
    strbuf_clear(out);
    for (size_t i = 0; i < versions + (size_t)slots * 4; i++)
        strbuf_add(out, "", 1);
    char text[16];
    (void)snprintf(text, sizeof text, "%u.%02u", m->number / 100, m->number % 100);
    memcpy(out->data, text, 4);
    put(m, (uint8_t *)out->data + 8, 6567223, 8);
    out->data[16] = (char)m->compression;
    put(m, (uint8_t *)out->data + (is_wide ? 24 : 20), m->partial, is_wide ? 8 : 4);
    for (unsigned i = 0; i < slots; i++)
        put(m, (uint8_t *)out->data + versions + (size_t)i * 4, m->versions[i], 4);
    add_region(m, out, 0, &m->job);
    add_region(m, out, maps, &m->names);
    for (unsigned i = 0; i < slots; i++)
        add_region(m, out, maps + 16 + (size_t)i * 16, &m->slots[i]);
    assert(strbuf_error(out) == 0);
}
