/* SPDX-License-Identifier: Apache-2.0 */
/* archive - a day of server measures kept as HDF5 in the TOKIO layout. */
#include "source/lmt/archive.h"

#include "base/strbuf.h"

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

static int cells_write(hid_t group, const struct lmt_measure_info *info,
                       const struct lmt_grid *grid, int64_t now_s)
{
    const hsize_t dims[2] = { grid->row_count, grid->column_count };
    size_t rows = CHUNK_CELLS / grid->column_count + 1;
    const hsize_t chunk[2] = { rows < grid->row_count ? rows : grid->row_count,
                               grid->column_count };
    for (size_t i = 0; i < grid->row_count * grid->column_count; i++)
        if (isnan(grid->values[i]))
            grid->values[i] = -0.0;
        else if (grid->values[i] == 0)
            grid->values[i] = 0.0; /* a zero that was measured has no sign */
    AUTO_H5 space = H5Screate_simple(2, dims, NULL);
    AUTO_H5 how = H5Pcreate(H5P_DATASET_CREATE);
    if (how < 0 || H5Pset_chunk(how, 2, chunk) < 0 || H5Pset_shuffle(how) < 0 ||
        H5Pset_deflate(how, DEFLATE_LEVEL) < 0)
        return -EIO;
    AUTO_H5 id = H5Dcreate2(group, info->name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how,
                            H5P_DEFAULT);
    if (id < 0 || H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                           grid->values) < 0)
        return -EIO;
    int rc = attr_columns(id, grid);
    if (rc == 0)
        rc = attr_text(id, "units", info->unit);
    if (rc == 0)
        rc = attr_i64(id, "updated", now_s);
    return rc == 0 ? attr_text(id, "version", "1") : rc;
}

static int measures_write(struct lmt_series *series, hid_t file, int64_t from_s,
                          int64_t to_s, int64_t now_s, struct err *err)
{
    unsigned written = 0;
    for (unsigned m = 0; m < LMT_MEASURES; m++) {
        AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
        AUTO_H5 group = -1;
        lmt_grid_init(&grid, from_s, to_s);
        int rc = lmt_series_read(series, m, &grid, err);
        if (rc == -ENOENT)
            continue;
        if (rc < 0)
            return rc;
        rc = group_open(file, lmt_measure_info(m), &grid, &group);
        if (rc == 0)
            rc = cells_write(group, lmt_measure_info(m), &grid, now_s);
        if (rc < 0)
            return err_set(err, -rc, "%s cannot be written", lmt_measure_info(m)->name);
        written++;
    }
    return written > 0 ? 0 : err_set(err, ENODATA, "nothing of that time is there");
}

static int file_write(struct lmt_series *series, int64_t from_s, int64_t to_s,
                      int64_t now_s, const char *path, struct err *err)
{
    AUTO_H5 file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0)
        return err_set(err, EIO, "%s: cannot be made", path);
    int rc = measures_write(series, file, from_s, to_s, now_s, err);
    if (rc < 0)
        return err_prefix(err, rc, "%s: ", path);
    if (attr_version(file) < 0 || attr_i64(file, "start", from_s) < 0 ||
        attr_i64(file, "end", to_s) < 0 || H5Fflush(file, H5F_SCOPE_GLOBAL) < 0)
        return err_set(err, EIO, "%s: cannot be written", path);
    return 0;
}

int lmt_archive(struct lmt_series *series, int64_t from_s, int64_t to_s, int64_t now_s,
                const char *path, struct err *err)
{
    AUTO(strbuf_done) struct strbuf beside = STRBUF_INIT;
    if (to_s <= from_s)
        return err_set(err, EINVAL, "an archive ends after it begins");
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    strbuf_addf(&beside, "%s.new", path);
    if (strbuf_error(&beside) < 0)
        return err_set(err, ENOMEM, "out of memory");
    int rc = file_write(series, from_s, to_s, now_s, strbuf_text(&beside), err);
    if (rc == 0 && rename(strbuf_text(&beside), path) < 0)
        rc = err_set(err, errno, "%s: %s", path, strerror(errno));
    if (rc < 0)
        (void)unlink(strbuf_text(&beside));
    return rc;
}
