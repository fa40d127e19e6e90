/* SPDX-License-Identifier: Apache-2.0 */
/* user_time - a time as a person types it, without a zone: by the clocks of the place.
 *
 *     2026-11-21 06:00   2026-11-21T06:00:30   2026-11-21   06:00 (today)
 *
 * A program that people start sets the zone once, before it has threads; what comes by
 * the network is never read here (there a time without a zone is refused).
 */
#ifndef BASE_USER_TIME_H
#define BASE_USER_TIME_H

#include "base/err.h"
#include "base/timetext.h"
#include "base/zone.h"

/* The zone of the times that follow: as zone_load(), or "local" and NULL for the
 * machine's, which TZ names, else /etc/localtime, else it is UTC.
 * Errors: -EINVAL (no such zone); then the one before stays. */
int user_time_set_zone(const char *name, struct err *err);

/* The zone that was set, or the machine's; NULL: the machine's cannot be read, err. */
const struct zone *user_time_zone(struct err *err);
/* "Europe/Berlin", "+01:00"; "this machine's zone" where its name is not known. */
const char *user_time_zone_name(void);

/* What times for people are printed by: the zone that was set, else on a terminal the
 * machine's.  NULL: UTC. */
const struct zone *user_time_shown(bool is_terminal);

#define USER_TIME_SIZE 320
/* "2026-11-21 07:00:00 Europe/Berlin"; in UTC as timetext_print(). */
void user_time_print(char out[static USER_TIME_SIZE], bool is_terminal, int64_t t_ns);

/* A time without a zone as RFC 3339 in UTC; another text ("-2h", "@1669010520", "now",
 * with a zone) as it is, for timetext_parse_user().  Before user_time_set_zone() the
 * zone is the machine's.
 * Errors: -EINVAL: clocks showed it twice, or never; err has the remedy; -ERANGE. */
int user_time_resolve(const char *text, int64_t now_ns, char out[static TIMETEXT_SIZE],
                      struct err *err);
/* The instant of such a text.  Errors: as user_time_resolve(); what is no time is named
 * with the forms there are. */
int user_time_parse(const char *text, int64_t now_ns, int64_t *ret_ns, struct err *err);

#endif
