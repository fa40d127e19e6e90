/* SPDX-License-Identifier: Apache-2.0 */
/* sel - what `ipmitool raw` prints, and a record of an IPMI system event log.
 *
 *     " ff ff 01 00 02 df 39 00 00 20 00 04 23 01 6f 03 ff ff"
 *       next   id  type  time      generator rev sensor  event data
 *
 * Threads  any: pure.
 */
#ifndef BMC_SEL_H
#define BMC_SEL_H

#include "base/span_type.h"
#include "bmc/report.h"

#define SEL_RECORD_BYTES 16
#define SEL_LAST 0xFFFF /* the last record; as next: there is none */

/* Bytes in hex with blanks and line ends between.  Returns how many; -EBADMSG (no such
 * text, or over max). */
int sel_hex_parse(struct span text, uint8_t *out, size_t max);

/* The response to Get SEL Entry.  Errors: -EBADMSG. */
int sel_response_parse(struct span text, uint16_t *ret_next,
                       uint8_t record[static SEL_RECORD_BYTES]);

void sel_entry_make(const uint8_t record[static SEL_RECORD_BYTES],
                    struct bmc_entry *ret);

#endif
