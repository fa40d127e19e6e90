/* SPDX-License-Identifier: Apache-2.0 */
/* test_scrape_receiver - texts of exporters on their way into a sink that writes down
 * what it gets. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "ingest/ingest.h"

#define STEP_NS INT64_C(60000000000)

enum { SERIES_MAX = 64 };

struct book {
    char names[SERIES_MAX][256];
    size_t count;
    size_t asked;
    struct strbuf put; /* "name@s=value;" */
    int refusal;       /* of the next puts */
    struct sink sink;
    struct lookup_cache *cache;
    struct scrape_receiver_opts opts;
    struct sender_account *account;
};

static int book_series(void *arg, const struct sink_key *key, struct level_series **ret,
                       uint16_t *ret_shard)
{
    struct book *book = arg;
    char name[256];
    size_t i = 0;
    book->asked++;
    assert_true(key->is_open && key->step_ns == STEP_NS);
    (void)snprintf(name, sizeof name, SPAN_FMT " " SPAN_FMT "%s", SPAN_ARG(key->path),
                   SPAN_ARG(key->metric), key->is_counter ? "+" : "");
    while (i < book->count && strcmp(book->names[i], name) != 0)
        i++;
    if (i == SERIES_MAX || span_is(key->metric, "too_many"))
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

static uint32_t book_generation(void *arg)
{
    (void)arg;
    return 1;
}

static int setup(void **state)
{
    struct book *book = calloc(1, sizeof *book);
    assert_non_null(book);
    book->sink = (struct sink){ .series = book_series,
                                .put = book_put,
                                .generation = book_generation,
                                .arg = book,
                                .shard_count = 2 };
    assert_int_equal(lookup_cache_new(1000, &book->cache), 0);
    book->opts = (struct scrape_receiver_opts){
        .sink = &book->sink,
        .cache = book->cache,
        .names = { .cluster = SPAN("c"), .host_label = "" },
        .step_ns = STEP_NS,
        .section = "boxes",
    };
    *state = book;
    return 0;
}

static int teardown(void **state)
{
    struct book *book = *state;
    lookup_cache_free(book->cache);
    strbuf_done(&book->put);
    free(book);
    return 0;
}

static const char *take(struct book *book, const char *text, struct scrape_result *ret)
{
    const struct scrape_text one = { SPAN("h"), span_of(text), INT64_C(7000000000),
                                     book->account };
    strbuf_clear(&book->put);
    assert_int_equal(scrape_receive(&book->opts, &one, ret), 0);
    return strbuf_text(&book->put);
}

static void labels_become_components(void **state)
{
    static const char *gpu[] = { "gpu accelerator", "cpu hwthread" };
    static const char *uuid[] = { "UUID", "modelName" };
    static const char *all[] = { "*" };
    static const struct {
        const char *name;
        struct scrape_names_opts names;
        const char *text, *want;
    } cases[] = {
        { "none", { .host_label = "" }, "m 1\n", "c/h m@7=1;" },
        { "one",
          { .host_label = "" },
          "m{device=\"sda\"} 1\n",
          "c/h/device:sda m@7=1;" },
        { "one of no value", { .host_label = "" }, "m{device=\"\"} 1\n", "c/h m@7=1;" },
        { "two, sorted",
          { .host_label = "" },
          "m{mode=\"idle\",cpu=\"0\"} 1\n",
          "c/h/tags:cpu=0,mode=idle m@7=1;" },
        { "what could be taken for another pair",
          { .host_label = "" },
          "m{a=\"1,b=2\",c=\"\\\\\"} 1\n",
          "c/h/tags:a=1\\x5C,b\\x5C=2,c=\\x5C\\x5C m@7=1;" },
        { "a label called tags",
          { .host_label = "" },
          "m{tags=\"x\"} 1\n",
          "c/h/tags:tags=x m@7=1;" },
        { "mapped",
          { .host_label = "", .map = { gpu, 2 } },
          "m{gpu=\"0\"} 1\n",
          "c/h/accelerator:0 m@7=1;" },
        { "mapped, and another",
          { .host_label = "", .map = { gpu, 2 } },
          "m{mode=\"idle\",cpu=\"3\"} 1\n",
          "c/h/hwthread:3/mode:idle m@7=1;" },
        { "mapped twice",
          { .host_label = "", .map = { gpu, 2 } },
          "m{gpu=\"1\",cpu=\"3\",x=\"y\"} 1\n",
          "c/h/accelerator:1/tags:hwthread=3,x=y m@7=1;" },
        { "dropped, and a label for the host",
          { .host_label = "Hostname", .map = { gpu, 2 }, .drop = { uuid, 2 } },
          "m{gpu=\"0\",UUID=\"GPU-1\",modelName=\"A 1\",Hostname=\"n1\"} 1\n",
          "c/n1/accelerator:0 m@7=1;" },
        { "all dropped but what is mapped",
          { .host_label = "", .map = { gpu, 2 }, .drop = { all, 1 } },
          "m{gpu=\"0\",a=\"b\",c=\"d\"} 1\n",
          "c/h/accelerator:0 m@7=1;" },
        { "bytes that a path may not have",
          { .host_label = "" },
          "m{path=\"/a b\\n\"} 1\n",
          "c/h/path:\\x2Fa\\x20b\\x0A m@7=1;" },
    };
    struct book *book = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scrape_result result;
        char section[16];
        (void)snprintf(section, sizeof section, "%zu", i);
        book->opts.section = section;
        book->opts.names = cases[i].names;
        book->opts.names.cluster = SPAN("c");
        const char *got = take(book, cases[i].text, &result);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got %s, want %s", cases[i].name, got, cases[i].want);
    }
}

