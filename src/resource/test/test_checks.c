/* SPDX-License-Identifier: Apache-2.0 */
/* test_checks - what a host's checks state: each change, once. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "resource/checks.h"

#include <errno.h>
#include <stdio.h>

static const int64_t start_ns = INT64_C(1669014000) * NS_PER_S;

static struct resource_check check_of(const char *name, const char *part,
                                      enum resource_health health, const char *reason,
                                      int64_t after_s)
{
    return (struct resource_check){ .kind = "plugin",
                                    .name = span_of(name),
                                    .part = span_of(part),
                                    .health = health,
                                    .reason = span_of(reason),
                                    .t_ns = start_ns + after_s * NS_PER_S };
}

static void states(struct resource_checks *checks, struct resource_check check,
                   const char *want)
{
    char text[1024] = "";
    struct resource_statement s;
    int rc = resource_checks_state(checks, &check, &s);
    assert_in_range(rc, 0, 1);
    if (rc == 1) {
        assert_null(resource_statement_check(&s));
        assert_true(s.t_ns >= check.t_ns);
        (void)snprintf(text, sizeof text, SPAN_FMT " " SPAN_FMT " %s " SPAN_FMT,
                       SPAN_ARG(s.component), SPAN_ARG(s.source),
                       resource_health_name(s.health), SPAN_ARG(s.reason));
    }
    assert_string_equal(text, want);
}

static void a_change_is_stated_once(void **state)
{
    AUTO(resource_checks_free) struct resource_checks *c = NULL;
    (void)state;
    assert_int_equal(resource_checks_new("alex", "a1", &c), 0);
    states(c, check_of("fds", "host", RESOURCE_UP, "all is well", 0),
           "alex/a1 system:plugin:fds@a1 up ");
    for (int i = 1; i < 100; i++)
        states(c, check_of("fds", "host", RESOURCE_UP, "", i), "");
    states(c, check_of("fds", "host", RESOURCE_DOWN, "99 % open", 100),
           "alex/a1 system:plugin:fds@a1 down fds: 99 % open");
    states(c, check_of("fds", "host", RESOURCE_DOWN, "98 % open", 110), "");
    states(c, check_of("fds", "dimm:A 1/2", RESOURCE_DEGRADED, "", 110),
           "alex/a1/dimm:A\\x201\\x2F2 system:plugin:fds@a1 degraded fds: degraded");
    states(c, check_of("fds", "memory", RESOURCE_UNKNOWN, "no file", 110),
           "alex/a1/memory system:plugin:fds@a1 unknown fds: no file");
}

static void what_goes_on_is_stated_again_after_a_while(void **state)
{
    AUTO(resource_checks_free) struct resource_checks *c = NULL;
    (void)state;
    assert_int_equal(resource_checks_new("alex", "a1", &c), 0);
    states(c, check_of("a", "host", RESOURCE_DOWN, "1", 0),
           "alex/a1 system:plugin:a@a1 down a: 1");
    states(c, check_of("a", "host", RESOURCE_DOWN, "2", 599), "");
    states(c, check_of("a", "host", RESOURCE_DOWN, "3", 600),
           "alex/a1 system:plugin:a@a1 down a: 3");
    states(c, check_of("a", "host", RESOURCE_DOWN, "3", 600 + 3599), "");
    states(c, check_of("a", "host", RESOURCE_DOWN, "3", 600 + 3600),
           "alex/a1 system:plugin:a@a1 down a: 3");
    /* A clock that was set back: the records have a later one, and decide. */
    states(c, check_of("a", "host", RESOURCE_DOWN, "3", 10),
           "alex/a1 system:plugin:a@a1 down a: 3");
}

