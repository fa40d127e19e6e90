/* SPDX-License-Identifier: Apache-2.0 */
/* test_id_name - which name a number bore when. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "model/id_name.h"

static void numbers_are_decimal_and_of_32_bits(void **state)
{
    (void)state;
    const struct {
        const char *text;
        bool is_number;
    } cases[] = {
        { "0", true },      { "1001", true },        { "4294967295", true },
        { "", false },      { "4294967296", false }, { "01", false },
        { "-1", false },    { "+1", false },         { "alice", false },
        { "1001 ", false }, { "0x10", false },       { "99999999999999999999", false },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (id_is_number(span_of(cases[i].text)) != cases[i].is_number)
            fail_msg("'%s'", cases[i].text);
}

static void what_cannot_be_a_name_is_refused_with_its_reason(void **state)
{
    (void)state;
    static char long_name[257];
    memset(long_name, 'a', 256);
    const struct id_name good = { ID_USER, SPAN("alex"), SPAN("1001"), SPAN("alice"), 1,
                                  2 };
    assert_null(id_name_check(&good));
    const struct {
        struct id_name name;
        const char *reason;
    } cases[] = {
        { { ID_USER, SPAN("alex"), SPAN(""), SPAN("alice"), 1, 2 }, "number" },
        { { ID_USER, SPAN("alex"), SPAN("x"), SPAN("alice"), 1, 2 }, "number" },
        { { ID_USER, SPAN("alex"), SPAN("1"), SPAN(""), 1, 2 }, "empty" },
        { { ID_USER, SPAN("alex"), SPAN("1"), SPAN("1001"), 1, 2 }, "a number" },
        { { ID_USER, SPAN("alex"), SPAN("1"), SPAN("a\xff"), 1, 2 }, "UTF-8" },
        { { ID_USER, SPAN("alex"), SPAN("1"), { long_name, 256 }, 1, 2 }, "long" },
        { { ID_USER, { "a\0b", 3 }, SPAN("1"), SPAN("alice"), 1, 2 }, "UTF-8" },
        { { ID_USER, SPAN("alex"), SPAN("1"), SPAN("alice"), 0, 2 }, "1970" },
        { { ID_USER, SPAN("alex"), SPAN("1"), SPAN("alice"), 3, 2 }, "last" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *reason = id_name_check(&cases[i].name);
        if (!reason || !strstr(reason, cases[i].reason))
            fail_msg("case %zu: %s", i, reason ? reason : "passes");
    }
}

static const char *name_at(const struct id_name *names, size_t count, int64_t t_ns)
{
    const struct id_name *name = id_name_at(names, count, ID_USER, SPAN("1001"), t_ns);
    return name ? name->name.data : "-";
}

static void a_number_that_was_given_to_another_has_the_name_of_its_time(void **state)
{
    (void)state;
    const struct id_name names[] = {
        { ID_USER, SPAN("alex"), SPAN("1002"), SPAN("carol"), 1, 1000 },
        { ID_GROUP, SPAN("alex"), SPAN("1001"), SPAN("staff"), 1, 1000 },
        { ID_USER, SPAN("alex"), SPAN("1001"), SPAN("bob"), 500, 900 },
        { ID_USER, SPAN("alex"), SPAN("1001"), SPAN("alice"), 100, 300 },
    };
    const struct {
        int64_t t_ns;
        const char *name;
    } cases[] = {
        { 50, "alice" }, /* before the first sighting: the first name */
        { 100, "alice" }, { 300, "alice" },
        { 499, "alice" }, /* until another is seen */
        { 500, "bob" },   { 900, "bob" },
        { 5000, "bob" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (strcmp(name_at(names, 4, cases[i].t_ns), cases[i].name) != 0)
            fail_msg("at %lld: %s", (long long)cases[i].t_ns,
                     name_at(names, 4, cases[i].t_ns));
    assert_null(id_name_at(names, 4, ID_USER, SPAN("1003"), 500));
    assert_null(id_name_at(names, 0, ID_USER, SPAN("1001"), 500));
    assert_string_equal(id_name_at(names, 4, ID_GROUP, SPAN("1001"), 7)->name.data,
                        "staff");
}

static void of_names_seen_at_once_the_younger_holds(void **state)
{
    (void)state;
    /* A job of alice's that was submitted before and ended after the number went. */
    const struct id_name names[] = {
        { ID_USER, SPAN("alex"), SPAN("1001"), SPAN("alice"), 100, 700 },
        { ID_USER, SPAN("alex"), SPAN("1001"), SPAN("bob"), 500, 900 },
    };
    assert_string_equal(name_at(names, 2, 400), "alice");
    assert_string_equal(name_at(names, 2, 600), "bob");
}

static void clusters_that_contradict_each_other_have_no_name(void **state)
{
    (void)state;
    struct id_name names[] = {
        { ID_USER, SPAN("alex"), SPAN("1001"), SPAN("alice"), 100, 900 },
        { ID_USER, SPAN("fritz"), SPAN("1001"), SPAN("bob"), 100, 900 },
    };
    assert_string_equal(name_at(names, 2, 500), "-");
    assert_string_equal(name_at(names, 2, 2000), "alice");
    names[1].name = SPAN("alice");
    assert_string_equal(name_at(names, 2, 500), "alice");
    names[1].name = SPAN("bob");
    names[1].last_ns = 400; /* seen at fritz no more: alex' name is the one in use */
    assert_string_equal(name_at(names, 2, 500), "alice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_decimal_and_of_32_bits),
        cmocka_unit_test(what_cannot_be_a_name_is_refused_with_its_reason),
        cmocka_unit_test(a_number_that_was_given_to_another_has_the_name_of_its_time),
        cmocka_unit_test(of_names_seen_at_once_the_younger_holds),
        cmocka_unit_test(clusters_that_contradict_each_other_have_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
