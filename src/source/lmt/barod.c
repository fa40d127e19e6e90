/* SPDX-License-Identifier: Apache-2.0 */
/* barod - a running barod as a series: its metric store, or else its rows. */
#include "source/lmt/barod.h"

#include "base/span.h"

#include "source/lmt/barod_private.h"
#include "source/lmt/series_format.h"

#include <math.h>

#define PIECE_CELLS ((size_t)1 << 17) /* an answer of two megabytes or so */
#define FS_NAMED_MAX 8
#define ROWS_AHEAD_S 60 /* by which rows must begin before totals, to serve instead */

#define OP(name)                                                        \
    {                                                                   \
        BAROD_MDT, BAROD_COUNTER, "lustre_" name "_samples", NULL, name \
    }

static const struct barod_source sources[LMT_MEASURES] = {
    [LMT_READ_BYTES] = { BAROD_OST, BAROD_COUNTER, "lustre_read_bytes", NULL,
                         "read_bytes" },
    [LMT_WRITE_BYTES] = { BAROD_OST, BAROD_COUNTER, "lustre_write_bytes", NULL,
                          "write_bytes" },
    [LMT_READ_OPS] = { BAROD_OST, BAROD_COUNTER, "lustre_read_bytes_samples", NULL,
                       "read_bytes_count" },
    [LMT_WRITE_OPS] = { BAROD_OST, BAROD_COUNTER, "lustre_write_bytes_samples", NULL,
                        "write_bytes_count" },
    [LMT_OPENS] = OP("open"),
    [LMT_CLOSES] = OP("close"),
    [LMT_MKNODS] = OP("mknod"),
    [LMT_LINKS] = OP("link"),
    [LMT_UNLINKS] = OP("unlink"),
    [LMT_MKDIRS] = OP("mkdir"),
    [LMT_RMDIRS] = OP("rmdir"),
    [LMT_RENAMES] = OP("rename"),
    [LMT_GETXATTRS] = OP("getxattr"),
    [LMT_STATFSS] = OP("statfs"),
    [LMT_SETATTRS] = OP("setattr"),
    [LMT_GETATTRS] = OP("getattr"),
    [LMT_OSS_CPU] = { BAROD_OSS, BAROD_GAUGE_END, "server_cpu_busy", NULL, NULL },
    [LMT_MDS_CPU] = { BAROD_MDS, BAROD_GAUGE_END, "server_cpu_busy", NULL, NULL },
    [LMT_OSS_MEMORY] = { BAROD_OSS, BAROD_USED, "server_memory_bytes",
                         "server_memory_available_bytes", NULL },
    [LMT_OSS_MEMORY_TOTAL] = { BAROD_OSS, BAROD_GAUGE, "server_memory_bytes", NULL,
                               NULL },
    [LMT_USED_BYTES] = { BAROD_OST, BAROD_LESS, "lustre_capacity_bytes",
                         "lustre_free_bytes", NULL },
    [LMT_TOTAL_BYTES] = { BAROD_OST, BAROD_GAUGE, "lustre_capacity_bytes", NULL, NULL },
    [LMT_USED_INODES] = { BAROD_OST, BAROD_LESS, "lustre_files_total",
                          "lustre_files_free", NULL },
    [LMT_TOTAL_INODES] = { BAROD_OST, BAROD_GAUGE, "lustre_files_total", NULL, NULL },
};

const struct barod_source *barod_source_of(enum lmt_measure measure)
{
    return sources[measure].metric ? &sources[measure] : NULL;
}

static void note(const struct barod *b, const char *text)
{
    b->opts.note(b->opts.arg, text);
}

/* ---- times ---- */

static int64_t store_from_s(const struct barod *b)
{
    return b->first_s + b->opts.clock_offset_s;
}

/* Does the store have the measure at all? */
static bool is_stored(const struct barod *b, const struct barod_source *source)
{
    return source && b->first_s != NO_TIME &&
           barod_has_metric(b, source->class, source->metric);
}

static bool has_rows(const struct barod *b, const struct barod_source *source)
{
    return source && source->op && b->rows_from_s != NO_TIME;
}

/* Do rows serve for what begins at from_s? */
static bool is_of_rows(const struct barod *b, int64_t from_s)
{
    if (b->first_s == NO_TIME)
        return true;
    return b->rows_from_s != NO_TIME && from_s + b->step_s < store_from_s(b) &&
           b->rows_from_s + ROWS_AHEAD_S < b->first_s;
}

