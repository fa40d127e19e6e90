/* SPDX-License-Identifier: Apache-2.0 */
/* test_series - the id of a series, and its copy. */
#include "base/span.h"
#include "base/test/testing.h"
#include "model/series.h"

#include <errno.h>

static void an_id_is_of_its_namespace_target_and_identifier(void **state)
{
    (void)state;
    const struct uuid one = { .bytes = { 1 } }, two = { .bytes = { 2 } };
    static char long_target[TARGET_BYTES_MAX + 1];
    struct uuid id, other;
    assert_int_equal(series_id(&one, SPAN("s-OST0001"), SPAN("7"), &id), 0);
    assert_int_equal(series_id(&one, SPAN("s-OST0001"), SPAN("7"), &other), 0);
    assert_memory_equal(&id, &other, sizeof id);
    assert_int_equal(series_id(&two, SPAN("s-OST0001"), SPAN("7"), &other), 0);
    assert_memory_not_equal(&id, &other, sizeof id);
    assert_int_equal(series_id(&one, SPAN("s-OST0002"), SPAN("7"), &other), 0);
    assert_memory_not_equal(&id, &other, sizeof id);
    assert_int_equal(series_id(&one, SPAN("s-OST0001"), SPAN("8"), &other), 0);
    assert_memory_not_equal(&id, &other, sizeof id);
    assert_int_equal(series_id(&one, (struct span){ long_target, sizeof long_target },
                               SPAN("7"), &other),
                     -EINVAL);
}

static void a_copy_has_texts_of_its_own(void **state)
{
    (void)state;
    char target[] = "s-OST0001", job[] = "17";
    const struct series series = { .sid = 5,
                                   .fs = SPAN("s"),
                                   .target = { target, 9 },
                                   .kind = TARGET_OST,
                                   .entry_id = { "a\0b", 3 },
                                   .format = { 0 },
                                   .job = { job, 2 },
                                   .user = SPAN(""),
                                   .flags = 9,
                                   .is_login = true };
    struct series copy;
    struct arena arena;
    arena_init(&arena, 0);
    assert_int_equal(series_text_size(&series), 1 + 9 + 3 + 2);
    assert_int_equal(series_copy(&series, &arena, &copy), 0);
    target[0] = job[0] = 'x';
    assert_true(copy.sid == 5 && copy.flags == 9 && copy.is_login);
    assert_true(span_is(copy.target, "s-OST0001"));
    assert_true(span_is(copy.job, "17"));
    assert_true(copy.entry_id.size == 3 && copy.entry_id.data[2] == 'b');
    assert_null(copy.format.data);   /* null stays null */
    assert_non_null(copy.user.data); /* and empty empty */
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_is_of_its_namespace_target_and_identifier),
        cmocka_unit_test(a_copy_has_texts_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
