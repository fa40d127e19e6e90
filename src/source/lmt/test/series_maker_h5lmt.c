/* SPDX-License-Identifier: Apache-2.0 */
/* series_maker_h5lmt - the made two minutes in the layout of pyLMT. */
#include "base/cleanup.h"
#include "source/lmt/test/series_maker.h"

#include <hdf5.h>
#include <string.h>

#define STAMPS (MAKER_STEPS + 1)

static int table_put(hid_t file, const char *group, const char *name, hid_t type,
                     const hsize_t dims[2], const void *cells)
{
    int rank = dims[1] > 0 ? 2 : 1;
    hid_t at = H5Gcreate2(file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(rank, dims, NULL);
    hid_t id = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int rc = id < 0 ? -1 : H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells);
    (void)H5Dclose(id);
    (void)H5Sclose(space);
    (void)H5Gclose(at);
    return rc;
}

static int names_put(hid_t file, const char *path, const char *attr_name,
                     const char *names, size_t wide, hsize_t count)
{
    hid_t id = H5Dopen2(file, path, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t type = H5Tcopy(H5T_C_S1);
    (void)H5Tset_size(type, wide);
    hid_t attr = H5Acreate2(id, attr_name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int rc = attr < 0 ? -1 : H5Awrite(attr, type, names);
    (void)H5Aclose(attr);
    (void)H5Tclose(type);
    (void)H5Sclose(space);
    (void)H5Dclose(id);
    return rc;
}

/* What is counted stands at the end of its step, by second. */
static int tables_put(hid_t file)
{
    double reads[MAKER_TARGETS][STAMPS] = { 0 };
    double writes[MAKER_TARGETS][STAMPS] = { 0 };
    double cpu[MAKER_TARGETS][STAMPS];
    double mds[STAMPS];
    double ops[2][STAMPS] = { 0 };
    int32_t times[STAMPS];
    for (int i = 0; i < STAMPS; i++) {
        times[i] = (int32_t)(MAKER_START + (int64_t)i * MAKER_STEP);
        mds[i] = i;
        for (int k = 0; k < MAKER_TARGETS; k++) {
            cpu[k][i] = 10.0 * (k + 1) + 0.5;
            if (i == 0)
                continue;
            reads[k][i] = (k + 1) * 4096.0 * (i - 1) / MAKER_STEP;
            writes[k][i] = (k + 1) * 1048576.0 / MAKER_STEP;
            ops[k][i] = (k + 1.0) * (i - 1) / MAKER_STEP;
        }
    }
    const hsize_t wide[2] = { MAKER_TARGETS, STAMPS };
    const hsize_t flat[2] = { STAMPS, 0 };
    hid_t f64 = H5T_NATIVE_DOUBLE;
    int rc = table_put(file, "FSStepsGroup", "FSStepsDataSet", H5T_NATIVE_INT32, flat,
                       times);
    rc |= table_put(file, "OSTReadGroup", "OSTBulkReadDataSet", f64, wide, reads);
    rc |= table_put(file, "OSTWriteGroup", "OSTBulkWriteDataSet", f64, wide, writes);
    rc |= table_put(file, "OSSCPUGroup", "OSSCPUDataSet", f64, wide, cpu);
    rc |= table_put(file, "MDSCPUGroup", "MDSCPUDataSet", f64, flat, mds);
    rc |= table_put(file, "MDSOpsGroup", "MDSOpsDataSet", f64, wide, ops);
    static const char osts[] = "fs-OST0000fs-OST0001";
    rc |= names_put(file, "OSTReadGroup/OSTBulkReadDataSet", "OSTNames", osts, 10, 2);
    rc |= names_put(file, "OSTWriteGroup/OSTBulkWriteDataSet", "OSTNames", osts, 10, 2);
    rc |= names_put(file, "OSSCPUGroup/OSSCPUDataSet", "OSSNames", "oss1oss2", 4, 2);
    rc |= names_put(file, "MDSOpsGroup/MDSOpsDataSet", "OpNames", "open\0\0\0getattr",
                    7, 2);
    return rc;
}

int make_h5lmt(const char *path, struct err *err)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    int rc = file < 0 ? -1 : tables_put(file);
    (void)H5Fclose(file);
    return rc < 0 ? err_set(err, EIO, "%s: cannot be written", path) : 0;
}
