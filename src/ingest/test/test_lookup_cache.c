/* SPDX-License-Identifier: Apache-2.0 */
/* test_lookup_cache - bytes of lines, and the series that they stand for. */
#include "base/span.h"
#include "ingest/lookup_cache.h"

#include "base/test/testing.h"

#include <stdio.h>

#define SERIES(n) ((struct level_series *)(uintptr_t)(8 * (n)))

static struct lookup_meaning meaning_of(size_t n)
{
    return (struct lookup_meaning){ .series = SERIES(n), .shard = (uint16_t)n };
}

static void what_was_put_is_found_and_nothing_else(void **state)
{
    (void)state;
    AUTO(lookup_cache_free) struct lookup_cache *cache = NULL;
    assert_int_equal(lookup_cache_new(1000, &cache), 0);
    for (size_t i = 1; i <= 300; i++) {
        char line[32];
        (void)snprintf(line, sizeof line, "load,hostname=n%zu", i);
        struct lookup_meaning meaning = meaning_of(i);
        lookup_cache_put(cache, lookup_cache_key(cache, span_of(line)), &meaning, NULL);
    }
    for (size_t i = 1; i <= 301; i++) {
        char line[32];
        (void)snprintf(line, sizeof line, "load,hostname=n%zu", i);
        struct lookup_entry *entry =
            lookup_cache_find(cache, lookup_cache_key(cache, span_of(line)), NULL);
        if (i == 301)
            assert_null(entry);
        else if (!entry || entry->series != SERIES(i) || entry->shard != i)
            fail_msg("%s is not found", line);
    }
    struct lookup_cache_stats stats;
    lookup_cache_stats(cache, &stats);
    assert_int_equal(stats.entries, 300);
    assert_int_equal(stats.forgone, 0);
    assert_true(stats.bytes > 0);
}

static void a_key_that_is_known_has_the_new_meaning(void **state)
{
    (void)state;
    AUTO(lookup_cache_free) struct lookup_cache *cache = NULL;
    assert_int_equal(lookup_cache_new(1000, &cache), 0);
    struct lookup_key key = lookup_cache_key(cache, SPAN("a"));
    struct lookup_meaning first = meaning_of(1), second = meaning_of(2);
    lookup_cache_put(cache, key, &first, NULL);
    lookup_cache_put(cache, key, &second, NULL);
    assert_ptr_equal(lookup_cache_find(cache, key, NULL)->series, SERIES(2));
    struct lookup_cache_stats stats;
    lookup_cache_stats(cache, &stats);
    assert_int_equal(stats.entries, 1);
}

static void a_sender_that_has_its_share_is_looked_up_each_time(void **state)
{
    (void)state;
    AUTO(lookup_cache_free) struct lookup_cache *cache = NULL;
    AUTO(sender_quota_free) struct sender_quota *quota = NULL;
    static const struct sender_limits limits = { .series = 9, .metrics = 9, .keys = 2 };
    const struct sender_quota_opts opts = { .host = limits,
                                            .shared = limits,
                                            .single = limits };
    assert_int_equal(lookup_cache_new(1000, &cache), 0);
    assert_int_equal(sender_quota_new(&opts, &quota), 0);
    struct sender_account *account =
        sender_quota_account(quota, SPAN("host a"), SENDER_HOST);
    static const char *const lines[] = { "a", "b", "c" };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct lookup_meaning meaning = meaning_of(i + 1);
        lookup_cache_put(cache, lookup_cache_key(cache, span_of(lines[i])), &meaning,
                         account);
    }
    assert_non_null(lookup_cache_find(cache, lookup_cache_key(cache, SPAN("b")), NULL));
    assert_null(lookup_cache_find(cache, lookup_cache_key(cache, SPAN("c")), NULL));
    struct lookup_cache_stats stats;
    lookup_cache_stats(cache, &stats);
    assert_int_equal(stats.entries, 2);
    assert_int_equal(stats.forgone, 1);
}

static void a_context_makes_another_key_of_the_same_bytes(void **state)
{
    (void)state;
    AUTO(lookup_cache_free) struct lookup_cache *cache = NULL;
    assert_int_equal(lookup_cache_new(1000, &cache), 0);
    struct lookup_key line = lookup_cache_key(cache, SPAN("load")),
                      one = lookup_cache_key(cache, SPAN("cluster a")),
                      other = lookup_cache_key(cache, SPAN("cluster b"));
    struct lookup_key a = lookup_key_mix(one, line), b = lookup_key_mix(other, line),
                      turned = lookup_key_mix(line, one);
    assert_false(a.low == b.low && a.high == b.high);
    assert_false(a.low == turned.low && a.high == turned.high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_found_and_nothing_else),
        cmocka_unit_test(a_key_that_is_known_has_the_new_meaning),
        cmocka_unit_test(a_sender_that_has_its_share_is_looked_up_each_time),
        cmocka_unit_test(a_context_makes_another_key_of_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
