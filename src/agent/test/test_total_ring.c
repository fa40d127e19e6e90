/* SPDX-License-Identifier: Apache-2.0 */
/* test_total_ring - texts of metrics on their way to a barod: accepted, refused, not
 * wanted, lost.
 */
#include "agent/test/barod.h"
#include "agent/test/reports.h"
#include "agent/totals/total_ring.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <unistd.h>

static struct agent_reports reports = { .lock = PTHREAD_MUTEX_INITIALIZER };
static const struct agent_report report = { agent_reports_add, &reports };

static struct total_ring *ring_new(const char *url)
{
    const struct agent_opts opts = { .server = url };
    struct total_ring *ring = NULL;
    struct err err = { 0 };
    reports.text[0] = '\0';
    if (total_ring_new(&opts, &report, &ring, &err) < 0)
        fail_msg("%s", err.text);
    return ring;
}

static void ring_put(struct total_ring *ring, const char *text, size_t times)
{
    struct strbuf copy = STRBUF_INIT;
    for (size_t i = 0; i < times; i++)
        strbuf_adds(&copy, text);
    total_ring_put(ring, &copy);
    assert_null(copy.data); /* the ring has it */
}

/* Until that many texts have an outcome, or an attempt has failed. */
static void ring_wait(struct total_ring *ring, uint64_t outcomes,
                      struct total_ring_counts *ret)
{
    for (;;) {
        total_ring_count(ring, ret);
        if (ret->sent + ret->refused + ret->lost >= outcomes || ret->attempts_failed ||
            !total_ring_is_wanted(ring))
            return;
        (void)usleep(1000);
    }
}

