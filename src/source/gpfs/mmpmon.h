/* SPDX-License-Identifier: Apache-2.0 */
/* mmpmon - what `mmpmon -p` answers to fs_io_s: the sums of one node, by file system.
 *
 *     _fs_io_s_ _n_ 10.1.1.2 _nn_ node2 _rc_ 0 _t_ 1579358234 _tu_ 53212 _cl_ gpfs.site
 *         _fs_ scratch _d_ 48 _br_ 205 _bw_ 748 _oc_ 23 _cc_ 22 _rdc_ 59 _wc_ 18
 *         _dir_ 40 _iu_ 5                                              (all one line)
 *
 * The sums grow from the mount of a file system, or from a reset, on.
 */
#ifndef SOURCE_GPFS_MMPMON_H
#define SOURCE_GPFS_MMPMON_H

#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>
#include <stdint.h>

enum gpfs_count {
    GPFS_READ_BYTES,
    GPFS_WRITE_BYTES,
    GPFS_OPENS,
    GPFS_CLOSES,
    GPFS_READS,
    GPFS_WRITES,
    GPFS_READDIRS,
    GPFS_INODE_UPDATES,
    _GPFS_COUNT_COUNT
};

struct gpfs_io {
    struct span node;    /* its name */
    struct span cluster; /* that owns the file system; the node may be of another */
    struct span fs;
    int64_t t_s; /* Unix time */
    uint64_t counts[_GPFS_COUNT_COUNT];
};

struct mmpmon_opts {
    /* Takes what a line tells; less than 0 ends the reading. */
    int (*on_io)(void *arg, const struct gpfs_io *io);
    /* Hears of a line that cannot be read; may be NULL; reason is static. */
    void (*on_fault)(void *arg, uint64_t line, struct span text, const char *reason);
    void *arg;
};

bool mmpmon_is(struct span text);

/* "read_bytes", "inode_updates" */
const char *gpfs_count_name(enum gpfs_count count);

/* All answers to fs_io_s; those to other requests are passed over.  An answer whose
 * _rc_ says that it failed is a fault, as is a last line without its line end. Errors:
 * what on_io returns. */
int mmpmon_read(struct span text, const struct mmpmon_opts *opts);

#endif
