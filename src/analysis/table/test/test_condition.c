/* SPDX-License-Identifier: Apache-2.0 */
/* test_condition - units, types, and what is not known. */
#include "analysis/table/condition.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    struct condition_type type;
    struct value value;
} names[] = {
    { "read", { CONDITION_NUMBER, { .bytes = 1 } }, { VALUE_NUMBER, .number = 2e9 } },
    { "time", { CONDITION_NUMBER, { .seconds = 1 } }, { VALUE_NUMBER, .number = 100 } },
    { "share",
      { CONDITION_NUMBER, { .scale = UNIT_SHARE } },
      { VALUE_NUMBER, .number = 0.4 } },
    { "files",
      { CONDITION_NUMBER, { .scale = UNIT_COUNT } },
      { VALUE_NUMBER, .number = 12 } },
    { "lost", { CONDITION_NUMBER, { .bytes = 1 } }, { .kind = VALUE_MISSING } },
    { "user", { .kind = CONDITION_TEXT }, { VALUE_TEXT, .text = { "ada-7", 5 } } },
    { "nobody", { .kind = CONDITION_TEXT }, { .kind = VALUE_MISSING } },
    { "small", { .kind = CONDITION_TRUTH }, { VALUE_NUMBER, .number = 1 } },
    { "unseen", { .kind = CONDITION_TRUTH }, { .kind = VALUE_MISSING } },
    { "zero", { CONDITION_NUMBER, { .seconds = 1 } }, { VALUE_NUMBER, .number = 0 } },
    { "at",
      { CONDITION_NUMBER, { .seconds = 1, .is_time = true } },
      { VALUE_NUMBER, .number = 1.6e9 } },
};

static int name_find(void *arg, struct span name)
{
    (void)arg;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (span_is(name, names[i].name))
            return (int)i;
    return -ENOENT;
}

static struct condition_type name_type(void *arg, int column)
{
    (void)arg;
    return names[column].type;
}

static void name_unknown(void *arg, struct span name, struct err *err)
{
    (void)arg;
    (void)err_set(err, EINVAL, "no '" SPAN_FMT "'", SPAN_ARG(name));
}

static const struct condition_names known = { NULL, name_find, name_type,
                                              name_unknown };

static int parse(const char *text, struct arena *arena, const struct expression **ret,
                 struct condition_type *ret_type, struct err *err)
{
    return condition_parse(span_of(text), &known, arena, ret, ret_type, err);
}

static void conditions_are_true_false_or_unknown(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum condition_result want;
    } cases[] = {
        { "read > 1GB", CONDITION_TRUE },
        { "read > 2GiB", CONDITION_FALSE },
        { "read / time > 10MB/s", CONDITION_TRUE },
        { "read / time = 20MB/s", CONDITION_TRUE },
        { "files / time > 0.1/s", CONDITION_TRUE },
        { "time = 100s and time < 2min", CONDITION_TRUE },
        { "share < 50%", CONDITION_TRUE },
        { "1 - share > 50%", CONDITION_TRUE },
        { "read > 0", CONDITION_TRUE },
        { "files % 5 = 2", CONDITION_TRUE },
        { "read / 2GB = 1", CONDITION_TRUE },
        { "read / 4GB = 50%", CONDITION_TRUE },
        { "at > time(\"2020-01-01\")", CONDITION_TRUE },
        { "starts(user, \"ada\")", CONDITION_TRUE },
        { "part(user, 2, \"-\") = \"7\"", CONDITION_TRUE },
        /* what is not known */
        { "lost > 1GB", CONDITION_UNKNOWN },
        { "not lost > 1GB", CONDITION_UNKNOWN },
        { "not (lost > 1GB or read < 1GB)", CONDITION_UNKNOWN },
        { "lost > 1GB or read > 1GB", CONDITION_TRUE },
        { "read > 1GB or lost > 1GB", CONDITION_TRUE },
        { "lost > 1GB and read < 1GB", CONDITION_FALSE },
        { "lost > 1GB and read > 1GB", CONDITION_UNKNOWN },
        { "max(lost, read) > 1GB", CONDITION_UNKNOWN },
        { "lost != 1GB", CONDITION_UNKNOWN },
        { "not contains(nobody, \"x\")", CONDITION_UNKNOWN },
        { "join(nobody, \"x\") = \"x\"", CONDITION_UNKNOWN },
        { "missing(lost)", CONDITION_TRUE },
        { "not missing(read)", CONDITION_TRUE },
        { "not unseen", CONDITION_UNKNOWN },
        { "small and not unseen", CONDITION_UNKNOWN },
        { "small or unseen", CONDITION_TRUE },
        { "read / zero > 1GB/s", CONDITION_UNKNOWN },
        { "not (read / zero > 1GB/s)", CONDITION_UNKNOWN },
        { "if(unseen, read, time * 1GB/s) > 0", CONDITION_UNKNOWN },
        { "if(small, read, lost) > 0", CONDITION_TRUE },
        { "if(small, lost, read) > 0", CONDITION_UNKNOWN },
        { "part(user, 9, \"-\") = \"7\"", CONDITION_UNKNOWN },
        { "seconds(user) > 1s", CONDITION_UNKNOWN },
    };
    struct value values[sizeof names / sizeof *names];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        values[i] = names[i].value;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena;
        struct err err = { 0 };
        const struct expression *e = NULL;
        struct condition_type type;
        arena_init(&arena, 1 << 20);
        int rc = parse(cases[i].text, &arena, &e, &type, &err);
        if (rc < 0 || type.kind != CONDITION_TRUTH)
            fail_msg("%s: %s", cases[i].text, err.text);
        enum condition_result got = condition_result(e, values, &arena);
        if (got != cases[i].want)
            fail_msg("%s: got %d, want %d", cases[i].text, got, cases[i].want);
        arena_done(&arena);
    }
}

