/* SPDX-License-Identifier: Apache-2.0 */
/* log_heat - the bytes that a run moved over time: by process, by node, by target. */
#include "analysis/log/log_heat.h"

#include "analysis/log/log_doubt.h"
#include "base/span.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BYTES_MAX ((size_t)64 << 20)
#define NONE SIZE_MAX

/* A component of a file's layout, whose targets are known. */
struct stripes {
    int64_t from, to; /* bytes of the file */
    int64_t size, count;
    const int64_t *osts;
};

struct layout {
    struct stripes *stripes;
    size_t count;
};

struct heat_reading {
    struct darshan_log *log;
    struct log_heat *heat;
    double column_s;
    struct hashmap layouts_of; /* file id -> 1 + index */
    struct layout *layouts;
    size_t layout_count;
    bool is_of_posix;     /* of heat maps: not of MPI-IO, which it passes through */
    size_t moved;         /* rows of heat maps that were used */
    size_t process, node; /* rows of the record being read; NONE */
    const struct layout *layout; /* likewise; NULL */
};

/* ---- rows ---- */

static int row_find(struct heat_reading *r, enum log_heat_kind kind, const char *name,
                    int64_t number, size_t *ret)
{
    struct log_heat_map *map = &r->heat->maps[kind];
    const uintptr_t *found = hashmap_get(&map->indices, span_of(name));
    *ret = found ? *found - 1 : NONE;
    if (found)
        return 0;
    map->left_out += map->count == LOG_HEAT_ROWS_MAX;
    if (map->count == LOG_HEAT_ROWS_MAX)
        return 0;
    if (map->count == map->capacity) {
        size_t capacity = map->capacity ? 2 * map->capacity : 64;
        struct log_heat_row *grown = realloc(map->rows, capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        map->rows = grown;
        map->capacity = capacity;
    }
    double *values = arena_alloc(&r->heat->arena, LOG_HEAT_COLUMNS * sizeof *values);
    const char *copy = arena_dup(&r->heat->arena, span_of(name));
    uintptr_t *at = hashmap_put(&map->indices, span_of(name), NULL);
    if (!values || !copy || !at)
        return -ENOMEM;
    memset(values, 0, LOG_HEAT_COLUMNS * sizeof *values);
    map->rows[map->count] = (struct log_heat_row){ number, copy, values };
    *ret = map->count++;
    *at = map->count;
    return 0;
}

static int process_find(struct heat_reading *r, int64_t rank)
{
    char name[32];
    (void)snprintf(name, sizeof name, "%" PRId64, rank);
    return row_find(r, LOG_HEAT_PROCESSES, rank < 0 ? "all" : name, rank, &r->process);
}

static double clamp(double value, double most)
{
    return value > 0 ? fmin(value, most) : 0; /* what is no number, too */
}

/* Bytes evenly from one second since the start to another, as bytes a second. */
static void heat_add(struct heat_reading *r, enum log_heat_kind kind, size_t row,
                     double from_s, double to_s, double bytes)
{
    if (row == NONE || !(bytes > 0))
        return;
    double *values = r->heat->maps[kind].rows[row].values;
    double from = clamp(from_s / r->column_s, LOG_HEAT_COLUMNS - 1e-9);
    double to = clamp(to_s / r->column_s, LOG_HEAT_COLUMNS - 1e-9);
    double rate = bytes / r->column_s;
    size_t first = (size_t)from;
    size_t last = (size_t)to;
    if (last <= first) {
        values[first] += rate;
        return;
    }
    for (size_t c = first; c <= last; c++) {
        double part = fmin(to, (double)c + 1) - fmax(from, (double)c);
        values[c] += rate * part / (to - from);
    }
}

/* ---- heat maps ---- */

static int map_record(void *arg, const struct darshan_record *record)
{
    struct heat_reading *r = arg;
    const char *name = darshan_log_name(r->log, record->id);
    bool is_lower = !name || strstr(name, "POSIX") || strstr(name, "STDIO");
    if (is_lower != r->is_of_posix)
        return 0;
    int rc = process_find(r, record->rank);
    for (size_t i = 0; i < record->bin_count && rc == 0; i++) {
        double bytes = fmax(0, (double)record->read_bins[i]) +
                       fmax(0, (double)record->write_bins[i]);
        double at = (double)i * record->bin_width_s;
        heat_add(r, LOG_HEAT_PROCESSES, r->process, at, at + record->bin_width_s,
                 bytes);
        r->moved += bytes > 0;
    }
    return rc;
}

/* ---- layouts ---- */

static int stripes_copy(struct heat_reading *r, const struct darshan_component *c,
                        struct layout *to)
{
    bool is_known = c->stripe_size_bytes > 0 && c->stripe_count > 0 &&
                    c->ost_count >= (size_t)c->stripe_count;
    if (!is_known)
        return 0;
    size_t count = (size_t)c->stripe_count;
    int64_t *osts = arena_alloc(&r->heat->arena, count * sizeof *osts);
    if (!osts)
        return -ENOMEM;
    memcpy(osts, c->ost_ids, count * sizeof *osts);
    to->stripes[to->count++] = (struct stripes){
        .from = c->extent_start_bytes > 0 ? c->extent_start_bytes : 0,
        .to = c->extent_end_bytes > 0 ? c->extent_end_bytes : INT64_MAX,
        .size = c->stripe_size_bytes,
        .count = c->stripe_count,
        .osts = osts,
    };
    return 0;
}

static int layout_record(void *arg, const struct darshan_record *record)
{
    struct heat_reading *r = arg;
    struct span key = { (const char *)&record->id, sizeof record->id };
    if (r->layout_count == LOG_HEAT_FILES_MAX || record->component_count == 0)
        return 0;
    struct layout *layout = &r->layouts[r->layout_count];
    *layout = (struct layout){ .count = 0 };
    layout->stripes =
        arena_alloc(&r->heat->arena, record->component_count * sizeof *layout->stripes);
    int rc = layout->stripes ? 0 : -ENOMEM;
    for (size_t i = 0; i < record->component_count && rc == 0; i++)
        rc = stripes_copy(r, &record->components[i], layout);
    uintptr_t *at = rc == 0 ? hashmap_put(&r->layouts_of, key, NULL) : NULL;
    if (!at)
        return -ENOMEM;
    *at = ++r->layout_count;
    return 0;
}

static int target_add(struct heat_reading *r, const struct darshan_segment *s,
                      int64_t ost, double bytes)
{
    char name[32];
    size_t row = NONE;
    if (!(bytes > 0) || ost < 0)
        return 0;
    (void)snprintf(name, sizeof name, "OST%04" PRIx64, (uint64_t)ost);
    int rc = row_find(r, LOG_HEAT_TARGETS, name, ost, &row);
    if (rc == 0)
        heat_add(r, LOG_HEAT_TARGETS, row, s->start_s, s->end_s, bytes);
    return rc;
}

/* Bytes of [from, to) that lie in the stripe's n-th of each turn. */
static double stripe_bytes(const struct stripes *s, int64_t n, int64_t from, int64_t to)
{
    double turn = (double)s->size * (double)s->count;
    double begin = (double)n * (double)s->size;
    const double ends[] = { (double)from, (double)to };
    double below[2];
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        double turns = floor(ends[i] / turn);
        double rest = ends[i] - turns * turn;
        below[i] =
            turns * (double)s->size + fmax(0, fmin(rest - begin, (double)s->size));
    }
    return below[1] - below[0];
}

