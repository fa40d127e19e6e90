/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_mount - lines between commands and the agent, requests of the kernel,
 * and the table of images. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "dataset/mount/fuse_door.h"
#include "dataset/mount/fuse_wire.h"
#include "dataset/mount/image_table.h"
#include "dataset/mount/job_spool.h"
#include "dataset/mount/node_uses.h"
#include "dataset/mount/visitors.h"
#include "dataset/visit/visit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void requests_of_commands(void **state)
{
    static const struct {
        const char *line;
        int rc;
    } rows[] = {
        { "mount python:3.11", 0 },
        { "mount a/b@c", 0 },
        { "mount ", -EBADMSG },
        { "mount", -EBADMSG },
        { "umount a", -EBADMSG },
        { "mount -a", -EBADMSG },
        { "mount a b", -EBADMSG },
        { "mount a%b", -EBADMSG },
        { "mount a\tb", -EBADMSG },
        { "", -EBADMSG },
        { "mount \xc3\xa4", -EBADMSG },
        { "mount-for 1000 100.2000 4711 a:v1", 0 },
        { "mount-for 0 0 0 a:v1", 0 },
        { "mount-for 1000 100 4711", -EBADMSG },
        { "mount-for 1000  4711 a", -EBADMSG },
        { "mount-for -1 100 4711 a", -EBADMSG },
        { "mount-for 4294967295 100 4711 a", -EBADMSG },
        { "mount-for 1000 1,2 4711 a", -EBADMSG },
        { "mount-for 1000 100 4294967296 a", -EBADMSG },
        { "mount-for 1000 100 4711 a b", -EBADMSG },
        { "end 4711", 0 },
        { "end 0", -EBADMSG },
        { "end", -EBADMSG },
        { "end 1 2", -EBADMSG },
        { "end ../1", -EBADMSG },
    };
    char longest[8 + AGENT_NAME_SIZE] = "mount ";
    struct agent_request request;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(agent_request_parse(span_of(rows[i].line), &request),
                         rows[i].rc);
    memset(longest + 6, 'a', AGENT_NAME_SIZE - 1);
    assert_int_equal(agent_request_parse(span_of(longest), &request), 0);
    assert_int_equal(strlen(request.name), AGENT_NAME_SIZE - 1);
    longest[6 + AGENT_NAME_SIZE - 1] = 'a';
    assert_int_equal(agent_request_parse(span_of(longest), &request), -EBADMSG);
    assert_int_equal(agent_request_parse((struct span){ "mount a\0b", 9 }, &request),
                     -EBADMSG);
}

static void requests_are_read_as_printed(void **state)
{
    const char text[] = "mount-for 1000 100.2000 4711 a:v1";
    struct agent_request request;
    char line[AGENT_LINE_MAX];
    (void)state;
    assert_int_equal(agent_request_parse(span_of(text), &request), 0);
    assert_int_equal(request.uid, 1000);
    assert_string_equal(request.groups, "100.2000");
    assert_int_equal(request.job, 4711);
    assert_int_equal(agent_request_print(&request, line), strlen(text) + 1);
    assert_memory_equal(line, text, strlen(text));
}

static void responses_are_read_as_printed(void **state)
{
    struct agent_response failed = { .error = ENOENT, .text = "there is none" }, read;
    struct agent_response right = { .name = { { 1, 2, 3 } } };
    char line[AGENT_LINE_MAX];
    (void)state;
    size_t size = agent_response_print(&failed, line);
    assert_int_equal(agent_response_parse((struct span){ line, size - 1 }, &read), 0);
    assert_int_equal(read.error, ENOENT);
    assert_string_equal(read.text, "there is none");
    size = agent_response_print(&right, line);
    assert_int_equal(agent_response_parse((struct span){ line, size - 1 }, &read), 0);
    assert_true(digest_eq(&read.name, &right.name));
    static const char *const wrong[] = { "",          "ok",        "ok 12",
                                         "error",     "error 0 x", "error 5000 x",
                                         "error x y", "fine" };
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_int_equal(agent_response_parse(span_of(wrong[i]), &read), -EBADMSG);
}

