/* SPDX-License-Identifier: Apache-2.0 */
/* nsd - what GPFS's commands say of its disks; for this room alone.
 *
 * Its disks (NSDs) become targets: those with data OSTs, those with metadata alone
 * MDTs. They are known by their names, which are unique in a cluster: mmdf and mmlsdisk
 * do not tell their file system, mmlsnsd does.
 */
#ifndef SOURCE_HEALTH_NSD_H
#define SOURCE_HEALTH_NSD_H

#include "source/health/sample.h"

/* The table that lines are of, as its header told. */
enum nsd_table {
    NSD_NONE,
    NSD_MMDF,
    NSD_MMLSDISK,
    NSD_MMLSDISK_NODES, /* mmlsdisk -m */
    NSD_MMLSNSD,
};

#define NSD_FIELDS_MAX 32

struct nsd_reading {
    struct health_sample *sample;
    int64_t t_ns; /* of the block; -1 */
    enum nsd_table table;
    bool is_kib;    /* of NSD_MMDF */
    struct span fs; /* that a line "mmdf FS" named; empty: none */
    /* Of the -Y form: which field of the kind of line being read is what. */
    struct span fields[NSD_FIELDS_MAX];
    size_t field_count;
    struct span kind; /* "mmdf:nsd" */
    const char *reason;
};

/* Take one line.  1: it is none of GPFS's; 0: taken; -EINVAL with a reason, -ENOMEM. */
int nsd_line(struct nsd_reading *reading, struct span line);

/* The disk called name, made when it is new; in sample.c.
 * Errors: -E2BIG, -ENOMEM. */
int health_sample_disk(struct health_sample *sample, struct span name, struct span fs,
                       struct health_target **ret);

#endif
