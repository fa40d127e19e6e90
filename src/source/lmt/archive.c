/* SPDX-License-Identifier: Apache-2.0 */
/* archive - a day of server measures kept as HDF5 in the TOKIO layout. */
#include "source/lmt/archive.h"

#include "base/strbuf.h"
#include "source/lmt/series_format.h"

#include <hdf5.h>
#include <math.h>

#define CHUNK_CELLS ((size_t)32768) /* 256 KiB: a job's window reads a few of them */
#define DEFLATE_LEVEL 4

static void h5_done(const hid_t *id)
{
    if (*id >= 0)
        (void)H5Idec_ref(*id);
}

#define AUTO_H5 __attribute__((cleanup(h5_done))) hid_t

static int attr_i64(hid_t at, const char *name, int64_t value)
{
    AUTO_H5 space = H5Screate(H5S_SCALAR);
    AUTO_H5 attr = H5Acreate2(at, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    return attr < 0 || H5Awrite(attr, H5T_NATIVE_INT64, &value) < 0 ? -EIO : 0;
}

static int attr_text(hid_t at, const char *name, const char *value)
{
    AUTO_H5 space = H5Screate(H5S_SCALAR);
    AUTO_H5 type = H5Tcopy(H5T_C_S1);
    if (type < 0 || H5Tset_size(type, strlen(value) + 1) < 0)
        return -EIO;
    AUTO_H5 attr = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    return attr < 0 || H5Awrite(attr, type, value) < 0 ? -EIO : 0;
}

/* The version of the file is a text of variable length, in the files of others too. */
static int attr_version(hid_t file)
{
    const char *version = "1";
    AUTO_H5 space = H5Screate(H5S_SCALAR);
    AUTO_H5 type = H5Tcopy(H5T_C_S1);
    if (type < 0 || H5Tset_size(type, H5T_VARIABLE) < 0 ||
        H5Tset_cset(type, H5T_CSET_UTF8) < 0)
        return -EIO;
    AUTO_H5 attr = H5Acreate2(file, "version", type, space, H5P_DEFAULT, H5P_DEFAULT);
    return attr < 0 || H5Awrite(attr, type, &version) < 0 ? -EIO : 0;
}

/* Names of one length each, filled with NUL, as the layout has them. */
static int attr_columns(hid_t at, const struct lmt_grid *grid)
{
    size_t wide = 1;
    hsize_t count = grid->column_count;
    for (size_t i = 0; i < grid->column_count; i++)
        if (strlen(grid->columns[i]) > wide)
            wide = strlen(grid->columns[i]);
    AUTO_FREE char *names = calloc(grid->column_count + 1, wide);
    if (!names)
        return -ENOMEM;
    for (size_t i = 0; i < grid->column_count; i++)
        memcpy(names + i * wide, grid->columns[i], strlen(grid->columns[i]));
    AUTO_H5 space = H5Screate_simple(1, &count, NULL);
    AUTO_H5 type = H5Tcopy(H5T_C_S1);
    if (type < 0 || H5Tset_size(type, wide) < 0 ||
        H5Tset_strpad(type, H5T_STR_NULLPAD) < 0)
        return -EIO;
    AUTO_H5 attr = H5Acreate2(at, "columns", type, space, H5P_DEFAULT, H5P_DEFAULT);
    return attr < 0 || H5Awrite(attr, type, names) < 0 ? -EIO : 0;
}

static int times_write(hid_t group, const struct lmt_grid *grid)
{
    hsize_t count = grid->row_count;
    AUTO_FREE int64_t *times = calloc(grid->row_count + 1, sizeof *times);
    if (!times)
        return -ENOMEM;
    for (size_t i = 0; i < grid->row_count; i++)
        times[i] = grid->start_s + (int64_t)i * grid->step_s;
    AUTO_H5 space = H5Screate_simple(1, &count, NULL);
    AUTO_H5 id = H5Dcreate2(group, "timestamps", H5T_STD_I64LE, space, H5P_DEFAULT,
                            H5P_DEFAULT, H5P_DEFAULT);
    return id < 0 || H5Dwrite(id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                              times) < 0
               ? -EIO
               : 0;
}

/* The group of a measure, made with its times when it is the first one of it. */
static int group_open(hid_t file, const struct lmt_measure_info *info,
                      const struct lmt_grid *grid, hid_t *ret)
{
    if (H5Lexists(file, info->group, H5P_DEFAULT) > 0) {
        *ret = H5Gopen2(file, info->group, H5P_DEFAULT);
        return *ret < 0 ? -EIO : 0;
    }
    *ret = H5Gcreate2(file, info->group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int rc = *ret < 0 ? -EIO : attr_text(*ret, "source", "lmt");
    return rc < 0 ? rc : times_write(*ret, grid);
}

/* A file that is being written. */
struct writing {
    hid_t file;
    const struct lmt_archive_opts *opts;
    size_t steps_done, steps;     /* of all measures together */
    hid_t datasets[LMT_MEASURES]; /* -1: not there */
    struct {
        int64_t start_s, step_s;
        size_t row_count;
    } shapes[LMT_MEASURES];
    unsigned count;
};

static void writing_done(const struct writing *w)
{
    for (size_t i = 0; i < LMT_MEASURES; i++)
        h5_done(&w->datasets[i]);
    h5_done(&w->file);
}
DEFINE_AUTO_DONE(struct writing, writing_done);

static int dataset_make(struct writing *w, const struct lmt_measure_info *info,
                        const struct lmt_grid *whole, hid_t *ret)
{
    const hsize_t dims[2] = { whole->row_count, whole->column_count };
    size_t rows = CHUNK_CELLS / whole->column_count + 1;
    const hsize_t chunk[2] = { rows < whole->row_count ? rows : whole->row_count,
                               whole->column_count };
    AUTO_H5 group = -1;
    AUTO_H5 space = H5Screate_simple(2, dims, NULL);
    AUTO_H5 how = H5Pcreate(H5P_DATASET_CREATE);
    int rc = group_open(w->file, info, whole, &group);
    if (rc < 0)
        return rc;
    if (how < 0 || H5Pset_chunk(how, 2, chunk) < 0 || H5Pset_shuffle(how) < 0 ||
        H5Pset_deflate(how, DEFLATE_LEVEL) < 0)
        return -EIO;
    hid_t id = H5Dcreate2(group, info->name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how,
                          H5P_DEFAULT);
    if (id < 0)
        return -EIO;
    *ret = id;
    rc = attr_columns(id, whole);
    if (rc == 0)
        rc = attr_text(id, "units", info->unit);
    if (rc == 0)
        rc = attr_i64(id, "updated", w->opts->now_s);
    return rc == 0 ? attr_text(id, "version", "1") : rc;
}

/* The layout has one list of times for all datasets of a group. */
static bool fits_group(const struct writing *w, enum lmt_measure measure)
{
    for (unsigned m = 0; m < LMT_MEASURES; m++)
        if (w->datasets[m] >= 0 &&
            strcmp(lmt_measure_info(m)->group, lmt_measure_info(measure)->group) == 0 &&
            (w->shapes[m].start_s != w->shapes[measure].start_s ||
             w->shapes[m].step_s != w->shapes[measure].step_s ||
             w->shapes[m].row_count != w->shapes[measure].row_count))
            return false;
    return true;
}

static int on_shape(void *arg, enum lmt_measure measure, const struct lmt_grid *whole,
                    struct err *err)
{
    struct writing *w = arg;
    const struct lmt_measure_info *info = lmt_measure_info(measure);
    w->shapes[measure].start_s = whole->start_s;
    w->shapes[measure].step_s = whole->step_s;
    w->shapes[measure].row_count = whole->row_count;
    if (!fits_group(w, measure))
        return err_set(err, EINVAL,
                       "%s has other times than the datasets of %s before it: the "
                       "layout has one list of times a group",
                       info->name, info->group);
    int rc = dataset_make(w, info, whole, &w->datasets[measure]);
    w->count++;
    return rc < 0 ? err_set(err, -rc, "%s cannot be written", info->name) : 0;
}

/* Of all measures together: how many are there is known before. */
static size_t steps_count(struct lmt_series *series,
                          const struct lmt_archive_opts *opts)
{
    size_t count = 0;
    for (unsigned m = 0; opts->progress && m < LMT_MEASURES; m++) {
        int64_t step_s = lmt_series_step(series, m);
        if (step_s > 0)
            count += (size_t)((opts->to_s - opts->from_s) / step_s);
    }
    return count;
}

static void progress_report(struct writing *w, size_t steps)
{
    w->steps_done += steps;
    if (w->opts->progress && w->steps_done < w->steps)
        w->opts->progress(w->opts->arg, w->steps_done, w->steps);
}

static int on_slice(void *arg, enum lmt_measure measure, size_t first,
                    struct lmt_grid *slice, struct err *err)
{
    struct writing *w = arg;
    const hsize_t start[2] = { first, 0 };
    const hsize_t size[2] = { slice->row_count, slice->column_count };
    for (size_t i = 0; i < slice->row_count * slice->column_count; i++)
        if (isnan(slice->values[i]))
            slice->values[i] = -0.0;
        else if (slice->values[i] == 0)
            slice->values[i] = 0.0; /* a zero that was measured has no sign */
    AUTO_H5 file_space = H5Dget_space(w->datasets[measure]);
    AUTO_H5 memory_space = H5Screate_simple(2, size, NULL);
    if (file_space < 0 || memory_space < 0 ||
        H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
        H5Dwrite(w->datasets[measure], H5T_NATIVE_DOUBLE, memory_space, file_space,
                 H5P_DEFAULT, slice->values) < 0)
        return err_set(err, EIO, "%s cannot be written",
                       lmt_measure_info(measure)->name);
    progress_report(w, slice->row_count);
    return 0;
}

static int file_write(struct lmt_series *series, enum lmt_scan_way way,
                      const struct lmt_archive_opts *opts, const char *path,
                      struct err *err)
{
    AUTO(writing_done)
    struct writing w = { .opts = opts, .steps = steps_count(series, opts) };
    const struct lmt_scan scan = { opts->from_s, opts->to_s, &w, on_shape, on_slice };
    for (size_t i = 0; i < LMT_MEASURES; i++)
        w.datasets[i] = -1;
    w.file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (w.file < 0)
        return err_set(err, EIO, "%s: cannot be made", path);
    int rc = lmt_series_scan(series, way, &scan, err);
    if (rc == 0 && w.count == 0)
        rc = err_set(err, ENODATA, "nothing of that time is there");
    if (rc < 0)
        return err_prefix(err, rc, "%s", path);
    if (attr_version(w.file) < 0 || attr_i64(w.file, "start", scan.from_s) < 0 ||
        attr_i64(w.file, "end", scan.to_s) < 0 ||
        H5Fflush(w.file, H5F_SCOPE_GLOBAL) < 0)
        return err_set(err, EIO, "%s: cannot be written", path);
    if (opts->progress)
        opts->progress(opts->arg, w.steps, w.steps);
    return 0;
}

int lmt_archive(struct lmt_series *series, const struct lmt_archive_opts *opts,
                const char *path, struct err *err)
{
    AUTO(strbuf_done) struct strbuf beside = STRBUF_INIT;
    if (opts->to_s <= opts->from_s)
        return err_set(err, EINVAL, "an archive ends after it begins");
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    strbuf_addf(&beside, "%s.new", path);
    if (strbuf_error(&beside) < 0)
        return err_set(err, ENOMEM, "out of memory");
    int rc = file_write(series, LMT_SCAN_AT_ONCE, opts, strbuf_text(&beside), err);
    if (rc == -EAGAIN) /* its rows are in no order */
        rc = file_write(series, LMT_SCAN_BY_MEASURE, opts, strbuf_text(&beside), err);
    if (rc == 0 && rename(strbuf_text(&beside), path) < 0)
        rc = err_set(err, errno, "%s: %s", path, strerror(errno));
    if (rc < 0)
        (void)unlink(strbuf_text(&beside));
    return rc;
}
