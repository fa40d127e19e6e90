/* SPDX-License-Identifier: Apache-2.0 */
/* counters - the names of every module's counters, in the order of its newest version.
 *
 * They are Darshan's own: what people know them by, and what their scripts look for.
 */
#include "source/darshan/counters.h"

/* Histogram of sizes, in ten ranges. */
#define SIZES(prefix)                                                         \
    prefix "0_100", prefix "100_1K", prefix "1K_10K", prefix "10K_100K",      \
        prefix "100K_1M", prefix "1M_4M", prefix "4M_10M", prefix "10M_100M", \
        prefix "100M_1G", prefix "1G_PLUS"
/* The four commonest values, or how often each came. */
#define FOUR(prefix, suffix) \
    prefix "1" suffix, prefix "2" suffix, prefix "3" suffix, prefix "4" suffix
/* One of the four commonest accesses to an array, by its last five dimensions. */
#define FIVE(prefix) prefix "1", prefix "2", prefix "3", prefix "4", prefix "5"
#define ARRAY_ACCESS(prefix) \
    prefix "_ACCESS", FIVE(prefix "_LENGTH_D"), FIVE(prefix "_STRIDE_D")
#define ARRAY_ACCESSES(prefix)                                                    \
    ARRAY_ACCESS(prefix "1"), ARRAY_ACCESS(prefix "2"), ARRAY_ACCESS(prefix "3"), \
        ARRAY_ACCESS(prefix "4")
#define RANKS(prefix)                                                          \
    prefix "FASTEST_RANK", prefix "FASTEST_RANK_BYTES", prefix "SLOWEST_RANK", \
        prefix "SLOWEST_RANK_BYTES"
/* The times of all modules but the oldest. */
#define TIMES_NO_VARIANCE(prefix)                                                    \
    prefix "OPEN_START_TIMESTAMP", prefix "READ_START_TIMESTAMP",                    \
        prefix "WRITE_START_TIMESTAMP", prefix "CLOSE_START_TIMESTAMP",              \
        prefix "OPEN_END_TIMESTAMP", prefix "READ_END_TIMESTAMP",                    \
        prefix "WRITE_END_TIMESTAMP", prefix "CLOSE_END_TIMESTAMP",                  \
        prefix "READ_TIME", prefix "WRITE_TIME", prefix "META_TIME",                 \
        prefix "MAX_READ_TIME", prefix "MAX_WRITE_TIME", prefix "FASTEST_RANK_TIME", \
        prefix "SLOWEST_RANK_TIME"
#define TIMES(prefix) \
    TIMES_NO_VARIANCE(prefix), prefix "VARIANCE_RANK_TIME", prefix "VARIANCE_RANK_BYTES"
#define SPREAD(prefix)                                      \
    prefix "FASTEST_RANK_TIME", prefix "SLOWEST_RANK_TIME", \
        prefix "VARIANCE_RANK_TIME", prefix "VARIANCE_RANK_BYTES"

const char *const darshan_posix_names[69] = {
    "POSIX_OPENS",
    "POSIX_FILENOS",
    "POSIX_DUPS",
    "POSIX_READS",
    "POSIX_WRITES",
    "POSIX_SEEKS",
    "POSIX_STATS",
    "POSIX_MMAPS",
    "POSIX_FSYNCS",
    "POSIX_FDSYNCS",
    "POSIX_RENAME_SOURCES",
    "POSIX_RENAME_TARGETS",
    "POSIX_RENAMED_FROM",
    "POSIX_MODE",
    "POSIX_BYTES_READ",
    "POSIX_BYTES_WRITTEN",
    "POSIX_MAX_BYTE_READ",
    "POSIX_MAX_BYTE_WRITTEN",
    "POSIX_CONSEC_READS",
    "POSIX_CONSEC_WRITES",
    "POSIX_SEQ_READS",
    "POSIX_SEQ_WRITES",
    "POSIX_RW_SWITCHES",
    "POSIX_MEM_NOT_ALIGNED",
    "POSIX_MEM_ALIGNMENT",
    "POSIX_FILE_NOT_ALIGNED",
    "POSIX_FILE_ALIGNMENT",
    "POSIX_MAX_READ_TIME_SIZE",
    "POSIX_MAX_WRITE_TIME_SIZE",
    SIZES("POSIX_SIZE_READ_"),
    SIZES("POSIX_SIZE_WRITE_"),
    FOUR("POSIX_STRIDE", "_STRIDE"),
    FOUR("POSIX_STRIDE", "_COUNT"),
    FOUR("POSIX_ACCESS", "_ACCESS"),
    FOUR("POSIX_ACCESS", "_COUNT"),
    RANKS("POSIX_"),
};

