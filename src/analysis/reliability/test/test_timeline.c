/* SPDX-License-Identifier: Apache-2.0 */
/* test_timeline - one component in a range of time: how long it was how, what failed.
 */
#include "analysis/reliability/reliability.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* "5a-": at 5 source a states down.  +: up, -: down, ~: degraded, ?: unknown, =:
 * drained; s?: its host is silent, s+: it is not. */
static size_t read_changes(const char *text, struct timeline_change *ret)
{
    static const char healths[] = { [RESOURCE_UP] = '+',
                                    [RESOURCE_UNKNOWN] = '?',
                                    [RESOURCE_DEGRADED] = '~',
                                    [RESOURCE_DOWN] = '-',
                                    [RESOURCE_DRAINED] = '=' };
    size_t count = 0;
    while (*text) {
        struct timeline_change *change = &ret[count++];
        *change = (struct timeline_change){ 0 };
        for (; *text >= '0' && *text <= '9'; text++)
            change->t_ns = 10 * change->t_ns + *text - '0';
        change->is_silence = *text == 's';
        change->source = change->is_silence ? 0 : (uint32_t)(*text - 'a');
        while (healths[change->health] != text[1])
            change->health++;
        text += 2;
        text += *text == ' ';
    }
    return count;
}

struct timeline_case {
    const char *what, *changes;
    int64_t from_ns, to_ns;
    const char *result; /* times, failures and others, repairs, intervals */
};

static void print_timeline(const struct timeline *t, char *out, size_t size)
{
    int at = snprintf(
        out, size,
        "up %" PRId64 " degraded %" PRId64 " down %" PRId64 " unknown %" PRId64
        " drained %" PRId64 " F%" PRIu64 " D%" PRIu64 " P%" PRIu64 " U%" PRIu64 "%s",
        t->up_ns, t->degraded_ns, t->down_ns, t->unknown_ns, t->drained_ns, t->failures,
        t->degradations, t->drains, t->repairs_unknown, t->is_failed ? " failed" : "");
    for (size_t i = 0; i < t->repairs.count; i++)
        at += snprintf(out + at, size - (size_t)at, " r%" PRId64, t->repairs.items[i]);
    for (size_t i = 0; i < t->intervals.count; i++)
        at +=
            snprintf(out + at, size - (size_t)at, " i%" PRId64, t->intervals.items[i]);
}

