/* SPDX-License-Identifier: Apache-2.0 */
/* test_memory - pieces of slabs, reused when no reader can see them any more. */
#include "base/cleanup.h"
#include "base/test/testing.h"
#include "store/series/memory.h"

#include <string.h>

static struct epoch epoch;
static struct memory memory;

static int begin(void **state)
{
    (void)state;
    epoch_init(&epoch);
    memory_init(&memory, &epoch);
    return 0;
}

static int end(void **state)
{
    (void)state;
    memory_done(&memory);
    return 0;
}

static void a_piece_that_is_freed_is_the_next_of_its_size(void **state)
{
    (void)state;
    void *piece = memory_alloc(&memory, 40), *other = memory_alloc(&memory, 100);
    assert_int_equal((uintptr_t)piece % PIECE_BYTES, 0);
    assert_int_equal(memory.used_bytes, 48 + 112);
    memory_free(&memory, piece, 40);
    assert_int_equal(memory.used_bytes, 112);
    assert_ptr_not_equal(memory_alloc(&memory, 16), piece);
    assert_ptr_equal(memory_alloc(&memory, 48), piece); /* rounded to the same size */
    assert_int_equal(memory.reused_count, 1);
    memory_free(&memory, other, 100);
    memory_free(&memory, NULL, 100);
}

static void large_pieces_are_the_systems(void **state)
{
    (void)state;
    uint64_t slabs = memory.slab_bytes;
    void *piece = memory_alloc(&memory, 10 * PIECE_BYTES_MAX);
    assert_non_null(piece);
    memset(piece, 1, 10 * PIECE_BYTES_MAX);
    assert_int_equal(memory.slab_bytes, slabs + 10 * PIECE_BYTES_MAX);
    memory_free(&memory, piece, 10 * PIECE_BYTES_MAX);
    assert_int_equal(memory.slab_bytes, slabs);
    assert_int_equal(memory.used_bytes, 0);
}

static void a_retired_piece_waits_for_readers_of_its_time(void **state)
{
    (void)state;
    void *piece = memory_alloc(&memory, 64);
    unsigned reader = epoch_enter(&epoch);
    memory_retire(&memory, piece, 64);
    memory_reclaim(&memory);
    assert_int_equal(memory.used_bytes, 64);
    unsigned later = epoch_enter(&epoch); /* cannot see it any more */
    epoch_leave(&epoch, reader);
    memory_reclaim(&memory);
    assert_int_equal(memory.used_bytes, 0);
    assert_ptr_equal(memory_alloc(&memory, 64), piece);
    epoch_leave(&epoch, later);
}

static void each_reader_has_a_position_of_its_own(void **state)
{
    (void)state;
    unsigned readers[EPOCH_READERS_MAX];
    bool is_seen[EPOCH_READERS_MAX] = { false };
    for (size_t i = 0; i < COUNT_OF(readers); i++) {
        readers[i] = epoch_enter(&epoch);
        assert_true(readers[i] < EPOCH_READERS_MAX && !is_seen[readers[i]]);
        is_seen[readers[i]] = true;
    }
    for (size_t i = 0; i < COUNT_OF(readers); i++)
        epoch_leave(&epoch, readers[i]);
    epoch_drain(&epoch); /* returns, as no reader is inside */
    epoch_leave(&epoch, epoch_enter(&epoch));
}

static void retiring_many_reclaims_by_itself(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++)
        memory_retire(&memory, memory_alloc(&memory, 64), 64);
    assert_true(memory.used_bytes < 100000);
    assert_true(memory.reused_count > 90000);
}

#define in_memory(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_memory(a_piece_that_is_freed_is_the_next_of_its_size),
        in_memory(large_pieces_are_the_systems),
        in_memory(a_retired_piece_waits_for_readers_of_its_time),
        in_memory(each_reader_has_a_position_of_its_own),
        in_memory(retiring_many_reclaims_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
