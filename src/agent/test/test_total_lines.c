/* SPDX-License-Identifier: Apache-2.0 */
/* test_total_lines - a server's totals as lines, and histograms as quantiles. */
#include "agent/totals/server_lines.h"
#include "agent/totals/total_lines.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"

#include <errno.h>

#define T_NS INT64_C(1669010520000000000)

static void print_totals(struct agent_lines *lines, int64_t t_ns, const char *text,
                         struct strbuf *out)
{
    strbuf_clear(out);
    assert_int_equal(agent_lines_totals(lines, t_ns, span_of(text), out), 0);
}

static struct agent_lines *new_lines(void)
{
    struct agent_lines *lines = NULL;
    assert_int_equal(agent_lines_new("lustre", "oss01", &lines), 0);
    return lines;
}

static void has(const struct strbuf *out, const char *line)
{
    if (!strstr(strbuf_text(out), line))
        fail_msg("'%s' is not in:\n%s", line, strbuf_text(out));
}

static void has_not(const struct strbuf *out, const char *text)
{
    if (strstr(strbuf_text(out), text))
        fail_msg("'%s' is in:\n%s", text, strbuf_text(out));
}

static void counters_are_printed_as_they_are(void **state)
{
    (void)state;
    AUTO(agent_lines_free) struct agent_lines *lines = new_lines();
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    print_totals(lines, T_NS,
                 "obdfilter.s-OST0001.stats=\n"
                 "snapshot_time             1669010520.123 secs.nsecs\n"
                 "read_bytes                3 samples [bytes] 4096 1048576 2101248\n"
                 "obdfilter.s-OST0001.num_exports=17\n"
                 "mdt.s-MDT0000.md_stats=\n"
                 "open                      5 samples [reqs]\n",
                 &out);
    has(&out, "lustre_read_bytes_samples,cluster=lustre,hostname=oss01,type=ost,"
              "type-id=s-OST0001 value=3 1669010520000000000\n");
    has(&out, "lustre_read_bytes,cluster=lustre,hostname=oss01,type=ost,"
              "type-id=s-OST0001 value=2101248 1669010520000000000\n");
    has(&out, "lustre_exports,cluster=lustre,hostname=oss01,type=ost,"
              "type-id=s-OST0001 value=17 ");
    has(&out, "lustre_open_samples,cluster=lustre,hostname=oss01,type=mdt,"
              "type-id=s-MDT0000 value=5 ");
}

static void fullness_wants_both_of_its_parts(void **state)
{
    (void)state;
    AUTO(agent_lines_free) struct agent_lines *lines = new_lines();
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    print_totals(lines, T_NS,
                 "osd-ldiskfs.s-OST0001.kbytesavail=25\n"
                 "osd-ldiskfs.s-OST0001.kbytestotal=100\n"
                 "osd-ldiskfs.s-OST0002.kbytestotal=100\n",
                 &out);
    has(&out, "lustre_capacity_bytes,cluster=lustre,hostname=oss01,type=ost,"
              "type-id=s-OST0001 value=102400 ");
    has(&out, "lustre_fullness,cluster=lustre,hostname=oss01,type=ost,"
              "type-id=s-OST0001 value=75 ");
    has_not(&out, "lustre_fullness,cluster=lustre,hostname=oss01,type=ost,"
                  "type-id=s-OST0002");
}

#define BRW(four, eight)                                           \
    "obdfilter.s-OST0001.brw_stats=\n"                             \
    "snapshot_time:         1669010520.1 (secs.nsecs)\n\n"         \
    "                           read      |     write\n"           \
    "disk I/O size          ios   % cum % |  ios   % cum %\n"      \
    "4K:                      " four "  50  50   |    0   0   0\n" \
    "8K:                      " eight "  50 100   |    0   0   0\n"

static void a_histogram_is_of_what_came_since(void **state)
{
    (void)state;
    AUTO(agent_lines_free) struct agent_lines *lines = new_lines();
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    print_totals(lines, T_NS, BRW("1000", "0"), &out);
    has_not(&out, "lustre_brw_"); /* the first reading has nothing before it */
    print_totals(lines, T_NS + 1, BRW("1000", "100"), &out);
    has(&out, "lustre_brw_io_bytes_read_p50,cluster=lustre,hostname=oss01,type=ost,"
              "type-id=s-OST0001 value=8192 ");
    has_not(&out, "_write_p50");
    print_totals(lines, T_NS + 2, BRW("1000", "100"), &out);
    has_not(&out, "lustre_brw_"); /* nothing came */
    /* Counters that fell began anew: all of them came since. */
    print_totals(lines, T_NS + 3, BRW("90", "10"), &out);
    has(&out, "io_bytes_read_p50,cluster=lustre,hostname=oss01,type=ost,"
              "type-id=s-OST0001 value=4096 ");
    has(&out, "io_bytes_read_p99,cluster=lustre,hostname=oss01,type=ost,"
              "type-id=s-OST0001 value=8192 ");
}

