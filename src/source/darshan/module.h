/* SPDX-License-Identifier: Apache-2.0 */
/* module - the parts of Darshan that write records, and what their versions look like.
 *
 * Each version of a module is described by a table: how its numbers lie in the log, and
 * where each belongs among the counters of the newest version.  So that one reader
 * serves all of them, and a counter has the same place whatever wrote it.
 */
#ifndef SOURCE_DARSHAN_MODULE_H
#define SOURCE_DARSHAN_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DARSHAN_COUNTERS_MAX 120
#define DARSHAN_F_COUNTERS_MAX 17

/* The slots of a log of format 3.41. */
enum darshan_module_id {
    DARSHAN_NULL,
    DARSHAN_POSIX,
    DARSHAN_MPIIO,
    DARSHAN_H5F,
    DARSHAN_H5D,
    DARSHAN_PNETCDF_FILE,
    DARSHAN_PNETCDF_VAR,
    DARSHAN_BGQ,
    DARSHAN_LUSTRE,
    DARSHAN_STDIO,
    DARSHAN_DXT_POSIX,
    DARSHAN_DXT_MPIIO,
    DARSHAN_MDHIM,
    DARSHAN_APXC,
    DARSHAN_APMPI,
    DARSHAN_HEATMAP,
    DARSHAN_DFS,
    DARSHAN_DAOS,
    DARSHAN_UNKNOWN,
};

enum darshan_record_kind {
    DARSHAN_KIND_SKIPPED,  /* known by name only */
    DARSHAN_KIND_COUNTERS, /* base, integers, doubles */
    DARSHAN_KIND_LUSTRE,
    DARSHAN_KIND_HEATMAP,
    DARSHAN_KIND_DXT,
    DARSHAN_KIND_AUTOPERF, /* a head, then integers and doubles of processes */
};

/* count numbers of the log go to the counters from to on. */
struct darshan_run {
    uint8_t to; /* DARSHAN_DROP: nowhere */
    uint8_t count;
};

#define DARSHAN_DROP 255
#define DARSHAN_RUNS_MAX 5

struct darshan_layout {
    uint8_t pad_bytes;  /* between the base record and the rest */
    uint8_t tail_bytes; /* behind the numbers: UUIDs of the pool and of the container,
                         * then the two numbers of an object of DAOS */
    bool has_file_id; /* the record id of the file that a data set or variable is in */
    uint8_t zero;     /* a counter that is 0 where it is not known; 0: none */
    uint8_t omit_if; /* a record with more than 0 in this number is left out; 0: none */
    struct darshan_run counters[DARSHAN_RUNS_MAX]; /* ends with count 0 */
    struct darshan_run f_counters[DARSHAN_RUNS_MAX];
};

struct darshan_module {
    const char *name;   /* as logs and people call it: "MPI-IO" */
    const char *prefix; /* of its counters: "MPIIO" */
    enum darshan_record_kind kind;
    bool has_file_id;
    size_t counter_count;
    const char *const *counter_names;
    size_t f_counter_count;
    const char *const *f_counter_names;
    uint32_t version_newest;              /* that we read; 0: none */
    const struct darshan_layout *layouts; /* of version 1 .. version_newest */
};

/* Never NULL: DARSHAN_UNKNOWN has a module named "UNKNOWN". */
const struct darshan_module *darshan_module(enum darshan_module_id id);

/* Where the counter called name stands among module's, or -1. */
int darshan_counter_find(const struct darshan_module *module, const char *name);
int darshan_f_counter_find(const struct darshan_module *module, const char *name);

#endif
