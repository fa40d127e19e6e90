/* SPDX-License-Identifier: Apache-2.0 */
/* test_pool - the order of results, and what a worker's end costs. */
#include "base/number.h"
#include "base/system/pool.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { TASKS_MAX = 4096 };

/* In memory that workers share with us. */
struct board {
    unsigned tries[TASKS_MAX];
};

struct plan {
    struct board *board;
    size_t crash, crash_once, hang, huge; /* TASKS_MAX: none */
    size_t end;                           /* take() ends the run there */
    size_t taken;
    size_t bytes;
    struct pool_result lost[8];
    size_t lost_count;
};

static void plan_init(struct plan *plan)
{
    *plan = (struct plan){ .crash = TASKS_MAX,
                           .crash_once = TASKS_MAX,
                           .hang = TASKS_MAX,
                           .huge = TASKS_MAX,
                           .end = TASKS_MAX };
    plan->board = mmap(NULL, sizeof *plan->board, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(plan->board, MAP_FAILED);
}

static void work(void *arg, size_t task, struct strbuf *ret)
{
    struct plan *plan = arg;
    unsigned tries = ++plan->board->tries[task];
    if (task == plan->crash || (task == plan->crash_once && tries == 1))
        (void)raise(SIGKILL);
    while (task == plan->hang)
        (void)usleep(1000);
    strbuf_addf(ret, "%zu", task);
    for (size_t i = 0; task == plan->huge && i < 300000; i++)
        strbuf_adds(ret, "0123456789");
}

static int take(void *arg, const struct pool_result *result)
{
    struct plan *plan = arg;
    uint64_t number = 0;
    assert_int_equal(result->task, plan->taken);
    plan->taken++;
    plan->bytes += result->bytes.size;
    if (result->fate != POOL_DONE) {
        assert_true(plan->lost_count < 8);
        plan->lost[plan->lost_count++] = *result;
    } else if (result->task != plan->huge) {
        assert_int_equal(number_parse_u64(result->bytes, &number), 0);
        assert_int_equal(number, result->task);
    }
    return result->task == plan->end ? -ECANCELED : 0;
}

static int run(struct plan *plan, unsigned workers, size_t count, int64_t ns_max)
{
    const struct pool_opts opts = { workers, count, ns_max, plan, work, take };
    struct err err = { 0 };
    return pool_run(&opts, &err);
}

static void plan_done(struct plan *plan)
{
    (void)munmap(plan->board, sizeof *plan->board);
}

static void results_come_in_the_order_of_tasks(void **state)
{
    (void)state;
    static const struct {
        unsigned workers;
        size_t count;
    } cases[] = { { 1, 0 }, { 1, 1 }, { 1, 1000 }, { 3, 2 }, { 2, 3000 }, { 7, 1000 } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct plan plan;
        plan_init(&plan);
        assert_int_equal(run(&plan, cases[i].workers, cases[i].count, 0), 0);
        assert_int_equal(plan.taken, cases[i].count);
        assert_int_equal(plan.lost_count, 0);
        for (size_t task = 0; task < cases[i].count; task++)
            assert_int_equal(plan.board->tries[task], 1);
        plan_done(&plan);
    }
}

static void a_task_that_crashes_twice_is_lost_alone(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= 3; workers++) {
        struct plan plan;
        plan_init(&plan);
        plan.crash = 150;
        assert_int_equal(run(&plan, workers, 400, 0), 0);
        assert_int_equal(plan.taken, 400);
        assert_int_equal(plan.lost_count, 1);
        assert_int_equal(plan.lost[0].task, 150);
        assert_int_equal(plan.lost[0].fate, POOL_CRASHED);
        assert_int_equal(plan.lost[0].signal, SIGKILL);
        assert_int_equal(plan.board->tries[150], 2);
        plan_done(&plan);
    }
}

static void a_worker_that_dies_once_costs_nothing(void **state)
{
    (void)state;
    struct plan plan;
    plan_init(&plan);
    plan.crash_once = 77;
    assert_int_equal(run(&plan, 2, 400, 0), 0);
    assert_int_equal(plan.taken, 400);
    assert_int_equal(plan.lost_count, 0);
    plan_done(&plan);
}

static void a_task_that_hangs_is_lost_and_its_worker_replaced(void **state)
{
    (void)state;
    struct plan plan;
    plan_init(&plan);
    plan.hang = 9;
    assert_int_equal(run(&plan, 2, 300, 300 * NS_PER_MS), 0);
    assert_int_equal(plan.taken, 300);
    assert_int_equal(plan.lost_count, 1);
    assert_int_equal(plan.lost[0].task, 9);
    assert_int_equal(plan.lost[0].fate, POOL_LATE);
    assert_int_equal(plan.board->tries[9], 1);
    plan_done(&plan);
}

static void a_result_of_megabytes_comes_whole(void **state)
{
    (void)state;
    struct plan plan;
    plan_init(&plan);
    plan.huge = 3;
    assert_int_equal(run(&plan, 2, 10, 0), 0);
    assert_int_equal(plan.taken, 10);
    assert_true(plan.bytes > 3000000);
    plan_done(&plan);
}

static void taking_may_end_the_run(void **state)
{
    (void)state;
    struct plan plan;
    plan_init(&plan);
    plan.end = 20;
    assert_int_equal(run(&plan, 2, 3000, 0), -ECANCELED);
    assert_int_equal(plan.taken, 21);
    assert_int_equal(plan.board->tries[2999], 0); /* nobody ran ahead that far */
    plan_done(&plan);
}

static void no_workers_and_too_many_are_refused(void **state)
{
    (void)state;
    struct plan plan;
    plan_init(&plan);
    assert_int_equal(run(&plan, 0, 1, 0), -EINVAL);
    assert_int_equal(run(&plan, POOL_WORKERS_MAX + 1, 1, 0), -EINVAL);
    assert_true(pool_workers_default() >= 1);
    plan_done(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_in_the_order_of_tasks),
        cmocka_unit_test(a_task_that_crashes_twice_is_lost_alone),
        cmocka_unit_test(a_worker_that_dies_once_costs_nothing),
        cmocka_unit_test(a_task_that_hangs_is_lost_and_its_worker_replaced),
        cmocka_unit_test(a_result_of_megabytes_comes_whole),
        cmocka_unit_test(taking_may_end_the_run),
        cmocka_unit_test(no_workers_and_too_many_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
