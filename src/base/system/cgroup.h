/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup - what memory the control groups of this process allow it. */
#ifndef BASE_SYSTEM_CGROUP_H
#define BASE_SYSTEM_CGROUP_H

#include "base/strbuf.h"

#include <stdint.h>

#define CGROUP_UNLIMITED UINT64_MAX

/* The least limit of the process's group and all above it: memory.max of version 2,
 * memory.limit_in_bytes of version 1, or both.  root is "" for this machine; below it
 * proc/self/cgroup and sys/fs/cgroup are read.  Where a container shows another tree
 * than the path says, what can be read of it counts.
 * Returns CGROUP_UNLIMITED where there is none; else where has the file's path. */
uint64_t cgroup_memory_limit(const char *root, struct strbuf *where);

/* The machine's RAM; 0: not known. */
uint64_t cgroup_machine_memory(void);

#endif
