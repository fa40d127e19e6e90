/* SPDX-License-Identifier: Apache-2.0 */
/* test_line_receiver - lines on their way into a sink that writes down what it gets. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "ingest/ingest.h"

enum { SERIES_MAX = 64 };

/* A sink with one metric that is declared, m, and room for series_max series. */
struct book {
    char names[SERIES_MAX][256];
    size_t count, series_max;
    struct strbuf put; /* "name@t=value " */
    int refusal;       /* of the next put */
    size_t asked;      /* calls of series */
    uint32_t generation;
    uint64_t unaddressed; /* lines reported */
};

static int book_series(void *arg, const struct sink_key *key, struct level_series **ret,
                       uint16_t *ret_shard)
{
    struct book *book = arg;
    char name[256];
    size_t i = 0;
    book->asked++;
    if (!key->is_open && !span_is(key->metric, "m"))
        return -ENOENT;
    (void)snprintf(name, sizeof name, SPAN_FMT " " SPAN_FMT, SPAN_ARG(key->path),
                   SPAN_ARG(key->metric));
    while (i < book->count && strcmp(book->names[i], name) != 0)
        i++;
    if (i == book->series_max)
        return -ENOSPC;
    memcpy(book->names[i], name, sizeof name);
    book->count += i == book->count;
    *ret = (struct level_series *)(void *)book->names[i];
    *ret_shard = (uint16_t)(i % 2);
    return 0;
}

static int book_put(void *arg, size_t shard, const struct sample *samples, size_t count,
                    struct sample_counts *ret)
{
    struct book *book = arg;
    if (book->refusal)
        return book->refusal;
    for (size_t i = 0; i < count; i++) {
        const char *name = (const char *)samples[i].series;
        assert_int_equal((size_t)(name - book->names[0]) / sizeof book->names[0] % 2,
                         shard);
        strbuf_addf(&book->put, "%s@%lld=%g;", name,
                    (long long)(samples[i].t_ns / 1000000000), samples[i].value);
    }
    ret->accepted = count;
    return 0;
}

static bool book_has_metric(void *arg, struct span name)
{
    (void)arg;
    return span_is(name, "m");
}

static uint32_t book_generation(void *arg)
{
    const struct book *book = arg;
    return book->generation;
}

static void book_report_unaddressed(void *arg, const char *sender, uint64_t lines)
{
    struct book *book = arg;
    assert_non_null(sender);
    book->unaddressed += lines;
}

struct bench {
    struct book book;
    struct sink sink;
    struct lookup_cache *cache;
    struct line_receiver_opts opts;
};

static int setup(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->book.series_max = SERIES_MAX;
    bench->sink = (struct sink){
        .series = book_series,
        .put = book_put,
        .has_metric = book_has_metric,
        .generation = book_generation,
        .report_unaddressed = book_report_unaddressed,
        .arg = &bench->book,
        .shard_count = 2,
    };
    assert_int_equal(lookup_cache_new(1000, &bench->cache), 0);
    bench->opts = (struct line_receiver_opts){
        .sink = &bench->sink,
        .cache = bench->cache,
        .names.cluster = SPAN("c"),
    };
    *state = bench;
    return 0;
}

static int teardown(void **state)
{
    struct bench *bench = *state;
    lookup_cache_free(bench->cache);
    strbuf_done(&bench->book.put);
    free(bench);
    return 0;
}

/* In pieces of size bytes; the result is the caller's. */
static int take(struct bench *bench, struct span text, size_t size,
                struct line_result *ret)
{
    AUTO(line_receiver_free) struct line_receiver *receiver = NULL;
    strbuf_clear(&bench->book.put);
    int rc = line_receiver_new(&bench->opts, &receiver);
    assert_int_equal(rc, 0);
    while (rc == 0 && text.size > 0) {
        struct span piece = { text.data, text.size < size ? text.size : size };
        rc = line_receiver_feed(receiver, piece);
        text = span_skip(text, size);
    }
    if (rc == 0)
        rc = line_receiver_finish(receiver);
    *ret = *line_receiver_result(receiver);
    return rc;
}

