/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_selector - components that a request names, and what is not there. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/metric/metric.h"

#include <errno.h>

static struct metric_store *store_filled(void)
{
    struct err err = { 0 };
    const struct metric_store_options options = { .shard_count = 3 };
    const struct metric declared = { .name = SPAN("m"), .step_ns = 10 * NS_PER_S };
    const struct metric *metric = NULL;
    struct metric_store *store = NULL;
    assert_int_equal(metric_store_open(&options, &store, &err), 0);
    assert_int_equal(metric_declare(metric_store_metrics(store), &declared, &metric),
                     0);
    for (unsigned i = 1; i <= 10; i++) {
        struct level_series *series = NULL;
        char path[64];
        (void)snprintf(path, sizeof path, "alex/r30c%02u", i);
        assert_int_equal(metric_store_series(store, span_of(path), metric, &series), 0);
        (void)snprintf(path, sizeof path, "alex/r30c%02u/hwthread:%u", i, i % 4);
        assert_int_equal(metric_store_series(store, span_of(path), metric, &series), 0);
    }
    struct level_series *series = NULL;
    assert_int_equal(metric_store_series(store, SPAN("fritz/f0101"), metric, &series),
                     0);
    return store;
}

/* The paths with blanks between them, then what is missing, one a line. */
static int select_text(const struct metric_store *store, const char *const *patterns,
                       struct strbuf *out, struct err *err)
{
    AUTO(metric_levels_done) struct metric_levels levels = { 0 };
    AUTO(metric_missing_done) struct metric_missing missing;
    struct span spans[4];
    size_t count = 0;
    for (; count < COUNT_OF(spans) && patterns[count]; count++)
        spans[count] = span_of(patterns[count]);
    metric_missing_init(&missing);
    int rc = metric_selector_find(store, spans, count, &levels, &missing, err);
    const struct level *last = NULL;
    for (size_t i = 0; i < levels.count; i++) {
        const struct level *level = levels.items[i];
        struct span path = { level->path, level->path_size };
        if (last && span_eq(path, (struct span){ last->path, last->path_size }))
            continue; /* a cluster is in several shards */
        strbuf_adds(out, out->size ? " " : "");
        strbuf_add_span(out, path);
        last = level;
    }
    for (size_t i = 0; i < missing.count; i++) {
        strbuf_addc(out, '\n');
        metric_missing_print(&missing.items[i], out);
    }
    return rc;
}

static void what_is_named_is_found_and_what_is_not_there_is_told_with_what_is(
    void **state)
{
    static const struct {
        const char *patterns[4];
        int want;
        const char *text;
    } rows[] = {
        { { "alex/r30c03" }, 0, "alex/r30c03" },
        { { "alex/r30c[02-03]" }, 0, "alex/r30c02 alex/r30c03" },
        { { "alex/r30c[09-24]" },
          0,
          "alex/r30c09 alex/r30c10\nalex/r30c[09-24]: there is no host r30c[11-24]; "
          "there are r30c[01-10]" },
        { { "alex/r30c01,r30c77" },
          0,
          "alex/r30c01\nalex/r30c01,r30c77: there is no host r30c77; there are "
          "r30c[01-10]" },
        { { "alex/r31*" },
          -ENOENT,
          "\nalex/r31*: there is no host r31*; there are r30c[01-10]" },
        { { "alx/*" }, -ENOENT, "\nalx/*: there is no cluster alx; there is alex" },
        { { "alex,woody/r30c01" },
          0,
          "alex/r30c01\nalex,woody/r30c01: there is no cluster woody; there are "
          "alex,fritz" },
        { { "alex/r30c01/core:*" },
          -ENOENT,
          "\nalex/r30c01/core:*: there is no part core:*; there is hwthread:1" },
        { { "*/*/hwthread:[0-1]" },
          0,
          "alex/r30c01/hwthread:1 alex/r30c04/hwthread:0 alex/r30c05/hwthread:1 "
          "alex/r30c08/hwthread:0 alex/r30c09/hwthread:1" },
        { { "alex" }, 0, "alex" },
        { { "r30c[01-02]" }, 0, "alex/r30c01 alex/r30c02" },
        { { "f0101" }, 0, "fritz/f0101" },
        { { "f0102" }, -ENOENT, "\nf0102: there is no cluster f0102; there is fritz" },
        { { "fritz/*", "alex/r30c01", "fritz/f0101" }, 0, "alex/r30c01 fritz/f0101" },
        { { "fritz/*", "alex/b1" },
          0,
          "fritz/f0101\nalex/b1: there is no host b1; there are r30c[01-10]" },
    };
    (void)state;
    struct metric_store *store = store_filled();
    unsigned reader = metric_store_enter(store);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct err err = { 0 };
        int rc = select_text(store, rows[i].patterns, &out, &err);
        if (rc != rows[i].want || strcmp(strbuf_text(&out), rows[i].text) != 0)
            fail_msg("%s: %d '%s'", rows[i].patterns[0], rc, strbuf_text(&out));
    }
    metric_store_leave(store, reader);
    metric_store_close(store);
}

static void nothing_found_is_an_error_that_names_what_is_not_there(void **state)
{
    static const struct {
        const char *pattern, *text;
        int want;
    } rows[] = {
        { "alex/q1", "component alex/q1: there is no host q1; there are r30c[01-10]",
          -ENOENT },
        { "alex/r30c[3-1]",
          "component: 'r30c[3-1]': the range 3-1 ends before it begins", -EINVAL },
        { "alex//a", "component: 'alex//a': a level of the path is empty", -EINVAL },
    };
    (void)state;
    struct metric_store *store = store_filled();
    unsigned reader = metric_store_enter(store);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct err err = { 0 };
        const char *const patterns[] = { rows[i].pattern, NULL };
        assert_int_equal(select_text(store, patterns, &out, &err), rows[i].want);
        assert_string_equal(err.text, rows[i].text);
    }
    metric_store_leave(store, reader);
    metric_store_close(store);
}

static void a_long_list_of_what_is_there_is_cut_between_names(void **state)
{
    (void)state;
    struct metric_store *store = store_filled();
    const struct metric *metric = metric_find(metric_store_metrics(store), SPAN("m"));
    for (unsigned i = 0; i < 60; i++) {
        struct level_series *series = NULL;
        char path[64];
        (void)snprintf(path, sizeof path, "zoo/animal%c%c-x", 'a' + (char)(i / 26),
                       'a' + (char)(i % 26));
        assert_int_equal(metric_store_series(store, span_of(path), metric, &series), 0);
    }
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const char *const patterns[] = { "zoo/animal", NULL };
    unsigned reader = metric_store_enter(store);
    assert_int_equal(select_text(store, patterns, &out, NULL), -ENOENT);
    metric_store_leave(store, reader);
    metric_store_close(store);
    assert_true(out.size < 180);
    assert_non_null(strstr(strbuf_text(&out), "animalaa-x,"));
    assert_string_equal(strbuf_text(&out) + out.size - 4, ",...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            what_is_named_is_found_and_what_is_not_there_is_told_with_what_is),
        cmocka_unit_test(nothing_found_is_an_error_that_names_what_is_not_there),
        cmocka_unit_test(a_long_list_of_what_is_there_is_cut_between_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
