/* SPDX-License-Identifier: Apache-2.0 */
/* maps_line - a line of /proc/PID/maps: a piece of a file in a process's memory.
 *
 *     7f1b2c000000-7f1b2c1d0000 r-xp 00026000 08:01 1311  /usr/lib/libc.so.6
 *
 * Threads  any.
 */
#ifndef JOBSESSION_PROVENANCE_MAPS_LINE_H
#define JOBSESSION_PROVENANCE_MAPS_LINE_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

struct maps_line {
    bool is_executed; /* as code */
    bool is_written;  /* shared, and may be written: the file changes with it */
    bool is_deleted;
    uint64_t inode;
    struct span path; /* in the line; as the kernel prints it: \012 for a line end */
};

/* false: it is no line of a file.  Of one that was deleted path is what it was. */
bool maps_line_parse(struct span line, struct maps_line *ret);

/* The path itself. */
void maps_path_print(struct span path, struct strbuf *out);

/* "/x (deleted)": the kernel's word behind a path, which it cuts off. */
bool maps_path_is_deleted(struct span *path);

#endif
