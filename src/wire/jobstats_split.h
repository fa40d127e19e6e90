/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_split - a batch that is too large for a server, cut into two between its
 * rows.
 *
 *     agent A, 5000 rows ──┬── agent v5(A, "rows 0 to 2500"), the same sequence
 *                          └── agent v5(A, "rows 2500 to 5000"), the same sequence
 *
 * A half's name follows from the whole's and from which of its entries are in it, those
 * that make no rows numbered too, so that cutting it again, in another process or
 * version, never gives one name to two contents.  A server that has the whole already,
 * or one of the halves, knows the rows again by their keys.
 */
#ifndef WIRE_JOBSTATS_SPLIT_H
#define WIRE_JOBSTATS_SPLIT_H

#include "base/err.h"
#include "base/strbuf.h"
#include "base/uuid.h"

#include <stdint.h>

struct jobstats_half {
    struct strbuf json;
    struct uuid name; /* its agent */
    uint32_t rows;
};

struct jobstats_halves {
    struct jobstats_half half[2];
    uint64_t bad;             /* entries that are in neither: no server reads them */
    struct strbuf bad_reason; /* of the first */
};

void jobstats_halves_done(struct jobstats_halves *halves);
DEFINE_AUTO_DONE(struct jobstats_halves, jobstats_halves_done);

/* Cut json, a batch in the nested form with an agent and a sequence.  The rows keep
 * their order.  A zero record stays with the row behind it unless they are all there
 * is. Errors: -ENODATA (fewer than two rows), -EBADMSG (no such batch),
 * -EPROTONOSUPPORT (of another format, or with members that this version would lose),
 * -EMSGSIZE (too much memory), -ENOMEM; then *ret is untouched. */
int jobstats_split(struct span json, struct jobstats_halves *ret, struct err *err);

#endif
