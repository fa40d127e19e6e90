/* SPDX-License-Identifier: Apache-2.0 */
/* test_mpi_calls - time in calls of MPI, and counters of routers. */
#include "analysis/log/mpi_calls.h"

#include "base/test/testing.h"

#include <math.h>

#define NUMBERS_MAX 400

static const struct darshan_autoperf body = { .is_head = false };

static void process_add(struct mpi_calls *c, int64_t rank, double total_s,
                        const char *call, double call_s)
{
    const struct darshan_module *module = darshan_module(DARSHAN_APMPI);
    int64_t counters[NUMBERS_MAX] = { 0 };
    double times[NUMBERS_MAX] = { 0 };
    const struct darshan_record record = { .module = module,
                                           .rank = rank,
                                           .counters = counters,
                                           .f_counters = times,
                                           .hostname = "nid1",
                                           .autoperf = &body };
    int at = darshan_f_counter_find(module, call);
    assert_true(at >= 0);
    times[at] = call_s;
    times[darshan_f_counter_find(module, "MPI_TOTAL_COMM_TIME")] = total_s;
    mpi_calls_add(c, &record);
}

static void the_average_the_slowest_and_the_costliest_call(void **state)
{
    (void)state;
    struct mpi_calls c = { 0 };
    char name[48];
    double mean_s = 0;
    assert_true(isnan(mpi_calls_mean_s(&c)));
    assert_null(mpi_calls_most(&c, name, sizeof name, &mean_s));
    process_add(&c, 0, 2, "MPI_WIN_FENCE_TOTAL_TIME", 1);
    process_add(&c, 7, 9, "MPI_ALLREDUCE_TOTAL_TIME", 8);
    process_add(&c, 3, 1, "MPI_WIN_FENCE_MAX_TIME", 50); /* no sum over calls */
    assert_int_equal(c.processes, 3);
    assert_true(mpi_calls_mean_s(&c) == 4);
    assert_true(c.most_s == 9);
    assert_int_equal(c.slowest_rank, 7);
    assert_string_equal(mpi_calls_most(&c, name, sizeof name, &mean_s),
                        "MPI_Allreduce");
    assert_true(fabs(mean_s - 8.0 / 3) < 1e-12);
    process_add(&c, 4, 40, "MPI_WIN_FLUSH_LOCAL_ALL_TOTAL_TIME", 40);
    assert_string_equal(mpi_calls_most(&c, name, sizeof name, &mean_s),
                        "MPI_Win_flush_local_all");
}

static void times_that_cannot_be_add_nothing(void **state)
{
    (void)state;
    struct mpi_calls c = { 0 };
    process_add(&c, 0, NAN, "MPI_SEND_TOTAL_TIME", -5);
    process_add(&c, 1, -3, "MPI_SEND_TOTAL_TIME", NAN);
    assert_true(mpi_calls_mean_s(&c) == 0);
}

static void routers_are_added_up_without_the_head(void **state)
{
    (void)state;
    const struct darshan_module *module = darshan_module(DARSHAN_APXC);
    const struct darshan_autoperf head = { .is_head = true };
    struct mpi_calls c = { 0 };
    int64_t counters[NUMBERS_MAX] = { 0 };
    struct darshan_record record = { .module = module, .autoperf = &head };
    mpi_calls_add(&c, &record);
    assert_int_equal(c.routers, 0);
    record.autoperf = &body;
    record.counters = counters;
    counters[0] = 99; /* the router's group is no count */
    counters[darshan_counter_find(module,
                                  "APXC_AR_RTR_4_7_INQ_PRF_INCOMING_FLIT_VC7")] = 5;
    counters[darshan_counter_find(module,
                                  "APXC_AR_RTR_PT_5_7_INQ_PRF_INCOMING_FLIT_VC4")] = 6;
    counters[darshan_counter_find(module, "APXC_AR_RTR_0_0_INQ_PRF_ROWBUS_STALL_CNT")] =
        2;
    counters[darshan_counter_find(
        module, "APXC_AR_RTR_PT_5_7_INQ_PRF_RSP_ROWBUS_STALL_CNT")] = 1;
    mpi_calls_add(&c, &record);
    mpi_calls_add(&c, &record);
    assert_int_equal(c.routers, 2);
    assert_true(c.flits == 22 && c.stalls == 6);
    assert_int_equal(c.processes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_average_the_slowest_and_the_costliest_call),
        cmocka_unit_test(times_that_cannot_be_add_nothing),
        cmocka_unit_test(routers_are_added_up_without_the_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
