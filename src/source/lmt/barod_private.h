/* SPDX-License-Identifier: Apache-2.0 */
/* barod_private - what the files of a barod as a series share; for them alone. */
#ifndef SOURCE_LMT_BAROD_PRIVATE_H
#define SOURCE_LMT_BAROD_PRIVATE_H

#include "base/hashmap.h"
#include "base/strbuf.h"
#include "source/lmt/barod.h"

#define NO_TIME INT64_MIN

/* What a measure's columns are. */
enum barod_class { BAROD_OST, BAROD_MDT, BAROD_OSS, BAROD_MDS, BAROD_CLASSES };

enum barod_kind {
    BAROD_COUNTER,
    BAROD_GAUGE,     /* as it was at its time */
    BAROD_GAUGE_END, /* of the step that ended then */
    BAROD_LESS,      /* metric - other */
    BAROD_USED,      /* per cent: what other leaves of metric */
};

/* Where a measure comes from. */
struct barod_source {
    enum barod_class class;
    enum barod_kind kind;
    const char *metric, *other;
    const char *op; /* of /v1/jobstats/rates; NULL: rows do not have it */
};

/* NULL: barod has no such measure. */
const struct barod_source *barod_source_of(enum lmt_measure measure);

/* What the store has series of: "scratch/oss01/ost:scratch-OST0000". */
struct barod_component {
    char *path;
    struct span cluster, host, name; /* of path */
    enum barod_class class;          /* BAROD_OST or BAROD_MDT */
};

/* The columns of a class, of the file systems that were chosen. */
struct barod_columns {
    struct hashmap components; /* path -> column + 1 */
    struct hashmap index;      /* name -> column + 1 */
    char **names;
    size_t count, capacity;
};

struct barod {
    struct lmt_barod_opts opts;
    struct strbuf path;     /* of what is asked */
    struct hashmap metrics; /* class and metric: there is a series */
    struct barod_component *components;
    size_t component_count, component_capacity;
    struct hashmap known; /* path of a component */
    struct barod_columns columns[BAROD_CLASSES];
    bool has_clusters;      /* a name stands in two of them */
    char *fs;               /* NULL: all */
    int64_t step_s;         /* of most series */
    int64_t align_s;        /* a time that all steps have begins on it */
    int64_t first_s, now_s; /* of the store, as the server's clock is */
    int64_t rows_from_s, rows_to_s;
};

/* ---- barod_catalogue: what there is ---- */

int barod_catalogue_read(struct barod *b, struct err *err);
/* Columns anew, of the file system fs.  False: it has no target. */
int barod_columns_make(struct barod *b, struct err *err);
bool barod_has_fs(const struct barod *b, struct span fs);
/* "scratch" of "scratch-OST0000"; all of it where it is no target's name. */
struct span barod_fs_of(struct span target);
bool barod_has_metric(const struct barod *b, enum barod_class class,
                      const char *metric);
void barod_columns_done(struct barod_columns *columns);

/* ---- asking ---- */

/* Appends to b->path: name=value, escaped. */
void barod_path_begin(struct barod *b, const char *path);
void barod_path_add(struct barod *b, const char *name, const char *value);
void barod_path_add_time(struct barod *b, const char *name, int64_t t_s);
int barod_get(struct barod *b, struct span *ret, struct err *err);

/* ---- barod_slice, barod_rows: a measure into a grid ---- */

/* The grid has its shape and the columns of the source's class, all NaN. */
int barod_slice_read(struct barod *b, const struct barod_source *source,
                     struct lmt_grid *grid, struct err *err);
/* Rows of what jobs did; the grid may have no shape yet. */
int barod_rows_read(struct barod *b, const struct barod_source *source,
                    struct lmt_grid *grid, struct err *err);

#endif
