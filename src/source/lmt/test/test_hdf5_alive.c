/* SPDX-License-Identifier: Apache-2.0 */
/* test_hdf5_alive - which children stay alive, and that none ends within a request. */
#include "source/lmt/hdf5_alive.h"

#include "base/cleanup.h"
#include "base/test/testing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
    struct hdf5_alive alive;
    bool is_alive;
    bool is_in_request;
    atomic_int *ended_in_request;
};

static void end(struct hdf5_alive *alive)
{
    struct child *c = (struct child *)(void *)alive;
    if (c->is_in_request && c->ended_in_request)
        atomic_fetch_add(c->ended_in_request, 1);
    c->is_alive = false;
}

static void request(struct child *c)
{
    c->alive.end = end;
    hdf5_alive_begin(&c->alive);
    c->is_in_request = c->is_alive = true;
    c->is_in_request = false;
    hdf5_alive_rest(&c->alive, true);
}

static int count_alive(const struct child *children, int count)
{
    int alive = 0;
    for (int i = 0; i < count; i++)
        alive += children[i].is_alive;
    return alive;
}

static void the_ones_used_last_stay(void **state)
{
    (void)state;
    enum { COUNT = HDF5_ALIVE_MAX + 3 };
    struct child children[COUNT] = { 0 };
    for (int i = 0; i < COUNT; i++)
        request(&children[i]);
    assert_int_equal(count_alive(children, COUNT), HDF5_ALIVE_MAX);
    assert_true(children[COUNT - 1].is_alive);
    request(&children[COUNT - HDF5_ALIVE_MAX]); /* now the newest one */
    request(&children[0]);
    assert_true(children[0].is_alive && children[COUNT - HDF5_ALIVE_MAX].is_alive);
    assert_int_equal(count_alive(children, COUNT), HDF5_ALIVE_MAX);
    for (int i = 0; i < COUNT; i++)
        hdf5_alive_leave(&children[i].alive);
}

static void one_that_has_ended_or_left_counts_no_more(void **state)
{
    (void)state;
    struct child children[HDF5_ALIVE_MAX] = { 0 }, more[2] = { 0 };
    for (int i = 0; i < HDF5_ALIVE_MAX; i++)
        request(&children[i]);
    hdf5_alive_begin(&children[1].alive);
    hdf5_alive_rest(&children[1].alive, false);
    request(&more[0]);
    assert_int_equal(count_alive(children, HDF5_ALIVE_MAX), HDF5_ALIVE_MAX);
    hdf5_alive_leave(&children[2].alive);
    request(&more[1]);
    assert_int_equal(count_alive(children, HDF5_ALIVE_MAX), HDF5_ALIVE_MAX);
    for (int i = 0; i < HDF5_ALIVE_MAX; i++)
        hdf5_alive_leave(&children[i].alive);
    for (size_t i = 0; i < COUNT_OF(more); i++)
        hdf5_alive_leave(&more[i].alive);
}

static void requests_at_once_end_nothing_that_is_needed(void **state)
{
    (void)state;
    struct child children[HDF5_ALIVE_MAX + 2] = { 0 };
    for (size_t i = 0; i < COUNT_OF(children); i++) {
        children[i].alive.end = end;
        hdf5_alive_begin(&children[i].alive);
        children[i].is_alive = true;
    }
    assert_int_equal(count_alive(children, COUNT_OF(children)), COUNT_OF(children));
    for (size_t i = 0; i < COUNT_OF(children); i++)
        hdf5_alive_rest(&children[i].alive, true);
    assert_int_equal(count_alive(children, COUNT_OF(children)), HDF5_ALIVE_MAX);
    for (size_t i = 0; i < COUNT_OF(children); i++)
        hdf5_alive_leave(&children[i].alive);
}

static void *request_often(void *arg)
{
    struct child children[HDF5_ALIVE_MAX / 2] = { 0 };
    for (size_t i = 0; i < COUNT_OF(children); i++)
        children[i].ended_in_request = arg;
    for (int round = 0; round < 2000; round++)
        request(&children[(size_t)round % COUNT_OF(children)]);
    for (size_t i = 0; i < COUNT_OF(children); i++)
        hdf5_alive_leave(&children[i].alive);
    return NULL;
}

static void threads_do_not_end_each_others_requests(void **state)
{
    (void)state;
    pthread_t threads[4];
    atomic_int ended_in_request = 0;
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, request_often, &ended_in_request), 0);
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(atomic_load(&ended_in_request), 0);
}

static void a_fork_begins_with_none_and_has_few(void **state)
{
    (void)state;
    enum { COUNT = 5 };
    struct child mine[COUNT] = { 0 }, own[COUNT] = { 0 };
    for (int i = 0; i < COUNT; i++)
        request(&mine[i]);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        for (int i = 0; i < COUNT; i++)
            request(&own[i]);
        _exit(count_alive(mine, COUNT) == COUNT &&
                      count_alive(own, COUNT) == HDF5_ALIVE_WORKER_MAX
                  ? 0
                  : 1);
    }
    int status;
    assert_true(waitpid(pid, &status, 0) == pid);
    assert_int_equal(status, 0);
    assert_int_equal(count_alive(mine, COUNT), COUNT);
    for (int i = 0; i < COUNT; i++)
        hdf5_alive_leave(&mine[i].alive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ones_used_last_stay),
        cmocka_unit_test(one_that_has_ended_or_left_counts_no_more),
        cmocka_unit_test(requests_at_once_end_nothing_that_is_needed),
        cmocka_unit_test(threads_do_not_end_each_others_requests),
        cmocka_unit_test(a_fork_begins_with_none_and_has_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
