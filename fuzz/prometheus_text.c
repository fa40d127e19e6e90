/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_prometheus_text - what the reader of exporters' texts hands out stays within its
 * text, and reads the same when it is printed again.
 */
#include "base/span.h"
#include "base/strbuf.h"
#include "fuzz/fuzz.h"
#include "wire/wire.h"

#define TEXT_MAX 4096

static struct prometheus_reader reader, again;

static void check_within(struct span text, struct span s)
{
    fuzz_check(s.data >= text.data && s.data + s.size <= text.data + text.size);
}

static void add_escaped(struct strbuf *out, struct span plain)
{
    for (size_t i = 0; i < plain.size; i++) {
        char c = plain.data[i];
        if (c == '\\' || c == '"' || c == '\n')
            strbuf_addc(out, '\\');
        strbuf_addc(out, c == '\n' ? 'n' : c);
    }
}

/* In the plainest form there is. */
static void print(struct strbuf *out, const struct prometheus_sample *s)
{
    char plain[TEXT_MAX];
    strbuf_add_span(out, s->name);
    strbuf_addc(out, '{');
    for (size_t i = 0; i < s->label_count; i++) {
        size_t size = label_unescape(s->labels[i].value, plain);
        fuzz_check(size <= s->labels[i].value.size);
        strbuf_add_span(out, s->labels[i].name);
        strbuf_adds(out, "=\"");
        add_escaped(out, (struct span){ plain, size });
        strbuf_adds(out, "\",");
    }
    strbuf_addf(out, "} %.17g", s->value);
    if (s->has_time)
        strbuf_addf(out, " %lld", (long long)(s->t_ns / 1000000));
    strbuf_addc(out, '\n');
}

static void check_again(const struct prometheus_sample *s)
{
    AUTO(strbuf_done) struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
    struct prometheus_sample read;
    print(&first, s);
    prometheus_reader_init(&again, strbuf_span(&first), 1);
    fuzz_check(prometheus_reader_next(&again, &read) == PROMETHEUS_SAMPLE);
    fuzz_check(read.value == s->value ||
               (read.value != read.value && s->value != s->value));
    fuzz_check(read.has_time == s->has_time && (!s->has_time || read.t_ns == s->t_ns));
    print(&second, &read);
    fuzz_check(span_eq(strbuf_span(&first), strbuf_span(&second)));
    fuzz_check(prometheus_reader_next(&again, &read) == PROMETHEUS_END);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = { (const char *)data, size };
    struct prometheus_sample s;
    enum prometheus_outcome outcome;
    uint64_t line = 0;
    if (size == 0 || size > TEXT_MAX)
        return 0;
    prometheus_reader_init(&reader, text, 1);
    while ((outcome = prometheus_reader_next(&reader, &s)) != PROMETHEUS_END) {
        fuzz_check(reader.line > line);
        line = reader.line;
        if (outcome == PROMETHEUS_FAULT) {
            fuzz_check(reader.fault.line == line && reader.fault.column >= 1 &&
                       reader.fault.reason != NULL);
            continue;
        }
        check_within(text, s.key);
        check_within(s.key, s.name);
        for (size_t i = 0; i < s.label_count; i++) {
            check_within(s.key, s.labels[i].name);
            check_within(s.key, s.labels[i].value);
        }
        check_again(&s);
    }
    return 0;
}