static void lines_become_samples_of_the_right_series(void **state)
{
    static const struct {
        const char *name;
        enum line_form form;
        const char *text, *want;
    } cases[] = {
        { "a host", LINE_CLUSTERCOCKPIT, "m,hostname=h value=1 5", "c/h m@5=1;" },
        { "its other name", LINE_CLUSTERCOCKPIT, "m,host=h value=1 5", "c/h m@5=1;" },
        { "type=node is the host", LINE_CLUSTERCOCKPIT,
          "m,cluster=d,type=node,type-id=0,hostname=h value=1 5", "d/h m@5=1;" },
        { "a part", LINE_CLUSTERCOCKPIT,
          "m,type-id=00:49.0,type=accelerator,hostname=h value=1 5",
          "c/h/accelerator:00:49.0 m@5=1;" },
        { "a part of a part", LINE_CLUSTERCOCKPIT,
          "m,hostname=h,type=socket,type-id=1,stype=core,stype-id=3 value=1 5",
          "c/h/socket:1/core:3 m@5=1;" },
        { "a part of a part, by its other name", LINE_CLUSTERCOCKPIT,
          "m,hostname=h,type=socket,type-id=1,subtype=core,stype-id=3 value=1 5",
          "c/h/socket:1/core:3 m@5=1;" },
        { "an id without a type", LINE_CLUSTERCOCKPIT,
          "m,hostname=h,type-id=7 value=1 5", "c/h/7 m@5=1;" },
        { "a part's id without a type", LINE_CLUSTERCOCKPIT,
          "m,hostname=h,type=socket,type-id=1,stype-id=3 value=1 5",
          "c/h/socket:1/3 m@5=1;" },
        { "names stay inside of their level", LINE_CLUSTERCOCKPIT,
          "m,hostname=../x\\ y value=1 5", "c/..\\x2Fx\\x20y m@5=1;" },
        { "an unknown metric", LINE_CLUSTERCOCKPIT, "x,hostname=h value=1 5", "" },
        { "an unknown tag", LINE_CLUSTERCOCKPIT, "m,a=b,hostname=h value=1 5",
          "c/h m@5=1;" },
        { "fields", LINE_INFLUX, "a,host=h b=1,value=t,s=\"x\" 5",
          "c/h a_b@5=1;c/h a@5=1;" },
        { "one tag", LINE_INFLUX, "a,host=h,cpu=cpu0 value=1 5",
          "c/h/cpu:cpu0 a@5=1;" },
        { "more tags are sorted", LINE_INFLUX, "a,z=1,host=h,b=2 value=1 5",
          "c/h/tags:b=2,z=1 a@5=1;" },
        { "a tag that looks like more", LINE_INFLUX,
          "a,tags=b\\=2\\,z\\=1,host=h value=1 5",
          "c/h/tags:tags=b\\x5C=2\\x5C,z\\x5C=1 a@5=1;" },
    };
    struct bench *bench = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct line_result result;
        bench->opts.names.form = cases[i].form;
        bench->opts.is_open = cases[i].form == LINE_INFLUX;
        /* The second time it comes out of the cache. */
        for (int round = 0; round < 2; round++) {
            int rc = take(bench, span_of(cases[i].text), 1 << 20, &result);
            size_t size = strlen(cases[i].want);
            AUTO_FREE char *got = span_dup(strbuf_span(&bench->book.put));
            bool is_equal = got && strlen(got) == size;
            /* Shards have an order of their own. */
            for (struct span rest = span_of(cases[i].want), one;
                 is_equal && span_cut(&rest, ';', &one);) {
                AUTO_FREE char *text = span_dup(one);
                is_equal = strstr(got, text) != NULL;
            }
            if (rc != 0 || !is_equal || result.bad != 0)
                fail_msg("%s: round %d: got '%s', want '%s'", cases[i].name, round, got,
                         cases[i].want);
        }
    }
}

static void forget(struct bench *bench)
{
    lookup_cache_free(bench->cache);
    assert_int_equal(lookup_cache_new(1000, &bench->cache), 0);
    bench->opts.cache = bench->cache;
}

