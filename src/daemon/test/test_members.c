/* SPDX-License-Identifier: Apache-2.0 */
/* test_members - who is online, from the session's thread to that of presence. */
#include "daemon/health/members.h"

#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

static void on_name(void *arg, struct span host, bool is_online)
{
    strbuf_addf(arg, "%c" SPAN_FMT " ", is_online ? '+' : '-', SPAN_ARG(host));
}

static void members_are(struct members *m, int64_t s, const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    members_each(m, s * NS_PER_S, on_name, &out);
    assert_string_equal(strbuf_text(&out), want);
}

static void note(struct members *m, int64_t s, uint32_t first, uint32_t last)
{
    AUTO(rank_set_done) struct rank_set online = { 0 };
    assert_int_equal(rank_set_add(&online, first, last), 0);
    members_note(m, &online, s * NS_PER_S);
}

static struct members *made(void)
{
    AUTO(hostset_free) struct hostset *hosts = NULL;
    struct members *m = NULL;
    assert_int_equal(hostset_parse(SPAN("n[0-4]"), &hosts, NULL), 0);
    const struct members_of of = { hosts, 0, 60 * NS_PER_S };
    assert_int_equal(members_new(&m), 0);
    assert_int_equal(members_begin(m, &of), 0);
    return m; /* it has the names */
}

static void who_is_online_is_named_and_who_was_lost_once(void **state)
{
    AUTO(members_free) struct members *m = made();
    (void)state;
    members_are(m, 1, "");
    note(m, 2, 0, 3);
    members_are(m, 3, "+n1 +n2 +n3 ");
    members_are(m, 4, "+n1 +n2 +n3 ");
    note(m, 5, 0, 2);
    members_are(m, 6, "+n1 +n2 -n3 ");
    members_are(m, 7, "+n1 +n2 ");
    /* Back before it was missed. */
    note(m, 8, 0, 0);
    note(m, 9, 0, 4);
    members_are(m, 10, "+n1 +n2 +n3 +n4 ");
}

/* The session's thread may hang: then it is not known. */
static void what_is_not_noted_again_holds_for_a_time(void **state)
{
    AUTO(members_free) struct members *m = made();
    (void)state;
    note(m, 10, 0, 1);
    members_are(m, 69, "+n1 ");
    members_are(m, 70, "");
    note(m, 80, 0, 2);
    members_are(m, 81, "+n1 +n2 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_online_is_named_and_who_was_lost_once),
        cmocka_unit_test(what_is_not_noted_again_holds_for_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
