/* SPDX-License-Identifier: Apache-2.0 */
/* record - what one module says about one file and one rank, or all ranks together. */
#include "source/darshan/record.h"

#include "source/darshan/autoperf.h"

#define BASE_BYTES 16
#define UUID_BYTES 16
#define TAIL_BYTES_MAX 48
#define FIXED_BYTES_MAX                    \
    (BASE_BYTES + 8 + 8 + TAIL_BYTES_MAX + \
     (DARSHAN_COUNTERS_MAX + DARSHAN_F_COUNTERS_MAX) * 8)
#define COMPONENT_BYTES 72
#define POOL_BYTES 16
#define HEATMAP_BYTES \
    32               /* behind the base record; 16 of them are the writer's pointers */
#define DXT_BYTES 88 /* behind the base record */
#define HOSTNAME_BYTES 64
#define SEGMENT_BYTES 32
#define SEGMENTS_AT_ONCE 512

static size_t runs_count(const struct darshan_run *runs)
{
    size_t count = 0;
    for (size_t i = 0; i < DARSHAN_RUNS_MAX && runs[i].count > 0; i++)
        count += runs[i].count;
    return count;
}

/* The record's base, and whether there is one more. */
static bool read_base(const struct darshan_reader *r, struct darshan_stream *s,
                      struct darshan_record *record, int *ret_rc)
{
    uint8_t data[BASE_BYTES];
    size_t got = darshan_stream_read(s, data, sizeof data);
    *ret_rc = got > 0 && got < sizeof data ? -EBADMSG : 0;
    if (got < sizeof data)
        return false;
    record->id = darshan_u64(data, r->is_big);
    record->rank = darshan_i64(data + 8, r->is_big);
    return true;
}

/* ---- counters ---- */

static const uint8_t *place_counters(const struct darshan_layout *layout,
                                     const uint8_t *p, bool is_big, int64_t *counters)
{
    uint64_t is_set[2] = { 0 };
    for (size_t i = 0; i < DARSHAN_RUNS_MAX; i++) {
        struct darshan_run run = layout->counters[i];
        for (size_t k = 0; k < run.count; k++, p += 8) {
            if (run.to == DARSHAN_DROP)
                continue;
            size_t to = run.to + k;
            uint64_t bit = UINT64_C(1) << (to % 64);
            uint64_t value = darshan_u64(p, is_big);
            if (is_set[to / 64] & bit)
                value += (uint64_t)counters[to];
            is_set[to / 64] |= bit;
            counters[to] = (int64_t)value;
        }
    }
    return p;
}

static const uint8_t *place_f_counters(const struct darshan_layout *layout,
                                       const uint8_t *p, bool is_big,
                                       double *f_counters)
{
    for (size_t i = 0; i < DARSHAN_RUNS_MAX; i++) {
        struct darshan_run run = layout->f_counters[i];
        for (size_t k = 0; k < run.count; k++, p += 8)
            f_counters[run.to + k] = darshan_double(p, is_big);
    }
    return p;
}

static void tail_decode(const struct darshan_layout *layout, const uint8_t *p,
                        bool is_big, struct darshan_record *record)
{
    if (layout->tail_bytes < 2 * UUID_BYTES)
        return;
    record->pool = p;
    record->container = p + UUID_BYTES;
    for (size_t i = 0; i < 2 && layout->tail_bytes == TAIL_BYTES_MAX; i++)
        record->object[i] = darshan_u64(p + 2 * UUID_BYTES + i * 8, is_big);
}

static int read_counters(struct darshan_reader *r, struct darshan_stream *s,
                         const struct darshan_visitor *visitor)
{
    const struct darshan_module *module = darshan_module(r->slot->id);
    const struct darshan_layout *layout = &module->layouts[r->slot->version - 1];
    size_t head = layout->pad_bytes + (layout->has_file_id ? 8u : 0u);
    size_t size = head +
                  8 * (runs_count(layout->counters) + runs_count(layout->f_counters)) +
                  layout->tail_bytes;
    uint8_t data[FIXED_BYTES_MAX];
    int64_t counters[DARSHAN_COUNTERS_MAX];
    double f_counters[DARSHAN_F_COUNTERS_MAX];
    struct darshan_record record = { .module = module,
                                     .version = r->slot->version,
                                     .counters = counters,
                                     .f_counters = f_counters };
    int rc = 0;
    while (rc == 0 && read_base(r, s, &record, &rc)) {
        if (darshan_stream_read(s, data, size) < size)
            return -EBADMSG;
        for (size_t i = 0; i < module->counter_count; i++)
            counters[i] = -1;
        for (size_t i = 0; i < module->f_counter_count; i++)
            f_counters[i] = -1;
        if (layout->zero > 0)
            counters[layout->zero] = 0;
        if (layout->has_file_id)
            record.file_id = darshan_u64(data + layout->pad_bytes, r->is_big);
        const uint8_t *p = place_counters(layout, data + head, r->is_big, counters);
        p = place_f_counters(layout, p, r->is_big, f_counters);
        tail_decode(layout, p, r->is_big, &record);
        if (layout->omit_if > 0 &&
            darshan_i64(data + head + 8 * (size_t)layout->omit_if, r->is_big) > 0) {
            r->omitted++;
            continue;
        }
        r->count++;
        rc = visitor->record(visitor->arg, &record);
    }
    return rc;
}