static void what_is_no_name_or_too_much_is_not_stated(void **state)
{
    AUTO(resource_checks_free) struct resource_checks *c = NULL;
    struct resource_statement s;
    char part[32];
    (void)state;
    assert_int_equal(resource_checks_new("", "a1", &c), -EINVAL);
    assert_int_equal(resource_checks_new("alex", "a1", &c), 0);
    for (int i = 0; i < CHECKS_MAX; i++) {
        (void)snprintf(part, sizeof part, "dimm:%d", i);
        struct resource_check check = check_of("a", part, RESOURCE_UP, "", 0);
        assert_int_equal(resource_checks_state(c, &check, &s), 1);
    }
    struct resource_check more = check_of("a", "dimm:more", RESOURCE_UP, "", 0);
    assert_int_equal(resource_checks_state(c, &more, &s), -ENOSPC);
    struct resource_check none = check_of("a", "", RESOURCE_UP, "", 0);
    assert_int_equal(resource_checks_state(c, &none, &s), -EINVAL);
    none = check_of("a", ":7", RESOURCE_UP, "", 0);
    assert_int_equal(resource_checks_state(c, &none, &s), -EINVAL);
    char longer[600];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    struct resource_check cut = check_of("a", "dimm:1", RESOURCE_DOWN, longer, 1);
    assert_int_equal(resource_checks_state(c, &cut, &s), 1);
    assert_int_equal(s.reason.size, RESOURCE_REASON_BYTES_MAX);
}

static void a_name_may_end_with_a_colon(void **state)
{
    static const struct {
        const char *part, *component;
    } rows[] = {
        { "fan:1:", "alex/a1/fan:1\\x3A" },
        { "fan::", "alex/a1/fan:\\x3A" },
        { "fan::1::", "alex/a1/fan::1:\\x3A" },
        { "fan:a:b", "alex/a1/fan:a:b" },
    };
    AUTO(resource_checks_free) struct resource_checks *c = NULL;
    (void)state;
    assert_int_equal(resource_checks_new("alex", "a1", &c), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct resource_statement s;
        struct resource_check check = check_of("a", rows[i].part, RESOURCE_UP, "", 0);
        assert_int_equal(resource_checks_state(c, &check, &s), 1);
        assert_true(span_is(s.component, rows[i].component));
    }
}

/* Of jobs' mounts and devices that come and go others are stated for ever. */
static void what_is_up_and_is_not_checked_any_more_is_forgotten(void **state)
{
    AUTO(resource_checks_free) struct resource_checks *c = NULL;
    struct resource_statement s;
    char part[32];
    (void)state;
    assert_int_equal(resource_checks_new("alex", "a1", &c), 0);
    for (int round = 0; round < 3; round++) {
        int after_s = round * 2 * 3600;
        for (int i = 0; i < CHECKS_MAX - round; i++) {
            (void)snprintf(part, sizeof part, "mount:%d.%d", round, i);
            struct resource_check check =
                check_of("a", part, i ? RESOURCE_UP : RESOURCE_DOWN, "r", after_s);
            if (resource_checks_state(c, &check, &s) != 1)
                fail_msg("%s", part);
        }
        struct resource_check more =
            check_of("a", "dimm:more", RESOURCE_UP, "", after_s);
        assert_int_equal(resource_checks_state(c, &more, &s), -ENOSPC);
        more = check_of("a", "dimm:more", RESOURCE_UP, "", after_s + 7139);
        assert_int_equal(resource_checks_state(c, &more, &s), -ENOSPC);
    }
    /* What is bad has its place. */
    struct resource_check bad =
        check_of("a", "mount:0.0", RESOURCE_DOWN, "r", 4 * 3600);
    assert_int_equal(resource_checks_state(c, &bad, &s), 1);
    states(c, bad, "");
}

struct ended {
    size_t count;
    struct strbuf text;
};

static void on_ended(void *arg, const struct resource_statement *s)
{
    struct ended *ended = arg;
    assert_null(resource_statement_check(s));
    ended->count++;
    strbuf_addf(&ended->text, SPAN_FMT " %s " SPAN_FMT ";", SPAN_ARG(s->component),
                resource_health_name(s->health), SPAN_ARG(s->reason));
}

