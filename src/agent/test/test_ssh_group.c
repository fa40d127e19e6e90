/* SPDX-License-Identifier: Apache-2.0 */
/* test_ssh_group - servers that are read at the same time: a bad one costs itself only;
 * a shell stands in for ssh.
 */
#include "agent/ssh/ssh_group.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"

#include <errno.h>

#define T0 INT64_C(1669010520000)
/* oss2 fails, oss3 hangs. */
#define SCRIPT                                                                   \
    "case $1 in oss2) echo away >&2; exit 255 ;; oss3) exec sleep 600 ;; esac; " \
    "printf 'obdfilter.s-OST0001.job_cleanup_interval=600\\n"                    \
    "obdfilter.s-OST0001.job_stats=\\njob_stats:\\n- job_id: a\\n"               \
    "  snapshot_time: 1669010520\\n"                                             \
    "  write_bytes: { samples: 1, unit: bytes, min: 1, max: 1, sum: 5 }\\n'"

static int add_server(void *arg, struct span server, const struct entry *entry,
                      const struct observation *seen)
{
    struct strbuf *rows = arg;
    (void)entry;
    (void)seen;
    strbuf_addf(rows, SPAN_FMT " ", SPAN_ARG(server));
    return 0;
}

static int group_new(const char *hosts, int64_t timeout_ns, struct strbuf *rows,
                     struct ssh_group **ret, struct err *err)
{
    const struct ssh_group_opts opts = { .hosts = hosts,
                                         .command = "sh -c \"$BARO_TEST_SCRIPT\" sh",
                                         .interval_ms = 30000,
                                         .timeout_ns = timeout_ns,
                                         .fn = add_server,
                                         .arg = rows };
    (void)setenv("BARO_TEST_SCRIPT", SCRIPT, 1);
    return ssh_group_new(&opts, ret, err);
}

/* The notes of the group, each with a line end. */
static void add_notes(const struct ssh_group *group, struct strbuf *out)
{
    AUTO(table_done) struct table table;
    table_init(&table);
    strbuf_clear(out);
    ssh_group_add_notes(group, &table);
    for (size_t i = 0; i < table.note_count; i++)
        strbuf_addf(out, "%s\n", table.notes[i]);
}

static void each_host_has_its_rows_or_its_problem(void **state)
{
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    AUTO(ssh_group_free) struct ssh_group *group = NULL;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(group_new("oss[1-2]", 60 * NS_PER_S, &rows, &group, &err), 0);
    for (int i = 0; i < 2; i++) {
        strbuf_clear(&rows);
        assert_int_equal(ssh_group_round(group, T0 + i * INT64_C(30000), &err), 0);
        assert_string_equal(strbuf_text(&rows), i ? "" : "oss1 "); /* unchanged */
        add_notes(group, &notes);
        assert_string_equal(strbuf_text(&notes),
                            "oss2: reading failed: away\n"
                            "1 targets of 2 servers, of which 1 responded\n");
    }
}

static void at_its_end_a_round_gives_up_what_hangs(void **state)
{
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    AUTO(ssh_group_free) struct ssh_group *group = NULL;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(group_new("oss3", 300 * NS_PER_MS, &rows, &group, &err), 0);
    assert_int_equal(ssh_group_round(group, T0, &err), 0);
    add_notes(group, &notes);
    assert_string_equal(strbuf_text(&notes),
                        "oss3: Connection timed out\n"
                        "0 targets of 1 servers, of which 0 responded\n");
    assert_string_equal(strbuf_text(&rows), "");
}

static void what_is_no_set_of_hosts_is_refused(void **state)
{
    static const struct {
        const char *hosts, *reason;
    } cases[] = {
        { "oss[1-", "" },
        { "", "" },
        { "oss[1-257]", "--ssh: more than 256 hosts" },
        { "oss1,-oProxyCommand=x", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
        struct ssh_group *group = NULL;
        struct err err = { 0 };
        int rc = group_new(cases[i].hosts, NS_PER_S, &rows, &group, &err);
        if (rc != -EINVAL || group || !err.text[0] ||
            !strstr(err.text, cases[i].reason))
            fail_msg("'%s': %d %s", cases[i].hosts, rc, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_host_has_its_rows_or_its_problem),
        cmocka_unit_test(at_its_end_a_round_gives_up_what_hangs),
        cmocka_unit_test(what_is_no_set_of_hosts_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
