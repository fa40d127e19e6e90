/* SPDX-License-Identifier: Apache-2.0 */
/* test_user_time - times as people type them, by the clocks of a place. */
#include "base/number.h"
#include "base/options.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "base/user_time.h"

#include <errno.h>
#include <string.h>

#define NOW_NS (INT64_C(1795399200) * NS_PER_S) /* 2026-11-23T02:00:00Z */

/* Zones that have a summer time need the system's database. */
static void set_zone(const char *name)
{
    if (user_time_set_zone(name, NULL) < 0)
        skip();
}

static void a_time_without_a_zone_is_of_the_clocks_of_the_place(void **state)
{
    static const struct {
        const char *zone, *text, *want; /* want NULL: refused */
    } cases[] = {
        { "Europe/Berlin", "2026-11-21 06:00", "2026-11-21T05:00:00Z" },
        { "Europe/Berlin", "2026-11-21T06:00", "2026-11-21T05:00:00Z" },
        { "Europe/Berlin", "2026-07-01 06:00:30", "2026-07-01T04:00:30Z" },
        { "Europe/Berlin", "2026-11-21", "2026-11-20T23:00:00Z" },
        { "Europe/Berlin", "06:30", "2026-11-23T05:30:00Z" },
        { "America/New_York", "06:30", "2026-11-22T11:30:00Z" }, /* still the 22nd */
        { "America/New_York", "2026-03-07 12:00", "2026-03-07T17:00:00Z" },
        { "America/New_York", "2026-03-08 12:00", "2026-03-08T16:00:00Z" },
        { "Asia/Kathmandu", "2026-11-21 06:00", "2026-11-21T00:15:00Z" },
        { "UTC", "2026-11-21 06:00", "2026-11-21T06:00:00Z" },
        { "+02:00", "2026-11-21 06:00", "2026-11-21T04:00:00Z" },
        /* Clocks went forward, and back; long after the file's last change, too. */
        { "Europe/Berlin", "2026-03-29 02:30", NULL },
        { "Europe/Berlin", "2026-10-25 02:30", NULL },
        { "Europe/Berlin", "2060-10-31 02:30", NULL },
        { "America/New_York", "2026-03-08 02:30", NULL },
        { "America/New_York", "2026-11-01 01:30", NULL },
        { "Europe/Berlin", "2026-03-29 03:00", "2026-03-29T01:00:00Z" },
        { "Europe/Berlin", "2026-10-25 03:00", "2026-10-25T02:00:00Z" },
        /* What says its zone, or has none, is as it was. */
        { "Europe/Berlin", "2026-11-21T06:00Z", "2026-11-21T06:00Z" },
        { "Europe/Berlin", "2026-10-25T02:30+02:00", "2026-10-25T02:30+02:00" },
        { "Europe/Berlin", "-2h", "-2h" },
        { "Europe/Berlin", "@1669010520", "@1669010520" },
        { "Europe/Berlin", "now", "now" },
        { "Europe/Berlin", "26:00", "26:00" },
        { "Europe/Berlin", "2026-02-30 06:00", "2026-02-30 06:00" },
        { "Europe/Berlin", "", "" },
        { "Europe/Berlin", "ab:cd", "ab:cd" },
        { "Europe/Berlin",
          "a text that is much longer than any time could ever be, and is one", NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char out[TIMETEXT_SIZE] = "";
        struct err err = { 0 };
        set_zone(cases[i].zone);
        int rc = user_time_resolve(cases[i].text, NOW_NS, out, &err);
        if (rc != (cases[i].want ? 0 : -EINVAL) ||
            (cases[i].want ? strcmp(out, cases[i].want) != 0 : !err.text[0]))
            fail_msg("%s in %s: %d '%s' (%s)", cases[i].text, cases[i].zone, rc, out,
                     err.text);
    }
}

static void an_hour_that_comes_twice_is_refused_with_both_meanings(void **state)
{
    char out[TIMETEXT_SIZE];
    struct err err = { 0 };
    (void)state;
    set_zone("Europe/Berlin");
    assert_int_equal(user_time_resolve("2026-10-25 02:30", NOW_NS, out, &err), -EINVAL);
    assert_string_equal(err.text,
                        "'2026-10-25 02:30' comes twice in Europe/Berlin: write "
                        "2026-10-25T00:30:00Z or 2026-10-25T01:30:00Z");
    assert_int_equal(user_time_resolve("2026-03-29 02:30", NOW_NS, out, &err), -EINVAL);
    assert_non_null(strstr(err.text, "clocks skip in Europe/Berlin"));
}

static void an_unknown_zone_changes_nothing(void **state)
{
    char out[TIMETEXT_SIZE];
    struct err err = { 0 };
    (void)state;
    set_zone("Asia/Tokyo");
    assert_int_equal(user_time_set_zone("Nowhere/Atall", &err), -EINVAL);
    assert_non_null(strstr(err.text, "'Nowhere/Atall' is not a time zone"));
    assert_int_equal(user_time_resolve("2026-11-21 06:00", NOW_NS, out, NULL), 0);
    assert_string_equal(out, "2026-11-20T21:00:00Z");
}

static void a_text_becomes_an_instant_or_is_named(void **state)
{
    int64_t t_ns = 0;
    struct err err = { 0 };
    (void)state;
    set_zone("+02:00");
    assert_int_equal(user_time_parse("2026-11-23 06:00", NOW_NS, &t_ns, &err), 0);
    assert_int_equal(t_ns, NOW_NS + 2 * 3600 * NS_PER_S);
    assert_int_equal(user_time_parse("-2h", NOW_NS, &t_ns, &err), 0);
    assert_int_equal(t_ns, NOW_NS - 2 * 3600 * NS_PER_S);
    assert_int_equal(user_time_parse("noon", NOW_NS, &t_ns, &err), -EINVAL);
    assert_non_null(strstr(err.text, "invalid time 'noon'"));
}

static void people_see_the_zone_that_is_named_or_their_machine_s(void **state)
{
    struct err err = { 0 };
    char text[USER_TIME_SIZE];
    (void)state;
    set_zone("+02:00");
    assert_non_null(user_time_shown(false));
    assert_string_equal(user_time_zone_name(), "+02:00");
    user_time_print(text, false, NOW_NS);
    assert_non_null(strstr(text, " +02:00"));
    assert_int_equal(user_time_set_zone(NULL, &err), 0);
    assert_null(user_time_shown(false)); /* redirected: UTC */
    user_time_print(text, false, NOW_NS);
    assert_int_equal(text[strlen(text) - 1], 'Z');
}

struct args {
    const char *from, *zone;
};

static void options_that_are_times_bring_zone_with_them(void **state)
{
    static const struct option times[] = {
        { "from", 'f', OPTION_TIME, offsetof(struct args, from), "TIME", "" }
    };
    static const struct option own[] = {
        { "from", 'f', OPTION_TIME, offsetof(struct args, from), "TIME", "" },
        { "zone", 'z', OPTION_TEXT, offsetof(struct args, zone), "OFFSET", "" }
    };
    static const struct {
        const struct option *options;
        size_t count;
        bool has_time_operands;
        const char *words[5];
        const char *want; /* of --from; or of the error */
    } cases[] = {
        { times,
          1,
          false,
          { "x", "--from", "2026-11-21 06:00", "--zone=+01:00" },
          "2026-11-21T05:00:00Z" },
        { times,
          1,
          false,
          { "x", "--zone", "-8h", "--from=2026-11-21" },
          "2026-11-21T08:00:00Z" },
        { times, 1, false, { "x", "--zone", "UTC", "--from", "-2h" }, "-2h" },
        { own,
          2,
          false,
          { "x", "--from", "2026-11-21 06:00", "-z", "+02:00" },
          "2026-11-21T04:00:00Z" },
        { times, 1, false, { "x", "--zone", "Nowhere/Atall" }, "not a time zone" },
        { times, 1, false, { "x", "--zone" }, "--zone wants a value" },
        { NULL, 0, true, { "x", "--zone", "UTC" }, NULL },
        { NULL, 0, false, { "x", "--zone", "UTC" }, "unknown option --zone" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct command command = { .name = "x",
                                         .operands = "",
                                         .options = cases[i].options,
                                         .option_count = cases[i].count,
                                         .has_time_operands =
                                             cases[i].has_time_operands };
        struct args args = { 0 };
        struct err err = { 0 };
        char *words[6] = { 0 };
        int count = 0;
        for (; count < 5 && cases[i].words[count]; count++)
            words[count] = (char *)(uintptr_t)cases[i].words[count];
        int rc = options_parse(&command, count, words, &args, &err);
        const char *found = rc < 0 ? err.text : args.from;
        if (!cases[i].want ? rc != 0 : !found || !strstr(found, cases[i].want))
            fail_msg("case %zu: %d '%s' (%s)", i, rc, args.from ? args.from : "",
                     err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(people_see_the_zone_that_is_named_or_their_machine_s),
        cmocka_unit_test(a_time_without_a_zone_is_of_the_clocks_of_the_place),
        cmocka_unit_test(an_hour_that_comes_twice_is_refused_with_both_meanings),
        cmocka_unit_test(an_unknown_zone_changes_nothing),
        cmocka_unit_test(a_text_becomes_an_instant_or_is_named),
        cmocka_unit_test(options_that_are_times_bring_zone_with_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
