/* SPDX-License-Identifier: Apache-2.0 */
/* test_endpoint - which barod is meant: by an option, by the environment, by a name. */
#include "base/test/testing.h"
#include "client/client.h"

#include <stdlib.h>

static void an_option_wins_over_the_environment(void **state)
{
    static const struct {
        const char *server, *environment, *want;
    } cases[] = {
        { "http://a:1", "http://b:2", "http://a:1" },
        { NULL, "http://b:2", "http://b:2" },
        { NULL, "", CLIENT_SERVER_DEFAULT },
        { "", "http://b:2", CLIENT_SERVER_DEFAULT },
        { NULL, NULL, CLIENT_SERVER_DEFAULT },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct client_endpoint endpoint = { .server = cases[i].server };
        (void)unsetenv("BARO_SERVER");
        if (cases[i].environment)
            (void)setenv("BARO_SERVER", cases[i].environment, 1);
        assert_string_equal(client_endpoint_url(&endpoint), cases[i].want);
    }
    (void)unsetenv("BARO_SERVER");
}

static void a_name_is_a_server_or_a_file(void **state)
{
    static const struct {
        const char *name;
        bool is_server;
    } cases[] = { { "barod", true },         { "unix:/run/x.sock", true },
                  { "http://a:1", true },    { "https://a", true },
                  { "barod.csv", false },    { "./barod", false },
                  { "unix.csv", false },     { "http:/a", false },
                  { "ftp://a", false },      { "", false },
                  { "/data/http://", false } };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (client_endpoint_is_server(cases[i].name) != cases[i].is_server)
            fail_msg("'%s'", cases[i].name);
}

static void a_named_server_keeps_the_tokens(void **state)
{
    const struct client_endpoint base = { .server = "http://a:1",
                                          .token_file = "t",
                                          .ca_file = "c" };
    (void)state;
    struct client_endpoint own = client_endpoint_named("barod", &base);
    struct client_endpoint other = client_endpoint_named("https://b", &base);
    assert_string_equal(own.server, "http://a:1");
    assert_string_equal(other.server, "https://b");
    assert_string_equal(other.token_file, "t");
    assert_string_equal(other.ca_file, "c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_option_wins_over_the_environment),
        cmocka_unit_test(a_name_is_a_server_or_a_file),
        cmocka_unit_test(a_named_server_keeps_the_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
