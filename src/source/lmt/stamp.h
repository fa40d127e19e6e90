/* SPDX-License-Identifier: Apache-2.0 */
/* stamp - times of texts that tell no zone. */
#ifndef SOURCE_LMT_STAMP_H
#define SOURCE_LMT_STAMP_H

#include "base/span_type.h"
#include "base/zone.h"

#include <stdbool.h>
#include <stdint.h>

/* "2018-01-28 00:00:05", with any one byte between date and clock; what follows is not
 * looked at.  zone: the place of the clock; NULL: UTC.  In the hour that comes
 * twice the second time is meant when the first would not be after before_s, the time
 * of the sample before; INT64_MIN: there is none.  False: it is no time. */
bool lmt_stamp_parse(struct span text, const struct zone *zone, int64_t before_s,
                     int64_t *ret_s);

#endif
