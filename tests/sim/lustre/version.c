/* SPDX-License-Identifier: Apache-2.0 */
/* version - what each Lustre release prints into job_stats, as a table. */
#include "version.h"

#include "base/cleanup.h"

#include <string.h>

#define BIT(op) (UINT64_C(1) << SIM_##op)

#define MDT_2_5                                                                   \
    (BIT(OPEN) | BIT(CLOSE) | BIT(MKNOD) | BIT(LINK) | BIT(UNLINK) | BIT(MKDIR) | \
     BIT(RMDIR) | BIT(RENAME) | BIT(GETATTR) | BIT(SETATTR) | BIT(GETXATTR) |     \
     BIT(SETXATTR) | BIT(STATFS) | BIT(SYNC) | BIT(SAMEDIR_RENAME) |              \
     BIT(CROSSDIR_RENAME))
#define MDT_2_12 (MDT_2_5 | BIT(READ_BYTES) | BIT(WRITE_BYTES) | BIT(PUNCH))
#define MDT_2_14 (MDT_2_12 | BIT(MIGRATE))
#define MDT_2_15 (MDT_2_14 | BIT(READ) | BIT(WRITE) | BIT(FALLOCATE))
#define MDT_2_16 (MDT_2_15 | BIT(PARALLEL_RENAME_FILE) | BIT(PARALLEL_RENAME_DIR))
#define MDT_2_17 (MDT_2_16 | BIT(RENAME_TRYLOCKS))

#define OST_2_5 \
    (BIT(READ_BYTES) | BIT(WRITE_BYTES) | BIT(SETATTR) | BIT(PUNCH) | BIT(SYNC))
#define OST_2_8                                                          \
    (OST_2_5 | BIT(GETATTR) | BIT(DESTROY) | BIT(CREATE) | BIT(STATFS) | \
     BIT(GET_INFO) | BIT(SET_INFO) | BIT(QUOTACTL))
#define OST_2_14 (OST_2_8 | BIT(READ) | BIT(WRITE) | BIT(PREALLOC))

static const struct sim_version versions[] = {
    { .name = "2.5",
      .full = "2.5.3",
      .quoting = SIM_QUOTING_RAW,
      .is_glued = true,
      .plain_rw = true,
      .ops = { MDT_2_5, OST_2_5 } },
    { .name = "2.8",
      .full = "2.8.0",
      .quoting = SIM_QUOTING_REPLACED,
      .is_glued = true,
      .ops = { MDT_2_5, OST_2_8 } },
    { .name = "2.10",
      .full = "2.10.8",
      .quoting = SIM_QUOTING_REPLACED,
      .is_glued = true,
      .ops = { MDT_2_5, OST_2_8 } },
    { .name = "2.12",
      .full = "2.12.9",
      .quoting = SIM_QUOTING_REPLACED,
      .is_glued = true,
      .mdt_reqs = true,
      .ops = { MDT_2_12, OST_2_8 } },
    { .name = "2.14",
      .full = "2.14.0",
      .quoting = SIM_QUOTING_REPLACED,
      .has_usecs = true,
      .is_glued = true,
      .ops = { MDT_2_14, OST_2_14 } },
    { .name = "2.14.0_ddn133",
      .full = "2.14.0_ddn133",
      .quoting = SIM_QUOTING_ESCAPED,
      .has_usecs = true,
      .ops = { MDT_2_15, OST_2_14 } },
    { .name = "2.14.0_ddn198",
      .full = "2.14.0_ddn198",
      .header = SIM_HEADER_TRIPLE,
      .quoting = SIM_QUOTING_LITERAL,
      .has_usecs = true,
      .has_hist = true,
      .ops = { MDT_2_16, OST_2_14 } },
    { .name = "2.15.0",
      .full = "2.15.0",
      .header = SIM_HEADER_BOOT,
      .quoting = SIM_QUOTING_REPLACED,
      .has_usecs = true,
      .ops = { MDT_2_15, OST_2_14 } },
    { .name = "2.15.8",
      .full = "2.15.8",
      .header = SIM_HEADER_TRIPLE,
      .quoting = SIM_QUOTING_ESCAPED,
      .has_usecs = true,
      .ops = { MDT_2_15, OST_2_14 } },
    { .name = "2.16.1",
      .full = "2.16.1",
      .header = SIM_HEADER_TRIPLE,
      .quoting = SIM_QUOTING_LITERAL,
      .has_usecs = true,
      .has_hist = true,
      .ops = { MDT_2_16, OST_2_14 } },
    { .name = "2.17.0",
      .full = "2.17.0",
      .header = SIM_HEADER_TRIPLE,
      .quoting = SIM_QUOTING_LITERAL,
      .has_usecs = true,
      .has_hist = true,
      .is_tree = true,
      .ops = { MDT_2_17, OST_2_14 } },
};

static const char *const op_names[SIM_OP_COUNT] = {
#define X(id, name) [SIM_##id] = name,
    SIM_OP_TABLE(X)
#undef X
};

/* The OST's own order; the MDT's is that of the enumeration. */
static const enum sim_op ost_order[] = {
    SIM_READ_BYTES, SIM_WRITE_BYTES, SIM_READ,     SIM_WRITE,    SIM_GETATTR,
    SIM_SETATTR,    SIM_PUNCH,       SIM_SYNC,     SIM_DESTROY,  SIM_CREATE,
    SIM_STATFS,     SIM_GET_INFO,    SIM_SET_INFO, SIM_QUOTACTL, SIM_PREALLOC,
};

const struct sim_version *sim_version_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(versions); i++)
        if (strcmp(versions[i].name, name) == 0)
            return &versions[i];
    return NULL;
}

const struct sim_version *sim_version_at(size_t index)
{
    return index < COUNT_OF(versions) ? &versions[index] : NULL;
}

const char *sim_op_name(enum sim_op op)
{
    return op_names[op];
}

size_t sim_version_ops(const struct sim_version *v, enum sim_kind kind,
                       enum sim_op out[static SIM_OP_COUNT])
{
    size_t count = 0;
    size_t known = kind == SIM_OST ? COUNT_OF(ost_order) : SIM_OP_COUNT;
    for (size_t i = 0; i < known; i++) {
        enum sim_op op = kind == SIM_OST ? ost_order[i] : (enum sim_op)i;
        if (v->ops[kind] >> op & 1)
            out[count++] = op;
    }
    return count;
}