static int targets_add(struct heat_reading *r, const struct darshan_segment *s)
{
    bool is_known = r->layout && s->offset_bytes >= 0 && s->length_bytes > 0 &&
                    s->offset_bytes <= INT64_MAX - s->length_bytes;
    int rc = 0;
    for (size_t i = 0; is_known && i < r->layout->count; i++) {
        const struct stripes *part = &r->layout->stripes[i];
        int64_t from = s->offset_bytes > part->from ? s->offset_bytes : part->from;
        int64_t to = s->offset_bytes + s->length_bytes;
        to = to < part->to ? to : part->to;
        if (from >= to)
            continue;
        /* A short access lies in few of many stripes. */
        int64_t first = from / part->size;
        int64_t last = (to - 1) / part->size;
        int64_t touched =
            last - first + 1 < part->count ? last - first + 1 : part->count;
        for (int64_t n = first; n < first + touched && rc == 0; n++)
            rc = target_add(r, s, part->osts[n % part->count],
                            stripe_bytes(part, n % part->count, from, to));
    }
    return rc;
}

/* ---- traces ---- */

static int trace_record(void *arg, const struct darshan_record *record)
{
    struct heat_reading *r = arg;
    struct span key = { (const char *)&record->id, sizeof record->id };
    const uintptr_t *at = hashmap_get(&r->layouts_of, key);
    r->layout = at ? &r->layouts[*at - 1] : NULL;
    r->process = r->node = NONE;
    int rc = r->moved > 0 ? 0 : process_find(r, record->rank);
    if (rc == 0 && record->hostname && record->hostname[0])
        rc = row_find(r, LOG_HEAT_NODES, record->hostname, 0, &r->node);
    return rc;
}

