/* SPDX-License-Identifier: Apache-2.0 */
/* child - a program that talks to a BMC, confined, with a deadline.
 *
 * Bounds   CHILD_OUTPUT_BYTES_MAX; memory, CPU time and files of the process.
 * Threads  any; each waits for its own process.
 */
#ifndef BMC_CHILD_H
#define BMC_CHILD_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>

#define CHILD_OUTPUT_BYTES_MAX ((size_t)4096)

/* What the child finds fd as. */
#define CHILD_FD 3
#define CHILD_FD_PATH "/proc/self/fd/3"

/* argv ends with NULL; fd: one that is passed on, as CHILD_FD; out: its standard
 * output. until_ns: of clock_monotonic_ns(). Errors: -ETIMEDOUT, -EMSGSIZE, -EIO (it
 * failed: err has what it printed), -ENOENT (no such program), -ENOMEM. */
int child_run(const char *const *argv, int fd, int64_t until_ns, struct strbuf *out,
              struct err *err);
/* Where posix_spawnp() would find it. */
bool child_find(const char *program);

#endif
