/* SPDX-License-Identifier: Apache-2.0 */
/* test_node - the values of a recorded tree, round after round. */
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "source/node/node.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

static char root[] = "/tmp/baro-node.XXXXXX";

/* Written in place: the sources have it open. */
static void tree_put(const char *path, const char *text)
{
    char full[1024];
    (void)snprintf(full, sizeof full, "%s%s", root, path);
    char *slash = strrchr(full, '/');
    *slash = '\0';
    assert_int_equal(file_make_dirs(full, 0755, NULL), 0);
    *slash = '/';
    FILE *file = fopen(full, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

struct wanted {
    const char *metric, *of; /* "type:id" or "stype:id"; "" */
    double value;
    size_t found;
};

static void hear(void *arg, const struct node_value *v)
{
    char of[200] = "";
    if (v->type.size)
        (void)snprintf(of, sizeof of, SPAN_FMT ":" SPAN_FMT, SPAN_ARG(v->type),
                       SPAN_ARG(v->id));
    if (v->stype.size)
        (void)snprintf(of, sizeof of, SPAN_FMT ":" SPAN_FMT, SPAN_ARG(v->stype),
                       SPAN_ARG(v->stype_id));
    assert_true(isfinite(v->value));
    for (struct wanted *w = arg; w->metric; w++) {
        if (strcmp(w->metric, v->metric) != 0 || strcmp(w->of, of) != 0)
            continue;
        w->found++;
        if (fabs(w->value - v->value) > 1e-6)
            fail_msg("%s %s: %f, not %f", v->metric, of, v->value, w->value);
    }
}

static void round_has(struct node_sources *s, int64_t t_s, struct wanted *wanted)
{
    node_sources_read(s, t_s * NS_PER_S, hear, wanted);
    for (struct wanted *w = wanted; w->metric; w++)
        if (w->found != !isnan(w->value))
            fail_msg("%s %s: %zu times", w->metric, w->of, w->found);
}

static void kernel_texts_become_values(void **state)
{
    AUTO(node_sources_free) struct node_sources *s = NULL;
    (void)state;
    tree_put("/proc/loadavg", "0.75 1.50 2.25 3/240 9507\n");
    tree_put("/proc/meminfo",
             "MemTotal:  1000 kB\nMemFree:  400 kB\nBuffers: 50 kB\nCached: 150 kB\n"
             "Shmem: 20 kB\nHugePages_Total: 7\nUnknown: 5 kB\nBad: x kB\n");
    tree_put("/proc/vmstat", "nr_free_pages 100\npgfault 77\nbroken\n");
    tree_put("/proc/pressure/cpu",
             "some avg10=1.25 avg60=0.00 avg300=0.00 total=2500000\n");
    tree_put("/proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
                                  "full avg10=3.50 avg60=0.00 avg300=0.00 total=1\n");
    assert_int_equal(node_sources_new(root, NODE_ALL, &s), 0);
    struct wanted wanted[] = {
        { "load_one", "", 0.75, 0 },
        { "load_fifteen", "", 2.25, 0 },
        { "proc_run", "", 3, 0 },
        { "proc_total", "", 240, 0 },
        { "mem_total", "", 1000, 0 },
        { "mem_used", "", 380, 0 },
        { "mem_hugepages_total", "", 7, 0 },
        { "mem_dirty", "", NAN, 0 },
        { "vmstat_pgfault", "", 77, 0 },
        { "vmstat_broken", "", NAN, 0 },
        { "pressure_cpu_some", "", 1.25, 0 },
        { "pressure_cpu_some_total", "", 2.5, 0 },
        { "pressure_cpu_full", "", NAN, 0 },
        { "pressure_io_full", "", 3.5, 0 },
        { NULL, NULL, 0, 0 },
    };
    round_has(s, 100, wanted);
}

static void cpu_times_become_shares(void **state)
{
    AUTO(node_sources_free) struct node_sources *s = NULL;
    char text[400];
    long hz = sysconf(_SC_CLK_TCK);
    (void)state;
    tree_put("/proc/stat",
             "cpu  100 0 100 1000 0 0 0 0 50 0\ncpu0 50 0 50 500 0 0 0 0 50 0\n"
             "cpu1 50 0 50 500 0 0 0 0 0 0\nintr 5 5\n");
    assert_int_equal(node_sources_new(root, NODE_CPU, &s), 0);
    struct wanted first[] = { { "cpu_user", "", NAN, 0 },
                              { "num_cpus", "", 2, 0 },
                              { NULL, NULL, 0, 0 } };
    round_has(s, 100, first);
    /* In two seconds one second of user on thread 1, half of it for a guest. */
    (void)snprintf(text, sizeof text,
                   "cpu  %ld 0 100 %ld 0 0 0 0 50 0\ncpu0 50 0 50 %ld 0 0 0 0 50 0\n"
                   "cpu1 %ld 0 50 %ld 0 0 0 0 %ld 0\nintr 5 5\n",
                   100 + hz, 1000 + 3 * hz, 500 + 2 * hz, 50 + hz, 500 + hz, hz / 2);
    tree_put("/proc/stat", text);
    struct wanted second[] = {
        { "cpu_user", "", 50, 0 },
        { "cpu_idle", "", 150, 0 },
        { "cpu_used", "", 50, 0 },
        { "cpu_user", "hwthread:1", 50, 0 },
        { "cpu_guest", "hwthread:1", 25, 0 },
        { "cpu_used", "hwthread:1", 50, 0 },
        { "cpu_used", "hwthread:0", 0, 0 },
        { NULL, NULL, 0, 0 },
    };
    round_has(s, 102, second);
}

static void devices_have_their_names(void **state)
{
    AUTO(node_sources_free) struct node_sources *s = NULL;
    (void)state;
    tree_put("/proc/net/dev", "Inter-|   Receive\n face |bytes packets\n"
                              "    lo: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n"
                              "  eth0: 1000 10 1 2 0 0 0 0 2000 20 3 4 0 0 0 0\n");
    tree_put("/proc/diskstats", "   7       0 loop0 1 1 1 1 1 1 1 1 1 1 1\n"
                                "   8       0 sda 10 0 80 5 20 0 160 7 3 9 11\n");
    assert_int_equal(node_sources_new(root, NODE_NETWORK | NODE_DISK, &s), 0);
    struct wanted first[] = {
        { "net_bytes_in", "network:eth0", 1000, 0 },
        { "net_pkts_out", "network:eth0", 20, 0 },
        { "net_drop_out", "network:eth0", 4, 0 },
        { "net_bytes_in", "network:lo", NAN, 0 },
        { "io_reads", "disk:sda", NAN, 0 },
        { "io_ioops", "disk:sda", 3, 0 },
        { NULL, NULL, 0, 0 },
    };
    round_has(s, 100, first);
    tree_put("/proc/diskstats", "   8       0 sda 15 0 120 5 20 0 160 7 0 9 11\n");
    struct wanted second[] = {
        { "io_reads", "disk:sda", 5, 0 },     { "io_read_sectors", "disk:sda", 40, 0 },
        { "io_writes", "disk:sda", 0, 0 },    { "io_ioops", "disk:sda", 0, 0 },
        { "io_reads", "disk:loop0", NAN, 0 }, { NULL, NULL, 0, 0 },
    };
    round_has(s, 101, second);
}

static void sensors_have_labels(void **state)
{
    AUTO(node_sources_free) struct node_sources *s = NULL;
    (void)state;
    tree_put("/sys/class/hwmon/hwmon0/name", "coretemp\n");
    tree_put("/sys/class/hwmon/hwmon0/temp1_label", "Package id 0\n");
    tree_put("/sys/class/hwmon/hwmon0/temp1_input", "45500\n");
    tree_put("/sys/class/hwmon/hwmon1/name", "nvme\n");
    tree_put("/sys/class/hwmon/hwmon1/temp1_input", "-1000\n");
    assert_int_equal(node_sources_new(root, NODE_SENSORS, &s), 0);
    struct wanted wanted[] = { { "temp_package_id_0", "", 45.5, 0 },
                               { "temp_nvme", "", -1, 0 },
                               { NULL, NULL, 0, 0 } };
    round_has(s, 100, wanted);
}

#define SCOPE "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_11"
#define NAMED "/sys/fs/cgroup/system.slice/n1_slurmstepd.scope/job_12"
#define V1 "/slurm_n1/uid_1000/job_13"

static void jobs_are_found_and_forgotten(void **state)
{
    AUTO(node_sources_free) struct node_sources *s = NULL;
    char path[1024];
    (void)state;
    tree_put(SCOPE "/cpu.stat", "usage_usec 1000000\nuser_usec 900000\n");
    tree_put(SCOPE "/memory.stat", "anon 1000\nfile 5000\nshmem 24\n");
    tree_put(SCOPE "/io.stat",
             "8:0 rbytes=100 wbytes=200 rios=1\n8:16 rbytes=1 wbytes=2\n");
    tree_put(SCOPE "/pids.current", "9\n");
    tree_put("/sys/fs/cgroup/cpuacct" V1 "/cpuacct.usage", "5000000000\n");
    tree_put("/sys/fs/cgroup/memory" V1 "/memory.stat",
             "rss 1\ntotal_rss 4096\ntotal_shmem 1\n");
    assert_int_equal(node_sources_new(root, NODE_JOBS, &s), 0);
    struct wanted first[] = {
        { "job_mem_used", "job:11", 1024, 0 },   { "job_read_bytes", "job:11", 101, 0 },
        { "job_write_bytes", "job:11", 202, 0 }, { "job_pids", "job:11", 9, 0 },
        { "job_cpu_used", "job:11", NAN, 0 },    { "job_mem_used", "job:13", 4097, 0 },
        { "job_pids", "job:12", NAN, 0 },        { NULL, NULL, 0, 0 },
    };
    round_has(s, 100, first);
    tree_put(SCOPE "/cpu.stat", "usage_usec 4000000\n");
    tree_put("/sys/fs/cgroup/cpuacct" V1 "/cpuacct.usage", "6000000000\n");
    tree_put(NAMED "/pids.current", "3\n");
    struct wanted second[] = {
        { "job_cpu_used", "job:11", 150, 0 },
        { "job_cpu_used", "job:13", 50, 0 },
        { "job_pids", "job:12", 3, 0 },
        { NULL, NULL, 0, 0 },
    };
    round_has(s, 102, second);
    (void)snprintf(path, sizeof path, "rm -r %s" SCOPE, root);
    assert_int_equal(system(path), 0);
    struct wanted third[] = { { "job_pids", "job:11", NAN, 0 },
                              { "job_pids", "job:12", 3, 0 },
                              { NULL, NULL, 0, 0 } };
    round_has(s, 104, third);
}

static void this_machine_has_values(void **state)
{
    AUTO(node_sources_free) struct node_sources *s = NULL;
    unsigned wanted = 0;
    (void)state;
    assert_int_equal(node_source_parse(SPAN("all"), &wanted), 0);
    assert_int_equal(wanted, NODE_ALL);
    assert_int_equal(node_source_parse(SPAN("memory"), &wanted), 0);
    assert_int_equal(wanted, NODE_MEMORY);
    assert_int_equal(node_source_parse(SPAN("rapl"), &wanted), 0);
    assert_int_equal(wanted, NODE_RAPL);
    assert_int_equal(node_source_parse(SPAN("infiniband"), &wanted), 0);
    assert_int_equal(wanted, NODE_INFINIBAND);
    assert_int_equal(node_source_parse(SPAN("tape"), &wanted), -EINVAL);
    assert_int_equal(node_sources_new("", NODE_ALL, &s), 0);
    struct wanted none[] = { { NULL, NULL, 0, 0 } };
    round_has(s, 100, none);
    round_has(s, 101, none);
}

static int tree_make(void **state)
{
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static int tree_remove(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

/* ---- health ---- */

struct health_round {
    struct strbuf text;
};

static void no_value(void *arg, const struct node_value *value)
{
    (void)arg;
    assert_true(isfinite(value->value));
}

static void hear_health(void *arg, const struct node_health *health)
{
    static const char *const names[] = { "up", "degraded", "down", "unknown" };
    struct health_round *round = arg;
    strbuf_addf(&round->text, "%s " SPAN_FMT " %s " SPAN_FMT ";", health->check,
                SPAN_ARG(health->part), names[health->state], SPAN_ARG(health->reason));
}

static void healths_are(struct node_sources *s, int64_t t_s, const char *want)
{
    struct health_round round = { STRBUF_INIT };
    node_sources_read(s, t_s * NS_PER_S, no_value, &round);
    assert_string_equal(strbuf_text(&round.text), want);
    strbuf_done(&round.text);
}

#define MC "/sys/devices/system/edac/mc/mc0/"

static void modules_of_memory_have_a_health(void **state)
{
    AUTO(node_sources_free) struct node_sources *s = NULL;
    (void)state;
    tree_put(MC "seconds_since_reset", "1728000\n");
    tree_put(MC "dimm0/dimm_label", "DIMM A/1\n");
    tree_put(MC "dimm0/dimm_ce_count", "100\n");
    tree_put(MC "dimm0/dimm_ue_count", "0\n");
    tree_put(MC "dimm1/dimm_label", "\n");
    tree_put(MC "dimm1/dimm_ce_count", "what\n");
    assert_int_equal(node_sources_new(root, NODE_EDAC, &s), 0);
    node_sources_on_health(s, hear_health);
    /* 5 a day, or all of them within the last hour: that is not known. */
    healths_are(s, 7200, "");
    tree_put(MC "dimm0/dimm_ce_count", "110\n");
    healths_are(s, 7210, "");
    tree_put(MC "dimm0/dimm_ce_count", "111\n");
    healths_are(s, 7220,
                "edac dimm:DIMM_A-1 degraded DIMM_A-1: 11 corrected errors in an hour, "
                "more than 10;");
    healths_are(s, 7220 + 86400,
                "edac dimm:DIMM_A-1 degraded DIMM_A-1: 11 corrected errors in an hour, "
                "more than 10; few since 1970-01-02T02:00:20Z;");
    node_sources_on_health(s, NULL);
    for (int h = 1; h < 48; h++)
        node_sources_read(s, (7220 + 86400 + h * 3600) * NS_PER_S, no_value, NULL);
    node_sources_on_health(s, hear_health);
    healths_are(s, 7220 + 3 * 86400, "edac dimm:DIMM_A-1 up ;");
    tree_put(MC "dimm0/dimm_ue_count", "1\n");
    tree_put(MC "dimm1/dimm_ce_count", "0\n");
    healths_are(s, 7230 + 3 * 86400,
                "edac dimm:DIMM_A-1 degraded 1 uncorrected errors of DIMM_A-1 since "
                "the start;"); /* dimm1's uncorrected ones cannot be read */
}

/* 15 errors within an hour, a month behind the kernel's start; then the agent is
 * started again. */
static void a_start_makes_no_worn_module_well(void **state)
{
    AUTO(node_sources_free) struct node_sources *s = NULL;
    (void)state;
    tree_put(MC "seconds_since_reset", "2592000\n");
    tree_put(MC "dimm0/dimm_ce_count", "15\n");
    tree_put(MC "dimm0/dimm_ue_count", "0\n");
    tree_put(MC "dimm1/dimm_ce_count", "9\n");
    tree_put(MC "dimm1/dimm_ue_count", "0\n");
    assert_int_equal(node_sources_new(root, NODE_EDAC, &s), 0);
    node_sources_on_health(s, hear_health);
    healths_are(s, 1000, "edac dimm:mc0-dimm1 up ;");
    healths_are(s, 1000 + 86399, "edac dimm:mc0-dimm1 up ;");
    healths_are(s, 1000 + 86400, "edac dimm:DIMM_A-1 up ;edac dimm:mc0-dimm1 up ;");
}

/* An agent that is started again knows what is usual. */
static void what_was_counted_outlives_the_sources(void **state)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT, later = STRBUF_INIT;
    AUTO(node_sources_free) struct node_sources *s = NULL, *again = NULL, *other = NULL;
    const struct node_trend_rule rule = { 5, 3, NS_PER_S };
    (void)state;
    tree_put(MC "dimm0/dimm_ce_count", "15\n");
    tree_put(MC "dimm0/dimm_ue_count", "0\n");
    assert_int_equal(node_sources_new(root, NODE_EDAC, &s), 0);
    assert_false(node_sources_print_last_trends(s, &text));
    node_sources_read(s, 7200 * NS_PER_S, no_value, NULL);
    assert_true(node_sources_print_trends(s, &text));
    tree_put(MC "dimm0/dimm_ce_count", "21\n");
    assert_int_equal(node_sources_new(root, NODE_EDAC, &again), 0);
    node_sources_set_trend_rule(again, &rule);
    assert_int_equal(node_sources_parse_trends(again, strbuf_span(&text)), 0);
    node_sources_on_health(again, hear_health);
    healths_are(again, 7260,
                "edac dimm:DIMM_A-1 degraded DIMM_A-1: 6 corrected errors in an hour, "
                "more than 5;edac dimm:mc0-dimm1 up ;");
    assert_true(node_sources_print_trends(again, &later));
    healths_are(again, 7261,
                "edac dimm:DIMM_A-1 degraded DIMM_A-1: 6 corrected errors in an hour, "
                "more than 5;edac dimm:mc0-dimm1 up ;");
    assert_false(node_sources_print_trends(again, &later)); /* nothing came */
    tree_put(MC "dimm0/dimm_ce_count", "22\n");
    node_sources_on_health(again, NULL);
    node_sources_read(again, 7262 * NS_PER_S, no_value, NULL);
    assert_false(node_sources_print_trends(again, &later)); /* not within a minute */
    node_sources_read(again, 7320 * NS_PER_S, no_value, NULL);
    assert_true(node_sources_print_trends(again, &later));
    node_sources_read(again, 7320 * NS_PER_S + 3600 * NS_PER_S, no_value, NULL);
    assert_true(node_sources_print_trends(again, &later));
    assert_int_equal(node_sources_new(root, NODE_EDAC, &other), 0);
    assert_int_equal(node_sources_parse_trends(other, SPAN("what")), -EBADMSG);
}

/* ---- InfiniBand ---- */

#define IB "/sys/class/infiniband/"

static void ports_have_bytes_and_packets(void **state)
{
    AUTO(node_sources_free) struct node_sources *s = NULL;
    (void)state;
    tree_put(IB "mlx5_0/ports/1/lid", "0x1f\n");
    tree_put(IB "mlx5_0/ports/1/counters/port_rcv_data", "18446744073709551615\n");
    tree_put(IB "mlx5_0/ports/1/counters/port_xmit_data", "250\n");
    tree_put(IB "mlx5_0/ports/1/counters/port_rcv_packets", "7\n");
    tree_put(IB "mlx5_0/ports/1/counters/port_xmit_packets", "18446744073709551616\n");
    tree_put(IB "mlx5_0/ports/1/counters/symbol_error", "-1\n");
    tree_put(IB "mlx5_0/ports/1/counters/link_downed", "3\n");
    tree_put(IB "mlx5_0/ports/1/hw_counters/out_of_sequence", "9\n");
    tree_put(IB "mlx5_0/ports/1/hw_counters/lifespan", "12\n");
    tree_put(IB "mlx5_0/ports/1/hw_counters/a=b,c d", "5\n");
    /* An old driver: 32 bits that stay at their end, and 64 beside them. */
    tree_put(IB "mlx4_0/ports/2/lid", "0x2\n");
    tree_put(IB "mlx4_0/ports/2/counters/port_rcv_data", "4294967295\n");
    tree_put(IB "mlx4_0/ports/2/counters_ext/port_rcv_data_64", "5000000000\n");
    /* Omni-Path; and one without a subnet. */
    tree_put(IB "hfi1_0/ports/1/lid", "0x11\n");
    tree_put(IB "hfi1_0/ports/1/counters/port_xmit_data", "100\n");
    tree_put(IB "mlx5_1/ports/1/lid", "0x0\n");
    tree_put(IB "mlx5_1/ports/1/counters/port_rcv_data", "1\n");
    assert_int_equal(node_sources_new(root, NODE_INFINIBAND, &s), 0);
    struct wanted first[] = {
        { "ib_recv", "network:mlx5_0:1", 4 * 18446744073709551615.0, 0 },
        { "ib_xmit", "network:mlx5_0:1", 1000, 0 },
        { "ib_recv_pkts", "network:mlx5_0:1", 7, 0 },
        { "ib_xmit_pkts", "network:mlx5_0:1", NAN, 0 },
        { "ib_symbol_errs", "network:mlx5_0:1", NAN, 0 },
        { "ib_link_downed", "network:mlx5_0:1", 3, 0 },
        { "ib_hw_out_of_sequence", "network:mlx5_0:1", 9, 0 },
        { "ib_hw_lifespan", "network:mlx5_0:1", NAN, 0 },
        { "ib_hw_a=b,c d", "network:mlx5_0:1", NAN, 0 },
        { "ib_recv", "network:mlx4_0:2", 20000000000, 0 },
        { "ib_xmit", "network:hfi1_0:1", 400, 0 },
        { "ib_recv", "network:mlx5_1:1", NAN, 0 },
        { NULL, NULL, 0, 0 },
    };
    round_has(s, 100, first);
    tree_put(IB "mlx5_1/ports/1/lid", "0x3\n");
    tree_put(IB "mlx5_0/ports/1/lid", "0x0\n");
    struct wanted second[] = { { "ib_recv", "network:mlx5_1:1", 4, 0 },
                               { "ib_recv", "network:mlx5_0:1", NAN, 0 },
                               { NULL, NULL, 0, 0 } };
    round_has(s, 110, second);
}

static void devices_that_come_are_found(void **state)
{
    AUTO(node_sources_free) struct node_sources *s = NULL;
    char command[200];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s" IB, root);
    assert_int_equal(system(command), 0);
    assert_int_equal(node_sources_new(root, NODE_INFINIBAND, &s), 0);
    struct wanted none[] = { { "ib_recv", "network:late:1", NAN, 0 },
                             { NULL, NULL, 0, 0 } };
    round_has(s, 100, none);
    tree_put(IB "late/ports/1/lid", "0x1\n");
    tree_put(IB "late/ports/1/counters/port_rcv_data", "1\n");
    round_has(s, 159, none);
    round_has(s, 160, none);
    struct wanted one[] = { { "ib_recv", "network:late:1", 4, 0 },
                            { NULL, NULL, 0, 0 } };
    round_has(s, 161, one);
}

static void notice(void *arg, const char *text)
{
    (void)snprintf(arg, 400, "%s", text);
}

static void thousands_of_ports_are_bounded(void **state)
{
    AUTO(node_sources_free) struct node_sources *s = NULL;
    char text[400] = "";
    (void)state;
    for (int i = 0; i < 3000; i++) {
        char path[200];
        (void)snprintf(path, sizeof path, IB "many%04d/ports/1/lid", i);
        tree_put(path, "0x1\n");
        for (int k = 0; k < 10 && i < 70; k++) {
            (void)snprintf(path, sizeof path, IB "many%04d/ports/1/hw_counters/c%d", i,
                           k);
            tree_put(path, "1\n");
        }
        (void)snprintf(path, sizeof path, IB "many%04d/ports/1/counters/port_rcv_data",
                       i);
        tree_put(path, "25\n");
    }
    assert_int_equal(node_sources_new(root, NODE_INFINIBAND, &s), 0);
    struct wanted wanted[] = { { "ib_recv", "network:many0000:1", 100, 0 },
                               { "ib_recv", "network:many0062:1", 100, 0 },
                               { "ib_recv", "network:many0063:1", NAN, 0 },
                               { NULL, NULL, 0, 0 } };
    round_has(s, 100, wanted); /* and late:1 */
    node_sources_notices(s, notice, text);
    assert_string_equal(text, "2937 ports of InfiniBand and 310 counters are not read: "
                              "64 ports and 384 counters are as many as can be");
}

/* ---- power ---- */

#define RAPL "/sys/class/powercap/intel-rapl"

static void zone_put(const char *zone, const char *name, const char *range_uj,
                     const char *energy_uj)
{
    const struct {
        const char *file, *text;
    } files[] = { { "name", name },
                  { "max_energy_range_uj", range_uj },
                  { "energy_uj", energy_uj } };
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        char path[200];
        (void)snprintf(path, sizeof path, RAPL "%s/%s", zone, files[i].file);
        if (files[i].text)
            tree_put(path, files[i].text);
    }
}

static void energy_becomes_power(void **state)
{
    AUTO(node_sources_free) struct node_sources *s = NULL;
    (void)state;
    zone_put(":0", "package-0\n", "262143328850\n", "1000000\n");
    zone_put(":0:0", "core\n", "262143328850\n", "5\n");
    zone_put(":0:1", "dram\n", "65712999613\n", "65712999613\n");
    zone_put(":1", "package-1-die-0\n", "262143328850\n", "0\n");
    zone_put(":1:0", "dram\n", "262143328850\n", "0\n");
    zone_put(":2", "psys\n", "262143328850\n", "0\n");
    zone_put("-mmio:0", "package-0\n", "262143328850\n", "0\n");
    /* Nothing of these is power. */
    zone_put(":3", "package-3\n", "0\n", "0\n");
    zone_put(":4", "package-4\n", "18446744073709551616\n", "0\n");
    zone_put(":5", "\n", "262143328850\n", "0\n");
    zone_put(":6", "package-6\n", "262143328850\n", NULL);
    zone_put(":7", "package-\n", "1000\n", "2000\n"); /* over its range */
    zone_put(":8", "pack age/8,x=y\n", "262143328850\n", "0\n");
    assert_int_equal(node_sources_new(root, NODE_RAPL, &s), 0);
    struct wanted none[] = { { "rapl_average_power", "socket:0", NAN, 0 },
                             { "rapl_average_power", "zone:psys", NAN, 0 },
                             { NULL, NULL, 0, 0 } };
    round_has(s, 100, none);
    zone_put(":0", NULL, NULL, "1501000000\n");
    zone_put(":0:0", NULL, NULL, "no number\n");
    zone_put(":0:1", NULL, NULL, "100000000\n"); /* around its end */
    zone_put(":1", NULL, NULL, "2500000000\n");
    zone_put(":1:0", NULL, NULL, "10000000\n");
    zone_put(":2", NULL, NULL, "4000000000\n");
    zone_put(":8", NULL, NULL, "10000000\n");
    struct wanted first[] = {
        { "rapl_average_power", "socket:0", 150, 0 },
        { "rapl_average_power", "zone:core", NAN, 0 },
        { "rapl_average_power", "zone:dram", 10, 0 },
        { "rapl_average_power", "zone:die-0", 250, 0 },
        { "rapl_average_power", "zone:die-0-dram", 1, 0 },
        { "rapl_average_power", "zone:psys", 400, 0 },
        { "rapl_average_power", "socket:3", NAN, 0 },
        { "rapl_average_power", "socket:4", NAN, 0 },
        { "rapl_average_power", "socket:6", NAN, 0 },
        { "rapl_average_power", "zone:package-", NAN, 0 },
        { "rapl_average_power", "zone:pack_age_8_x_y", 1, 0 },
        { NULL, NULL, 0, 0 },
    };
    round_has(s, 110, first);
    /* Set back: as an end of its range that would be far more power than there is. */
    zone_put(":0", NULL, NULL, "0\n");
    zone_put(":0:0", NULL, NULL, "100000000\n");
    struct wanted second[] = { { "rapl_average_power", "socket:0", NAN, 0 },
                               { "rapl_average_power", "zone:core", NAN, 0 },
                               { "rapl_average_power", "zone:psys", 0, 0 },
                               { NULL, NULL, 0, 0 } };
    round_has(s, 120, second);
    /* In 100 s the smaller range may have come around twice. */
    zone_put(":0", NULL, NULL, "1000000000\n");
    struct wanted third[] = { { "rapl_average_power", "socket:0", 10, 0 },
                              { "rapl_average_power", "zone:dram", NAN, 0 },
                              { NULL, NULL, 0, 0 } };
    round_has(s, 220, third);
}

static void energy_for_root_alone_is_opened_before(void **state)
{
    AUTO(node_sources_free) struct node_sources *s = NULL;
    AUTO(node_energy_free) struct node_energy *energy = NULL;
    char path[200], text[400] = "";
    (void)state;
    if (geteuid() != 0)
        skip();
    (void)snprintf(path, sizeof path, "rm -r %s/sys/class/powercap", root);
    assert_int_equal(system(path), 0);
    zone_put(":0", "package-0\n", "262143328850\n", "0\n");
    (void)snprintf(path, sizeof path, "%s" RAPL ":0/energy_uj", root);
    assert_int_equal(chmod(path, 0400), 0);
    assert_int_equal(chmod(root, 0755), 0);
    assert_int_equal(node_energy_open(root, &energy), 0);
    assert_int_equal(seteuid(65534), 0);
    int rc = node_sources_new(root, NODE_RAPL, &s);
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(rc, 0);
    node_sources_notices(s, notice, text);
    assert_string_equal(text, "power of 1 zones of processors is not read (rapl): " RAPL
                              ":0/energy_uj: Permission denied; the kernel lets root "
                              "alone read it, see baro-agent.conf(5)");
    text[0] = '\0';
    node_sources_set_energy(s, energy);
    node_sources_notices(s, notice, text);
    assert_string_equal(text, "");
    struct wanted none[] = { { "rapl_average_power", "socket:0", NAN, 0 },
                             { NULL, NULL, 0, 0 } };
    round_has(s, 100, none);
    zone_put(":0", NULL, NULL, "500000000\n");
    struct wanted one[] = { { "rapl_average_power", "socket:0", 50, 0 },
                            { NULL, NULL, 0, 0 } };
    round_has(s, 110, one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_texts_become_values),
        cmocka_unit_test(cpu_times_become_shares),
        cmocka_unit_test(devices_have_their_names),
        cmocka_unit_test(sensors_have_labels),
        cmocka_unit_test(jobs_are_found_and_forgotten),
        cmocka_unit_test(modules_of_memory_have_a_health),
        cmocka_unit_test(a_start_makes_no_worn_module_well),
        cmocka_unit_test(what_was_counted_outlives_the_sources),
        cmocka_unit_test(ports_have_bytes_and_packets),
        cmocka_unit_test(devices_that_come_are_found),
        cmocka_unit_test(thousands_of_ports_are_bounded),
        cmocka_unit_test(energy_becomes_power),
        cmocka_unit_test(energy_for_root_alone_is_opened_before),
        cmocka_unit_test(this_machine_has_values),
    };
    return cmocka_run_group_tests_name("node", tests, tree_make, tree_remove);
}
