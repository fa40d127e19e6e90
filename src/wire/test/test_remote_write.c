/* SPDX-License-Identifier: Apache-2.0 */
/* test_remote_write - messages of remote write: read as they were written, cut, odd. */
#include "base/span.h"
#include "base/test/testing.h"
#include "wire/wire.h"

#include <errno.h>
#include <stdlib.h>

static const struct label_pair labels[] = {
    { { "__name__", 8 }, { "up", 2 } },
    { { "job", 3 }, { "node", 4 } },
};
static const struct remote_sample samples[] = {
    { 1000, 0x3FF0000000000000 },
    { -5, REMOTE_STALE_BITS },
};

static void print_series_of(struct span message, struct strbuf *out)
{
    struct remote_reader reader;
    struct remote_series series;
    if (remote_reader_init(&reader, message) < 0) {
        strbuf_adds(out, "none");
        return;
    }
    while (remote_reader_next(&reader, &series)) {
        struct remote_labels list;
        struct label_pair pair;
        struct remote_sample sample;
        struct span rest = series.message;
        int rc = 0;
        if (series.fault) {
            strbuf_addf(out, "(%s)", series.fault);
            continue;
        }
        remote_labels_init(&list, &series);
        while ((rc = remote_labels_next(&list, &pair)) > 0)
            strbuf_addf(out, SPAN_FMT "=" SPAN_FMT " ", SPAN_ARG(pair.name),
                        SPAN_ARG(pair.value));
        while (remote_samples_next(&rest, &sample))
            strbuf_addf(out, "%llx@%lld ", (unsigned long long)sample.bits,
                        (long long)sample.t_ms);
        strbuf_addf(out, "%s%zu.", rc < 0 ? "bad " : "", series.samples);
    }
    strbuf_addf(out, "%llu", (unsigned long long)reader.metadata);
}

static void check_message(const char *name, struct span message, const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    print_series_of(message, &out);
    if (strcmp(strbuf_text(&out), want) != 0)
        fail_msg("%s: %s, not %s", name, strbuf_text(&out), want);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf message = STRBUF_INIT;
    remote_series_add(&message, labels, COUNT_OF(labels), samples, COUNT_OF(samples));
    remote_series_add(&message, labels, 1, samples, 1);
    check_message("two series", strbuf_span(&message),
                  "__name__=up job=node 3ff0000000000000@1000 7ff0000000000002@-5 2."
                  "__name__=up 3ff0000000000000@1000 1.0");
}

static void odd_messages_are_read_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct span message;
        const char *want;
    } cases[] = {
        { "nothing", { "", 0 }, "0" },
        { "a text", { "hello", 5 }, "none" },
        { "metadata", { "\x1A\x00\x1A\x00", 4 }, "2" },
        { "an unknown field", { "\x50\x01", 2 }, "0" },
        { "series as a number", { "\x08\x01", 2 }, "none" },
        { "a size beyond the end", { "\x0A\x05\x01", 3 }, "none" },
        { "the field 0", { "\x02\x00", 2 }, "none" },
        { "an empty series", { "\x0A\x00", 2 }, "0.0" },
        { "a broken series costs itself",
          { "\x0A\x01\x0A\x0A\x00", 5 },
          "(a series that is cut off)0.0" },
        { "a label that is no label", { "\x0A\x04\x0A\x02\x0A\x09", 6 }, "bad 0.0" },
        { "a sample without anything", { "\x0A\x02\x12\x00", 4 }, "0@0 1.0" },
        { "a value of another type",
          { "\x0A\x04\x12\x02\x08\x01", 6 },
          "(a broken sample)0" },
        { "a histogram", { "\x0A\x02\x22\x00", 4 }, "0.0" },
        { "labels between samples",
          { "\x0A\x12\x0A\x00\x12\x00\x0A\x00\x12\x00\x0A\x00\x12\x00\x0A\x00\x12\x00"
            "\x0A\x00",
            20 },
          "(labels stand between samples)0" },
        { "a varint of eleven bytes",
          { "\x50\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02", 11 },
          "none" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_message(cases[i].name, cases[i].message, cases[i].want);
}

static void cut_messages_are_refused_as_a_whole(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf message = STRBUF_INIT;
    remote_series_add(&message, labels, COUNT_OF(labels), samples, COUNT_OF(samples));
    for (size_t size = 1; size < message.size; size++) {
        struct remote_reader reader;
        char *piece = malloc(size);
        memcpy(piece, message.data, size);
        assert_int_equal(remote_reader_init(&reader, (struct span){ piece, size }),
                         -EBADMSG);
        free(piece);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(odd_messages_are_read_or_refused),
        cmocka_unit_test(cut_messages_are_refused_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
