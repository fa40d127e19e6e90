/* SPDX-License-Identifier: Apache-2.0 */
/* test_selection_params - a selection written as parameters and read from them again.
 */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/counters/counters.h"

#include <stdio.h>

#define NOW_MS INT64_C(1700000000000)

/* "a=b c=d" into an initialised selection; 0 or the first error. */
static int words_set(struct selection *sel, const char *words, struct err *err)
{
    struct span rest = span_of(words), word, name;
    int rc = 0;
    while (rc == 0 && rest.size) {
        (void)span_cut(&rest, ' ', &word);
        (void)span_cut(&word, '=', &name);
        rc = selection_set(sel, name, word, err);
    }
    return rc;
}

static void add_word(void *arg, const char *name, struct span value)
{
    struct strbuf *out = arg;
    assert_int_equal(value.data[value.size], '\0');
    strbuf_addf(out, "%s%s=" SPAN_FMT, out->size ? " " : "", name, SPAN_ARG(value));
}

static void set_again(void *arg, const char *name, struct span value)
{
    struct err err = { 0 };
    if (selection_set(arg, span_of(name), value, &err) < 0)
        fail_msg("%s: %s", name, err.text);
}

/* Each parameter that was given, in the order of the table, in one form; and these
 * words make the same selection again, whatever the reader's clock says. */
