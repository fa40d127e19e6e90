/* SPDX-License-Identifier: Apache-2.0 */
/* without_hdf5 - what a build without libhdf5 says of HDF5. */
#include "source/lmt/archive.h"
#include "source/lmt/series_format.h"

int lmt_hdf5_open(const char *path, const struct lmt_opts *opts, void **ret_state,
                  const struct lmt_format **ret_format, struct err *err)
{
    (void)opts;
    (void)ret_state;
    (void)ret_format;
    return err_set(err, ENOSYS, "%s: HDF5 was not built in (meson option hdf5)", path);
}

int lmt_archive(struct lmt_series *series, const struct lmt_archive_opts *opts,
                const char *path, struct err *err)
{
    (void)series;
    (void)opts;
    return err_set(err, ENOSYS, "%s: HDF5 was not built in (meson option hdf5)", path);
}
