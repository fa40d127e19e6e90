/* SPDX-License-Identifier: Apache-2.0 */
/* player_clock - the page that BARO_CLOCK names, from the side that advances
 * it. */
#ifndef SIM_PLAYER_CLOCK_H
#define SIM_PLAYER_CLOCK_H

#include "base/err.h"

#include <stdint.h>

/* Make the page if it is not there, and set it.  Errors: what open and mmap
 * say. */
int player_clock_set(const char *path, int64_t t_ns, struct err *err);
/* Errors: -EBADMSG (not a page). */
int player_clock_get(const char *path, int64_t *ret_ns, struct err *err);
/* Let played time run from where it stands until until_ns: step_ns at a time,
 * with pause_ms of real time after each. */
int player_clock_run(const char *path, int64_t until_ns, int64_t step_ns,
                     int64_t pause_ms, struct err *err);

#endif