/* What came after a line the last time is looked for without reading it: it must mean
 * what it would have meant to somebody who never saw it before. */
static void what_is_known_means_what_it_would_if_it_were_not(void **state)
{
    static const char two[] = "m,hostname=a value=1 5\nm,hostname=b value=1 5\n";
    static const char *const seconds[] = {
        "m,hostname=b value=2 7",
        "m,hostname=b value=2",
        "m,hostname=b  value=2 5",
        "m,hostname=b\tvalue=2 5",
        "m,hostname=b\\ value=2 5",
        "m,hostname=b\\ x value=2 5",
        "m,hostname=b,x=y value=2 5",
        "m,hostname=bb value=2 5",
        "m,hostname=b",
        "m,hostname=b ",
        "m,hostname=",
        "m,hostname=b other=2 5",
        "m,hostname=b value=2,value=3 5",
        "m,hostname=b value=t 5",
        "m,hostname=b value=2 55",
        "m,hostname=b value=2 5 ",
        "m,hostname=b value=2 5x",
        "m,hostname=b value=2 5\r",
        "# m,hostname=b value=2 5",
        "x,hostname=b value=2 5",
    };
    struct bench *bench = *state;
    for (size_t i = 0; i < COUNT_OF(seconds); i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        struct line_result want, got;
        strbuf_addf(&text, "m,hostname=a value=1 5\n%s\nm,hostname=c value=1 5\n",
                    seconds[i]);
        forget(bench);
        assert_int_equal(take(bench, strbuf_span(&text), 1000, &want), 0);
        AUTO_FREE char *put = span_dup(strbuf_span(&bench->book.put));
        forget(bench);
        assert_int_equal(take(bench, SPAN(two), 1000, &got), 0);
        assert_int_equal(take(bench, strbuf_span(&text), 1000, &got), 0);
        if (strcmp(strbuf_text(&bench->book.put), put) != 0 ||
            memcmp(&got, &want, sizeof got) != 0)
            fail_msg("%s: got '%s', want '%s'", seconds[i],
                     strbuf_text(&bench->book.put), put);
    }
}

static const char mixed[] = "m,hostname=a value=1 5\n"
                            "m,hostname=a,hostname=b value=1 5\r\n"
                            "m,hostname=b value=\"two\nlines\" 5\n"
                            "\n# said aside\n"
                            "m value=2 5\n"
                            "m,hostname=c value=3 6\n"
                            "m,hostname=a value=18446744073709551615u 7\n"
                            "m,hostname=a value=4 8";

static void pieces_of_every_size_give_the_same(void **state)
{
    struct bench *bench = *state;
    struct line_result want, got;
    assert_int_equal(take(bench, SPAN(mixed), sizeof mixed, &want), 0);
    AUTO_FREE char *put = span_dup(strbuf_span(&bench->book.put));
    assert_int_equal(want.accepted, 3);
    assert_int_equal(want.bad, 3);
    assert_int_equal(want.strings, 1);
    assert_int_equal(want.problems[1].line, 7);
    assert_int_equal(want.problems[2].line, 9);
    for (size_t size = 1; size < sizeof mixed; size++) {
        assert_int_equal(take(bench, SPAN(mixed), size, &got), 0);
        if (strcmp(strbuf_text(&bench->book.put), put) != 0 ||
            got.lines != want.lines || got.problems[2].line != want.problems[2].line)
            fail_msg("in pieces of %zu: '%s'", size, strbuf_text(&bench->book.put));
    }
}

static void ten_bad_lines_are_told_and_all_are_counted(void **state)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct line_result result;
    for (int i = 0; i < 25; i++)
        strbuf_adds(&text, "m,hostname=h value=bad 5\n");
    assert_int_equal(take(*state, strbuf_span(&text), 100, &result), 0);
    assert_int_equal(result.bad, 25);
    assert_int_equal(result.problem_count, LINE_PROBLEMS_MAX);
}

