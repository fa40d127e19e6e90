/* SPDX-License-Identifier: Apache-2.0 */
/* lfs - what Lustre's clients print of targets: lfs df, lctl dl; for this room alone.
 *
 *     scratch-OST0000_UUID 90767651352 65387344040 24423870832 73% /s[OST:0]
 *     scratch-OST0001_UUID : inactive device
 *     4 UP osc scratch-OST0014-osc-ffff885f 8dbdc7f6-8f86 5 10.1.1.2@o2ib
 */
#ifndef SOURCE_HEALTH_LFS_H
#define SOURCE_HEALTH_LFS_H

#include "source/health/sample.h"

struct lfs_reading {
    struct health_sample *sample;
    int64_t t_ns;       /* of the block; -1: it has none */
    bool is_inodes;     /* set by the header of lfs df -i: its numbers are no space */
    const char *reason; /* why the last line was refused; static text */
};

/* Read one line of lfs df.  Returns 0 (it was read, or says nothing of a target), or 1
 * (it is a line of another command; nothing was changed).
 * Errors: -EINVAL (reading->reason says why), -ENOMEM. */
int lfs_line(struct lfs_reading *reading, struct span line);

/* Read one line of lctl dl, which begins with a number: as lfs_line(). */
int lfs_device_line(struct lfs_reading *reading, struct span line);

#endif
