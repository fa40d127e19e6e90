/* SPDX-License-Identifier: Apache-2.0 */
/* test_measure - which counters a name adds up, and in which unit. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "query/counters/counters.h"

#include <errno.h>
#include <stdio.h>

#define BIT(op) (UINT64_C(1) << OP_##op)

enum { MDT = 1u << TARGET_MDT, OST = 1u << TARGET_OST };

static void a_name_is_its_counters_in_its_unit(void **state)
{
    static const struct {
        const char *name, *unit, *rate_unit;
        uint64_t samples, sums;
        unsigned kinds;
    } cases[] = {
        { "write_bytes", "bytes", "bytes/s", 0, BIT(WRITE_BYTES), MDT | OST },
        { "read_bytes", "bytes", "bytes/s", 0, BIT(READ_BYTES), MDT | OST },
        { "write_bytes_count", "count", "1/s", BIT(WRITE_BYTES), 0, MDT | OST },
        { "read_bytes_count", "count", "1/s", BIT(READ_BYTES), 0, MDT | OST },
        { "open", "count", "1/s", BIT(OPEN), 0, MDT | OST },
        { "punch", "count", "1/s", BIT(PUNCH), 0, MDT | OST },
        { "open_usecs", "usecs", "usecs/s", 0, BIT(OPEN), MDT | OST },
        { "write", "count", "1/s", BIT(WRITE), 0, MDT | OST },
        { "write_usecs", "usecs", "usecs/s", 0, BIT(WRITE), MDT | OST },
        { "iops", "count", "1/s", BIT(READ_BYTES) | BIT(WRITE_BYTES), 0, MDT | OST },
        { "metadata", "count", "1/s",
          BIT(OPEN) | BIT(CLOSE) | BIT(MKNOD) | BIT(LINK) | BIT(UNLINK) | BIT(MKDIR) |
              BIT(RMDIR) | BIT(RENAME) | BIT(GETATTR) | BIT(SETATTR) | BIT(GETXATTR) |
              BIT(SETXATTR) | BIT(STATFS) | BIT(SYNC),
          0, MDT },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct measure m;
        struct err err = { 0 };
        int rc = measure_parse(span_of(cases[i].name), &m, &err);
        if (rc < 0 || strcmp(m.name, cases[i].name) != 0 ||
            strcmp(m.unit, cases[i].unit) != 0 ||
            strcmp(measure_rate_unit(&m), cases[i].rate_unit) != 0 ||
            m.samples != cases[i].samples || m.sums != cases[i].sums ||
            m.kinds != cases[i].kinds)
            fail_msg("%s: %d %s", cases[i].name, rc, err.text);
    }
}

static void what_is_no_measure_is_refused_with_those_there_are(void **state)
{
    static const char *const cases[] = {
        "",
        "count",
        "_count",
        "_usecs",
        "writes",
        "open_count",
        "write_bytes_usecs",
        "write_bytes_sum",
        "OPEN",
        "open ",
        "write_bytes_count_count",
        "metadata_usecs",
        "iops_count",
        "a_name_of_more_than_thirty_one_bytes",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct measure m = { .unit = "untouched" };
        struct err err = { 0 };
        int rc = measure_parse(span_of(cases[i]), &m, &err);
        if (rc != -EINVAL || strcmp(m.unit, "untouched") != 0)
            fail_msg("'%s': %d, %s", cases[i], rc, m.unit);
        assert_non_null(strstr(err.text, "is not an operation: use write_bytes"));
    }
}

static void a_near_name_is_suggested(void **state)
{
    static const struct {
        const char *name, *want; /* NULL: none is near */
    } cases[] = {
        { "wirte_bytes", "; did you mean 'write_bytes'?" },
        { "metadataa", "; did you mean 'metadata'?" },
        { "opeen", "; did you mean 'open'?" },
        { "temperature", NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct measure m;
        struct err err = { 0 };
        assert_int_equal(measure_parse(span_of(cases[i].name), &m, &err), -EINVAL);
        const char *found = strstr(err.text, "; did you mean");
        if (!cases[i].want != !found || (found && strcmp(found, cases[i].want) != 0))
            fail_msg("'%s': %s", cases[i].name, err.text);
    }
}

/* The same as asked for by its own name, for every operation. */
static void each_operation_has_a_measure(void **state)
{
    (void)state;
    for (int op = 0; op < OP_COUNT; op++) {
        struct measure by_op, by_name;
        measure_of_op((enum op)op, &by_op);
        assert_int_equal(measure_parse(span_of(op_name((enum op)op)), &by_name, NULL),
                         0);
        assert_string_equal(by_op.name, by_name.name);
        assert_string_equal(by_op.unit, by_name.unit);
        assert_true(by_op.samples == by_name.samples && by_op.sums == by_name.sums);
        assert_true((by_op.samples | by_op.sums) == UINT64_C(1) << op);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_its_counters_in_its_unit),
        cmocka_unit_test(what_is_no_measure_is_refused_with_those_there_are),
        cmocka_unit_test(a_near_name_is_suggested),
        cmocka_unit_test(each_operation_has_a_measure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
