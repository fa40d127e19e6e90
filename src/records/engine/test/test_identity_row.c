/* SPDX-License-Identifier: Apache-2.0 */
/* test_identity_row - is the database the one that was left? */
#include "records/engine/identity_row.h"

#include "base/test/testing.h"
#include "records/engine/test/scripted.h"

static const struct database_identity left = {
    .id = { .bytes = { 1 } }, .writer = { .bytes = { 2 } }, .epoch = 10, .arrived_ms = 5
};

static void a_database_is_recognised_by_what_was_left(void **state)
{
    (void)state;
    static const struct uuid other = { .bytes = { 9 } };
    static const struct {
        const char *name;
        int64_t version, epoch;
        bool other_id, other_writer;
        const struct uuid *pending;
        bool is_same;
        const char *why;
    } cases[] = {
        { "as it was", SCHEMA_VERSION, 10, false, false, NULL, true, "before" },
        { "an older schema", 3, 10, false, false, NULL, false, "of schema 3" },
        { "another one", SCHEMA_VERSION, 10, true, false, NULL, false, "another" },
        { "a copy", SCHEMA_VERSION, 8, false, false, NULL, false, "" },
        { "written to", SCHEMA_VERSION, 11, false, true, NULL, false, "" },
        { "what was in doubt", SCHEMA_VERSION, 11, false, true, &other, true,
          "before" },
    };
    static const struct scripted_cell rows[][SCRIPTED_COLUMNS_MAX] = {
        { CELL_NUMBER(1000) },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(scripted_done) struct scripted script = { .rows = rows, .row_count = 1 };
        const struct sql_conn conn = scripted_conn(&script);
        AUTO(strbuf_done) struct strbuf why = STRBUF_INIT;
        struct identity_found found = { .version = cases[i].version,
                                        .have = left,
                                        .pending = cases[i].pending };
        bool is_same = !cases[i].is_same;
        found.have.epoch = cases[i].epoch;
        if (cases[i].other_id)
            found.have.id = other;
        if (cases[i].other_writer)
            found.have.writer = other;
        strbuf_adds(&why, "before");
        assert_int_equal(identity_recognise(&conn, &left, &found, &is_same, &why, NULL),
                         0);
        if (is_same != cases[i].is_same || !strstr(strbuf_text(&why), cases[i].why) ||
            (!is_same && strstr(strbuf_text(&why), "before")))
            fail_msg("%s: %d '%s'", cases[i].name, is_same, strbuf_text(&why));
    }
}

static void a_loss_is_measured_by_the_newest_batch(void **state)
{
    (void)state;
    static const struct scripted_cell rows[][SCRIPTED_COLUMNS_MAX] = {
        { CELL_NUMBER(4) },
    };
    AUTO(scripted_done) struct scripted script = { .rows = rows, .row_count = 1 };
    const struct sql_conn conn = scripted_conn(&script);
    AUTO(strbuf_done) struct strbuf why = STRBUF_INIT;
    struct identity_found found = { .version = SCHEMA_VERSION, .have = left };
    bool is_same = true;
    found.have.epoch = 9;
    assert_int_equal(identity_recognise(&conn, &left, &found, &is_same, &why, NULL), 0);
    assert_int_equal(found.have.arrived_ms, 4);
    script.fails = -EAGAIN;
    assert_int_equal(identity_recognise(&conn, &left, &found, &is_same, &why, NULL),
                     -EAGAIN);
}

static void an_empty_database_is_refused_by_its_name(void **state)
{
    (void)state;
    struct err err = { 0 };
    assert_int_equal(identity_refuse_empty("sqlite 'a.db': the file", &left, &err),
                     -EAGAIN);
    assert_non_null(strstr(err.text, "sqlite 'a.db': the file has no tables of "));
    assert_non_null(strstr(err.text, "01000000-0000-0000-0000-000000000000"));
}

static void the_row_is_read_and_advanced(void **state)
{
    (void)state;
    static const struct uuid id = { .bytes = { 1 } };
    static const struct scripted_cell row[][SCRIPTED_COLUMNS_MAX] = {
        { { .uuid = &id }, { .uuid = &id }, CELL_NUMBER(10) },
    };
    static const struct scripted_cell next[][SCRIPTED_COLUMNS_MAX] = {
        { CELL_NUMBER(11), { .uuid = &id } },
    };
    AUTO(scripted_done) struct scripted script = { .rows = row, .row_count = 1 };
    const struct sql_conn conn = scripted_conn(&script);
    struct database_identity have = { 0 };
    int64_t epoch = 0;
    assert_int_equal(identity_read(&conn, &have, NULL), 0);
    assert_int_equal(have.epoch, 10);
    assert_int_equal(have.arrived_ms, T_NONE);
    script.rows = next;
    assert_int_equal(identity_advance(&conn, &left, &left.writer, &epoch, NULL), 0);
    assert_int_equal(epoch, 11);
    have.epoch = 12; /* somewhere between, another program wrote */
    assert_int_equal(identity_advance(&conn, &have, &left.writer, &epoch, NULL),
                     -ESTALE);
    script.row_count = 0;
    assert_int_equal(identity_advance(&conn, &left, &left.writer, &epoch, NULL),
                     -EAGAIN);
    assert_int_equal(identity_read(&conn, &have, NULL), -EAGAIN);
    assert_int_equal(have.epoch, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_database_is_recognised_by_what_was_left),
        cmocka_unit_test(a_loss_is_measured_by_the_newest_batch),
        cmocka_unit_test(an_empty_database_is_refused_by_its_name),
        cmocka_unit_test(the_row_is_read_and_advanced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
