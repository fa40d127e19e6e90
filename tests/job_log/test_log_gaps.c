/* SPDX-License-Identifier: Apache-2.0 */
/* test_log_gaps - which modules of a log are not read, not whole, or damaged. */
#include "analysis/log/log_gaps.h"

#include "base/test/testing.h"
#include "source/darshan/test/log_maker.h"

static struct log_gaps gaps_of(const struct log_maker *m)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(darshan_log_close) struct darshan_log *log = NULL;
    struct log_gaps gaps;
    log_make(m, &bytes);
    assert_int_equal(darshan_log_open_memory(bytes.data, bytes.size, NULL, &log, NULL),
                     0);
    log_gaps_find(log, &gaps);
    return gaps;
}

static void is_list(const struct log_gaps *gaps, enum log_gap kind, const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    (void)log_gaps_print(gaps, kind, &out);
    assert_string_equal(strbuf_text(&out), want);
}

static void a_log_with_all_read_is_whole(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    log_job(&m, "", "./app\n");
    struct log_gaps gaps = gaps_of(&m);
    assert_true(log_gaps_is_whole(&gaps));
    assert_int_equal(log_gaps_lacking(&gaps), 0);
    for (int kind = 0; kind < LOG_GAP_KINDS; kind++)
        is_list(&gaps, (enum log_gap)kind, "");
}

static void modules_without_a_reader_are_named(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    log_job(&m, "", "./app\n");
    static const enum darshan_module_id ids[] = { DARSHAN_MDHIM, DARSHAN_POSIX };
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        unsigned slot = log_slot(&m, ids[i]);
        m.versions[slot] = 77; /* no version that there is */
        log_u64(&m, &m.slots[slot], 1);
    }
    struct log_gaps gaps = gaps_of(&m);
    is_list(&gaps, LOG_GAP_UNREAD, "POSIX, MDHIM");
    assert_int_equal(log_gaps_lacking(&gaps),
                     LOG_BIT(DARSHAN_POSIX) | LOG_BIT(DARSHAN_MDHIM));
    assert_true(log_gaps_is_whole(&gaps)); /* nothing is missing from the log itself */
}

static void partial_modules_are_named_and_the_log_is_not_whole(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    log_job(&m, "", "./app\n");
    m.partial = UINT64_C(1) << log_slot(&m, DARSHAN_STDIO);
    struct log_gaps gaps = gaps_of(&m);
    is_list(&gaps, LOG_GAP_PARTIAL, "STDIO");
    is_list(&gaps, LOG_GAP_UNREAD, "");
    assert_false(log_gaps_is_whole(&gaps));
    gaps.partial = 0;
    gaps.damaged = LOG_BIT(DARSHAN_MPIIO);
    is_list(&gaps, LOG_GAP_DAMAGED, "MPI-IO");
    assert_false(log_gaps_is_whole(&gaps));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_with_all_read_is_whole),
        cmocka_unit_test(modules_without_a_reader_are_named),
        cmocka_unit_test(partial_modules_are_named_and_the_log_is_not_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
