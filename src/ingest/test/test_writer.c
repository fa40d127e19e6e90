/* SPDX-License-Identifier: Apache-2.0 */
/* test_writer - batches are put one at a time, in order, or refused when full. */
#include "base/test/testing.h"
#include "ingest/writer.h"

#include <errno.h>
#include <semaphore.h>

enum { BATCHES = 20 };

struct fixture {
    sem_t may_put, was_done, was_idle;
    int put_count, done_count;
    int rcs[BATCHES];
    struct jobbatch batches[BATCHES];
    const struct jobbatch *order[BATCHES];
};

static int put(void *arg, const struct jobbatch *batch, struct batch_result *ret,
               struct err *err)
{
    struct fixture *f = arg;
    (void)sem_wait(&f->may_put);
    f->order[f->put_count] = batch;
    if (batch->sequence == 3)
        return err_set(err, EAGAIN, "the database is away");
    ret->accepted = ++f->put_count;
    return 0;
}

static void idle(void *arg)
{
    struct fixture *f = arg;
    (void)sem_post(&f->was_idle);
}

/* A machine that is busy with others makes it late, not wrong. */
static bool comes(sem_t *what)
{
    for (int left_ms = 60000; left_ms > 0; left_ms--) {
        if (sem_trywait(what) == 0)
            return true;
        (void)usleep(1000);
    }
    return false;
}

static void done(void *arg, int rc, const struct batch_result *result,
                 const struct err *err)
{
    struct fixture *f = arg;
    assert_true(rc < 0 ? err->text[0] != '\0' : result->accepted > 0);
    f->rcs[f->done_count++] = rc;
    (void)sem_post(&f->was_done);
}

static void setup(struct fixture *f)
{
    *f = (struct fixture){ 0 };
    (void)sem_init(&f->may_put, 0, 0);
    (void)sem_init(&f->was_done, 0, 0);
    (void)sem_init(&f->was_idle, 0, 0);
    for (int i = 0; i < BATCHES; i++) {
        jobbatch_init(&f->batches[i], 0);
        f->batches[i].sequence = (uint64_t)i;
        assert_non_null(arena_alloc(&f->batches[i].arena, 1000));
    }
}

static void teardown(struct fixture *f)
{
    for (int i = 0; i < BATCHES; i++)
        jobbatch_done(&f->batches[i]);
    (void)sem_destroy(&f->may_put);
    (void)sem_destroy(&f->was_done);
    (void)sem_destroy(&f->was_idle);
}
DEFINE_AUTO_DONE(struct fixture, teardown);

static void a_full_queue_refuses_and_an_emptied_one_takes_again(void **state)
{
    (void)state;
    AUTO(teardown) struct fixture f;
    AUTO(ingest_writer_free) struct ingest_writer *writer = NULL;
    setup(&f);
    size_t each = f.batches[0].arena.used_bytes;
    const struct ingest_writer_opts opts = { .put = put,
                                             .arg = &f,
                                             .queue_bytes_max = each * 5 };
    assert_int_equal(ingest_writer_start(&opts, &writer, NULL), 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(ingest_writer_submit(writer, &f.batches[i], done, &f), 0);
    assert_int_equal(ingest_writer_submit(writer, &f.batches[5], done, &f), -EAGAIN);
    struct ingest_writer_stats stats;
    ingest_writer_stats(writer, &stats);
    assert_true(stats.queue_count == 5 && stats.queue_bytes == each * 5);
    assert_int_equal(stats.full_count, 1);
    (void)sem_post(&f.may_put);
    (void)sem_wait(&f.was_done);
    assert_int_equal(ingest_writer_submit(writer, &f.batches[5], done, &f), 0);
    for (int i = 0; i < 5; i++)
        (void)sem_post(&f.may_put);
    ingest_writer_stop(writer);
    assert_int_equal(f.done_count, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(f.rcs[i], i == 3 ? -EAGAIN : 0);
    assert_ptr_equal(f.order[4], &f.batches[5]);
    ingest_writer_stats(writer, &stats);
    assert_true(stats.queue_bytes == 0 && stats.failed_count == 1);
    assert_int_equal(ingest_writer_submit(writer, &f.batches[6], done, &f), -ESHUTDOWN);
}

static void one_batch_over_the_limit_is_taken_alone(void **state)
{
    (void)state;
    AUTO(teardown) struct fixture f;
    AUTO(ingest_writer_free) struct ingest_writer *writer = NULL;
    setup(&f);
    const struct ingest_writer_opts opts = { .put = put,
                                             .arg = &f,
                                             .queue_bytes_max = 1 };
    assert_int_equal(ingest_writer_start(&opts, &writer, NULL), 0);
    assert_int_equal(ingest_writer_submit(writer, &f.batches[0], done, &f), 0);
    assert_int_equal(ingest_writer_submit(writer, &f.batches[1], done, &f), -EAGAIN);
    (void)sem_post(&f.may_put);
}

static void idle_comes_without_batches_and_between_them(void **state)
{
    (void)state;
    AUTO(teardown) struct fixture f;
    AUTO(ingest_writer_free) struct ingest_writer *writer = NULL;
    setup(&f);
    const struct ingest_writer_opts opts = {
        .put = put, .idle = idle, .idle_ns = 1, .arg = &f
    };
    assert_int_equal(ingest_writer_start(&opts, &writer, NULL), 0);
    assert_int_equal(ingest_writer_submit(writer, &f.batches[0], done, &f), 0);
    assert_int_equal(ingest_writer_submit(writer, &f.batches[1], done, &f), 0);
    (void)sem_post(&f.may_put);
    assert_true(comes(&f.was_done));
    /* The second batch has to wait for may_put, so it came before that. */
    assert_true(comes(&f.was_idle));
    (void)sem_post(&f.may_put);
    assert_true(comes(&f.was_done));
    assert_true(comes(&f.was_idle));
    assert_true(comes(&f.was_idle));
    ingest_writer_stop(writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_queue_refuses_and_an_emptied_one_takes_again),
        cmocka_unit_test(one_batch_over_the_limit_is_taken_alone),
        cmocka_unit_test(idle_comes_without_batches_and_between_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
