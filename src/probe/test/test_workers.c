/* SPDX-License-Identifier: Apache-2.0 */
/* workers - processes meet at barriers, and nobody waits for the dead. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/test/testing.h"
#include "probe/workers.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define COUNT 5
#define ROUNDS 50

DEFINE_AUTO(struct workers, workers_free);

struct shared {
    _Atomic unsigned arrived[ROUNDS];
};

struct result {
    unsigned rank, seen_early;
    int rc;
};

static struct workers *workers_start(volatile const int *stop)
{
    struct workers_opts opts = { .count = COUNT, .stop = stop };
    struct workers *workers = NULL;
    assert_int_equal(workers_new(&opts, &workers, NULL), 0);
    return workers;
}

static void count_arrivals(const struct worker *me, void *arg, void *result)
{
    struct shared *shared = arg;
    struct result *r = result;
    r->rank = me->rank;
    for (unsigned i = 0; i < ROUNDS; i++) {
        atomic_fetch_add(&shared->arrived[i], 1);
        r->rc = workers_barrier(me);
        if (r->rc < 0)
            return;
        r->seen_early += atomic_load(&shared->arrived[i]) != me->count;
    }
}

static void nobody_leaves_a_barrier_before_all_have_come(void **state)
{
    (void)state;
    AUTO(workers_free) struct workers *workers = workers_start(NULL);
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    struct result results[COUNT];
    assert_int_equal(workers_run(workers, count_arrivals, shared, 0, results,
                                 sizeof results[0], NULL),
                     0);
    for (unsigned i = 0; i < COUNT; i++) {
        assert_int_equal(results[i].rank, i);
        assert_int_equal(results[i].rc, 0);
        assert_int_equal(results[i].seen_early, 0);
    }
    (void)munmap(shared, sizeof *shared);
}

static void one_dies(const struct worker *me, void *arg, void *result)
{
    (void)arg;
    (void)result;
    if (me->rank == 2)
        (void)raise(SIGKILL);
    (void)workers_barrier(me);
}

static void a_dead_member_ends_the_others(void **state)
{
    (void)state;
    AUTO(workers_free) struct workers *workers = workers_start(NULL);
    struct result results[COUNT];
    struct err err = { 0 };
    assert_int_equal(
        workers_run(workers, one_dies, NULL, 0, results, sizeof results[0], &err),
        -ECHILD);
    assert_non_null(strstr(err.text, "process 2"));
    assert_non_null(strstr(err.text, "signal 9"));
    /* and the workers can be used again */
    assert_int_equal(workers_count(workers), COUNT);
}

static void sleep_long(const struct worker *me, void *arg, void *result)
{
    (void)arg;
    (void)result;
    if (me->rank == 0)
        (void)nanosleep(&(struct timespec){ 600, 0 }, NULL);
    (void)workers_barrier(me);
}

static void a_deadline_ends_all(void **state)
{
    (void)state;
    AUTO(workers_free) struct workers *workers = workers_start(NULL);
    struct result results[COUNT];
    int64_t deadline_ns = clock_monotonic_ns() + 20 * NS_PER_MS;
    assert_int_equal(workers_run(workers, sleep_long, NULL, deadline_ns, results,
                                 sizeof results[0], NULL),
                     -ETIME);
}

static void a_stop_ends_all(void **state)
{
    (void)state;
    volatile int stop = 1;
    AUTO(workers_free) struct workers *workers = workers_start(&stop);
    struct result results[COUNT];
    assert_int_equal(
        workers_run(workers, sleep_long, NULL, 0, results, sizeof results[0], NULL),
        -ECANCELED);
}

static void one_without_mpi_says_so(void **state)
{
    (void)state;
    if (workers_has_mpi())
        skip();
    struct workers_opts opts = { .use_mpi = true };
    struct workers *workers = NULL;
    struct err err = { 0 };
    assert_int_equal(workers_new(&opts, &workers, &err), -ENOTSUP);
    assert_non_null(strstr(err.text, "without MPI"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_leaves_a_barrier_before_all_have_come),
        cmocka_unit_test(a_dead_member_ends_the_others),
        cmocka_unit_test(a_deadline_ends_all),
        cmocka_unit_test(a_stop_ends_all),
        cmocka_unit_test(one_without_mpi_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
