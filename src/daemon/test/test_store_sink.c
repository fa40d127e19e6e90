/* SPDX-License-Identifier: Apache-2.0 */
/* test_store_sink - samples into a store in memory, and what is charged for new ones.
 */
#include "daemon/store_sink.h"

#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "daemon/server_metrics.h"
#include "daemon/store.h"

#define SERIES_MAX 100

struct fixture {
    struct config *config;
    struct metric_store *store;
    struct store_sink *write;
    const struct sink *sink;
};

static void set_up(struct fixture *f, const char *write)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    size_t count;
    const struct config_section *sections = daemon_config_sections(&count);
    static struct daemon_opts opts;
    *f = (struct fixture){ 0 };
    log_set_level(LOG_LEVEL_ERROR); /* refusals are warned of */
    strbuf_addf(&text,
                "[store]\ndirectory = none\nseries_max = %d\n[metric load]\n"
                "step = 10s\n[write]\n%s",
                SERIES_MAX, write);
    assert_int_equal(
        config_parse("test", strbuf_span(&text), sections, count, &f->config, NULL), 0);
    assert_int_equal(daemon_config_fill(f->config, &opts, NULL), 0);
    assert_int_equal(daemon_store_open(f->config, &opts.store, NULL, &f->store, NULL),
                     0);
    assert_int_equal(store_sink_new(f->store, SERIES_MAX, &opts.write, &f->write, NULL),
                     0);
    f->sink = store_sink_get(f->write);
}

static void tear_down(struct fixture *f)
{
    store_sink_free(f->write);
    metric_store_close(f->store);
    config_free(f->config);
}

static int find(const struct fixture *f, const char *path, const char *metric,
                bool is_open, struct sender_account *account)
{
    const struct sink_key key = { .path = span_of(path),
                                  .metric = span_of(metric),
                                  .is_open = is_open,
                                  .account = account };
    struct level_series *series;
    uint16_t shard;
    return f->sink->series(f->sink->arg, &key, &series, &shard);
}

static void a_metric_is_declared_known_or_opened(void **state)
{
    static const struct {
        const char *metric;
        bool is_open;
        int want;
    } cases[] = {
        { "load", false, 0 },       { "lustre_read_bytes", false, 0 },
        { "mine", false, -ENOENT }, { "mine", true, 0 },
        { "mine", false, 0 }, /* from then on */
    };
    (void)state;
    struct fixture f;
    set_up(&f, "");
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (find(&f, "alex/a0903", cases[i].metric, cases[i].is_open, NULL) !=
            cases[i].want)
            fail_msg("%s, %zu", cases[i].metric, i);
    const struct metric *known =
        metric_find(metric_store_metrics(f.store), SPAN("lustre_read_bytes"));
    assert_non_null(known);
    assert_true(span_is(known->unit, "B"));
    assert_int_equal(known->kind, METRIC_COUNTER);
    assert_int_equal(known->aggregation, AGGREGATE_SUM);
    tear_down(&f);
}

static void what_exists_costs_nothing_and_new_ones_their_share(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "host_series_max = 2\n");
    struct sender_account *host =
        sender_quota_account(f.sink->quota, SPAN("host a"), SENDER_HOST);
    assert_int_equal(find(&f, "alex/a", "load", false, host), 0);
    assert_int_equal(find(&f, "alex/b", "load", false, host), 0);
    assert_int_equal(find(&f, "alex/c", "load", false, host), -EDQUOT);
    assert_int_equal(find(&f, "alex/a", "load", false, host), 0);
    assert_int_equal(find(&f, "alex/c", "load", false, NULL), 0);
    assert_int_equal(find(&f, "alex/c", "load", false, host), 0);
    tear_down(&f);
}

static void names_that_are_excluded_are_not_created(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "deny = bad_*\n");
    struct sender_account *host =
        sender_quota_account(f.sink->quota, SPAN("host a"), SENDER_HOST);
    assert_int_equal(find(&f, "alex/a", "bad_one", true, host), -EPERM);
    assert_int_equal(find(&f, "alex/a", "good", true, host), 0);
    tear_down(&f);
}

static void samples_are_stored_and_counted(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f, "");
    const struct sink_key key = { .path = SPAN("alex/a"), .metric = SPAN("load") };
    struct level_series *series;
    struct sample_counts counts = { 0 };
    uint16_t shard;
    assert_int_equal(f.sink->series(f.sink->arg, &key, &series, &shard), 0);
    const struct sample samples[] = {
        { series, 1700000000 * NS_PER_S, 1 },
        { series, 1700000010 * NS_PER_S, 2 },
        { series, INT64_MIN, 3 },
    };
    assert_int_equal(f.sink->put(f.sink->arg, shard, samples, 3, &counts), 0);
    assert_int_equal(counts.accepted + counts.too_old, 3);
    assert_true(counts.too_old >= 1);
    assert_true(f.sink->has_metric(f.sink->arg, SPAN("load")));
    assert_true(f.sink->has_metric(f.sink->arg, SPAN("server_load")));
    assert_false(f.sink->has_metric(f.sink->arg, SPAN("nothing")));
    tear_down(&f);
}

static void a_step_that_is_none_is_refused(void **state)
{
    (void)state;
    struct fixture f;
    struct store_sink *write = NULL;
    struct write_opts opts = { .step = "soon" };
    struct err err = { 0 };
    set_up(&f, "");
    assert_int_equal(store_sink_new(f.store, 1, &opts, &write, &err), -EINVAL);
    assert_null(write);
    assert_non_null(strstr(err.text, "write.step"));
    tear_down(&f);
}

static void metrics_of_servers_have_names_of_their_own(void **state)
{
    (void)state;
    size_t count = 0;
    for (; server_metric_at(count); count++)
        assert_ptr_equal(server_metric_find(span_of(server_metric_at(count)->name)),
                         server_metric_at(count));
    assert_true(count > 50);
    assert_null(server_metric_find(SPAN("")));
    assert_null(server_metric_find(SPAN("lustre_read_byte")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_metric_is_declared_known_or_opened),
        cmocka_unit_test(what_exists_costs_nothing_and_new_ones_their_share),
        cmocka_unit_test(names_that_are_excluded_are_not_created),
        cmocka_unit_test(samples_are_stored_and_counted),
        cmocka_unit_test(a_step_that_is_none_is_refused),
        cmocka_unit_test(metrics_of_servers_have_names_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
