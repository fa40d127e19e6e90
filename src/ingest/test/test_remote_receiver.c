/* SPDX-License-Identifier: Apache-2.0 */
/* test_remote_receiver - series of remote write into a sink that writes them down. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "ingest/ingest.h"

enum { SERIES_MAX = 16 };

struct ledger {
    char names[SERIES_MAX][256];
    size_t count, series_max;
    struct strbuf put; /* "name@ms=bits;" */
    int refusal;
    size_t queries;
};

static int ledger_series(void *arg, const struct sink_key *key,
                         struct level_series **ret, uint16_t *ret_shard)
{
    struct ledger *ledger = arg;
    char name[256];
    size_t i = 0;
    ledger->queries++;
    assert_true(key->is_open);
    (void)snprintf(name, sizeof name, SPAN_FMT " " SPAN_FMT "%s", SPAN_ARG(key->path),
                   SPAN_ARG(key->metric), key->is_counter ? "+" : "");
    while (i < ledger->count && strcmp(ledger->names[i], name) != 0)
        i++;
    if (i == ledger->series_max)
        return -ENOSPC;
    memcpy(ledger->names[i], name, sizeof name);
    ledger->count += i == ledger->count;
    *ret = (struct level_series *)(void *)ledger->names[i];
    *ret_shard = (uint16_t)(i % 2);
    return 0;
}

static int ledger_put(void *arg, size_t shard, const struct sample *samples,
                      size_t count, struct sample_counts *ret)
{
    struct ledger *ledger = arg;
    (void)shard;
    if (ledger->refusal)
        return ledger->refusal;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &samples[i].value, sizeof bits);
        strbuf_addf(&ledger->put, "%s@%lld=%llx;", (const char *)samples[i].series,
                    (long long)(samples[i].t_ns / 1000000), (unsigned long long)bits);
    }
    ret->accepted = count;
    return 0;
}

static uint32_t ledger_generation(void *arg)
{
    (void)arg;
    return 1;
}

struct desk {
    struct ledger ledger;
    struct sink sink;
    struct lookup_cache *cache;
    struct remote_receiver_opts opts;
    struct strbuf message;
};

static int setup(void **state)
{
    struct desk *desk = calloc(1, sizeof *desk);
    assert_non_null(desk);
    desk->ledger.series_max = SERIES_MAX;
    desk->sink = (struct sink){
        .series = ledger_series,
        .put = ledger_put,
        .generation = ledger_generation,
        .arg = &desk->ledger,
        .shard_count = 2,
    };
    assert_int_equal(lookup_cache_new(1000, &desk->cache), 0);
    desk->opts =
        (struct remote_receiver_opts){ .sink = &desk->sink, .cache = desk->cache };
    *state = desk;
    return 0;
}

static int teardown(void **state)
{
    struct desk *desk = *state;
    lookup_cache_free(desk->cache);
    strbuf_done(&desk->ledger.put);
    strbuf_done(&desk->message);
    free(desk);
    return 0;
}

/* "__name__=up;job=x" with one sample: 1 at 5 ms, or of other bits. */
static void add_series(struct desk *desk, const char *labels, uint64_t bits)
{
    struct label_pair pairs[80];
    struct span rest = span_of(labels), pair;
    size_t count = 0;
    while (rest.size > 0) {
        (void)span_cut(&rest, ';', &pair);
        (void)span_cut(&pair, '=', &pairs[count].name);
        pairs[count++].value = pair;
    }
    const struct remote_sample sample = { 5, bits };
    remote_series_add(&desk->message, pairs, count, &sample, 1);
}

static struct remote_result receive(struct desk *desk)
{
    struct remote_result result = { 0 };
    strbuf_clear(&desk->ledger.put);
    assert_int_equal(remote_receive(&desk->opts, strbuf_span(&desk->message), &result),
                     0);
    strbuf_clear(&desk->message);
    return result;
}

#define ONE UINT64_C(0x3FF0000000000000)

static void labels_decide_where_a_series_lies(void **state)
{
    static const struct {
        const char *labels, *want;
    } cases[] = {
        { "__name__=m;cluster=c;hostname=n", "c/n m@5=3ff0000000000000;" },
        { "__name__=m;cluster=c;hostname=n;type=gpu;type_id=0",
          "c/n/gpu:0 m@5=3ff0000000000000;" },
        { "__name__=m_total;instance=n1:9100;job=x",
          "none/n1/tags:cluster=,hostname=,instance=n1:9100,job=x "
          "m_total+@5=3ff0000000000000;" },
        { "__name__=m;instance=[::1]:9100",
          "none/\\x3A\\x3A1/tags:cluster=,hostname=,instance=[::1]:9100 "
          "m@5=3ff0000000000000;" },
        { "__name__=m;instance=fe80::1",
          "none/fe80\\x3A\\x3A1/tags:cluster=,hostname=,instance=fe80::1 "
          "m@5=3ff0000000000000;" },
        { "job=x;__name__=m;le=;hostname=n", "none/n/tags:cluster=,job=x "
                                             "m@5=3ff0000000000000;" },
        { "__name__=m", "none/none/tags:cluster=,hostname= m@5=3ff0000000000000;" },
    };
    struct desk *desk = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        add_series(desk, cases[i].labels, ONE);
        struct remote_result result = receive(desk);
        assert_string_equal(strbuf_text(&desk->ledger.put), cases[i].want);
        assert_int_equal(result.accepted, 1);
        assert_int_equal(result.bad_series, 0);
    }
}

