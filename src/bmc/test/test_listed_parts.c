/* SPDX-License-Identifier: Apache-2.0 */
/* test_listed_parts - which parts are gone, and which may only not have been read. */
#include "base/test/testing.h"
#include "bmc/listed_parts.h"

#include <stdlib.h>

struct fixture {
    struct bmc_report report;
    struct listed_parts listed;
    char gone[256];
};

static void on_gone(void *arg, const char *type, const char *id)
{
    struct fixture *f = arg;
    size_t size = strlen(f->gone);
    (void)snprintf(f->gone + size, sizeof f->gone - size, "%s:%s;", type, id);
}

/* A reading of table 1 with these parts, each one letter. */
static void reading(struct fixture *f, const char *ids, bool is_whole, const char *gone)
{
    bmc_report_clear(&f->report);
    f->report.table = 1;
    f->report.has_whole[1] = is_whole;
    for (; *ids; ids++) {
        const char id[2] = { *ids, 0 };
        bmc_report_part(&f->report, "disk", id, RESOURCE_UP, "");
    }
    f->gone[0] = '\0';
    listed_parts_read(&f->listed, &f->report, on_gone, f);
    assert_string_equal(f->gone, gone);
}

static void what_two_whole_readings_do_not_have_is_gone(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    (void)state;
    assert_non_null(f);
    reading(f, "ab", true, "");
    reading(f, "a", true, "");
    reading(f, "a", true, "disk:b;");
    reading(f, "a", true, "disk:b;");
    reading(f, "ab", true, "");
    reading(f, "a", true, "");
    reading(f, "ab", true, ""); /* once is not gone */
    reading(f, "a", true, "");
    reading(f, "", true, "disk:b;");
    listed_parts_done(&f->listed);
    free(f);
}

static void what_was_not_read_whole_is_no_reason(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    (void)state;
    assert_non_null(f);
    reading(f, "ab", true, "");
    for (int i = 0; i < 9; i++)
        reading(f, "a", false, "");
    reading(f, "a", true, "");
    reading(f, "a", false, "");
    reading(f, "a", true, "disk:b;");
    listed_parts_done(&f->listed);
    free(f);
}

/* Names that are others at each reading fill nothing for ever. */
static void there_are_as_many_as_can_be(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    (void)state;
    assert_non_null(f);
    for (unsigned round = 0; round < 20; round++) {
        bmc_report_clear(&f->report);
        f->report.table = 1;
        f->report.has_whole[1] = true;
        for (unsigned i = 0; i < 300; i++) {
            char id[16];
            (void)snprintf(id, sizeof id, "%u-%u", round, i);
            bmc_report_part(&f->report, "disk", id, RESOURCE_UP, "");
        }
        f->gone[0] = '\0';
        listed_parts_read(&f->listed, &f->report, on_gone, f);
        assert_int_equal(f->listed.lost, 0);
        assert_true(f->listed.by_name.count <= LISTED_PARTS_MAX);
    }
    listed_parts_done(&f->listed);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_two_whole_readings_do_not_have_is_gone),
        cmocka_unit_test(what_was_not_read_whole_is_no_reason),
        cmocka_unit_test(there_are_as_many_as_can_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