static void a_line_comes_with_its_descriptor(void **state)
{
    char line[AGENT_LINE_MAX];
    int pair[2], pipes[2], received = -1;
    size_t size = 0;
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(agent_line_send(pair[0], "one\n", 4, pipes[1]), 0);
    assert_int_equal(agent_line_send(pair[0], "two\n", 4, -1), 0);
    assert_int_equal(agent_line_receive(pair[1], line, &size, &received), 0);
    assert_int_equal(size, 3);
    assert_true(received >= 0);
    assert_int_equal(write(received, "x", 1), 1);
    (void)close(received);
    assert_int_equal(agent_line_receive(pair[1], line, &size, &received), 0);
    assert_int_equal(received, -1);
    /* A descriptor that is not expected is closed, and a line has an end. */
    memset(line, 'a', sizeof line);
    assert_int_equal(agent_line_send(pair[0], line, sizeof line, pipes[1]), 0);
    assert_int_equal(agent_line_receive(pair[1], line, &size, &received), -EMSGSIZE);
    (void)close(pair[0]);
    assert_int_equal(agent_line_receive(pair[1], line, &size, &received), -ECONNRESET);
    (void)close(pair[1]);
    (void)close(pipes[0]);
    (void)close(pipes[1]);
}

static size_t descriptors_open(void)
{
    size_t count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* Who sends more, or where none is expected, leaves none open at the other end. */
static void descriptors_that_are_sent_beside_stay_closed(void **state)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control = { .head = { CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
    char line[AGENT_LINE_MAX];
    int pair[2], received = -1;
    size_t size = 0;
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    const int two[] = { pair[0], pair[1] };
    struct iovec part = { "one\n", 4 };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    memcpy(CMSG_DATA(&control.head), two, sizeof two);
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    size_t before = descriptors_open();
    assert_int_equal(sendmsg(pair[0], &message, 0), 4);
    assert_int_equal(agent_line_receive(pair[1], line, &size, &received), 0);
    assert_int_equal(descriptors_open(), before + 1);
    (void)close(received);
    assert_int_equal(sendmsg(pair[0], &message, 0), 4);
    assert_int_equal(agent_line_receive(pair[1], line, &size, NULL), 0);
    assert_int_equal(descriptors_open(), before);
    (void)close(pair[0]);
    (void)close(pair[1]);
}

static void requests_of_the_kernel(void **state)
{
    struct fuse_in_header head = { .len = sizeof head + 5, .opcode = FUSE_LOOKUP }, got;
    char bytes[sizeof head + 5];
    struct span rest, name;
    (void)state;
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, "name", 5);
    assert_int_equal(
        fuse_request_read((struct span){ bytes, sizeof bytes }, &got, &rest), 0);
    assert_true(fuse_name_read(rest, &name));
    assert_true(span_is(name, "name"));
    assert_int_equal(
        fuse_request_read((struct span){ bytes, sizeof bytes - 1 }, &got, &rest),
        -EBADMSG);
    assert_int_equal(fuse_request_read((struct span){ bytes, 3 }, &got, &rest),
                     -EBADMSG);
    assert_false(fuse_name_read((struct span){ "name", 4 }, &name));
    assert_false(fuse_name_read((struct span){ "", 1 }, &name));
    struct fuse_init_in in = { .major = 7, .minor = 30 };
    struct fuse_init_out out;
    assert_int_equal(fuse_init_fill(&in, &out), -EPROTO);
    in.minor = 45;
    in.flags = FUSE_ASYNC_READ | FUSE_WRITEBACK_CACHE;
    assert_int_equal(fuse_init_fill(&in, &out), 0);
    assert_int_equal(out.flags, FUSE_ASYNC_READ);
}

static void images_have_slots(void **state)
{
    struct image_table *table = NULL;
    AUTO_CLOSE int table_fd = -1;
    (void)state;
    assert_int_equal(image_table_new(&table, &table_fd), 0);
    for (unsigned i = 0; i < IMAGE_SLOTS_MAX; i++) {
        const struct digest name = { { (uint8_t)i, (uint8_t)(i >> 8), 1 } };
        assert_int_equal(image_table_assign(table, &name, i), (int)i);
        table->slots[i].opens = 1;
        assert_int_equal(image_table_assign(table, &name, i), (int)i);
        assert_int_equal(image_table_slot(table, image_table_inode(table, i)), (int)i);
        assert_int_equal(image_table_slot(table, image_table_inode(table, i) + 1),
                         (int)i);
    }
    const struct digest another = { { 7, 7, 7 } };
    assert_int_equal(image_table_assign(table, &another, 1), -1);
    const uint64_t former = image_table_inode(table, 9);
    table->slots[9].opens = table->slots[3].opens = 0;
    table->slots[3].requests = 1;
    table->slots[9].is_returning = true; /* the end of its lease needs its name */
    assert_int_equal(image_table_assign(table, &another, 1), -1);
    table->slots[9].is_returning = false;
    assert_int_equal(image_table_slot(table, former), 9);
    assert_int_equal(image_table_assign(table, &another, 1), 9);
    assert_int_equal(image_table_slot(table, former), -1);
    assert_int_equal(image_table_slot(table, image_table_inode(table, 9)), 9);
    for (uint64_t inode = 0; inode < 2 * IMAGE_SLOTS_MAX; inode++)
        assert_int_equal(image_table_slot(table, inode), -1);
    assert_int_equal(image_table_slot(table, UINT64_MAX), -1);
    for (unsigned i = 0; i < IMAGE_SLOTS_MAX; i++)
        table->slots[i].opens = 0;
    assert_false(image_table_is_busy(table));
    table->slots[3].is_returning = true;
    assert_true(image_table_is_busy(table));
}

static void the_oldest_image_goes_first(void **state)
{
    struct image_table *table = NULL;
    AUTO_CLOSE int table_fd = -1;
    (void)state;
    assert_int_equal(image_table_new(&table, &table_fd), 0);
    for (unsigned i = 0; i < IMAGE_SLOTS_MAX; i++) {
        const struct digest name = { { (uint8_t)i, (uint8_t)(i >> 8), 1 } };
        (void)image_table_assign(table, &name, i);
    }
    const struct digest first = { { 0, 0, 1 } }, another = { { 7, 7, 7 } };
    assert_int_equal(image_table_assign(table, &first, 0), 0);
    assert_int_equal(image_table_assign(table, &another, 0), 1);
    /* Who had it mounted is counted while it is open. */
    image_table_charge(table, &another, 4001);
    assert_int_equal(image_table_mounts_of(table, 4001, &first), 0);
    table->slots[1].opens = 2;
    assert_int_equal(image_table_opens(table, &another), 2);
    assert_int_equal(image_table_mounts_of(table, 4001, &first), 1);
    assert_int_equal(image_table_mounts_of(table, 4001, &another), 0);
}

static unsigned responses_read(int fd, uint64_t unique)
{
    struct fuse_out_header head;
    unsigned count = 0;
    while (read(fd, &head, sizeof head) == sizeof head) {
        assert_int_equal(head.error, -EIO);
        assert_int_equal(head.unique, unique + count);
        count++;
    }
    return count;
}

static void requests_in_hand_are_known_to_the_next(void **state)
{
    struct image_table *table = NULL;
    AUTO_CLOSE int table_fd = -1;
    unsigned at = 0;
    int pipes[2];
    (void)state;
    assert_int_equal(image_table_new(&table, &table_fd), 0);
    assert_int_equal(pipe(pipes), 0);
    table->slots[5].opens = 2;
    assert_true(
        image_table_request_add(table, &(struct image_request){ 70, 5, false }, &at));
    assert_true(
        image_table_request_add(table, &(struct image_request){ 71, 5, true }, &at));
    assert_true(
        image_table_request_add(table, &(struct image_request){ 72, 0, false }, &at));
    image_table_request_remove(table, at);
    assert_int_equal(fuse_door_fail_lost(pipes[1], table), 2);
    assert_int_equal(fuse_door_fail_lost(pipes[1], table), 0);
    (void)close(pipes[1]);
    assert_int_equal(responses_read(pipes[0], 70), 2);
    (void)close(pipes[0]);
    assert_int_equal(table->slots[5].opens, 1); /* what was released is closed */
    for (unsigned i = 0; i < IMAGE_REQUESTS_MAX; i++)
        assert_true(image_table_request_add(
            table, &(struct image_request){ i + 1, 0, false }, &at));
    assert_false(
        image_table_request_add(table, &(struct image_request){ 9, 0, false }, &at));
    image_table_requests_clear(table);
    assert_true(
        image_table_request_add(table, &(struct image_request){ 9, 0, false }, &at));
}

static unsigned slots_fill(struct visitors *visitors, uid_t uid, uint32_t login)
{
    const struct visitors_user user = { uid, login };
    struct visitors_slot *slot;
    unsigned count = 0;
    for (; (slot = visitors_slot(visitors, &user)); count++)
        visitors_add(slot, 1 << 30, &user, -1);
    return count;
}

static void a_user_has_its_part_of_the_slots(void **state)
{
    static struct visitors visitors;
    (void)state;
    visitors_init(&visitors);
    assert_int_equal(slots_fill(&visitors, 4001, VISITORS_LOGIN_NONE), 128);
    assert_int_equal(slots_fill(&visitors, 100001, 4002), 128);
    assert_int_equal(slots_fill(&visitors, 100002, 4002), 0);
    assert_int_equal(slots_fill(&visitors, 4003, VISITORS_LOGIN_NONE), 128);
    assert_int_equal(slots_fill(&visitors, 4004, VISITORS_LOGIN_NONE), 96);
    assert_int_equal(slots_fill(&visitors, 4005, 4005), 0);
    assert_int_equal(slots_fill(&visitors, 0, VISITORS_LOGIN_NONE), 32);
}

/* ---- what jobs had mounted ---- */

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

struct scratch {
    char path[64];
    int fd;
};

static void scratch_begin(struct scratch *scratch)
{
    (void)snprintf(scratch->path, sizeof scratch->path, "/tmp/dataset-mount.XXXXXX");
    assert_non_null(mkdtemp(scratch->path));
    scratch->fd = open(scratch->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(scratch->fd >= 0);
}

static void scratch_end(struct scratch *scratch)
{
    char command[128];
    (void)close(scratch->fd);
    (void)snprintf(command, sizeof command, "rm -rf %s", scratch->path);
    assert_int_equal(system(command), 0);
}

static void file_put(const struct scratch *scratch, const char *name, const char *text)
{
    int fd = openat(scratch->fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    (void)close(fd);
}

static bool has_file(const struct scratch *scratch, const char *name)
{
    return faccessat(scratch->fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static struct job_dataset dataset_of(const char *job, int64_t uid)
{
    return (struct job_dataset){ .cluster = SPAN("alex"),
                                 .job = span_of(job),
                                 .host = SPAN("n1"),
                                 .uid = uid,
                                 .t_ns = INT64_C(1795219200000000000),
                                 .digest = SPAN(DIGEST),
                                 .name = SPAN("a:v1"),
                                 .path = SPAN("/a") };
}

static int spool_add(const struct scratch *scratch, const char *job, int64_t uid,
                     uint32_t login)
{
    const struct job_report_opts opts = { .spool_max = 16 };
    const struct job_dataset dataset = dataset_of(job, uid);
    return job_spool_add(scratch->fd, getegid(), &opts, &dataset, login);
}

/* Of all numbers that a user may have: of the job, or of who logged in. */
static void a_user_has_a_quarter_of_the_spool(void **state)
{
    struct scratch scratch = { 0 };
    (void)state;
    scratch_begin(&scratch);
    for (int64_t i = 0; i < 4; i++)
        assert_int_equal(spool_add(&scratch, "71", 100001 + i, UINT32_MAX), 0);
    assert_int_equal(spool_add(&scratch, "71", 100009, UINT32_MAX), -EDQUOT);
    assert_int_equal(spool_add(&scratch, "72", 1000, 1000), 0);
    assert_int_equal(spool_add(&scratch, "73", 1000, UINT32_MAX), 0);
    assert_int_equal(spool_add(&scratch, "74", 100011, 1000), 0);
    assert_int_equal(spool_add(&scratch, "75", 100012, 1000), 0);
    assert_int_equal(spool_add(&scratch, "76", 100013, 1000), 0);
    assert_int_equal(spool_add(&scratch, "77", 100014, 1000), -EDQUOT);
    assert_int_equal(spool_add(&scratch, "78", 1001, UINT32_MAX), 0);
    assert_int_equal(job_spool_lost(scratch.fd), 2);
    scratch_end(&scratch);
}

/* One that cannot be read holds up none, and nothing goes without being counted. */
static void a_spool_goes_on_behind_what_is_bad(void **state)
{
    static struct job_spool_batch batch;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    const struct timespec long_ago[2] = { { 1000, 0 }, { 1000, 0 } };
    struct scratch scratch = { 0 };
    (void)state;
    scratch_begin(&scratch);
    assert_int_equal(mkdirat(scratch.fd, "1", 0700), 0);
    file_put(&scratch, "2", "");
    file_put(&scratch, "3", "{\"job\":");
    file_put(&scratch, ".new-4", "{");
    file_put(&scratch, ".new-5", "{");
    assert_int_equal(utimensat(scratch.fd, ".new-4", long_ago, 0), 0);
    assert_int_equal(spool_add(&scratch, "71", 1000, UINT32_MAX), 0);
    assert_int_equal(job_spool_read(scratch.fd, &batch, &body), 0);
    assert_int_equal(batch.count, 1);
    assert_int_equal(batch.empty, 3);
    assert_int_equal(batch.unreadable, 1);
    assert_int_not_equal(batch.error, 0);
    assert_non_null(strstr(strbuf_text(&body), "\"job\":\"71\""));
    assert_true(has_file(&scratch, ".bad-1"));
    assert_true(has_file(&scratch, ".new-5"));
    assert_false(has_file(&scratch, ".new-4"));
    assert_false(has_file(&scratch, "2"));
    assert_int_equal(job_spool_read(scratch.fd, &batch, &body), 0);
    assert_int_equal(batch.count, 1);
    assert_int_equal(batch.empty + batch.unreadable, 0);
    assert_int_equal(job_spool_remove(scratch.fd, &batch), 0);
    assert_int_equal(job_spool_remove(scratch.fd, &batch), 0);
    assert_int_equal(job_spool_read(scratch.fd, &batch, &body), 0);
    assert_int_equal(batch.count, 0);
    (void)snprintf(batch.names[batch.count++], JOB_SPOOL_NAME_SIZE, ".bad-1");
    assert_true(job_spool_remove(scratch.fd, &batch) < 0); /* a directory */
    scratch_end(&scratch);
}

/* A process that lists what is mounted removes what has no lock, at any moment. */
static void a_use_is_never_taken_for_one_that_was_left(void **state)
{
    struct scratch scratch = { 0 };
    struct node_mounts node = { .dir = scratch.path };
    const struct job_dataset use = dataset_of("71", 1000);
    (void)state;
    scratch_begin(&scratch);
    assert_int_equal(mkdirat(scratch.fd, "uses", 0700), 0);
    pid_t sweeper = fork();
    if (sweeper == 0)
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    while (sweeper == 0)
        node_uses_sweep(&node);
    assert_true(sweeper > 0);
    for (int i = 0; i < 3000; i++) {
        struct stat st;
        int fd = -1;
        assert_int_equal(node_uses_add(&node, &use, &fd), 0);
        assert_int_equal(node_uses_add(&node, &use, &fd), 0);
        assert_int_equal(fstat(fd, &st), 0);
        assert_int_equal(st.st_nlink, 1);
        node_uses_clear(&node, &fd);
        assert_int_equal(fd, -1);
    }
    assert_int_equal(kill(sweeper, SIGKILL), 0);
    assert_int_equal(waitpid(sweeper, NULL, 0), sweeper);
    scratch_end(&scratch);
}

static int use_count(void *arg, struct span line)
{
    assert_int_equal(line.data[line.size - 1], '\n');
    (*(int *)arg)++;
    return 0;
}

static int use_refuse(void *arg, struct span line)
{
    (void)use_count(arg, line);
    return -EPIPE;
}

/* The lock of an open file is another one's for who opens it again. */
static void a_user_has_the_own_uses(void **state)
{
    struct scratch scratch = { 0 };
    struct node_mounts node = { .dir = scratch.path };
    const struct job_dataset one = dataset_of("71", 1000), other = dataset_of("71", 5);
    int fd = -1, count = 0;
    (void)state;
    scratch_begin(&scratch);
    assert_int_equal(mkdirat(scratch.fd, "uses", 0700), 0);
    assert_int_equal(node_uses_add(&node, &one, &fd), 0);
    assert_int_equal(node_uses_add(&node, &other, &fd), 0);
    assert_int_equal(node_uses_each(&node, 0, use_count, &count), 0);
    assert_int_equal(count, 2);
    assert_int_equal(node_uses_each(&node, 5, use_count, &count), 0);
    assert_int_equal(count, 3);
    assert_int_equal(node_uses_each(&node, 0, use_refuse, &count), -EPIPE);
    assert_int_equal(count, 4);
    node_uses_clear(&node, &fd);
    assert_int_equal(node_uses_each(&node, 0, use_count, &count), 0);
    assert_int_equal(count, 4);
    scratch_end(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_of_commands),
        cmocka_unit_test(requests_are_read_as_printed),
        cmocka_unit_test(responses_are_read_as_printed),
        cmocka_unit_test(a_line_comes_with_its_descriptor),
        cmocka_unit_test(descriptors_that_are_sent_beside_stay_closed),
        cmocka_unit_test(requests_of_the_kernel),
        cmocka_unit_test(images_have_slots),
        cmocka_unit_test(the_oldest_image_goes_first),
        cmocka_unit_test(requests_in_hand_are_known_to_the_next),
        cmocka_unit_test(a_user_has_its_part_of_the_slots),
        cmocka_unit_test(a_user_has_a_quarter_of_the_spool),
        cmocka_unit_test(a_spool_goes_on_behind_what_is_bad),
        cmocka_unit_test(a_use_is_never_taken_for_one_that_was_left),
        cmocka_unit_test(a_user_has_the_own_uses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