static void a_name_that_no_line_can_hold_is_passed_over(void **state)
{
    (void)state;
    AUTO(agent_lines_free) struct agent_lines *lines = new_lines();
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    print_totals(lines, T_NS,
                 "obdfilter.s OST0001.num_exports=1\n"
                 "obdfilter.s\\OST0001.num_exports=1\n"
                 "obdfilter.s\x01OST.num_exports=1\n"
                 "obdfilter.s,OST=1.num_exports=2\n"
                 "nonsense\n",
                 &out);
    size_t lines_printed = 0;
    for (size_t i = 0; i < out.size; i++)
        lines_printed += out.data[i] == '\n';
    assert_true(lines_printed <= 1);
    has_not(&out, "\x01");
}

/* ---- the server itself ---- */

static void write_proc(const char *name, const char *text)
{
    struct err err = { 0 };
    char path[64];
    assert_int_equal(file_make_dirs(scratch_path("proc"), 0700, &err), 0);
    (void)snprintf(path, sizeof path, "proc/%s", name);
    assert_int_equal(file_replace(scratch_path(path), text, strlen(text), 0600, &err),
                     0);
}

static void shares_of_the_cpu_come_from_the_second_time_on(void **state)
{
    (void)state;
    AUTO(server_lines_free) struct server_lines *lines = NULL;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    assert_int_equal(server_lines_new("lustre", "oss01", &lines), 0);
    write_proc("stat", "cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 1 1 1\n");
    write_proc("meminfo", "MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable:  10 kB\n");
    write_proc("loadavg", "0.25 0.10 0.05 1/100 12345\n");
    server_lines_add(lines, T_NS, scratch, &out);
    has_not(&out, "server_cpu_busy");
    has(&out, "server_memory_bytes,cluster=lustre,hostname=oss01 value=1024000 ");
    has(&out,
        "server_memory_available_bytes,cluster=lustre,hostname=oss01 value=10240 ");
    has(&out, "server_load,cluster=lustre,hostname=oss01 value=0.25 "
              "1669010520000000000\n");
    /* 100 more: 40 busy, 50 idle, 10 waiting; guest times are in user already. */
    write_proc("stat", "cpu  130 0 110 750 110 0 0 0 900 900\n");
    strbuf_clear(&out);
    server_lines_add(lines, T_NS, scratch, &out);
    has(&out, "server_cpu_busy,cluster=lustre,hostname=oss01 value=40 ");
    has(&out, "server_cpu_iowait,cluster=lustre,hostname=oss01 value=10 ");
    /* Counters that fall, as after a suspend, give no shares. */
    write_proc("stat", "cpu  131 0 110 749 110 0 0 5\n");
    strbuf_clear(&out);
    server_lines_add(lines, T_NS, scratch, &out);
    has_not(&out, "server_cpu_busy");
}

static void what_is_not_there_is_left_out(void **state)
{
    (void)state;
    AUTO(server_lines_free) struct server_lines *lines = NULL;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    assert_int_equal(server_lines_new("lustre", "oss01", &lines), 0);
    server_lines_add(lines, T_NS, "/nowhere", &out);
    assert_int_equal(out.size, 0);
    write_proc("stat", "intr 5\n");
    write_proc("meminfo", "MemTotal: many kB\nMemAvailable:\n");
    write_proc("loadavg", "high\n");
    server_lines_add(lines, T_NS, scratch, &out);
    assert_int_equal(out.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_are_printed_as_they_are),
        cmocka_unit_test(fullness_wants_both_of_its_parts),
        cmocka_unit_test(a_histogram_is_of_what_came_since),
        cmocka_unit_test(a_name_that_no_line_can_hold_is_passed_over),
        cmocka_unit_test(shares_of_the_cpu_come_from_the_second_time_on),
        cmocka_unit_test(what_is_not_there_is_left_out),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
