/* SPDX-License-Identifier: Apache-2.0 */
/* test_ssh_reader - the text of baro-ssh-read, in pieces of any size. */
#include "agent/ssh/ssh_reader.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"

#include <errno.h>
#include <stdio.h>

#define T0 INT64_C(1669010520000)
#define TWO                                          \
    "obdfilter.s-OST0001.job_cleanup_interval=600\n" \
    "obdfilter.s-OST0002.job_cleanup_interval=\n"
#define DUMP(target, id, sum)                         \
    "obdfilter." target ".job_stats=\njob_stats:\n"   \
    "- job_id: " id "\n  snapshot_time: 1669010520\n" \
    "  write_bytes: { samples: 1, unit: bytes, min: 1, max: 1, sum: " sum " }\n"

static int add_row(void *arg, struct span server, const struct entry *entry,
                   const struct observation *seen)
{
    struct strbuf *rows = arg;
    if (!seen->is_zero)
        strbuf_addf(rows, SPAN_FMT "/" SPAN_FMT "/" SPAN_FMT "@%lld ", SPAN_ARG(server),
                    SPAN_ARG(entry->target), SPAN_ARG(entry->id),
                    (long long)((seen->t_ms - T0) / 1000));
    return 0;
}

static int fail_row(void *arg, struct span server, const struct entry *entry,
                    const struct observation *seen)
{
    (void)arg;
    (void)server;
    (void)entry;
    (void)seen;
    return -ECANCELED;
}

/* The text in pieces of this size.  Returns the first error, of _end too. */
static int read_text(struct ssh_reader *reader, int64_t t_ms, const char *text,
                     size_t piece, bool is_whole)
{
    struct span rest = span_of(text);
    int rc = 0;
    ssh_reader_begin(reader, t_ms);
    while (rc == 0 && rest.size) {
        size_t size = rest.size < piece ? rest.size : piece;
        rc = ssh_reader_feed(reader, (struct span){ rest.data, size });
        rest = span_skip(rest, size);
    }
    int end = ssh_reader_end(reader, is_whole && rc == 0);
    return rc < 0 ? rc : end;
}

static void any_pieces_give_the_same_rows(void **state)
{
    (void)state;
    static const char first[] =
        TWO DUMP("s-OST0001", "a", "5") DUMP("s-OST0002", "b", "6");
    static const char second[] =
        TWO DUMP("s-OST0001", "a", "7") DUMP("s-OST0002", "b", "6");
    static const size_t pieces[] = { 1, 2, 7, 50, 100, 10000 };
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
        AUTO(ssh_reader_free) struct ssh_reader *reader = NULL;
        assert_int_equal(ssh_reader_new("oss1", 30000, add_row, &rows, &reader), 0);
        assert_int_equal(read_text(reader, T0, first, pieces[i], true), 0);
        assert_int_equal(read_text(reader, T0 + 30000, second, pieces[i], true), 0);
        assert_int_equal(ssh_reader_target_count(reader), 2);
        assert_string_equal(strbuf_text(&rows), "oss1/s-OST0001/a@0 oss1/s-OST0002/b@0 "
                                                "oss1/s-OST0001/a@30 ");
    }
}

static void what_is_wrong_with_a_text_is_an_error(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        int rc;
    } cases[] = {
        { "no target", DUMP("s-OST0001", "a", "5"), -ENODEV },
        { "nothing", "", -ENODEV },
        { "targets and no dump", TWO, 0 },
        { "an entry of a target that is not listed", TWO DUMP("s-OST0009", "a", "5"),
          0 },
        { "a line that is none", TWO "what is this?\n", 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
        AUTO(ssh_reader_free) struct ssh_reader *reader = NULL;
        assert_int_equal(ssh_reader_new("oss1", 30000, add_row, &rows, &reader), 0);
        int rc = read_text(reader, T0, cases[i].text, 10000, true);
        if (rc != cases[i].rc || rows.size)
            fail_msg("%s: %d '%s'", cases[i].name, rc, strbuf_text(&rows));
    }
}

static void an_endless_list_is_refused(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    AUTO(ssh_reader_free) struct ssh_reader *reader = NULL;
    static const char line[] = "obdfilter.s-OST0001.job_cleanup_interval=600\n";
    int rc = 0;
    assert_int_equal(ssh_reader_new("oss1", 30000, add_row, &rows, &reader), 0);
    ssh_reader_begin(reader, T0);
    size_t fed = 0;
    for (; rc == 0 && fed < (2U << 20); fed += 100 * (sizeof line - 1)) {
        char many[100 * sizeof line] = "";
        for (size_t i = 0; i < 100; i++)
            memcpy(many + i * (sizeof line - 1), line, sizeof line - 1);
        rc = ssh_reader_feed(reader, (struct span){ many, 100 * (sizeof line - 1) });
    }
    assert_int_equal(rc, -EMSGSIZE);
    assert_true(fed <= (1U << 20) + sizeof line * 200);
    assert_int_equal(ssh_reader_end(reader, false), 0);
}

static void what_broke_off_keeps_what_was_whole(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    AUTO(ssh_reader_free) struct ssh_reader *reader = NULL;
    assert_int_equal(ssh_reader_new("oss1", 30000, add_row, &rows, &reader), 0);
    assert_int_equal(read_text(reader, T0,
                               TWO DUMP("s-OST0001", "a", "5")
                                   DUMP("s-OST0002", "b", "6"),
                               10000, true),
                     0);
    strbuf_clear(&rows);
    assert_int_equal(read_text(reader, T0 + 30000,
                               TWO DUMP("s-OST0001", "a", "9") "obdfilter.s-OST0002.",
                               10000, false),
                     0);
    strbuf_clear(&rows);
    /* b was merely not seen: it goes on where it was. */
    assert_int_equal(read_text(reader, T0 + 60000,
                               TWO DUMP("s-OST0001", "a", "9")
                                   DUMP("s-OST0002", "b", "8"),
                               10000, true),
                     0);
    assert_non_null(strstr(strbuf_text(&rows), "s-OST0002/b@60"));
}

static void what_the_caller_returns_ends_the_round(void **state)
{
    (void)state;
    AUTO(ssh_reader_free) struct ssh_reader *reader = NULL;
    assert_int_equal(ssh_reader_new("oss1", 30000, fail_row, NULL, &reader), 0);
    assert_int_equal(
        read_text(reader, T0, TWO DUMP("s-OST0001", "a", "5"), 10000, true),
        -ECANCELED);
    struct ssh_reader *none = NULL;
    assert_int_equal(ssh_reader_new("oss1", 0, add_row, NULL, &none), -EINVAL);
    assert_null(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_pieces_give_the_same_rows),
        cmocka_unit_test(what_is_wrong_with_a_text_is_an_error),
        cmocka_unit_test(an_endless_list_is_refused),
        cmocka_unit_test(what_broke_off_keeps_what_was_whole),
        cmocka_unit_test(what_the_caller_returns_ends_the_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
