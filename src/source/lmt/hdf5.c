/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5 - series in HDF5: the TOKIO layout, and the one that pyLMT wrote before it.
 *
 * Shapes, counts and names come from outside: each is checked against the others and
 * against a limit before anything is allocated.  What libhdf5 does inside of a damaged
 * file is its own: this runs in a process of its own (hdf5_child).
 */
#include "base/span.h"
#include "source/lmt/hdf5_child.h"
#include "source/lmt/step.h"

#include <hdf5.h>
#include <math.h>

#define TIMES_MAX ((size_t)1 << 22) /* 242 days at 5 s */
#define NAME_BYTES_MAX ((size_t)4096)
#define STAMPS_PATH_OLD "FSStepsGroup/FSStepsDataSet"
#define MISSING_PATH_OLD "FSMissingGroup/FSMissingDataSet"

#define TIMES_LISTS_MAX 16

/* When the rows of datasets are: one list for all that name it. */
struct times {
    char path[160];
    size_t count;
    int64_t first_s;
    int64_t step_s;
    int64_t *at_s; /* NULL: all are a step apart */
};

struct dataset;

/* What was looked up stays until the file is closed: jobs of one day ask for the same
 * datasets again and again. */
struct hdf5_file {
    hid_t file;
    char *path;
    int64_t clock_offset_s;
    struct times times[TIMES_LISTS_MAX];
    size_t times_count;
    struct dataset *datasets[LMT_MEASURES];
    bool is_absent[LMT_MEASURES];
};

/* Any identifier; -1: none. */
static void h5_done(const hid_t *id)
{
    if (*id >= 0)
        (void)H5Idec_ref(*id);
}

#define AUTO_H5 __attribute__((cleanup(h5_done))) hid_t

/* One dataset of a measure, and how its shape is to be understood. */
struct dataset {
    hid_t id;
    bool is_old;
    bool is_rate;
    bool is_flat;     /* one component, no second dimension */
    bool by_column;   /* [component x time] */
    size_t op_row;    /* of an operation among all operations */
    bool is_op;       /* only op_row of [operation x time] */
    size_t row_count; /* times */
    size_t column_count;
    const struct times *times; /* of the file; row_count of them */
    int64_t shift_s;           /* from there to the label of a row */
    double scale;
    struct span *names;
    char *name_bytes;
};

static void dataset_free(struct dataset *d)
{
    if (!d)
        return;
    h5_done(&d->id);
    free(d->names);
    free(d->name_bytes);
    free(d);
}
DEFINE_AUTO(struct dataset, dataset_free);

static int64_t time_at(const struct dataset *d, size_t row)
{
    const struct times *t = d->times;
    return d->shift_s +
           (t->at_s ? t->at_s[row] : t->first_s + (int64_t)row * t->step_s);
}

static int bad(const struct hdf5_file *f, struct err *err, const char *path,
               const char *what)
{
    return err_set(err, EBADMSG, "%s: %s: %s", f->path, path, what);
}

/* 1: it is there, 0: it is not.  Every group on the way is looked up, since libhdf5
 * takes a missing one for an error.  Errors: -EBADMSG (libhdf5 cannot tell). */
static int path_find(hid_t file, const char *path)
{
    char part[128];
    for (const char *end = path; *end; end++) {
        if (*end != '/' || end == path)
            continue;
        (void)snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
        htri_t found = H5Lexists(file, part, H5P_DEFAULT);
        if (found <= 0)
            return found < 0 ? -EBADMSG : 0;
    }
    htri_t found = H5Lexists(file, path, H5P_DEFAULT);
    return found < 0 ? -EBADMSG : found > 0;
}

static int find_failed(const struct hdf5_file *f, const char *path, struct err *err)
{
    return bad(f, err, path, "cannot be looked up: damaged, or too large for memory");
}

/* Whether the cells of a dataset in one piece are all there: libhdf5 reads on behind a
 * piece that is shorter than the shape says.  A piece of 0 bytes was never written. */
static bool is_stored(hid_t dataset, const hsize_t dims[static 2], int rank)
{
    AUTO_H5 plist = H5Dget_create_plist(dataset);
    AUTO_H5 type = H5Dget_type(dataset);
    hsize_t stored = H5Dget_storage_size(dataset);
    uint64_t cells = dims[0], wanted;
    if (plist < 0 || type < 0)
        return false;
    if (stored == 0 || H5Pget_layout(plist) == H5D_CHUNKED)
        return true;
    return (rank < 2 || !__builtin_mul_overflow(cells, dims[1], &cells)) &&
           !__builtin_mul_overflow(cells, H5Tget_size(type), &wanted) &&
           stored >= wanted;
}