static void what_does_not_run_any_more_is_not_known(void **state)
{
    AUTO(resource_checks_free) struct resource_checks *c = NULL;
    struct ended ended = { 0 };
    (void)state;
    assert_int_equal(resource_checks_new("alex", "a1", &c), 0);
    states(c, check_of("a", "host", RESOURCE_UP, "", 0),
           "alex/a1 system:plugin:a@a1 up ");
    states(c, check_of("ab", "host", RESOURCE_UP, "", 0),
           "alex/a1 system:plugin:ab@a1 up ");
    struct resource_check end = check_of("a", "host", RESOURCE_UNKNOWN, "suspended", 5);
    resource_checks_end(c, &end, on_ended, &ended);
    resource_checks_end(c, &end, on_ended, &ended);
    assert_string_equal(strbuf_text(&ended.text), "alex/a1 unknown a: suspended;");
    states(c, check_of("a", "host", RESOURCE_UNKNOWN, "suspended", 6), "");
    states(c, check_of("a", "host", RESOURCE_DOWN, "1", 7),
           "alex/a1 system:plugin:a@a1 down a: 1");
    strbuf_done(&ended.text);
}

/* A device that is dead hangs its own check: that is no reason to use it. */
static void what_is_bad_stays_so_when_its_check_fails(void **state)
{
    AUTO(resource_checks_free) struct resource_checks *c = NULL;
    struct ended ended = { 0 };
    (void)state;
    assert_int_equal(resource_checks_new("alex", "a1", &c), 0);
    states(c, check_of("a", "host", RESOURCE_DOWN, "1", 0),
           "alex/a1 system:plugin:a@a1 down a: 1");
    states(c, check_of("a", "gpu:0", RESOURCE_DEGRADED, "hot", 0),
           "alex/a1/gpu:0 system:plugin:a@a1 degraded a: hot");
    states(c, check_of("a", "gpu:1", RESOURCE_UP, "", 0),
           "alex/a1/gpu:1 system:plugin:a@a1 up ");
    struct resource_check end = check_of("a", "host", RESOURCE_UNKNOWN, "suspended", 5);
    resource_checks_end(c, &end, on_ended, &ended);
    assert_string_equal(strbuf_text(&ended.text),
                        "alex/a1/gpu:1 unknown a: suspended;");
    /* Until it is removed on purpose. */
    strbuf_clear(&ended.text);
    end.health = RESOURCE_UP;
    resource_checks_end(c, &end, on_ended, &ended);
    assert_int_equal(ended.count, 4);
    strbuf_done(&ended.text);
}

/* What was stated did not reach the disk. */
static void what_was_lost_is_stated_again(void **state)
{
    AUTO(resource_checks_free) struct resource_checks *c = NULL;
    struct ended ended = { 0 };
    (void)state;
    assert_int_equal(resource_checks_new("alex", "a1", &c), 0);
    states(c, check_of("a", "host", RESOURCE_DOWN, "full", 0),
           "alex/a1 system:plugin:a@a1 down a: full");
    states(c, check_of("b", "dimm:1", RESOURCE_UP, "", 0),
           "alex/a1/dimm:1 system:plugin:b@a1 up ");
    resource_checks_again(c, start_ns + 5 * NS_PER_S, on_ended, &ended);
    assert_string_equal(strbuf_text(&ended.text), "alex/a1/dimm:1 up ;");
    states(c, check_of("a", "host", RESOURCE_DOWN, "full", 10),
           "alex/a1 system:plugin:a@a1 down a: full");
    states(c, check_of("a", "host", RESOURCE_DOWN, "full", 20), "");
    states(c, check_of("b", "dimm:1", RESOURCE_UP, "", 20), "");
    strbuf_done(&ended.text);
}

