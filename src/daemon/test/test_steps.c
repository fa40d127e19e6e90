/* SPDX-License-Identifier: Apache-2.0 */
/* test_steps - the rooms of barod are started, joined and stopped; what a start
 * refuses, a check refuses.
 */
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "daemon/check.h"
#include "daemon/own_metrics.h"
#include "daemon/test/house.h"

#include <errno.h>

#define STORE "[store]\ndirectory = none\n[metric load]\nstep = 10s\n"

static struct house house;

static void expect_body(const char *part)
{
    if (!strstr(strbuf_text(&house.response.body), part))
        fail_msg("no %s in %.2000s", part, strbuf_text(&house.response.body));
}

static void start(const char *name, const char *more)
{
    struct err err = { 0 };
    house_load(&house, scratch_path(name), more);
    int rc = house_start(&house, &err);
    if (rc < 0)
        fail_msg("%s: %d %s", name, rc, err.text);
}

static void a_batch_goes_from_a_socket_into_the_records_and_memory(void **state)
{
    static const char batch[] =
        "{\"format\":\"baro-jobstats-1\","
        "\"agent\":\"3f9182f6-f8c2-4334-9656-c65d4c4438a1\",\"sequence\":1,"
        "\"server\":\"oss01\",\"targets\":[{\"target\":\"s-OST0001\",\"kind\":\"ost\","
        "\"timestamp\":\"%s\",\"entries\":[{\"entry_id\":\"a\",\"since\":null,"
        "\"previous\":null,\"reset\":false,\"snapshot_time\":1669010520,"
        "\"start_time\":null,\"ops\":{\"write_bytes\":{\"samples\":1,"
        "\"unit\":\"bytes\",\"sum\":5,\"min\":1,\"max\":1}}}]}]}";
    char text[1000], at[40];
    time_t now = time(NULL);
    struct tm tm;
    (void)state;
    assert_true(strftime(at, sizeof at, "%FT%TZ", gmtime_r(&now, &tm)) > 0);
    /* NOLINTNEXTLINE: the form is a literal */
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(strstr(batch, "%s") - batch),
                   batch, at, strstr(batch, "%s") + 2);
    start("batch", "");
    assert_int_equal(house_post(&house, "/v1/jobstats", "application/json", text), 200);
    expect_body("\"accepted\":1,\"duplicate\":0,\"refused\":0,\"replayed\":false");
    assert_int_equal(house_post(&house, "/v1/jobstats", "application/json", text), 200);
    expect_body("\"replayed\":true");
    assert_int_equal(house_get(&house, "/metrics"), 200);
    expect_body("\nbaro_ingest_rows_accepted_total 1\n");
    expect_body("\nbaro_query_live_rows_total 1\n");
    assert_int_equal(house_get(&house, "/healthz"), 200);
    house_stop(&house);
}

static void jobs_are_new_changed_or_refused(void **state)
{
    (void)state;
    start("jobs", "");
    unsigned status =
        house_post(&house, "/v1/jobs", "application/x-ndjson",
                   "{\"cluster\":\"c\",\"id\":\"7\",\"user\":\"u\","
                   "\"start\":1767225600,\"nodes\":\"n1\",\"state\":\"RUNNING\"}\n");
    if (status != 200)
        fail_msg("%u %s", status, strbuf_text(&house.response.body));
    expect_body("\"accepted\":1");
    (void)house_post(&house, "/v1/jobs", "application/x-ndjson",
                     "{\"cluster\":\"c\",\"id\":\"7\",\"user\":\"u\","
                     "\"start\":1767225600,\"nodes\":\"n1\",\"state\":\"RUNNING\"}\n"
                     "{\"cluster\":\"c\"}\n");
    expect_body("\"duplicate\":1");
    expect_body("\"refused\":1");
    house_stop(&house);
}