const char *const darshan_posix_f_names[17] = {
    TIMES("POSIX_F_"),
};

const char *const darshan_mpiio_names[51] = {
    "MPIIO_INDEP_OPENS",
    "MPIIO_COLL_OPENS",
    "MPIIO_INDEP_READS",
    "MPIIO_INDEP_WRITES",
    "MPIIO_COLL_READS",
    "MPIIO_COLL_WRITES",
    "MPIIO_SPLIT_READS",
    "MPIIO_SPLIT_WRITES",
    "MPIIO_NB_READS",
    "MPIIO_NB_WRITES",
    "MPIIO_SYNCS",
    "MPIIO_HINTS",
    "MPIIO_VIEWS",
    "MPIIO_MODE",
    "MPIIO_BYTES_READ",
    "MPIIO_BYTES_WRITTEN",
    "MPIIO_RW_SWITCHES",
    "MPIIO_MAX_READ_TIME_SIZE",
    "MPIIO_MAX_WRITE_TIME_SIZE",
    SIZES("MPIIO_SIZE_READ_AGG_"),
    SIZES("MPIIO_SIZE_WRITE_AGG_"),
    FOUR("MPIIO_ACCESS", "_ACCESS"),
    FOUR("MPIIO_ACCESS", "_COUNT"),
    RANKS("MPIIO_"),
};

const char *const darshan_mpiio_f_names[17] = {
    TIMES("MPIIO_F_"),
};

const char *const darshan_stdio_names[14] = {
    "STDIO_OPENS",         "STDIO_FDOPENS",
    "STDIO_READS",         "STDIO_WRITES",
    "STDIO_SEEKS",         "STDIO_FLUSHES",
    "STDIO_BYTES_WRITTEN", "STDIO_BYTES_READ",
    "STDIO_MAX_BYTE_READ", "STDIO_MAX_BYTE_WRITTEN",
    RANKS("STDIO_"),
};

const char *const darshan_stdio_f_names[15] = {
    "STDIO_F_META_TIME",
    "STDIO_F_WRITE_TIME",
    "STDIO_F_READ_TIME",
    "STDIO_F_OPEN_START_TIMESTAMP",
    "STDIO_F_CLOSE_START_TIMESTAMP",
    "STDIO_F_WRITE_START_TIMESTAMP",
    "STDIO_F_READ_START_TIMESTAMP",
    "STDIO_F_OPEN_END_TIMESTAMP",
    "STDIO_F_CLOSE_END_TIMESTAMP",
    "STDIO_F_WRITE_END_TIMESTAMP",
    "STDIO_F_READ_END_TIMESTAMP",
    SPREAD("STDIO_F_"),
};

const char *const darshan_h5f_names[3] = {
    "H5F_OPENS",
    "H5F_FLUSHES",
    "H5F_USE_MPIIO",
};

const char *const darshan_h5f_f_names[5] = {
    "H5F_F_OPEN_START_TIMESTAMP",
    "H5F_F_CLOSE_START_TIMESTAMP",
    "H5F_F_OPEN_END_TIMESTAMP",
    "H5F_F_CLOSE_END_TIMESTAMP",
    "H5F_F_META_TIME",
};

const char *const darshan_h5d_names[94] = {
    "H5D_OPENS",
    "H5D_READS",
    "H5D_WRITES",
    "H5D_FLUSHES",
    "H5D_BYTES_READ",
    "H5D_BYTES_WRITTEN",
    "H5D_RW_SWITCHES",
    "H5D_REGULAR_HYPERSLAB_SELECTS",
    "H5D_IRREGULAR_HYPERSLAB_SELECTS",
    "H5D_POINT_SELECTS",
    "H5D_MAX_READ_TIME_SIZE",
    "H5D_MAX_WRITE_TIME_SIZE",
    SIZES("H5D_SIZE_READ_AGG_"),
    SIZES("H5D_SIZE_WRITE_AGG_"),
    ARRAY_ACCESSES("H5D_ACCESS"),
    FOUR("H5D_ACCESS", "_COUNT"),
    "H5D_DATASPACE_NDIMS",
    "H5D_DATASPACE_NPOINTS",
    "H5D_DATATYPE_SIZE",
    FIVE("H5D_CHUNK_SIZE_D"),
    "H5D_USE_MPIIO_COLLECTIVE",
    "H5D_USE_DEPRECATED",
    RANKS("H5D_"),
};

