/* SPDX-License-Identifier: Apache-2.0 */
/* child - a program that talks to a BMC, confined, with a deadline.
 *
 * Bounds   CHILD_OUTPUT_BYTES_MAX; memory, CPU time and files of the process.
 * Threads  any; each waits for its own process.
 */
#ifndef BMC_CHILD_H
#define BMC_CHILD_H

#include "base/system/bounded_command.h"

#define CHILD_OUTPUT_BYTES_MAX ((size_t)4096)

/* argv ends with NULL; fd: one that is passed on, as BOUNDED_COMMAND_FD; out: its
 * standard output. until_ns: of clock_monotonic_ns(). Errors: -ETIMEDOUT, -EMSGSIZE,
 * -EIO (it failed: err has what it printed), -ENOENT (no such program), -ENOMEM. */
int child_run(const char *const *argv, int fd, int64_t until_ns, struct strbuf *out,
              struct err *err);
/* Is it among the programs of the system? */
bool child_find(const char *program);

#endif
