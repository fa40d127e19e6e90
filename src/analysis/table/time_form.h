/* SPDX-License-Identifier: Apache-2.0 */
/* time_form - how a table writes its times.
 *
 * Without a format: RFC 3339 with its zone, the same without one where a zone is known,
 * a bare date then too, and seconds since the epoch.  "s", "ms", "us", "ns": so many
 * since the epoch.  Everything else is of strptime(3), with %f for decimals of a
 * second.
 */
#ifndef ANALYSIS_TABLE_TIME_FORM_H
#define ANALYSIS_TABLE_TIME_FORM_H

#include "base/zone.h"

struct time_form {
    const char *format; /* NULL: none */
    struct zone zone;   /* of times that name none */
    bool has_zone;      /* it was given; without it texts want one of their own,
                           and formats mean UTC */
};

/* Errors: -EINVAL; err says what the text is not, and what would help. */
int time_form_parse(const struct time_form *form, struct span text, int64_t *ret_ns,
                    struct err *err);

#endif
