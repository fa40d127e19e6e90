/* SPDX-License-Identifier: Apache-2.0 */
/* layers - which files one interface reached through another, and the bytes on both
 * sides of it.
 *
 *     application ─▶ MPI-IO ─▶ POSIX ─▶ file system
 *                └──────────▶ POSIX, STDIO ──▶
 *
 * MPI-IO may reach DFS or DAOS instead, whose ids are of objects and not of paths: what
 * is below it then is known as a sum only.
 *
 * The upper records come first: a file that has one was reached through it, and its
 * lower records are inside.  A collective call may read and write more, or less, than
 * was requested of it.
 *
 * Memory   about 80 bytes a file that has an upper record, for LAYERS_FILES_MAX of
 * them at most; others count as outermost.  Threads  none.
 */
#ifndef ANALYSIS_LOG_LAYERS_H
#define ANALYSIS_LOG_LAYERS_H

#include "base/hashmap.h"
#include "source/darshan/darshan.h"

#define LAYERS_FILES_MAX ((size_t)1 << 20)

struct layer_bytes {
    double read, written;
};

struct layer_file {
    struct layer_bytes bytes; /* by the upper records */
    bool has_lower;
};

struct layers {
    struct hashmap map; /* file id -> 1 + index in files */
    struct layer_file *files;
    size_t count, capacity;
    struct hashmap lower;      /* ids of files that have no upper record */
    struct layer_bytes alone;  /* of lower records that are not inside */
    struct layer_bytes inside; /* of those that are */
    struct layer_bytes below;  /* of records of no known file that are inside */
};

/* What the layers add up to. */
struct layer_sums {
    struct layer_bytes application; /* as it requested them */
    struct layer_bytes file_system; /* as the lowest records have them */
    double files;                   /* different ones */
    bool is_layered;                /* at least one file was reached through another
                                     * interface, with bytes on both sides */
    double amplification; /* bytes below by bytes above, of those files; NaN: none */
};

void layers_done(struct layers *l);
DEFINE_AUTO_DONE(struct layers, layers_done);

/* Errors: -ENOMEM. */
int layers_add_upper(struct layers *l, uint64_t id, struct layer_bytes bytes);
/* *ret_is_inside: the file has an upper record.  is_file: it is no standard stream, and
 * counts as a file.  Errors: -ENOMEM. */
int layers_add_lower(struct layers *l, uint64_t id, struct layer_bytes bytes,
                     bool is_file, bool *ret_is_inside);
/* At least one file has upper bytes, and no lower record: what it was reached through
 * has ids of its own, or was not recorded. */
bool layers_has_open(const struct layers *l);
/* Lower records of files that layers_has_open() is of. */
void layers_add_below(struct layers *l, struct layer_bytes bytes);
void layers_sum(const struct layers *l, struct layer_sums *ret);
/* Adds those of other interfaces, whose lower bytes are in no file system of ours. */
void layers_sum_beside(const struct layers *l, struct layer_sums *sums);

#endif
