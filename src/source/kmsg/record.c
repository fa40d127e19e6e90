/* SPDX-License-Identifier: Apache-2.0 */
/* record - one record of /dev/kmsg. */
#include "source/kmsg/record.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>

/* Years of microseconds fit; what is more is no time. */
#define TIME_US_MAX (UINT64_C(1) << 53)

int kmsg_record_parse(struct span line, struct kmsg_record *ret)
{
    struct span head, prefix, sequence, time;
    uint64_t value;
    if (!span_cut(&line, ';', &head) || !span_cut(&head, ',', &prefix) ||
        !span_cut(&head, ',', &sequence))
        return -EBADMSG;
    (void)span_cut(&head, ',', &time); /* the flags, and what kernels add to them */
    *ret = (struct kmsg_record){ 0 };
    if (number_parse_u64(prefix, &value) < 0 || value > UINT16_MAX ||
        number_parse_u64(sequence, &ret->sequence) < 0 ||
        number_parse_u64(time, &ret->time_us) < 0 || ret->time_us > TIME_US_MAX)
        return -EBADMSG;
    ret->facility = (unsigned)value >> 3;
    ret->level = (unsigned)value & 7;
    if (line.size > KMSG_TEXT_BYTES_MAX)
        line.size = KMSG_TEXT_BYTES_MAX;
    ret->text = line;
    return 0;
}