static void what_was_seen_is_not_looked_up_again(void **state)
{
    struct book *book = *state;
    struct scrape_result result;
    const char *text = "# TYPE a counter\na 1\nb{c=\"d\"} 2 9000\n";
    assert_string_equal(take(book, text, &result), "c/h a+@7=1;c/h/c:d b@9=2;");
    assert_string_equal(take(book, text, &result), "c/h a+@7=1;c/h/c:d b@9=2;");
    assert_int_equal(book->asked, 2);
    assert_int_equal(result.samples, 2);
}

static void patterns_say_what_is_taken(void **state)
{
    static const char *keep[] = { "node_*" };
    static const char *leave[] = { "node_scrape_*" };
    struct book *book = *state;
    struct scrape_result result;
    book->opts.keep = (struct config_list){ keep, 1 };
    book->opts.leave = (struct config_list){ leave, 1 };
    assert_string_equal(
        take(book, "go_info 1\nnode_load1 2\nnode_scrape_x 3\n", &result),
        "c/h node_load1@7=2;");
    assert_int_equal(result.left, 2);
    assert_int_equal(result.samples, 1);
}

static void what_is_bad_or_has_no_room_is_counted(void **state)
{
    struct book *book = *state;
    struct scrape_result result;
    assert_string_equal(take(book, "a 1\nb x\ntoo_many 1\n}\nc 2\n", &result),
                        "c/h a@7=1;c/h c@7=2;");
    assert_int_equal(result.bad, 2);
    assert_int_equal(result.first.line, 2);
    assert_int_equal(result.refused.store_full, 1);
}

static void what_the_sink_refuses_is_an_error(void **state)
{
    struct book *book = *state;
    struct scrape_result result;
    book->refusal = -ENOSPC;
    const struct scrape_text one = { SPAN("h"), SPAN("a 1\n"), 1, NULL };
    assert_int_equal(scrape_receive(&book->opts, &one, &result), -ENOSPC);
}

static void a_verdict_is_a_sample_too(void **state)
{
    struct book *book = *state;
    const struct scrape_verdict verdict = { true, 0.5, 3 };
    assert_int_equal(
        scrape_receive_verdict(&book->opts, SPAN("h"), INT64_C(7000000000), &verdict),
        0);
    assert_string_equal(strbuf_text(&book->put),
                        "c/h/scrape:boxes scrape_up@7=1;"
                        "c/h/scrape:boxes scrape_samples@7=3;"
                        "c/h/scrape:boxes scrape_seconds@7=0.5;");
}

static void a_map_without_a_type_is_refused(void **state)
{
    static const char *const items[] = { "gpu", " x", "gpu a b", "" };
    struct err err;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(items); i++) {
        const char *item = items[i];
        const struct scrape_names_opts opts = { .host_label = "", .map = { &item, 1 } };
        if (scrape_names_check(&opts, &err) != -EINVAL)
            fail_msg("'%s' was taken", items[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(labels_become_components, setup, teardown),
        cmocka_unit_test_setup_teardown(what_was_seen_is_not_looked_up_again, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(patterns_say_what_is_taken, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_bad_or_has_no_room_is_counted, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_the_sink_refuses_is_an_error, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_verdict_is_a_sample_too, setup, teardown),
        cmocka_unit_test(a_map_without_a_type_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
