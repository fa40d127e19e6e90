/* SPDX-License-Identifier: Apache-2.0 */
/* index - what a checkpoint states of one shard. */
#include "store/files/index.h"

#include "blocks/blocks.h"

#include <errno.h>

#define INDEX_VERSION 1
#define NEAR_BITS 4 /* samples near a border; above them, how contention slots were */
#define VARINT_BYTES_MAX 10
#define STATE_BYTES_MAX \
    (20 * VARINT_BYTES_MAX + 2 * CODEC_BYTES_MAX + SERIES_LATE_MAX * 20)

enum {
    RECORD_HEAD = 'H',
    RECORD_GROUP = 'S',
    RECORD_END = 'E',
};

static void put_varint(struct strbuf *out, uint64_t value)
{
    uint8_t bytes[VARINT_BYTES_MAX];
    struct bits_writer w = { bytes, 0 };
    bits_put_varint(&w, value);
    strbuf_add(out, bytes, w.size);
}

static void put_text(struct strbuf *out, struct span text)
{
    put_varint(out, text.size);
    strbuf_add_span(out, text);
}

void index_put_head(struct strbuf *out, const struct metric_table *metrics,
                    const struct index_file *files, size_t file_count)
{
    uint32_t count = metric_count(metrics);
    strbuf_addc(out, RECORD_HEAD);
    put_varint(out, INDEX_VERSION);
    put_varint(out, count);
    for (uint32_t id = 0; id < count; id++) {
        const struct metric *m = metric_at(metrics, id);
        put_text(out, m->name);
        put_text(out, m->unit);
        put_varint(out, m->kind);
        put_varint(out, m->aggregation);
        put_varint(out, (uint64_t)m->step_ns);
    }
    put_varint(out, file_count);
    for (size_t i = 0; i < file_count; i++) {
        put_varint(out, files[i].checkpoint);
        put_varint(out, files[i].shard);
    }
}

void index_put_group(struct strbuf *out, uint64_t applied)
{
    strbuf_addc(out, RECORD_GROUP);
    put_varint(out, applied);
}

void index_put_end(struct strbuf *out, uint64_t series_count)
{
    strbuf_addc(out, RECORD_END);
    put_varint(out, series_count);
}

static size_t shared_size(struct span a, struct span b)
{
    size_t size = 0;
    while (size < a.size && size < b.size && a.data[size] == b.data[size])
        size++;
    return size;
}

static void put_state(struct bits_writer *w, const struct series_state *s,
                      int64_t step_ns)
{
    uint8_t bytes[CODEC_BYTES_MAX];
    bits_put_varint(w, s->floor_s);
    bits_put_varint(w, s->near_border | (uint64_t)s->contention << NEAR_BITS);
    bits_put_varint(w, (uint64_t)s->start_ns);
    bits_put_varint(w, zigzag(s->last_ns - s->start_ns));
    bits_put_varint(w, s->late_count);
    for (size_t i = 0; i < s->late_count; i++) {
        bits_put_varint(w, zigzag(s->late_times[i] - s->start_ns));
        bits_put_u64(w, s->late_bits[i]);
    }
    bits_put_varint(w, s->head.count);
    if (s->head.count == 0)
        return;
    size_t size = codec_encode(s->head.values, s->head.count, bytes);
    bits_put_varint(w, size);
    bits_put(w, bytes, size);
    if (step_of_grid(step_ns) == 0) {
        size = codec_encode_times(s->head.times, s->head.count, bytes);
        bits_put_varint(w, size);
        bits_put(w, bytes, size);
    }
}

void index_put_series(struct strbuf *out, const struct index_series *series,
                      struct span last_path)
{
    size_t shared = shared_size(series->path, last_path);
    size_t room = STATE_BYTES_MAX + series->path.size +
                  series->location_count * 2 * VARINT_BYTES_MAX;
    if (strbuf_reserve(out, room) < 0)
        return;
    struct bits_writer w = { (uint8_t *)out->data + out->size, 0 };
    bits_put_varint(&w, series->number);
    bits_put_varint(&w, shared);
    bits_put_varint(&w, series->path.size - shared);
    bits_put(&w, series->path.data + shared, series->path.size - shared);
    bits_put_varint(&w, series->metric);
    bits_put_varint(&w, (uint64_t)series->step_ns);
    bits_put_varint(&w, series->location_count);
    for (size_t i = 0; i < series->location_count; i++) {
        bits_put_varint(&w, series->locations[i].file);
        bits_put_varint(&w, series->locations[i].offset);
    }
    put_state(&w, &series->state, series->step_ns);
    out->size += w.size;
}

