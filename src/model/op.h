/* SPDX-License-Identifier: Apache-2.0 */
/* op - the operations that Lustre counts, and which column each lands in.
 *
 * Lustre prints a name, a unit and numbers, and changed over the years what a name
 * means: on 2.3-2.5 the OST's "read" is in bytes and is what 2.6 calls read_bytes;
 * from 2.14 "read" is in usecs, a latency.  So the unit is part of the meaning, and
 * op_column() is the one place that knows it.
 *
 *     name        unit          column        <op>      <op>_sum
 *     open        reqs          open          samples   null
 *     open        usecs         open          samples   usecs
 *     read        bytes         read_bytes    samples   bytes
 *     read_bytes  bytes, reqs   read_bytes    samples   bytes   (MDT of 2.11-2.13:
 * reqs) anything else             none: kept whole in the row's "more"
 */
#ifndef MODEL_OP_H
#define MODEL_OP_H

#include "base/span_type.h"

#include <stdint.h>

/* X(identifier, name, on MDT, on OST, the seed's flat form has the sum, not samples) */
#define OP_TABLE(X)                                \
    X(OPEN, "open", 1, 0, 0)                       \
    X(CLOSE, "close", 1, 0, 0)                     \
    X(MKNOD, "mknod", 1, 0, 0)                     \
    X(LINK, "link", 1, 0, 0)                       \
    X(UNLINK, "unlink", 1, 0, 0)                   \
    X(MKDIR, "mkdir", 1, 0, 0)                     \
    X(RMDIR, "rmdir", 1, 0, 0)                     \
    X(RENAME, "rename", 1, 0, 0)                   \
    X(GETATTR, "getattr", 1, 1, 0)                 \
    X(SETATTR, "setattr", 1, 1, 0)                 \
    X(GETXATTR, "getxattr", 1, 0, 0)               \
    X(SETXATTR, "setxattr", 1, 0, 0)               \
    X(STATFS, "statfs", 1, 1, 0)                   \
    X(SYNC, "sync", 1, 1, 0)                       \
    X(SAMEDIR_RENAME, "samedir_rename", 1, 0, 0)   \
    X(CROSSDIR_RENAME, "crossdir_rename", 1, 0, 0) \
    X(READ, "read", 1, 1, 0)                       \
    X(WRITE, "write", 1, 1, 0)                     \
    X(PUNCH, "punch", 1, 1, 0)                     \
    X(GET_INFO, "get_info", 0, 1, 0)               \
    X(SET_INFO, "set_info", 0, 1, 0)               \
    X(QUOTACTL, "quotactl", 0, 1, 0)               \
    X(READ_BYTES, "read_bytes", 1, 1, 1)           \
    X(WRITE_BYTES, "write_bytes", 1, 1, 1)         \
    X(CREATE, "create", 0, 1, 0)                   \
    X(DESTROY, "destroy", 0, 1, 0)                 \
    X(PREALLOC, "prealloc", 0, 1, 0)

enum op {
#define X(id, name, mdt, ost, sum) OP_##id,
    OP_TABLE(X)
#undef X
        OP_COUNT,
};
#define OP_NONE (-1)

_Static_assert(OP_COUNT <= 64, "presence of operations is a 64-bit mask");

enum target_kind {
    TARGET_MDT,
    TARGET_OST,
    TARGET_KIND_COUNT,
};

enum op_unit {
    OP_UNIT_NONE, /* the text gave none */
    OP_UNIT_REQS,
    OP_UNIT_BYTES,
    OP_UNIT_USECS,
    OP_UNIT_OTHER, /* its text is in op_stat.unit_text */
};

enum {
    OP_HAS_SAMPLES = 1 << 0,
    OP_HAS_MIN = 1 << 1,
    OP_HAS_MAX = 1 << 2,
    OP_HAS_SUM = 1 << 3,
    OP_HAS_SUMSQ = 1 << 4,
    OP_HAS_HIST = 1 << 5,
};

/* One operation of one entry as the text gave it.  Spans point into the text. */
struct op_stat {
    struct span name;
    struct span unit_text;
    enum op_unit unit;
    unsigned has; /* OP_HAS_*: what stood there */
    uint64_t samples, min, max, sum, sumsq;
    struct span hist; /* between the braces: "32K: 1, 1M: 5"; may be empty */
};

const char *op_name(enum op op);
bool op_is_on(enum op op, enum target_kind kind);

/* The operations that targets of the kind count: 1 << op of each. */
static inline uint64_t op_mask(enum target_kind kind)
{
#define ON_MDT(id, name, mdt, ost, sum) | (UINT64_C(mdt) << OP_##id)
#define ON_OST(id, name, mdt, ost, sum) | (UINT64_C(ost) << OP_##id)
    return kind == TARGET_MDT ? UINT64_C(0) OP_TABLE(ON_MDT)
                              : UINT64_C(0) OP_TABLE(ON_OST);
#undef ON_MDT
#undef ON_OST
}
bool op_seed_wants_sum(enum op op);
/* The operation of that name, or OP_NONE. */
int op_find(struct span name);

enum op_unit op_unit_parse(struct span text);
const char *op_unit_name(enum op_unit unit);

/* The column in which name counted in unit belongs, or OP_NONE. */
int op_column(struct span name, enum op_unit unit);

const char *target_kind_name(enum target_kind kind); /* "mdt", "ost" */

#endif
