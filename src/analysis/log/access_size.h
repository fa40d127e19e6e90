/* SPDX-License-Identifier: Apache-2.0 */
/* access_size - how many reads and writes of a file were small for certain.
 *
 * Darshan counts accesses by classes of sizes, and the class below 1 MiB includes
 * 1,048,576 bytes itself.  What a record's common sizes name is decided by them; of the
 * rest of that class as many may have had 1 MiB as the record's bytes allow.
 */
#ifndef ANALYSIS_LOG_ACCESS_SIZE_H
#define ANALYSIS_LOG_ACCESS_SIZE_H

#include "source/darshan/darshan.h"

/* has_sizes: its common sizes can be relied upon.  Reads and writes below 1 MiB, at
 * least; record: of POSIX, DFS or DAOS.  0 where the module has no classes. */
double access_size_small(const struct darshan_record *record, bool has_sizes);

#endif