static struct span read_text(struct bits_reader *r, size_t size_max)
{
    uint64_t size = bits_read_varint(r);
    r->is_bad |= size > size_max;
    const uint8_t *data = r->is_bad ? NULL : bits_read(r, size);
    return (struct span){ (const char *)data, data ? size : 0 };
}

static int read_metrics(struct index_reader *reader, struct bits_reader *r)
{
    uint64_t count = bits_read_varint(r);
    if (r->is_bad || count > METRICS_MAX)
        return -EBADMSG;
    int rc = 0;
    for (uint32_t id = 0; rc == 0 && id < count; id++) {
        struct metric m = { .id = id };
        m.name = read_text(r, METRIC_NAME_MAX);
        m.unit = read_text(r, METRIC_UNIT_MAX);
        uint64_t kind = bits_read_varint(r);
        uint64_t how = bits_read_varint(r);
        uint64_t step_ns = bits_read_varint(r);
        if (r->is_bad || kind >= METRIC_KIND_COUNT || how >= AGGREGATION_COUNT ||
            step_ns > INT64_MAX / 4)
            return -EBADMSG;
        m.kind = (enum metric_kind)kind;
        m.aggregation = (enum aggregation)how;
        m.step_ns = (int64_t)step_ns;
        rc = reader->metric(reader->arg, id, &m);
    }
    reader->metric_count = (uint32_t)count;
    return rc;
}

static int read_files(struct index_reader *reader, struct bits_reader *r)
{
    uint64_t count = bits_read_varint(r);
    int rc = r->is_bad || count > INDEX_FILES_MAX ? -EBADMSG : 0;
    for (uint32_t id = 0; rc == 0 && id < count; id++) {
        struct index_file file = { .checkpoint = bits_read_varint(r) };
        uint64_t shard = bits_read_varint(r);
        if (r->is_bad || shard > UINT32_MAX)
            return -EBADMSG;
        file.shard = (unsigned)shard;
        rc = reader->file(reader->arg, id, &file);
    }
    reader->file_count = (uint32_t)count;
    return rc;
}

static int read_head(struct index_reader *reader, struct bits_reader *r)
{
    if (reader->has_head || bits_read_varint(r) != INDEX_VERSION)
        return -EBADMSG;
    int rc = read_metrics(reader, r);
    if (rc == 0)
        rc = read_files(reader, r);
    reader->has_head = true;
    return rc;
}

/* One series of a group, in memory that is used again for the next. */
struct group {
    struct index_series series;
    char path[LEVEL_PATH_MAX];
    size_t location_capacity;
};

static int read_identity(const struct index_reader *reader, struct group *g,
                         struct bits_reader *r)
{
    struct index_series *s = &g->series;
    uint64_t number = bits_read_varint(r);
    uint64_t shared = bits_read_varint(r);
    if (shared > s->path.size)
        return -EBADMSG;
    struct span rest = read_text(r, LEVEL_PATH_MAX - shared);
    uint64_t metric = bits_read_varint(r);
    uint64_t step_ns = bits_read_varint(r);
    if (r->is_bad || number > UINT32_MAX || metric >= reader->metric_count ||
        step_ns > INT64_MAX / 4)
        return -EBADMSG;
    if (rest.size > 0)
        memcpy(g->path + shared, rest.data, rest.size);
    s->path = (struct span){ g->path, shared + rest.size };
    s->number = (uint32_t)number;
    s->metric = (uint32_t)metric;
    s->step_ns = (int64_t)step_ns;
    return 0;
}

