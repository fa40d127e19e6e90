/* SPDX-License-Identifier: Apache-2.0 */
/* entry - one job's counters in one target's jobstats, as the server printed them.
 *
 * Filled by source/lustre, one at a time, in memory that it uses again for the next:
 * all spans point into the parser's buffer and are valid during the callback only.
 */
#ifndef MODEL_ENTRY_H
#define MODEL_ENTRY_H

#include "model/op.h"

#define ENTRY_ID_BYTES_MAX 255 /* Lustre's own limit is 31 */
#define ENTRY_OPS_MAX 64

/* No time: the text had none, or it is not known (2.15.0 counts from boot). */
#define T_NONE INT64_MIN

enum {
    ENTRY_BOOT_TIME = 1 << 0,   /* 2.15.0/1: times counted from boot, not used */
    ENTRY_ID_CUT_LINE = 1 << 1, /* 2.3-2.7: a raw newline broke the identifier */
    /* The identifier is exact: it had quotes or \xHH; or new times show a server that
     * would have quoted it, and it has no '?' (doc/formats/jobstats-text.md). */
    ENTRY_ID_QUOTED = 1 << 2,
};

struct entry {
    struct span target; /* "scratch-OST0001"; empty when the text does not say */
    enum target_kind kind;
    struct span id; /* decoded bytes */
    unsigned flags;
    int64_t snapshot_ns; /* epoch, or T_NONE */
    int64_t start_ns;    /* epoch, or T_NONE */
    int64_t elapsed_ns;  /* T_NONE: not printed */
    uint64_t line;       /* where it begins in the text, from 1 */
    size_t op_count;
    struct op_stat ops[ENTRY_OPS_MAX];
};

/* The operation of that name as printed, or NULL. */
const struct op_stat *entry_find_op(const struct entry *entry, struct span name);

#endif
