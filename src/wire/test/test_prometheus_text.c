/* SPDX-License-Identifier: Apache-2.0 */
/* test_prometheus_text - what the reader of exporters' texts makes of them. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "wire/wire.h"

#include <math.h>

#define DEFAULT_NS INT64_C(1700000000000000000)

/* "name[label=value;label=value] value[@ms][ counter]|" for samples,
 * "!line:column reason|" for faults. */
static void describe(struct span text, struct strbuf *out)
{
    static struct prometheus_reader r;
    struct prometheus_sample s;
    enum prometheus_outcome outcome;
    char plain[256];
    prometheus_reader_init(&r, text, DEFAULT_NS);
    while ((outcome = prometheus_reader_next(&r, &s)) != PROMETHEUS_END) {
        if (outcome == PROMETHEUS_FAULT) {
            strbuf_addf(out, "!%u:%u %s|", (unsigned)r.fault.line,
                        (unsigned)r.fault.column, r.fault.reason);
            continue;
        }
        strbuf_add_span(out, s.name);
        for (size_t i = 0; i < s.label_count; i++) {
            struct span value = s.labels[i].value;
            assert_true(value.size <= sizeof plain);
            strbuf_addf(out, "%s" SPAN_FMT "=", i ? ";" : "[",
                        SPAN_ARG(s.labels[i].name));
            strbuf_add(out, plain, label_unescape(value, plain));
        }
        strbuf_addf(out, "%s %.17g", s.label_count ? "]" : "", s.value);
        if (s.has_time)
            strbuf_addf(out, "@%lld", (long long)(s.t_ns / 1000000));
        else
            assert_true(s.t_ns == DEFAULT_NS);
        strbuf_adds(out, s.is_counter ? " counter|" : "|");
    }
}

struct row {
    const char *name, *text, *want;
};

static void check(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        describe(span_of(rows[i].text), &out);
        if (strcmp(strbuf_text(&out), rows[i].want) != 0)
            fail_msg("%s: got %s, want %s", rows[i].name, strbuf_text(&out),
                     rows[i].want);
    }
}

static void samples_are_read(void **state)
{
    static const struct row rows[] = {
        { "nothing", "", "" },
        { "empty lines", "\n \t \n\r\n", "" },
        { "a plain one", "up 1\n", "up 1|" },
        { "a colon in a name", "job:up:sum 2\n", "job:up:sum 2|" },
        { "labels", "a{b=\"c\",d=\"e\"} 1.5\n", "a[b=c;d=e] 1.5|" },
        { "no labels in braces", "a{} 1\n", "a 1|" },
        { "a comma behind the last", "a{b=\"c\",} 1\n", "a[b=c] 1|" },
        { "blanks wherever they may be", " \ta \t{ b = \"c\" , d=\"\" } \t1 \t7 \n",
          "a[b=c;d=] 1@7|" },
        { "no blank behind the brace", "a{b=\"c\"}3\n", "a[b=c] 3|" },
        { "a line end of Windows", "a 1\r\nb 2\r\n", "a 1|b 2|" },
        { "escapes", "a{b=\"q\\\"\\\\n\\n}\"} 1\n", "a[b=q\"\\n\n}] 1|" },
        { "UTF-8 and a brace in a value", "a{b=\"\xc3\xa4{}=,\"} 1\n",
          "a[b=\xc3\xa4{}=,] 1|" },
        { "a time", "a 1 1395066363000\n", "a 1@1395066363000|" },
        { "a time before 1970", "a 1 -5\n", "a 1@-5|" },
        { "numbers", "a 1.458255915e9\na -0.5\na +3\na 1e-3\n",
          "a 1458255915|a -0.5|a 3|a 0.001|" },
        { "not numbers", "a NaN\na +Inf\na -Inf\na inf\na -infinity\n",
          "a nan|a inf|a -inf|a inf|a -inf|" },
    };
    (void)state;
    check(rows, COUNT_OF(rows));
}

static void types_say_what_only_grows(void **state)
{
    static const struct row rows[] = {
        { "a counter", "# HELP a x\n# TYPE a counter\na 1\nb 1\n", "a 1 counter|b 1|" },
        { "a gauge", "# TYPE a gauge\na 1\n", "a 1|" },
        { "nobody knows", "# TYPE a untyped\na 1\n", "a 1|" },
        { "a type of the future", "# TYPE a stateset\na 1\n", "a 1|" },
        { "blanks", "#\tTYPE  a\tcounter \na 1\n", "a 1 counter|" },
        { "a histogram",
          "# TYPE h histogram\nh_bucket{le=\"+Inf\"} 2\nh_sum 5\nh_count 2\nh_x 1\n",
          "h_bucket[le=+Inf] 2 counter|h_sum 5 counter|h_count 2 counter|h_x 1|" },
        { "a summary", "# TYPE s summary\ns{quantile=\"0.5\"} 2\ns_sum 5\ns_count 2\n",
          "s[quantile=0.5] 2|s_sum 5 counter|s_count 2 counter|" },
        { "comments", "# a comment\n#\n#TYPE a counter\n# EOF\na 1\n", "a 1 counter|" },
    };
    (void)state;
    check(rows, COUNT_OF(rows));
}