static int dims_of(hid_t dataset, hsize_t dims[static 2], int *ret_rank)
{
    AUTO_H5 space = H5Dget_space(dataset);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    if (rank < 1 || rank > 2 || H5Sget_simple_extent_dims(space, dims, NULL) != rank ||
        !is_stored(dataset, dims, rank))
        return -EBADMSG;
    *ret_rank = rank;
    return 0;
}

static int stamps_read(const struct hdf5_file *f, const char *path, size_t count,
                       int64_t *ret, struct err *err)
{
    hsize_t dims[2];
    int rank;
    int found = path_find(f->file, path);
    if (found < 0)
        return find_failed(f, path, err);
    AUTO_H5 id = found ? H5Dopen2(f->file, path, H5P_DEFAULT) : -1;
    if (id < 0)
        return bad(f, err, path, "no times are there");
    if (dims_of(id, dims, &rank) < 0 || rank != 1 || dims[0] != count)
        return bad(f, err, path, "not as many times as rows");
    if (H5Dread(id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, ret) < 0)
        return bad(f, err, path, "the times cannot be read");
    const int64_t far_s = INT64_MAX / 4;
    for (size_t i = 0; i < count; i++)
        if (ret[i] < -far_s || ret[i] > far_s)
            return bad(f, err, path, "a time that cannot be");
    return 0;
}

static bool is_even(const int64_t *times, size_t count)
{
    for (size_t i = 2; i < count; i++)
        if (times[i] - times[i - 1] != times[1] - times[0])
            return false;
    return count > 1 && times[1] > times[0];
}

/* Evenly spaced ones, as all archives have them, take no memory. */
static int times_make(const struct hdf5_file *f, struct times *t, int64_t **stamps,
                      struct err *err)
{
    int rc = stamps_read(f, t->path, t->count, *stamps, err);
    if (rc < 0)
        return rc;
    t->first_s = (*stamps)[0];
    if (is_even(*stamps, t->count)) {
        t->step_s = (*stamps)[1] - (*stamps)[0];
        return 0;
    }
    AUTO_FREE int64_t *sorted = calloc(t->count + 1, sizeof *sorted);
    if (!sorted)
        return err_set(err, ENOMEM, "out of memory");
    memcpy(sorted, *stamps, t->count * sizeof *sorted);
    t->step_s = lmt_step_of(sorted, t->count);
    t->at_s = TAKE(*stamps);
    return 0;
}

static int times_read(struct hdf5_file *f, const char *path, size_t count,
                      const struct times **ret, struct err *err)
{
    for (size_t i = 0; i < f->times_count; i++)
        if (strcmp(f->times[i].path, path) == 0 && f->times[i].count == count) {
            *ret = &f->times[i];
            return 0;
        }
    if (f->times_count == TIMES_LISTS_MAX)
        return bad(f, err, path, "too many lists of times");
    AUTO_FREE int64_t *stamps = calloc(count + 1, sizeof *stamps);
    if (!stamps)
        return err_set(err, ENOMEM, "out of memory");
    struct times *t = &f->times[f->times_count];
    *t = (struct times){ .count = count };
    (void)snprintf(t->path, sizeof t->path, "%s", path);
    int rc = times_make(f, t, &stamps, err);
    if (rc < 0)
        return rc;
    f->times_count++;
    *ret = t;
    return 0;
}

/* For the old layout the label of the step before: there a count stands at its end. */
static int times_set(const struct hdf5_file *f, struct dataset *d, enum lmt_kind kind,
                     struct err *err)
{
    if (d->times->step_s <= 0)
        return err_set(err, EBADMSG, "%s: fewer than two times: no step is known",
                       f->path);
    d->shift_s = f->clock_offset_s;
    if (d->is_old && kind == LMT_COUNT)
        d->shift_s -= d->times->step_s;
    return 0;
}

/* The texts of an attribute of fixed length; those of variable length are copied. */
static int texts_read(hid_t attr, hid_t type, size_t count, char **ret_bytes,
                      size_t *ret_size)
{
    size_t size = H5Tget_size(type);
    if (size == 0 || size > NAME_BYTES_MAX || count > SIZE_MAX / size - 1)
        return -EBADMSG;
    char *bytes = calloc(count + 1, size);
    if (!bytes)
        return -ENOMEM;
    if (H5Aread(attr, type, bytes) < 0) {
        free(bytes);
        return -EBADMSG;
    }
    *ret_bytes = bytes;
    *ret_size = size;
    return 0;
}