static const struct timeline_case cases[] = {
    { "nothing was stated", "", 0, 100,
      "up 0 degraded 0 down 0 unknown 0 drained 0 F0 D0 P0 U0" },
    { "it came before the range", "1a+", 10, 100,
      "up 90 degraded 0 down 0 unknown 0 drained 0 F0 D0 P0 U0" },
    { "it came in the range", "40a+", 10, 100,
      "up 60 degraded 0 down 0 unknown 0 drained 0 F0 D0 P0 U0" },
    { "it came after it", "100a-", 10, 100,
      "up 0 degraded 0 down 0 unknown 0 drained 0 F0 D0 P0 U0" },
    { "a failure and its repair", "0a+ 20a- 50a+", 10, 100,
      "up 60 degraded 0 down 30 unknown 0 drained 0 F1 D0 P0 U0 r30" },
    { "it failed before the range, and its repair is in it", "0a+ 5a- 50a+", 10, 100,
      "up 50 degraded 0 down 40 unknown 0 drained 0 F0 D0 P0 U0 r45" },
    { "a failure at its first moment is in it, one at its end is not",
      "0a+ 10a- 20a+ 100a-", 10, 100,
      "up 80 degraded 0 down 10 unknown 0 drained 0 F1 D0 P0 U0 r10" },
    { "what failed is not repaired at its end", "0a+ 20a-", 10, 100,
      "up 10 degraded 0 down 80 unknown 0 drained 0 F1 D0 P0 U0 failed" },
    { "intervals are from failure to failure", "0a+ 20a- 30a+ 50a- 60a+ 90a- 95a+", 10,
      100,
      "up 65 degraded 0 down 25 unknown 0 drained 0 F3 D0 P0 U0 r10 r10 r5 i30 i40" },
    { "degraded is counted apart, and not on the way up",
      "0a+ 20a~ 30a- 40a~ 50a+ 60a~", 10, 100,
      "up 20 degraded 60 down 10 unknown 0 drained 0 F1 D2 P0 U0 r10" },
    { "the first statement may be a failure", "20a-", 10, 100,
      "up 0 degraded 0 down 80 unknown 0 drained 0 F1 D0 P0 U0 failed" },
    { "unknown is neither, and no second failure", "0a+ 20a- 30a? 40a- 50a+", 10, 100,
      "up 60 degraded 0 down 20 unknown 10 drained 0 F1 D0 P0 U1" },
    { "the worst of several sources counts", "0a+ 0b+ 20a- 30b~ 40a+ 60b+", 10, 100,
      "up 50 degraded 20 down 20 unknown 0 drained 0 F1 D0 P0 U0 r20" },
    { "a drain is planned, and what goes down below it is no failure",
      "0a+ 20b= 30a- 40a+ 50b+", 10, 100,
      "up 60 degraded 0 down 0 unknown 0 drained 30 F0 D0 P1 U0" },
    { "it is one where the drain ends and it still is", "0a+ 20b= 30a- 50b+ 60a+", 10,
      100, "up 50 degraded 0 down 10 unknown 0 drained 30 F1 D0 P1 U0 r10" },
    { "what failed and is drained for its repair failed once",
      "0a+ 20a- 30b= 70b+ 80a+", 10, 100,
      "up 30 degraded 0 down 20 unknown 0 drained 40 F1 D0 P1 U0 r60" },
    { "and is repaired when its check finds it well", "0a+ 20a- 30b= 60a+ 70b+", 10,
      100, "up 40 degraded 0 down 10 unknown 0 drained 40 F1 D0 P1 U0 r40" },
    { "drained since before the range", "0a+ 5b= 50b+", 10, 100,
      "up 50 degraded 0 down 0 unknown 0 drained 40 F0 D0 P0 U0" },
    { "of a part that was up nothing is known while its host is silent",
      "0a+ 20s? 50s+ 60a- 70s? 80s+ 90a+", 10, 100,
      "up 30 degraded 0 down 30 unknown 30 drained 0 F1 D0 P0 U0 r30" },
    { "silence alone is no component", "20s?", 10, 100,
      "up 0 degraded 0 down 0 unknown 0 drained 0 F0 D0 P0 U0" },
    { "what is stated at one time is so together", "0a+ 0b+ 20a- 20b= 40a+ 40b+", 10,
      100, "up 70 degraded 0 down 0 unknown 0 drained 20 F0 D0 P1 U0" },
};

static void a_history_has_its_times_and_failures(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct timeline_change changes[32];
        struct timeline timeline;
        char text[512];
        timeline_init(&timeline);
        size_t count = read_changes(cases[i].changes, changes);
        assert_int_equal(timeline_make(changes, count, 3, cases[i].from_ns,
                                       cases[i].to_ns, &timeline),
                         0);
        print_timeline(&timeline, text, sizeof text);
        if (strcmp(text, cases[i].result) != 0)
            print_message("%s\n", cases[i].what);
        assert_string_equal(text, cases[i].result);
        timeline_done(&timeline);
    }
}

static void an_order_of_sources_is_no_matter(void **state)
{
    struct timeline_change one[8], other[8];
    struct timeline a, b;
    char text[512], text_of_other[512];
    (void)state;
    timeline_init(&a);
    timeline_init(&b);
    size_t count = read_changes("0a+ 20a- 40a+ 10b~ 50b+", one);
    assert_int_equal(read_changes("10b~ 50b+ 0a+ 20a- 40a+", other), count);
    assert_int_equal(timeline_make(one, count, 2, 0, 100, &a), 0);
    assert_int_equal(timeline_make(other, count, 2, 0, 100, &b), 0);
    print_timeline(&a, text, sizeof text);
    print_timeline(&b, text_of_other, sizeof text_of_other);
    assert_string_equal(text, text_of_other);
    assert_string_equal(
        text, "up 60 degraded 20 down 20 unknown 0 drained 0 F1 D1 P0 U0 r20");
    timeline_done(&a);
    timeline_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_history_has_its_times_and_failures),
        cmocka_unit_test(an_order_of_sources_is_no_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
