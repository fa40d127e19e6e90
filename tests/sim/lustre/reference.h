/* SPDX-License-Identifier: Apache-2.0 */
/* reference - what a perfect observer knows who reads at given instants, and the truth.
 *
 *     truth      everything every life counted
 *     reference  what a perfect observer counts who gets exactly the texts that were
 *                served at these instants, and remembers as the design asks it to
 *     by cause   before first look | unpolled tail | hidden reset | unseen entry
 *
 * truth - reference is the sum of the causes, for every operation: that is checked, so
 * that nothing is explained away.
 *
 * Written apart from src/observe, out of the lives of the model and not out of text:
 * the two can only agree where both are right.  The rules of the observer, per server:
 *
 *   - with start_time in both texts, a life goes on when they are equal;
 *   - without, an identifier is forgotten when it was looked for in vain for 1.5
 * cleanup intervals + 2 reading intervals (a pause of the reader is no looking), and
 * when the target was absent from a list of its server, for then it was mounted anew;
 *   - a remembered one goes on when a start_time that only the new text has is not
 * after the last look, and no samples and no sum of bytes decreased;
 *   - what was counted on another server in between has begun anew;
 *   - of one not remembered all is counted when the text has a start_time in epoch time
 *     or the server was looked at before, and nothing when this is the first look ever.
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