static void lines_go_into_the_store_and_own_metrics_too(void **state)
{
    struct own_metrics *own = NULL;
    struct err err = { 0 };
    (void)state;
    start("store", STORE);
    struct daemon_parts *parts = &house.d.parts;
    assert_non_null(parts->store);
    assert_int_equal(house_post(&house, "/api/write", "text/plain",
                                "load,cluster=c,hostname=h,type=node value=1\n"),
                     200);
    assert_int_equal(house_get(&house, "/metrics"), 200);
    expect_body("baro_store_");
    expect_body("baro_ingest_");
    house.d.setup.opts.store.own_ns = NS_PER_MS;
    assert_int_equal(
        own_metrics_start(parts, &house.d.setup.opts, &house.d.loop, &own, &err),
        -EINVAL);
    house.d.setup.opts.store.own_ns = 0;
    assert_int_equal(
        own_metrics_start(parts, &house.d.setup.opts, &house.d.loop, &own, &err), 0);
    assert_null(own);
    house.d.setup.opts.store.own_ns = NS_PER_S;
    assert_int_equal(
        own_metrics_start(parts, &house.d.setup.opts, &house.d.loop, &own, &err), 0);
    assert_non_null(own);
    const struct metric_table *metrics = metric_store_metrics(parts->store);
    while (!metric_find(metrics, SPAN("baro_net_requests_total")))
        (void)uv_run(&house.d.loop, UV_RUN_ONCE);
    assert_int_equal(metric_find(metrics, SPAN("baro_net_requests_total"))->kind,
                     METRIC_COUNTER);
    own_metrics_stop(own);
    house_stop(&house);
}

static const struct {
    const char *name, *more, *reason;
} refusals[] = {
    { "pulling without a store", "[scrape a]\nurl = http://127.0.0.1:1/metrics\n",
      "there is no [store] for the metrics of [nats_subscription] and [scrape]" },
    { "a strictness that is none", "[store]\ndirectory = none\ncompat = loose\n",
      "store.compat: invalid value \"loose\"" },
    { "an archive that is none", "[store]\ndirectory = none\narchive = burn\n",
      "store.archive" },
    { "NATS without an address", STORE "[nats_subscription a]\nsubscribe_to = x\n",
      "nats: there are subscriptions, but no address" },
    { "NATS without a subscription", STORE "[nats]\naddress = nats://127.0.0.1:1\n",
      "nats: there is an address, but no [nats_subscription]" },
    { "a step that is none", STORE "[write]\nstep = soon\n", "soon" },
    { "a key that is not there", "key = /nonexistent/key.pub\n",
      "/nonexistent/key.pub" },
};

static void what_a_start_refuses_a_check_refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct err start_err = { 0 }, check_err = { 0 };
        house_load(&house, scratch_path("refused"), refusals[i].more);
        int rc = house_start(&house, &start_err);
        house_stop(&house);
        house_load(&house, scratch_path("refused"), refusals[i].more);
        int checked = check_daemon(&house.d, &out, &check_err);
        house_stop(&house);
        if (rc >= 0 || checked != rc || out.size ||
            !strstr(start_err.text, refusals[i].reason) ||
            !strstr(check_err.text, refusals[i].reason))
            fail_msg("%s: start %d %s, check %d %s", refusals[i].name, rc,
                     start_err.text, checked, check_err.text);
    }
}

static void a_check_makes_nothing_and_says_what_there_is(void **state)
{
    AUTO(strbuf_done) struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;
    struct err err = { 0 };
    (void)state;
    house_load(&house, scratch_path("check"), STORE);
    if (check_daemon(&house.d, &before, &err) < 0)
        fail_msg("%s", err.text);
    assert_non_null(strstr(strbuf_text(&before), "check.db would be created\n"));
    assert_non_null(strstr(strbuf_text(&before), "store: none, "));
    assert_int_not_equal(access(house.records, F_OK), 0);
    house_stop(&house);
    start("check", STORE); /* makes it */
    house_stop(&house);
    house_load(&house, scratch_path("check"), STORE);
    if (check_daemon(&house.d, &after, &err) < 0)
        fail_msg("%s", err.text);
    assert_null(strstr(strbuf_text(&after), "would be created"));
    house_stop(&house);
}

static void a_check_of_a_place_that_is_not_there_fails(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct err err = { 0 };
    (void)state;
    house_load(&house, scratch_path("place"), "");
    house.d.setup.opts.records.path = "/nonexistent/barod.db";
    assert_int_equal(check_daemon(&house.d, &out, &err), -ENOENT);
    assert_non_null(strstr(err.text, "'/nonexistent/barod.db' cannot be made"));
    house_stop(&house);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_goes_from_a_socket_into_the_records_and_memory),
        cmocka_unit_test(jobs_are_new_changed_or_refused),
        cmocka_unit_test(lines_go_into_the_store_and_own_metrics_too),
        cmocka_unit_test(what_a_start_refuses_a_check_refuses),
        cmocka_unit_test(a_check_makes_nothing_and_says_what_there_is),
        cmocka_unit_test(a_check_of_a_place_that_is_not_there_fails),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
