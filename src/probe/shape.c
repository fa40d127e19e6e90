/* SPDX-License-Identifier: Apache-2.0 */
/* shape - which bytes of which file each process of a probe moves. */
#include "probe/shape.h"

#include "base/cleanup.h"

#include <string.h>

#define MIB (UINT64_C(1) << 20)

static const struct shape_variable bytes[] = { { "data", 1, true } };

/* Position, velocity, potential, number and mask of a particle. */
static const struct shape_variable hacc[] = {
    { "x", 4, true },   { "y", 4, true },   { "z", 4, true },
    { "vx", 4, true },  { "vy", 4, true },  { "vz", 4, true },
    { "phi", 4, true }, { "pid", 8, true }, { "mask", 2, true },
};

static const struct shape_variable vpic[] = {
    { "x", 4, true },  { "y", 4, true },  { "z", 4, true },    { "px", 4, true },
    { "py", 4, true }, { "pz", 4, true }, { "id1", 4, false }, { "id2", 4, false },
};

static const struct shape ior_shared = {
    .name = "ior-shared",
    .write_name = "ior_shared_write",
    .read_name = "ior_shared_read",
    .help = "IOR: one file, each process a block of it, 4 MiB at a time",
    .is_shared = true,
    .variables = bytes,
    .variable_count = COUNT_OF(bytes),
    .items = 64 * MIB,
    .transfer_bytes = 4 * MIB,
};

static const struct shape ior_fpp = {
    .name = "ior-fpp",
    .write_name = "ior_fpp_write",
    .read_name = "ior_fpp_read",
    .help = "IOR: a file per process, 4 MiB at a time",
    .variables = bytes,
    .variable_count = COUNT_OF(bytes),
    .items = 64 * MIB,
    .transfer_bytes = 4 * MIB,
};

static const struct shape hacc_fpp = {
    .name = "hacc",
    .write_name = "hacc_io_fpp_write",
    .read_name = "hacc_io_fpp_read",
    .help = "HACC-IO: a checkpoint, a file per process, nine variables of particles",
    .variables = hacc,
    .variable_count = COUNT_OF(hacc),
    .items = 96 * MIB / 38,
    .transfer_bytes = 64 * MIB,
};

static const struct shape vpic_shared = {
    .name = "vpic",
    .write_name = "vpic_io_shared_write",
    .read_name = "bd_cats_io_shared_read",
    .help = "VPIC-IO: eight variables of particles to one file; BD-CATS-IO reads six",
    .is_shared = true,
    .variables = vpic,
    .variable_count = COUNT_OF(vpic),
    .items = 8 * MIB,
    .transfer_bytes = 64 * MIB,
};

const struct shape *const shapes[] = { &ior_shared, &ior_fpp, &hacc_fpp, &vpic_shared };
const size_t shape_count = COUNT_OF(shapes);
_Static_assert(COUNT_OF(shapes) <= SHAPES_MAX, "callers have space for so many");

const struct shape *shape_find(const char *name)
{
    for (size_t i = 0; i < shape_count; i++)
        if (strcmp(shapes[i]->name, name) == 0)
            return shapes[i];
    return NULL;
}

uint64_t shape_rank_bytes(const struct shape *shape, enum shape_phase phase,
                          uint64_t items)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < shape->variable_count; i++)
        if (phase == SHAPE_WRITE || shape->variables[i].is_read)
            sum += items * shape->variables[i].item_bytes;
    return sum;
}

uint64_t shape_items(const struct shape *shape, unsigned ranks, uint64_t total_bytes)
{
    uint64_t items = total_bytes / ranks / shape_rank_bytes(shape, SHAPE_WRITE, 1);
    return items ? items : 1;
}

uint64_t shape_array_bytes(const struct shape *shape, size_t variable, unsigned ranks,
                           uint64_t items)
{
    return items * shape->variables[variable].item_bytes *
           (shape->is_shared ? ranks : 1);
}

bool shape_next(struct shape_walk *w, struct transfer *ret)
{
    const struct shape *s = w->shape;
    for (; w->variable < s->variable_count; w->variable++, w->done = 0) {
        const struct shape_variable *v = &s->variables[w->variable];
        uint64_t slab = w->items * v->item_bytes;
        if (w->done >= slab || (w->phase == SHAPE_READ && !v->is_read))
            continue;
        uint64_t base = 0;
        for (size_t i = 0; i < w->variable; i++)
            base += shape_array_bytes(s, i, w->ranks, w->items);
        uint64_t left = slab - w->done;
        *ret = (struct transfer){
            .variable = w->variable,
            .array_offset = (s->is_shared ? w->rank * slab : 0) + w->done,
            .size = left < s->transfer_bytes ? left : s->transfer_bytes,
        };
        ret->offset = base + ret->array_offset;
        w->done += ret->size;
        return true;
    }
    return false;
}
