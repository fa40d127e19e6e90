/* SPDX-License-Identifier: Apache-2.0 */
/* clock - the only caller of clock_gettime.
 *
 * BARO_CLOCK=path makes every program read the time out of a shared page instead, which
 * a player advances, so that a day passes in a minute.  A daemon says so loudly at
 * start and refuses it together with a listener that is not loopback.
 *
 * The page: 8 bytes "baroclk1", then int64_t t_ns, native byte order, stored
 * atomically.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Look at BARO_CLOCK.  Called once, first thing in main(), before any thread starts.
 * Errors: what open and mmap say, -EBADMSG (not such a page). */
int clock_start(struct err *err);
bool clock_is_played(void);

/* Time of day: nanoseconds since the Unix epoch, UTC. */
int64_t clock_now_ns(void);
int64_t clock_now_ms(void);
/* Never steps back; only differences mean anything.  Always real time: for deadlines of
 * work that real hardware does. */
int64_t clock_monotonic_ns(void);
/* Since the machine was started, also while it was suspended: only differences of one
 * start mean anything.  Under a played clock it is the player's time. */
int64_t clock_boot_ns(void);
/* For waits, pauses and back-offs: never steps back, whatever is done to the clock, and
 * only differences mean anything.  Under a played clock it goes on by what passed in
 * reality, or by what the player advanced where that is more.  Threads: any. */
int64_t clock_steady_ns(void);
/* CPU time of this thread, for measurements. */
int64_t clock_cpu_ns(void);

/* How long to sleep, in real milliseconds, so as not to miss t_ns: under a played clock
 * a few milliseconds at most, because only the player knows when it will be. */
int64_t clock_wait_ms(int64_t t_ns);
/* The same for an instant of clock_steady_ns(). */
int64_t clock_steady_wait_ms(int64_t t_ns);

#endif
