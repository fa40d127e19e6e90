/* SPDX-License-Identifier: Apache-2.0 */
/* mounts - of which file systems a file may be looked at.
 *
 *     36 35 98:0 /root /home/eva rw,noatime shared:1 - nfs4 server:/home rw
 *
 * A thread that waits for a file system in the kernel, and cannot be ended, holds up
 * the end of its process, and with it the node.  So files are looked at where nothing
 * is waited for (local ones) or where a signal ends the wait; of others, and of those
 * that are not known here, the name is all that is read.
 *
 * Threads  any.
 */
#ifndef JOBSESSION_PROVENANCE_MOUNTS_H
#define JOBSESSION_PROVENANCE_MOUNTS_H

#include "base/span_type.h"

#include <stdbool.h>

struct strbuf;

/* The mount of a root that chroot() made is not listed: a line for it, where the root
 * of this process is of a known type. */
void mounts_add_root(struct strbuf *mountinfo);
/* mountinfo: the text of /proc/PID/mountinfo; empty: nothing is known, and all may be
 * looked at. */
bool mounts_may_read(struct span mountinfo, struct span path);

#endif
