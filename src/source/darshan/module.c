/* SPDX-License-Identifier: Apache-2.0 */
/* module - the parts of Darshan that write records, and what their versions look like.
 */
#include "source/darshan/module.h"

#include "base/cleanup.h"
#include "source/darshan/autoperf_names.h"
#include "source/darshan/counters.h"

#include <string.h>

#define DROP DARSHAN_DROP

/* POSIX_RENAMED_FROM is a record id: its nothing is 0. */
#define RENAMED_FROM 12

/* Before version 3 of POSIX and of MPI-IO there was no start of closing and no end of
 * opening. */
#define F_COUNTERS_15        \
    {                        \
        { 0, 3 }, { 5, 12 }, \
        {                    \
            0                \
        }                    \
    }
#define F_COUNTERS_17 \
    {                 \
        { 0, 17 },    \
        {             \
            0         \
        }             \
    }

static const struct darshan_layout posix_layouts[] = {
    /* Version 1 counted the stdio calls of a file here: such a record is left out,
     * since nothing tells its two kinds of calls apart. */
    { .zero = RENAMED_FROM,
      .omit_if = 6,
      .counters = { { 0, 1 }, { 3, 5 }, { DROP, 4 }, { 8, 2 }, { 13, 56 } },
      .f_counters = F_COUNTERS_15 },
    { .zero = RENAMED_FROM,
      .counters = { { 0, 1 }, { 3, 7 }, { 13, 56 }, { 0 } },
      .f_counters = F_COUNTERS_15 },
    { .zero = RENAMED_FROM,
      .counters = { { 0, 1 }, { 3, 7 }, { 13, 56 }, { 0 } },
      .f_counters = F_COUNTERS_17 },
    { .counters = { { 0, 69 }, { 0 } }, .f_counters = F_COUNTERS_17 },
};

static const struct darshan_layout mpiio_layouts[] = {
    { .counters = { { 0, 51 }, { 0 } }, .f_counters = F_COUNTERS_15 },
    { .counters = { { 0, 51 }, { 0 } }, .f_counters = F_COUNTERS_15 },
    { .counters = { { 0, 51 }, { 0 } }, .f_counters = F_COUNTERS_17 },
};

static const struct darshan_layout stdio_layouts[] = {
    { .counters = { { 0, 1 }, { 2, 12 }, { 0 } }, .f_counters = { { 0, 15 }, { 0 } } },
    { .counters = { { 0, 14 }, { 0 } }, .f_counters = { { 0, 15 }, { 0 } } },
};

static const struct darshan_layout h5f_layouts[] = {
    { .counters = { { 0, 1 }, { 0 } }, .f_counters = { { 0, 1 }, { 3, 1 }, { 0 } } },
    { .counters = { { 0, 1 }, { 0 } }, .f_counters = { { 0, 4 }, { 0 } } },
    { .counters = { { 0, 3 }, { 0 } }, .f_counters = { { 0, 5 }, { 0 } } },
};

static const struct darshan_layout h5d_layouts[] = {
    { .counters = { { 0, 94 }, { 0 } }, .f_counters = F_COUNTERS_17 },
    { .has_file_id = true,
      .counters = { { 0, 94 }, { 0 } },
      .f_counters = F_COUNTERS_17 },
};

/* Independent and collective opens, apart in the first two versions, are one counter:
 * a second number for the same place is added. */
static const struct darshan_layout pnetcdf_file_layouts[] = {
    { .counters = { { 1, 1 }, { 1, 1 }, { 0 } },
      .f_counters = { { 0, 1 }, { 4, 1 }, { 0 } } },
    { .counters = { { 1, 1 }, { 1, 1 }, { 0 } },
      .f_counters = { { 0, 2 }, { 3, 2 }, { 0 } } },
    { .counters = { { 0, 9 }, { 0 } }, .f_counters = { { 0, 8 }, { 0 } } },
};

static const struct darshan_layout pnetcdf_var_layouts[] = {
    { .has_file_id = true,
      .counters = { { 0, 120 }, { 0 } },
      .f_counters = F_COUNTERS_17 },
};

static const struct darshan_layout bgq_layouts[] = {
    { .pad_bytes = 8,
      .counters = { { 0, 11 }, { 0 } },
      .f_counters = { { 0, 1 }, { 0 } } },
    { .counters = { { 0, 11 }, { 0 } }, .f_counters = { { 0, 1 }, { 0 } } },
};

static const struct darshan_layout dfs_layouts[] = {
    { .tail_bytes = 32,
      .counters = { { 0, 52 }, { 0 } },
      .f_counters = { { 0, 15 }, { 0 } } },
};

