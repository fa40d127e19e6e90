/* SPDX-License-Identifier: Apache-2.0 */
/* test_metric_visit - what waits for readers does not wait for the end of a long one.
 */
#include "api/reading/reading.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
    char dir[64];
    struct metric_store *store;
    _Atomic bool is_done;
    int rc;
} house;

static int setup(void **state)
{
    struct err err = { 0 };
    (void)state;
    (void)snprintf(house.dir, sizeof house.dir, "/tmp/baro-visit-XXXXXX");
    assert_non_null(mkdtemp(house.dir));
    const struct metric_store_options options = { .dir = house.dir, .shard_count = 1 };
    if (metric_store_open(&options, &house.store, &err) < 0)
        fail_msg("%s", err.text);
    return 0;
}

static int teardown(void **state)
{
    char command[128];
    (void)state;
    metric_store_close(house.store);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", house.dir);
    return system(command);
}

static void put_one(void)
{
    const struct metric load = { .name = SPAN("load"), .step_ns = 60 * NS_PER_S };
    const struct metric *metric = NULL;
    struct level_series *series = NULL;
    struct sample_counts taken = { 0 };
    struct metric_table *metrics = metric_store_metrics(house.store);
    assert_int_equal(metric_declare(metrics, &load, &metric), 0);
    assert_int_equal(metric_store_series(house.store, SPAN("c/h"), metric, &series), 0);
    struct sample point = { series, clock_now_ns(), 1 };
    const struct metric_batch batch = { 0, &point, 1, METRIC_STORED };
    assert_int_equal(metric_store_put(house.store, &batch, &taken), 0);
}

/* Replaces the store's files, and waits for those who read the old ones. */
static void *write_checkpoint(void *arg)
{
    struct err err = { 0 };
    (void)arg;
    house.rc = metric_store_checkpoint(house.store, &err);
    atomic_store(&house.is_done, true);
    return NULL;
}

static void a_checkpoint_does_not_wait_for_the_end_of_a_visit(void **state)
{
    struct metric_visit visit;
    pthread_t thread;
    (void)state;
    put_one();
    metric_visit_begin(&visit, house.store);
    assert_int_equal(pthread_create(&thread, NULL, write_checkpoint, NULL), 0);
    int64_t end_ns = clock_monotonic_ns() + 60 * NS_PER_S;
    while (!atomic_load(&house.is_done) && clock_monotonic_ns() < end_ns)
        metric_visit_step(&visit);
    bool was_done = atomic_load(&house.is_done);
    metric_visit_end(&visit);
    (void)pthread_join(thread, NULL);
    assert_true(was_done);
    assert_int_equal(house.rc, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_checkpoint_does_not_wait_for_the_end_of_a_visit, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