static void a_token_of_a_host_writes_its_host_only(void **state)
{
    struct bench *bench = *state;
    struct line_result result;
    static const char text[] = "m,hostname=n1 value=1 5\nm,hostname=n2 value=1 5\n"
                               "m,hostname=n1.x.org value=1 5\n";
    /* Somebody who may write all was here before: the cache must not let others in. */
    assert_int_equal(take(bench, SPAN(text), 1000, &result), 0);
    assert_int_equal(result.accepted, 3);
    bench->opts.names.only_host = SPAN("n1.x.org");
    assert_int_equal(take(bench, SPAN(text), 1000, &result), 0);
    assert_int_equal(result.accepted, 2);
    assert_int_equal(result.bad, 1);
    assert_int_equal(result.problems[0].line, 2);
}

static void past_the_most_series_known_ones_go_on(void **state)
{
    struct bench *bench = *state;
    struct line_result result;
    bench->book.series_max = 1;
    static const char text[] = "m,hostname=a value=1 5\nm,hostname=b value=1 5\n";
    for (int round = 0; round < 2; round++) {
        assert_int_equal(take(bench, SPAN(text), 1000, &result), 0);
        assert_int_equal(result.accepted, 1);
        assert_int_equal(result.refused.store_full, 1);
    }
}

static void the_sink_is_asked_once_for_a_series(void **state)
{
    struct bench *bench = *state;
    struct line_result result;
    static const char text[] = "m,hostname=a value=1 5\nx,hostname=b value=1 5\n";
    for (int round = 0; round < 5; round++)
        assert_int_equal(take(bench, SPAN(text), 1000, &result), 0);
    assert_int_equal(bench->book.asked, 2);
    assert_int_equal(result.unknown_metric, 1);
}

static void what_the_sink_refuses_is_not_acknowledged(void **state)
{
    struct bench *bench = *state;
    struct line_result result;
    bench->book.refusal = -ENOSPC;
    assert_int_equal(take(bench, SPAN("m,hostname=a value=1 5"), 1000, &result),
                     -ENOSPC);
    assert_int_equal(result.accepted, 0);
}

static void strict_stops_at_the_first_bad_line(void **state)
{
    struct bench *bench = *state;
    struct line_result result;
    bench->opts.is_strict = true;
    assert_int_equal(take(bench,
                          SPAN("m,hostname=a value=1 5\nm,hostname=b value=t 5\n"
                               "m,hostname=c value=1 5\n"),
                          7, &result),
                     0);
    assert_true(result.is_stopped);
    assert_int_equal(result.accepted, 1);
    assert_string_equal(result.problems[0].reason,
                        "host b: unsupported value type in message: bool");
}

/* What cc-metric-store does not read it does not refuse. */
static void strict_reads_no_line_of_a_metric_that_it_has_not(void **state)
{
    struct bench *bench = *state;
    struct line_result result;
    bench->opts.is_strict = true;
    assert_int_equal(take(bench,
                          SPAN("garbage\nother,hostname=a value=abc 5\n"
                               "other,hostname=a foo=1 5\nm,hostname=c value=1 5\n"
                               "other,"),
                          7, &result),
                     0);
    assert_false(result.is_stopped);
    assert_int_equal(result.accepted, 1);
    assert_int_equal(result.bad, 0);
    assert_int_equal(result.unknown_metric, 4);
}

static void strict_says_what_is_bad_as_the_peer_does(void **state)
{
    struct bench *bench = *state;
    struct line_result result;
    bench->opts.is_strict = true;
    assert_int_equal(take(bench,
                          SPAN("m,hostname=a value=1 5\nm,hostname=b value=abc 5\n"
                               "m,hostname=c value=1 5\n"),
                          100, &result),
                     0);
    assert_true(result.is_stopped);
    assert_int_equal(result.accepted, 1);
    assert_string_equal(
        result.problems[0].reason,
        "at line 2:20: value for field \"value\" (\"abc\") has unrecognized type");
}

/* A line without a host or a cluster it takes under an empty name, where nobody finds
 * it; a time that it cannot read is the present to it. */
