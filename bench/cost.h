/* SPDX-License-Identifier: Apache-2.0 */
/* cost - what a process has used so far: CPU, bytes read and written, memory. */
#ifndef BENCH_COST_H
#define BENCH_COST_H

#include <stdint.h>

struct cost {
    double cpu_s;
    uint64_t read_bytes,
        written_bytes; /* by system calls, also out of the page cache */
    uint64_t peak_kb;  /* the most memory it ever held */
};

/* pid 0: nothing.  What /proc does not tell (a process that ended) is zero. */
struct cost cost_of(int64_t pid);
/* The process that serves the records' writer; 0: there is none. */
int64_t cost_backend_pid(const char *connection);
/* What the database takes on disk, as it says itself. */
uint64_t cost_database_bytes(const char *connection);

#endif
