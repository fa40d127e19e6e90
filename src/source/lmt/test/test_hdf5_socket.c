/* SPDX-License-Identifier: Apache-2.0 */
/* test_hdf5_socket - a child that sends slowly, for ever, or reads nothing. */
#include "source/lmt/hdf5_socket.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/test/testing.h"

#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void pair_make(int fds[static 2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
}

/* A byte each 10 ms, until nobody reads. */
static void *send_slowly(void *arg)
{
    const int *fd = arg;
    while (send(*fd, "x", 1, MSG_NOSIGNAL) == 1)
        (void)usleep(10000);
    return NULL;
}

static void bytes_that_come_slowly_do_not_move_the_deadline(void **state)
{
    (void)state;
    enum { BYTES = 1000 };
    int fds[2], rc = 0, count = 0;
    pthread_t thread;
    pair_make(fds);
    assert_int_equal(pthread_create(&thread, NULL, send_slowly, &fds[1]), 0);
    struct hdf5_socket s = { .fd = fds[0] };
    hdf5_socket_begin(&s, 100 * NS_PER_MS);
    for (char byte; rc == 0 && count < BYTES; count++)
        rc = hdf5_socket_read(&s, &byte, 1);
    (void)close(fds[0]);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)close(fds[1]);
    assert_int_equal(rc, -ETIMEDOUT);
}

static void *send_always(void *arg)
{
    static const char bytes[4096];
    const int *fd = arg;
    while (send(*fd, bytes, sizeof bytes, MSG_NOSIGNAL) > 0)
        ;
    return NULL;
}

static void bytes_that_never_end_do_not_either(void **state)
{
    (void)state;
    int fds[2], rc = 0;
    pthread_t thread;
    pair_make(fds);
    assert_int_equal(pthread_create(&thread, NULL, send_always, &fds[1]), 0);
    struct hdf5_socket s = { .fd = fds[0] };
    hdf5_socket_begin(&s, 50 * NS_PER_MS);
    int64_t far_ns = clock_monotonic_ns() + 60 * NS_PER_S;
    for (char byte; rc == 0 && clock_monotonic_ns() < far_ns;)
        rc = hdf5_socket_read(&s, &byte, 1);
    (void)close(fds[0]);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)close(fds[1]);
    assert_int_equal(rc, -ETIMEDOUT);
}

static void a_child_that_reads_no_request_holds_nobody(void **state)
{
    (void)state;
    char request[64] = { 0 };
    int fds[2], rc = 0;
    pair_make(fds);
    struct hdf5_socket s = { .fd = fds[0] };
    hdf5_socket_begin(&s, 60 * NS_PER_S);
    for (int i = 0; rc == 0 && i < 1 << 20; i++)
        rc = hdf5_socket_write(&s, request, sizeof request);
    assert_int_equal(rc, -ETIMEDOUT);
    (void)close(fds[1]);
    assert_int_equal(hdf5_socket_write(&s, request, sizeof request), -EPIPE);
    (void)close(fds[0]);
}

static void what_is_there_is_read_and_then_the_end(void **state)
{
    (void)state;
    char bytes[4] = "";
    int fds[2];
    pair_make(fds);
    struct hdf5_socket s = { .fd = fds[0] };
    hdf5_socket_begin(&s, 60 * NS_PER_S);
    assert_int_equal(send(fds[1], "abc", 3, 0), 3);
    (void)close(fds[1]);
    assert_int_equal(hdf5_socket_read(&s, bytes, 3), 0);
    assert_string_equal(bytes, "abc");
    assert_int_equal(hdf5_socket_read(&s, bytes, 1), -EPIPE);
    (void)close(fds[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_come_slowly_do_not_move_the_deadline),
        cmocka_unit_test(bytes_that_never_end_do_not_either),
        cmocka_unit_test(a_child_that_reads_no_request_holds_nobody),
        cmocka_unit_test(what_is_there_is_read_and_then_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
