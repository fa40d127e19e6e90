/* SPDX-License-Identifier: Apache-2.0 */
/* test_message - queued samples as series of a request. */
#include "base/span.h"
#include "base/test/testing.h"
#include "forward/message.h"

#include <errno.h>
#include <stdlib.h>

static void print_series(struct span message, struct strbuf *out)
{
    struct remote_reader reader;
    struct remote_series series;
    assert_int_equal(remote_reader_init(&reader, message), 0);
    while (remote_reader_next(&reader, &series)) {
        struct remote_labels labels;
        struct label_pair pair;
        struct remote_sample sample;
        struct span rest = series.message;
        assert_null(series.fault);
        remote_labels_init(&labels, &series);
        while (remote_labels_next(&labels, &pair) > 0)
            strbuf_addf(out, SPAN_FMT "=" SPAN_FMT ",", SPAN_ARG(pair.name),
                        SPAN_ARG(pair.value));
        while (remote_samples_next(&rest, &sample))
            strbuf_addf(out, " %lld:%llx", (long long)sample.t_ms,
                        (unsigned long long)sample.bits);
        strbuf_addc(out, ';');
    }
}

static void samples_become_series_in_order_of_time(void **state)
{
    (void)state;
    static const struct queued_sample arrived[] = {
        { .series = 2, .t_ms = 30, .bits = 1 }, { .series = 1, .t_ms = 20, .bits = 2 },
        { .series = 1, .t_ms = 10, .bits = 3 }, { .series = 1, .t_ms = 20, .bits = 4 },
        { .series = 2, .t_ms = 30, .bits = 5 }, { .series = 2, .t_ms = 30, .bits = 6 },
    };
    static const struct series_name names[] = {
        { { "c/n/gpu:0", 9 }, { "load", 4 } },
        { { "c/n/tags:Z=1,job=x", 18 }, { "up", 2 } },
    };
    const char *items[] = { "site s1", "job other" };
    const struct config_list list = { items, COUNT_OF(items) };
    struct external_labels external;
    struct message_samples samples = { 0 };
    AUTO(strbuf_done) struct strbuf message = STRBUF_INIT, out = STRBUF_INIT;
    assert_int_equal(external_labels_read(&list, &external, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(arrived); i++)
        assert_int_equal(message_samples_add(&samples, &arrived[i]), 0);
    message_samples_sort(&samples);
    assert_int_equal(samples.count, 3);
    for (size_t at = 0; at < samples.count;)
        message_add_series(&message, &names[samples.items[at].series - 1], &external,
                           &samples, &at, samples.count);
    print_series(strbuf_span(&message), &out);
    assert_string_equal(
        strbuf_text(&out),
        "__name__=load,cluster=c,hostname=n,job=other,site=s1,type=gpu,type_id=0, "
        "10:3 20:4;"
        "Z=1,__name__=up,cluster=c,hostname=n,job=x,site=s1, 30:6;");
    message_samples_done(&samples);
}

static void external_labels_are_checked(void **state)
{
    (void)state;
    static const char *const bad[] = { "site", "si-te 1", "a ", "" };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        const char *items[] = { bad[i] };
        struct external_labels labels;
        struct err err = { 0 };
        assert_int_equal(
            external_labels_read(&(struct config_list){ items, 1 }, &labels, &err),
            -EINVAL);
        assert_non_null(strstr(err.text, "label:"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_become_series_in_order_of_time),
        cmocka_unit_test(external_labels_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
