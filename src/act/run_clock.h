/* SPDX-License-Identifier: Apache-2.0 */
/* run_clock - when a run is, by two clocks, so that a clock that was set is noticed.
 *
 *     t_ns      the time of day: what the record has
 *     boot_ns   since this machine was started: cannot be set
 *
 * Between two runs of one start both advance by the same.  Where they do not, nothing
 * in the record has an age.
 */
#ifndef ACT_RUN_CLOCK_H
#define ACT_RUN_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define RUN_CLOCK_BOOT_SIZE 40

struct run_clock {
    int64_t t_ns, boot_ns;
    char boot[RUN_CLOCK_BOOT_SIZE]; /* which start: a word */
    int64_t set_ns; /* when a run found last that a clock was set; 0: none did */
};

void run_clock_read(struct run_clock *ret);
/* Did both advance by the same, but for what a time server corrects? */
bool run_clock_is_continuous(const struct run_clock *last, const struct run_clock *now);

#endif