static const struct darshan_layout daos_layouts[] = {
    { .tail_bytes = 48,
      .counters = { { 0, 64 }, { 0 } },
      .f_counters = { { 0, 15 }, { 0 } } },
};

#define COUNTERS(names, f_names, table)                              \
    .kind = DARSHAN_KIND_COUNTERS, .counter_count = COUNT_OF(names), \
    .counter_names = (names), .f_counter_count = COUNT_OF(f_names),  \
    .f_counter_names = (f_names), .version_newest = COUNT_OF(table), \
    .layouts = (table)

static const struct darshan_module modules[] = {
    [DARSHAN_NULL] = { .name = "NULL", .prefix = "NULL" },
    [DARSHAN_POSIX] = { "POSIX", "POSIX",
                        COUNTERS(darshan_posix_names, darshan_posix_f_names,
                                 posix_layouts) },
    [DARSHAN_MPIIO] = { "MPI-IO", "MPIIO",
                        COUNTERS(darshan_mpiio_names, darshan_mpiio_f_names,
                                 mpiio_layouts) },
    [DARSHAN_H5F] = { "H5F", "H5F",
                      COUNTERS(darshan_h5f_names, darshan_h5f_f_names, h5f_layouts) },
    [DARSHAN_H5D] = { "H5D", "H5D", .has_file_id = true,
                      COUNTERS(darshan_h5d_names, darshan_h5d_f_names, h5d_layouts) },
    [DARSHAN_PNETCDF_FILE] = { "PNETCDF_FILE", "PNETCDF_FILE",
                               COUNTERS(darshan_pnetcdf_file_names,
                                        darshan_pnetcdf_file_f_names,
                                        pnetcdf_file_layouts) },
    [DARSHAN_PNETCDF_VAR] = { "PNETCDF_VAR", "PNETCDF_VAR", .has_file_id = true,
                              COUNTERS(darshan_pnetcdf_var_names,
                                       darshan_pnetcdf_var_f_names,
                                       pnetcdf_var_layouts) },
    [DARSHAN_BGQ] = { "BG/Q", "BGQ",
                      COUNTERS(darshan_bgq_names, darshan_bgq_f_names, bgq_layouts) },
    [DARSHAN_LUSTRE] = { "LUSTRE", "LUSTRE", .kind = DARSHAN_KIND_LUSTRE,
                         .version_newest = 2 },
    [DARSHAN_STDIO] = { "STDIO", "STDIO",
                        COUNTERS(darshan_stdio_names, darshan_stdio_f_names,
                                 stdio_layouts) },
    [DARSHAN_DXT_POSIX] = { "DXT_POSIX", "DXT", .kind = DARSHAN_KIND_DXT,
                            .version_newest = 1 },
    [DARSHAN_DXT_MPIIO] = { "DXT_MPIIO", "DXT", .kind = DARSHAN_KIND_DXT,
                            .version_newest = 2 },
    [DARSHAN_MDHIM] = { .name = "MDHIM", .prefix = "MDHIM" },
    [DARSHAN_APXC] = { "APXC", "APXC", .kind = DARSHAN_KIND_AUTOPERF,
                       .counter_count = APXC_COUNTERS,
                       .counter_names = darshan_apxc_names, .version_newest = 1 },
    [DARSHAN_APMPI] = { "APMPI", "MPI", .kind = DARSHAN_KIND_AUTOPERF,
                        .counter_count = APMPI_COUNTERS,
                        .counter_names = darshan_apmpi_names,
                        .f_counter_count = APMPI_F_COUNTERS,
                        .f_counter_names = darshan_apmpi_f_names, .version_newest = 1 },
    [DARSHAN_HEATMAP] = { "HEATMAP", "HEATMAP", .kind = DARSHAN_KIND_HEATMAP,
                          .version_newest = 1 },
    [DARSHAN_DFS] = { "DFS", "DFS",
                      COUNTERS(darshan_dfs_names, darshan_dfs_f_names, dfs_layouts) },
    [DARSHAN_DAOS] = { "DAOS", "DAOS",
                       COUNTERS(darshan_daos_names, darshan_daos_f_names,
                                daos_layouts) },
    [DARSHAN_UNKNOWN] = { .name = "UNKNOWN", .prefix = "UNKNOWN" },
};

const struct darshan_module *darshan_module(enum darshan_module_id id)
{
    return &modules[id <= DARSHAN_UNKNOWN ? id : DARSHAN_UNKNOWN];
}

static int find(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return (int)i;
    return -1;
}

int darshan_counter_find(const struct darshan_module *module, const char *name)
{
    return find(module->counter_names, module->counter_count, name);
}

int darshan_f_counter_find(const struct darshan_module *module, const char *name)
{
    return find(module->f_counter_names, module->f_counter_count, name);
}
