/* SPDX-License-Identifier: Apache-2.0 */
/* layer_use - how much a program used one interface: what two runs are compared by.
 *
 *     H5D, PNETCDF_VAR ─▶ MPI-IO ─▶ POSIX, DFS ─▶ DAOS      each counted for itself
 *
 * Bytes of one interface are inside those of another: they are not to be added up.
 */
#ifndef ANALYSIS_LOG_LAYER_USE_H
#define ANALYSIS_LOG_LAYER_USE_H

#include "source/darshan/darshan.h"

enum log_layer {
    LAYER_H5F,
    LAYER_H5D,
    LAYER_PNETCDF_FILE,
    LAYER_PNETCDF_VAR,
    LAYER_MPIIO,
    LAYER_POSIX,
    LAYER_STDIO,
    LAYER_DFS,
    LAYER_DAOS,
    LAYER_APMPI,
    LOG_LAYERS,
};

enum layer_figure {
    LAYER_OPENS,
    LAYER_ACCESSES, /* reads and writes; of APMPI calls */
    LAYER_BYTES,
    LAYER_READ_SHARE,       /* of its bytes */
    LAYER_COLLECTIVE_SHARE, /* of its accesses; of H5D of its data sets */
    LAYER_FIGURES,
};

struct layer_use {
    uint64_t records;
    double opens, accesses, bytes_read, bytes_written, collective;
    bool is_of_records;      /* collective counts records */
    bool has[LAYER_FIGURES]; /* the module counts it */
};

#define LAYER_COLUMNS_MAX 128

/* Where a module's counters are that are added up. */
struct layer_columns {
    struct {
        uint16_t column;
        uint16_t part;
    } items[LAYER_COLUMNS_MAX];
    size_t count;
};

void layer_columns_find(const struct darshan_module *module, struct layer_columns *ret);

/* LOG_LAYERS: the module is no layer. */
enum log_layer log_layer_of(enum darshan_module_id id);
enum darshan_module_id log_layer_module(enum log_layer layer);
/* "MPI-IO" */
const char *log_layer_name(enum log_layer layer);

/* Records of one module only; what is below zero is not known, and adds nothing. */
void layer_use_add(struct layer_use *use, const struct layer_columns *columns,
                   const struct darshan_record *record);
/* NaN: the module does not count it, or there are no records. */
double layer_use_figure(const struct layer_use *use, enum layer_figure figure);

#endif
