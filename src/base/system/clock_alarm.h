/* SPDX-License-Identifier: Apache-2.0 */
/* clock_alarm - a descriptor that becomes readable at an instant of the time of day.
 *
 *     clock_alarm_set(&alarm, t_ns);  ... poll(alarm.fd) ...  clock_alarm_check(&alarm)
 *
 * The kernel's timer is absolute, and is cancelled where the clock is set: then the
 * alarm sets itself anew for the same instant, so that a step of the clock moves no
 * instant.  Under a played clock it wakes every few milliseconds until the player has
 * come to the instant.
 * Threads  none inside: one thread at a time.
 */
#ifndef BASE_CLOCK_ALARM_H
#define BASE_CLOCK_ALARM_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stdint.h>

struct clock_alarm {
    int fd;
    bool is_set;
    int64_t t_ns;
    uint64_t steps; /* of the clock while it was set */
};

#define CLOCK_ALARM_INIT \
    {                    \
        .fd = -1         \
    }

/* Errors: errno of timerfd_create(). */
int clock_alarm_open(struct clock_alarm *ret);
void clock_alarm_done(struct clock_alarm *alarm);
DEFINE_AUTO_DONE(struct clock_alarm, clock_alarm_done);

/* One instant at a time; a later call replaces it.  What has passed is due at once.
 * Errors: errno of timerfd_settime(). */
int clock_alarm_set(struct clock_alarm *alarm, int64_t t_ns);
/* After fd became readable, or at any time: whether the instant has come.  It is due
 * once. */
bool clock_alarm_check(struct clock_alarm *alarm);

#endif
