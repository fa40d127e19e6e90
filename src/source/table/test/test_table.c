/* SPDX-License-Identifier: Apache-2.0 */
/* test_table - mappings, and rows that become values by them. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "source/table/table.h"

#include <inttypes.h>

#define MAP(zone, more)                                                         \
    "[table]\ntime = t\nzone = " zone "\ncomponent = {fs}@{ host }!\n" more     \
    "[measure datatargets/readbytes]\ncolumn = r\nunit = KiB\nkind = counter\n" \
    "[measure dataservers/cpuload]\ncolumn = c\n"

static int hear_value(void *arg, const struct table_value *v)
{
    strbuf_addf(arg, "%zu " SPAN_FMT " %" PRId64 " %g\n", v->measure,
                SPAN_ARG(v->component), v->t_ns / NS_PER_MS, v->value);
    return 0;
}

static void hear_fault(void *arg, uint64_t row, const char *reason)
{
    strbuf_addf(arg, "! %" PRIu64 " %s\n", row, reason);
}

static void rows_are_what_the_mapping_says(void **state)
{
    (void)state;
    static const struct {
        const char *name, *map;
        struct span row[6]; /* t, fs, " host ", r, c, side */
        size_t count;
        const char *want;
    } cases[] = {
        { "seconds",
          MAP("epoch", ""),
          { SPAN("5.25"), SPAN("a"), SPAN("h"), SPAN("2"), SPAN("1.5"), SPAN("") },
          6,
          "0 a@h! 5250 2048\n1 a@h! 5250 1.5\n" },
        { "a text of a zone, and a missing value",
          MAP("+01:00", ""),
          { SPAN("1970-01-01 01:00:05"), SPAN("a"), SPAN("h"), SPAN(""), SPAN("7"),
            SPAN("") },
          6,
          "1 a@h! 5000 7\n" },
        { "a text with a zone of its own",
          MAP("UTC", ""),
          { SPAN("1970-01-01T01:00:05+01:00"), SPAN("a"), SPAN("h"), SPAN("1"),
            SPAN(""), SPAN("") },
          6,
          "0 a@h! 5000 1024\n" },
        { "only some rows",
          MAP("epoch", "only = side = client\n"),
          { SPAN("5"), SPAN("a"), SPAN("h"), SPAN("1"), SPAN("1"), SPAN("server") },
          6,
          "" },
        { "no time",
          MAP("epoch", ""),
          { SPAN("x"), SPAN("a"), SPAN("h"), SPAN("1"), SPAN("1"), SPAN("") },
          6,
          "! 3 its time is none\n" },
        { "no value",
          MAP("UTC", ""),
          { SPAN("1970-01-01 00:00:05"), SPAN("a"), SPAN("h"), SPAN("1"), SPAN("x"),
            SPAN("") },
          6,
          "! 3 a value is none\n" },
        { "a short row",
          MAP("epoch", ""),
          { SPAN("5") },
          1,
          "! 3 it has other fields than columns\n" },
    };
    const struct span names[] = { SPAN("t"), SPAN("fs"), SPAN(" host "),
                                  SPAN("r"), SPAN("c"),  SPAN("side") };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(table_mapping_done) struct table_mapping mapping = { 0 };
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct table_rows rows;
        struct err err = { 0 };
        AUTO(strbuf_done) struct strbuf map = STRBUF_INIT;
        for (const char *c = cases[i].map; *c; c++) /* "{ host }" is "{host}" here */
            if (*c != ' ' || (c[1] != 'h' && c[1] != '}'))
                strbuf_addc(&map, *c);
        if (table_mapping_parse("m", strbuf_span(&map), &mapping, &err) < 0 ||
            table_rows_init(&rows, &mapping, names, COUNT_OF(names), &err) < 0)
            fail_msg("%s: %s", cases[i].name, err.text);
        rows.on_value = hear_value;
        rows.on_fault = hear_fault;
        rows.arg = &out;
        assert_int_equal(table_rows_take(&rows, cases[i].row, cases[i].count, 3), 0);
        table_rows_done(&rows);
        if (strcmp(strbuf_text(&out), cases[i].want) != 0)
            fail_msg("%s: got\n%s", cases[i].name, strbuf_text(&out));
    }
}

static void mappings_that_say_too_little_are_refused(void **state)
{
    (void)state;
    static const char *const maps[] = {
        "",
        "[table]\ntime = t\n[measure a/b]\ncolumn = c\n",
        "[table]\ntime = t\ncomponent = x\n",
        "[table]\ntime = t\ncomponent = x\nzone = CET\n[measure a/b]\ncolumn = c\n",
        "[table]\ntime = t\ncomponent = x\nat = noon\n[measure a/b]\ncolumn = c\n",
        "[table]\ntime = t\ncomponent = x\nonly = y\n[measure a/b]\ncolumn = c\n",
        "[table]\ntime = t\ncomponent = x\n[measure a/b]\nkind = count\n",
        "[table]\ntime = t\ncomponent = x\n[measure a/b]\ncolumn = c\nkind = sum\n",
        "[table]\ntime = t\ncomponent = x\n[measure a/b]\ncolumn = c\nunit = apples\n",
    };
    for (size_t i = 0; i < COUNT_OF(maps); i++) {
        struct table_mapping mapping = { 0 };
        struct err err = { 0 };
        if (table_mapping_parse("m", span_of(maps[i]), &mapping, &err) != -EINVAL ||
            err.text[0] == '\0' || mapping.config)
            fail_msg("%zu: taken", i);
    }
}

static void columns_that_are_not_there_are_named(void **state)
{
    (void)state;
    AUTO(table_mapping_done) struct table_mapping mapping = { 0 };
    const struct span names[] = { SPAN("t"), SPAN("r") };
    struct table_rows rows;
    struct err err = { 0 };
    assert_int_equal(table_mapping_parse("m",
                                         SPAN("[table]\ntime = t\ncomponent = {host}\n"
                                              "[measure a/b]\ncolumn = r\n"),
                                         &mapping, &err),
                     0);
    assert_int_equal(table_rows_init(&rows, &mapping, names, 2, &err), -EINVAL);
    assert_string_equal(err.text, "the table has no column 'host'");
    table_rows_done(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_what_the_mapping_says),
        cmocka_unit_test(mappings_that_say_too_little_are_refused),
        cmocka_unit_test(columns_that_are_not_there_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