static int barod_times(void *state, enum lmt_measure measure, int64_t *ret_from_s,
                       int64_t *ret_to_s, struct err *err)
{
    const struct barod *b = state;
    const struct barod_source *source = barod_source_of(measure);
    (void)err;
    if (is_stored(b, source)) {
        *ret_from_s = store_from_s(b);
        *ret_to_s = b->now_s + b->opts.clock_offset_s;
        return *ret_to_s > *ret_from_s ? 0 : -ENOENT;
    }
    if (b->first_s != NO_TIME || !has_rows(b, source))
        return -ENOENT;
    *ret_from_s = b->rows_from_s + b->opts.clock_offset_s;
    *ret_to_s = b->rows_to_s + b->opts.clock_offset_s;
    return *ret_to_s > *ret_from_s ? 0 : -ENOENT;
}

static int64_t barod_step(void *state, enum lmt_measure measure)
{
    const struct barod *b = state;
    const struct barod_source *source = barod_source_of(measure);
    return is_stored(b, source) || has_rows(b, source) ? b->step_s : 0;
}

/* ---- reading ---- */

static int piece_init(const struct barod *b, const struct barod_source *source,
                      const struct lmt_grid *whole, size_t first, size_t count,
                      struct lmt_grid *piece, struct err *err)
{
    const struct barod_columns *columns = &b->columns[source->class];
    int64_t from_s = whole->start_s + (int64_t)first * whole->step_s;
    AUTO_FREE struct span *names = calloc(columns->count + 1, sizeof *names);
    AUTO_FREE size_t *map = calloc(columns->count + 1, sizeof *map);
    if (!names || !map)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < columns->count; i++)
        names[i] = span_of(columns->names[i]);
    lmt_grid_init(piece, from_s, from_s + (int64_t)count * whole->step_s);
    int rc = lmt_grid_shape(piece, whole->step_s, whole->start_s, err);
    return rc == 0 ? lmt_grid_columns(piece, names, columns->count, map, err) : rc;
}

static size_t piece_rows(const struct barod *b, const struct barod_source *source)
{
    size_t columns = b->columns[source->class].count;
    size_t rows = PIECE_CELLS / (columns + 1);
    return rows > 0 ? rows : 1;
}

/* What is known goes over; what another file says of the rest stays. */
static void piece_copy(const struct lmt_grid *piece, size_t first, const size_t *map,
                       struct lmt_grid *grid)
{
    for (size_t row = 0; row < piece->row_count; row++)
        for (size_t column = 0; column < piece->column_count; column++) {
            double value = *lmt_grid_at(piece, row, column);
            if (!isnan(value))
                *lmt_grid_at(grid, first + row, map[column]) = value;
        }
}

static int store_read(struct barod *b, const struct barod_source *source,
                      struct lmt_grid *grid, struct err *err)
{
    const struct barod_columns *columns = &b->columns[source->class];
    AUTO_FREE struct span *names = calloc(columns->count + 1, sizeof *names);
    AUTO_FREE size_t *map = calloc(columns->count + 1, sizeof *map);
    if (!names || !map)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < columns->count; i++)
        names[i] = span_of(columns->names[i]);
    int rc = grid->step_s != 0
                 ? 0
                 : lmt_grid_shape(grid, b->step_s, b->opts.clock_offset_s, err);
    if (rc == 0)
        rc = lmt_grid_columns(grid, names, columns->count, map, err);
    size_t rows = rc == 0 ? piece_rows(b, source) : 1;
    for (size_t first = 0; rc == 0 && first < grid->row_count; first += rows) {
        AUTO(lmt_grid_done) struct lmt_grid piece = { 0 };
        size_t count = grid->row_count - first < rows ? grid->row_count - first : rows;
        rc = piece_init(b, source, grid, first, count, &piece, err);
        if (rc == 0)
            rc = barod_slice_read(b, source, &piece, err);
        if (rc == 0)
            piece_copy(&piece, first, map, grid);
    }
    return rc;
}

/* Of several file systems together a person should know. */
static void fs_note(const struct barod *b)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(hashmap_done) struct hashmap seen = HASHMAP_INIT;
    for (size_t i = 0; i < b->component_count && seen.count < FS_NAMED_MAX; i++) {
        bool is_new = false;
        struct span fs = barod_fs_of(b->components[i].name);
        if (!hashmap_put(&seen, fs, &is_new))
            return;
        if (is_new)
            strbuf_addf(&text, "%s" SPAN_FMT, seen.count > 1 ? ", " : "", SPAN_ARG(fs));
    }
    strbuf_adds(&text, " are combined, as one file system");
    if (seen.count > 1 && strbuf_error(&text) == 0)
        note(b, strbuf_text(&text));
}

