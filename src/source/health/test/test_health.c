/* SPDX-License-Identifier: Apache-2.0 */
/* test_health - fullness, servers and failovers out of the texts of any site. */
#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "source/health/health.h"

#include <errno.h>
#include <inttypes.h>

static void hear_fault(void *arg, uint64_t line, struct span text, const char *reason)
{
    (void)text;
    strbuf_addf(arg, "! %" PRIu64 " %s\n", line, reason);
}

static void print_target(struct strbuf *out, const struct health_target *t)
{
    strbuf_addf(out, SPAN_FMT " %x", SPAN_ARG(t->name), t->has);
    if (t->has & HEALTH_SPACE)
        strbuf_addf(
            out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " '" SPAN_FMT "' '" SPAN_FMT "'",
            t->total_kib, t->used_kib, t->available_kib, SPAN_ARG(t->mount),
            SPAN_ARG(t->flags));
    if (t->has & HEALTH_SERVER)
        strbuf_addf(out, " " SPAN_FMT, SPAN_ARG(t->server));
    strbuf_addc(out, '\n');
}

static void every_line_says_what_it_says(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        { "two file systems, one with blanks in its mount point",
          "UUID                   1K-blocks        Used   Available Use% Mounted on\n"
          "scratch-MDT0000_UUID  1000   100  800  11% /scratch[MDT:0]\n"
          "scratch-OST0000_UUID  2000   500 1400  26% /scratch[OST:0]\n"
          "filesystem_summary:   2000   500 1400  26% /scratch\n\n"
          "my-fs-OST00ff_UUID     300   150  140  51% /mnt/a [b] c[OST:255] DR\n",
          "scratch-MDT0000 1 1000 100 800 '/scratch' ''\n"
          "scratch-OST0000 1 2000 500 1400 '/scratch' ''\n"
          "my-fs-OST00ff 1 300 150 140 '/mnt/a [b] c' 'DR'\n" },
        { "inactive and broken targets",
          "s-OST0001_UUID : inactive device\n"
          "s-OST0002_UUID : Resource temporarily unavailable\n"
          "OST0003        : inactive device\n"
          "s-OST0004_UUID 10 20 0 100% /s[OST:4]\n"
          "s-OST0005_UUID 1.8T 1.0T 0.8T 50% /s[OST:5]\n"
          "s-OST0006_UUID 10 5 5 50% /s\n"
          "s-OST0007_UUID 10 5\n",
          "! 2 no space is reported\n! 3 it is of neither lfs df nor lctl dl\n"
          "! 4 more is used than there is\n"
          "! 5 a size is not a number of KiB (lfs df -h cannot be read)\n"
          "! 6 the end of the line is not 'NN% MOUNT[OST:N]'\n"
          "! 7 columns are missing\ns-OST0001 4\n" },
        { "inodes are no space",
          "UUID Inodes IUsed IFree IUse% Mounted on\n"
          "s-OST0000_UUID 10 5 5 50% /s[OST:0]\n",
          "" },
        { "servers by IPv4, IPv6 and host name, up and not",
          "  0 UP mgc MGC10.1.1.3@o2ib2 35473 5\n"
          "  1 UP lov s-clilov-ffff88 8dbd 4\n"
          "  2 UP mdc s-MDT0000-mdc-ffff88 8dbd 5 10.1.1.4@o2ib2\n"
          "  3 UP osc s-OST0000-osc-ffff88 8dbd 5 fe80::1%eth0@tcp\n"
          "  4 UP osc s-OST0001-osc-MDT0000 8dbd 5 oss-1.example.org@tcp3\n"
          "  5 IN osc s-OST0002-osc-ffff88 8dbd 5 10.1.1.5@o2ib2\n"
          "  6 UP osp a-osc-OST000a-osc-MDT0001 a-MDT0001-mdtlov_UUID 5\n"
          "  7 UP osc nothing 8dbd 5 10.1.1.5@o2ib2\n"
          "  8 UP\n",
          "! 8 the device names no target\n! 9 it is not a line of lctl dl\n"
          "s-MDT0000 2 10.1.1.4@o2ib2\ns-OST0000 2 fe80::1%eth0@tcp\n"
          "s-OST0001 2 oss-1.example.org@tcp3\ns-OST0002 a 10.1.1.5@o2ib2\n"
          "a-osc-OST000a 0\n" },
        { "the second mount of a client says nothing new, unless the first was "
          "inactive",
          "1 IN osc s-OST0000-osc-ffff88 8dbd 5 h1@tcp\n"
          "2 UP osc s-OST0000-osc-ffff99 8dbd 5 h2@tcp\n"
          "3 UP osc s-OST0000-osc-ffffaa 8dbd 5 h3@tcp\n"
          "4 IN osc s-OST0000-osc-ffffbb 8dbd 5 h4@tcp\n",
          "s-OST0000 2 h2@tcp\n" },
        { "a cut line is not believed", "1 UP osc s-OST0000-osc-ffff88 8dbd 5 10.1.1.2",
          "! 1 the line is cut\n" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        AUTO(health_sample_done) struct health_sample sample;
        const struct health_block block = { .text = span_of(cases[i].text), .line = 1 };
        health_sample_init(&sample);
        assert_int_equal(health_sample_add(&sample, &block, hear_fault, &out), 0);
        for (size_t t = 0; t < sample.count; t++)
            print_target(&out, &sample.targets[t]);
        if (strcmp(strbuf_text(&out), cases[i].want) != 0)
            fail_msg("%s: got\n%s", cases[i].name, strbuf_text(&out));
    }
}

