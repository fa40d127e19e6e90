/* SPDX-License-Identifier: Apache-2.0 */
/* test_layer_use - how much a program used one interface. */
#include "analysis/log/layer_use.h"

#include "base/test/testing.h"

#include <math.h>

#define COUNTERS_MAX 400

struct made {
    int64_t counters[COUNTERS_MAX];
    struct darshan_record record;
};

static void made_set(struct made *m, const char *name, int64_t value)
{
    int at = darshan_counter_find(m->record.module, name);
    assert_true(at >= 0);
    m->counters[at] = value;
}

static void made_init(struct made *m, enum darshan_module_id id)
{
    *m = (struct made){ .record = { .module = darshan_module(id) } };
    m->record.counters = m->counters;
}

static struct layer_use use_of(const struct made *m, size_t times)
{
    struct layer_use use = { 0 };
    struct layer_columns columns;
    layer_columns_find(m->record.module, &columns);
    for (size_t i = 0; i < times; i++)
        layer_use_add(&use, &columns, &m->record);
    return use;
}

static void data_sets_of_hdf5_are_counted_by_records(void **state)
{
    (void)state;
    struct made m;
    made_init(&m, DARSHAN_H5D);
    made_set(&m, "H5D_OPENS", 2);
    made_set(&m, "H5D_READS", 3);
    made_set(&m, "H5D_WRITES", 5);
    made_set(&m, "H5D_BYTES_READ", 100);
    made_set(&m, "H5D_BYTES_WRITTEN", 300);
    struct layer_use use = use_of(&m, 2);
    made_set(&m, "H5D_USE_MPIIO_COLLECTIVE", 1);
    struct layer_columns columns;
    layer_columns_find(m.record.module, &columns);
    layer_use_add(&use, &columns, &m.record);
    assert_int_equal(use.records, 3);
    assert_true(layer_use_figure(&use, LAYER_OPENS) == 6);
    assert_true(layer_use_figure(&use, LAYER_ACCESSES) == 24);
    assert_true(layer_use_figure(&use, LAYER_BYTES) == 1200);
    assert_true(layer_use_figure(&use, LAYER_READ_SHARE) == 0.25);
    assert_true(fabs(layer_use_figure(&use, LAYER_COLLECTIVE_SHARE) - 1.0 / 3) < 1e-12);
}

static void collective_accesses_are_accesses_too(void **state)
{
    (void)state;
    static const struct {
        enum darshan_module_id id;
        const char *alone, *together, *deferred;
    } cases[] = {
        { DARSHAN_MPIIO, "MPIIO_INDEP_READS", "MPIIO_COLL_WRITES", "MPIIO_NB_WRITES" },
        { DARSHAN_PNETCDF_VAR, "PNETCDF_VAR_INDEP_READS", "PNETCDF_VAR_COLL_WRITES",
          "PNETCDF_VAR_NB_WRITES" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct made m;
        made_init(&m, cases[i].id);
        made_set(&m, cases[i].alone, 1);
        made_set(&m, cases[i].together, 6);
        made_set(&m, cases[i].deferred, 1);
        const struct layer_use use = use_of(&m, 1);
        assert_true(layer_use_figure(&use, LAYER_ACCESSES) == 8);
        assert_true(layer_use_figure(&use, LAYER_COLLECTIVE_SHARE) == 0.75);
    }
}

static void what_a_module_does_not_count_is_not_known(void **state)
{
    (void)state;
    struct made m;
    made_init(&m, DARSHAN_H5F);
    made_set(&m, "H5F_OPENS", 4);
    struct layer_use use = use_of(&m, 1);
    assert_true(layer_use_figure(&use, LAYER_OPENS) == 4);
    assert_true(isnan(layer_use_figure(&use, LAYER_BYTES)));
    assert_true(isnan(layer_use_figure(&use, LAYER_ACCESSES)));
    use = use_of(&m, 0);
    assert_true(isnan(layer_use_figure(&use, LAYER_OPENS)));
    made_init(&m, DARSHAN_POSIX);
    made_set(&m, "POSIX_READS", -1);
    made_set(&m, "POSIX_WRITES", 3);
    use = use_of(&m, 1);
    assert_true(layer_use_figure(&use, LAYER_ACCESSES) == 3);
    assert_true(isnan(layer_use_figure(&use, LAYER_COLLECTIVE_SHARE)));
}

static void calls_of_mpi_have_bytes_and_no_direction(void **state)
{
    (void)state;
    struct made m;
    made_init(&m, DARSHAN_APMPI);
    made_set(&m, "MPI_SEND_CALL_COUNT", 7);
    made_set(&m, "MPI_SEND_TOTAL_BYTES", 70);
    made_set(&m, "MPI_BARRIER_CALL_COUNT", 2);
    made_set(&m, "MPI_IALLTOALLW_TOTAL_BYTES", 30);
    made_set(&m, "MPI_WIN_SYNC_CALL_COUNT", 1);
    const struct layer_use use = use_of(&m, 1);
    assert_true(layer_use_figure(&use, LAYER_ACCESSES) == 10);
    assert_true(layer_use_figure(&use, LAYER_BYTES) == 100);
    assert_true(isnan(layer_use_figure(&use, LAYER_READ_SHARE)));
    m.record.counters = NULL; /* the module's head */
    assert_int_equal(use_of(&m, 1).records, 0);
}

static void every_layer_is_of_a_module_and_back(void **state)
{
    (void)state;
    for (int i = 0; i < LOG_LAYERS; i++)
        assert_int_equal(log_layer_of(log_layer_module((enum log_layer)i)), i);
    assert_int_equal(log_layer_of(DARSHAN_LUSTRE), LOG_LAYERS);
    assert_int_equal(log_layer_of(DARSHAN_APXC), LOG_LAYERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_sets_of_hdf5_are_counted_by_records),
        cmocka_unit_test(collective_accesses_are_accesses_too),
        cmocka_unit_test(what_a_module_does_not_count_is_not_known),
        cmocka_unit_test(calls_of_mpi_have_bytes_and_no_direction),
        cmocka_unit_test(every_layer_is_of_a_module_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
