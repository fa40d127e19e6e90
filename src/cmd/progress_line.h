/* SPDX-License-Identifier: Apache-2.0 */
/* progress_line - how far a command is: a line on standard error, where that is a
 * terminal.
 *
 *     "12 of 400 hosts, 3 a second, 129 s left"
 */
#ifndef CMD_PROGRESS_LINE_H
#define CMD_PROGRESS_LINE_H

#include "base/terminal/progress.h"

#include <pthread.h>
#include <stdbool.h>

struct progress_line {
    struct progress progress;
    bool is_off;  /* the terminal's user wants none */
    bool is_open; /* there is a line without its end */
};

/* unit: what is counted from now on, "hosts". */
void progress_line_begin(struct progress_line *line, const char *unit);
void progress_line_print(struct progress_line *line, size_t done, size_t count);
/* Before anything else is printed, and at the end: an open line is ended. */
void progress_line_end(struct progress_line *line);

/* A line each second from a thread of its own, for a call that does not come back
 * before it is done, but of which an estimate is there.  Nothing else is
 * printed between start and stop. */
struct progress_clock {
    struct progress_line line;
    int64_t expected_s;
    int stop_fd;
    pthread_t thread;
    bool is_running;
};

void progress_clock_start(struct progress_clock *clock, const char *what,
                          int64_t expected_s);
void progress_clock_stop(struct progress_clock *clock); /* once, after a start */

#endif
