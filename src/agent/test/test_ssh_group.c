/* SPDX-License-Identifier: Apache-2.0 */
/* test_ssh_group - several servers read at the same time, a shell in place of ssh. */
#include "agent/ssh/ssh_group.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <string.h>

#define T0 INT64_C(1669010520000)
/* The command is given the host and baro-ssh-read. */
#define READ                                                               \
    "sh -c 'test \"$1\" != oss99 || { echo no route >&2; exit 255; }; "    \
    "echo obdfilter.s-OST0001.job_cleanup_interval=600; "                  \
    "printf \"obdfilter.s-OST0001.job_stats=\\njob_stats:\\n- job_id: a.1" \
    "\\n  snapshot_time: 1669010520\\n  write_bytes: { samples: 1, unit: " \
    "bytes, min: 1, max: 1, sum: 1 }\\n\"' sh"

static int count_row(void *arg, struct span server, const struct entry *entry,
                     const struct observation *seen)
{
    unsigned *rows = arg;
    (void)server;
    (void)seen;
    *rows += span_eq(entry->target, SPAN("s-OST0001"));
    return 0;
}

static int group_new(const char *hosts, unsigned *rows, struct ssh_group **ret,
                     struct err *err)
{
    const struct ssh_group_opts opts = { .hosts = hosts,
                                         .command = READ,
                                         .interval_ms = 30000,
                                         .timeout_ns = 60 * NS_PER_S,
                                         .fn = count_row,
                                         .arg = rows };
    return ssh_group_new(&opts, ret, err);
}

static void a_host_that_fails_is_a_note_and_the_others_are_read(void **state)
{
    (void)state;
    AUTO(ssh_group_free) struct ssh_group *group = NULL;
    AUTO(table_done) struct table table;
    struct err err = { 0 };
    unsigned rows = 0;
    table_init(&table);
    assert_int_equal(group_new("oss[01-02,99]", &rows, &group, &err), 0);
    assert_int_equal(ssh_group_round(group, T0, &err), 0);
    assert_int_equal(rows, 2);
    ssh_group_add_notes(group, &table);
    assert_int_equal(table.note_count, 2);
    if (!strstr(table.notes[0], "oss99") || !strstr(table.notes[0], "no route"))
        fail_msg("%s", table.notes[0]);
    assert_string_equal(table.notes[1], "2 targets of 3 servers, of which 2 answered");
}

static void host_sets_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const hosts[] = { "oss[01-", "", "oss[001-300]", "-oProxy" };
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        struct ssh_group *group = NULL;
        struct err err = { 0 };
        unsigned rows = 0;
        if (group_new(hosts[i], &rows, &group, &err) != -EINVAL || group)
            fail_msg("'%s' is accepted", hosts[i]);
        assert_true(err.text[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_that_fails_is_a_note_and_the_others_are_read),
        cmocka_unit_test(host_sets_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
