/* SPDX-License-Identifier: Apache-2.0 */
/* state - how far a copy is: the table records_copy of the destination.
 *
 *     part           mark            row_count  checksum   is_verified
 *     (empty)        id of source    epoch      unfinished 0        one row: of what
 *     series 65536                   65536      hex        1
 *     jobstats_ost 20261121  ...     9000000    hex        0
 *
 * A part's row is written in the transaction of its rows.  epoch is that of
 * records_identity which the copy left: another one shows that a barod wrote since.
 */
#ifndef RECORDS_COPY_STATE_H
#define RECORDS_COPY_STATE_H

#include "records/copy/part.h"

#define COPY_STATE_TABLE "records_copy"

struct copy_state {
    bool is_there;
    char source[33]; /* hex of the source's identity */
    int64_t epoch;
    bool is_finished;
};

struct copy_part_state {
    bool is_there;
    char mark[80];
    uint64_t count;
    char checksum[COPY_SUM_TEXT_SIZE];
    bool is_verified;
};

/* Is the part that was copied one of this sum? */
bool copy_part_state_is(const struct copy_part_state *state,
                        const struct copy_sum *sum);

/* Errors of all: as in engine.h. */
int copy_state_read(const struct copy_side *side, struct copy_state *ret,
                    struct err *err);
/* Between begin and commit of the destination: its epoch is noted, too. */
int copy_state_write(const struct copy_side *side, const struct copy_state *state,
                     struct err *err);
int copy_part_state_read(const struct copy_side *side, const struct copy_part *part,
                         struct copy_part_state *ret, struct err *err);
int copy_part_state_write(const struct copy_side *side, const struct copy_part *part,
                          const struct copy_part_state *state, struct err *err);

#endif