const char *const darshan_h5d_f_names[17] = {
    TIMES("H5D_F_"),
};

const char *const darshan_pnetcdf_file_names[9] = {
    "PNETCDF_FILE_CREATES",       "PNETCDF_FILE_OPENS",
    "PNETCDF_FILE_REDEFS",        "PNETCDF_FILE_INDEP_WAITS",
    "PNETCDF_FILE_COLL_WAITS",    "PNETCDF_FILE_SYNCS",
    "PNETCDF_FILE_BYTES_READ",    "PNETCDF_FILE_BYTES_WRITTEN",
    "PNETCDF_FILE_WAIT_FAILURES",
};

const char *const darshan_pnetcdf_file_f_names[8] = {
    "PNETCDF_FILE_F_OPEN_START_TIMESTAMP",
    "PNETCDF_FILE_F_CLOSE_START_TIMESTAMP",
    "PNETCDF_FILE_F_WAIT_START_TIMESTAMP",
    "PNETCDF_FILE_F_OPEN_END_TIMESTAMP",
    "PNETCDF_FILE_F_CLOSE_END_TIMESTAMP",
    "PNETCDF_FILE_F_WAIT_END_TIMESTAMP",
    "PNETCDF_FILE_F_META_TIME",
    "PNETCDF_FILE_F_WAIT_TIME",
};

const char *const darshan_pnetcdf_var_names[120] = {
    "PNETCDF_VAR_OPENS",
    "PNETCDF_VAR_INDEP_READS",
    "PNETCDF_VAR_INDEP_WRITES",
    "PNETCDF_VAR_COLL_READS",
    "PNETCDF_VAR_COLL_WRITES",
    "PNETCDF_VAR_NB_READS",
    "PNETCDF_VAR_NB_WRITES",
    "PNETCDF_VAR_BYTES_READ",
    "PNETCDF_VAR_BYTES_WRITTEN",
    "PNETCDF_VAR_RW_SWITCHES",
    "PNETCDF_VAR_PUT_VAR",
    "PNETCDF_VAR_PUT_VAR1",
    "PNETCDF_VAR_PUT_VARA",
    "PNETCDF_VAR_PUT_VARS",
    "PNETCDF_VAR_PUT_VARM",
    "PNETCDF_VAR_PUT_VARN",
    "PNETCDF_VAR_PUT_VARD",
    "PNETCDF_VAR_GET_VAR",
    "PNETCDF_VAR_GET_VAR1",
    "PNETCDF_VAR_GET_VARA",
    "PNETCDF_VAR_GET_VARS",
    "PNETCDF_VAR_GET_VARM",
    "PNETCDF_VAR_GET_VARN",
    "PNETCDF_VAR_GET_VARD",
    "PNETCDF_VAR_IPUT_VAR",
    "PNETCDF_VAR_IPUT_VAR1",
    "PNETCDF_VAR_IPUT_VARA",
    "PNETCDF_VAR_IPUT_VARS",
    "PNETCDF_VAR_IPUT_VARM",
    "PNETCDF_VAR_IPUT_VARN",
    "PNETCDF_VAR_IGET_VAR",
    "PNETCDF_VAR_IGET_VAR1",
    "PNETCDF_VAR_IGET_VARA",
    "PNETCDF_VAR_IGET_VARS",
    "PNETCDF_VAR_IGET_VARM",
    "PNETCDF_VAR_IGET_VARN",
    "PNETCDF_VAR_BPUT_VAR",
    "PNETCDF_VAR_BPUT_VAR1",
    "PNETCDF_VAR_BPUT_VARA",
    "PNETCDF_VAR_BPUT_VARS",
    "PNETCDF_VAR_BPUT_VARM",
    "PNETCDF_VAR_BPUT_VARN",
    "PNETCDF_VAR_MAX_READ_TIME_SIZE",
    "PNETCDF_VAR_MAX_WRITE_TIME_SIZE",
    SIZES("PNETCDF_VAR_SIZE_READ_AGG_"),
    SIZES("PNETCDF_VAR_SIZE_WRITE_AGG_"),
    ARRAY_ACCESSES("PNETCDF_VAR_ACCESS"),
    FOUR("PNETCDF_VAR_ACCESS", "_COUNT"),
    "PNETCDF_VAR_NDIMS",
    "PNETCDF_VAR_NPOINTS",
    "PNETCDF_VAR_DATATYPE_SIZE",
    "PNETCDF_VAR_IS_RECORD_VAR",
    RANKS("PNETCDF_VAR_"),
};

