/* SPDX-License-Identifier: Apache-2.0 */
/* test_kmsg - records of the kernel, what the rules that are installed make of its
 * messages, and what is refused. */
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "source/kmsg/kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* ---- records ---- */

static void records_have_a_head_and_a_text(void **state)
{
    static const char *const bad[] = {
        "",
        ";",
        "6;x",
        "6,1;x",
        "a,1,2,-;x",
        "6,-1,2,-;x",
        "6,1,1e3,-;x",
        "70000,1,2,-;x",
        "6,1,99999999999999999999,-;x",
    };
    struct kmsg_record record;
    (void)state;
    assert_int_equal(kmsg_record_parse(SPAN("6,1234,5678901,-;a; b"), &record), 0);
    assert_int_equal(record.facility, 0);
    assert_int_equal(record.level, 6);
    assert_int_equal(record.sequence, 1234);
    assert_int_equal(record.time_us, 5678901);
    assert_true(span_is(record.text, "a; b"));
    assert_int_equal(kmsg_record_parse(SPAN("14,7,8,-,caller=T1;"), &record), 0);
    assert_int_equal(record.facility, 1);
    assert_int_equal(record.text.size, 0);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (kmsg_record_parse(span_of(bad[i]), &record) != -EBADMSG)
            fail_msg("%s", bad[i]);
}

