/* SPDX-License-Identifier: Apache-2.0 */
/* test_sender_quota - shares of what a store may hold, sender by sender. */
#include "base/number.h"
#include "base/span.h"
#include "base/table/table.h"
#include "base/test/testing.h"
#include "ingest/sender_quota.h"

#include <errno.h>

#define HOUR (3600 * NS_PER_S)

static const struct sender_quota_opts small = {
    .host = { .series = 2, .metrics = 1, .keys = 2 },
    .shared = { .series = 4, .metrics = 100, .keys = 4 },
    .single = { .series = 3, .metrics = 100, .keys = 3 },
    .series_open = 100,
    .metrics_per_hour = 6,
};

static struct sender_quota *quota_of(const struct sender_quota_opts *opts)
{
    struct sender_quota *quota = NULL;
    assert_int_equal(sender_quota_new(opts, &quota), 0);
    return quota;
}

static int charge(struct sender_account *account, unsigned what, const char *metric,
                  int64_t now_ns)
{
    return sender_account_charge(account, what, span_of(metric), now_ns);
}

static void one_sender_never_takes_what_is_anothers(void **state)
{
    AUTO(sender_quota_free) struct sender_quota *quota = quota_of(&small);
    struct sender_account *a = sender_quota_account(quota, SPAN("host a"), SENDER_HOST);
    struct sender_account *b = sender_quota_account(quota, SPAN("host b"), SENDER_HOST);
    (void)state;
    assert_int_equal(charge(a, SENDER_NEW_SERIES | SENDER_NEW_METRIC, "m", 1), 0);
    assert_int_equal(charge(a, SENDER_NEW_METRIC, "n", 1), -EDQUOT);
    assert_int_equal(charge(a, SENDER_NEW_SERIES, "m", 1), 0);
    assert_int_equal(charge(a, SENDER_NEW_SERIES, "m", 1), -EDQUOT);
    assert_int_equal(charge(b, SENDER_NEW_SERIES | SENDER_NEW_METRIC, "n", 1), 0);
    assert_ptr_equal(sender_quota_account(quota, SPAN("host a"), SENDER_HOST), a);
}

static void an_administrator_is_counted_and_never_refused(void **state)
{
    AUTO(sender_quota_free) struct sender_quota *quota = quota_of(&small);
    struct sender_account *a = sender_quota_account(quota, SPAN("uid 0"), SENDER_ADMIN);
    struct sender_quota_stats stats;
    AUTO(table_done) struct table table;
    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_int_equal(charge(a, SENDER_NEW_SERIES | SENDER_NEW_METRIC, "m", 1), 0);
    sender_quota_stats(quota, &stats);
    assert_int_equal(stats.senders, 1);
    assert_int_equal(stats.refused_share + stats.refused_rate + stats.refused_name, 0);
    table_init(&table);
    sender_quota_report(quota, &table);
    assert_int_equal(table_at(&table, 0, 1)->u64, 1000);
    assert_true(table_at(&table, 0, 2)->is_null);
}

static void new_metrics_come_back_evenly_within_the_hour(void **state)
{
    AUTO(sender_quota_free) struct sender_quota *quota = quota_of(&small);
    struct sender_account *a =
        sender_quota_account(quota, SPAN("nats x"), SENDER_SHARED);
    int64_t now_ns = 5 * HOUR;
    (void)state;
    for (int i = 0; i < 6; i++)
        assert_int_equal(charge(a, SENDER_NEW_METRIC, "m", now_ns), 0);
    assert_int_equal(charge(a, SENDER_NEW_METRIC, "m", now_ns), -EAGAIN);
    int64_t wait_ns = sender_account_wait_ns(a, now_ns);
    assert_in_range(wait_ns, HOUR / 6 - NS_PER_S, HOUR / 6 + NS_PER_S);
    assert_int_equal(charge(a, SENDER_NEW_METRIC, "m", now_ns + wait_ns - NS_PER_S),
                     -EAGAIN);
    assert_int_equal(charge(a, SENDER_NEW_METRIC, "m", now_ns + wait_ns), 0);
    /* Series of metrics that exist are not of that bucket. */
    assert_int_equal(charge(a, SENDER_NEW_SERIES, "m", now_ns + wait_ns), 0);
    /* Never more than an hour's worth, however long it was silent. */
    now_ns += 100 * HOUR;
    for (int i = 0; i < 6; i++)
        assert_int_equal(charge(a, SENDER_NEW_METRIC, "m", now_ns), 0);
    assert_int_equal(charge(a, SENDER_NEW_METRIC, "m", now_ns), -EAGAIN);
}

