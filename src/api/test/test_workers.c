/* SPDX-License-Identifier: Apache-2.0 */
/* test_workers - queued work, and what one sender may have of the queue. */
#include "api/workers.h"

#include "base/test/testing.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>

enum { QUEUE = 4 };

struct fixture {
    sem_t may_run, has_run;
    struct workers *workers;
};

static void run_work(void *arg, void *state, struct work *work)
{
    struct fixture *f = arg;
    (void)state;
    (void)work;
    (void)sem_wait(&f->may_run);
    (void)sem_post(&f->has_run);
}

static void set_up(struct fixture *f)
{
    const struct workers_opts opts = {
        .count = 1, .queue_max = QUEUE, .run = run_work, .arg = f
    };
    assert_int_equal(sem_init(&f->may_run, 0, 0), 0);
    assert_int_equal(sem_init(&f->has_run, 0, 0), 0);
    assert_int_equal(workers_new(&opts, &f->workers, NULL), 0);
}

static void tear_down(struct fixture *f, size_t submitted)
{
    for (size_t i = 0; i < submitted; i++)
        (void)sem_post(&f->may_run);
    workers_free(f->workers);
    (void)sem_destroy(&f->may_run);
    (void)sem_destroy(&f->has_run);
}

/* Reserved only: no worker takes these out of the queue. */
static void one_sender_has_half_of_the_queue_and_all_of_them_all(void **state)
{
    static const struct {
        uint64_t sender;
        int want;
        const char *text;
    } cases[] = {
        { 1, 0, NULL }, { 1, 0, NULL }, { 1, -EAGAIN, "of one sender" },
        { 2, 0, NULL }, { 3, 0, NULL }, { 4, -EAGAIN, "too many queries at once" },
    };
    (void)state;
    struct fixture f;
    struct work works[COUNT_OF(cases)];
    size_t reserved = 0;
    set_up(&f);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = { 0 };
        works[i] = (struct work){ .sender = cases[i].sender };
        int rc = workers_reserve(f.workers, &works[i], &err);
        if (rc != cases[i].want || (cases[i].text && !strstr(err.text, cases[i].text)))
            fail_msg("case %zu: %d, %s", i, rc, err.text);
        reserved += rc == 0;
    }
    struct workers_stats stats;
    workers_stats(f.workers, &stats);
    assert_int_equal(stats.waiting, QUEUE);
    assert_int_equal(stats.refused, 2);
    assert_int_equal(stats.queue_max, QUEUE);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (cases[i].want == 0)
            workers_submit(f.workers, &works[i]);
    tear_down(&f, reserved);
}

static void a_stop_does_what_is_queued_first(void **state)
{
    (void)state;
    struct fixture f;
    struct work works[2] = { { .sender = 1 }, { .sender = 2 } };
    int count = 0;
    set_up(&f);
    for (size_t i = 0; i < COUNT_OF(works); i++) {
        assert_int_equal(workers_reserve(f.workers, &works[i], NULL), 0);
        workers_submit(f.workers, &works[i]);
        (void)sem_post(&f.may_run);
    }
    workers_free(f.workers);
    assert_int_equal(sem_getvalue(&f.has_run, &count), 0);
    assert_int_equal(count, 2);
    (void)sem_destroy(&f.may_run);
    (void)sem_destroy(&f.has_run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_sender_has_half_of_the_queue_and_all_of_them_all),
        cmocka_unit_test(a_stop_does_what_is_queued_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