static int played(const char *text)
{
    char path[] = "/tmp/baro-kmsg.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(file_write_all(fd, text, strlen(text)), 0);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void assert_next(struct kmsg_reader *reader, const char *text)
{
    unsigned budget = 100;
    struct kmsg_record record;
    int rc = kmsg_reader_next(reader, &budget, &record);
    assert_int_equal(rc, text ? 1 : 0);
    if (text)
        assert_true(span_is(record.text, text));
}

static void a_reader_begins_where_it_ended_and_counts_gaps(void **state)
{
    static struct kmsg_reader reader;
    unsigned budget = 1;
    struct kmsg_record record;
    (void)state;
    AUTO_CLOSE int fd = played("6,5,1,-;five\n SUBSYSTEM=pci\n6,6,1,-;six\nbroken\n"
                               "6,9,1,-;nine\n6,10,1,-;half");
    kmsg_reader_start(&reader, fd, 6);
    assert_next(&reader, "six");
    assert_int_equal(reader.lost, 0);
    assert_next(&reader, "nine");
    assert_int_equal(reader.lost, 2);
    assert_int_equal(reader.bad, 1);
    assert_next(&reader, NULL);
    assert_int_equal(reader.next, 10);
    assert_int_equal(
        pwrite(fd, " and half\n6,11,1,-;x\n6,12,1,-;y\n", 32, lseek(fd, 0, SEEK_CUR)),
        32);
    assert_next(&reader, "half and half");
    assert_int_equal(kmsg_reader_next(&reader, &budget, &record), 1);
    assert_int_equal(kmsg_reader_next(&reader, &budget, &record), 0);
    assert_next(&reader, "y");
}

static void a_line_without_end_is_passed_over(void **state)
{
    static struct kmsg_reader reader;
    static char text[3 * KMSG_READ_BYTES];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    memcpy(text + sizeof text - 32, "\n6,3,1,-;after\n", 15);
    text[sizeof text - 32 + 15] = '\0';
    AUTO_CLOSE int fd = played(text);
    kmsg_reader_start(&reader, fd, 3);
    assert_next(&reader, "after");
    assert_int_equal(reader.bad, 1);
}

/* This machine's own, where it may be read. */
static void the_kernels_own_are_read(void **state)
{
    static struct kmsg_reader reader;
    struct kmsg_record record;
    unsigned budget = 1000000, count = 0;
    int rc;
    (void)state;
    AUTO_CLOSE int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        skip();
    kmsg_reader_start(&reader, fd, 0);
    while ((rc = kmsg_reader_next(&reader, &budget, &record)) > 0)
        count++;
    if (rc == -EPERM)
        skip();
    assert_int_equal(rc, 0);
    assert_int_equal(reader.bad, 0);
    assert_int_equal(reader.next, reader.lost + count);
}

/* ---- the rules that are installed ---- */

/* As kernels from 3.10 to 6.12 and the drivers write them. */
static const struct {
    const char *text, *rule, *component, *cgroup, *pid;
    enum kmsg_health health;
} messages[] = {
    { "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed="
      "0-1,"
      "oom_memcg=/system.slice/slurmstepd.scope/job_42,"
      "task_memcg=/system.slice/slurmstepd.scope/job_42/step_0/user/task_0,"
      "task=python3,pid=12345,uid=1000",
      "oom_kill", "host", "/system.slice/slurmstepd.scope/job_42/step_0/user/task_0",
      "12345", KMSG_NO_HEALTH },
    { "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,"
      "global_oom,task_memcg=/slurm/uid_1000/job_7/step_batch,task=a.out,pid=1,uid=0",
      "oom_kill", "host", "/slurm/uid_1000/job_7/step_batch", "1", KMSG_NO_HEALTH },
    { "Task in /slurm/uid_1000/job_8/step_0 killed as a result of limit of "
      "/slurm/uid_1000/job_8",
      "oom_kill", "host", "/slurm/uid_1000/job_8/step_0", "", KMSG_NO_HEALTH },
    { "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_Ha#0_Chan#1_DIMM#0 (channel:1 "
      "slot:0 page:0x12 offset:0x0 grain:32 syndrome:0x0)",
      "edac_corrected", "dimm:CPU_SrcID#0_Ha#0_Chan#1_DIMM#0", "", "", KMSG_NO_HEALTH },
    { "EDAC MC1: 2 UE multi-bit ECC on unknown memory (node:1 card:2)",
      "edac_uncorrected", "dimm:unknown memory", "", "", KMSG_NO_HEALTH },
    { "mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 7: "
      "be00000000800400",
      "mce_uncorrected", "cpu:12", "", "", KMSG_DEGRADED },
    { "mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 8: 8c00004000010092",
      "mce_corrected", "cpu:3", "", "", KMSG_NO_HEALTH },
    { "[Hardware Error]: CPU:2 (17:31:0) "
      "MC17_STATUS[Over|CE|MiscV|AddrV|-|-|SyndV|CECC]: "
      "0xdc2040000000011b",
      "mce_corrected", "cpu:2", "", "", KMSG_NO_HEALTH },
    { "[Hardware Error]: CPU:2 (17:31:0) MC0_STATUS[-|UE|MiscV|AddrV]: 0xb",
      "mce_uncorrected", "cpu:2", "", "", KMSG_DEGRADED },
    { "{1}[Hardware Error]: event severity: fatal", "firmware_error", "host", "", "",
      KMSG_DEGRADED },
    { "pcieport 0000:00:1c.0: AER: Corrected error received: 0000:01:00.0",
      "aer_corrected", "pci:0000:01:00.0", "", "", KMSG_NO_HEALTH },
    { "pcieport 0000:00:1c.0: AER: Multiple Correctable error message received from "
      "0000:01:00.0",
      "aer_corrected", "pci:0000:01:00.0", "", "", KMSG_NO_HEALTH },
    { "pcieport 0000:16:00.0: AER: Uncorrected (Non-Fatal) error received: "
      "0000:17:00.0",
      "aer_uncorrected", "pci:0000:17:00.0", "", "", KMSG_DEGRADED },
    { "pcieport 0000:16:00.0: AER: Uncorrectable (Fatal) error message received from "
      "0000:17:00.0",
      "aer_uncorrected", "pci:0000:17:00.0", "", "", KMSG_DEGRADED },
    { "INFO: task kworker/u8:2+x:12345 blocked for more than 122 seconds.", "task_hung",
      "host", "", "12345", KMSG_NO_HEALTH },
    { "watchdog: BUG: soft lockup - CPU#12 stuck for 23s! [python:1234]", "cpu_hung",
      "cpu:12", "", "", KMSG_NO_HEALTH },
    { "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen "
      "off the bus.",
      "xid_down", "gpu:0000:3b:00", "", "<unknown>", KMSG_DOWN },
    { "NVRM: Xid (PCI:0000:3b:00): 79, pid=<unknown>, name=<unknown>, GPU has fallen "
      "off "
      "the bus.",
      "xid_down", "gpu:0000:3b:00", "", "<unknown>", KMSG_DOWN },
    { "NVRM: Xid (PCI:0000:3b:00): 48, pid=2461, name=python, An uncorrectable double "
      "bit "
      "error (DBE) has been detected on GPU in the framebuffer at partition 6, "
      "subpartition "
      "0.",
      "xid_hardware", "gpu:0000:3b:00", "", "2461", KMSG_DEGRADED },
    { "NVRM: Xid (PCI:0000:3b:00): 63, pid=2461, name=python, Row Remapper: New row "
      "marked "
      "for remapping, reset gpu to activate.",
      "xid_hardware", "gpu:0000:3b:00", "", "2461", KMSG_DEGRADED },
    { "NVRM: Xid (PCI:0000:3b:00): 31, pid=2461, name=python, Ch 00000010, intr "
      "10000000. "
      "MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f2a_00000000.",
      "xid_application", "gpu:0000:3b:00", "", "2461", KMSG_NO_HEALTH },
    { "NVRM: Xid (0000:3b:00): 13, Graphics Exception: ESR 0x404490=0x80000001",
      "xid_application", "gpu:0000:3b:00", "", "", KMSG_NO_HEALTH },
    { "NVRM: Xid (PCI:0000:3b:00): 999, pid=1, something new", "xid_other",
      "gpu:0000:3b:00", "", "1", KMSG_NO_HEALTH },
    { "LustreError: 167-0: scratch-OST0001-osc-ffff8e5c71f3c800: This client was "
      "evicted "
      "by scratch-OST0001; in progress operations using this service will fail.",
      "lustre_evicted", "lustre:scratch-OST0001", "", "", KMSG_NO_HEALTH },
    { "Lustre: scratch-OST0001-osc-ffff8e5c71f3c800: Connection to scratch-OST0001 (at "
      "10.0.0.7@o2ib) was lost; in progress operations using this service will wait "
      "for "
      "recovery to complete",
      "lustre_lost", "lustre:scratch-OST0001", "", "", KMSG_NO_HEALTH },
    { "Lustre: scratch-OST0001-osc-ffff8e5c71f3c800: Connection restored to "
      "10.0.0.7@o2ib "
      "(at 10.0.0.7@o2ib)",
      "lustre_restored", "lustre:scratch-OST0001", "", "", KMSG_NO_HEALTH },
    { "Lustre: scratch-OST0003: haven't heard from client 8f2d (at 10.0.1.9@o2ib) in "
      "227 "
      "seconds. I think it's dead, and I am evicting it. exp 00000, cur 1 expire 2 "
      "last 3",
      "lustre_client_evicted", "target:scratch-OST0003", "", "", KMSG_NO_HEALTH },
    { "LustreError: 0:0:(ldlm_lockd.c:256:expired_lock_main()) ### lock callback timer "
      "expired after 101s: evicting client at 10.0.1.9@o2ib  ns: "
      "filter-scratch-OST0003_UUID lock: 00/0x1",
      "lustre_client_evicted", "target:scratch-OST0003", "", "", KMSG_NO_HEALTH },
    { "nfs: server files01 not responding, still trying", "nfs_hung", "nfs:files01", "",
      "", KMSG_NO_HEALTH },
    { "nfs: server files01 OK", "nfs_answers", "nfs:files01", "", "", KMSG_NO_HEALTH },
    { "I/O error, dev sda, sector 2056 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 2",
      "disk_error", "disk:sda", "", "", KMSG_DEGRADED },
    { "blk_update_request: critical medium error, dev sdb, sector 1", "disk_error",
      "disk:sdb", "", "", KMSG_DEGRADED },
    { "Buffer I/O error on dev sda1, logical block 0, async page read", "disk_error",
      "disk:sda1", "", "", KMSG_DEGRADED },
    { "nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10",
      "nvme_error", "disk:nvme0", "", "", KMSG_DEGRADED },
    { "nvme nvme1: I/O 12 QID 3 timeout, aborting", "nvme_timeout", "disk:nvme1", "",
      "", KMSG_NO_HEALTH },
    { "EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2: comm ls: reading "
      "directory lblock 0",
      "file_system_error", "device:sda1", "", "", KMSG_DEGRADED },
    { "XFS (dm-0): Corruption of in-memory data (0x8) detected at "
      "xfs_defer_finish_noroll+0x1 (fs/xfs/libxfs/xfs_defer.c:573).  Shutting down "
      "filesystem.",
      "file_system_error", "device:dm-0", "", "", KMSG_DEGRADED },
    /* Of no matter, or of a program whose name imitates one. */
    { "NVRM: Xid (PCI:[1234]: segfault at 0 ip 0000 sp 0000 error 4 in a.out", NULL, "",
      "", "", KMSG_NO_HEALTH },
    { "oom-kill:constr[1]: segfault at 0", NULL, "", "", "", KMSG_NO_HEALTH },
    { "usb 1-1: new high-speed USB device number 2 using xhci_hcd", NULL, "", "", "",
      KMSG_NO_HEALTH },
};

static void installed_rules_know_messages(void **state)
{
    AUTO(kmsg_rules_free) struct kmsg_rules *rules = NULL;
    struct err err = { 0 };
    (void)state;
    if (kmsg_rules_load(KERNEL_RULES, &rules, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(kmsg_rules_count(rules) > 20);
    for (size_t i = 0; i < COUNT_OF(messages); i++) {
        const struct kmsg_record record = { .sequence = i,
                                            .time_us = (i + 1) * 60000000,
                                            .text = span_of(messages[i].text) };
        struct kmsg_event event;
        bool is_one = kmsg_rules_apply(rules, &record, &event);
        if (is_one != (messages[i].rule != NULL))
            fail_msg("'%s' is %s", messages[i].text, is_one ? event.rule : "no event");
        if (!is_one)
            continue;
        assert_string_equal(event.rule, messages[i].rule);
        if (!span_is(event.component, messages[i].component))
            fail_msg("%s: " SPAN_FMT, event.rule, SPAN_ARG(event.component));
        if (!span_is(event.cgroup, messages[i].cgroup) ||
            !span_is(event.pid, messages[i].pid))
            fail_msg("%s: " SPAN_FMT " " SPAN_FMT, event.rule, SPAN_ARG(event.cgroup),
                     SPAN_ARG(event.pid));
        assert_int_equal(event.health, messages[i].health);
        assert_true(event.is_published && !event.is_held_back);
    }
}

/* ---- rules ---- */

static struct kmsg_rules *rules_of(const char *text)
{
    struct kmsg_rules *rules = NULL;
    struct err err = { 0 };
    if (kmsg_rules_parse("r", span_of(text), &rules, &err) < 0)
        fail_msg("%s", err.text);
    return rules;
}

static bool applies(struct kmsg_rules *rules, unsigned facility, uint64_t time_us,
                    const char *text, struct kmsg_event *ret)
{
    const struct kmsg_record record = { .facility = facility,
                                        .time_us = time_us,
                                        .text = span_of(text) };
    return kmsg_rules_apply(rules, &record, ret);
}

static void what_programs_write_is_of_no_matter(void **state)
{
    AUTO(kmsg_rules_free) struct kmsg_rules *rules = rules_of("[rule a]\nmatch = .*\n");
    struct kmsg_event event;
    (void)state;
    assert_false(applies(rules, 1, 0, "anything", &event));
    assert_true(applies(rules, 0, 0, "anything", &event));
}

static void a_rule_has_a_rate_and_counts_what_is_over_it(void **state)
{
    AUTO(kmsg_rules_free)
    struct kmsg_rules *rules = rules_of("[rule a]\nmatch = a.*\nrate = 2\n"
                                        "[rule b]\nmatch = b.*\n");
    struct kmsg_event event;
    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        assert_true(applies(rules, 0, 60000000 + i, "a", &event));
        assert_int_equal(event.is_held_back, i >= 2);
    }
    assert_true(applies(rules, 0, 60000009, "b", &event));
    assert_false(event.is_held_back);
    assert_true(applies(rules, 0, 120000000, "a", &event));
    assert_false(event.is_held_back);
    assert_int_equal(event.held_back, 3);
    assert_true(applies(rules, 0, 120000000, "a", &event));
    assert_int_equal(event.held_back, 0);
}

static void the_first_rule_counts_and_texts_are_filled(void **state)
{
    AUTO(kmsg_rules_free)
    struct kmsg_rules *rules =
        rules_of("[rule known]\nmatch = x+ fan 7 .*\nevent = no\n"
                 "[rule fan]\nmatch = x?x fan (?P<n>[0-9]+)(?P<why> broken)?\n"
                 "component = fan:{n}\ntext = fan {n} is{why}\nhealth = degraded\n"
                 "health_for = 1h\nclass = hardware\nseverity = fatal\n");
    struct kmsg_event event;
    (void)state;
    assert_true(applies(rules, 0, 0, "x fan 7 broken", &event));
    assert_false(event.is_published);
    assert_true(applies(rules, 0, 0, "x fan 8 broken", &event));
    assert_true(span_is(event.component, "fan:8"));
    assert_true(span_is(event.text, "fan 8 is broken"));
    assert_int_equal(event.health, KMSG_DEGRADED);
    assert_int_equal(event.health_ns, 3600 * NS_PER_S);
    assert_int_equal(event.severity, KMSG_FATAL);
    assert_true(applies(rules, 0, 0, "xx fan 9", &event));
    assert_true(span_is(event.text, "fan 9 is"));
}

static void refused(const char *text, const char *one, const char *two,
                    const char *three)
{
    struct kmsg_rules *rules = NULL;
    struct err err = { 0 };
    assert_true(kmsg_rules_parse("rules.conf", span_of(text), &rules, &err) < 0);
    assert_null(rules);
    const char *const parts[] = { one, two, three };
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (!strstr(err.text, parts[i]))
            fail_msg("'%s' has no '%s'", err.text, parts[i]);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    refused("[rule a]\nseverity = error\n", "rules.conf:", "match", "");
    refused("[rule a]\nmatch = (\n", "rules.conf:2", "'('", "a");
    refused("[rule a]\nmatch = (a)\\1\n", "rules.conf:2", "\\1", "");
    refused("[rule a]\nmatch = a\nseverity = bad\n", "rules.conf:3", "'bad'",
            "choose info");
    refused("[rule a]\nmatch = a\nhealth = drained\n", "rules.conf:3", "'drained'",
            "choose up");
    refused("[rule a]\nmatch = a\nclass = x\n", "rules.conf:3", "'x'",
            "choose hardware");
    refused("[rule a]\nmatch = a\ncomponent = gpu:{pci}\n", "rules.conf:3", "gpu:{pci}",
            "(?P<NAME>...)");
    refused("[rule a]\nmatch = a\ntext = {\n", "rules.conf:3", "'{'", "write {GROUP}");
    refused("[rule A-b]\nmatch = a\n", "rules.conf:", "A-b", "a-z");
    refused("[rule a]\nmatch = a\nrate = 0\n", "rules.conf:3", "rate", "");
    refused("[rule a]\nmatches = a\n", "rules.conf:2", "matches", "");
    refused("[rule a]\nmatch = (((a{1000}){1000}){1000})\n", "rules.conf:2", "", "");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_have_a_head_and_a_text),
        cmocka_unit_test(a_reader_begins_where_it_ended_and_counts_gaps),
        cmocka_unit_test(a_line_without_end_is_passed_over),
        cmocka_unit_test(the_kernels_own_are_read),
        cmocka_unit_test(installed_rules_know_messages),
        cmocka_unit_test(what_programs_write_is_of_no_matter),
        cmocka_unit_test(a_rule_has_a_rate_and_counts_what_is_over_it),
        cmocka_unit_test(the_first_rule_counts_and_texts_are_filled),
        cmocka_unit_test(what_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
