/* SPDX-License-Identifier: Apache-2.0 */
/* test_id_name_ledger - a name becomes a row, and a row a name; sightings unite. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "records/tables/id_name_ledger.h"

static void a_name_comes_back_as_it_was_submitted(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    arena_init(&arena, 0);
    for (int kind = 0; kind < ID_KIND_COUNT; kind++) {
        const struct id_name name = { (enum id_kind)kind, { 0 }, SPAN("1001"),
                                      SPAN("alice"),      1000,  2000 };
        struct id_name back = { 0 };
        const struct scalar *row = id_name_ledger_row(&name, 99, &arena);
        assert_non_null(row);
        assert_int_equal(row[ledger_id_names.column_count - 1].i64, 99);
        assert_int_equal(id_name_ledger_name(row, &back), 0);
        assert_int_equal(back.kind, kind);
        assert_true(span_is(back.number, "1001"));
        assert_true(span_is(back.name, "alice"));
        assert_int_equal(back.cluster.size, 0);
        assert_true(back.first_ns == 1000 && back.last_ns == 2000);
    }
}

static void a_key_is_never_missing(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    arena_init(&arena, 0);
    const struct id_name name = { ID_USER, { 0 }, SPAN("1"), SPAN("a"), 1, 2 };
    const struct scalar *row = id_name_ledger_row(&name, 99, &arena);
    for (size_t i = 0; i < ledger_id_names.key_count; i++)
        assert_true(row[i].is_present && row[i].text.data);
}

static void sightings_unite_to_the_first_and_the_last(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    arena_init(&arena, 0);
    const struct {
        int64_t stored[2], submitted[2], want[2];
    } cases[] = {
        { { 10, 20 }, { 30, 40 }, { 10, 40 } },
        { { 30, 40 }, { 10, 20 }, { 10, 40 } },
        { { 10, 40 }, { 20, 30 }, { 10, 40 } },
        { { 20, 30 }, { 10, 40 }, { 10, 40 } },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct id_name a = { ID_USER,   SPAN("alex"),       SPAN("1"),
                             SPAN("a"), cases[i].stored[0], cases[i].stored[1] };
        struct id_name b = a, united;
        b.first_ns = cases[i].submitted[0];
        b.last_ns = cases[i].submitted[1];
        const struct scalar *row =
            ledger_id_names.unite(id_name_ledger_row(&a, 1, &arena),
                                  id_name_ledger_row(&b, 2, &arena), &arena);
        assert_int_equal(id_name_ledger_name(row, &united), 0);
        assert_true(united.first_ns == cases[i].want[0]);
        assert_true(united.last_ns == cases[i].want[1]);
    }
}

static void a_kind_of_another_program_is_passed_over(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    arena_init(&arena, 0);
    const struct id_name name = { ID_USER, { 0 }, SPAN("1"), SPAN("a"), 1, 2 };
    struct id_name back = { .first_ns = 77 };
    struct scalar row[16];
    memcpy(row, id_name_ledger_row(&name, 1, &arena),
           ledger_id_names.column_count * sizeof *row);
    row[0] = scalar_text(SPAN("project"));
    assert_int_equal(id_name_ledger_name(row, &back), -EBADMSG);
    assert_true(back.first_ns == 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_comes_back_as_it_was_submitted),
        cmocka_unit_test(a_key_is_never_missing),
        cmocka_unit_test(sightings_unite_to_the_first_and_the_last),
        cmocka_unit_test(a_kind_of_another_program_is_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
