/* SPDX-License-Identifier: Apache-2.0 */
/* history_rounds - when each server was read last, out of rows. */
#include "query/hours/history.h"

static int add_row(void *arg, int64_t sid, const struct jobrow *row)
{
    struct round round = { 0 };
    (void)sid;
    if (row->server.size == 0)
        return 0;
    round_note_row(&round, row);
    return rounds_add(arg, row->server, &round);
}

int history_add_rounds(const struct history *history, int64_t to_ms,
                       struct rounds *rounds, struct err *err)
{
    int rc = 0;
    for (enum target_kind kind = 0; rc >= 0 && kind < TARGET_KIND_COUNT; kind++) {
        struct row_range range = { .kind = kind,
                                   .from_ms = to_ms - ROLLUP_HOUR_MS,
                                   .to_ms = to_ms };
        rc = history->read_rows(history->arg, &range, add_row, rounds, err);
    }
    return rc < 0 ? rc : 0;
}