static void a_rule_names_other_labels(void **state)
{
    struct desk *desk = *state;
    const char *items[] = { "node hostname", "instance hostname", "site cluster" };
    desk->opts.names.map = (struct config_list){ items, COUNT_OF(items) };
    assert_int_equal(remote_names_check(&desk->opts.names, NULL), 0);
    add_series(desk, "__name__=m;instance=a:1;node=b;site=s", ONE);
    (void)receive(desk);
    assert_string_equal(strbuf_text(&desk->ledger.put),
                        "s/b/tags:cluster=,hostname=,instance=a:1,node=b,site=s "
                        "m@5=3ff0000000000000;");
    const char *bad[] = { "node rack" };
    desk->opts.names.map = (struct config_list){ bad, 1 };
    assert_int_equal(remote_names_check(&desk->opts.names, NULL), -EINVAL);
}

static void a_default_cluster_becomes_a_label(void **state)
{
    struct desk *desk = *state;
    desk->opts.names.cluster = SPAN("d");
    add_series(desk, "__name__=m;hostname=n", ONE);
    add_series(desk, "__name__=m;cluster=c;hostname=n", ONE);
    (void)receive(desk);
    assert_string_equal(strbuf_text(&desk->ledger.put),
                        "d/n m@5=3ff0000000000000;c/n m@5=3ff0000000000000;");
}

static void a_bad_series_costs_that_series(void **state)
{
    static const struct {
        const char *labels, *reason;
    } cases[] = {
        { "job=x", "no label __name__" },
        { "__name__=m;a=1;a=2", "a label stands twice" },
        { "__name__=m;a-b=1", "a label whose name is none" },
        { "__name__=m;a=\xFF", "a label whose value is not UTF-8" },
        { "__name__=m;hostname=other", "the token is for another host" },
        { "__name__=m;cluster=other;hostname=n1", "the token is for another cluster" },
    };
    struct desk *desk = *state;
    desk->opts.names.only_host = SPAN("n1.site");
    desk->opts.names.only_cluster = SPAN("c");
    desk->opts.names.cluster = SPAN("c");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        add_series(desk, cases[i].labels, ONE);
        add_series(desk, "__name__=good;cluster=c;hostname=n1", ONE);
        struct remote_result result = receive(desk);
        assert_int_equal(result.bad_series, 1);
        assert_int_equal(result.bad_samples, 1);
        assert_int_equal(result.accepted, 1);
        if (!strstr(result.first, cases[i].reason))
            fail_msg("%s: %s", cases[i].labels, result.first);
    }
}

static void bits_stay_but_no_sample_is_lost_as_none(void **state)
{
    struct desk *desk = *state;
    add_series(desk, "__name__=m;cluster=c;hostname=n", REMOTE_STALE_BITS);
    add_series(desk, "__name__=m;cluster=c;hostname=n", UINT64_C(0x7FF8000000000000));
    add_series(desk, "__name__=m;cluster=c;hostname=n", UINT64_C(0xFFF0000000000000));
    struct remote_result result = receive(desk);
    assert_string_equal(strbuf_text(&desk->ledger.put),
                        "c/n m@5=7ff0000000000002;c/n m@5=7ff8000000000001;"
                        "c/n m@5=fff0000000000000;");
    assert_int_equal(result.stale, 1);
}

static void what_cannot_be_created_is_counted_by_its_samples(void **state)
{
    struct desk *desk = *state;
    desk->ledger.series_max = 1;
    add_series(desk, "__name__=m;cluster=c;hostname=n", ONE);
    add_series(desk, "__name__=m;cluster=c;hostname=n2", ONE);
    struct remote_result result = receive(desk);
    assert_int_equal(result.accepted, 1);
    assert_int_equal(result.refused.store_full, 1);
    assert_int_equal(result.bad_series, 0);
}

static void a_series_is_looked_up_once(void **state)
{
    struct desk *desk = *state;
    for (int i = 0; i < 5; i++) {
        add_series(desk, "__name__=m;cluster=c;hostname=n", ONE);
        (void)receive(desk);
    }
    assert_int_equal(desk->ledger.queries, 1);
}

static void what_the_sink_refuses_fails_as_a_whole(void **state)
{
    struct desk *desk = *state;
    struct remote_result result = { 0 };
    desk->ledger.refusal = -EIO;
    add_series(desk, "__name__=m;cluster=c;hostname=n", ONE);
    assert_int_equal(remote_receive(&desk->opts, strbuf_span(&desk->message), &result),
                     -EIO);
    assert_int_equal(remote_receive(&desk->opts, SPAN("hello"), &result), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(labels_decide_where_a_series_lies, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_rule_names_other_labels, setup, teardown),
        cmocka_unit_test_setup_teardown(a_default_cluster_becomes_a_label, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_bad_series_costs_that_series, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(bits_stay_but_no_sample_is_lost_as_none, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(
            what_cannot_be_created_is_counted_by_its_samples, setup, teardown),
        cmocka_unit_test_setup_teardown(a_series_is_looked_up_once, setup, teardown),
        cmocka_unit_test_setup_teardown(what_the_sink_refuses_fails_as_a_whole, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
