/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_nbd_kernel - messages to the kernel's NBD client, and what it responds.
 */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "dataset/device/nbd_kernel.h"

#include <linux/genetlink.h>
#include <linux/nbd-netlink.h>
#include <linux/netlink.h>
#include <string.h>

static const struct nbd_kernel_device device = {
    .index = 3, .size_bytes = 1 << 20, .flags = 7, .name = "abc", .socket = 5
};

/* The attribute of a type; NULL: there is none. */
static const void *attribute(const struct nbd_message *message, uint16_t type,
                             size_t *ret_size)
{
    size_t at = sizeof(struct nlmsghdr) + sizeof(struct genlmsghdr);
    struct nlattr head;
    while (at < message->size) {
        memcpy(&head, message->data + at, sizeof head);
        assert_in_range(head.nla_len, sizeof head, message->size - at);
        if ((head.nla_type & NLA_TYPE_MASK) == type) {
            *ret_size = head.nla_len - sizeof head;
            return message->data + at + sizeof head;
        }
        at += NLA_ALIGN(head.nla_len);
    }
    assert_int_equal(at, message->size);
    return NULL;
}

static uint64_t number(const struct nbd_message *message, uint16_t type)
{
    uint64_t value = 0;
    size_t size = 0;
    const void *data = attribute(message, type, &size);
    assert_non_null(data);
    assert_in_range(size, 4, 8);
    memcpy(&value, data, size);
    return value;
}

static void a_device_is_connected_with_its_size(void **state)
{
    struct nbd_message message;
    struct nlmsghdr head;
    size_t size = 0;
    (void)state;
    nbd_kernel_connect_message(29, &device, &message);
    memcpy(&head, message.data, sizeof head);
    assert_int_equal(head.nlmsg_len, message.size);
    assert_int_equal(head.nlmsg_type, 29);
    assert_int_equal(head.nlmsg_flags, NLM_F_REQUEST | NLM_F_ACK);
    assert_int_equal(message.data[sizeof head], NBD_CMD_CONNECT);
    assert_int_equal(number(&message, NBD_ATTR_INDEX), 3);
    assert_int_equal(number(&message, NBD_ATTR_SIZE_BYTES), 1 << 20);
    assert_int_equal(number(&message, NBD_ATTR_SERVER_FLAGS), 7);
    assert_int_equal(number(&message, NBD_ATTR_DEAD_CONN_TIMEOUT), NBD_KERNEL_DEAD_S);
    assert_null(attribute(&message, NBD_ATTR_TIMEOUT, &size));
    assert_string_equal(attribute(&message, 10, &size), "abc");
    const uint8_t *sockets = attribute(&message, NBD_ATTR_SOCKETS, &size);
    assert_int_equal(size, 12);
    assert_int_equal(sockets[8], 5);
}

static void a_connection_more_does_not_change_the_size(void **state)
{
    struct nbd_message message;
    size_t size = 0;
    (void)state;
    nbd_kernel_reconnect_message(29, &device, &message);
    assert_int_equal(message.data[sizeof(struct nlmsghdr)], NBD_CMD_RECONFIGURE);
    assert_null(attribute(&message, NBD_ATTR_SIZE_BYTES, &size));
    assert_non_null(attribute(&message, NBD_ATTR_SOCKETS, &size));
}

static void the_family_has_a_number(void **state)
{
    struct {
        struct nlmsghdr head;
        struct genlmsghdr generic;
        struct nlattr name;
        char text[4];
        struct nlattr id;
        uint16_t number, pad;
    } reply = { { sizeof reply, GENL_ID_CTRL, 0, 0, 0 },
                { CTRL_CMD_NEWFAMILY, 2, 0 },
                { 8, CTRL_ATTR_FAMILY_NAME },
                "nbd",
                { 6, CTRL_ATTR_FAMILY_ID },
                31,
                0 };
    uint16_t family = 0;
    (void)state;
    assert_int_equal(nbd_kernel_family_read(&reply, sizeof reply, &family), 0);
    assert_int_equal(family, 31);
    for (size_t size = 0; size < sizeof reply; size++) /* cut */
        assert_int_equal(nbd_kernel_family_read(&reply, size, &family), -EBADMSG);
    reply.name.nla_len = 200;
    assert_int_equal(nbd_kernel_family_read(&reply, sizeof reply, &family), -EBADMSG);
    reply.name.nla_len = 0;
    assert_int_equal(nbd_kernel_family_read(&reply, sizeof reply, &family), -EBADMSG);
}

static void an_acknowledgement_is_an_error_number(void **state)
{
    struct {
        struct nlmsghdr head;
        int32_t error;
    } reply = { { sizeof reply, NLMSG_ERROR, 0, 0, 0 }, 0 };
    (void)state;
    assert_int_equal(nbd_kernel_ack_read(&reply, sizeof reply), 0);
    reply.error = -EBUSY;
    assert_int_equal(nbd_kernel_ack_read(&reply, sizeof reply), -EBUSY);
    reply.error = 1;
    assert_int_equal(nbd_kernel_ack_read(&reply, sizeof reply), -EBADMSG);
    reply.error = 0;
    assert_int_equal(nbd_kernel_ack_read(&reply, sizeof reply - 1), -EBADMSG);
    reply.head.nlmsg_type = 29;
    assert_int_equal(nbd_kernel_ack_read(&reply, sizeof reply), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_is_connected_with_its_size),
        cmocka_unit_test(a_connection_more_does_not_change_the_size),
        cmocka_unit_test(the_family_has_a_number),
        cmocka_unit_test(an_acknowledgement_is_an_error_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