static int texts_copy(hid_t attr, hid_t type, hid_t space, size_t count,
                      char **ret_bytes, size_t *ret_size)
{
    AUTO_FREE char **texts = calloc(count + 1, sizeof *texts);
    char *bytes = calloc(count + 1, 256);
    int rc = texts && bytes ? 0 : -ENOMEM;
    if (rc == 0 && H5Aread(attr, type, texts) < 0)
        rc = -EBADMSG;
    if (rc < 0) {
        free(bytes);
        return rc;
    }
    for (size_t i = 0; i < count; i++)
        (void)snprintf(bytes + i * 256, 256, "%s", texts[i] ? texts[i] : "");
    (void)H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts);
    *ret_bytes = bytes;
    *ret_size = 256;
    return 0;
}

/* The texts of an attribute as spans into *ret_bytes; 0 of them when there is none. */
static int names_read(hid_t dataset, const char *attr_name, char **ret_bytes,
                      struct span **ret, size_t *ret_count)
{
    if (!attr_name || H5Aexists(dataset, attr_name) <= 0)
        return 0;
    AUTO_H5 attr = H5Aopen(dataset, attr_name, H5P_DEFAULT);
    AUTO_H5 type = attr < 0 ? -1 : H5Aget_type(attr);
    AUTO_H5 space = attr < 0 ? -1 : H5Aget_space(attr);
    hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    if (type < 0 || count < 0 || (size_t)count > LMT_COLUMNS_MAX ||
        H5Tget_class(type) != H5T_STRING)
        return -EBADMSG;
    size_t size = 0;
    char *bytes = NULL;
    int rc = H5Tis_variable_str(type) > 0
                 ? texts_copy(attr, type, space, (size_t)count, &bytes, &size)
                 : texts_read(attr, type, (size_t)count, &bytes, &size);
    if (rc < 0)
        return rc;
    struct span *names = calloc((size_t)count + 1, sizeof *names);
    if (!names) {
        free(bytes);
        return -ENOMEM;
    }
    for (size_t i = 0; i < (size_t)count; i++)
        names[i] = (struct span){ bytes + i * size, strnlen(bytes + i * size, size) };
    *ret_bytes = bytes;
    *ret = names;
    *ret_count = (size_t)count;
    return 0;
}

/* Columns without names are called by their number. */
static int names_number(struct dataset *d)
{
    enum { WIDTH = 8 };
    d->name_bytes = calloc(d->column_count + 1, WIDTH);
    d->names = calloc(d->column_count + 1, sizeof *d->names);
    if (!d->name_bytes || !d->names)
        return -ENOMEM;
    for (size_t i = 0; i < d->column_count; i++) {
        char *name = d->name_bytes + i * WIDTH;
        int size = snprintf(name, WIDTH, "%zu", i);
        d->names[i] = (struct span){ name, (size_t)size };
    }
    return 0;
}

static int new_open(struct hdf5_file *f, const struct lmt_measure_info *info,
                    struct dataset *d, struct err *err)
{
    char path[96];
    char stamps[160];
    hsize_t dims[2] = { 0, 0 };
    int rank;
    (void)snprintf(path, sizeof path, "%s/%s", info->group, info->name);
    int found = path_find(f->file, path);
    if (found == 0 && info->rates) {
        (void)snprintf(path, sizeof path, "%s/%s", info->group, info->rates);
        found = path_find(f->file, path);
        d->is_rate = true;
    }
    if (found <= 0)
        return found < 0 ? find_failed(f, path, err) : -ENOENT;
    d->id = H5Dopen2(f->file, path, H5P_DEFAULT);
    if (d->id < 0 || dims_of(d->id, dims, &rank) < 0 || rank != 2 || dims[0] < 1 ||
        dims[0] > TIMES_MAX || dims[1] < 1 || dims[1] > LMT_COLUMNS_MAX)
        return bad(f, err, path, "not a table of times and components");
    d->row_count = (size_t)dims[0];
    d->column_count = (size_t)dims[1];
    (void)snprintf(stamps, sizeof stamps, "%s/timestamps", info->group);
    AUTO_FREE char *bytes = NULL;
    AUTO_FREE struct span *name = NULL;
    size_t count = 0; /* a dataset may say where its times are */
    if (names_read(d->id, "timestamps", &bytes, &name, &count) == 0 && count == 1 &&
        name[0].size > 0 && name[0].size < 64) {
        if (name[0].data[0] == '/')
            (void)snprintf(stamps, sizeof stamps, SPAN_FMT, SPAN_ARG(name[0]));
        else
            (void)snprintf(stamps, sizeof stamps, "%s/" SPAN_FMT, info->group,
                           SPAN_ARG(name[0]));
    }
    return times_read(f, stamps, d->row_count, &d->times, err);
}