static void strict_goes_on_after_a_line_that_is_bad_here_only(void **state)
{
    struct bench *bench = *state;
    struct line_result result;
    bench->opts.is_strict = true;
    assert_int_equal(take(bench,
                          SPAN("m value=1 5\nm,hostname=b value=1 soon\n"
                               "m,hostname=c value=1 5\n"),
                          100, &result),
                     0);
    assert_false(result.is_stopped);
    assert_int_equal(result.accepted, 1);
    assert_int_equal(result.bad, 2);
    assert_int_equal(result.unaddressed, 1);
    assert_int_equal(bench->book.unaddressed, 1);
    assert_int_equal(result.problem_count, 1);
    assert_string_equal(result.problems[0].reason, "not a time");
}

/* A host or cluster that could lead its files elsewhere it passes over; here it is a
 * name as any other. */
static void strict_skips_names_that_lead_elsewhere(void **state)
{
    static const char *const names[] = { "hostname=a/b", "hostname=..", "hostname=a\\b",
                                         "hostname=a,cluster=x/y",
                                         "hostname=a,cluster=..x" };
    struct bench *bench = *state;
    struct line_result result;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        for (int strict = 0; strict < 2; strict++) {
            AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
            strbuf_addf(&line, "m,%s value=1 5\nm,hostname=a.b,type=x/y value=1 5\n",
                        names[i]);
            bench->opts.is_strict = strict;
            assert_int_equal(take(bench, strbuf_span(&line), 1000, &result), 0);
            if (result.accepted != (strict ? 1 : 2) || result.problem_count > 0 ||
                result.unaddressed != (uint64_t)strict)
                fail_msg("%s: %llu taken", names[i],
                         (unsigned long long)result.accepted);
        }
    }
}

/* A key is charged once, however often a new metric makes its meaning old. */
static void a_key_is_charged_once(void **state)
{
    static const struct sender_quota_opts opts = {
        .shared = { .series = 100, .metrics = 100, .keys = 3 },
        .series_open = 100,
    };
    struct bench *bench = *state;
    struct lookup_cache_stats stats;
    struct line_result result;
    AUTO(sender_quota_free) struct sender_quota *quota = NULL;
    assert_int_equal(sender_quota_new(&opts, &quota), 0);
    bench->opts.account = sender_quota_account(quota, SPAN("token g"), SENDER_SHARED);
    for (bench->book.generation = 1; bench->book.generation < 10;
         bench->book.generation++)
        assert_int_equal(
            take(bench, SPAN("later,hostname=a value=1 5\n"), 100, &result), 0);
    assert_int_equal(take(bench,
                          SPAN("m,hostname=a value=1 5\nm,hostname=b value=1 5\n"
                               "m,hostname=c value=1 5\n"),
                          100, &result),
                     0);
    assert_int_equal(result.accepted, 3);
    lookup_cache_stats(bench->cache, &stats);
    assert_int_equal(stats.entries, 3);
    assert_int_equal(stats.forgone, 1);
}

/* What has no place in the cache has not used up the sender's share of it. */
static void a_key_that_is_not_remembered_is_not_charged(void **state)
{
    static const struct sender_quota_opts opts = { .shared = { .keys = 1 } };
    const struct lookup_meaning meaning = { .shard = 1 };
    (void)state;
    AUTO(sender_quota_free) struct sender_quota *quota = NULL;
    AUTO(lookup_cache_free) struct lookup_cache *full = NULL, *cache = NULL;
    assert_int_equal(sender_quota_new(&opts, &quota), 0);
    assert_int_equal(lookup_cache_new(0, &full), 0);
    assert_int_equal(lookup_cache_new(10, &cache), 0);
    struct sender_account *account =
        sender_quota_account(quota, SPAN("token g"), SENDER_SHARED);
    struct lookup_key key = lookup_cache_key(full, SPAN("m,hostname=a"));
    lookup_cache_put(full, key, &meaning, account);
    lookup_cache_put(cache, key, &meaning, account);
    assert_null(lookup_cache_find(full, key, NULL));
    assert_non_null(lookup_cache_find(cache, key, NULL));
}

