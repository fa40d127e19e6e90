/* SPDX-License-Identifier: Apache-2.0 */
/* clock_doubt - a batch that is wholly out of time: is its clock wrong, or ours? */
#include "records/clock_doubt.h"

#include "base/timetext.h"
#include "records/reader.h"

static bool is_in_range(const struct records *records, int64_t t_ms, int64_t now_ms)
{
    return t_ms >= now_ms - records->retention_ms && t_ms <= now_ms + RECORDS_FUTURE_MS;
}

static int newest_stored(struct records *records, int64_t *ret_ms, struct err *err)
{
    AUTO(records_reader_close) struct records_reader *reader = NULL;
    struct records_extent extent = { .last_ms = T_NONE };
    int rc = records_reader_open(records, &reader, err);
    if (rc == 0)
        rc = records_extent(reader, &extent, err);
    if (rc == 0)
        *ret_ms = extent.last_ms;
    return rc;
}

/* What was accepted last was in the range then.  Where it is not any more, time has
 * leapt, or nothing has come for as long as rows are kept.  One sender whose clock is
 * wrong among others never finds that: theirs were accepted. */
int clock_doubt_check(struct records *records, int64_t now_ms, struct err *err)
{
    int64_t witness_ms = records->witness_ms;
    int rc = 0;
    if (witness_ms == T_NONE)
        rc = newest_stored(records, &witness_ms, err);
    if (rc < 0 || witness_ms == T_NONE || is_in_range(records, witness_ms, now_ms))
        return rc;
    char witness[TIMETEXT_SIZE], now[TIMETEXT_SIZE];
    (void)timetext_print_ms(witness, witness_ms);
    (void)timetext_print_ms(now, now_ms);
    records->clock_doubts++;
    return err_set(err, EAGAIN,
                   "no row of the batch is in the accepted times, and the newest row "
                   "here, of %s, would not be either: is the server's clock right? it "
                   "is at %s",
                   witness, now);
}

void clock_doubt_note(struct records *records, const struct keyed_row *rows,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (i == 0 || rows[i].row->t_ms > records->witness_ms)
            records->witness_ms = rows[i].row->t_ms;
}

uint64_t records_clock_doubts(const struct records *records)
{
    return records->clock_doubts;
}
