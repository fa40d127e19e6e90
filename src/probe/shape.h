/* SPDX-License-Identifier: Apache-2.0 */
/* shape - which bytes of which file each process of a probe moves.
 *
 *     one file for all (shared), two processes, two variables:
 *
 *         | x of 0 | x of 1 | y of 0 | y of 1 |      each slab in pieces (transfers)
 *
 *     a file per process:   | x | y |
 *
 * The shapes are those of the TOKIO collection (seed 003, its Table 2): IOR as users of
 * large files should do, HACC-IO's checkpoint of 38 bytes a particle, VPIC-IO's eight
 * variables of a particle, and BD-CATS-IO, which reads six of them back.
 */
#ifndef PROBE_SHAPE_H
#define PROBE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shape_variable {
    const char *name;
    unsigned item_bytes;
    bool is_read; /* by the reading phase */
};

struct shape {
    const char *name;                   /* as one asks for it: "ior-shared" */
    const char *write_name, *read_name; /* of the two phases, as records call them */
    const char *help;
    bool is_shared;
    const struct shape_variable *variables;
    size_t variable_count;
    uint64_t items;          /* of each process, unless sized otherwise */
    uint64_t transfer_bytes; /* at most so much by one call */
};

enum shape_phase { SHAPE_WRITE, SHAPE_READ };

/* A piece of one variable.  Offsets: in the file, and in the variable's own array. */
struct transfer {
    size_t variable;
    uint64_t offset, array_offset;
    uint64_t size;
};

/* What one process does, piece by piece.  items is of each process. */
struct shape_walk {
    const struct shape *shape;
    enum shape_phase phase;
    unsigned rank, ranks;
    uint64_t items;
    size_t variable;
    uint64_t done; /* of the slab of that variable */
};

#define SHAPES_MAX 8
extern const struct shape *const shapes[];
extern const size_t shape_count; /* at most SHAPES_MAX */
const struct shape *shape_find(const char *name);

/* Bytes that one process moves in a phase. */
uint64_t shape_rank_bytes(const struct shape *shape, enum shape_phase phase,
                          uint64_t items);
/* Items a process so that all together write about total_bytes, at least one. */
uint64_t shape_items(const struct shape *shape, unsigned ranks, uint64_t total_bytes);
/* Bytes of a variable in the whole file. */
uint64_t shape_array_bytes(const struct shape *shape, size_t variable, unsigned ranks,
                           uint64_t items);

/* The next piece; false after the last. */
bool shape_next(struct shape_walk *walk, struct transfer *ret);

#endif
