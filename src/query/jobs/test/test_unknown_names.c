/* SPDX-License-Identifier: Apache-2.0 */
/* test_unknown_names - a name that no series has is a note, with names that there are.
 */
#include "base/span.h"
#include "base/test/testing.h"
#include "query/jobs/unknown_names.h"

#include <errno.h>

struct stored {
    const struct series *series;
    size_t count;
    int rc; /* of every search */
    size_t searches;
};

static bool has_name(struct span wanted, struct span name)
{
    return !wanted.data || span_eq(wanted, name);
}

static int find_series(void *arg, const struct series_filter *filter,
                       records_series_fn *fn, void *fn_arg, struct err *err)
{
    struct stored *s = arg;
    int rc = 0;
    size_t found = 0;
    s->searches++;
    if (s->rc < 0)
        return err_set(err, -s->rc, "no database");
    assert_true(filter->limit > 0); /* never all of them */
    for (size_t i = 0; rc == 0 && i < s->count && found < filter->limit; i++) {
        const struct series *series = &s->series[i];
        if (!has_name(filter->user, series->user) ||
            !has_name(filter->job, series->job) ||
            (filter->target && !span_glob(series->target, filter->target)))
            continue;
        found++;
        rc = fn(fn_arg, series);
    }
    return rc;
}

static void notes_are(struct stored *s, const struct series_filter *filter,
                      const char *const *want, size_t count)
{
    const struct history history = { .find_series = find_series, .arg = s };
    const struct selection selection = { .filter = *filter };
    AUTO(table_done) struct table table;
    table_init(&table);
    unknown_names_note(&history, &selection, &table);
    assert_int_equal(table.note_count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(table.notes[i], want[i]);
}

static const struct series three[] = {
    { .target = SPAN("scratch-OST0000"), .job = SPAN("17"), .user = SPAN("alice") },
    { .target = SPAN("scratch-OST0001"), .job = SPAN("17"), .user = SPAN("bob") },
    { .target = SPAN("scratch-OST0000"), .job = SPAN("18"), .user = SPAN("alice") },
    { .target = SPAN("scratch-OST0000") }, /* of no user */
};

static void what_there_is_gets_no_note(void **state)
{
    static const struct series_filter filters[] = {
        { .user = SPAN("bob") },
        { .job = SPAN("18") },
        { .target = "scratch-*" },
        { .user = SPAN("alice"), .job = SPAN("17"), .target = "*1" }, /* each alone */
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(filters); i++) {
        struct stored s = { three, COUNT_OF(three), 0, 0 };
        notes_are(&s, &filters[i], NULL, 0);
    }
    struct stored s = { three, COUNT_OF(three), 0, 0 };
    const struct series_filter none = { .limit = 0 };
    notes_are(&s, &none, NULL, 0);
    assert_int_equal(s.searches, 0);
}

static void an_unknown_name_is_noted_with_some_that_are(void **state)
{
    static const char *const user[] = {
        "there is no series of user 'alcie'; there are alice, bob"
    };
    static const char *const all[] = {
        "there is no series of user ''; there are alice, bob",
        "there is no series of job '19'; there are 17, 18",
        "there is no series of target 'home-*'; there are scratch-OST0000, "
        "scratch-OST0001",
    };
    static const char *const short_name[] = {
        "there is no series of target 'OST0007'; there are scratch-OST0000, "
        "scratch-OST0001; '*-OST0007' is that of any file system"
    };
    const struct series_filter alcie = { .user = SPAN("alcie"), .job = SPAN("17") };
    const struct series_filter three_of_them = { .user = SPAN(""),
                                                 .job = SPAN("19"),
                                                 .target = "home-*" };
    struct stored s = { three, COUNT_OF(three) - 1, 0, 0 };
    (void)state;
    notes_are(&s, &alcie, user, COUNT_OF(user));
    notes_are(&s, &three_of_them, all, COUNT_OF(all));
    const struct series_filter target = { .target = "OST0007" };
    notes_are(&s, &target, short_name, COUNT_OF(short_name));
}

static void names_without_an_index_are_noted_together(void **state)
{
    static const char *const both[] = {
        "no series with rows in this window fits fs 'home', node 'r30c[09-24]'"
    };
    const struct series_filter filter = { .fs = SPAN("home"),
                                          .node = SPAN("r30c[09-24]"),
                                          .job = SPAN("17") };
    struct stored s = { three, COUNT_OF(three), 0, 0 };
    (void)state;
    notes_are(&s, &filter, both, COUNT_OF(both));
    assert_int_equal(s.searches, 1); /* of the job */
}

static void five_names_are_enough(void **state)
{
    static char names[7][8];
    struct series series[COUNT_OF(names)];
    const struct series_filter filter = { .user = SPAN("xyz") };
    static const char *const five[] = {
        "there is no series of user 'xyz'; there are u0, u1, u2, u3, u4"
    };
    static const char *const more[] = {
        "there is no series of user 'xyz'; there are u0, u1, u2, u3, u4, ..."
    };
    static const char *const none[] = { "there is no series of user 'xyz'" };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        (void)snprintf(names[i], sizeof names[i], "u%zu", i);
        series[i] = (struct series){ .user = span_of(names[i]) };
    }
    struct stored s = { series, 0, 0, 0 };
    notes_are(&s, &filter, none, 1);
    s.count = 5;
    notes_are(&s, &filter, five, 1);
    s.count = 6;
    notes_are(&s, &filter, more, 1);
    s.count = 7;
    notes_are(&s, &filter, more, 1);
}

static void a_database_that_fails_costs_the_note_only(void **state)
{
    const struct series_filter filter = { .user = SPAN("alcie") };
    struct stored s = { three, COUNT_OF(three), -EIO, 0 };
    (void)state;
    notes_are(&s, &filter, NULL, 0);
    assert_int_equal(s.searches, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_there_is_gets_no_note),
        cmocka_unit_test(an_unknown_name_is_noted_with_some_that_are),
        cmocka_unit_test(names_without_an_index_are_noted_together),
        cmocka_unit_test(five_names_are_enough),
        cmocka_unit_test(a_database_that_fails_costs_the_note_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
