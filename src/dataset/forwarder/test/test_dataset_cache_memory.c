/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_cache_memory - chunks in memory: bounded by bytes, and what is read
 * often outlasts what is read once. */
#include "base/test/testing.h"
#include "dataset/forwarder/cache_memory.h"

#define CHUNK 1000U
#define COST (CHUNK + CACHE_MEMORY_ENTRY_BYTES)

static struct digest digest_number(uint32_t number)
{
    struct digest digest = { 0 };
    memcpy(digest.bytes, &number, sizeof number);
    return digest;
}

static void put(struct cache_memory *cache, uint32_t number)
{
    struct payload *payload = payload_new(CHUNK);
    if (!payload)
        abort();
    memset(payload->data, (int)number, CHUNK);
    payload->digest = digest_number(number);
    cache_memory_put(cache, payload);
    payload_unref(payload);
}

static struct payload *get(struct cache_memory *cache, uint32_t number)
{
    struct digest digest = digest_number(number);
    return cache_memory_get(cache, &digest);
}

static void what_was_put_is_there(void **state)
{
    AUTO(cache_memory_free) struct cache_memory *cache = NULL;
    (void)state;
    assert_int_equal(cache_memory_new(10 * COST, &cache), 0);
    assert_null(get(cache, 1));
    put(cache, 1);
    const struct payload *payload = get(cache, 1);
    assert_non_null(payload);
    assert_int_equal(payload->data[CHUNK - 1], 1);
    put(cache, 1);
    assert_int_equal(cache_memory_bytes(cache), COST);
    struct digest digest = digest_number(1);
    cache_memory_remove(cache, &digest);
    assert_null(get(cache, 1));
    assert_int_equal(cache_memory_bytes(cache), 0);
}

static void it_is_bounded_by_bytes(void **state)
{
    AUTO(cache_memory_free) struct cache_memory *cache = NULL;
    (void)state;
    assert_int_equal(cache_memory_new(10 * COST, &cache), 0);
    for (uint32_t i = 0; i < 1000; i++) {
        put(cache, i % 37);
        (void)get(cache, i % 11);
        assert_true(cache_memory_bytes(cache) <= 10 * COST);
    }
    AUTO(payload_unref) struct payload *large = payload_new(11 * COST);
    large->digest = digest_number(99);
    cache_memory_put(cache, large);
    assert_null(get(cache, 99));
}

/* As when one copies a whole image while others start a program again and again. */
static void what_is_read_often_outlasts_a_scan(void **state)
{
    AUTO(cache_memory_free) struct cache_memory *cache = NULL;
    unsigned there = 0;
    (void)state;
    assert_int_equal(cache_memory_new(100 * COST, &cache), 0);
    for (uint32_t turn = 0; turn < 3; turn++)
        for (uint32_t i = 0; i < 50; i++)
            if (!get(cache, i))
                put(cache, i);
    for (uint32_t i = 1000; i < 3000; i++)
        put(cache, i);
    for (uint32_t i = 0; i < 50; i++)
        there += get(cache, i) != NULL;
    assert_true(there >= 45);
}

static void what_is_put_again_soon_goes_to_main(void **state)
{
    AUTO(cache_memory_free) struct cache_memory *cache = NULL;
    (void)state;
    assert_int_equal(cache_memory_new(20 * COST, &cache), 0);
    for (uint32_t i = 0; i < 25; i++)
        put(cache, i);
    assert_null(get(cache, 0)); /* a ghost */
    put(cache, 0);
    for (uint32_t i = 100; i < 125; i++)
        put(cache, i);
    assert_non_null(get(cache, 0));
}

/* A client may still be sent it. */
static void a_payload_outlives_its_eviction(void **state)
{
    AUTO(cache_memory_free) struct cache_memory *cache = NULL;
    (void)state;
    assert_int_equal(cache_memory_new(2 * COST, &cache), 0);
    AUTO(payload_unref) struct payload *held = payload_new(CHUNK);
    if (!held)
        abort();
    memset(held->data, 7, CHUNK);
    held->digest = digest_number(7);
    cache_memory_put(cache, held);
    for (uint32_t i = 100; i < 110; i++)
        put(cache, i);
    assert_null(get(cache, 7));
    assert_int_equal(held->data[0], 7);
}

/* Chunks of a few bytes, as a hostile upstream may have them. */
static void small_chunks_are_bounded_with_their_entries(void **state)
{
    AUTO(cache_memory_free) struct cache_memory *cache = NULL;
    unsigned there = 0;
    (void)state;
    assert_int_equal(cache_memory_new(1000 * CACHE_MEMORY_ENTRY_BYTES, &cache), 0);
    for (uint32_t i = 0; i < 3000; i++) {
        AUTO(payload_unref) struct payload *payload = payload_new(4);
        if (!payload)
            abort();
        memset(payload->data, 0, 4);
        payload->digest = digest_number(i);
        cache_memory_put(cache, payload);
    }
    for (uint32_t i = 0; i < 3000; i++)
        there += get(cache, i) != NULL;
    assert_in_range(there, 900, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_there),
        cmocka_unit_test(it_is_bounded_by_bytes),
        cmocka_unit_test(what_is_read_often_outlasts_a_scan),
        cmocka_unit_test(what_is_put_again_soon_goes_to_main),
        cmocka_unit_test(a_payload_outlives_its_eviction),
        cmocka_unit_test(small_chunks_are_bounded_with_their_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
