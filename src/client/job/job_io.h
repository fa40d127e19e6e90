/* SPDX-License-Identifier: Apache-2.0 */
/* job_io - what a user's jobs read and wrote, by the counters of file systems. */
#ifndef CLIENT_JOB_JOB_IO_H
#define CLIENT_JOB_JOB_IO_H

#include "base/table/table.h"
#include "client/client.h"

/* A row a job that moved anything in the window: columns job, read_bytes, write_bytes
 * among others; *ret is initialised and empty.  name: a server as operands have it; of
 * a file, without a user, or without a beginning (INT64_MIN), *ret stays empty.  Times
 * in ns since the epoch; INT64_MAX: to now.  Errors: as requests. */
int job_io_query(const char *name, const struct client_endpoint *base, const char *user,
                 int64_t from_ns, int64_t to_ns, struct table *ret, struct err *err);

#endif