static int old_op_find(const struct hdf5_file *f, const struct lmt_measure_info *info,
                       struct dataset *d, size_t op_count, struct err *err)
{
    AUTO_FREE char *bytes = NULL;
    AUTO_FREE struct span *ops = NULL;
    size_t count = 0;
    if (names_read(d->id, info->old_names, &bytes, &ops, &count) < 0 ||
        count != op_count)
        return bad(f, err, info->old_path, "not as many names as operations");
    for (size_t i = 0; i < count; i++)
        if (span_is(ops[i], info->op)) {
            d->op_row = i;
            return 0;
        }
    return -ENOENT;
}

static int old_open(struct hdf5_file *f, const struct lmt_measure_info *info,
                    struct dataset *d, struct err *err)
{
    hsize_t dims[2] = { 0, 0 };
    int rank;
    int found = info->old_path ? path_find(f->file, info->old_path) : 0;
    if (found <= 0)
        return found < 0 ? find_failed(f, info->old_path, err) : -ENOENT;
    d->is_old = true;
    d->is_rate = info->kind == LMT_COUNT;
    d->id = H5Dopen2(f->file, info->old_path, H5P_DEFAULT);
    if (d->id < 0 || dims_of(d->id, dims, &rank) < 0)
        return bad(f, err, info->old_path, "not a table");
    d->is_flat = rank == 1;
    d->by_column = rank == 2;
    d->is_op = info->op != NULL;
    uint64_t times = rank == 2 ? dims[1] : dims[0];
    uint64_t components = rank == 2 ? dims[0] : 1;
    if (times < 1 || times > TIMES_MAX || components < 1 ||
        components > LMT_COLUMNS_MAX || d->is_op > d->by_column)
        return bad(f, err, info->old_path, "a size that cannot be");
    d->row_count = (size_t)times;
    d->column_count = d->is_op ? 1 : (size_t)components;
    int rc = d->is_op ? old_op_find(f, info, d, (size_t)components, err) : 0;
    return rc < 0 ? rc : times_read(f, STAMPS_PATH_OLD, d->row_count, &d->times, err);
}

/* What a cell is to be multiplied with: rates become counts, and fullness that was kept
 * in KiB becomes bytes (doc/tokio-defects.md, 6). */
static void scale_set(struct dataset *d, enum lmt_measure measure)
{
    AUTO_FREE char *bytes = NULL;
    AUTO_FREE struct span *unit = NULL;
    size_t count = 0;
    d->scale = d->is_rate ? (double)d->times->step_s : 1;
    if ((measure == LMT_USED_BYTES || measure == LMT_TOTAL_BYTES) &&
        names_read(d->id, "units", &bytes, &unit, &count) == 0 && count == 1 &&
        span_is(unit[0], "KiB"))
        d->scale = 1024;
}

static int dataset_open(struct hdf5_file *f, enum lmt_measure measure,
                        struct dataset *d, struct err *err)
{
    const struct lmt_measure_info *info = lmt_measure_info(measure);
    size_t count = 0;
    int rc = new_open(f, info, d, err);
    if (rc == -ENOENT)
        rc = old_open(f, info, d, err);
    if (rc == 0)
        rc = times_set(f, d, info->kind, err);
    if (rc < 0)
        return rc;
    if (!d->is_op)
        rc = names_read(d->id, d->is_old ? info->old_names : "columns", &d->name_bytes,
                        &d->names, &count);
    if (rc < 0 || (count != 0 && count != d->column_count))
        return bad(f, err, info->name, "not as many names as columns");
    scale_set(d, measure);
    return count == 0 && names_number(d) < 0 ? err_set(err, ENOMEM, "out of memory")
                                             : 0;
}

