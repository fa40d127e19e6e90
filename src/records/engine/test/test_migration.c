/* SPDX-License-Identifier: Apache-2.0 */
/* test_migration - the steps from each version, as they are reported. */
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "records/engine/migration.h"
#include "records/tables/tables.h"

struct steps {
    size_t count;
    int64_t seconds;
    struct strbuf locks;
};

static void step_note(void *arg, const struct records_step *step)
{
    struct steps *steps = arg;
    steps->count++;
    steps->seconds += step->seconds;
    assert_non_null(step->what);
    strbuf_adds(&steps->locks, step->locks);
}

static void each_version_has_the_steps_that_lead_on_from_it(void **state)
{
    (void)state;
    for (int64_t version = 1; version <= SCHEMA_VERSION; version++) {
        struct steps steps = { .locks = STRBUF_INIT };
        migration_report(version, 3000000, "I", "L", step_note, &steps);
        assert_int_equal(steps.count, SCHEMA_VERSION - version);
        /* The index of the series is built by the first step alone. */
        assert_int_equal(steps.seconds, version == 1 ? 10 : 0);
        assert_int_equal(strchr(strbuf_text(&steps.locks), 'I') != NULL, version == 1);
        strbuf_done(&steps.locks);
    }
}

static void a_few_series_take_less_than_a_second(void **state)
{
    (void)state;
    struct steps steps = { .locks = STRBUF_INIT };
    migration_report(1, 20000, "I", "L", step_note, &steps);
    assert_int_equal(steps.seconds, 0);
    strbuf_done(&steps.locks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_version_has_the_steps_that_lead_on_from_it),
        cmocka_unit_test(a_few_series_take_less_than_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
