/* SPDX-License-Identifier: Apache-2.0 */
/* header - the first bytes of a log: version, byte order, and where everything is. */
#include "source/darshan/header.h"

#include "base/number.h"

#include <bzlib.h>
#include <ctype.h>
#include <zlib.h>

#define MAGIC UINT64_C(6567223)
#define HEADER_BYTES_MAX 1328
#define NUMBER_OLDEST 300
#define NUMBER_NEWEST 341
#define NUMBER_WITH_H5D 320 /* from here on H5D has a slot of its own */
#define NUMBER_64_SLOTS 341 /* from here on 64 slots, and one for PNETCDF_VAR */
#define OLD_TEXT_BYTES 16

const char *darshan_compression_name(enum darshan_compression compression)
{
    static const char *const names[] = { "ZLIB", "BZIP2", "NONE" };
    return names[compression];
}

/* The first plain bytes of a log that is compressed as a whole, as all before 3.00 are.
 */
static size_t old_head(const uint8_t *data, size_t size, char out[OLD_TEXT_BYTES])
{
    if (size > 2 && data[0] == 0x1f && data[1] == 0x8b) {
        z_stream z = { .next_in = (Bytef *)(uintptr_t)data,
                       .avail_in = (uInt)size,
                       .next_out = (Bytef *)out,
                       .avail_out = OLD_TEXT_BYTES };
        if (inflateInit2(&z, 15 + 16) != Z_OK)
            return 0;
        (void)inflate(&z, Z_SYNC_FLUSH);
        (void)inflateEnd(&z);
        return OLD_TEXT_BYTES - z.avail_out;
    }
    if (size > 3 && memcmp(data, "BZh", 3) == 0) {
        bz_stream bz = { .next_in = (char *)(uintptr_t)data,
                         .avail_in = (unsigned)size,
                         .next_out = out,
                         .avail_out = OLD_TEXT_BYTES };
        if (BZ2_bzDecompressInit(&bz, 0, 0) != BZ_OK)
            return 0;
        (void)BZ2_bzDecompress(&bz);
        (void)BZ2_bzDecompressEnd(&bz);
        return OLD_TEXT_BYTES - bz.avail_out;
    }
    return 0;
}

/* "3.21" -> 321; 0 when it is no version. */
static unsigned version_number(const char *text, size_t size)
{
    size_t n = strnlen(text, size);
    if (n != 4 || text[1] != '.' || !isdigit((unsigned char)text[0]) ||
        !isdigit((unsigned char)text[2]) || !isdigit((unsigned char)text[3]))
        return 0;
    return (unsigned)((text[0] - '0') * 100 + (text[2] - '0') * 10 + text[3] - '0');
}

static int refuse_old(const uint8_t *data, size_t size, struct err *err)
{
    char text[OLD_TEXT_BYTES];
    size_t n = old_head(data, size, text);
    unsigned number = version_number(text, n);
    if (number == 0)
        return err_set(err, EBADMSG, "not a Darshan log");
    if (number >= NUMBER_OLDEST)
        return err_set(err, ENOTSUP,
                       "a log of format %u.%02u, packed as a whole: unpack it first",
                       number / 100, number % 100);
    return err_set(err, ENOTSUP,
                   "format %u.%02u is not supported: convert with darshan-convert",
                   number / 100, number % 100);
}

/* Which module has this slot: the enumeration grew in the middle twice. */
static enum darshan_module_id slot_module(unsigned number, unsigned slot)
{
    unsigned id = slot;
    if (number < NUMBER_WITH_H5D && id >= DARSHAN_H5D)
        id++;
    if (number < NUMBER_64_SLOTS && id >= DARSHAN_PNETCDF_VAR)
        id++;
    return id < DARSHAN_UNKNOWN ? (enum darshan_module_id)id : DARSHAN_UNKNOWN;
}

static struct darshan_region region_at(const uint8_t *p, bool is_big)
{
    return (struct darshan_region){ darshan_u64(p, is_big),
                                    darshan_u64(p + 8, is_big) };
}

/* The job's region has no entry: it lies between the header and what comes first. */
static struct darshan_region job_region(const struct darshan_header *h,
                                        uint64_t file_size)
{
    uint64_t end = file_size;
    if (h->names.offset > h->size)
        end = h->names.offset;
    for (unsigned i = 0; i < h->slot_count; i++) {
        const struct darshan_region *r = &h->slots[i].region;
        if (r->size > 0 && r->offset > h->size && r->offset < end)
            end = r->offset;
    }
    return (struct darshan_region){ h->size, end > h->size ? end - h->size : 0 };
}

static void read_slots(struct darshan_header *h, const uint8_t *data)
{
    bool is_wide = h->number >= NUMBER_64_SLOTS;
    uint64_t partial =
        is_wide ? darshan_u64(data + 24, h->is_big) : darshan_u32(data + 20, h->is_big);
    const uint8_t *maps = data + (is_wide ? 32 : 24);
    const uint8_t *versions = maps + 16 + (size_t)h->slot_count * 16;
    h->names = region_at(maps, h->is_big);
    for (unsigned i = 0; i < h->slot_count; i++) {
        struct darshan_slot *slot = &h->slots[i];
        slot->id = slot_module(h->number, i);
        slot->version = darshan_u32(versions + (size_t)i * 4, h->is_big);
        slot->is_partial = (partial >> i) & 1;
        slot->region = region_at(maps + 16 + (size_t)i * 16, h->is_big);
    }
}

int darshan_header_read(const struct darshan_input *in, struct darshan_header *ret,
                        struct err *err)
{
    uint8_t data[HEADER_BYTES_MAX] = { 0 };
    size_t got = 0;
    int rc = darshan_input_read(in, 0, data, sizeof data, &got);
    if (rc < 0)
        return err_set(err, -rc, "cannot be read: %s", strerror(-rc));
    struct darshan_header h = { 0 };
    bool is_little = darshan_u64(data + 8, false) == MAGIC;
    h.is_big = darshan_u64(data + 8, true) == MAGIC;
    if (got < 16 || (!is_little && !h.is_big))
        return refuse_old(data, got, err);
    h.number = version_number((const char *)data, 8);
    if (h.number == 0)
        return err_set(err, EBADMSG, "not a Darshan log: it has no format version");
    memcpy(h.version, data, 4);
    if (h.number < NUMBER_OLDEST || h.number > NUMBER_NEWEST)
        return err_set(err, ENOTSUP, "format %s is not supported: 3.00 to 3.41 are",
                       h.version);
    h.slot_count = h.number >= NUMBER_64_SLOTS ? 64 : 16;
    h.size = h.number >= NUMBER_64_SLOTS ? 1328 : 360;
    if (got < h.size)
        return err_set(err, EBADMSG, "the log ends inside its header");
    if (data[16] > DARSHAN_PLAIN)
        return err_set(err, ENOTSUP, "compression method %u is not known", data[16]);
    h.compression = (enum darshan_compression)data[16];
    read_slots(&h, data);
    h.job = job_region(&h, in->size);
    *ret = h;
    return 0;
}