/* ---- Lustre ---- */

/* size bytes into buf, which is emptied first. */
static int read_bytes(const struct darshan_reader *r, struct darshan_stream *s,
                      uint64_t size, struct strbuf *buf)
{
    strbuf_clear(buf);
    if (size > r->record_bytes_max)
        return -EFBIG;
    size_t got = darshan_stream_append(s, buf, (size_t)size);
    if (strbuf_error(buf) < 0)
        return strbuf_error(buf);
    return got < size ? -EBADMSG : 0;
}

static void decode_i64(const uint8_t *p, size_t count, bool is_big, int64_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = darshan_i64(p + i * 8, is_big);
}

struct lustre {
    struct strbuf bytes;
    struct darshan_component *components;
    int64_t *ost_ids;
};

static void lustre_done(struct lustre *l)
{
    strbuf_done(&l->bytes);
    free(l->components);
    free(l->ost_ids);
}
DEFINE_AUTO_DONE(struct lustre, lustre_done);

static int lustre_room(struct lustre *l, size_t components, size_t osts)
{
    free(l->components);
    free(l->ost_ids);
    l->components = calloc(components + 1, sizeof *l->components);
    l->ost_ids = calloc(osts + 1, sizeof *l->ost_ids);
    return l->components && l->ost_ids ? 0 : -ENOMEM;
}

/* Version 1: one component, of which the number of servers stands first. */
static int lustre_first(struct darshan_reader *r, struct darshan_stream *s,
                        struct lustre *l, struct darshan_record *record)
{
    uint8_t data[5 * 8];
    if (darshan_stream_read(s, data, sizeof data) < sizeof data)
        return -EBADMSG;
    int64_t size = darshan_i64(data + 24, r->is_big);
    int64_t width = darshan_i64(data + 32, r->is_big);
    if (width < 0 || (uint64_t)width > r->record_bytes_max / 8)
        return width < 0 ? -EBADMSG : -EFBIG;
    /* The writer's structure has room for one server, used or not. */
    int rc = read_bytes(r, s, (width > 0 ? (uint64_t)width : 1) * 8, &l->bytes);
    if (rc == 0)
        rc = lustre_room(l, 1, (size_t)width);
    if (rc < 0)
        return rc;
    decode_i64((const uint8_t *)l->bytes.data, (size_t)width, r->is_big, l->ost_ids);
    l->components[0] = (struct darshan_component){ .stripe_size_bytes = size,
                                                   .stripe_count = width,
                                                   .pattern = -1,
                                                   .flags = -1,
                                                   .extent_end_bytes = -1,
                                                   .mirror_id = -1,
                                                   .ost_ids = l->ost_ids,
                                                   .ost_count = (size_t)width };
    record->component_count = 1;
    record->stripe_count = width;
    return 0;
}

#define FLAG_INIT 0x10

/* A component whose first byte was never written has a stripe count but no servers yet.
 * Where the counts say more stripes than there are, only the initialised ones have any.
 */
static bool has_osts(const struct darshan_component *c, bool are_all)
{
    return c->stripe_count > 0 && (are_all || c->flags <= 0 || (c->flags & FLAG_INIT));
}

/* Deal the servers out, component after component. */
static void deal_osts(struct lustre *l, size_t comps, size_t osts)
{
    size_t used = 0;
    uint64_t wanted = 0;
    for (size_t i = 0; i < comps; i++)
        if (l->components[i].stripe_count > 0)
            wanted += (uint64_t)l->components[i].stripe_count;
    for (size_t i = 0; i < comps; i++) {
        struct darshan_component *c = &l->components[i];
        size_t left = osts - used;
        c->ost_ids = l->ost_ids + used;
        if (has_osts(c, wanted == osts))
            c->ost_count =
                (uint64_t)c->stripe_count < left ? (size_t)c->stripe_count : left;
        used += c->ost_count;
    }
}