/* Rows [first, first + count) of the dataset, times down or across as it has them. */
static int slab_read(hid_t id, const struct dataset *d, size_t first, size_t count,
                     double *cells)
{
    hsize_t start[2] = { first, 0 };
    hsize_t size[2] = { count, d->column_count };
    if (d->by_column) {
        start[0] = d->op_row;
        start[1] = first;
        size[0] = d->column_count;
        size[1] = count;
    }
    int rank = d->is_flat ? 1 : 2;
    AUTO_H5 file_space = H5Dget_space(id);
    AUTO_H5 memory_space = H5Screate_simple(rank, size, NULL);
    if (file_space < 0 || memory_space < 0 ||
        H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
        H5Dread(id, H5T_NATIVE_DOUBLE, memory_space, file_space, H5P_DEFAULT, cells) <
            0)
        return -EBADMSG;
    return 0;
}

/* The old layout tells apart what is 0 and what is missing in a table of its own, of
 * the storage targets; 1: missing. */
static int missing_apply(const struct hdf5_file *f, const struct dataset *d,
                         size_t first, size_t count, double *cells)
{
    hsize_t dims[2];
    int rank;
    if (!d->is_old || !d->by_column || d->is_op)
        return 0;
    int found = path_find(f->file, MISSING_PATH_OLD);
    if (found <= 0)
        return found;
    AUTO_H5 id = H5Dopen2(f->file, MISSING_PATH_OLD, H5P_DEFAULT);
    if (id < 0 || dims_of(id, dims, &rank) < 0 || rank != 2 ||
        dims[0] != d->column_count || dims[1] != d->row_count)
        return 0; /* is about other components */
    AUTO_FREE double *missing = calloc(d->column_count * count + 1, sizeof *missing);
    if (!missing)
        return -ENOMEM;
    int rc = slab_read(id, d, first, count, missing);
    for (size_t i = 0; rc == 0 && i < d->column_count * count; i++)
        if (missing[i] != 0)
            cells[i] = NAN;
    return rc;
}

/* -0.0 is a cell that nobody wrote. */
static double cell_value(const struct dataset *d, double cell)
{
    double value = cell * d->scale; /* which may be beyond every number */
    if (!isfinite(value) || (cell == 0 && signbit(cell)))
        return NAN;
    return value;
}

static void cells_place(const struct dataset *d, const size_t *map, size_t first,
                        size_t count, const double *cells, struct lmt_grid *grid)
{
    for (size_t i = 0; i < count; i++) {
        int64_t row = lmt_grid_row(grid, time_at(d, first + i));
        if (row < 0)
            continue;
        for (size_t column = 0; column < d->column_count; column++) {
            size_t at =
                d->by_column ? column * count + i : i * d->column_count + column;
            double value = cell_value(d, cells[at]);
            if (!isnan(value))
                *lmt_grid_at(grid, (size_t)row, map[column]) = value;
        }
    }
}

/* From the first row to behind the last one that the grid has room for. */
static bool rows_of(const struct dataset *d, const struct lmt_grid *grid,
                    size_t *ret_first, size_t *ret_end)
{
    size_t first = d->row_count;
    size_t end = 0;
    size_t from = 0;
    size_t to = d->row_count;
    if (!d->times->at_s) { /* only near the window need be looked at */
        const int64_t step_s = d->times->step_s;
        const int64_t before = (grid->start_s - time_at(d, 0)) / step_s - 1;
        const int64_t after = before + (int64_t)grid->row_count + 3;
        from = before < 0 ? 0 : (size_t)before;
        to = after < 0 ? 0 : (size_t)after < to ? (size_t)after : to;
    }
    for (size_t i = from; i < to; i++)
        if (lmt_grid_row(grid, time_at(d, i)) >= 0) {
            first = i < first ? i : first;
            end = i + 1;
        }
    *ret_first = first;
    *ret_end = end;
    return first < end;
}

