/* SPDX-License-Identifier: Apache-2.0 */
/* test_event_log - what readers of events see: order, bounds, losses. */
#include "api/session/event_log.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct fixture {
    struct event_log log;
    struct hostset *hosts;
};

static void begin(struct fixture *f)
{
    *f = (struct fixture){ 0 };
    assert_int_equal(hostset_parse(SPAN("n[0-3]"), &f->hosts, NULL), 0);
}

static void end(struct fixture *f)
{
    event_log_done(&f->log);
    hostset_free(f->hosts);
}

static void add(struct fixture *f, uint64_t incarnation, uint64_t sequence,
                struct span payload)
{
    const struct session_event event = { .incarnation = incarnation,
                                         .sequence = sequence,
                                         .origin = (uint32_t)(sequence % 4),
                                         .uid = sequence % 2 ? 1000 : UINT32_MAX,
                                         .t_ns = (int64_t)sequence * 1000000000,
                                         .name = SPAN("fds.high"),
                                         .payload = payload };
    assert_int_equal(event_log_add(&f->log, &event), 0);
}

static void read_after(const struct fixture *f, const char *after, size_t limit,
                       struct table *ret)
{
    struct event_id id = { 0, 0 };
    if (after)
        assert_int_equal(event_id_parse(span_of(after), &id), 0);
    table_init(ret);
    event_log_table(&f->log, id, limit, f->hosts, ret);
    assert_int_equal(table_error(ret), 0);
}

static const char *text_at(const struct table *t, size_t row, const char *column)
{
    int at = table_find_column(t, column);
    assert_true(at >= 0);
    const struct table_cell *cell = table_at(t, row, (size_t)at);
    return cell->is_null ? NULL : cell->text;
}

static void ids_are_numbers_of_an_incarnation(void **state)
{
    struct event_id id;
    (void)state;
    assert_int_equal(event_id_parse(SPAN("3.17"), &id), 0);
    assert_true(id.incarnation == 3 && id.sequence == 17);
    static const char *const wrong[] = { "",     "3",     ".",
                                         "3.",   ".17",   "3.x",
                                         "-1.2", "3.17 ", "3.99999999999999999999" };
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_int_equal(event_id_parse(span_of(wrong[i]), &id), -EINVAL);
    assert_true(
        event_id_is_after((struct event_id){ 4, 1 }, (struct event_id){ 3, 9 }));
    assert_false(
        event_id_is_after((struct event_id){ 3, 9 }, (struct event_id){ 3, 9 }));
}

static void readers_go_on_behind_what_they_have(void **state)
{
    struct fixture f;
    struct table t;
    (void)state;
    begin(&f);
    assert_false(event_log_has(&f.log, (struct event_id){ 0, 0 }));
    for (uint64_t i = 1; i <= 5; i++)
        add(&f, 3, i, SPAN("x\n\xff"));
    read_after(&f, NULL, 2, &t);
    assert_int_equal(t.row_count, 2);
    assert_string_equal(text_at(&t, 0, "id"), "3.4");
    assert_string_equal(text_at(&t, 1, "host"), "n1");
    assert_string_equal(text_at(&t, 1, "payload"), "x\\x0A\\xFF");
    assert_true(table_at(&t, 0, 4)->is_null); /* by TCP: no uid */
    assert_int_equal(table_at(&t, 1, 4)->u64, 1000);
    table_done(&t);
    read_after(&f, "3.1", 2, &t);
    assert_int_equal(t.row_count, 2);
    assert_string_equal(text_at(&t, 0, "id"), "3.2");
    assert_int_equal(t.note_count, 1);
    assert_non_null(strstr(t.notes[0], "More events follow"));
    table_done(&t);
    read_after(&f, "3.5", 2, &t);
    assert_int_equal(t.row_count + t.note_count, 0);
    table_done(&t);
    assert_true(event_log_has(&f.log, (struct event_id){ 3, 4 }));
    assert_false(event_log_has(&f.log, (struct event_id){ 3, 5 }));
    end(&f);
}

static void what_is_gone_is_noted(void **state)
{
    struct fixture f;
    struct table t;
    (void)state;
    begin(&f);
    for (uint64_t i = 1; i <= EVENT_LOG_MAX + 10; i++)
        add(&f, 1, i, SPAN(""));
    assert_int_equal(f.log.count, EVENT_LOG_MAX);
    read_after(&f, "1.3", 1, &t);
    assert_string_equal(text_at(&t, 0, "id"), "1.11");
    assert_non_null(strstr(t.notes[0], "up to 1.10 are not here"));
    table_done(&t);
    read_after(&f, "1.10", EVENT_LOG_MAX, &t);
    assert_int_equal(t.note_count, 0);
    table_done(&t);
    event_log_gap(&f.log, &(struct session_gap){ 1, 5000, 5009, { 0 } });
    add(&f, 1, 5010, SPAN(""));
    read_after(&f, "1.4106", 10, &t);
    assert_int_equal(t.row_count, 1);
    assert_non_null(strstr(t.notes[0], "up to 1.5009 are not here"));
    table_done(&t);
    end(&f);
}

/* Without a row to go on from, a reader that waits would be replied to at once, for
 * ever. */
static void a_reader_goes_on_behind_a_gap(void **state)
{
    static const char *const after[] = { "1.3", NULL }; /* NULL: the newest */
    struct fixture f;
    struct table t;
    struct event_id id;
    (void)state;
    begin(&f);
    add(&f, 1, 5, SPAN(""));
    event_log_gap(&f.log, &(struct session_gap){ 1, 6, 9, { 0 } });
    for (size_t i = 0; i < COUNT_OF(after); i++) {
        read_after(&f, after[i], 10, &t);
        assert_int_equal(t.row_count, 1);
        assert_string_equal(text_at(&t, 0, "id"), "1.9");
        assert_string_equal(text_at(&t, 0, "name"), "session.gap");
        assert_int_equal(event_id_parse(span_of(text_at(&t, 0, "id")), &id), 0);
        assert_false(event_log_has(&f.log, id));
        table_done(&t);
    }
    read_after(&f, "1.9", 10, &t);
    assert_int_equal(t.row_count + t.note_count, 0);
    table_done(&t);
    end(&f);
}

static void bytes_are_bounded(void **state)
{
    static const char payload[SESSION_PAYLOAD_MAX];
    struct fixture f;
    (void)state;
    begin(&f);
    for (uint64_t i = 1; i <= 2000; i++)
        add(&f, 1, i, (struct span){ payload, sizeof payload });
    assert_true(f.log.bytes <= EVENT_LOG_BYTES_MAX);
    assert_true(f.log.count > 900 && f.log.count < 1100);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_numbers_of_an_incarnation),
        cmocka_unit_test(readers_go_on_behind_what_they_have),
        cmocka_unit_test(what_is_gone_is_noted),
        cmocka_unit_test(a_reader_goes_on_behind_a_gap),
        cmocka_unit_test(bytes_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
