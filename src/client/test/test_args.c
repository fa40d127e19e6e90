/* SPDX-License-Identifier: Apache-2.0 */
/* test_args - the selection that options say. */
#include "base/span.h"
#include "base/test/testing.h"
#include "client/client.h"

#include <stdio.h>

#define NOW_MS INT64_C(1700000000000)

static void add_word(void *arg, const char *name, struct span value)
{
    struct strbuf *out = arg;
    strbuf_addf(out, "%s%s=" SPAN_FMT, out->size ? " " : "", name, SPAN_ARG(value));
}

static void each_option_is_in_the_selection(void **state)
{
    const char *by[] = { "job", "user,node" };
    const char *ops[] = { "open", "write_bytes,metadata" };
    const struct {
        struct client_args args;
        const char *want;
    } cases[] = {
        { .want = "" },
        { { .fs = "a", .target = "*b", .lustre_server = "c" },
          "fs=a server=c target=*b" },
        { { .job = "1", .user = "u", .group = "g", .node = "n", .executable = "e" },
          "job=1 user=u group=g node=n executable=e" },
        { { .entry = "x\\x20", .id = "8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11" },
          "entry=x  id=8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b11" },
        { { .by = { by, 2 }, .ops = { ops, 2 } },
          "by=job,user,node op=open,write_bytes,metadata" },
        { { .from = "-2h", .to = "@1699999999", .step = "30s" },
          "from=-7200000ms to=2023-11-14T22:13:19Z step=30000ms" },
        { { .last = "10m", .limit = 7, .density = true },
          "last=600000ms limit=7 density=yes" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(selection_done) struct selection sel;
        AUTO(strbuf_done) struct strbuf words = STRBUF_INIT;
        struct err err = { 0 };
        selection_init(&sel, NOW_MS);
        if (client_args_select(&cases[i].args, &sel, &err) < 0)
            fail_msg("%zu: %s", i, err.text);
        assert_int_equal(selection_params(&sel, add_word, &words), 0);
        assert_string_equal(strbuf_text(&words), cases[i].want);
    }
}

static void what_does_not_fit_is_refused_by_name(void **state)
{
    const char *bad[] = { "colour" };
    const struct {
        struct client_args args;
        const char *reason;
    } cases[] = {
        { { .from = "then" }, "from: 'then' is not a time" },
        { { .last = "7" }, "last: '7' is not a length of time" },
        { { .id = "7" }, "id: '7' is not a UUID" },
        { { .target = "" }, "target: a value is missing" },
        { { .by = { bad, 1 } }, "by: invalid value 'colour' (choose fs, target, " },
        { { .ops = { bad, 1 } }, "op: 'colour' is not an operation" },
        { { .limit = SELECTION_LIMIT_MAX + 1 },
          "limit: '1000001' is not in 1..1000000" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(selection_done) struct selection sel;
        struct err err = { 0 };
        selection_init(&sel, NOW_MS);
        int rc = client_args_select(&cases[i].args, &sel, &err);
        if (rc != -EINVAL ||
            strncmp(err.text, cases[i].reason, strlen(cases[i].reason)) != 0)
            fail_msg("%zu: %d %s", i, rc, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_option_is_in_the_selection),
        cmocka_unit_test(what_does_not_fit_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
