/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_fuse_leases - what is open has its lease, in whatever order requests of
 * the kernel and responses of the repository come. */
#include "base/test/testing.h"

#include "dataset/forwarder/forwarder.h"

#include <sys/socket.h>
#include <unistd.h>

/* Leases that were begun, in their order; *at is of those that are waited for. */
static struct begun {
    uint64_t lasts_s;
    lease_fn done;
    void *arg;
    struct lease **at;
} begun[16];
static unsigned begun_count;

static void fake_lease_begin(struct leases *leases, const struct lease_terms *terms,
                             lease_fn done, void *arg, struct lease **at)
{
    (void)leases;
    begun[begun_count] = (struct begun){ terms->lasts_s, done, arg, at };
    *at = (struct lease *)&begun[begun_count++];
}

static void fake_lease_leave(struct lease **at)
{
    struct begun *lease = (struct begun *)*at;
    if (lease)
        lease->at = NULL;
    *at = NULL;
}

static void respond(unsigned number, int rc)
{
    struct begun *lease = &begun[number];
    assert_non_null(lease->at);
    *lease->at = NULL;
    lease->at = NULL;
    lease->done(lease->arg, rc);
}

#define lease_begin fake_lease_begin
#define lease_leave fake_lease_leave
#include "dataset/mount/fuse_door.c" /* NOLINT(bugprone-suspicious-include): its leases are ours */
#undef lease_begin
#undef lease_leave

#define INODE (2 * IMAGE_SLOTS_MAX) /* of the first image in slot 0 */

struct kernel {
    uv_loop_t loop;
    int fd, door_fd, table_fd;
    struct image_table *table;
    struct fuse_door *door;
    uint64_t unique;
};

static void quiet(void *arg, enum log_level level, enum forwarder_event event,
                  const char *line)
{
    (void)arg;
    (void)level;
    (void)event;
    (void)line;
}

static const struct forwarder_report report = { quiet, NULL };

static void door_begin(struct kernel *kernel)
{
    const struct fuse_door_opts opts = { kernel->door_fd, kernel->table, "me", 3600 };
    const struct forwarder_parts parts = { .loop = &kernel->loop, .report = &report };
    assert_int_equal(fuse_door_open(&opts, &parts, &kernel->door, NULL), 0);
}

static void door_end(struct kernel *kernel)
{
    fuse_door_close(kernel->door);
    (void)uv_run(&kernel->loop, UV_RUN_DEFAULT);
    fuse_door_free(kernel->door);
}

static int kernel_make(void **state)
{
    static struct kernel kernel;
    int pair[2];
    kernel = (struct kernel){ .unique = 1 };
    begun_count = 0;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
    kernel.fd = pair[0];
    kernel.door_fd = pair[1];
    assert_int_equal(uv_loop_init(&kernel.loop), 0);
    assert_int_equal(image_table_new(&kernel.table, &kernel.table_fd), 0);
    const struct digest name = { { 7 } };
    assert_int_equal(image_table_assign(kernel.table, &name, 1), 0);
    assert_int_equal(image_table_inode(kernel.table, 0), INODE);
    door_begin(&kernel);
    *state = &kernel;
    return 0;
}

static int kernel_end(void **state)
{
    struct kernel *kernel = *state;
    door_end(kernel);
    assert_int_equal(uv_loop_close(&kernel->loop), 0);
    (void)close(kernel->fd);
    (void)close(kernel->door_fd);
    (void)close(kernel->table_fd);
    return 0;
}

/* Returns the number of the request. */
static uint64_t request(struct kernel *kernel, uint32_t opcode, uint64_t interrupted)
{
    struct {
        struct fuse_in_header head;
        uint64_t body[3];
    } in = { .head = { .opcode = opcode, .nodeid = INODE } };
    in.head.len = (uint32_t)(sizeof in.head + (opcode == FUSE_INTERRUPT ? 8 : 24));
    in.head.unique = ++kernel->unique;
    in.body[0] = interrupted;
    assert_int_equal(write(kernel->fd, &in, in.head.len), in.head.len);
    (void)uv_run(&kernel->loop, UV_RUN_NOWAIT);
    return kernel->unique;
}

/* 1: it has no response. */
static int response(struct kernel *kernel, uint64_t unique)
{
    struct {
        struct fuse_out_header head;
        uint8_t body[64];
    } out;
    ssize_t size = read(kernel->fd, &out, sizeof out);
    if (size < 0)
        return 1;
    assert_int_equal(out.head.unique, unique);
    return out.head.error;
}

/* The timer's, where what is idle has been so for long. */
static void idle(struct kernel *kernel)
{
    kernel->door->leases[0].idle_ns -= 3600 * NS_PER_S;
    on_idle(&kernel->door->idle);
}

static void opened(struct kernel *kernel)
{
    uint64_t unique = request(kernel, FUSE_OPEN, 0);
    respond(begun_count - 1, 0);
    assert_int_equal(response(kernel, unique), 0);
}

static void released(struct kernel *kernel)
{
    uint64_t unique = request(kernel, FUSE_RELEASE, 0);
    assert_int_equal(response(kernel, unique), 0);
}