static int barod_read(void *state, enum lmt_measure measure, struct lmt_grid *grid,
                      struct err *err)
{
    struct barod *b = state;
    const struct barod_source *source = barod_source_of(measure);
    if (!source)
        return -ENOENT;
    if (!b->fs)
        fs_note(b);
    if (is_of_rows(b, grid->from_s)) {
        if (!has_rows(b, source))
            return -ENOENT;
        note(b, "no totals of servers are stored of that time: rows are used, which "
                "have what jobs did");
        return barod_rows_read(b, source, grid, err);
    }
    bool is_there = is_stored(b, source) && b->columns[source->class].count > 0 &&
                    grid->to_s > store_from_s(b) &&
                    grid->from_s < b->now_s + b->opts.clock_offset_s;
    return is_there ? store_read(b, source, grid, err) : -ENOENT;
}

/* ---- a window of all measures, piece by piece ---- */

static int scan_measure(struct barod *b, enum lmt_measure measure,
                        const struct lmt_scan *scan, struct err *err)
{
    const struct barod_source *source = barod_source_of(measure);
    struct barod_columns *columns = &b->columns[source->class];
    struct lmt_grid whole = { 0 };
    lmt_grid_init(&whole, scan->from_s, scan->to_s);
    int rc = lmt_grid_shape(&whole, b->step_s, b->opts.clock_offset_s, err);
    if (rc < 0)
        return rc;
    whole.columns = columns->names; /* no values: only the shape is reported */
    whole.column_count = columns->count;
    rc = scan->shape(scan->arg, measure, &whole, err);
    size_t rows = piece_rows(b, source);
    for (size_t first = 0; rc == 0 && first < whole.row_count; first += rows) {
        AUTO(lmt_grid_done) struct lmt_grid piece = { 0 };
        size_t count = whole.row_count - first < rows ? whole.row_count - first : rows;
        rc = piece_init(b, source, &whole, first, count, &piece, err);
        if (rc == 0)
            rc = barod_slice_read(b, source, &piece, err);
        if (rc == 0)
            rc = scan->put(scan->arg, measure, first, &piece, err);
    }
    return rc;
}

static int barod_scan(void *state, const struct lmt_scan *scan, struct err *err)
{
    struct barod *b = state;
    int rc = 0;
    if (is_of_rows(b, scan->from_s))
        return -EAGAIN;
    if (scan->to_s <= store_from_s(b) ||
        scan->from_s >= b->now_s + b->opts.clock_offset_s)
        return 0;
    for (unsigned m = 0; rc == 0 && m < LMT_MEASURES; m++) {
        const struct barod_source *source = barod_source_of(m);
        if (is_stored(b, source) && b->columns[source->class].count > 0)
            rc = scan_measure(b, m, scan, err);
    }
    return rc;
}

/* ---- opening ---- */

static void barod_free(struct barod *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->component_count; i++)
        free(b->components[i].path);
    free(b->components);
    for (unsigned class = 0; class < BAROD_CLASSES; class ++)
        barod_columns_done(&b->columns[class]);
    hashmap_done(&b->metrics);
    hashmap_done(&b->known);
    strbuf_done(&b->path);
    free(b->fs);
    free(b);
}
DEFINE_AUTO(struct barod, barod_free);

static void barod_close(void *state)
{
    struct barod *b = state;
    b->opts.close(b->opts.arg);
    barod_free(b);
}

static int barod_choose(void *state, const char *fs, struct err *err)
{
    struct barod *b = state;
    if (fs && b->first_s != NO_TIME && !barod_has_fs(b, span_of(fs)))
        return err_set(err, ENOENT, "the server has no target of a file system '%s'",
                       fs);
    char *copy = fs ? strdup(fs) : NULL;
    if (fs && !copy)
        return err_set(err, ENOMEM, "out of memory");
    free(b->fs);
    b->fs = copy;
    return barod_columns_make(b, err);
}

int lmt_barod_open(const struct lmt_barod_opts *opts, struct lmt_series **ret,
                   struct err *err)
{
    static const struct lmt_format format = {
        .name = "barod",
        .close = barod_close,
        .times = barod_times,
        .step = barod_step,
        .read = barod_read,
        .scan = barod_scan,
        .choose = barod_choose,
    };
    AUTO(barod_free) struct barod *b = calloc(1, sizeof *b);
    if (!b)
        return err_set(err, ENOMEM, "out of memory");
    b->opts = *opts;
    b->first_s = b->now_s = b->rows_from_s = b->rows_to_s = NO_TIME;
    int rc = barod_catalogue_read(b, err);
    if (rc == -ENOMEM && err && !err->text[0])
        rc = err_set(err, ENOMEM, "out of memory");
    if (rc == 0)
        rc = barod_columns_make(b, err);
    if (rc == 0)
        rc = lmt_series_new(&format, format.name, b, ret, err);
    if (rc == 0)
        b = NULL; /* the series has it */
    return rc;
}
