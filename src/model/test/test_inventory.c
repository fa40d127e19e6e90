/* SPDX-License-Identifier: Apache-2.0 */
/* test_inventory - lines of reports, and what is a serial number. */
#include "base/cleanup.h"
#include "base/span.h"
#include "model/inventory.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void ill_serials_are_no_identities(void **state)
{
    (void)state;
    static const char *const ill[] = {
        "",
        "0",
        "None",
        "NONE",
        "00000000",
        "0000:0000",
        "FFFFFFFF",
        "Not Specified",
        "N/A",
        "Unknown",
        "NO DIMM",
        "To Be Filled By O.E.M.",
        "123456789",
        "01234567",
        "Default string",
        "System Serial Number",
        "...........",
        "12345678",
        "SerNum00",
        "xxxxxxxx",
        "00:00:00:00:00:00",
    };
    static const char *const good[] = { "3C4D5E6F",         "CZ1234ABCD",
                                        "S64FNE0R700123",   "b8:59:9f:aa:bb:cc",
                                        "12345679",         "0012AB",
                                        "GPU-5f0c8a7e-1d2b" };
    for (size_t i = 0; i < COUNT_OF(ill); i++)
        if (part_serial_is_identity(span_of(ill[i])))
            fail_msg("'%s' is an identity", ill[i]);
    for (size_t i = 0; i < COUNT_OF(good); i++)
        if (!part_serial_is_identity(span_of(good[i])))
            fail_msg("'%s' is none", good[i]);
}

static const char line[] =
    "{\"cluster\":\"alex\",\"host\":\"n1\",\"t\":1795000000.5,\"boot\":1794900000,"
    "\"unread\":[\"gpu\"],\"parts\":[{\"class\":\"dimm\",\"slot\":\"A1\",\"vendor\":"
    "\"Samsung\",\"model\":\"M393\",\"serial\":\"3C4D5E6F\",\"label\":\"CPU0_A1\","
    "\"size\":34359738368,\"corrected\":3,\"uncorrected\":0},{\"class\":\"cpu\","
    "\"slot\":\"cpu0\"}]}\n";

static void a_line_is_printed_as_it_was_read(void **state)
{
    (void)state;
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct node_inventory inventory;
    struct err err = { 0 };
    arena_init(&arena, 0);
    assert_int_equal(node_inventory_read(SPAN(line), &arena, &inventory, &err), 0);
    assert_int_equal(inventory.part_count, 2);
    assert_int_equal(inventory.t_ns, INT64_C(1795000000500000000));
    assert_int_equal(inventory.unread, 1U << PART_GPU);
    assert_int_equal(inventory.parts[0].class, PART_DIMM);
    assert_int_equal(inventory.parts[0].corrected, 3);
    assert_int_equal(inventory.parts[1].corrected, -1);
    node_inventory_print(&inventory, &out);
    AUTO(strbuf_done) struct strbuf again = STRBUF_INIT;
    struct node_inventory other;
    assert_int_equal(node_inventory_read(strbuf_span(&out), &arena, &other, &err), 0);
    node_inventory_print(&other, &again);
    assert_string_equal(out.data, again.data);
}

static void bad_lines_are_refused(void **state)
{
    (void)state;
#define OF(parts) "{\"host\":\"n1\",\"t\":1,\"parts\":" parts "}"
    static const struct {
        const char *text, *reason;
    } cases[] = {
        { "[]", "a line is an object" },
        { "{\"host\":\"n1\",\"t\":1}", "parts is missing" },
        { "{\"t\":1,\"parts\":[]}", "its host is missing" },
        { "{\"host\":\"n1\",\"parts\":[]}", "its time is missing" },
        { "{\"host\":\"n1\",\"host\":\"n2\"}", "given twice" },
        { "{\"x\":1}", "unknown key" },
        { "{\"parts\":{}}", "of another type" },
        { "{\"unread\":[\"x\"]}", "an element is" },
        { OF("[1]"), "an element is" },
        { OF("[{\"slot\":\"A\"}]"), "a part has no class" },
        { OF("[{\"class\":\"cpu\"}]"), "a part has no slot" },
        { OF("[{\"class\":\"wheel\"}]"), "unknown class" },
        { OF("[{\"class\":\"cpu\",\"slot\":\"a\\u0001\"}]"), "control characters" },
        { OF("[{\"class\":\"cpu\",\"slot\":\"a\",\"size\":-1}]"), "another type" },
        { OF("[{\"class\":\"cpu\",\"slot\":\"a\",\"x\":1}]"), "unknown key of a part" },
        { OF("[{\"class\":\"cpu\",\"slot\":\"a\"},{\"class\":\"cpu\",\"slot\":\"a\"}]"),
          "stands twice" },
        { OF("[{\"class\":\"cpu\",\"slot\":{\"a\":1}}]"), "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        struct node_inventory inventory;
        struct err err = { 0 };
        arena_init(&arena, 0);
        int rc = node_inventory_read(span_of(cases[i].text), &arena, &inventory, &err);
        if (rc != -EBADMSG || !strstr(err.text, cases[i].reason))
            fail_msg("%s: %d, %s", cases[i].text, rc, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ill_serials_are_no_identities),
        cmocka_unit_test(a_line_is_printed_as_it_was_read),
        cmocka_unit_test(bad_lines_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