#define S(s) ((s)*NS_PER_S)

static void the_sample_that_holds_is_the_last_one_before(void **state)
{
    (void)state;
    static const char text[] = "before\nBEGIN 100\na\nBEGIN 200\nb\nBEGIN x\nlost\n"
                               "BEGIN 150\nc\nBEGIN 200\nd\n";
    static const struct {
        const char *name;
        int64_t at_s, age_max_s;
        int rc;
        const char *want;
        int64_t age_s;
    } cases[] = {
        { "before the first", 99, 1000, -ENOENT, "", 0 },
        { "at one", 100, 0, 0, "a\n", 0 },
        { "between, as it stands in time and not in the file", 199, 60, 0, "c\n", 49 },
        { "the later of two with one time", 200, 60, 0, "d\n", 0 },
        { "after the last, as old as it may be", 260, 60, 0, "d\n", 60 },
        { "after the last, too old", 261, 60, -ESTALE, "", 0 },
        { "long after the last: never the first", 100000, INT64_MAX / NS_PER_S, 0,
          "d\n", 99800 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct health_block block = { .text = SPAN("") };
        struct err err = { 0 };
        int64_t age_ns = 0;
        int rc = health_block_at(span_of(text), S(cases[i].at_s), S(cases[i].age_max_s),
                                 &block, &age_ns, &err);
        if (rc != cases[i].rc || !span_is(block.text, cases[i].want) ||
            age_ns != S(cases[i].age_s) || (rc < 0) != (err.text[0] != '\0'))
            fail_msg("%s: got %d '" SPAN_FMT "' %s", cases[i].name, rc,
                     SPAN_ARG(block.text), err.text);
    }
    struct err err = { 0 };
    struct health_block block;
    assert_int_equal(health_block_at(SPAN("a\nb\n"), S(1), S(1), &block, NULL, &err),
                     -ENOENT);
    assert_string_equal(err.text, "no line 'BEGIN <seconds>' with a time");
}

static void blocks_lose_nothing_of_a_file(void **state)
{
    (void)state;
    struct health_blocks blocks;
    struct health_block block;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    health_blocks_init(&blocks, SPAN("x\ny\nBEGIN 5\nBEGIN 6.5\nz\n BEGIN 7\nBEGIN"));
    while (health_blocks_next(&blocks, &block))
        strbuf_addf(&out, "%d %" PRId64 " %" PRIu64 " [" SPAN_FMT "]", block.has_time,
                    block.t_ns / NS_PER_MS, block.line, SPAN_ARG(block.text));
    assert_string_equal(strbuf_text(&out),
                        "0 0 1 [x\ny\n]1 5000 4 []1 6500 5 [z\n BEGIN 7\nBEGIN]");
}

static void read_all(struct health_sample *sample, const char *text)
{
    const struct health_block block = {
        .text = span_of(text), .has_time = true, .t_ns = S(7), .line = 1
    };
    health_sample_init(sample);
    assert_int_equal(health_sample_add(sample, &block, NULL, NULL), 0);
}

static void fullness_is_of_one_file_system_and_kind(void **state)
{
    (void)state;
    AUTO(health_sample_done) struct health_sample sample;
    struct health_fullness f;
    struct span fs, mount;
    size_t cursor = 0;
    read_all(&sample, "a-MDT0000_UUID 1000 900 0 90% /a[MDT:0]\n"
                      "a-OST0000_UUID 1000 100 900 10% /a[OST:0]\n"
                      "a-OST0001_UUID 2000 600 1400 30% /a[OST:1]\n"
                      "a-OST0002_UUID : inactive device\n"
                      "a-OST0003_UUID 0 0 0 0% /a[OST:3]\n"
                      "b-OST0000_UUID 10 10 0 100% /b[OST:0]\n");
    assert_int_equal(health_fullness(&sample, SPAN("a"), TARGET_OST, &f), 0);
    assert_int_equal(f.count, 2);
    assert_int_equal(f.inactive_count, 1);
    assert_true(f.mean_pct == 20 && f.max_pct == 30 && f.min_pct == 10);
    assert_true(f.mean_used_kib == 350 && f.t_ns == S(7));
    assert_int_equal(f.fullest->parts.index, 1);
    assert_int_equal(f.emptiest->parts.index, 0);
    assert_int_equal(health_fullness(&sample, SPAN("b"), TARGET_MDT, &f), -ENOENT);
    assert_true(health_sample_next_fs(&sample, &cursor, &fs, &mount));
    assert_true(span_is(fs, "a") && span_is(mount, "/a"));
    assert_true(health_sample_next_fs(&sample, &cursor, &fs, &mount));
    assert_true(span_is(fs, "b") && span_is(mount, "/b"));
    assert_false(health_sample_next_fs(&sample, &cursor, &fs, &mount));
    assert_int_equal(health_sample_fs(&sample, SPAN("/b"), &fs), 0);
    assert_true(span_is(fs, "b"));
    assert_int_equal(health_sample_fs(&sample, SPAN("c"), &fs), -ENOENT);
}

#define OSC(n, server) "1 UP osc s-OST000" #n "-osc-ffff 8d 5 " server "@tcp\n"

static void a_failover_is_told_above_and_below_the_mode(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        size_t mode, above_servers, above_targets, below_servers;
        double factor;
    } cases[] = {
        { "all alike", OSC(0, "a") OSC(1, "b"), 1, 0, 0, 0, 1 },
        { "one took over another's", OSC(0, "a") OSC(1, "a") OSC(2, "b") OSC(3, "c"), 1,
          1, 2, 0, 2 },
        { "one lost one to nobody: relieved, not overloaded",
          OSC(0, "a") OSC(1, "a") OSC(2, "b") OSC(3, "b") OSC(4, "c"), 2, 0, 0, 1, 1 },
        { "one lost one to another",
          OSC(0, "a") OSC(1, "a") OSC(2, "b") OSC(3, "b") OSC(4, "b") OSC(5, "c")
              OSC(6, "d") OSC(7, "d"),
          2, 1, 3, 1, 1.5 },
        { "of two modes the smaller", OSC(0, "a") OSC(1, "a") OSC(2, "b"), 1, 1, 2, 0,
          2 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(health_sample_done) struct health_sample sample;
        AUTO(health_failover_done) struct health_failover f = { 0 };
        read_all(&sample, cases[i].text);
        assert_int_equal(health_failover(&sample, SPAN("s"), &f), 0);
        if (f.mode != cases[i].mode || f.above_servers != cases[i].above_servers ||
            f.above_targets != cases[i].above_targets ||
            f.below_servers != cases[i].below_servers ||
            f.overload_factor != cases[i].factor || f.t_ns != S(7))
            fail_msg("%s: mode %zu, above %zu (%zu), below %zu, %f", cases[i].name,
                     f.mode, f.above_servers, f.above_targets, f.below_servers,
                     f.overload_factor);
    }
    AUTO(health_sample_done) struct health_sample sample;
    AUTO(health_failover_done) struct health_failover f = { 0 };
    read_all(&sample, "s-OST0000_UUID 10 10 0 100% /b[OST:0]\n");
    assert_int_equal(health_failover(&sample, SPAN("s"), &f), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_says_what_it_says),
        cmocka_unit_test(the_sample_that_holds_is_the_last_one_before),
        cmocka_unit_test(blocks_lose_nothing_of_a_file),
        cmocka_unit_test(fullness_is_of_one_file_system_and_kind),
        cmocka_unit_test(a_failover_is_told_above_and_below_the_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
