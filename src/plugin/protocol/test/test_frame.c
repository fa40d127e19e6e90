/* SPDX-License-Identifier: Apache-2.0 */
/* test_frame - what is written is read, what is cut is refused. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "plugin/protocol/protocol.h"

#include <stdio.h>

static struct plugin_manifest example(void)
{
    struct plugin_manifest m = { .name = "load",
                                 .version = "1.0",
                                 .period = 10,
                                 .functions = 1U << PLUGIN_SOURCE,
                                 .role_count = 1,
                                 .read_count = 1,
                                 .metric_count = 2,
                                 .event_count = 1,
                                 .health_count = 1 };
    memcpy(m.roles[0], "compute", 8);
    memcpy(m.reads[0], "/proc/loadavg", 14);
    m.metrics[0] = (struct plugin_metric){ "load_one", "load", false };
    m.metrics[1] = (struct plugin_metric){ "forks", "", true };
    m.events[0] = (struct plugin_event_kind){ "load_high", PLUGIN_WARNING };
    memcpy(m.healths[0], "cpu", 4);
    return m;
}

static void records_come_back_as_they_were_written(void **state)
{
    static struct frame f;
    (void)state;
    f.size = 0;
    size_t begin = frame_begin(&f, FRAME_SAMPLE, 7);
    frame_put_u16(&f, 515);
    frame_put_f64(&f, -1.5);
    frame_put_text(&f, SPAN("socket"));
    assert_true(frame_end(&f, begin));
    begin = frame_begin(&f, FRAME_END, 0);
    frame_put_u64(&f, UINT64_MAX);
    assert_true(frame_end(&f, begin));
    struct frame_reader reader = { f.data, f.data + f.size, false };
    struct frame_item record;
    assert_true(frame_next(&reader, &record));
    assert_int_equal(record.type, FRAME_SAMPLE);
    assert_int_equal(record.plugin, 7);
    assert_int_equal(frame_get_u16(&record.payload), 515);
    assert_true(frame_get_f64(&record.payload) == -1.5);
    assert_true(span_is(frame_get_text(&record.payload), "socket"));
    assert_true(frame_is_done(&record.payload));
    assert_true(frame_next(&reader, &record));
    assert_true(frame_get_u64(&record.payload) == UINT64_MAX);
    assert_false(frame_next(&reader, &record));
    assert_false(reader.is_bad);
}

static void a_cut_message_is_bad_at_every_length(void **state)
{
    static struct frame f;
    struct plugin_manifest m = example(), got;
    (void)state;
    f.size = 0;
    size_t begin = frame_begin(&f, FRAME_MANIFEST, 0);
    plugin_manifest_write(&m, &f);
    assert_true(frame_end(&f, begin));
    for (size_t size = 1; size <= f.size; size++) {
        struct frame_reader reader = { f.data, f.data + size, false };
        struct frame_item record;
        bool is_whole = frame_next(&reader, &record);
        assert_int_equal(is_whole, size == f.size);
        if (is_whole) {
            plugin_manifest_read(&record.payload, &got);
            assert_true(frame_is_done(&record.payload));
            assert_memory_equal(&m, &got, sizeof m);
        }
    }
    for (size_t size = 8; size < f.size; size++) {
        struct frame_reader payload = { f.data + 8, f.data + size, false };
        plugin_manifest_read(&payload, &got);
        assert_false(frame_is_done(&payload));
    }
}

static void what_does_not_fit_is_left_out_whole(void **state)
{
    static struct frame f;
    static const char text[60000];
    (void)state;
    f.size = 0;
    size_t begin = frame_begin(&f, FRAME_NOTE, 0);
    frame_put_bytes(&f, text, sizeof text);
    assert_true(frame_end(&f, begin));
    size_t before = f.size;
    begin = frame_begin(&f, FRAME_NOTE, 0);
    frame_put_bytes(&f, text, sizeof text);
    assert_false(frame_end(&f, begin));
    assert_int_equal(f.size, before);
    assert_false(f.is_full);
}

static void a_bad_manifest_is_named(void **state)
{
    struct err err;
    struct plugin_manifest m = example();
    (void)state;
    assert_int_equal(plugin_manifest_check(&m, &err), 0);
    m.period = 0;
    assert_int_equal(plugin_manifest_check(&m, &err), -EINVAL);
    assert_non_null(strstr(err.text, "period"));
    static const char *const reserved[] = { "session", "plugin" };
    for (size_t i = 0; i < COUNT_OF(reserved); i++) {
        m = example();
        (void)snprintf(m.name, sizeof m.name, "%s", reserved[i]);
        assert_int_equal(plugin_manifest_check(&m, &err), -EINVAL);
        assert_non_null(strstr(err.text, "reserved"));
    }
    m = example();
    (void)snprintf(m.events[0].name, sizeof m.events[0].name, "plugin_suspended");
    assert_int_equal(plugin_manifest_check(&m, &err), -EINVAL);
    assert_non_null(strstr(err.text, "the agent's own"));
    m = example();
    memcpy(m.reads[0], "/proc/../etc", 13);
    assert_int_equal(plugin_manifest_check(&m, &err), -EINVAL);
    assert_non_null(strstr(err.text, "reads"));
    m = example();
    m.metrics[1] = m.metrics[0];
    assert_int_equal(plugin_manifest_check(&m, &err), -EINVAL);
    m = example();
    memcpy(m.name, "a b", 4);
    assert_int_equal(plugin_manifest_check(&m, &err), -EINVAL);
    m = example();
    m.functions = 0;
    assert_int_equal(plugin_manifest_check(&m, &err), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_back_as_they_were_written),
        cmocka_unit_test(a_cut_message_is_bad_at_every_length),
        cmocka_unit_test(what_does_not_fit_is_left_out_whole),
        cmocka_unit_test(a_bad_manifest_is_named),
    };
    return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
