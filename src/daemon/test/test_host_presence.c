/* SPDX-License-Identifier: Apache-2.0 */
/* test_host_presence - which hosts are up by what really arrives in a store, and as
 * members of a session. */
#include "daemon/health/host_presence.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "daemon/config/config.h"
#include "daemon/health/arrivals.h"
#include "daemon/store.h"

#include <time.h>

#define YEAR_2100_NS (INT64_C(4102444800) * NS_PER_S)
#define SLOW_NS (INT64_C(24) * 3600 * NS_PER_S)

struct fixture {
    struct config *config;
    struct metric_store *store;
    const struct metric *metrics[2];
};

static void set_up(struct fixture *f)
{
    static struct daemon_opts opts;
    size_t count;
    const struct config_section *sections = daemon_config_sections(&count);
    *f = (struct fixture){ 0 };
    log_set_level(LOG_LEVEL_ERROR);
    assert_int_equal(config_parse("test",
                                  SPAN("[store]\ndirectory = none\n[metric load]\n"
                                       "step = 10s\n[metric power]\nstep = 10s\n"),
                                  sections, count, &f->config, NULL),
                     0);
    assert_int_equal(daemon_config_fill(f->config, &opts, NULL), 0);
    assert_int_equal(daemon_store_open(f->config, &opts.store, NULL, &f->store, NULL),
                     0);
    f->metrics[0] = metric_find(metric_store_metrics(f->store), SPAN("load"));
    f->metrics[1] = metric_find(metric_store_metrics(f->store), SPAN("power"));
}

static void tear_down(struct fixture *f)
{
    metric_store_close(f->store);
    config_free(f->config);
}

static void put(const struct fixture *f, const char *path, size_t metric, int64_t t_ns)
{
    struct level_series *series = NULL;
    struct sample_counts counts = { 0 };
    assert_int_equal(
        metric_store_series(f->store, span_of(path), f->metrics[metric], &series), 0);
    const struct sample sample = { .series = series, .t_ns = t_ns, .value = 1 };
    const struct metric_batch batch = {
        .shard = metric_store_shard(f->store, span_of(path)),
        .samples = &sample,
        .count = 1,
    };
    assert_int_equal(metric_store_put(f->store, &batch, &counts), 0);
}

/* ---- arrivals ---- */

static bool has_more(const struct fixture *f, struct arrivals *arrivals)
{
    unsigned reader = metric_store_enter(f->store);
    bool has_come = arrivals_update(
        arrivals, metric_store_level(f->store, SPAN("alex/a1")), clock_now_ns());
    metric_store_leave(f->store, reader);
    return has_come;
}

static void what_comes_counts_whatever_its_time(void **state)
{
    struct fixture f;
    struct arrivals arrivals = { 0 };
    (void)state;
    set_up(&f);
    int64_t now_ns = clock_now_ns();
    put(&f, "alex/a1", 0, now_ns);
    assert_true(has_more(&f, &arrivals));
    assert_false(has_more(&f, &arrivals));
    for (int i = 1; i < 10; i++) {
        put(&f, "alex/a1", 0, now_ns + i * 10 * NS_PER_S);
        assert_true(has_more(&f, &arrivals));
        assert_false(has_more(&f, &arrivals));
    }
    /* Another series, below it, whose clock is a day behind. */
    for (int i = 0; i < 10; i++) {
        put(&f, "alex/a1/socket:0", 1, now_ns - SLOW_NS + i * 10 * NS_PER_S);
        assert_true(has_more(&f, &arrivals));
        assert_false(has_more(&f, &arrivals));
    }
    /* One of a time to come hides nothing, in its own series nor in others. */
    put(&f, "alex/a1", 0, YEAR_2100_NS);
    assert_true(has_more(&f, &arrivals));
    for (int i = 10; i < 30; i++) {
        put(&f, "alex/a1", 0, now_ns + i * 10 * NS_PER_S);
        assert_true(has_more(&f, &arrivals));
        assert_false(has_more(&f, &arrivals));
        put(&f, "alex/a1/socket:0", 1, now_ns - SLOW_NS + i * 10 * NS_PER_S);
        assert_true(has_more(&f, &arrivals));
        assert_false(has_more(&f, &arrivals));
    }
    tear_down(&f);
}

/* ---- the thread ---- */

struct stated {
    pthread_mutex_t lock;
    struct strbuf text; /* "alex/a1 up;" */
};

static int on_stated(void *arg, const struct resource_statement *statements,
                     size_t count, struct submission_result *ret, struct err *err)
{
    struct stated *stated = arg;
    (void)ret;
    (void)err;
    LOCKED(&stated->lock);
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&stated->text, SPAN_FMT " %s;", SPAN_ARG(statements[i].component),
                    resource_health_name(statements[i].health));
    return 0;
}

