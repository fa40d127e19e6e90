/* SPDX-License-Identifier: Apache-2.0 */
/* test_batches - rows of one read become batches that decode to the same rows. */
#include "agent/batches.h"
#include "agent/packed.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "wire/wire.h"

#include <stdio.h>

#define T0 INT64_C(1669010520000)

static int add_row(struct agent_batches *batches, unsigned number, bool is_zero)
{
    char id[32];
    int size = snprintf(id, sizeof id, "job%u", number);
    const struct entry entry = { .target = SPAN("s-OST0001"),
                                 .kind = TARGET_OST,
                                 .id = { id, (size_t)size },
                                 .snapshot_ns = NS_PER_S,
                                 .start_ns = T_NONE,
                                 .elapsed_ns = T_NONE };
    const struct observation seen = {
        .t_ms = T0, .since_ms = T_NONE, .previous_ms = T_NONE, .is_zero = is_zero
    };
    return agent_batches_row(batches, &entry, &seen);
}

/* Rows of a batch; each must be the next number. */
static size_t decode(const struct agent_batch *batch, unsigned *number)
{
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    AUTO(jobbatch_done) struct jobbatch rows;
    AUTO(jobstats_decoder_free) struct jobstats_decoder *decoder = NULL;
    jobbatch_init(&rows, 0);
    assert_int_equal(packed_read(strbuf_span(&batch->data), 64 << 20, &json), 0);
    assert_int_equal(jobstats_decoder_new(&rows, &decoder), 0);
    assert_int_equal(jobstats_decoder_feed(decoder, json.data, json.size, NULL), 0);
    assert_int_equal(jobstats_decoder_finish(decoder, NULL), 0);
    assert_int_equal(rows.sequence, batch->number);
    assert_int_equal(rows.row_count, batch->entries);
    assert_true(span_is(rows.server, "oss01"));
    for (size_t i = 0; i < rows.row_count; i++) {
        char id[32];
        (void)snprintf(id, sizeof id, "job%u", (*number)++);
        assert_true(span_is(rows.rows[i].entry_id, id));
    }
    return rows.row_count;
}

static void a_batch_holds_five_thousand_rows(void **state)
{
    (void)state;
    static const struct {
        unsigned rows;
        size_t batches;
    } cases[] = {
        { 0, 0 }, { 1, 1 }, { 4999, 1 }, { 5000, 1 }, { 5001, 2 }, { 10001, 3 },
    };
    const struct uuid uuid = { .bytes = { 1 } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(agent_batches_free) struct agent_batches *batches = NULL;
        uint64_t number = 41;
        unsigned next = 0;
        size_t rows = 0;
        assert_int_equal(agent_batches_new(&uuid, SPAN("oss01"), &number, &batches), 0);
        for (unsigned row = 0; row < cases[i].rows; row++)
            assert_int_equal(add_row(batches, row, false), 0);
        assert_int_equal(agent_batches_finish(batches), 0);
        assert_int_equal(agent_batches_finish(batches), 0); /* nothing more */
        assert_int_equal(agent_batches_count(batches), cases[i].batches);
        assert_int_equal(number, 41 + cases[i].batches);
        for (size_t k = 0; k < cases[i].batches; k++) {
            const struct agent_batch *batch = agent_batches_at(batches, k);
            assert_int_equal(batch->number, 42 + k);
            assert_true(batch->data.capacity <= batch->data.size + 1);
            rows += decode(batch, &next);
        }
        assert_int_equal(rows, cases[i].rows);
    }
}

/* A zero record and the row behind it lie in one batch. */
static void a_zero_record_goes_with_the_row_behind_it(void **state)
{
    (void)state;
    AUTO(agent_batches_free) struct agent_batches *batches = NULL;
    const struct uuid uuid = { .bytes = { 1 } };
    uint64_t number = 0;
    assert_int_equal(agent_batches_new(&uuid, SPAN("oss01"), &number, &batches), 0);
    for (unsigned row = 0; row < AGENT_BATCH_ENTRIES_MAX - 1; row++)
        assert_int_equal(add_row(batches, row, false), 0);
    assert_int_equal(add_row(batches, 4999, true), 0);
    assert_int_equal(add_row(batches, 4999, false), 0);
    assert_int_equal(agent_batches_finish(batches), 0);
    assert_int_equal(agent_batches_count(batches), 2);
    assert_int_equal(agent_batches_at(batches, 0)->entries,
                     AGENT_BATCH_ENTRIES_MAX - 1);
    assert_int_equal(agent_batches_at(batches, 1)->entries, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_holds_five_thousand_rows),
        cmocka_unit_test(a_zero_record_goes_with_the_row_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
