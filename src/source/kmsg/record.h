/* SPDX-License-Identifier: Apache-2.0 */
/* record - one record of /dev/kmsg.
 *
 *     6,1234,5678901,-;message          prefix, sequence, microseconds, flags
 *      SUBSYSTEM=pci                    further lines begin with a blank: passed over
 *
 * What is not printable the kernel escapes as \xNN; it stays so.
 */
#ifndef SOURCE_KMSG_RECORD_H
#define SOURCE_KMSG_RECORD_H

#include "base/span_type.h"

#include <stdbool.h>
#include <stdint.h>

/* A message that is longer is cut: the kernel's own are 1 KiB. */
#define KMSG_TEXT_BYTES_MAX 2048

struct kmsg_record {
    unsigned facility; /* 0: of the kernel itself; programs cannot write that */
    unsigned level;    /* 0 (emergency) to 7 (debug) */
    uint64_t sequence;
    uint64_t time_us; /* since the boot */
    struct span text;
};

/* line: the first of the record, without its end.  Errors: -EBADMSG. */
int kmsg_record_parse(struct span line, struct kmsg_record *ret);

#endif
