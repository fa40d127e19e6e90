/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_jobstats_json - the decoder of batches, whole and in pieces.
 *
 * The first byte is the size of the pieces.  The rows must not depend on it, must be
 * within what a batch may hold, and must come back when they are encoded again.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "wire/wire.h"

#include <errno.h>

static int decode(struct jobbatch *batch, const char *data, size_t size, size_t piece,
                  uint64_t *ret_bad)
{
    AUTO(jobstats_decoder_free) struct jobstats_decoder *d = NULL;
    struct err err = { 0 };
    jobbatch_init(batch, 4 << 20);
    fuzz_check(jobstats_decoder_new(batch, &d) == 0);
    int rc = 0;
    for (size_t at = 0; rc == 0 && at < size; at += piece) {
        size_t n = size - at < piece ? size - at : piece;
        rc = jobstats_decoder_feed(d, data + at, n, &err);
    }
    if (rc == 0)
        rc = jobstats_decoder_finish(d, &err);
    fuzz_check(rc == 0 || err.text[0] != '\0');
    *ret_bad = jobstats_decoder_bad_count(d);
    for (size_t i = 0; i < *ret_bad && i < JOBSTATS_BAD_MAX; i++)
        fuzz_check(jobstats_decoder_bad(d, i)->reason[0] != '\0');
    for (size_t i = 0; rc == 0 && i < batch->row_count; i++)
        fuzz_check(jobstats_decoder_entry_of(d, i) < JOBSTATS_ENTRIES_MAX);
    return rc;
}

static int pass_over(void *arg, enum json_event event, struct span text, unsigned depth)
{
    (void)arg;
    (void)event;
    (void)text;
    (void)depth;
    return 0;
}

static void check_row(const struct jobrow *row)
{
    fuzz_check(row->target.size > 0 && row->target.size <= TARGET_BYTES_MAX);
    fuzz_check(row->entry_id.size <= ENTRY_ID_BYTES_MAX && row->t_ms != T_NONE);
    fuzz_check(row->kind < TARGET_KIND_COUNT);
    /* What is kept beside the columns is an object that can be read again. */
    if (row->more.size)
        fuzz_check(json_read(row->more, pass_over, NULL, NULL) == 0);
}

static void check_encoded_again(const struct jobbatch *batch)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(arena_done) struct arena scratch;
    AUTO(jobbatch_done) struct jobbatch again;
    struct jobstats_encoder encoder;
    uint64_t bad;
    arena_init(&scratch, 0);
    jobstats_encode_start(&encoder, &text, &batch->agent, batch->sequence,
                          SPAN("oss01"));
    for (size_t i = 0; i < batch->row_count; i++)
        fuzz_check(jobstats_encode_row(&encoder, &batch->rows[i], &scratch) == 0);
    fuzz_check(jobstats_encode_finish(&encoder) == 0);
    int rc = decode(&again, text.data, text.size, text.size, &bad);
    if (rc == -EMSGSIZE) /* more text than the memory that decode gives */
        return;
    fuzz_check(rc == 0 && bad == 0 && again.row_count == batch->row_count);
    for (size_t i = 0; i < batch->row_count; i++) {
        const struct jobrow *a = &batch->rows[i], *b = &again.rows[i];
        fuzz_check(jobrow_same_counters(a, b) && span_eq(a->entry_id, b->entry_id));
        fuzz_check(a->has_samples == b->has_samples && a->has_sum == b->has_sum);
        fuzz_check(a->t_ms == b->t_ms && a->since_ms == b->since_ms);
        fuzz_check(a->previous_ms == b->previous_ms && a->reset == b->reset);
        fuzz_check(a->snapshot_ns == b->snapshot_ns && a->start_ns == b->start_ns);
        fuzz_check(a->kind == b->kind && a->id_exact == b->id_exact);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    AUTO(jobbatch_done) struct jobbatch whole;
    AUTO(jobbatch_done) struct jobbatch pieces;
    uint64_t bad, bad_pieces;
    const char *text = (const char *)data + 1;
    int rc = decode(&whole, text, size - 1, SIZE_MAX / 2, &bad);
    int rc_pieces = decode(&pieces, text, size - 1, (size_t)data[0] + 1, &bad_pieces);
    fuzz_check(rc == rc_pieces);
    if (rc < 0)
        return 0;
    fuzz_check(bad == bad_pieces && whole.row_count == pieces.row_count);
    for (size_t i = 0; i < whole.row_count; i++) {
        check_row(&whole.rows[i]);
        fuzz_check(jobrow_same_counters(&whole.rows[i], &pieces.rows[i]));
        fuzz_check(span_eq(whole.rows[i].entry_id, pieces.rows[i].entry_id));
    }
    check_encoded_again(&whole);
    return 0;
}