static int trace_segments(void *arg, enum darshan_direction direction,
                          const struct darshan_segment *segments, size_t count)
{
    struct heat_reading *r = arg;
    int rc = 0;
    (void)direction;
    for (size_t i = 0; i < count && rc == 0; i++) {
        const struct darshan_segment *s = &segments[i];
        double bytes = s->length_bytes > 0 ? (double)s->length_bytes : 0;
        heat_add(r, LOG_HEAT_PROCESSES, r->process, s->start_s, s->end_s, bytes);
        heat_add(r, LOG_HEAT_NODES, r->node, s->start_s, s->end_s, bytes);
        rc = targets_add(r, s);
    }
    return rc;
}

/* ---- the log ---- */

/* Above 0: it has such a module. */
static int slots_read(struct heat_reading *r, enum darshan_module_id id,
                      const struct darshan_visitor *visitor)
{
    const struct darshan_header *header = darshan_log_header(r->log);
    int found = 0;
    for (unsigned slot = 0; slot < header->slot_count; slot++) {
        if (header->slots[slot].id != id || !darshan_log_has(r->log, slot) ||
            !darshan_log_is_readable(r->log, slot))
            continue;
        int rc = darshan_log_read(r->log, slot, visitor);
        if (rc < 0)
            return rc;
        found = 1;
    }
    return found;
}

static int maps_read(struct heat_reading *r)
{
    const struct darshan_visitor maps = { map_record, NULL, r };
    int rc = 0;
    for (int is_upper = 0; is_upper < 2 && rc >= 0 && r->moved == 0; is_upper++) {
        r->is_of_posix = is_upper == 0;
        rc = slots_read(r, DARSHAN_HEATMAP, &maps);
    }
    if (r->moved > 0)
        r->heat->maps[LOG_HEAT_PROCESSES].source = "HEATMAP";
    return rc < 0 ? rc : 0;
}

static int traces_read(struct heat_reading *r)
{
    const struct darshan_visitor layouts = { layout_record, NULL, r };
    const struct darshan_visitor traces = { trace_record, trace_segments, r };
    const char *source = "DXT_POSIX";
    int rc = slots_read(r, DARSHAN_LUSTRE, &layouts);
    if (rc >= 0)
        rc = slots_read(r, DARSHAN_DXT_POSIX, &traces);
    if (rc == 0) {
        hashmap_done(&r->layouts_of); /* its offsets are not those of the file system */
        r->layouts_of = (struct hashmap)HASHMAP_INIT;
        source = "DXT_MPIIO";
        rc = slots_read(r, DARSHAN_DXT_MPIIO, &traces);
    }
    for (int kind = 0; kind < LOG_HEAT_KINDS && rc > 0; kind++)
        if (!r->heat->maps[kind].source)
            r->heat->maps[kind].source = source;
    return rc < 0 ? rc : 0;
}

static int row_order(const void *a, const void *b)
{
    const struct log_heat_row *x = a;
    const struct log_heat_row *y = b;
    return x->number != y->number ? (x->number > y->number ? 1 : -1)
                                  : strcmp(x->name, y->name);
}

static int heat_read(struct heat_reading *r)
{
    r->layouts = calloc(LOG_HEAT_FILES_MAX, sizeof *r->layouts);
    int rc = r->layouts ? maps_read(r) : -ENOMEM;
    if (rc == 0)
        rc = traces_read(r);
    for (int kind = 0; kind < LOG_HEAT_KINDS; kind++) {
        struct log_heat_map *map = &r->heat->maps[kind];
        if (map->count > 1)
            qsort(map->rows, map->count, sizeof *map->rows, row_order);
    }
    free(r->layouts);
    hashmap_done(&r->layouts_of);
    return rc;
}

int log_heat_read(struct darshan_log *log, struct log_heat *ret)
{
    const struct darshan_job *job = darshan_log_job(log);
    double run_s = log_run_s(job);
    *ret = (struct log_heat){ .from_s = job->start_s };
    arena_init(&ret->arena, ARENA_BYTES_MAX);
    if (!(run_s > 0) || !(run_s < 1e9))
        return 0; /* without a run time there is no axis */
    ret->to_s = job->start_s + (int64_t)ceil(run_s);
    struct heat_reading r = { .log = log,
                              .heat = ret,
                              .column_s = ceil(run_s) / LOG_HEAT_COLUMNS,
                              .process = NONE,
                              .node = NONE };
    return heat_read(&r);
}

void log_heat_done(struct log_heat *heat)
{
    for (int kind = 0; kind < LOG_HEAT_KINDS; kind++) {
        free(heat->maps[kind].rows);
        hashmap_done(&heat->maps[kind].indices);
        heat->maps[kind] = (struct log_heat_map){ .source = NULL };
    }
    arena_done(&heat->arena);
}