const char *const darshan_pnetcdf_var_f_names[17] = {
    TIMES("PNETCDF_VAR_F_"),
};

const char *const darshan_bgq_names[11] = {
    "BGQ_CSJOBID", "BGQ_NNODES", "BGQ_RANKSPERNODE", "BGQ_DDRPERNODE",
    "BGQ_INODES",  "BGQ_ANODES", "BGQ_BNODES",       "BGQ_CNODES",
    "BGQ_DNODES",  "BGQ_ENODES", "BGQ_TORUSENABLED",
};

const char *const darshan_bgq_f_names[1] = {
    "BGQ_F_TIMESTAMP",
};

const char *const darshan_dfs_names[52] = {
    "DFS_OPENS",
    "DFS_GLOBAL_OPENS",
    "DFS_LOOKUPS",
    "DFS_DUPS",
    "DFS_READS",
    "DFS_READXS",
    "DFS_WRITES",
    "DFS_WRITEXS",
    "DFS_NB_READS",
    "DFS_NB_WRITES",
    "DFS_GET_SIZES",
    "DFS_PUNCHES",
    "DFS_REMOVES",
    "DFS_STATS",
    "DFS_BYTES_READ",
    "DFS_BYTES_WRITTEN",
    "DFS_RW_SWITCHES",
    "DFS_MAX_READ_TIME_SIZE",
    "DFS_MAX_WRITE_TIME_SIZE",
    SIZES("DFS_SIZE_READ_"),
    SIZES("DFS_SIZE_WRITE_"),
    FOUR("DFS_ACCESS", "_ACCESS"),
    FOUR("DFS_ACCESS", "_COUNT"),
    "DFS_CHUNK_SIZE",
    RANKS("DFS_"),
};

const char *const darshan_dfs_f_names[15] = {
    TIMES_NO_VARIANCE("DFS_F_"),
};

const char *const darshan_daos_names[64] = {
    "DAOS_OBJ_OPENS",
    "DAOS_OBJ_FETCHES",
    "DAOS_OBJ_UPDATES",
    "DAOS_OBJ_PUNCHES",
    "DAOS_OBJ_DKEY_PUNCHES",
    "DAOS_OBJ_AKEY_PUNCHES",
    "DAOS_OBJ_DKEY_LISTS",
    "DAOS_OBJ_AKEY_LISTS",
    "DAOS_OBJ_RECX_LISTS",
    "DAOS_ARRAY_OPENS",
    "DAOS_ARRAY_READS",
    "DAOS_ARRAY_WRITES",
    "DAOS_ARRAY_GET_SIZES",
    "DAOS_ARRAY_SET_SIZES",
    "DAOS_ARRAY_STATS",
    "DAOS_ARRAY_PUNCHES",
    "DAOS_ARRAY_DESTROYS",
    "DAOS_KV_OPENS",
    "DAOS_KV_GETS",
    "DAOS_KV_PUTS",
    "DAOS_KV_REMOVES",
    "DAOS_KV_LISTS",
    "DAOS_KV_DESTROYS",
    "DAOS_NB_OPS",
    "DAOS_BYTES_READ",
    "DAOS_BYTES_WRITTEN",
    "DAOS_RW_SWITCHES",
    "DAOS_MAX_READ_TIME_SIZE",
    "DAOS_MAX_WRITE_TIME_SIZE",
    SIZES("DAOS_SIZE_READ_"),
    SIZES("DAOS_SIZE_WRITE_"),
    FOUR("DAOS_ACCESS", "_ACCESS"),
    FOUR("DAOS_ACCESS", "_COUNT"),
    "DAOS_OBJ_OTYPE",
    "DAOS_ARRAY_CELL_SIZE",
    "DAOS_ARRAY_CHUNK_SIZE",
    RANKS("DAOS_"),
};

const char *const darshan_daos_f_names[15] = {
    TIMES_NO_VARIANCE("DAOS_F_"),
};
