/* SPDX-License-Identifier: Apache-2.0 */
/* test_delivery - what becomes of a batch, whatever the server responds. */
#include "agent/batches.h"
#include "agent/packed.h"
#include "agent/send/delivery.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"

#include <errno.h>

#define ACCEPTED "{\"accepted\":1,\"duplicate\":0,\"refused\":0,\"errors\":[]}"
#define PROBLEM "{\"title\":\"no\",\"status\":400}"

/* ---- one response ---- */

static void each_response_has_one_meaning(void **state)
{
    (void)state;
    static const struct {
        unsigned status;
        const char *body;
        uint32_t entries;
        enum verdict want;
    } cases[] = {
        { 200, ACCEPTED, 5, VERDICT_ACCEPTED },
        { 200, "<html>welcome</html>", 5, VERDICT_UNWANTED },
        { 200, "{\"note\":\"\\\"accepted\\\":1\"}", 5, VERDICT_UNWANTED },
        { 200, "", 5, VERDICT_UNWANTED },
        { 201, ACCEPTED, 5, VERDICT_UNWANTED },
        { 204, "", 5, VERDICT_UNWANTED },
        { 301, "", 5, VERDICT_UNWANTED },
        { 400, PROBLEM, 5, VERDICT_REFUSED },
        { 400, "Bad Request", 5, VERDICT_UNWANTED },
        { 400, "{\"detail\":{\"title\":1}}", 5, VERDICT_UNWANTED },
        { 422, PROBLEM, 5, VERDICT_REFUSED },
        { 401, PROBLEM, 5, VERDICT_UNWANTED },
        { 403, PROBLEM, 5, VERDICT_UNWANTED },
        { 404, PROBLEM, 5, VERDICT_UNWANTED },
        { 413, PROBLEM, 5, VERDICT_TOO_LARGE },
        { 413, "too large", 2, VERDICT_TOO_LARGE },
        { 413, PROBLEM, 1, VERDICT_REFUSED },
        { 413, "too large", 1, VERDICT_UNWANTED },
        { 408, PROBLEM, 5, VERDICT_AWAY },
        { 425, PROBLEM, 5, VERDICT_AWAY },
        { 429, PROBLEM, 5, VERDICT_AWAY },
        { 500, PROBLEM, 5, VERDICT_AWAY },
        { 503, PROBLEM, 5, VERDICT_AWAY },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct batch_response response;
        enum verdict verdict = delivery_judge(cases[i].status, span_of(cases[i].body),
                                              cases[i].entries, &response);
        if (verdict != cases[i].want)
            fail_msg("%u '%s': %d", cases[i].status, cases[i].body, verdict);
    }
}

/* ---- a server that is played ---- */

struct played {
    struct delivery *delivery;
    struct agent_report report;
    size_t rows_max; /* more than that is too large; 0: no limit */
    unsigned status; /* of what is small enough; 0: 200 */
    int rc;          /* the request fails so */
    size_t fail_at;  /* from this request on 503; 0: never */
    size_t requests;
    char seen[4096]; /* identifiers of accepted rows, in order */
    char names[32][40];
    size_t name_count;
    char reported[512]; /* the last */
    size_t warnings;
};

static void decode_into(struct played *p, const struct strbuf *json)
{
    AUTO(jobbatch_done) struct jobbatch batch;
    AUTO(jobstats_decoder_free) struct jobstats_decoder *decoder = NULL;
    jobbatch_init(&batch, 0);
    assert_int_equal(jobstats_decoder_new(&batch, &decoder), 0);
    assert_int_equal(jobstats_decoder_feed(decoder, json->data, json->size, NULL), 0);
    assert_int_equal(jobstats_decoder_finish(decoder, NULL), 0);
    for (size_t i = 0; i < batch.row_count; i++)
        (void)snprintf(p->seen + strlen(p->seen), sizeof p->seen - strlen(p->seen),
                       SPAN_FMT " ", SPAN_ARG(batch.rows[i].entry_id));
    uuid_print(p->names[p->name_count++], &batch.agent);
}

static size_t row_count(const struct strbuf *json)
{
    size_t count = 0;
    struct span rest = strbuf_span(json);
    const char *at;
    while ((at = memmem(rest.data, rest.size, "\"entry_id\"", 10))) {
        rest = span_skip(rest, (size_t)(at - rest.data) + 10);
        count++;
    }
    return count;
}

