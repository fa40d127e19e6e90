/* SPDX-License-Identifier: Apache-2.0 */
/* refusal - why a row of a batch is refused, as text and as it is stored.
 *
 *     row:reason,row:reason      the column batches.refusals
 */
#ifndef RECORDS_REFUSAL_H
#define RECORDS_REFUSAL_H

#include "base/strbuf.h"
#include "records/records.h"

/* Stored by number: only ever append. */
enum refusal {
    REFUSAL_NONE,
    REFUSAL_OLD,
    REFUSAL_FUTURE,
    REFUSAL_BEFORE_SINCE,
    REFUSAL_TARGET,
    REFUSAL_ENTRY,
    REFUSAL_SERVER,
    REFUSAL_MORE,
    REFUSAL_KIND,
    _REFUSAL_COUNT,
};

/* Static text. */
const char *refusal_text(enum refusal reason);

/* Why row can never be stored, or REFUSAL_NONE.  Accepted are times from oldest_ms to
 * newest_ms, both included. */
enum refusal refusal_of_row(const struct jobrow *row, int64_t oldest_ms,
                            int64_t newest_ms);

/* Append count refusals with their reasons in the stored form. */
void refusals_print(struct strbuf *out, const struct records_refusal *refusals,
                    const enum refusal *reasons, size_t count);
/* Read the stored form back; reasons of a later version become REFUSAL_NONE's text.
 * Returns how many of at most count_max were read: what follows damage is left out. */
size_t refusals_parse(struct span text, struct records_refusal *ret, size_t count_max);

#endif