static void component_decode(const uint8_t *p, bool is_big, struct darshan_component *c)
{
    int64_t numbers[7];
    decode_i64(p, COUNT_OF(numbers), is_big, numbers);
    c->stripe_size_bytes = numbers[0];
    c->stripe_count = numbers[1];
    c->pattern = numbers[2];
    c->flags = numbers[3];
    c->extent_start_bytes = numbers[4];
    c->extent_end_bytes = numbers[5];
    c->mirror_id = numbers[6];
    memcpy(c->pool, p + sizeof numbers, POOL_BYTES);
    c->pool[POOL_BYTES] = '\0';
}

static int lustre_second(struct darshan_reader *r, struct darshan_stream *s,
                         struct lustre *l, struct darshan_record *record)
{
    uint8_t data[2 * 8];
    if (darshan_stream_read(s, data, sizeof data) < sizeof data)
        return -EBADMSG;
    int64_t comps = darshan_i64(data, r->is_big);
    int64_t osts = darshan_i64(data + 8, r->is_big);
    if (comps < 0 || osts < 0)
        return -EBADMSG;
    if ((uint64_t)comps > r->record_bytes_max / COMPONENT_BYTES ||
        (uint64_t)osts > r->record_bytes_max / 8)
        return -EFBIG;
    uint64_t comps_bytes = (uint64_t)comps * COMPONENT_BYTES;
    int rc = read_bytes(r, s, comps_bytes + (uint64_t)osts * 8, &l->bytes);
    if (rc == 0)
        rc = lustre_room(l, (size_t)comps, (size_t)osts);
    if (rc < 0)
        return rc;
    const uint8_t *p = (const uint8_t *)l->bytes.data;
    if (osts > 0)
        decode_i64(p + comps_bytes, (size_t)osts, r->is_big, l->ost_ids);
    for (size_t i = 0; i < (size_t)comps; i++)
        component_decode(p + i * COMPONENT_BYTES, r->is_big, &l->components[i]);
    deal_osts(l, (size_t)comps, (size_t)osts);
    record->component_count = (size_t)comps;
    record->stripe_count = osts;
    return 0;
}

static int read_lustre(struct darshan_reader *r, struct darshan_stream *s,
                       const struct darshan_visitor *visitor)
{
    AUTO(lustre_done) struct lustre l = { 0 };
    struct darshan_record record = { .module = darshan_module(r->slot->id),
                                     .version = r->slot->version };
    int rc = 0;
    while (rc == 0 && read_base(r, s, &record, &rc)) {
        rc = r->slot->version == 1 ? lustre_first(r, s, &l, &record)
                                   : lustre_second(r, s, &l, &record);
        if (rc < 0)
            return rc;
        record.components = l.components;
        r->count++;
        rc = visitor->record(visitor->arg, &record);
    }
    return rc;
}

/* ---- heat map ---- */

static int read_heatmap(struct darshan_reader *r, struct darshan_stream *s,
                        const struct darshan_visitor *visitor)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct darshan_record record = { .module = darshan_module(r->slot->id),
                                     .version = r->slot->version };
    int rc = 0;
    while (rc == 0 && read_base(r, s, &record, &rc)) {
        uint8_t data[HEATMAP_BYTES];
        if (darshan_stream_read(s, data, sizeof data) < sizeof data)
            return -EBADMSG;
        int64_t bins = darshan_i64(data + 8, r->is_big);
        if (bins < 0 || (uint64_t)bins > r->record_bytes_max / 16)
            return bins < 0 ? -EBADMSG : -EFBIG;
        rc = read_bytes(r, s, (uint64_t)bins * 16, &bytes);
        if (rc < 0)
            return rc;
        AUTO_FREE int64_t *values = malloc((size_t)bins * 16 + 1);
        if (!values)
            return -ENOMEM;
        decode_i64((const uint8_t *)strbuf_text(&bytes), (size_t)bins * 2, r->is_big,
                   values);
        record.bin_width_s = darshan_double(data, r->is_big);
        record.bin_count = (size_t)bins;
        record.write_bins = values;
        record.read_bins = values + bins;
        r->count++;
        rc = visitor->record(visitor->arg, &record);
    }
    return rc;
}

/* ---- extended tracing ---- */

static int read_segments(struct darshan_reader *r, struct darshan_stream *s,
                         const struct darshan_visitor *visitor,
                         enum darshan_direction direction, uint64_t count)
{
    uint8_t data[SEGMENTS_AT_ONCE * SEGMENT_BYTES];
    struct darshan_segment segments[SEGMENTS_AT_ONCE];
    bool has_offsets = r->slot->id != DARSHAN_DXT_MPIIO || r->slot->version > 1;
    while (count > 0) {
        size_t n = count < SEGMENTS_AT_ONCE ? (size_t)count : SEGMENTS_AT_ONCE;
        size_t got = darshan_stream_read(s, data, n * SEGMENT_BYTES) / SEGMENT_BYTES;
        for (size_t i = 0; i < got; i++) {
            const uint8_t *p = data + i * SEGMENT_BYTES;
            segments[i].offset_bytes = has_offsets ? darshan_i64(p, r->is_big) : -1;
            segments[i].length_bytes = darshan_i64(p + 8, r->is_big);
            segments[i].start_s = darshan_double(p + 16, r->is_big);
            segments[i].end_s = darshan_double(p + 24, r->is_big);
        }
        int rc = 0;
        if (got > 0)
            rc = visitor->segments(visitor->arg, direction, segments, got);
        if (rc != 0)
            return rc;
        if (got < n)
            return -EBADMSG;
        count -= n;
    }
    return 0;
}