static void a_site_that_starts_to_send_has_all_its_names_at_once(void **state)
{
    struct sender_quota_opts opts = small;
    (void)state;
    opts.shared.metrics_first = 50;
    AUTO(sender_quota_free) struct sender_quota *quota = quota_of(&opts);
    AUTO(sender_quota_free) struct sender_quota *after = quota_of(&opts);
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    struct sender_account *a =
        sender_quota_account(quota, SPAN("nats x"), SENDER_SHARED);
    /* What could not be created is no part of it. */
    assert_int_equal(charge(a, SENDER_NEW_METRIC, "m", 1), 0);
    sender_account_refund(a, SENDER_NEW_METRIC);
    for (int i = 0; i < 50 + 6; i++)
        assert_int_equal(charge(a, SENDER_NEW_METRIC, "m", 1), 0);
    assert_int_equal(charge(a, SENDER_NEW_METRIC, "m", 1), -EAGAIN);
    /* Nor is there a second one after a restart. */
    sender_quota_print(quota, &text);
    assert_int_equal(sender_quota_parse(after, strbuf_span(&text), &err), 0);
    a = sender_quota_account(after, SPAN("nats x"), SENDER_SHARED);
    for (int i = 0; i < 6; i++)
        assert_int_equal(charge(a, SENDER_NEW_METRIC, "m", 1), 0);
    assert_int_equal(charge(a, SENDER_NEW_METRIC, "m", 1), -EAGAIN);
}

/* What an exporter says is under its host's control. */
static void an_exporter_has_less_than_a_gateway(void **state)
{
    struct sender_quota_opts opts = small;
    (void)state;
    opts.shared.metrics_first = 50;
    AUTO(sender_quota_free) struct sender_quota *quota = quota_of(&opts);
    AUTO(sender_quota_free) struct sender_quota *after = quota_of(&opts);
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    struct sender_account *a =
        sender_quota_account(quota, SPAN("scrape x http://h:1/"), SENDER_SINGLE);
    for (int i = 0; i < 6; i++)
        assert_int_equal(charge(a, SENDER_NEW_METRIC, "m", 1), 0);
    assert_int_equal(charge(a, SENDER_NEW_METRIC, "m", 1), -EAGAIN);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(charge(a, SENDER_NEW_SERIES, "m", 1), 0);
        assert_true(sender_account_take_key(a));
    }
    assert_int_equal(charge(a, SENDER_NEW_SERIES, "m", 1), -EDQUOT);
    assert_false(sender_account_take_key(a));
    sender_quota_print(quota, &text);
    assert_string_equal(strbuf_text(&text), "3 6 single scrape x http://h:1/\n");
    assert_int_equal(sender_quota_parse(after, strbuf_span(&text), &err), 0);
    a = sender_quota_account(after, SPAN("scrape x http://h:1/"), SENDER_SINGLE);
    assert_int_equal(charge(a, SENDER_NEW_SERIES, "m", 1), -EDQUOT);
    /* One that an earlier barod took for a gateway. */
    const struct span old = SPAN("4 0 shared scrape y http://h:1/\n");
    assert_int_equal(sender_quota_parse(after, old, &err), 0);
    a = sender_quota_account(after, SPAN("scrape y http://h:1/"), SENDER_SINGLE);
    AUTO(table_done) struct table table;
    table_init(&table);
    sender_quota_report(after, &table);
    assert_int_equal(table_at(&table, 0, 2)->u64, 3);
}

