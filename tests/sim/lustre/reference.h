/* SPDX-License-Identifier: Apache-2.0 */
/* reference - what a perfect observer knows who reads at given instants, and
 * the truth.
 *
 *     truth      everything every life counted
 *     reference  what a perfect observer counts who gets exactly the texts that
 * were served at these instants, and remembers as DESIGN asks it to by cause
 * before first look | unpolled tail | hidden reset | unseen entry
 *
 *     truth - reference = the sum of the causes, for every operation of every
 * entry: that is asserted, so that nothing is explained away.
 *
 * Written apart from src/observe, out of the lives of the model and not out of
 * text: the two can only agree where both are right.  The rules of the
 * observer, per server:
 *
 *   - an identifier is remembered for 1.5 cleanup intervals + 2 reading
 * intervals after it was last seen;
 *   - remembered, with start_time in both texts: the same life when they are
 * equal; start_time in the new text only: the same life when it is not after
 * the last look; else the same life when no samples and no sum of bytes
 * decreased;
 *   - a target that was absent from a look at the server in between was mounted
 * anew: nothing remembered of it is the same life;
 *   - not remembered: all is counted when the text has a start_time in epoch
 * time or the server was looked at before, nothing when this is the first look
 * ever.
 */
#ifndef SIM_REFERENCE_H
#define SIM_REFERENCE_H

#include "journal.h"
#include "life.h"

#include <stdio.h>

struct sim_reference_opts {
    int64_t interval_ns; /* the observer's reading interval */
    int64_t until_ns;    /* the truth ends here */
    bool per_series;     /* a line for each target, entry and operation */
};

/* Lines of CSV on out: with per_series "target,entry_id,op,samples,sum", then
 * always "total,CAUSE,op,samples,sum" with CAUSE one of truth, reference and
 * the causes. Operations are named by column: what 2.5 prints as read in bytes
 * is read_bytes. */
int sim_reference(const struct sim *sim, const struct sim_look *looks, size_t count,
                  const struct sim_reference_opts *opts, FILE *out, struct err *err);

#endif