static void a_bad_line_costs_that_line(void **state)
{
    static const struct row rows[] = {
        { "no name", "{a=\"b\"} 1\nb 2\n", "!1:1 this is not a name of a metric|b 2|" },
        { "a name with a digit first", "1a 1\n",
          "!1:1 this is not a name of a metric|" },
        { "a name with a dash", "a-b 1\n", "!1:2 this is not a name of a metric|" },
        { "no value", "a\n", "!1:2 there is no value|" },
        { "no value behind labels", "a{} \n", "!1:5 there is no value|" },
        { "no number", "a x\n", "!1:3 a value that is not a number|" },
        { "hex", "a 0x10\n", "!1:3 a value that is not a number|" },
        { "too large", "a 1e999\n", "!1:3 a number that no double can hold|" },
        { "no time", "a 1 x\n", "!1:5 a time that is not a whole number|" },
        { "a fraction of a time", "a 1 1.5\n",
          "!1:5 a time that is not a whole number|" },
        { "a time too large", "a 1 9223372036854775807\n",
          "!1:5 a time out of all range|" },
        { "something behind it", "a 1 2 3\n", "!1:7 something behind the time|" },
        { "an exemplar", "a 1 # {b=\"c\"} 1\n",
          "!1:5 a time that is not a whole number|" },
        { "a label without a name", "a{=\"b\"} 1\n",
          "!1:3 this is not a name of a label|" },
        { "without a value", "a{b} 1\n", "!1:4 a label without an equals sign|" },
        { "without quotes", "a{b=c} 1\n", "!1:5 a label without a value in quotes|" },
        { "without an end", "a{b=\"c} 1\n",
          "!1:10 a label's value that does not end|" },
        { "without a brace", "a{b=\"c\" 1\n",
          "!1:9 neither a comma nor a brace behind a label|" },
        { "two commas", "a{b=\"c\",,} 1\n", "!1:9 this is not a name of a label|" },
        { "a label twice", "a{b=\"c\",b=\"d\"} 1\n", "!1:9 a label twice|" },
        { "the second label twice", "a{b=\"c\",d=\"e\",d=\"f\"} 1\n",
          "!1:15 a label twice|" },
        { "another escape", "a{b=\"\\t\"} 1\n",
          "!1:6 a backslash before something else than \\, \" and n|" },
        { "a type of nothing", "# TYPE 1 counter\na 1\n",
          "!1:8 this is not a name of a metric|a 1|" },
        { "the end of the text", "a 1\na 12", "a 1|!2:5 the last line has no end|" },
    };
    (void)state;
    check(rows, COUNT_OF(rows));
}

static void nan_is_the_missing_value(void **state)
{
    static struct prometheus_reader r;
    struct prometheus_sample s;
    uint64_t bits;
    (void)state;
    prometheus_reader_init(&r, SPAN("a -1\na NaN\n"), 0);
    assert_int_equal(prometheus_reader_next(&r, &s), PROMETHEUS_SAMPLE);
    assert_int_equal(prometheus_reader_next(&r, &s), PROMETHEUS_SAMPLE);
    memcpy(&bits, &s.value, sizeof bits);
    assert_true(bits == UINT64_C(0x7FF8000000000000));
}

static void too_much_is_refused(void **state)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
    (void)state;
    strbuf_adds(&text, "a{");
    for (int i = 0; i <= PROMETHEUS_LABELS_MAX; i++)
        strbuf_addf(&text, "l%d=\"\",", i);
    strbuf_adds(&text, "} 1\nb{c=\"");
    for (int i = 0; i < PROMETHEUS_LINE_BYTES_MAX; i++)
        strbuf_addc(&text, 'x');
    strbuf_adds(&text, "\"} 1\nc 3\n");
    describe(strbuf_span(&text), &out);
    assert_string_equal(strbuf_text(&out),
                        "!1:441 too many labels|!2:1 a line that is too long|c 3|");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_read),
        cmocka_unit_test(types_say_what_only_grows),
        cmocka_unit_test(a_bad_line_costs_that_line),
        cmocka_unit_test(nan_is_the_missing_value),
        cmocka_unit_test(too_much_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
