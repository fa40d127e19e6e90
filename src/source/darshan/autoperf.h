/* SPDX-License-Identifier: Apache-2.0 */
/* autoperf - records of AutoPerf's modules: APMPI, calls of MPI of each process; APXC,
 * counters of the Aries routers that the job's nodes hung on.
 *
 *     head (of the module) | record | record | ...
 *
 * AutoPerf changed both layouts without a new version.  Those of darshan 3.3 and later
 * are read; of others the head, or the first process's number, does not fit.
 */
#ifndef SOURCE_DARSHAN_AUTOPERF_H
#define SOURCE_DARSHAN_AUTOPERF_H

#include "source/darshan/record.h"

/* As darshan_records_read(), and: -ENOTSUP (another layout of these modules; nothing
 * but the head was reported). */
int darshan_autoperf_read(struct darshan_reader *reader, struct darshan_stream *s,
                          const struct darshan_visitor *visitor);

/* Whether the n-th time of APMPI was measured: those of synchronisation are where
 * AutoPerf was configured so. */
bool darshan_autoperf_has_time(const struct darshan_autoperf *autoperf, size_t n);

/* "MM_CACHE", "CM_QUAD"; "UNKNOWN" for what has no name. */
const char *darshan_memory_mode(int64_t mode);
const char *darshan_cluster_mode(int64_t mode);
/* All nodes had the mode. */
bool darshan_mode_is_everywhere(int64_t mode);

#endif
