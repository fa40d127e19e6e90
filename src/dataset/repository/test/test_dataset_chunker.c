/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_chunker - cuts that never change, since what is stored depends on them.
 */
#include "base/cleanup.h"
#include "dataset/repository/chunker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>

#include <cmocka.h>
#include <string.h>

#define SIZE (4U << 20)

static uint8_t *bytes_make(void)
{
    uint8_t *bytes = malloc(SIZE + 1000);
    uint64_t state = 42;
    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE + 1000; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bytes[i] = (uint8_t)(state >> 56);
    }
    return bytes;
}

static size_t cuts_make(const uint8_t *bytes, size_t size, size_t *ends)
{
    size_t count = 0;
    for (size_t at = 0; at < size;) {
        size_t cut = chunk_cut(bytes + at, size - at);
        assert_true(cut > 0 && cut <= CHUNK_SIZE_MAX && cut <= size - at);
        assert_true(cut >= CHUNK_SIZE_MIN || cut == size - at);
        at += cut;
        ends[count++] = at;
    }
    return count;
}

static void the_cuts_of_known_bytes_are_known(void **state)
{
    (void)state;
    static const size_t want[] = { 45826, 108400, 174757, 244663 };
    size_t ends[512];
    AUTO_FREE uint8_t *bytes = bytes_make();
    size_t count = cuts_make(bytes, SIZE, ends);
    assert_true(count >= 40 && count <= 90);
    for (size_t i = 0; i < COUNT_OF(want); i++)
        assert_int_equal(ends[i], want[i]);
}

static void bytes_before_it_move_no_later_cut(void **state)
{
    (void)state;
    size_t a[512], b[512], shared = 0;
    AUTO_FREE uint8_t *bytes = bytes_make();
    AUTO_FREE uint8_t *moved = malloc(SIZE + 1000);
    assert_non_null(moved);
    memset(moved, 7, 1000);
    memcpy(moved + 1000, bytes, SIZE);
    size_t count_a = cuts_make(bytes, SIZE, a);
    size_t count_b = cuts_make(moved, SIZE + 1000, b);
    for (size_t i = 0; i < count_a; i++)
        for (size_t j = 0; j < count_b; j++)
            shared += a[i] + 1000 == b[j];
    assert_true(shared + 4 >= count_a);
}

static void zeros_are_cut_at_the_most(void **state)
{
    (void)state;
    AUTO_FREE uint8_t *zeros = calloc(1, SIZE);
    size_t first = chunk_cut(zeros, SIZE);
    assert_int_equal(chunk_cut(zeros + first, SIZE - first), first);
    assert_int_equal(chunk_cut(zeros, 100), 100);
    assert_int_equal(chunk_cut(zeros, CHUNK_SIZE_MIN), CHUNK_SIZE_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cuts_of_known_bytes_are_known),
        cmocka_unit_test(bytes_before_it_move_no_later_cut),
        cmocka_unit_test(zeros_are_cut_at_the_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
