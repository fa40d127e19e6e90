/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_nbd - what NBD clients send: accepted, refused with the right error, or
 * the end. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "dataset/forwarder/nbd/nbd_option.h"
#include "dataset/forwarder/nbd/nbd_request.h"

#include <errno.h>

static struct span request_make(uint8_t *bytes, uint16_t command, uint16_t flags,
                                uint64_t offset, uint32_t size)
{
    nbd_put_u32(bytes, NBD_REQUEST_MAGIC);
    nbd_put_u16(bytes + 4, flags);
    nbd_put_u16(bytes + 6, command);
    nbd_put_u64(bytes + 8, 77);
    nbd_put_u64(bytes + 16, offset);
    nbd_put_u32(bytes + 24, size);
    return (struct span){ (const char *)bytes, NBD_REQUEST_SIZE };
}

static void requests_are_checked(void **state)
{
    static const struct {
        uint16_t command, flags;
        uint64_t offset;
        uint32_t size;
        int error;
    } rows[] = {
        { NBD_CMD_READ, 0, 0, 1, 0 },
        { NBD_CMD_READ, 0, 0, 10000, 0 },
        { NBD_CMD_READ, NBD_CMD_FLAG_FUA, 9999, 1, 0 },
        { NBD_CMD_READ, NBD_CMD_FLAG_DF, 0, 512, 0 },
        { NBD_CMD_READ, 0, 0, 0, NBD_EINVAL },
        { NBD_CMD_READ, 0, 0, 10001, NBD_EINVAL },
        { NBD_CMD_READ, 0, 10000, 1, NBD_EINVAL },
        { NBD_CMD_READ, 0, UINT64_MAX, 2, NBD_EINVAL },
        { NBD_CMD_READ, 0x80, 0, 1, NBD_EINVAL },
        { NBD_CMD_CACHE, 0, 0, 10000, 0 },
        { NBD_CMD_FLUSH, 0, 0, 0, 0 },
        { NBD_CMD_FLUSH, NBD_CMD_FLAG_FUA, 0, 0, 0 },
        { NBD_CMD_WRITE, 0, 0, 512, NBD_EPERM },
        { NBD_CMD_TRIM, 0, 0, 512, NBD_EPERM },
        { NBD_CMD_WRITE_ZEROES, NBD_CMD_FLAG_FUA, 0, 512, NBD_EPERM },
        { 99, 0, 0, 0, NBD_EINVAL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint8_t bytes[NBD_REQUEST_SIZE];
        struct nbd_request request;
        struct span in = request_make(bytes, rows[i].command, rows[i].flags,
                                      rows[i].offset, rows[i].size);
        assert_int_equal(nbd_request_read(in, &request), 0);
        assert_int_equal(request.cookie, 77);
        assert_int_equal(nbd_request_check(&request, 10000), rows[i].error);
    }
}

static void a_long_read_of_a_large_export_is_refused(void **state)
{
    uint8_t bytes[NBD_REQUEST_SIZE];
    struct nbd_request request;
    (void)state;
    assert_int_equal(
        nbd_request_read(request_make(bytes, NBD_CMD_READ, 0, 0, NBD_BLOCK_MAX + 1),
                         &request),
        0);
    assert_int_equal(nbd_request_check(&request, UINT64_C(1) << 40), NBD_EOVERFLOW);
}

static void the_bytes_of_a_write_are_bounded(void **state)
{
    uint8_t bytes[NBD_REQUEST_SIZE];
    struct nbd_request request;
    uint32_t size = 1;
    (void)state;
    (void)nbd_request_read(request_make(bytes, NBD_CMD_READ, 0, 0, 512), &request);
    assert_int_equal(nbd_request_payload(&request, &size), 0);
    assert_int_equal(size, 0);
    (void)nbd_request_read(request_make(bytes, NBD_CMD_WRITE, 0, 0, 512), &request);
    assert_int_equal(nbd_request_payload(&request, &size), 0);
    assert_int_equal(size, 512);
    (void)nbd_request_read(request_make(bytes, NBD_CMD_WRITE, 0, 0, UINT32_MAX),
                           &request);
    assert_int_equal(nbd_request_payload(&request, &size), -EMSGSIZE);
}

static void what_is_no_request_ends(void **state)
{
    uint8_t bytes[NBD_REQUEST_SIZE];
    struct nbd_request request;
    struct span in = request_make(bytes, NBD_CMD_READ, 0, 0, 1);
    (void)state;
    in.size--;
    assert_int_equal(nbd_request_read(in, &request), 1);
    in.size++;
    bytes[0] ^= 1;
    assert_int_equal(nbd_request_read(in, &request), -EBADMSG);
}

static void options_are_read(void **state)
{
    uint8_t bytes[64] = { 0 };
    struct span in = { (const char *)bytes, 0 };
    struct nbd_option option;
    size_t used = 0;
    (void)state;
    nbd_put_u64(bytes, NBD_OPTION_MAGIC);
    nbd_put_u32(bytes + 8, NBD_OPT_GO);
    nbd_put_u32(bytes + 12, 4);
    for (in.size = 0; in.size < NBD_OPTION_HEAD_SIZE + 4; in.size++)
        assert_int_equal(nbd_option_read(in, &option, &used), 1);
    assert_int_equal(nbd_option_read(in, &option, &used), 0);
    assert_int_equal(option.code, NBD_OPT_GO);
    assert_int_equal(option.data.size, 4);
    assert_int_equal(used, NBD_OPTION_HEAD_SIZE + 4);
    nbd_put_u32(bytes + 12, NBD_OPTION_DATA_MAX + 1);
    assert_int_equal(nbd_option_read(in, &option, &used), -EMSGSIZE);
    bytes[0] ^= 1;
    assert_int_equal(nbd_option_read(in, &option, &used), -EBADMSG);
}

static void infos_are_read(void **state)
{
    static const char good[] = "\0\0\0\3abc\0\2\0\1\0\3";
    struct nbd_info_request info = { 0 };
    struct span data = { good, sizeof good - 1 };
    (void)state;
    assert_int_equal(nbd_info_request_read(data, &info), 0);
    assert_true(span_is(info.name, "abc") && info.wants_name && info.wants_block_size);
    for (data.size = 0; data.size < sizeof good - 1; data.size++)
        assert_int_equal(nbd_info_request_read(data, &info), -EBADMSG);
    static const char long_name[] = "\377\377\377\377abc\0\0";
    data = (struct span){ long_name, sizeof long_name - 1 };
    assert_int_equal(nbd_info_request_read(data, &info), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_checked),
        cmocka_unit_test(a_long_read_of_a_large_export_is_refused),
        cmocka_unit_test(the_bytes_of_a_write_are_bounded),
        cmocka_unit_test(what_is_no_request_ends),
        cmocka_unit_test(options_are_read),
        cmocka_unit_test(infos_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
