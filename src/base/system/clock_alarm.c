/* SPDX-License-Identifier: Apache-2.0 */
/* clock_alarm - a descriptor that becomes readable at an instant of the time of day. */
#include "base/system/clock_alarm.h"

#include "base/clock.h"
#include "base/number.h"

#include <errno.h>
#include <sys/timerfd.h>

int clock_alarm_open(struct clock_alarm *ret)
{
    int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    *ret = (struct clock_alarm){ .fd = fd };
    return 0;
}

void clock_alarm_done(struct clock_alarm *alarm)
{
    auto_close(&alarm->fd);
    *alarm = (struct clock_alarm)CLOCK_ALARM_INIT;
}

static struct timespec timespec_of(int64_t t_ns)
{
    return (struct timespec){ .tv_sec = t_ns / NS_PER_S, .tv_nsec = t_ns % NS_PER_S };
}

/* Zero would disarm the timer. */
static int arm_timer(const struct clock_alarm *alarm)
{
    bool is_absolute = !clock_is_played();
    int64_t at_ns = is_absolute ? alarm->t_ns : clock_wait_ms(alarm->t_ns) * NS_PER_MS;
    struct itimerspec when = { .it_value = timespec_of(at_ns > 0 ? at_ns : 1) };
    int flags = is_absolute ? TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET : 0;
    return timerfd_settime(alarm->fd, flags, &when, NULL) < 0 ? -errno : 0;
}

int clock_alarm_set(struct clock_alarm *alarm, int64_t t_ns)
{
    alarm->t_ns = t_ns;
    alarm->is_set = true;
    return arm_timer(alarm);
}

bool clock_alarm_check(struct clock_alarm *alarm)
{
    uint64_t count = 0;
    if (read(alarm->fd, &count, sizeof count) < 0 && errno == ECANCELED)
        alarm->steps++;
    if (!alarm->is_set)
        return false;
    if (clock_now_ns() >= alarm->t_ns) {
        alarm->is_set = false;
        return true;
    }
    (void)arm_timer(alarm); /* the clock was set, or the player is on its way */
    return false;
}