static int dataset_read(const struct hdf5_file *f, const struct dataset *d,
                        struct lmt_grid *grid, struct err *err)
{
    size_t first = 0;
    size_t end = 0;
    if (!rows_of(d, grid, &first, &end))
        return -ENOENT;
    size_t count = end - first;
    if (count > LMT_CELLS_MAX / d->column_count)
        return err_set(err, EFBIG, "%s: %zu rows of %zu columns are too much", f->path,
                       count, d->column_count);
    AUTO_FREE size_t *map = calloc(d->column_count, sizeof *map);
    AUTO_FREE double *cells = calloc(count * d->column_count, sizeof *cells);
    if (!map || !cells)
        return err_set(err, ENOMEM, "out of memory");
    int rc = lmt_grid_columns(grid, d->names, d->column_count, map, err);
    if (rc < 0)
        return rc;
    rc = slab_read(d->id, d, first, count, cells);
    if (rc == 0)
        rc = missing_apply(f, d, first, count, cells);
    if (rc < 0)
        return err_set(err, -rc, "%s: its numbers cannot be read", f->path);
    cells_place(d, map, first, count, cells, grid);
    return 0;
}

static int dataset_get(struct hdf5_file *f, enum lmt_measure measure,
                       const struct dataset **ret, struct err *err)
{
    if (f->is_absent[measure])
        return -ENOENT;
    if (!f->datasets[measure]) {
        AUTO(dataset_free) struct dataset *d = calloc(1, sizeof *d);
        if (!d)
            return err_set(err, ENOMEM, "out of memory");
        d->id = -1;
        int rc = dataset_open(f, measure, d, err);
        f->is_absent[measure] = rc == -ENOENT;
        if (rc < 0)
            return rc;
        f->datasets[measure] = TAKE(d);
    }
    *ret = f->datasets[measure];
    return 0;
}

static int hdf5_read(void *state, enum lmt_measure measure, struct lmt_grid *grid,
                     struct err *err)
{
    const struct dataset *d = NULL;
    int rc = dataset_get(state, measure, &d, err);
    if (rc == 0)
        rc = lmt_grid_shape(grid, d->times->step_s, time_at(d, 0), err);
    if (rc == 0)
        rc = dataset_read(state, d, grid, err);
    return rc;
}

static int hdf5_times(void *state, enum lmt_measure measure, int64_t *ret_from_s,
                      int64_t *ret_to_s, struct err *err)
{
    const struct dataset *d = NULL;
    int rc = dataset_get(state, measure, &d, err);
    if (rc < 0)
        return rc;
    int64_t from_s = time_at(d, 0);
    int64_t to_s = time_at(d, d->row_count - 1);
    for (size_t i = 0; d->times->at_s && i < d->row_count; i++) {
        int64_t t_s = time_at(d, i);
        from_s = t_s < from_s ? t_s : from_s;
        to_s = t_s > to_s ? t_s : to_s;
    }
    *ret_from_s = from_s;
    *ret_to_s = to_s + d->times->step_s;
    return 0;
}

static int64_t hdf5_step(void *state, enum lmt_measure measure)
{
    const struct dataset *d = NULL;
    return dataset_get(state, measure, &d, NULL) == 0 ? d->times->step_s : 0;
}

static void hdf5_close(void *state)
{
    struct hdf5_file *f = state;
    for (size_t i = 0; i < LMT_MEASURES; i++)
        dataset_free(f->datasets[i]);
    for (size_t i = 0; i < f->times_count; i++)
        free(f->times[i].at_s);
    h5_done(&f->file);
    free(f->path);
    free(f);
}

static const struct lmt_format tokio = {
    .name = "TOKIO HDF5",
    .close = hdf5_close,
    .times = hdf5_times,
    .step = hdf5_step,
    .read = hdf5_read,
};
static const struct lmt_format h5lmt = {
    .name = "h5lmt",
    .close = hdf5_close,
    .times = hdf5_times,
    .step = hdf5_step,
    .read = hdf5_read,
};

int hdf5_here_open(const char *path, const struct lmt_opts *opts, void **ret_state,
                   const struct lmt_format **ret_format, struct err *err)
{
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* it prints to stderr by itself */
    struct hdf5_file *f = calloc(1, sizeof *f);
    if (!f)
        return err_set(err, ENOMEM, "out of memory");
    f->clock_offset_s = opts->clock_offset_s;
    f->path = span_dup(span_of(path));
    f->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (f->file < 0 || !f->path) {
        int rc = f->path ? err_set(err, EBADMSG, "%s: not readable as HDF5", path)
                         : err_set(err, ENOMEM, "out of memory");
        hdf5_close(f);
        return rc;
    }
    int found = path_find(f->file, STAMPS_PATH_OLD);
    if (found < 0) {
        int rc = find_failed(f, STAMPS_PATH_OLD, err);
        hdf5_close(f);
        return rc;
    }
    *ret_format = found ? &h5lmt : &tokio;
    *ret_state = f;
    return 0;
}
