/* SPDX-License-Identifier: Apache-2.0 */
/* facts - what readings of one BMC showed, as silence_of() wants it.
 *
 *     reading read        ─▶ power, log, crash, when
 *     reading failed      ─▶ is_responding false
 *     nothing came of it  ─▶ is_away, too: only that is "does not respond"
 *
 * A crash is of our own time only where the log was read whole shortly before, without
 * it; else it is of the BMC's time: what a cursor of last week calls new is old.
 *
 * Threads  none inside.
 */
#ifndef BMC_FACTS_H
#define BMC_FACTS_H

#include "bmc/silence.h"

struct bmc_facts {
    struct silence_facts silence;
    int64_t log_read_ns; /* when the log was last read whole; 0: never */
    int64_t log_from_ns; /* no entry since then was passed over; 0: not known */
    uint64_t crash_hash; /* of the crash that was last seen as new */
    char crash_text[BMC_TEXT_BYTES];
};

/* has_responded: it was read, and report is what it had; of one that failed its is_away
 * alone is read. interval_ns: between two readings. */
void bmc_facts_update(struct bmc_facts *facts, const struct bmc_report *report,
                      bool has_responded, int64_t interval_ns, int64_t now_ns);

#endif
