/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_mount - lines between commands and the agent, requests of the kernel,
 * and the table of images. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "dataset/mount/agent_line.h"
#include "dataset/mount/fuse_wire.h"
#include "dataset/mount/image_table.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static void requests_of_commands(void **state)
{
    static const struct {
        const char *line;
        int rc;
    } rows[] = {
        { "mount python:3.11", 0 },     { "mount a/b@c", 0 },
        { "mount ", -EBADMSG },         { "mount", -EBADMSG },
        { "umount a", -EBADMSG },       { "mount -a", -EBADMSG },
        { "mount a b", -EBADMSG },      { "mount a%b", -EBADMSG },
        { "mount a\tb", -EBADMSG },     { "", -EBADMSG },
        { "mount \xc3\xa4", -EBADMSG },
    };
    char name[NODE_MOUNTS_NAME_SIZE], longest[8 + NODE_MOUNTS_NAME_SIZE] = "mount ";
    enum agent_request request;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(agent_request_parse(span_of(rows[i].line), &request, name),
                         rows[i].rc);
    memset(longest + 6, 'a', NODE_MOUNTS_NAME_SIZE - 1);
    assert_int_equal(agent_request_parse(span_of(longest), &request, name), 0);
    assert_int_equal(strlen(name), NODE_MOUNTS_NAME_SIZE - 1);
    longest[6 + NODE_MOUNTS_NAME_SIZE - 1] = 'a';
    assert_int_equal(agent_request_parse(span_of(longest), &request, name), -EBADMSG);
    assert_int_equal(
        agent_request_parse((struct span){ "mount a\0b", 9 }, &request, name),
        -EBADMSG);
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
    /* A descriptor that nobody wants is closed, and a line has an end. */
    memset(line, 'a', sizeof line);
    assert_int_equal(agent_line_send(pair[0], line, sizeof line, pipes[1]), 0);
    assert_int_equal(agent_line_receive(pair[1], line, &size, &received), -EMSGSIZE);
    (void)close(pair[0]);
    assert_int_equal(agent_line_receive(pair[1], line, &size, &received), -ECONNRESET);
    (void)close(pair[1]);
    (void)close(pipes[0]);
    (void)close(pipes[1]);
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
    (void)state;
    assert_int_equal(image_table_new(&table), 0);
    for (unsigned i = 0; i < IMAGE_SLOTS_MAX; i++) {
        const struct digest name = { { (uint8_t)i, (uint8_t)(i >> 8), 1 } };
        assert_int_equal(image_table_assign(table, &name, i), (int)i);
        table->slots[i].lookups = 1;
        assert_int_equal(image_table_assign(table, &name, i), (int)i);
        assert_int_equal(image_table_slot(table, image_inode(i)), (int)i);
        assert_int_equal(image_table_slot(table, image_inode(i) + 1), (int)i);
    }
    const struct digest another = { { 7, 7, 7 } };
    assert_int_equal(image_table_assign(table, &another, 1), -1);
    table->slots[9].lookups = 0;
    table->slots[9].is_returning = true; /* the end of its lease needs its name */
    assert_int_equal(image_table_assign(table, &another, 1), -1);
    table->slots[9].is_returning = false;
    assert_int_equal(image_table_slot(table, image_inode(9)), -1);
    assert_int_equal(image_table_assign(table, &another, 1), 9);
    assert_int_equal(image_table_slot(table, 0), -1);
    assert_int_equal(image_table_slot(table, 1), -1);
    assert_int_equal(image_table_slot(table, image_inode(IMAGE_SLOTS_MAX)), -1);
    assert_int_equal(image_table_slot(table, UINT64_MAX), -1);
    assert_false(image_table_is_busy(table));
    table->slots[3].is_returning = true;
    assert_true(image_table_is_busy(table));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_of_commands),
        cmocka_unit_test(responses_are_read_as_printed),
        cmocka_unit_test(a_line_comes_with_its_descriptor),
        cmocka_unit_test(requests_of_the_kernel),
        cmocka_unit_test(images_have_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