static void what_does_not_fit_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "read > 1000", "column 1: bytes and a plain number" },
        { "share > 90", "a share (%) and a plain number" },
        { "time > 1GiB", "s and bytes" },
        { "read + time > 1", "bytes and s" },
        { "user > 5", "a text and a plain number" },
        { "read and small", "column 1: a condition expected, this is bytes" },
        { "not time", "a condition expected, this is s" },
        { "contains(read, \"x\")", "a text expected, this is bytes" },
        { "small = small", "a condition and a condition" },
        { "raed > 1GB", "column 1: no 'raed'" },
        { "read > 1XB", "a unit of a number" },
        { "read > 1.2.3GB", "a unit of a number" },
        { "missing(read > 1GB)", "missing() is of a value's name" },
        { "at + at > at", "times of day are not added" },
        { "at * 2 > at", "has no meaning" },
        { "read * read * read * read * read > 0", "has no meaning" },
        { "if(small, read, time) > 0", "bytes and s" },
        { "read >", "expected" },
        { "", "expected" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena;
        struct err err = { 0 };
        const struct expression *e = NULL;
        struct condition_type type;
        arena_init(&arena, 1 << 20);
        int rc = parse(cases[i].text, &arena, &e, &type, &err);
        if (rc != -EINVAL || !strstr(err.text, cases[i].want) || e)
            fail_msg("%s: %d, '%s'", cases[i].text, rc, err.text);
        arena_done(&arena);
    }
}

static void values_are_printed_with_their_unit(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "read", "1.86 GiB" },
        { "read / time", "19.1 MiB/s" },
        { "share", "40 %" },
        { "files", "12" },
        { "time * 3", "5 min" },
        { "files / time", "0.12/s" },
        { "read / 4GB * 100%", "50 %" },
        { "at", "2020-09-13T12:26:40Z" },
        { "10kWh / time", "360 kW" },
    };
    struct value values[sizeof names / sizeof *names];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        values[i] = names[i].value;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        struct arena arena;
        struct err err = { 0 };
        const struct expression *e = NULL;
        struct condition_type type;
        arena_init(&arena, 1 << 20);
        if (parse(cases[i].text, &arena, &e, &type, &err) < 0)
            fail_msg("%s: %s", cases[i].text, err.text);
        struct value v = condition_value(e, values, &arena);
        unit_print_value(&type.unit, v.number, &out);
        if (strcmp(strbuf_text(&out), cases[i].want) != 0)
            fail_msg("%s: '%s'", cases[i].text, strbuf_text(&out));
        arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_are_true_false_or_unknown),
        cmocka_unit_test(what_does_not_fit_is_refused_with_its_place),
        cmocka_unit_test(values_are_printed_with_their_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
