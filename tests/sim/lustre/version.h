/* SPDX-License-Identifier: Apache-2.0 */
/* version - what each Lustre release prints into job_stats, as a table.
 *
 * Sources: lustre/obdclass/lprocfs_jobstats.c, ofd and mdt lproc files of the
 * branches named; LU-7187 (? for odd bytes), LU-11407 (three times), LU-13597
 * (usecs), LU-13857 (glued max), LU-16110, LU-16231 (\xHH), LU-16087 (hist),
 * LU-18351 (2.17's tree).
 */
#ifndef SIM_VERSION_H
#define SIM_VERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is counted, whatever a release calls it.  X(identifier, name) */
#define SIM_OP_TABLE(X)                             \
    X(OPEN, "open")                                 \
    X(CLOSE, "close")                               \
    X(MKNOD, "mknod")                               \
    X(LINK, "link")                                 \
    X(UNLINK, "unlink")                             \
    X(MKDIR, "mkdir")                               \
    X(RMDIR, "rmdir")                               \
    X(RENAME, "rename")                             \
    X(GETATTR, "getattr")                           \
    X(SETATTR, "setattr")                           \
    X(GETXATTR, "getxattr")                         \
    X(SETXATTR, "setxattr")                         \
    X(STATFS, "statfs")                             \
    X(SYNC, "sync")                                 \
    X(SAMEDIR_RENAME, "samedir_rename")             \
    X(PARALLEL_RENAME_FILE, "parallel_rename_file") \
    X(PARALLEL_RENAME_DIR, "parallel_rename_dir")   \
    X(CROSSDIR_RENAME, "crossdir_rename")           \
    X(RENAME_TRYLOCKS, "rename_trylocks")           \
    X(READ_BYTES, "read_bytes")                     \
    X(WRITE_BYTES, "write_bytes")                   \
    X(READ, "read")                                 \
    X(WRITE, "write")                               \
    X(PUNCH, "punch")                               \
    X(MIGRATE, "migrate")                           \
    X(FALLOCATE, "fallocate")                       \
    X(DESTROY, "destroy")                           \
    X(CREATE, "create")                             \
    X(GET_INFO, "get_info")                         \
    X(SET_INFO, "set_info")                         \
    X(QUOTACTL, "quotactl")                         \
    X(PREALLOC, "prealloc")

enum sim_op {
#define X(id, name) SIM_##id,
    SIM_OP_TABLE(X)
#undef X
        SIM_OP_COUNT,
};

enum sim_kind {
    SIM_MDT,
    SIM_OST,
    SIM_KIND_COUNT,
};

/* Which times stand in an entry's header, and how. */
enum sim_header {
    SIM_HEADER_SECONDS, /* snapshot_time alone, whole seconds */
    SIM_HEADER_BOOT,    /* 2.15.0: three lines at column 0, seconds since boot */
    SIM_HEADER_TRIPLE,  /* snapshot, start and elapsed, secs.nsecs */
};

enum sim_quoting {
    SIM_QUOTING_RAW,      /* 2.3-2.7: as it comes */
    SIM_QUOTING_REPLACED, /* 2.8-2.15.1: ? for what is not printable */
    SIM_QUOTING_ESCAPED,  /* 2.15.2+: quoted, \xHH outside [A-Za-z0-9.@_-] */
    SIM_QUOTING_LITERAL,  /* 2.16+: also : and / stand as they are */
};

struct sim_version {
    const char *name; /* "2.12" */
    const char *full; /* "2.12.9": what the version parameter says */
    enum sim_header header;
    enum sim_quoting quoting;
    bool has_usecs;               /* every operation has min, max, sum and sumsq */
    bool is_glued;                /* "max:16777216": no blank is kept free */
    bool has_hist;                /* of the two bytes operations */
    bool is_tree;                 /* 2.17: sorted by identifier, silent while empty */
    bool mdt_reqs;                /* 2.11-2.13: bytes on the MDT are called reqs */
    bool plain_rw;                /* 2.3-2.5: the OST's bytes are "read" and "write" */
    uint64_t ops[SIM_KIND_COUNT]; /* bit SIM_x: printed, in the order of the enum */
};

/* NULL: no such release is known. */
const struct sim_version *sim_version_find(const char *name);
const struct sim_version *sim_version_at(size_t index); /* NULL behind the last */
const char *sim_op_name(enum sim_op op);

/* The operations of a kind in the order that release prints them; returns how
 * many. */
size_t sim_version_ops(const struct sim_version *v, enum sim_kind kind,
                       enum sim_op out[static SIM_OP_COUNT]);

#endif
