/* SPDX-License-Identifier: Apache-2.0 */
/* test_series_cache - the series used lately stay in memory. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "records/series_cache.h"

static void put_named(struct series_cache *cache, const char *id, int64_t sid)
{
    struct series s = { .fs = SPAN("scratch"),
                        .target = SPAN("scratch-OST0001"),
                        .entry_id = span_of(id),
                        .job = SPAN("17"),
                        .sid = sid };
    assert_int_equal(series_cache_put(cache, &s, &s), 0);
}

static const struct series *get_named(struct series_cache *cache, const char *id)
{
    return series_cache_get(cache, SPAN("scratch"), SPAN("scratch-OST0001"),
                            span_of(id));
}

static void the_cache_keeps_what_is_asked_for(void **state)
{
    (void)state;
    AUTO(series_cache_free) struct series_cache *cache = NULL;
    char id[32];
    assert_int_equal(series_cache_new(0, &cache), -EINVAL);
    assert_int_equal(series_cache_new(1000, &cache), 0);
    put_named(cache, "often", 7);
    for (int i = 0; i < 5000; i++) {
        (void)snprintf(id, sizeof id, "%d", i);
        put_named(cache, id, i + 100);
        assert_non_null(get_named(cache, "often"));
    }
    assert_int_equal(series_cache_count(cache), 1000);
    assert_null(get_named(cache, "17"));
    const struct series *s = get_named(cache, "4999");
    assert_non_null(s);
    assert_true(s->sid == 5099);
    assert_true(span_is(s->job, "17"));
    assert_null(s->user.data);
    assert_null(
        series_cache_get(cache, SPAN("home"), SPAN("scratch-OST0001"), SPAN("4999")));
    series_cache_clear(cache);
    assert_null(get_named(cache, "often"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cache_keeps_what_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
