/* SPDX-License-Identifier: Apache-2.0 */
/* test_dataset_ninep_requests - requests of a 9P client: found by their tags, held in
 * order. */
#include "base/test/testing.h"
#include "dataset/forwarder/ninep/ninep_client.h"

static struct channel_loop channels;
static struct ninep_server server;

static int client_make(void **state)
{
    struct ninep_client *client = calloc(1, sizeof *client);
    *state = client;
    if (!client)
        return -1;
    client->server = &server;
    client->client.channel.channels = &channels;
    return 0;
}

static int client_free(void **state)
{
    ninep_requests_leave(*state);
    free(*state);
    return 0;
}

static struct ninep_request *request(struct ninep_client *client, uint16_t tag)
{
    struct ninep_message message = { .type = NINEP_TREAD, .tag = tag };
    struct ninep_request *made = ninep_request_new(client, &message);
    if (!made)
        abort();
    return made;
}

/* Steps to the last one of a bucket. */
static unsigned longest(const struct ninep_client *client)
{
    unsigned most = 0;
    for (size_t i = 0; i < NINEP_TAG_BUCKETS; i++) {
        unsigned steps = 0;
        for (const struct ninep_request *at = client->tags[i]; at; at = at->next_of_tag)
            steps++;
        most = steps > most ? steps : most;
    }
    return most;
}

static void as_many_as_may_wait_are_found_at_once(void **state)
{
    struct ninep_client *client = *state;
    for (uint16_t i = 0; i < NINEP_REQUESTS_MAX; i++)
        (void)request(client, (uint16_t)(1000 + i));
    assert_int_equal(client->request_count, NINEP_REQUESTS_MAX);
    assert_int_equal(longest(client), 1);
    for (uint16_t i = 0; i < NINEP_REQUESTS_MAX; i++) {
        uint16_t tag = (uint16_t)(1000 + i * 7 % NINEP_REQUESTS_MAX);
        struct ninep_request *found = ninep_request_find(client, tag);
        assert_non_null(found);
        assert_int_equal(found->tag, tag);
        ninep_request_end(found);
        assert_null(ninep_request_find(client, tag));
    }
    assert_int_equal(client->request_count, 0);
    assert_null(client->requests);
    assert_int_equal(longest(client), 0);
}

static void tags_of_one_bucket_are_distinct(void **state)
{
    struct ninep_client *client = *state;
    static const uint16_t tags[] = { 5, 5 + NINEP_TAG_BUCKETS,
                                     5 + 2 * NINEP_TAG_BUCKETS };
    for (size_t i = 0; i < COUNT_OF(tags); i++)
        (void)request(client, tags[i]);
    ninep_request_end(ninep_request_find(client, tags[1]));
    assert_int_equal(ninep_request_find(client, tags[0])->tag, tags[0]);
    assert_null(ninep_request_find(client, tags[1]));
    assert_int_equal(ninep_request_find(client, tags[2])->tag, tags[2]);
    assert_null(ninep_request_find(client, 6));
}

static void held_order(const struct ninep_client *client, const char *wanted)
{
    char order[16] = "";
    size_t count = 0;
    const struct ninep_request *before = NULL;
    for (const struct ninep_request *at = client->first_held; at; at = at->next_held) {
        assert_ptr_equal(at->previous_held, before);
        order[count++] = (char)at->tag;
        before = at;
    }
    assert_ptr_equal(client->last_held, before);
    assert_string_equal(order, wanted);
}

static void held_reads_stay_in_their_order(void **state)
{
    struct ninep_client *client = *state;
    for (uint16_t tag = 'a'; tag <= 'e'; tag++)
        ninep_read_hold(request(client, tag));
    held_order(client, "abcde");
    ninep_request_end(ninep_request_find(client, 'c')); /* flushed */
    held_order(client, "abde");
    ninep_request_end(ninep_request_find(client, 'e'));
    held_order(client, "abd");
    ninep_read_release(ninep_request_find(client, 'a')); /* begun */
    held_order(client, "bd");
    ninep_request_end(ninep_request_find(client, 'a'));
    held_order(client, "bd");
    ninep_read_hold(request(client, 'f'));
    held_order(client, "bdf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(as_many_as_may_wait_are_found_at_once,
                                        client_make, client_free),
        cmocka_unit_test_setup_teardown(tags_of_one_bucket_are_distinct, client_make,
                                        client_free),
        cmocka_unit_test_setup_teardown(held_reads_stay_in_their_order, client_make,
                                        client_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
