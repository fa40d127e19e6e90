/* SPDX-License-Identifier: Apache-2.0 */
/* nsd - what GPFS's commands say of its disks; for this room alone.
 *
 * Its disks (NSDs) become targets: those with data OSTs, those with metadata alone
 * MDTs. They are known by their names, which are unique in a cluster: mmdf and mmlsdisk
 * do not name their file system, mmlsnsd does.
 */
#ifndef SOURCE_HEALTH_NSD_H
#define SOURCE_HEALTH_NSD_H

#include "source/health/sample.h"

/* The table that lines are of, by their header. */
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

/* Read one line.  Returns 0 (it was read, or says nothing of a disk), or 1 (it is a
 * line of another command).  Errors: -EINVAL (reading->reason says why), -ENOMEM. */
int nsd_line(struct nsd_reading *reading, struct span line);

#endif