static int play(void *arg, struct span payload, struct net_response *ret,
                struct err *err)
{
    struct played *p = arg;
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    p->requests++;
    if (p->rc)
        return err_set(err, -p->rc, "no such server");
    assert_int_equal(packed_read(payload, 1 << 20, &json), 0);
    ret->status = p->status ? p->status : 200;
    ret->retry_after_s = -1;
    strbuf_clear(&ret->body);
    if (p->rows_max && row_count(&json) > p->rows_max)
        ret->status = 413;
    else if (p->fail_at && p->requests >= p->fail_at)
        ret->status = 503;
    else if (ret->status == 200)
        decode_into(p, &json);
    strbuf_adds(&ret->body, ret->status == 200 ? ACCEPTED : PROBLEM);
    if (ret->status == 503)
        ret->retry_after_s = 7;
    return 0;
}

static void on_report(void *arg, enum log_level level, enum agent_event event,
                      const char *text)
{
    struct played *p = arg;
    (void)event;
    p->warnings += level <= LOG_LEVEL_WARN;
    (void)snprintf(p->reported, sizeof p->reported, "%s", text);
}

static void start_played(struct played *p)
{
    *p = (struct played){ .report = { on_report, p } };
    const struct delivery_opts opts = {
        .post_fn = play,
        .post_arg = p,
        .refused_dir = scratch_path("refused"),
        .report = &p->report,
    };
    assert_int_equal(delivery_new(&opts, &p->delivery), 0);
}

/* A batch of rows "a", "b", ... as an agent makes it. */
static void make_batch(unsigned rows, struct strbuf *ret)
{
    AUTO(agent_batches_free) struct agent_batches *batches = NULL;
    const struct uuid uuid = { .bytes = { 7 } };
    const struct observation seen = { .t_ms = 1669010520000,
                                      .since_ms = T_NONE,
                                      .previous_ms = T_NONE };
    uint64_t number = 0;
    assert_int_equal(agent_batches_new(&uuid, SPAN("oss01"), &number, &batches), 0);
    for (unsigned i = 0; i < rows; i++) {
        char id = (char)('a' + (char)i);
        const struct entry entry = { .target = SPAN("s-OST0001"),
                                     .kind = TARGET_OST,
                                     .id = { &id, 1 },
                                     .snapshot_ns = NS_PER_S,
                                     .start_ns = T_NONE,
                                     .elapsed_ns = T_NONE };
        assert_int_equal(agent_batches_row(batches, &entry, &seen), 0);
    }
    assert_int_equal(agent_batches_finish(batches), 0);
    strbuf_clear(ret);
    strbuf_add_span(ret, strbuf_span(&agent_batches_at(batches, 0)->data));
}

static struct delivery_counts counts_of(const struct played *p)
{
    struct delivery_counts counts;
    delivery_count(p->delivery, &counts);
    return counts;
}

static void what_is_accepted_is_done_and_counted(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf batch = STRBUF_INIT;
    struct played p;
    start_played(&p);
    make_batch(3, &batch);
    assert_int_equal(delivery_send(p.delivery, 1, strbuf_span(&batch), 3),
                     DELIVERY_DONE);
    assert_string_equal(p.seen, "a b c ");
    assert_int_equal(counts_of(&p).batches, 1);
    assert_int_equal(counts_of(&p).entries, 3);
    assert_int_equal(counts_of(&p).bytes, batch.size);
    assert_int_equal(p.warnings, 0);
    delivery_free(p.delivery);
}

static void what_is_too_large_goes_in_parts_in_order(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf batch = STRBUF_INIT;
    for (size_t rows_max = 1; rows_max <= 7; rows_max++) {
        struct played p;
        start_played(&p);
        p.rows_max = rows_max;
        make_batch(7, &batch);
        assert_int_equal(delivery_send(p.delivery, 1, strbuf_span(&batch), 7),
                         DELIVERY_DONE);
        assert_string_equal(p.seen, "a b c d e f g ");
        assert_int_equal(counts_of(&p).entries, 7);
        for (size_t i = 0; i < p.name_count; i++)
            for (size_t k = 0; k < i; k++)
                assert_string_not_equal(p.names[i], p.names[k]);
        delivery_free(p.delivery);
    }
}

static void parts_that_are_done_are_not_sent_again(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf batch = STRBUF_INIT;
    for (size_t fail_at = 2; fail_at < 14; fail_at++) {
        struct played p;
        enum delivery_outcome outcome = DELIVERY_LATER;
        start_played(&p);
        p.rows_max = 2;
        p.fail_at = fail_at;
        make_batch(8, &batch);
        for (int attempt = 0; attempt < 3 && outcome == DELIVERY_LATER; attempt++) {
            outcome = delivery_send(p.delivery, 9, strbuf_span(&batch), 8);
            if (outcome == DELIVERY_LATER)
                assert_int_equal(delivery_retry_after_s(p.delivery), 7);
            p.fail_at = 0;
        }
        assert_int_equal(outcome, DELIVERY_DONE);
        assert_string_equal(p.seen, "a b c d e f g h ");
        assert_int_equal(counts_of(&p).entries, 8);
        assert_int_equal(counts_of(&p).batches, p.name_count);
        delivery_free(p.delivery);
    }
}

