/* SPDX-License-Identifier: Apache-2.0 */
/* test_sender - batches leave the spool in order, up to what is committed. */
#include "agent/packed.h"
#include "agent/send/send.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"

#include <errno.h>
#include <pthread.h>

#define ACCEPTED "{\"accepted\":1,\"duplicate\":0,\"refused\":0,\"errors\":[]}"

struct played {
    pthread_mutex_t lock;
    char seen[256]; /* payloads that were accepted */
    unsigned requests;
    unsigned fail_first; /* so many requests fail */
};

static int play(void *arg, struct span payload, struct net_response *ret,
                struct err *err)
{
    struct played *p = arg;
    LOCKED(&p->lock);
    if (++p->requests <= p->fail_first)
        return err_set(err, ENOTCONN, "no such server");
    ret->status = 200;
    ret->retry_after_s = -1;
    strbuf_clear(&ret->body);
    strbuf_adds(&ret->body, ACCEPTED);
    (void)snprintf(p->seen + strlen(p->seen), sizeof p->seen - strlen(p->seen),
                   SPAN_FMT " ", SPAN_ARG(payload));
    return 0;
}

static struct spool *open_spool(const char *name)
{
    const struct spool_opts opts = { .dir = scratch_path(name), .bytes_max = 1 << 20 };
    struct spool *spool = NULL;
    assert_int_equal(spool_open(&opts, &spool, NULL), 0);
    return spool;
}

static struct sender *start(struct spool *spool, const _Atomic uint64_t *committed,
                            struct played *p)
{
    static const struct agent_report silent = { NULL, NULL };
    const struct sender_opts opts = {
        .spool = spool,
        .committed = committed,
        .backoff_max_ns = NS_PER_MS,
        .delivery = { .post_fn = play,
                      .post_arg = p,
                      .refused_dir = scratch_path("refused"),
                      .report = &silent },
    };
    struct sender *sender = NULL;
    struct err err = { 0 };
    assert_int_equal(sender_start(&opts, &sender, &err), 0);
    return sender;
}

static void append(struct spool *spool, const char *text)
{
    assert_int_equal(spool_append(spool, span_of(text), 1, NULL), 0);
}

static void what_is_committed_is_sent_in_order(void **state)
{
    (void)state;
    struct played p = { .lock = PTHREAD_MUTEX_INITIALIZER };
    _Atomic uint64_t committed = 0;
    struct spool *spool = open_spool("order");
    append(spool, "one");
    append(spool, "two");
    append(spool, "three");
    struct sender *sender = start(spool, &committed, &p);
    assert_int_equal(sender_drain(sender), 0); /* nothing counts yet */
    assert_int_equal(p.requests, 0);
    atomic_store(&committed, 2);
    sender_wake(sender);
    assert_int_equal(sender_drain(sender), 0);
    assert_string_equal(p.seen, "one two ");
    assert_int_equal(spool_acked(spool), 2);
    atomic_store(&committed, 3);
    sender_wake(sender);
    assert_int_equal(sender_drain(sender), 0);
    assert_string_equal(p.seen, "one two three ");
    struct sender_counts counts;
    sender_count(sender, &counts);
    assert_int_equal(counts.delivery.batches, 3);
    assert_int_equal(counts.attempts_failed, 0);
    assert_true(sender_stop(sender));
    spool_close(spool);
}

static void what_fails_is_sent_again(void **state)
{
    (void)state;
    struct played p = { .lock = PTHREAD_MUTEX_INITIALIZER, .fail_first = 3 };
    _Atomic uint64_t committed = 2;
    struct spool *spool = open_spool("again");
    append(spool, "one");
    append(spool, "two");
    struct sender *sender = start(spool, &committed, &p);
    /* Each drain ends with an attempt that failed, until none does. */
    while (sender_drain(sender) == -EAGAIN)
        (void)usleep(1000);
    assert_string_equal(p.seen, "one two ");
    assert_int_equal(p.requests, 5);
    struct sender_counts counts;
    sender_count(sender, &counts);
    assert_int_equal(counts.attempts_failed, 3);
    assert_true(sender_stop(sender));
    spool_close(spool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_committed_is_sent_in_order),
        cmocka_unit_test(what_fails_is_sent_again),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