static int tell_segments(struct darshan_reader *r, struct darshan_stream *s,
                         const struct darshan_visitor *visitor,
                         const struct darshan_record *record)
{
    if (!visitor->segments) {
        uint64_t size = (record->write_count + record->read_count) * SEGMENT_BYTES;
        return darshan_stream_skip(s, size) < size ? -EBADMSG : 0;
    }
    int rc = read_segments(r, s, visitor, DARSHAN_WRITE, record->write_count);
    if (rc == 0)
        rc = read_segments(r, s, visitor, DARSHAN_READ, record->read_count);
    return rc;
}

static int read_dxt(struct darshan_reader *r, struct darshan_stream *s,
                    const struct darshan_visitor *visitor)
{
    char hostname[HOSTNAME_BYTES + 1] = "";
    struct darshan_record record = { .module = darshan_module(r->slot->id),
                                     .version = r->slot->version,
                                     .hostname = hostname };
    int rc = 0;
    while (rc == 0 && read_base(r, s, &record, &rc)) {
        uint8_t data[DXT_BYTES];
        if (darshan_stream_read(s, data, sizeof data) < sizeof data)
            return -EBADMSG;
        memcpy(hostname, data + 8, HOSTNAME_BYTES);
        record.write_count = darshan_u64(data + 72, r->is_big);
        record.read_count = darshan_u64(data + 80, r->is_big);
        /* Nothing is held in memory, so that only the sum of bytes must be a number. */
        if (record.write_count > UINT32_MAX || record.read_count > UINT32_MAX)
            return -EBADMSG;
        r->count++;
        rc = visitor->record(visitor->arg, &record);
        if (rc == 0)
            rc = tell_segments(r, s, visitor, &record);
    }
    return rc;
}

int darshan_records_read(struct darshan_reader *reader, struct darshan_stream *s,
                         const struct darshan_visitor *visitor)
{
    switch (darshan_module(reader->slot->id)->kind) {
    case DARSHAN_KIND_COUNTERS:
        return read_counters(reader, s, visitor);
    case DARSHAN_KIND_LUSTRE:
        return read_lustre(reader, s, visitor);
    case DARSHAN_KIND_HEATMAP:
        return read_heatmap(reader, s, visitor);
    case DARSHAN_KIND_DXT:
        return read_dxt(reader, s, visitor);
    case DARSHAN_KIND_AUTOPERF:
        return darshan_autoperf_read(reader, s, visitor);
    case DARSHAN_KIND_SKIPPED:
        break;
    }
    return 0;
}

/* ---- words ---- */

static void print_bits(struct strbuf *out, int64_t bits, const char *const *names,
                       size_t count)
{
    const char *comma = "";
    uint64_t rest = (uint64_t)bits;
    for (size_t i = 0; i < count; i++) {
        if (!((uint64_t)bits >> i & 1) || !names[i])
            continue;
        strbuf_addf(out, "%s%s", comma, names[i]);
        comma = ",";
        rest &= ~(UINT64_C(1) << i);
    }
    if (rest != 0)
        strbuf_addf(out, "%s0x%llx", comma, (unsigned long long)rest);
}

void darshan_pattern_print(struct strbuf *out, int64_t pattern)
{
    if (pattern == -1)
        strbuf_adds(out, "N/A");
    else if (pattern == 0)
        strbuf_adds(out, "raid0");
    else if (pattern == 2)
        strbuf_adds(out, "mdt");
    else if (pattern == 4)
        strbuf_adds(out, "raid0,overstriped");
    else
        strbuf_add_i64(out, pattern);
}

void darshan_flags_print(struct strbuf *out, int64_t flags)
{
    static const char *const names[] = { "stale",    "prefrd",  "prefwr",    "offline",
                                         "init",     "nosync",  "extension", "parity",
                                         "compress", "partial", "nocompr",   "neg" };
    if (flags == -1)
        strbuf_adds(out, "N/A");
    else if (flags == 0)
        strbuf_adds(out, "0");
    else
        print_bits(out, flags, names, COUNT_OF(names));
}
