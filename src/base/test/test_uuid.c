/* SPDX-License-Identifier: Apache-2.0 */
/* test_uuid - identifiers, held against RFC 4122 and the original proposal's example.
 */
#include "base/span.h"
#include "base/test/testing.h"
#include "base/uuid.h"

#include <errno.h>

static void the_proposals_example_comes_out(void **state)
{
    (void)state;
    struct uuid ns, id;
    char text[UUID_TEXT_SIZE];
    assert_int_equal(uuid_parse(SPAN("2e79b8a1-c4fc-45ba-9023-d16fdce6e3fe"), &ns), 0);
    assert_int_equal(
        uuid_v5(&ns, SPAN("scratch-OST0001:"), SPAN("11317854:17627127:r01c01"), &id),
        0);
    uuid_print(text, &id);
    assert_string_equal(text, "af854063-c381-585f-b551-ce0b6c4440a3");
}

static void random_ones_are_version_4(void **state)
{
    (void)state;
    struct uuid a, b;
    assert_int_equal(uuid_new(&a), 0);
    assert_int_equal(uuid_new(&b), 0);
    assert_int_equal(a.bytes[6] >> 4, 4);
    assert_int_equal(a.bytes[8] >> 6, 2);
    assert_memory_not_equal(a.bytes, b.bytes, sizeof a.bytes);
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    struct uuid uuid;
    assert_int_equal(uuid_parse(SPAN(""), &uuid), -EINVAL);
    assert_int_equal(uuid_parse(SPAN("2e79b8a1c4fc45ba9023d16fdce6e3fe0000"), &uuid),
                     -EINVAL);
    assert_int_equal(uuid_parse(SPAN("2e79b8a1-c4fc-45ba-9023-d16fdce6e3fg"), &uuid),
                     -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_proposals_example_comes_out),
        cmocka_unit_test(random_ones_are_version_4),
        cmocka_unit_test(other_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