static void the_last_series_are_for_senders_with_few(void **state)
{
    struct sender_quota_opts opts = small;
    (void)state;
    opts.shared.series = opts.series_open = 10;
    AUTO(sender_quota_free) struct sender_quota *quota = quota_of(&opts);
    struct sender_account *gateways[] = {
        sender_quota_account(quota, SPAN("token x"), SENDER_SHARED),
        sender_quota_account(quota, SPAN("token y"), SENDER_SHARED),
    };
    struct sender_account *host =
        sender_quota_account(quota, SPAN("host a"), SENDER_HOST);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(charge(gateways[i % 2], SENDER_NEW_SERIES, "m", 1), 0);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(charge(gateways[i], SENDER_NEW_SERIES, "m", 1), -EDQUOT);
    assert_int_equal(charge(host, SENDER_NEW_SERIES, "m", 1), 0);
    assert_int_equal(charge(host, SENDER_NEW_SERIES, "m", 1), 0);
    assert_int_equal(charge(host, SENDER_NEW_SERIES, "m", 1), -EDQUOT);
    /* What one could not create after all another may. */
    sender_account_refund(gateways[0], SENDER_NEW_SERIES);
    sender_account_refund(host, SENDER_NEW_SERIES);
    sender_account_refund(host, SENDER_NEW_SERIES);
    assert_int_equal(charge(gateways[1], SENDER_NEW_SERIES, "m", 1), 0);
}

static uint64_t stored(void *arg)
{
    return *(const uint64_t *)arg;
}

static void series_of_no_account_leave_the_reserve_as_it_is(void **state)
{
    struct sender_quota_opts opts = small;
    uint64_t count = 9;
    (void)state;
    opts.shared.series = opts.series_open = 10;
    opts.stored_series = stored;
    opts.arg = &count;
    AUTO(sender_quota_free) struct sender_quota *quota = quota_of(&opts);
    struct sender_account *gateway =
        sender_quota_account(quota, SPAN("token x"), SENDER_SHARED);
    struct sender_account *host =
        sender_quota_account(quota, SPAN("host a"), SENDER_HOST);
    for (int i = 0; i < 3; i++)
        assert_int_equal(charge(gateway, SENDER_NEW_SERIES, "m", 1), 0);
    count = 10;
    assert_int_equal(charge(gateway, SENDER_NEW_SERIES, "m", 1), -EDQUOT);
    assert_int_equal(charge(host, SENDER_NEW_SERIES, "m", 1), 0);
    /* What was charged and is not there yet counts, too. */
    count = 0;
    for (int i = 0; i < 6; i++)
        assert_int_equal(charge(gateway, SENDER_NEW_SERIES, "m", 1), 0);
    assert_int_equal(charge(gateway, SENDER_NEW_SERIES, "m", 1), -EDQUOT);
}

static void what_could_not_be_created_is_given_back(void **state)
{
    AUTO(sender_quota_free) struct sender_quota *quota = quota_of(&small);
    struct sender_account *a = sender_quota_account(quota, SPAN("host a"), SENDER_HOST);
    (void)state;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(charge(a, SENDER_NEW_SERIES | SENDER_NEW_METRIC, "m", 1), 0);
        sender_account_refund(a, SENDER_NEW_SERIES | SENDER_NEW_METRIC);
    }
}

static void the_administrators_lists_decide_over_new_names(void **state)
{
    static const char *allow[] = { "node_*", "cpu" };
    static const char *deny[] = { "node_secret*" };
    static const struct {
        const char *metric;
        int rc;
    } cases[] = {
        { "node_load", 0 },          { "cpu", 0 }, { "cpu0", -EPERM }, { "", -EPERM },
        { "node_secret_1", -EPERM },
    };
    struct sender_quota_opts opts = small;
    (void)state;
    opts.allow = (struct config_list){ allow, COUNT_OF(allow) };
    opts.deny = (struct config_list){ deny, COUNT_OF(deny) };
    AUTO(sender_quota_free) struct sender_quota *quota = quota_of(&opts);
    struct sender_account *a =
        sender_quota_account(quota, SPAN("token x"), SENDER_SHARED);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(charge(a, SENDER_NEW_METRIC, cases[i].metric, 1), cases[i].rc);
    /* A series of a metric that exists is none of their business. */
    assert_int_equal(charge(a, SENDER_NEW_SERIES, "other", 1), 0);
}

static void lookup_keys_have_their_share_too(void **state)
{
    AUTO(sender_quota_free) struct sender_quota *quota = quota_of(&small);
    struct sender_account *a = sender_quota_account(quota, SPAN("host a"), SENDER_HOST);
    (void)state;
    assert_true(sender_account_take_key(a));
    assert_true(sender_account_take_key(a));
    assert_false(sender_account_take_key(a));
}

