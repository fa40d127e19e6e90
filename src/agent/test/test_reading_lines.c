/* SPDX-License-Identifier: Apache-2.0 */
/* test_reading_lines - which readings of targets are due. */
#include "agent/readings/reading_lines.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <string.h>

#define SLOT_NS (INT64_C(1669010400) * NS_PER_S) /* a multiple of ten minutes */

static struct agent_opts opts = { .host = "oss01",
                                  .health_interval_ns = 600 * NS_PER_S };

#define OST1                                         \
    "osd-ldiskfs.scratch-OST0001.kbytestotal=1000\n" \
    "osd-ldiskfs.scratch-OST0001.kbytesfree=400\n"   \
    "osd-ldiskfs.scratch-OST0001.kbytesavail=300\n"
#define OST2 "obdfilter.scratch-OST0002.num_exports=3\n"

static void add(struct reading_lines *lines, int64_t s, const char *text, uint32_t want,
                const char *want_lines)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    uint32_t count = UINT32_MAX;
    assert_int_equal(
        reading_lines_add(lines, SLOT_NS + s * NS_PER_S, span_of(text), &out, &count),
        0);
    if (count != want || strcmp(strbuf_text(&out), want_lines) != 0)
        fail_msg("at %lld: %u lines: %s", (long long)s, count, strbuf_text(&out));
}

static void targets_are_reported_by_the_interval_and_when_new(void **state)
{
    AUTO(reading_lines_free) struct reading_lines *lines = NULL;
    (void)state;
    assert_int_equal(reading_lines_new(&opts, &lines), 0);
    assert_true(reading_lines_is_due(lines, SLOT_NS));
    add(lines, 5, OST1, 1,
        "{\"target\":\"scratch-OST0001\",\"t\":1669010405,\"total_kib\":1000,"
        "\"used_kib\":600,\"available_kib\":300,\"server\":\"oss01\",\"active\":true,"
        "\"source\":\"oss01\"}\n");
    assert_false(reading_lines_is_due(lines, SLOT_NS + 599 * NS_PER_S));
    add(lines, 10, OST1, 0, "");
    add(lines, 15, OST1 OST2, 1,
        "{\"target\":\"scratch-OST0002\",\"t\":1669010415,\"server\":\"oss01\","
        "\"active\":true,\"source\":\"oss01\"}\n");
    add(lines, 20, OST1, 0, "");
    add(lines, 25, OST1 OST2, 0, ""); /* it comes and goes */
    add(lines, 30, OST1, 0, "");
    add(lines, 80, OST1 OST2, 1,
        "{\"target\":\"scratch-OST0002\",\"t\":1669010480,\"server\":\"oss01\","
        "\"active\":true,\"source\":\"oss01\"}\n");
    assert_true(reading_lines_is_due(lines, SLOT_NS + 600 * NS_PER_S));
    add(lines, 600, OST2, 1,
        "{\"target\":\"scratch-OST0002\",\"t\":1669011000,\"server\":\"oss01\","
        "\"active\":true,\"source\":\"oss01\"}\n");
}

/* What is no target, not wanted, or impossible. */
static void what_is_no_reading_is_left_out(void **state)
{
    static const char *const texts[] = {
        "",
        "osd-ldiskfs.MGS.kbytestotal=1000\n",
        "osd-ldiskfs.home-OST0001.kbytestotal=1000\n",
        "obdfilter.scratch.kbytestotal=7\n",
        "kbytestotal=1000\nobdfilter.*.num_exports\n\x01\xff",
    };
    static const char *filesystems[] = { "scra*" };
    struct agent_opts of_scratch = opts;
    (void)state;
    of_scratch.filesystems = (struct config_list){ filesystems, 1 };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        AUTO(reading_lines_free) struct reading_lines *lines = NULL;
        assert_int_equal(reading_lines_new(&of_scratch, &lines), 0);
        add(lines, 0, texts[i], 0, "");
    }
    AUTO(reading_lines_free) struct reading_lines *lines = NULL;
    assert_int_equal(reading_lines_new(&of_scratch, &lines), 0);
    add(lines, 0,
        "osd-zfs.scratch-MDT0000.kbytestotal=10\nosd-zfs.scratch-MDT0000.kbytesfree="
        "11\n",
        1,
        "{\"target\":\"scratch-MDT0000\",\"t\":1669010400,\"server\":\"oss01\","
        "\"active\":true,\"source\":\"oss01\"}\n");
}

/* A hostile server with more targets than there can be. */
static void targets_are_bounded(void **state)
{
    AUTO(reading_lines_free) struct reading_lines *lines = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    uint32_t count = 0;
    (void)state;
    for (unsigned i = 0; i < 3 * READING_TARGETS_MAX; i++)
        strbuf_addf(&text, "obdfilter.s-OST%04x.num_exports=1\n", i);
    assert_int_equal(reading_lines_new(&opts, &lines), 0);
    assert_int_equal(
        reading_lines_add(lines, SLOT_NS, strbuf_span(&text), &out, &count), 0);
    assert_int_equal(count, READING_TARGETS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_are_reported_by_the_interval_and_when_new),
        cmocka_unit_test(what_is_no_reading_is_left_out),
        cmocka_unit_test(targets_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
