/* SPDX-License-Identifier: Apache-2.0 */
/* counters - the names of every module's counters, in the order of its newest version.
 */
#ifndef SOURCE_DARSHAN_COUNTERS_H
#define SOURCE_DARSHAN_COUNTERS_H

extern const char *const darshan_dfs_names[52];
extern const char *const darshan_dfs_f_names[15];
extern const char *const darshan_daos_names[64];
extern const char *const darshan_daos_f_names[15];
extern const char *const darshan_posix_names[69];
extern const char *const darshan_posix_f_names[17];
extern const char *const darshan_mpiio_names[51];
extern const char *const darshan_mpiio_f_names[17];
extern const char *const darshan_stdio_names[14];
extern const char *const darshan_stdio_f_names[15];
extern const char *const darshan_h5f_names[3];
extern const char *const darshan_h5f_f_names[5];
extern const char *const darshan_h5d_names[94];
extern const char *const darshan_h5d_f_names[17];
extern const char *const darshan_pnetcdf_file_names[9];
extern const char *const darshan_pnetcdf_file_f_names[8];
extern const char *const darshan_pnetcdf_var_names[120];
extern const char *const darshan_pnetcdf_var_f_names[17];
extern const char *const darshan_bgq_names[11];
extern const char *const darshan_bgq_f_names[1];

#endif