struct running {
    struct fixture f;
    struct resource_rules rules;
    struct resource_table *table;
    struct own_statements *own;
    struct stated stated;
    struct host_presence *presence;
};

static void start(struct running *r)
{
    *r = (struct running){ .rules = { .discover = 10, .silent_after_ns = NS_PER_S } };
    (void)pthread_mutex_init(&r->stated.lock, NULL);
    set_up(&r->f);
    assert_int_equal(resource_table_new(&r->rules, &r->table, NULL), 0);
    assert_int_equal(resource_table_load(r->table, NULL, 0, clock_now_ns()), 0);
    assert_int_equal(own_statements_new(on_stated, &r->stated, &r->own), 0);
}

static void begin(struct running *r)
{
    const struct host_presence_opts opts = { &r->rules, r->table, r->f.store, r->own };
    assert_int_equal(host_presence_start(&opts, &r->presence, NULL), 0);
}

static void stop(struct running *r)
{
    host_presence_stop(r->presence);
    own_statements_free(r->own);
    resource_table_free(r->table);
    strbuf_done(&r->stated.text);
    (void)pthread_mutex_destroy(&r->stated.lock);
    tear_down(&r->f);
}

static void pause_ms(long ms)
{
    const struct timespec pause = { .tv_sec = ms / 1000,
                                    .tv_nsec = ms % 1000 * NS_PER_MS };
    (void)nanosleep(&pause, NULL);
}

static bool is_stated(struct running *r, const char *text)
{
    own_statements_flush(r->own);
    LOCKED(&r->stated.lock);
    return strstr(strbuf_text(&r->stated.text), text) != NULL;
}

static void wait_stated(struct running *r, const char *text)
{
    for (int i = 0; i < 2000; i++) {
        if (is_stated(r, text))
            return;
        pause_ms(10);
    }
    fail_msg("'%s' is not stated: '%s'", text, strbuf_text(&r->stated.text));
}

/* What the store has at the start is of before, be it of the year 2100: what comes
 * behind it is heard. */
static void a_sample_of_a_time_to_come_hides_no_host(void **state)
{
    struct running r;
    struct presence_counts counts = { 0 };
    (void)state;
    start(&r);
    put(&r.f, "alex/a1", 0, YEAR_2100_NS);
    begin(&r);
    for (int i = 0; i < 2000 && counts.hosts == 0; i++) {
        put(&r.f, "alex/a1", 1, clock_now_ns() - SLOW_NS + i * 10 * NS_PER_S);
        pause_ms(10);
        host_presence_count(r.presence, &counts);
    }
    assert_int_equal(counts.hosts, 1);
    wait_stated(&r, "alex/a1 up;");
    stop(&r);
}

/* Where the session has no cluster of the site: what is not known by another way is no
 * second host of that name. */
static void members_make_hosts_of_a_configured_cluster_alone(void **state)
{
    static const char *const clusters[] = { "", "alex" };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(clusters); i++) {
        struct running r;
        AUTO(hostset_free) struct hostset *hosts = NULL;
        AUTO(rank_set_done) struct rank_set online = { 0 };
        const struct resource_statement known = { .component = SPAN("alex/n1"),
                                                  .source = SPAN("system:x"),
                                                  .health = RESOURCE_UP,
                                                  .t_ns = 1 };
        start(&r);
        assert_int_equal(hostset_parse(SPAN("n[0-2]"), &hosts, NULL), 0);
        assert_int_equal(rank_set_add(&online, 0, 2), 0);
        assert_int_equal(resource_table_apply(r.table, &known, 1, clock_now_ns()), 0);
        begin(&r);
        const struct host_presence_session session = { .cluster = span_of(clusters[i]),
                                                       .hosts = hosts,
                                                       .rank = 0,
                                                       .valid_ns = 60 * NS_PER_S };
        assert_int_equal(host_presence_session(r.presence, &session), 0);
        host_presence_members(r.presence, &online);
        wait_stated(&r, "alex/n1 up;"); /* of the same check as the other */
        assert_int_equal(is_stated(&r, "n2 up;"), i == 1);
        assert_int_equal(is_stated(&r, "n0 up;"), false);
        rank_set_clear(&online);
        assert_int_equal(rank_set_add(&online, 0, 0), 0);
        host_presence_members(r.presence, &online);
        wait_stated(&r, "alex/n1 unknown;");
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_counts_whatever_its_time),
        cmocka_unit_test(a_sample_of_a_time_to_come_hides_no_host),
        cmocka_unit_test(members_make_hosts_of_a_configured_cluster_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
