/* SPDX-License-Identifier: Apache-2.0 */
/* stamp - times of texts that tell no zone. */
#include "source/lmt/stamp.h"

#include "base/number.h"

#include <time.h>

#define STAMP_BYTES 19
#define LOCAL_S_MAX (INT64_MAX / NS_PER_S - 2 * INT64_C(86400))

static bool two_digits(const char *text, int *ret)
{
    if (text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9')
        return false;
    *ret = (text[0] - '0') * 10 + text[1] - '0';
    return true;
}

static bool clock_parse(struct span s, struct tm *ret)
{
    int century;
    const char *text = s.data;
    *ret = (struct tm){ 0 };
    if (s.size < STAMP_BYTES || text[4] != '-' || text[7] != '-' || text[13] != ':' ||
        text[16] != ':' || !two_digits(text, &century) ||
        !two_digits(text + 2, &ret->tm_year) || !two_digits(text + 5, &ret->tm_mon) ||
        !two_digits(text + 8, &ret->tm_mday) || !two_digits(text + 11, &ret->tm_hour) ||
        !two_digits(text + 14, &ret->tm_min) || !two_digits(text + 17, &ret->tm_sec))
        return false;
    ret->tm_year += century * 100 - 1900;
    ret->tm_mon--;
    return century >= 19 && ret->tm_mon >= 0 && ret->tm_mon < 12 && ret->tm_mday >= 1 &&
           ret->tm_mday <= 31 && ret->tm_hour < 24 && ret->tm_min < 60 &&
           ret->tm_sec <= 60;
}

bool lmt_stamp_parse(struct span text, const struct zone *zone, int64_t before_s,
                     int64_t *ret_s)
{
    struct tm tm;
    if (!clock_parse(text, &tm))
        return false;
    int64_t local_s = timegm(&tm);
    if (!zone) {
        *ret_s = local_s;
        return true;
    }
    if (local_s > LOCAL_S_MAX)
        return false;
    int64_t t_ns = zone_utc_ns(zone, local_s * NS_PER_S);
    if (t_ns / NS_PER_S <= before_s)
        t_ns = zone_utc_second_ns(zone, local_s * NS_PER_S);
    *ret_s = t_ns / NS_PER_S;
    return true;
}
