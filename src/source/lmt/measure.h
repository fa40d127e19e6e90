/* SPDX-License-Identifier: Apache-2.0 */
/* measure - what the servers of a file system measure, and what each format calls it.
 */
#ifndef SOURCE_LMT_MEASURE_H
#define SOURCE_LMT_MEASURE_H

#include <stdbool.h>

enum lmt_measure {
    LMT_READ_BYTES,
    LMT_WRITE_BYTES,
    LMT_READ_OPS,
    LMT_WRITE_OPS,
    LMT_OPENS,
    LMT_CLOSES,
    LMT_MKNODS,
    LMT_LINKS,
    LMT_UNLINKS,
    LMT_MKDIRS,
    LMT_RMDIRS,
    LMT_RENAMES,
    LMT_GETXATTRS,
    LMT_STATFSS,
    LMT_SETATTRS,
    LMT_GETATTRS,
    LMT_OSS_CPU,
    LMT_OSS_MEMORY,
    LMT_MDS_CPU,
    LMT_USED_BYTES,
    LMT_TOTAL_BYTES,
    LMT_USED_INODES,
    LMT_TOTAL_INODES,
    LMT_OSS_CPU_USER,
    LMT_OSS_CPU_SYSTEM,
    LMT_OSS_MEMORY_TOTAL,
    LMT_OSS_MEMORY_FREE,
    LMT_OSS_NET_IN,
    LMT_OSS_NET_OUT,
    LMT_ROUTER_BYTES,
    LMT_CLIENT_READ_BYTES, /* of a file system, as its clients count */
    LMT_CLIENT_WRITE_BYTES,
    LMT_CLIENT_READ_OPS,
    LMT_CLIENT_WRITE_OPS,
    LMT_CLIENT_OPENS,
    LMT_CLIENT_CLOSES,
    LMT_CLIENT_READDIRS,
    LMT_CLIENT_INODE_UPDATES,
    LMT_MEASURES,
};

#define LMT_OP_FIRST LMT_OPENS
#define LMT_OP_LAST LMT_GETATTRS

enum lmt_kind {
    LMT_COUNT, /* what happened during a step; stored as such or by second */
    LMT_GAUGE, /* how it was at the start of a step */
};

struct lmt_measure_info {
    enum lmt_kind kind;
    const char *group;     /* of the TOKIO layout */
    const char *name;      /* of its dataset: counts, or the gauge */
    const char *rates;     /* of the dataset by second; NULL: none */
    const char *unit;      /* of name */
    const char *op;        /* of LMT's operations; NULL: not one of them */
    const char *old_path;  /* of the dataset in an h5lmt file; NULL: not there */
    const char *old_names; /* of its attribute with the components' names; or NULL */
};

const struct lmt_measure_info *lmt_measure_info(enum lmt_measure measure);

#endif