static void what_is_written_reads_as_the_same_selection(void **state)
{
    static const struct {
        const char *words, *written;
    } cases[] = {
        { "", "" },
        { "fs=scratch", "fs=scratch" },
        { "user=", "user=" }, /* the user without a name is a filter, too */
        { "target=*-OST000[1-3]", "target=*-OST000[1-3]" },
        { "node=n1 job=4711 user=alice group=hpc executable=a.out server=oss1",
          "job=4711 user=alice group=hpc node=n1 executable=a.out server=oss1" },
        { "entry=a\\x20\\x5C\\xFFb", "entry=a \\x5C\\xFFb" },
        { "id=8C5A3F8E-0d6c-4f5e-9a58-0d8f6f1f0b11",
          "id=8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11" },
        { "by=", "by=" }, /* one group of everything is not the default */
        { "by=target,job,target", "by=target,job" },
        { "by=op,job", "by=job,op" },
        { "by=op", "by=op" },
        { "op=open,open,write_bytes,metadata", "op=open,write_bytes,metadata" },
        { "op=open_usecs op=write_bytes_count", "op=open_usecs,write_bytes_count" },
        { "from=2023-11-14T22:13:20.125Z", "from=2023-11-14T22:13:20.125Z" },
        { "from=@1699990000 to=@1699990001.5",
          "from=2023-11-14T19:26:40Z to=2023-11-14T19:26:41.500Z" },
        { "from=2023-11-14", "from=2023-11-14T00:00:00Z" },
        { "from=-2h", "from=-7200000ms" },
        { "from=-90s to=now", "from=-90000ms to=-0ms" },
        { "from=-90s from=@1699990000", "from=2023-11-14T19:26:40Z" },
        { "last=10m step=1500ms", "last=600000ms step=1500ms" },
        { "last=7d", "last=604800000ms" },
        { "limit=1", "limit=1" },
        { "limit=1000000", "limit=1000000" },
        { "density=yes", "density=yes" },
        { "density=no", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(selection_done) struct selection sel, again;
        AUTO(strbuf_done) struct strbuf written = STRBUF_INIT;
        AUTO(strbuf_done) struct strbuf rewritten = STRBUF_INIT;
        struct err err = { 0 };
        selection_init(&sel, NOW_MS);
        selection_init(&again, NOW_MS + 12345);
        if (words_set(&sel, cases[i].words, &err) < 0)
            fail_msg("%s: %s", cases[i].words, err.text);
        assert_int_equal(selection_params(&sel, add_word, &written), 0);
        assert_string_equal(strbuf_text(&written), cases[i].written);
        assert_int_equal(selection_params(&sel, set_again, &again), 0);
        assert_int_equal(selection_params(&again, add_word, &rewritten), 0);
        assert_string_equal(strbuf_text(&rewritten), strbuf_text(&written));
    }
}

/* Field by field, so that what both directions forget is seen. */
static void every_field_arrives(void **state)
{
    AUTO(selection_done) struct selection sel, again;
    struct err err = { 0 };
    (void)state;
    selection_init(&sel, NOW_MS);
    selection_init(&again, NOW_MS);
    assert_int_equal(words_set(&sel,
                               "fs=a target=*-OST0001 server=b job=c user=d group=e "
                               "node=f executable=g entry=x\\x20y "
                               "id=8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11 "
                               "by=job,op op=open,write_bytes from=-2h to=@1699999999 "
                               "step=30s limit=7 density=yes",
                               &err),
                     0);
    assert_int_equal(selection_params(&sel, set_again, &again), 0);
    const struct {
        struct span want, got;
    } texts[] = {
        { SPAN("a"), again.filter.fs },
        { SPAN("*-OST0001"), span_of(again.filter.target) },
        { SPAN("b"), again.server },
        { SPAN("c"), again.filter.job },
        { SPAN("d"), again.filter.user },
        { SPAN("e"), again.filter.group },
        { SPAN("f"), again.filter.node },
        { SPAN("g"), again.filter.executable },
        { SPAN("x y"), again.filter.entry_id },
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (!span_eq(texts[i].want, texts[i].got))
            fail_msg("%zu: '" SPAN_FMT "'", i, SPAN_ARG(texts[i].got));
    assert_ptr_equal(again.filter.id, &again.id);
    assert_memory_equal(&again.id, &sel.id, sizeof sel.id);
    assert_true(again.by_count == 1 && again.by[0] == DIM_JOB && again.by_op);
    assert_true(again.has_by && again.has_ops && again.density);
    assert_int_equal(again.measure_count, 2);
    assert_string_equal(again.measures[1].name, "write_bytes");
    assert_true(again.from_ms == NOW_MS - 7200000 && again.from_is_relative);
    assert_true(again.to_ms == INT64_C(1699999999000) && !again.to_is_relative);
    assert_true(again.step_ms == 30000 && again.last_ms == 0 && again.limit == 7);
}

/* "All" is a default's word: it is written as the operations it stood for. */
static void all_operations_are_written_one_by_one(void **state)
{
    AUTO(selection_done) struct selection sel, again;
    struct err err = { 0 };
    (void)state;
    selection_init(&sel, NOW_MS);
    selection_init(&again, NOW_MS);
    assert_int_equal(selection_set(&sel, SPAN("op"), SPAN("all"), &err), 0);
    assert_int_equal(selection_params(&sel, set_again, &again), 0);
    assert_int_equal(again.measure_count, OP_COUNT);
    for (size_t i = 0; i < OP_COUNT; i++)
        assert_string_equal(again.measures[i].name, sel.measures[i].name);
}

static void a_set_of_nodes_stays_one(void **state)
{
    AUTO(selection_done) struct selection sel, again;
    struct err err = { 0 };
    (void)state;
    selection_init(&sel, NOW_MS);
    selection_init(&again, NOW_MS);
    assert_int_equal(
        selection_set(&sel, SPAN("node"), SPAN("r30c[09-24],login1"), &err), 0);
    assert_int_equal(selection_params(&sel, set_again, &again), 0);
    assert_true(hostset_has(again.filter.nodes, SPAN("r30c10")));
    assert_true(hostset_has(again.filter.nodes, SPAN("login1")));
    assert_false(hostset_has(again.filter.nodes, SPAN("r30c25")));
    assert_int_equal(selection_set(&sel, SPAN("node"), SPAN("n[2-1]"), &err), -EINVAL);
    assert_non_null(strstr(err.text, "node: host set: "));
    assert_int_equal(selection_set(&sel, SPAN("node"), SPAN("n1"), &err), 0);
    assert_null(sel.filter.nodes);
}

static void the_clock_of_the_reader_counts(void **state)
{
    AUTO(selection_done) struct selection sel, again;
    struct err err = { 0 };
    (void)state;
    selection_init(&sel, NOW_MS);
    selection_init(&again, NOW_MS + 60000);
    assert_int_equal(words_set(&sel, "from=-1h to=now", &err), 0);
    assert_int_equal(selection_params(&sel, set_again, &again), 0);
    assert_int_equal(again.from_ms, NOW_MS + 60000 - 3600000);
    assert_int_equal(again.to_ms, NOW_MS + 60000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_as_the_same_selection),
        cmocka_unit_test(every_field_arrives),
        cmocka_unit_test(all_operations_are_written_one_by_one),
        cmocka_unit_test(a_set_of_nodes_stays_one),
        cmocka_unit_test(the_clock_of_the_reader_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
