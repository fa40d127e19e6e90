/* SPDX-License-Identifier: Apache-2.0 */
/* test_senders - what senders have created outlives barod. */
#include "daemon/senders.h"

#include "base/file.h"
#include "base/log.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[40], path[64];

static int set_up(void **state)
{
    (void)state;
    log_set_level(LOG_LEVEL_ERROR); /* a damaged file is warned of */
    memcpy(directory, "/tmp/test_senders.XXXXXX", sizeof "/tmp/test_senders.XXXXXX");
    if (!mkdtemp(directory))
        return -1;
    (void)snprintf(path, sizeof path, "%s/senders", directory);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(directory);
}

static struct sender_quota *new_quota(void)
{
    static const struct sender_limits limits = { .series = 10, .metrics = 10 };
    const struct sender_quota_opts opts = {
        .host = limits,
        .shared = limits,
        .single = limits,
        .series_open = 1000,
        .metrics_per_hour = 1000,
    };
    struct sender_quota *quota = NULL;
    assert_int_equal(sender_quota_new(&opts, &quota), 0);
    return quota;
}

static void a_file_outlives_the_quota_that_was_saved(void **state)
{
    (void)state;
    AUTO(sender_quota_free) struct sender_quota *before = new_quota();
    AUTO(sender_quota_free) struct sender_quota *after = new_quota();
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct daemon_senders *senders = NULL;
    assert_int_equal(daemon_senders_load(directory, before, &senders, NULL), 0);
    struct sender_account *account =
        sender_quota_account(before, SPAN("host a0903"), SENDER_HOST);
    assert_int_equal(sender_account_charge(account, SENDER_NEW_SERIES, SPAN("m"), 1),
                     0);
    daemon_senders_stop(senders);
    senders = NULL;
    assert_int_equal(daemon_senders_load(directory, after, &senders, NULL), 0);
    sender_quota_print(after, &text);
    assert_non_null(strstr(strbuf_text(&text), "host a0903"));
    daemon_senders_stop(senders);
}

static void a_bad_line_costs_that_line(void **state)
{
    (void)state;
    AUTO(sender_quota_free) struct sender_quota *quota = new_quota();
    AUTO(strbuf_done) struct strbuf good = STRBUF_INIT, got = STRBUF_INIT;
    struct daemon_senders *senders = NULL;
    (void)sender_quota_account(quota, SPAN("host b"), SENDER_HOST);
    struct sender_account *account =
        sender_quota_account(quota, SPAN("host c"), SENDER_HOST);
    assert_int_equal(sender_account_charge(account, SENDER_NEW_SERIES, SPAN("m"), 1),
                     0);
    sender_quota_print(quota, &good);
    strbuf_adds(&good, "no numbers here\n");
    assert_int_equal(file_replace(path, good.data, good.size, 0600, NULL), 0);
    AUTO(sender_quota_free) struct sender_quota *fresh = new_quota();
    assert_int_equal(daemon_senders_load(directory, fresh, &senders, NULL), 0);
    sender_quota_print(fresh, &got);
    assert_non_null(strstr(strbuf_text(&got), "host c"));
    daemon_senders_stop(senders);
}

static void without_a_directory_or_a_quota_nothing_is_saved(void **state)
{
    (void)state;
    AUTO(sender_quota_free) struct sender_quota *quota = new_quota();
    struct daemon_senders *senders = NULL;
    assert_int_equal(daemon_senders_load("none", quota, &senders, NULL), 0);
    assert_null(senders);
    assert_int_equal(daemon_senders_load(directory, NULL, &senders, NULL), 0);
    assert_null(senders);
    daemon_senders_stop(senders);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_outlives_the_quota_that_was_saved),
        cmocka_unit_test(a_bad_line_costs_that_line),
        cmocka_unit_test(without_a_directory_or_a_quota_nothing_is_saved),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
