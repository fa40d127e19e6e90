/* SPDX-License-Identifier: Apache-2.0 */
/* hour_touch - which hours of roll-ups the rows of a batch make wrong. */
#ifndef RECORDS_HOUR_TOUCH_H
#define RECORDS_HOUR_TOUCH_H

#include "records/records_private.h"

/* Between begin and commit: rows of one kind are in, sorted by time; the hours whose
 * cells they make wrong are touched.  Errors: as records_put. */
int hour_touch_rows(struct records *records, enum target_kind kind,
                    const struct keyed_row *rows, size_t count, struct err *err);

#endif
