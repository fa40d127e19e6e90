/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_nbd_export - what a server sends before it has chosen an export. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "dataset/device/nbd_export.h"

#include <string.h>
#include <sys/socket.h>

#define GREETING "NBDMAGICIHAVEOPT\0\3"
#define HEAD "\0\3\xe8\x89\4\x55\x65\xa9\0\0\0\7"
#define EXPORT               \
    HEAD "\0\0\0\3\0\0\0\14" \
         "\0\0\0\0\0\0\0\1\0\0\1\3"
#define NAMED               \
    HEAD "\0\0\0\3\0\0\0\6" \
         "\0\1"             \
         "abcd"
#define ACK HEAD "\0\0\0\1\0\0\0\0"

/* All that the server sends is there before it is read. */
static int choose(const void *sent, size_t size, struct nbd_export *ret, char *wrote,
                  size_t *ret_wrote)
{
    int ends[2];
    struct err err;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(write(ends[1], sent, size), size);
    assert_int_equal(shutdown(ends[1], SHUT_WR), 0);
    int rc = nbd_export_choose(ends[0], "root:v1", ret, &err);
    (void)close(ends[0]);
    ssize_t n = read(ends[1], wrote, 128);
    *ret_wrote = n < 0 ? 0 : (size_t)n;
    (void)close(ends[1]);
    return rc;
}

static void an_export_has_a_size_and_the_server_s_name(void **state)
{
    static const char sent[] = GREETING EXPORT NAMED ACK,
                      wanted[] = "\0\0\0\3"
                                 "IHAVEOPT\0\0\0\7\0\0\0\17\0\0\0\7root:v1\0\1\0\1";
    struct nbd_export export;
    char wrote[128];
    size_t size = 0;
    (void)state;
    assert_int_equal(choose(sent, sizeof sent - 1, &export, wrote, &size), 0);
    assert_int_equal(export.size_bytes, 0x10000);
    assert_int_equal(export.flags, 0x103 & 0xffff);
    assert_string_equal(export.name, "abcd");
    assert_int_equal(size, sizeof wanted - 1);
    assert_memory_equal(wrote, wanted, size);
}

static void without_a_name_it_has_that_which_was_requested(void **state)
{
    static const char sent[] = GREETING EXPORT ACK;
    struct nbd_export export;
    char wrote[128];
    size_t size = 0;
    (void)state;
    assert_int_equal(choose(sent, sizeof sent - 1, &export, wrote, &size), 0);
    assert_string_equal(export.name, "root:v1");
}

#define ROW(text, rc)             \
    {                             \
        text, sizeof text - 1, rc \
    }

static void what_is_no_export_is_an_error(void **state)
{
    static const struct {
        const char *sent;
        size_t size;
        int rc;
    } rows[] = {
        ROW("", -EPIPE),
        ROW(GREETING, -EPIPE),
        ROW(GREETING EXPORT, -EPIPE),
        ROW("NBDMAGICIHAVEOPT\0\1", -EBADMSG),
        ROW("NBDMAGIC\0\0\x42\2\x81\x86\x12\x53\0\3", -EBADMSG),
        ROW(GREETING ACK, -EBADMSG), /* without a size */
        ROW(GREETING HEAD "\x80\0\0\6\0\0\0\0", -ENOENT),
        ROW(GREETING HEAD "\x80\0\0\2\0\0\0\0", -EACCES),
        ROW(GREETING HEAD "\x80\0\0\7\0\0\0\0", -EAGAIN),
        ROW(GREETING HEAD "\x80\0\0\1\0\0\0\0", -EBADMSG),
        ROW(GREETING HEAD "\0\0\0\3\0\0\0\1\0", -EBADMSG), /* less than a kind */
        ROW(GREETING HEAD "\0\0\0\3\0\0\0\3\0\0\0", -EBADMSG),
        ROW(GREETING HEAD "\0\0\0\3\0\0\x10\1", -EBADMSG), /* too long */
        ROW(GREETING HEAD "\0\0\0\3\0\0\0\4\0\1a\0", -EBADMSG),
        ROW(GREETING "\0\3\xe8\x89\4\x55\x65\xa9\0\0\0\6\0\0\0\1\0\0\0\0", -EBADMSG),
        ROW(GREETING NAMED NAMED NAMED NAMED NAMED NAMED NAMED NAMED NAMED NAMED NAMED
                NAMED NAMED NAMED NAMED NAMED NAMED NAMED,
            -EBADMSG),
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct nbd_export export = { .size_bytes = 77 };
        char wrote[128];
        size_t size = 0;
        assert_int_equal(choose(rows[i].sent, rows[i].size, &export, wrote, &size),
                         rows[i].rc);
        assert_int_equal(export.size_bytes, 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_export_has_a_size_and_the_server_s_name),
        cmocka_unit_test(without_a_name_it_has_that_which_was_requested),
        cmocka_unit_test(what_is_no_export_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
