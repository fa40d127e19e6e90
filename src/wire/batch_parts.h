/* SPDX-License-Identifier: Apache-2.0 */
/* batch_parts - a batch that is too large for a server, cut between its rows.
 *
 *     agent A, 5000 rows ──┬── agent v5(A, "rows 0 to 2500"), the same sequence
 *                          └── agent v5(A, "rows 2500 to 5000"), the same sequence
 *
 * The batch is decoded once; each part is encoded from those rows.  A half's name
 * follows from the name of what was halved and from which of its entries are in it,
 * those that make no rows numbered too, so that cutting it again, in another process or
 * version, never gives one name to two contents.  A server that has the whole already,
 * or one of the parts, knows the rows again by their keys.
 *
 * Threads  none inside.
 */
#ifndef WIRE_BATCH_PARTS_H
#define WIRE_BATCH_PARTS_H

#include "base/err.h"
#include "base/strbuf.h"
#include "base/uuid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct batch_parts; /* opaque: the decoded batch */

/* The rows from first to before end. */
struct batch_part {
    struct uuid name; /* the agent that it is sent under */
    size_t first, end;
    bool is_whole; /* its entries are those of the message, bad ones among them */
};

/* Decode a batch in the nested form with an agent and a sequence.  Errors: -EBADMSG (no
 * such batch), -EPROTONOSUPPORT (of another format, or with members that this version
 * would lose), -EMSGSIZE (too much memory), -ENOMEM. */
int batch_parts_new(struct span json, struct batch_parts **ret, struct err *err);
void batch_parts_free(struct batch_parts *parts);
DEFINE_AUTO(struct batch_parts, batch_parts_free);

/* Entries that are in no part, as no server reads them, and why the first is not
 * (valid until the parts are freed; "" where there is none). */
uint64_t batch_parts_bad_count(const struct batch_parts *parts);
const char *batch_parts_bad_reason(const struct batch_parts *parts);

struct batch_part batch_parts_whole(const struct batch_parts *parts);
/* Two parts that follow each other.  A zero record stays with the row behind it unless
 * they are all there is.  Errors: -ENODATA (fewer than two rows). */
int batch_parts_halve(const struct batch_parts *parts, const struct batch_part *part,
                      struct batch_part ret[static 2]);
/* Append the part as a batch of its own.  Errors: -ENOMEM, -EBADMSG and -EMSGSIZE (a
 * row's members are not of jobrow_add_op's form). */
int batch_parts_encode(const struct batch_parts *parts, const struct batch_part *part,
                       struct strbuf *json);

#endif
