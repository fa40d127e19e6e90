/* SPDX-License-Identifier: Apache-2.0 */
/* test_past_health - the health that hosts had: of a database with a short history. */
#include "base/number.h"
#include "base/span.h"
#include "base/system/budget.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"
#include "query/health/health.h"

#define NOW_MS INT64_C(1700000000000)
#define T(s) ((NOW_MS / MS_PER_S - 1000 + (s)) * NS_PER_S)

static struct resource_statement stated(const char *component, const char *source,
                                        enum resource_health health, const char *reason,
                                        int64_t t_ns)
{
    return (struct resource_statement){ .component = span_of(component),
                                        .source = span_of(source),
                                        .reason = span_of(reason),
                                        .health = health,
                                        .t_ns = t_ns };
}

static int print_host(void *arg, const struct past_health *h)
{
    struct strbuf *out = arg;
    strbuf_addf(out, "%zu %s ", h->time, h->host);
    if (h->is_known)
        strbuf_addf(out, "%s " SPAN_FMT, resource_health_name(h->health),
                    SPAN_ARG(h->reason));
    else
        strbuf_addc(out, '-');
    strbuf_addc(out, '\n');
    return 0;
}

static void fill(struct records *records)
{
    const struct resource_statement statements[] = {
        stated("alex/a1", "system:ping", RESOURCE_UP, "", T(0)),
        stated("alex/a2", "system:ping", RESOURCE_UP, "", T(0)),
        stated("alex/a10", "system:ping", RESOURCE_DOWN, "another host", T(0)),
        stated("alex/a2/dimm:0", "system:edac", RESOURCE_DEGRADED, "14 errors", T(50)),
        stated("alex/a1", "system:ping", RESOURCE_DOWN, "no response", T(150)),
        stated("alex/a1", "system:ping", RESOURCE_UP, "", T(300)),
    };
    for (size_t i = 0; i < COUNT_OF(statements); i++) {
        struct records_submission submission;
        struct err err = { 0 };
        if (records_put_resources(records, &statements[i], 1, NOW_MS, &submission,
                                  &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(submission.accepted + submission.changed, 1);
    }
}

struct fixture {
    struct records *records;
    struct records_reader *reader;
    struct hostset *hosts;
    struct config *config;
    struct site *site;
    struct err err;
};

static void fixture_open(struct fixture *f, const char *hosts,
                         void (*put)(struct records *))
{
    const struct config_section sections[] = { records_config_section,
                                               site_config_section };
    struct records_opts opts = { 0 };
    struct err err = { 0 };
    *f = (struct fixture){ .records = NULL };
    assert_int_equal(config_parse("test", (struct span){ NULL, 0 }, sections,
                                  COUNT_OF(sections), &f->config, &err),
                     0);
    assert_int_equal(site_new(f->config, &f->site, &err), 0);
    assert_int_equal(config_fill(f->config, "records", NULL, &opts, &err), 0);
    opts.path = scratch_path(hosts);
    if (records_open(&opts, f->site, &f->records, &err) < 0)
        fail_msg("%s", err.text);
    put(f->records);
    assert_int_equal(records_reader_open(f->records, &f->reader, &err), 0);
    assert_int_equal(hostset_parse(span_of(hosts), &f->hosts, &err), 0);
}

static void fixture_close(struct fixture *f)
{
    records_reader_close(f->reader);
    records_close(f->records);
    hostset_free(f->hosts);
    config_free(f->config);
    site_free(f->site);
}

static void what_was_stated_until_then_counts(void **state)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct fixture f;
    struct err err = { 0 };
    (void)state;
    fixture_open(&f, "a[1-3]", fill);
    const struct past_health_query query = { .cluster = SPAN("alex"),
                                             .hosts = f.hosts,
                                             .times_ns = { T(10), T(200) },
                                             .time_count = 2 };
    if (past_health_read(f.reader, &query, print_host, &text, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(strbuf_text(&text), "0 a1 up \n"
                                            "0 a2 up \n"
                                            "0 a3 -\n"
                                            "1 a1 down no response\n"
                                            "1 a2 degraded 14 errors\n"
                                            "1 a3 -\n");
    fixture_close(&f);
}

static void put_much(struct records *records)
{
    static struct resource_statement much[1100];
    const struct resource_statement bad =
        stated("alex/a2/dimm:0", "system:edac", RESOURCE_DEGRADED, "14 errors", T(0));
    struct records_submission submission;
    struct err err = { 0 };
    for (size_t i = 0; i < COUNT_OF(much); i++)
        much[i] =
            stated("alex/a2/link:0", "system:ib", i % 2 ? RESOURCE_UP : RESOURCE_DOWN,
                   "flaps", T(20) + (int64_t)i * NS_PER_MS);
    fill(records);
    assert_int_equal(records_put_resources(records, &bad, 1, NOW_MS, &submission, &err),
                     0);
    assert_int_equal(
        records_put_resources(records, much, COUNT_OF(much), NOW_MS, &submission, &err),
        0);
    assert_int_equal(submission.accepted + submission.changed, COUNT_OF(much));
}

/* What was bad at the start is behind so many changes that it is not read. */
static void a_host_of_too_many_changes_is_unknown(void **state)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct fixture f;
    struct err err = { 0 };
    (void)state;
    fixture_open(&f, "a[1-2]", put_much);
    const struct past_health_query query = { .cluster = SPAN("alex"),
                                             .hosts = f.hosts,
                                             .times_ns = { T(10), T(200) },
                                             .time_count = 2 };
    if (past_health_read(f.reader, &query, print_host, &text, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(strbuf_text(&text),
                        "0 a1 up \n"
                        "0 a2 unknown it has more changes than are read\n"
                        "1 a1 down no response\n"
                        "1 a2 unknown it has more changes than are read\n");
    fixture_close(&f);
}

static int count_host(void *arg, const struct past_health *h)
{
    size_t *counts = arg;
    counts[h->time]++;
    return 0;
}

static void of_many_hosts_those_that_are_read_are_reported(void **state)
{
    size_t counts[2] = { 0 };
    struct fixture f;
    struct err err = { 0 };
    (void)state;
    fixture_open(&f, "a[1-16390]", fill);
    const struct past_health_query query = { .cluster = SPAN("alex"),
                                             .hosts = f.hosts,
                                             .times_ns = { T(10), T(200) },
                                             .time_count = 2 };
    assert_int_equal(past_health_read(f.reader, &query, count_host, counts, &err), 0);
    assert_int_equal(counts[0], PAST_HEALTH_HOSTS_MAX);
    assert_int_equal(counts[1], PAST_HEALTH_HOSTS_MAX);
    fixture_close(&f);
}

/* All of a large job's, unless time is over: then the first ones, and how many. */
static void of_a_large_job_all_are_read_that_time_allows(void **state)
{
    size_t counts[2] = { 0 }, read = 0;
    struct fixture f;
    struct err err = { 0 };
    (void)state;
    fixture_open(&f, "a[1-3000]", fill);
    struct past_health_query query = { .cluster = SPAN("alex"),
                                       .hosts = f.hosts,
                                       .times_ns = { T(10), T(200) },
                                       .time_count = 2,
                                       .ret_read = &read };
    assert_int_equal(past_health_read(f.reader, &query, count_host, counts, &err), 0);
    assert_int_equal(read, 3000);
    assert_int_equal(counts[0], 3000);
    query.spend_ns = 1;
    counts[0] = counts[1] = 0;
    assert_int_equal(past_health_read(f.reader, &query, count_host, counts, &err), 0);
    assert_in_range(read, 1, 2999);
    assert_int_equal(counts[0], read);
    assert_int_equal(counts[1], read);
    fixture_close(&f);
}

static int stop_third(void *arg)
{
    int *calls = arg;
    return ++*calls == 3 ? -ETIMEDOUT : 0;
}

static void the_watch_is_called_for_each_host(void **state)
{
    size_t counts[2] = { 0 };
    int calls = 0;
    struct fixture f;
    struct err err = { 0 };
    (void)state;
    fixture_open(&f, "a[1-9]", fill);
    const struct past_health_query query = { .cluster = SPAN("alex"),
                                             .hosts = f.hosts,
                                             .times_ns = { T(10) },
                                             .time_count = 1,
                                             .watch = stop_third,
                                             .watch_arg = &calls };
    assert_int_equal(past_health_read(f.reader, &query, count_host, counts, &err),
                     -ETIMEDOUT);
    assert_int_equal(calls, 3);
    fixture_close(&f);
}

static void what_is_held_is_of_the_budget(void **state)
{
    size_t counts[2] = { 0 };
    struct budget_account small, large;
    struct budget_hold hold = { .account = &small, .owner = 1 };
    struct fixture f;
    struct err err = { 0 };
    (void)state;
    budget_account_init(&small, "small", BUDGET_STEP_BYTES);
    budget_account_init(&large, "large", 64 * BUDGET_STEP_BYTES);
    fixture_open(&f, "a[1-4]", fill);
    const struct past_health_query query = { .cluster = SPAN("alex"),
                                             .hosts = f.hosts,
                                             .times_ns = { T(10), T(200) },
                                             .time_count = 2,
                                             .hold = &hold };
    assert_int_equal(past_health_read(f.reader, &query, count_host, counts, &err),
                     -EAGAIN);
    assert_int_equal(hold.bytes, 0);
    hold = (struct budget_hold){ .account = &large, .owner = 1 };
    assert_int_equal(past_health_read(f.reader, &query, count_host, counts, &err), 0);
    assert_int_equal(counts[1], 4);
    assert_int_equal(large.peak_bytes, BUDGET_STEP_BYTES);
    assert_int_equal(hold.bytes, 0);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_stated_until_then_counts),
        cmocka_unit_test(a_host_of_too_many_changes_is_unknown),
        cmocka_unit_test(of_many_hosts_those_that_are_read_are_reported),
        cmocka_unit_test(of_a_large_job_all_are_read_that_time_allows),
        cmocka_unit_test(the_watch_is_called_for_each_host),
        cmocka_unit_test(what_is_held_is_of_the_budget),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