/* barod stores nothing that is not later than what it has of the source. */
static void what_is_stated_is_later_than_before_whatever_the_clock(void **state)
{
    AUTO(resource_checks_free) struct resource_checks *c = NULL;
    struct resource_statement s;
    (void)state;
    assert_int_equal(resource_checks_new("alex", "a1", &c), 0);
    struct resource_check check = check_of("a", "host", RESOURCE_DOWN, "1", 1000);
    assert_int_equal(resource_checks_state(c, &check, &s), 1);
    assert_int_equal(s.t_ns, check.t_ns);
    int64_t last_ns = s.t_ns;
    check = check_of("a", "host", RESOURCE_UP, "", 10);
    assert_int_equal(resource_checks_state(c, &check, &s), 1);
    assert_true(s.t_ns > last_ns);
    last_ns = s.t_ns;
    check = check_of("a", "host", RESOURCE_UNKNOWN, "2", 20);
    assert_int_equal(resource_checks_state(c, &check, &s), 1);
    assert_true(s.t_ns > last_ns);
    check = check_of("a", "host", RESOURCE_UP, "", 2000);
    assert_int_equal(resource_checks_state(c, &check, &s), 1);
    assert_int_equal(s.t_ns, check.t_ns);
}

static void what_flaps_is_degraded_until_it_is_steady(void **state)
{
    AUTO(resource_checks_free) struct resource_checks *c = NULL;
    (void)state;
    assert_int_equal(resource_checks_new("alex", "a1", &c), 0);
#define A1 "alex/a1 system:plugin:a@a1 "
    states(c, check_of("a", "host", RESOURCE_UP, "", 0), A1 "up ");
    states(c, check_of("a", "host", RESOURCE_DEGRADED, "x", 60), A1 "degraded a: x");
    /* Worse and worse is not unsteady. */
    states(c, check_of("a", "host", RESOURCE_DOWN, "x", 120), A1 "down a: x");
    states(c, check_of("a", "host", RESOURCE_UP, "", 180), A1 "up ");
    states(c, check_of("a", "host", RESOURCE_UNKNOWN, "hung", 240),
           A1 "unknown a: hung");
    states(c, check_of("a", "host", RESOURCE_UP, "", 300), A1 "up ");
    states(c, check_of("a", "host", RESOURCE_DOWN, "x", 360),
           A1 "degraded a: unsteady, 1 times bad again within the hour");
    for (int t = 420; t < 1500; t += 120) {
        states(c, check_of("a", "host", RESOURCE_UP, "", t), "");
        if (t + 60 - 360 < 600)
            states(c, check_of("a", "host", RESOURCE_DOWN, "x", t + 60), "");
        else
            break;
    }
    /* The reason alone, at most every ten minutes. */
    states(c, check_of("a", "host", RESOURCE_DOWN, "x", 1000),
           A1 "degraded a: unsteady, 6 times bad again within the hour");
    states(c, check_of("a", "host", RESOURCE_DOWN, "x", 1299), "");
    states(c, check_of("a", "host", RESOURCE_DOWN, "x", 1300), A1 "down a: x");
    states(c, check_of("a", "host", RESOURCE_UP, "", 1360), A1 "up ");
    states(c, check_of("a", "host", RESOURCE_DOWN, "x", 1360 + 3600), A1 "down a: x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_stated_once),
        cmocka_unit_test(what_goes_on_is_stated_again_after_a_while),
        cmocka_unit_test(what_is_no_name_or_too_much_is_not_stated),
        cmocka_unit_test(a_name_may_end_with_a_colon),
        cmocka_unit_test(what_is_up_and_is_not_checked_any_more_is_forgotten),
        cmocka_unit_test(what_does_not_run_any_more_is_not_known),
        cmocka_unit_test(what_is_bad_stays_so_when_its_check_fails),
        cmocka_unit_test(what_was_lost_is_stated_again),
        cmocka_unit_test(what_is_stated_is_later_than_before_whatever_the_clock),
        cmocka_unit_test(what_flaps_is_degraded_until_it_is_steady),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