/* Another process remembers nothing of the parts, and gives them the same names. */
static void names_of_parts_are_the_same_after_a_restart(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf batch = STRBUF_INIT;
    struct played first, second;
    start_played(&first);
    start_played(&second);
    first.rows_max = second.rows_max = 2;
    make_batch(8, &batch);
    (void)delivery_send(first.delivery, 1, strbuf_span(&batch), 8);
    (void)delivery_send(second.delivery, 1, strbuf_span(&batch), 8);
    assert_int_equal(first.name_count, 4);
    assert_memory_equal(first.names, second.names, sizeof first.names);
    delivery_free(first.delivery);
    delivery_free(second.delivery);
}

static void what_will_never_do_is_set_aside(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf batch = STRBUF_INIT;
    struct played p;
    start_played(&p);
    make_batch(3, &batch);
    p.status = 422;
    assert_int_equal(delivery_send(p.delivery, 1, strbuf_span(&batch), 3),
                     DELIVERY_DONE);
    assert_int_equal(counts_of(&p).refused_batches, 1);
    assert_int_equal(counts_of(&p).set_aside_entries, 3);
    assert_int_equal(counts_of(&p).batches, 0);
    assert_non_null(strstr(p.reported, "(422)"));
    assert_non_null(strstr(p.reported, "00.json.zst"));
    delivery_free(p.delivery);
}

static void one_row_that_is_too_large_is_set_aside(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf batch = STRBUF_INIT;
    struct played p;
    start_played(&p);
    make_batch(1, &batch);
    p.status = 413;
    assert_int_equal(delivery_send(p.delivery, 1, strbuf_span(&batch), 1),
                     DELIVERY_DONE);
    assert_int_equal(counts_of(&p).set_aside_entries, 1);
    assert_int_equal(counts_of(&p).split_batches, 0);
    delivery_free(p.delivery);
}

static void what_waits_is_reported_once_and_so_is_its_end(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf batch = STRBUF_INIT;
    struct played p;
    start_played(&p);
    make_batch(3, &batch);
    p.rc = -ENOTCONN;
    for (int i = 0; i < 3; i++)
        assert_int_equal(delivery_send(p.delivery, 1, strbuf_span(&batch), 3),
                         DELIVERY_LATER);
    assert_int_equal(p.warnings, 1);
    assert_string_equal(p.reported, "no such server; batches wait in the spool");
    p.rc = 0;
    p.status = 503;
    assert_int_equal(delivery_send(p.delivery, 1, strbuf_span(&batch), 3),
                     DELIVERY_LATER);
    assert_int_equal(p.warnings, 1);
    p.status = 0;
    assert_int_equal(delivery_send(p.delivery, 1, strbuf_span(&batch), 3),
                     DELIVERY_DONE);
    assert_string_equal(p.reported, "the server accepts batches again");
    assert_string_equal(p.seen, "a b c ");
    delivery_free(p.delivery);
}

/* 413 of a batch that cannot be decoded: it waits, unless barod itself says so. */
static void what_is_no_batch_is_not_cut(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf packed = STRBUF_INIT;
    struct played p;
    start_played(&p);
    assert_int_equal(packed_write(SPAN("{\"entry_id\" \"entry_id\""), &packed), 0);
    p.rows_max = 1;
    assert_int_equal(delivery_send(p.delivery, 1, strbuf_span(&packed), 2),
                     DELIVERY_DONE);
    assert_int_equal(counts_of(&p).refused_batches, 1);
    assert_int_equal(counts_of(&p).split_batches, 0);
    delivery_free(p.delivery);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_response_has_one_meaning),
        cmocka_unit_test(what_is_accepted_is_done_and_counted),
        cmocka_unit_test(what_is_too_large_goes_in_parts_in_order),
        cmocka_unit_test(parts_that_are_done_are_not_sent_again),
        cmocka_unit_test(names_of_parts_are_the_same_after_a_restart),
        cmocka_unit_test(what_will_never_do_is_set_aside),
        cmocka_unit_test(one_row_that_is_too_large_is_set_aside),
        cmocka_unit_test(what_waits_is_reported_once_and_so_is_its_end),
        cmocka_unit_test(what_is_no_batch_is_not_cut),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
