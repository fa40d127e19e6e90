/* SPDX-License-Identifier: Apache-2.0 */
/* test_session_store - results of a session as samples, and how many names they create.
 */
#include "daemon/member/session_store.h"

#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "daemon/config/config.h"
#include "daemon/store.h"

struct fixture {
    struct config *config;
    struct metric_store *store;
    struct store_sink *write;
    struct session_store *session;
};

static void set_up(struct fixture *f, const char *write)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    size_t count;
    const struct config_section *sections = daemon_config_sections(&count);
    static struct daemon_opts opts;
    *f = (struct fixture){ 0 };
    log_set_level(LOG_LEVEL_ERROR); /* refusals are warned of */
    strbuf_addf(&text, "[store]\ndirectory = none\n[metric load]\nstep = 10s\n%s",
                write);
    assert_int_equal(
        config_parse("test", strbuf_span(&text), sections, count, &f->config, NULL), 0);
    assert_int_equal(daemon_config_fill(f->config, &opts, NULL), 0);
    assert_int_equal(daemon_store_open(f->config, &opts.store, NULL, &f->store, NULL),
                     0);
    assert_int_equal(store_sink_new(f->store, 100000, &opts.write, &f->write, NULL), 0);
    const struct session_store_opts session = { .name = "system",
                                                .path = SPAN("c/h/session:system"),
                                                .store = f->store,
                                                .write = f->write };
    assert_int_equal(session_store_new(&session, &f->session), 0);
}

static void tear_down(struct fixture *f)
{
    session_store_free(f->session);
    store_sink_free(f->write);
    metric_store_close(f->store);
    config_free(f->config);
}

/* A result of count sums, named first and on. */
static void put(const struct fixture *f, uint64_t epoch, unsigned first, unsigned count)
{
    AUTO(bundle_done) struct bundle bundle = { .refused = 3 };
    const struct rank_set none = { 0 };
    const struct session_result result = {
        .at = { .incarnation = 1,
                .epoch = epoch,
                .instant_ns = 1767225600 * NS_PER_S + (int64_t)epoch * NS_PER_S,
                .period_ns = NS_PER_S },
        .expected = 2,
        .bundle = &bundle,
        .missing = &none
    };
    for (unsigned i = first; i < first + count; i++) {
        char name[32];
        const struct reduce_input input = { .value = i };
        (void)snprintf(name, sizeof name, "p.n%u", i);
        assert_int_equal(bundle_put(&bundle, span_of(name), REDUCE_SUM, &input), 0);
    }
    session_store_put(f->session, &result);
}

static const struct metric *find(const struct fixture *f, const char *name)
{
    return metric_find(metric_store_metrics(f->store), span_of(name));
}

static void a_result_becomes_samples(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f, "");
    put(&f, 1, 0, 3);
    assert_non_null(find(&f, "session_expected"));
    assert_non_null(find(&f, "session_refused"));
    assert_non_null(find(&f, "p_n2_sum"));
    assert_int_equal(find(&f, "p_n2_sum")->step_ns, NS_PER_S);
    assert_int_equal(session_store_refused(f.session), 0);
    tear_down(&f);
}

static void new_names_are_bounded_and_those_that_exist_go_on(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f, "[write]\nmetrics_first = 10\nmetrics_per_hour = 5\n");
    uint32_t before = metric_count(metric_store_metrics(f.store));
    put(&f, 1, 0, 11); /* and four of the session itself */
    assert_int_equal(session_store_refused(f.session), 0);
    put(&f, 2, 100, 40);
    assert_int_equal(metric_count(metric_store_metrics(f.store)) - before, 15);
    assert_int_equal(session_store_refused(f.session), 40);
    put(&f, 3, 0, 11);
    assert_int_equal(session_store_refused(f.session), 40);
    tear_down(&f);
}

static void the_last_metrics_are_for_the_configuration(void **state)
{
    struct fixture f;
    const struct metric *ret;
    (void)state;
    set_up(&f, "");
    struct metric_table *metrics = metric_store_metrics(f.store);
    for (unsigned i = 0; metric_count(metrics) < METRICS_MAX - 1024; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "filler%u", i);
        const struct metric filler = { .name = span_of(name) };
        assert_int_equal(metric_declare(metrics, &filler, &ret), 0);
    }
    put(&f, 1, 0, 5);
    assert_int_equal(metric_count(metrics), METRICS_MAX - 1024);
    assert_int_equal(session_store_refused(f.session), 9);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_becomes_samples),
        cmocka_unit_test(new_names_are_bounded_and_those_that_exist_go_on),
        cmocka_unit_test(the_last_metrics_are_for_the_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