static void a_status_decides_what_becomes_of_a_text(void **state)
{
    static const struct {
        unsigned status;
        const char *body;
        uint64_t sent, refused, failed;
        bool is_wanted;
        const char *reported;
    } cases[] = {
        { 200, "", 1, 0, 0, true, "" },
        { 204, "", 1, 0, 0, true, "" },
        { 200, "line 2: not a number", 1, 0, 0, true,
          "1 barod does not accept some lines of the server's totals: line 2: not a "
          "number" },
        { 400, "bad", 0, 1, 0, true,
          "1 barod does not accept a reading of the server's totals: bad" },
        { 413, "", 0, 1, 0, true, "a reading of the server's totals" },
        { 422, "", 0, 1, 0, true, "a reading of the server's totals" },
        { 404, "", 0, 0, 0, false, "2 barod has no metric store ([store])" },
        { 405, "", 0, 0, 0, false, "2 barod has no metric store ([store])" },
        { 401, "", 0, 0, 1, true, "1 barod does not accept metrics now; the newest" },
        { 503, "", 0, 0, 1, true, "1 barod does not accept metrics now; the newest" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct barod barod;
        struct total_ring_counts counts;
        barod_start(&barod, cases[i].status, cases[i].body);
        struct total_ring *ring = ring_new(barod.url);
        assert_true(total_ring_is_wanted(ring));
        ring_put(ring, "a 1\n", 1);
        ring_wait(ring, 1, &counts);
        total_ring_count(ring, &counts);
        if (counts.sent != cases[i].sent || counts.refused != cases[i].refused ||
            counts.attempts_failed != cases[i].failed || counts.lost != 0 ||
            counts.sent_bytes != 4 * cases[i].sent ||
            total_ring_is_wanted(ring) != cases[i].is_wanted ||
            !strstr(reports.text, cases[i].reported) ||
            (!cases[i].reported[0] && reports.text[0]))
            fail_msg("%u: sent %llu, refused %llu, failed %llu: %s", cases[i].status,
                     (unsigned long long)counts.sent,
                     (unsigned long long)counts.refused,
                     (unsigned long long)counts.attempts_failed, reports.text);
        assert_string_equal(strbuf_text(&barod.bodies), "a 1\n");
        total_ring_stop(ring);
        barod_stop(&barod);
    }
}

static void texts_are_sent_in_their_order(void **state)
{
    struct barod barod;
    struct total_ring_counts counts;
    (void)state;
    barod_start(&barod, 200, "");
    struct total_ring *ring = ring_new(barod.url);
    ring_put(ring, "one ", 1);
    ring_put(ring, "two ", 1);
    ring_put(ring, "three ", 1);
    ring_wait(ring, 3, &counts);
    assert_int_equal(counts.sent, 3);
    assert_int_equal(counts.sent_bytes, 14);
    assert_string_equal(strbuf_text(&barod.bodies), "one two three ");
    total_ring_stop(ring);
    barod_stop(&barod);
}

/* While the thread pauses after a failure, the ring is only filled. */
static struct total_ring *ring_of_a_server_that_is_away(struct barod *barod)
{
    struct total_ring_counts counts;
    barod_start(barod, 503, "");
    struct total_ring *ring = ring_new(barod->url);
    ring_put(ring, "first", 1);
    ring_wait(ring, 1, &counts);
    assert_int_equal(counts.attempts_failed, 1);
    return ring;
}

static void of_too_many_texts_the_oldest_are_lost(void **state)
{
    struct barod barod;
    struct total_ring_counts counts;
    (void)state;
    struct total_ring *ring = ring_of_a_server_that_is_away(&barod);
    for (size_t i = 0; i < 63; i++)
        ring_put(ring, "x", 1);
    total_ring_count(ring, &counts);
    assert_int_equal(counts.lost, 0); /* 64 have a place */
    ring_put(ring, "x", 1);
    ring_put(ring, "x", 1);
    total_ring_count(ring, &counts);
    assert_int_equal(counts.lost, 2);
    total_ring_stop(ring);
    barod_stop(&barod);
}

static void of_too_many_bytes_the_oldest_are_lost(void **state)
{
    struct barod barod;
    struct total_ring_counts counts;
    (void)state;
    struct total_ring *ring = ring_of_a_server_that_is_away(&barod);
    ring_put(ring, "12345678", (8 << 20) / 8 - 1);
    total_ring_count(ring, &counts);
    assert_int_equal(counts.lost, 0);
    ring_put(ring, "12345678", 2);
    total_ring_count(ring, &counts);
    assert_int_equal(counts.lost, 2); /* "first" and the large one */
    total_ring_stop(ring);
    barod_stop(&barod);
}

/* A pause of a second lies between the attempts. */
static void what_waited_is_sent_when_the_server_is_back(void **state)
{
    struct barod barod;
    struct total_ring_counts counts;
    (void)state;
    struct total_ring *ring = ring_of_a_server_that_is_away(&barod);
    ring_put(ring, " second", 1);
    {
        LOCKED(&barod.lock);
        barod.status = 200;
        strbuf_clear(&barod.bodies);
    }
    do {
        (void)usleep(1000);
        total_ring_count(ring, &counts);
    } while (counts.sent < 2);
    assert_string_equal(strbuf_text(&barod.bodies), "first second");
    assert_non_null(strstr(reports.text, "2 the server's totals are accepted again"));
    total_ring_stop(ring);
    barod_stop(&barod);
}

static void an_address_that_is_none_is_refused(void **state)
{
    const struct agent_opts opts = { .server = "ftp://x" };
    struct total_ring *ring = NULL;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(total_ring_new(&opts, &report, &ring, &err), -EINVAL);
    assert_null(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_status_decides_what_becomes_of_a_text),
        cmocka_unit_test(texts_are_sent_in_their_order),
        cmocka_unit_test(of_too_many_texts_the_oldest_are_lost),
        cmocka_unit_test(of_too_many_bytes_the_oldest_are_lost),
        cmocka_unit_test(what_waited_is_sent_when_the_server_is_back),
        cmocka_unit_test(an_address_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
