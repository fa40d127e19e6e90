/* SPDX-License-Identifier: Apache-2.0 */
/* sample - the targets of file systems: how full, active or not, served by whom.
 *
 * Read from what these commands print, any file system name, any number of file
 * systems: of Lustre lfs df and lctl dl -t (lfs.h); of GPFS mmdf, mmlsdisk, mmlsdisk -m
 * and mmlsnsd, for people and with -Y (nsd.h).
 *
 * They may come in one text or be added one after the other; what is said of one
 * target comes together in one struct.  Said twice, the first holds, except that an
 * active connection's server replaces an inactive one's.
 *
 * Units    KiB as the commands print them; times in nanoseconds.
 * Threads  none inside.
 */
#ifndef SOURCE_HEALTH_SAMPLE_H
#define SOURCE_HEALTH_SAMPLE_H

#include "base/cleanup.h"
#include "base/hashmap.h"
#include "model/model.h"

#define HEALTH_TARGETS_MAX 65536
#define HEALTH_FILESYSTEMS_MAX 256

enum {
    HEALTH_SPACE = 1 << 0,           /* kib_* and mount are known */
    HEALTH_SERVER = 1 << 1,          /* server is known */
    HEALTH_SPACE_INACTIVE = 1 << 2,  /* lfs df calls it inactive; never with SPACE */
    HEALTH_SERVER_INACTIVE = 1 << 3, /* its connection, or a disk, is not up */
    HEALTH_DISK = 1 << 4,            /* of GPFS: parts.index says nothing */
    HEALTH_SERVER_SEEN = 1 << 5,     /* of a disk: server serves it now */
};

struct health_target {
    struct span name; /* "snx11035-OST0014" */
    struct target_name parts;
    bool begins_fs; /* the first that was named of its file system */
    unsigned has;   /* of HEALTH_* */
    uint64_t total_kib;
    uint64_t used_kib;
    uint64_t available_kib;
    struct span mount; /* "/scratch2" */
    struct span flags; /* what lfs prints behind the mount point; mostly empty */
    struct span
        server; /* NID as printed: "10.1.1.2@o2ib2", "fe80::1@tcp", "oss1@tcp" */
    int64_t space_t_ns;  /* of the block it was read in; -1: that had no time */
    int64_t server_t_ns; /* likewise */
};

struct health_sample {
    struct health_target *targets; /* in the order they were first named */
    size_t count;
    size_t capacity;
    struct hashmap index;       /* name -> position + 1 */
    struct hashmap filesystems; /* their names */
    uint64_t fault_count;       /* lines that could not be read, or are one too many */
};

void health_sample_init(struct health_sample *sample);
void health_sample_done(struct health_sample *sample);
DEFINE_AUTO_DONE(struct health_sample, health_sample_done);

/* NULL: no target has this name. */
const struct health_target *health_sample_find(const struct health_sample *sample,
                                               struct span name);

/* Each file system once, in order: start with *cursor = 0; false at the end.
 * *ret_mount is empty where only connections are known. */
bool health_sample_next_fs(const struct health_sample *sample, size_t *cursor,
                           struct span *ret_fs, struct span *ret_mount);

/* The name of the file system mounted there ("/scratch2", "scratch2") or called so
 * ("snx11035").  Errors: -ENOENT. */
int health_sample_fs(const struct health_sample *sample, struct span what,
                     struct span *ret_fs);

#endif