static void what_is_open_opens_at_once(void **state)
{
    struct kernel *kernel = *state;
    opened(kernel);
    uint64_t second = request(kernel, FUSE_OPEN, 0);
    assert_int_equal(begun_count, 1); /* the repository may be away */
    assert_int_equal(response(kernel, second), 0);
    assert_int_equal(kernel->table->slots[0].opens, 2);
    released(kernel);
    idle(kernel);
    assert_int_equal(begun_count, 1);
    released(kernel);
    idle(kernel);
    assert_int_equal(begun_count, 2);
    assert_int_equal(begun[1].lasts_s, 0);
}

static void a_release_while_another_opens(void **state)
{
    struct kernel *kernel = *state;
    uint64_t first = request(kernel, FUSE_OPEN, 0);
    uint64_t second = request(kernel, FUSE_OPEN, 0);
    respond(0, 0);
    assert_int_equal(response(kernel, first), 0);
    assert_int_equal(begun_count, 2);
    released(kernel);
    idle(kernel);
    assert_int_equal(begun_count, 2); /* no end: the second is about to be open */
    respond(1, 0);
    assert_int_equal(response(kernel, second), 0);
    assert_int_equal(kernel->table->slots[0].opens, 1);
    idle(kernel);
    assert_int_equal(begun_count, 2);
}

static void the_end_comes_later(void **state)
{
    struct kernel *kernel = *state;
    opened(kernel);
    released(kernel);
    on_idle(&kernel->door->idle);
    assert_int_equal(begun_count, 1); /* not at once */
    assert_true(image_table_is_busy(kernel->table));
    idle(kernel);
    assert_int_equal(begun_count, 2);
    assert_int_equal(begun[1].lasts_s, 0);
    respond(1, 0);
    assert_false(image_table_is_busy(kernel->table));
    assert_false(uv_is_active((uv_handle_t *)&kernel->door->idle));
}

static void opened_again_before_the_end(void **state)
{
    struct kernel *kernel = *state;
    opened(kernel);
    released(kernel);
    opened(kernel);
    idle(kernel);
    assert_int_equal(begun_count, 2);
    assert_int_equal(begun[1].lasts_s, 3600);
}

static void a_lease_waits_for_an_end_under_way(void **state)
{
    struct kernel *kernel = *state;
    opened(kernel);
    released(kernel);
    idle(kernel);
    uint64_t first = request(kernel, FUSE_OPEN, 0);
    assert_int_equal(begun_count, 2); /* the end alone is under way */
    assert_non_null(begun[1].at);     /* and was not given up */
    respond(1, -ETIMEDOUT);
    assert_int_equal(begun_count, 3);
    assert_int_equal(begun[2].lasts_s, 3600);
    assert_int_equal(response(kernel, first), 1);
    respond(2, 0);
    assert_int_equal(response(kernel, first), 0);
}

static void an_open_that_is_given_up(void **state)
{
    struct kernel *kernel = *state;
    uint64_t first = request(kernel, FUSE_OPEN, 0);
    (void)request(kernel, FUSE_INTERRUPT, first);
    assert_int_equal(response(kernel, first), -EINTR);
    assert_int_equal(kernel->door->leases[0].opening, 0);
    idle(kernel); /* the repository may have it: it is given back */
    assert_int_equal(begun_count, 2);
    assert_int_equal(begun[1].lasts_s, 0);
    uint64_t second = request(kernel, FUSE_OPEN, 0);
    (void)request(kernel, FUSE_INTERRUPT, second);
    assert_int_equal(response(kernel, second), -EINTR);
    respond(1, 0);
    assert_int_equal(begun_count, 2);
    assert_false(image_table_is_busy(kernel->table));
}

static void an_open_that_fails(void **state)
{
    struct kernel *kernel = *state;
    uint64_t first = request(kernel, FUSE_OPEN, 0);
    respond(0, -ETIMEDOUT);
    assert_int_equal(response(kernel, first), -ETIMEDOUT);
    assert_int_equal(kernel->table->slots[0].opens, 0);
    idle(kernel);
    assert_int_equal(begun[1].lasts_s, 0);
    respond(1, 0);
    uint64_t second = request(kernel, FUSE_OPEN, 0);
    respond(2, -EAGAIN);
    assert_int_equal(response(kernel, second), -EAGAIN); /* it is no EIO */
}

static void the_next_process_gives_it_back(void **state)
{
    struct kernel *kernel = *state;
    opened(kernel);
    released(kernel);
    door_end(kernel);
    begun_count = 0;
    door_begin(kernel);
    idle(kernel);
    assert_int_equal(begun_count, 1);
    assert_int_equal(begun[0].lasts_s, 0);
    respond(0, 0);
    assert_false(image_table_is_busy(kernel->table));
}

#define KERNEL_TEST(name) cmocka_unit_test_setup_teardown(name, kernel_make, kernel_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(what_is_open_opens_at_once),
        KERNEL_TEST(a_release_while_another_opens),
        KERNEL_TEST(the_end_comes_later),
        KERNEL_TEST(opened_again_before_the_end),
        KERNEL_TEST(a_lease_waits_for_an_end_under_way),
        KERNEL_TEST(an_open_that_is_given_up),
        KERNEL_TEST(an_open_that_fails),
        KERNEL_TEST(the_next_process_gives_it_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