static void strict_carries_a_time_to_lines_without_one(void **state)
{
    static const char text[] = "m,hostname=a value=1 5\nother,hostname=a value=1 9\n"
                               "m,hostname=a value=2\n";
    struct bench *bench = *state;
    struct line_result result;
    bench->opts.now_ns = INT64_C(77000000000);
    for (int strict = 0; strict < 2; strict++) {
        bench->opts.is_strict = strict;
        assert_int_equal(take(bench, SPAN(text), 1000, &result), 0);
        assert_string_equal(strbuf_text(&bench->book.put),
                            strict ? "c/a m@5=1;c/a m@5=2;" : "c/a m@5=1;c/a m@77=2;");
    }
}

static void a_line_has_up_to_255_tags(void **state)
{
    struct bench *bench = *state;
    struct line_result result;
    for (unsigned count = 255; count <= 256; count++) {
        AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
        strbuf_adds(&line, "m,hostname=a");
        for (unsigned i = 1; i < count; i++)
            strbuf_addf(&line, ",t%u=v", i);
        strbuf_adds(&line, " value=1 5\n");
        assert_int_equal(take(bench, strbuf_span(&line), 1000, &result), 0);
        assert_int_equal(result.accepted, count == 255);
        assert_int_equal(result.bad, count == 256);
    }
}

static void a_cache_that_is_full_forgoes_and_grows_before(void **state)
{
    (void)state;
    AUTO(lookup_cache_free) struct lookup_cache *cache = NULL;
    struct lookup_cache_stats stats;
    assert_int_equal(lookup_cache_new(9000, &cache), 0);
    for (uint64_t i = 0; i < 10000; i++) {
        struct span bytes = { (const char *)&i, sizeof i };
        const struct lookup_meaning meaning = {
            .series = (struct level_series *)cache,
            .shard = (uint16_t)i,
        };
        lookup_cache_put(cache, lookup_cache_key(cache, bytes), &meaning, NULL);
    }
    lookup_cache_stats(cache, &stats);
    assert_int_equal(stats.entries, 9000);
    assert_int_equal(stats.forgone, 1000);
    assert_true(stats.bytes / stats.entries < 100);
    struct lookup_entry *before = NULL;
    for (uint64_t i = 0; i < 10000; i++) {
        struct span bytes = { (const char *)&i, sizeof i };
        struct lookup_entry *entry =
            lookup_cache_find(cache, lookup_cache_key(cache, bytes), before);
        assert_int_equal(entry != NULL, i < 9000);
        if (entry)
            assert_int_equal(entry->shard, (uint16_t)i);
        before = entry;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WITH_BENCH(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        WITH_BENCH(lines_become_samples_of_the_right_series),
        WITH_BENCH(what_is_known_means_what_it_would_if_it_were_not),
        WITH_BENCH(pieces_of_every_size_give_the_same),
        WITH_BENCH(ten_bad_lines_are_told_and_all_are_counted),
        WITH_BENCH(a_token_of_a_host_writes_its_host_only),
        WITH_BENCH(past_the_most_series_known_ones_go_on),
        WITH_BENCH(the_sink_is_asked_once_for_a_series),
        WITH_BENCH(what_the_sink_refuses_is_not_acknowledged),
        WITH_BENCH(strict_stops_at_the_first_bad_line),
        WITH_BENCH(strict_reads_no_line_of_a_metric_that_it_has_not),
        WITH_BENCH(strict_says_what_is_bad_as_the_peer_does),
        WITH_BENCH(strict_goes_on_after_a_line_that_is_bad_here_only),
        WITH_BENCH(strict_skips_names_that_lead_elsewhere),
        WITH_BENCH(strict_carries_a_time_to_lines_without_one),
        WITH_BENCH(a_key_is_charged_once),
        cmocka_unit_test(a_key_that_is_not_remembered_is_not_charged),
        WITH_BENCH(a_line_has_up_to_255_tags),
        cmocka_unit_test(a_cache_that_is_full_forgoes_and_grows_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