static void a_restart_gives_nobody_a_second_share(void **state)
{
    AUTO(sender_quota_free) struct sender_quota *before = quota_of(&small);
    AUTO(sender_quota_free) struct sender_quota *after = quota_of(&small);
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT, again = STRBUF_INIT;
    struct err err = { 0 };
    (void)state;
    struct sender_account *a =
        sender_quota_account(before, SPAN("host a"), SENDER_HOST);
    assert_int_equal(charge(a, SENDER_NEW_SERIES, "m", 1), 0);
    assert_int_equal(charge(a, SENDER_NEW_SERIES, "m", 1), 0);
    struct sender_account *s =
        sender_quota_account(before, SPAN("scrape x http://h:1/a b"), SENDER_SHARED);
    assert_int_equal(charge(s, SENDER_NEW_SERIES | SENDER_NEW_METRIC, "m", 1), 0);
    sender_quota_print(before, &text);
    assert_string_equal(strbuf_text(&text),
                        "2 0 host host a\n1 1 shared scrape x http://h:1/a b\n");
    assert_int_equal(sender_quota_parse(after, strbuf_span(&text), &err), 0);
    a = sender_quota_account(after, SPAN("host a"), SENDER_HOST);
    assert_int_equal(charge(a, SENDER_NEW_SERIES, "m", 1), -EDQUOT);
    sender_quota_print(after, &again);
    assert_string_equal(strbuf_text(&again), strbuf_text(&text));
}

/* A long one is saved as it is known. */
static void a_name_is_cut_before_it_is_an_account(void **state)
{
    AUTO(sender_quota_free) struct sender_quota *before = quota_of(&small);
    AUTO(sender_quota_free) struct sender_quota *after = quota_of(&small);
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    char name[2 * SENDER_NAME_MAX];
    struct err err = { 0 };
    (void)state;
    memset(name, 'n', sizeof name);
    const struct span whole = { name, sizeof name };
    struct sender_account *a = sender_quota_account(before, whole, SENDER_HOST);
    assert_int_equal(strlen(sender_account_name(a)), SENDER_NAME_MAX);
    assert_ptr_equal(sender_quota_account(before, whole, SENDER_HOST), a);
    assert_int_equal(charge(a, SENDER_NEW_SERIES, "m", 1), 0);
    sender_quota_print(before, &text);
    assert_int_equal(sender_quota_parse(after, strbuf_span(&text), &err), 0);
    struct sender_quota_stats stats;
    sender_quota_stats(after, &stats);
    assert_int_equal(stats.senders, 1);
}

static void a_damaged_line_costs_that_line(void **state)
{
    static const char *const texts[] = {
        "1 1 host a\nx 1 host b\n",  "1 1 host a\n1 1 nobody b\n", "1 1 host a\n1 1\n",
        "1 1 host a\n1 -1 host b\n", "1 1 host a\n1 1 host \n",
    };
    struct err err = { 0 };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO(sender_quota_free) struct sender_quota *quota = quota_of(&small);
        assert_int_equal(sender_quota_parse(quota, span_of(texts[i]), &err), -EBADMSG);
        assert_non_null(strstr(err.text, "line 2"));
    }
    AUTO(sender_quota_free) struct sender_quota *quota = quota_of(&small);
    struct span text = SPAN("1 1 host a\nx\n2 0 host host b\ny\n");
    assert_int_equal(sender_quota_parse(quota, text, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "line 2 (and 1 others)"));
    struct sender_account *b = sender_quota_account(quota, SPAN("host b"), SENDER_HOST);
    assert_int_equal(charge(b, SENDER_NEW_SERIES, "m", 1), -EDQUOT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_sender_never_takes_what_is_anothers),
        cmocka_unit_test(an_administrator_is_counted_and_never_refused),
        cmocka_unit_test(new_metrics_come_back_evenly_within_the_hour),
        cmocka_unit_test(a_site_that_starts_to_send_has_all_its_names_at_once),
        cmocka_unit_test(an_exporter_has_less_than_a_gateway),
        cmocka_unit_test(the_last_series_are_for_senders_with_few),
        cmocka_unit_test(series_of_no_account_leave_the_reserve_as_it_is),
        cmocka_unit_test(what_could_not_be_created_is_given_back),
        cmocka_unit_test(the_administrators_lists_decide_over_new_names),
        cmocka_unit_test(lookup_keys_have_their_share_too),
        cmocka_unit_test(a_restart_gives_nobody_a_second_share),
        cmocka_unit_test(a_name_is_cut_before_it_is_an_account),
        cmocka_unit_test(a_damaged_line_costs_that_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
