/* SPDX-License-Identifier: Apache-2.0 */
/* timetext - points in time <-> text.
 *
 * In C a time is t_ns, nanoseconds since the Unix epoch, UTC; in text it is RFC 3339.
 * No function here reads the clock: relative forms are of now_ns, a parameter.
 */
#ifndef BASE_TIMETEXT_H
#define BASE_TIMETEXT_H

#include "base/span_type.h"

#include <stdint.h>

#define TIMETEXT_SIZE 40

/* "2026-11-21T06:00:00.123Z"; any number of decimals, any offset ("+02:00", "+02");
 * seconds and minutes may be left out ("2026-11-21T06:00Z").  Without a zone: -EINVAL,
 * never local time.  Errors: -EINVAL, -ERANGE (before 1970 or after 2261). */
int timetext_parse(struct span s, int64_t *ret_ns);

/* What a person types: the above, "now", "-2h" (a duration before now), "+1h" (after
 * it),
 * "@1669010520"
 * (seconds since the epoch), or a bare date "2026-11-21" (midnight UTC). */
int timetext_parse_user(struct span s, int64_t now_ns, int64_t *ret_ns);

/* RFC 3339 in UTC with as few decimals as hold the value: none, 3, 6 or 9. */
size_t timetext_print(char out[static TIMETEXT_SIZE], int64_t t_ns);
/* Always three decimals, as rows carry: "2022-11-21T06:02:00.000Z". */
size_t timetext_print_ms(char out[static TIMETEXT_SIZE], int64_t t_ms);
/* Seconds since the epoch; decimals only when there are any: "1669010520",
 * "1723114647.887515895". */
size_t timetext_print_seconds(char out[static TIMETEXT_SIZE], int64_t t_ns);

#endif
