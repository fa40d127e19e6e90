/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_work - what waits for a worker can be taken back, and is bounded. */
#include "base/test/testing.h"
#include "dataset/forwarder/work.h"

#define MANY 8192U

struct counted {
    struct work work; /* first */
    unsigned *runs, *ends;
    uv_sem_t *wait; /* NULL: it runs at once */
};

static void counted_run(struct work *work, struct worker *worker)
{
    struct counted *counted = (struct counted *)work;
    (void)worker;
    if (counted->wait)
        uv_sem_wait(counted->wait);
    ++*counted->runs;
}

static void on_counted(struct work *work)
{
    ++*((struct counted *)work)->ends;
}

static void counted_submit(struct work_pool *pool, struct counted *counted)
{
    counted->work.run = counted_run;
    counted->work.done = on_counted;
    work_submit(pool, &counted->work);
}

static void what_waits_can_be_cancelled(void **state)
{
    AUTO(work_pool_free) struct work_pool *pool = NULL;
    unsigned runs = 0, ends = 0;
    uv_loop_t loop;
    uv_sem_t wait;
    (void)state;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(uv_sem_init(&wait, 0), 0);
    assert_int_equal(work_pool_new(&loop, 1, NULL, &pool, NULL), 0);
    struct counted works[4];
    for (size_t i = 0; i < COUNT_OF(works); i++) {
        works[i] = (struct counted){ .runs = &runs, .ends = &ends };
        works[i].wait = i ? NULL : &wait;
        counted_submit(pool, &works[i]);
    }
    assert_false(work_cancel(&works[0].work)); /* the worker has it */
    assert_true(work_cancel(&works[3].work));
    assert_true(work_cancel(&works[1].work));
    assert_false(work_cancel(&works[1].work));
    counted_submit(pool, &works[3]);
    uv_sem_post(&wait);
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(runs, 3);
    assert_int_equal(ends, 3);
    assert_true(work_pool_is_idle(pool));
    assert_false(work_cancel(&works[3].work)); /* it is over */
    uv_sem_destroy(&wait);
    assert_int_equal(uv_loop_close(&loop), 0);
}

static void so_many_wait_and_no_more(void **state)
{
    AUTO(work_pool_free) struct work_pool *pool = NULL;
    AUTO_FREE struct counted *works = calloc(MANY + 1, sizeof *works);
    unsigned runs = 0, ends = 0;
    uv_loop_t loop;
    uv_sem_t wait;
    (void)state;
    assert_non_null(works);
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(uv_sem_init(&wait, 0), 0);
    assert_int_equal(work_pool_new(&loop, 1, NULL, &pool, NULL), 0);
    for (size_t i = 0; i <= MANY; i++) {
        assert_false(work_pool_is_full(pool));
        works[i] = (struct counted){ .runs = &runs, .ends = &ends };
        works[i].wait = i ? NULL : &wait;
        counted_submit(pool, &works[i]);
    }
    assert_true(work_pool_is_full(pool));
    for (size_t i = 1; i <= MANY; i++)
        assert_true(work_cancel(&works[i].work));
    assert_false(work_pool_is_full(pool));
    uv_sem_post(&wait);
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(runs, 1);
    assert_int_equal(ends, 1);
    uv_sem_destroy(&wait);
    assert_int_equal(uv_loop_close(&loop), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_waits_can_be_cancelled),
        cmocka_unit_test(so_many_wait_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