static int read_locations(const struct index_reader *reader, struct group *g,
                          struct bits_reader *r)
{
    struct index_series *s = &g->series;
    uint64_t count = bits_read_varint(r);
    if (r->is_bad || count > INDEX_BLOCKS_MAX || count > (r->size - r->at) / 2)
        return -EBADMSG;
    if (count > g->location_capacity) {
        struct block_location *locations =
            realloc(s->locations, 2 * count * sizeof *locations);
        if (!locations)
            return -ENOMEM;
        s->locations = locations;
        g->location_capacity = 2 * count;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t file = bits_read_varint(r);
        uint64_t offset = bits_read_varint(r);
        if (r->is_bad || file >= reader->file_count || offset > UINT32_MAX)
            return -EBADMSG;
        s->locations[i] = (struct block_location){ (uint32_t)file, (uint32_t)offset };
    }
    s->location_count = count;
    return 0;
}

static int read_head_samples(struct index_series *s, struct bits_reader *r)
{
    struct samples *head = &s->state.head;
    uint64_t count = bits_read_varint(r);
    if (r->is_bad || count > CODEC_VALUES_MAX)
        return -EBADMSG;
    head->count = count;
    if (count == 0)
        return 0;
    struct span bytes = read_text(r, CODEC_BYTES_MAX);
    if (r->is_bad ||
        codec_decode((const uint8_t *)bytes.data, bytes.size, head->values, count) < 0)
        return -EBADMSG;
    if (step_of_grid(s->step_ns) != 0)
        return 0;
    bytes = read_text(r, CODEC_BYTES_MAX);
    if (r->is_bad || codec_decode_times((const uint8_t *)bytes.data, bytes.size,
                                        head->times, count) < 0)
        return -EBADMSG;
    return 0;
}

static int read_state(struct index_series *s, struct bits_reader *r)
{
    struct series_state *state = &s->state;
    uint64_t floor_s = bits_read_varint(r);
    uint64_t near_border = bits_read_varint(r);
    uint64_t start_ns = bits_read_varint(r);
    int64_t to_last_ns = unzigzag(bits_read_varint(r));
    uint64_t late_count = bits_read_varint(r);
    if (r->is_bad || floor_s > UINT32_MAX || near_border >> NEAR_BITS > UINT8_MAX ||
        start_ns > INT64_MAX / 2 || late_count > SERIES_LATE_MAX)
        return -EBADMSG;
    state->floor_s = (uint32_t)floor_s;
    state->near_border = near_border & ((1 << NEAR_BITS) - 1);
    state->contention = (uint8_t)(near_border >> NEAR_BITS);
    state->start_ns = (int64_t)start_ns;
    state->late_count = late_count;
    bool is_bad = __builtin_add_overflow(state->start_ns, to_last_ns, &state->last_ns);
    for (size_t i = 0; i < late_count; i++) {
        int64_t to_late_ns = unzigzag(bits_read_varint(r));
        is_bad |=
            __builtin_add_overflow(state->start_ns, to_late_ns, &state->late_times[i]);
        state->late_bits[i] = bits_read_u64(r);
    }
    return is_bad || r->is_bad ? -EBADMSG : read_head_samples(s, r);
}

static int read_group(struct index_reader *reader, struct group *g,
                      struct bits_reader *r)
{
    uint64_t applied = bits_read_varint(r);
    int rc = r->is_bad ? -EBADMSG : 0;
    while (rc == 0 && r->at < r->size) {
        rc = read_identity(reader, g, r);
        if (rc == 0)
            rc = read_locations(reader, g, r);
        if (rc == 0)
            rc = read_state(&g->series, r);
        if (rc == 0)
            rc = reader->series(reader->arg, applied, &g->series);
        reader->series_count++;
    }
    return rc;
}

int index_read_record(struct index_reader *reader, struct span payload)
{
    struct bits_reader r = { .data = (const uint8_t *)payload.data,
                             .size = payload.size };
    unsigned kind = bits_read_u8(&r);
    if (reader->is_over || (kind != RECORD_HEAD && !reader->has_head))
        return -EBADMSG;
    if (kind == RECORD_HEAD)
        return read_head(reader, &r);
    if (kind == RECORD_END) {
        reader->is_over = true;
        return bits_read_varint(&r) == reader->series_count && !r.is_bad ? 0 : -EBADMSG;
    }
    if (kind != RECORD_GROUP)
        return -EBADMSG;
    AUTO_FREE struct group *g = calloc(1, sizeof *g);
    if (!g)
        return -ENOMEM;
    g->series.path.data = g->path;
    int rc = read_group(reader, g, &r);
    free(g->series.locations);
    return rc;
}
