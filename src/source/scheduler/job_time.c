/* SPDX-License-Identifier: Apache-2.0 */
/* job_time - a time in the words of batch systems. */
#include "source/scheduler/job_time.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/timetext.h"

#include <strings.h>

#define ISO_SIZE (sizeof "2026-11-21T02:25:20" - 1)
#define CTIME_SIZE (sizeof "Sat Nov 21 02:25:20 2026" - 1)

static bool is_untold(struct span text)
{
    static const char *const words[] = { "", "Unknown", "None", "N/A", "null" };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (text.size == strlen(words[i]) &&
            strncasecmp(text.data, words[i], text.size) == 0)
            return true;
    return false;
}

/* "Sat Nov 21 02:25:20 2026" -> "2026-11-21T02:25:20". */
static bool from_ctime(struct span text, char iso[static ISO_SIZE])
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    if (text.size != CTIME_SIZE || text.data[3] != ' ' || text.data[7] != ' ')
        return false;
    for (int month = 0; month < 12; month++) {
        if (memcmp(text.data + 4, months + (size_t)month * 3, 3) != 0)
            continue;
        memcpy(iso, text.data + 20, 4);
        iso[4] = iso[7] = '-';
        iso[5] = (char)('0' + (month + 1) / 10);
        iso[6] = (char)('0' + (month + 1) % 10);
        memcpy(iso + 8, text.data + 8, 2);
        iso[8] = iso[8] == ' ' ? '0' : iso[8];
        iso[10] = 'T';
        memcpy(iso + 11, text.data + 11, 8);
        return true;
    }
    return false;
}

const char *sched_time_parse(struct span text, const struct sched_clock *clock,
                             int64_t after_ns, int64_t *ret_ns)
{
    int64_t t_ns;
    char zoned[ISO_SIZE + 1];
    if (is_untold(text)) {
        *ret_ns = JOB_TIME_NONE;
        return NULL;
    }
    if ((number_parse_seconds(text, &t_ns) == 0 && t_ns >= 0) ||
        timetext_parse(text, &t_ns) == 0) {
        *ret_ns = t_ns == 0 ? JOB_TIME_NONE : t_ns; /* Flux: 0.0 */
        return NULL;
    }
    if (text.size == ISO_SIZE)
        memcpy(zoned, text.data, ISO_SIZE);
    else if (!from_ctime(text, zoned))
        return "a time is neither 2026-11-21T06:00:00Z nor seconds since 1970 nor "
               "empty";
    zoned[ISO_SIZE] = 'Z';
    if (timetext_parse((struct span){ zoned, sizeof zoned }, &t_ns) < 0)
        return "a time is neither 2026-11-21T06:00:00Z nor seconds since 1970 nor "
               "empty";
    if (!clock->zone)
        return "a time has no zone: name its zone (of Slurm, or let sacct print "
               "seconds "
               "with SLURM_TIME_FORMAT=%s)";
    int64_t first_ns = zone_utc_ns(clock->zone, t_ns);
    bool is_before = after_ns != JOB_TIME_NONE && first_ns < after_ns;
    *ret_ns = is_before ? zone_utc_second_ns(clock->zone, t_ns) : first_ns;
    if (clock->local_count)
        ++*clock->local_count;
    return NULL;
}
