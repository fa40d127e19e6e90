/* SPDX-License-Identifier: Apache-2.0 */
/* test_access_rules - what [access] grants, and what it refuses. */
#include "access/access.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <errno.h>
#include <string.h>

static const char *proxies[] = { "33", "root" };
static const char *managers[] = { "carol: phys,  chem ", "root: admin_account" };
static const char *support[] = { "dave" };

static struct access_rules *make(const struct access_opts *opts)
{
    struct access_rules *rules = NULL;
    struct err err = { 0 };
    if (access_rules_new(opts, &rules, &err) < 0)
        fail_msg("%s", err.text);
    return rules;
}

static void without_a_configuration_nothing_is_granted(void **state)
{
    (void)state;
    const struct access_opts none = { 0 };
    AUTO(access_rules_free) struct access_rules *rules = make(&none);
    struct access_client client = { .roles = NET_ROLE_USER, .user = SPAN("carol") };
    struct span accounts[ACCESS_ACCOUNTS_MAX];
    assert_null(access_rules_proxy_header(rules, 0));
    assert_int_equal(access_rules_socket_role(rules), NET_ROLE_READER);
    assert_true(access_rules_grant(rules, &client, accounts));
    assert_int_equal(client.roles, NET_ROLE_USER);
    assert_int_equal(client.account_count, 0);
}

static void a_proxy_is_known_by_its_uid(void **state)
{
    (void)state;
    const struct access_opts opts = { .proxy_user_header = "X-Remote-User",
                                      .proxy_users = { proxies, 2 } };
    AUTO(access_rules_free) struct access_rules *rules = make(&opts);
    assert_string_equal(access_rules_proxy_header(rules, 33), "X-Remote-User");
    assert_string_equal(access_rules_proxy_header(rules, 0), "X-Remote-User");
    assert_null(access_rules_proxy_header(rules, 34));
    assert_null(access_rules_proxy_header(rules, (uid_t)-1));
}

struct grant_case {
    struct access_client client;
    unsigned want;
    size_t accounts;
};

static void grants_check(const struct access_rules *rules,
                         const struct grant_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct access_client client = cases[i].client;
        struct span accounts[ACCESS_ACCOUNTS_MAX];
        client.roles = NET_ROLE_USER;
        assert_true(access_rules_grant(rules, &client, accounts));
        if (client.roles != (NET_ROLE_USER | cases[i].want) ||
            client.account_count != cases[i].accounts)
            fail_msg("case %zu: roles %x, %zu accounts", i, client.roles,
                     client.account_count);
    }
}

/* Of who signed in, whose groups were looked up; a group's name is no user's. */
static void a_group_is_granted_what_names_it(void **state)
{
    static const char *of_groups[] = { "@phys: phys, chem", "carol: bio" };
    static const char *helpers[] = { "@help", "@phys" };
    static const char *admins[] = { "erin", "@hpc" };
    static const struct span phys[] = { { "phys", 4 } }, hpc[] = { { "hpc", 3 } },
                             other[] = { { "@hpc", 4 }, { "users", 5 } };
    static const struct grant_case cases[] = {
        { { .user = { "ann", 3 }, .groups = phys, .group_count = 1 },
          NET_ROLE_MANAGER | NET_ROLE_SUPPORT | NET_ROLE_READER,
          2 },
        { { .user = { "ann", 3 }, .groups = hpc, .group_count = 1 },
          NET_ROLE_ADMIN,
          0 },
        { { .user = { "ann", 3 }, .groups = other, .group_count = 2 }, 0, 0 },
        { { .user = { "erin", 4 } }, NET_ROLE_ADMIN, 0 },
        { { .user = { "hpc", 3 } }, 0, 0 },
        { { .user = { "@hpc", 4 } }, 0, 0 },
    };
    const struct access_opts opts = { .managers = { of_groups, 2 },
                                      .support = { helpers, 2 },
                                      .admins = { admins, 2 } };
    (void)state;
    AUTO(access_rules_free) struct access_rules *rules = make(&opts);
    size_t count;
    const struct span *groups = access_rules_groups(rules, &count);
    assert_int_equal(count, 3);
    assert_true(span_is(groups[0], "phys") && span_is(groups[1], "help") &&
                span_is(groups[2], "hpc"));
    grants_check(rules, cases, COUNT_OF(cases));
}

static void a_person_is_granted_what_names_it(void **state)
{
    static const struct grant_case cases[] = {
        { { .user = { "carol", 5 } }, NET_ROLE_MANAGER, 2 },
        { { .user = { "Carol", 5 } }, 0, 0 },
        { { .user = { "dave", 4 } }, NET_ROLE_SUPPORT | NET_ROLE_READER, 0 },
        { { .user = { "eve", 3 } }, 0, 0 },
        { { .uid = { "0", 1 } }, NET_ROLE_MANAGER, 1 },
        /* A name of digits, and a uid that no rule has. */
        { { .user = { "0", 1 } }, 0, 0 },
        { { .uid = { "4000000", 7 } }, 0, 0 },
        { { .uid = { "", 0 } }, 0, 0 },
    };
    const struct access_opts opts = { .managers = { managers, 2 },
                                      .support = { support, 1 } };
    (void)state;
    AUTO(access_rules_free) struct access_rules *rules = make(&opts);
    grants_check(rules, cases, COUNT_OF(cases));
}

/* The accounts, in order, with a blank after each. */
static bool accounts_print(const struct access_rules *rules,
                           struct access_client client, struct strbuf *out)
{
    struct span accounts[ACCESS_ACCOUNTS_MAX];
    strbuf_clear(out);
    client.roles = NET_ROLE_USER;
    bool is_all = access_rules_grant(rules, &client, accounts);
    for (size_t i = 0; i < client.account_count; i++)
        strbuf_addf(out, SPAN_FMT " ", SPAN_ARG(client.accounts[i]));
    return is_all;
}

static void every_rule_that_fits_counts(void **state)
{
    static const char *many[] = {
        "carol: phys",        "@lead: chem, bio", "root: a",
        "carol: math, phys",  "@other: none",     "@lead:geo,chem",
        "@head: phys, astro", "root: b,a",        "@carol: none",
        "lead: none"
    };
    static const struct span groups[] = { { "lead", 4 }, { "head", 4 } };
    const struct {
        struct access_client client;
        const char *want;
    } cases[] = {
        { { .user = SPAN("carol") }, "phys math " },
        { { .uid = SPAN("0") }, "a b " },
        { { .user = SPAN("ann"), .groups = groups, .group_count = 1 },
          "chem bio geo " },
        { { .user = SPAN("ann"), .groups = groups, .group_count = 2 },
          "chem bio geo phys astro " },
        { { .user = SPAN("carol"), .groups = groups, .group_count = 2 },
          "phys math chem bio geo astro " },
        { { .user = SPAN("ann") }, "" },
    };
    const struct access_opts opts = { .managers = { many, COUNT_OF(many) } };
    (void)state;
    AUTO(access_rules_free) struct access_rules *rules = make(&opts);
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_true(accounts_print(rules, cases[i].client, &text));
        assert_string_equal(strbuf_text(&text), cases[i].want);
    }
}

/* One user's are all there or the configuration is refused; groups are known later. */
static void more_accounts_than_fit_are_not_forgotten_in_silence(void **state)
{
    static const char *many[] = { "carol: a1, a2, a3, a4, a5, a6, a7, a8",
                                  "carol: b1, b2, b3, b4, b5, b6, b7, b8, a1",
                                  "@lead: a1, b1, b8", "carol: c1" };
    static const struct span lead[] = { { "lead", 4 } };
    static const char *more[] = { "@lead: c1" };
    const char *of_groups[] = { many[0], many[1], many[2], more[0] };
    const struct access_client client = { .user = SPAN("carol"),
                                          .groups = lead,
                                          .group_count = 1 };
    struct access_opts opts = { .managers = { many, 3 } };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct access_rules *refused = NULL;
    struct err err = { 0 };
    (void)state;
    AUTO(access_rules_free) struct access_rules *rules = make(&opts);
    assert_true(accounts_print(rules, client, &text));
    assert_string_equal(strbuf_text(&text),
                        "a1 a2 a3 a4 a5 a6 a7 a8 b1 b2 b3 b4 b5 b6 b7 b8 ");
    opts.managers = (struct config_list){ of_groups, 4 };
    AUTO(access_rules_free) struct access_rules *too_many = make(&opts);
    assert_false(accounts_print(too_many, client, &text));
    assert_string_equal(strbuf_text(&text),
                        "a1 a2 a3 a4 a5 a6 a7 a8 b1 b2 b3 b4 b5 b6 b7 b8 ");
    opts.managers = (struct config_list){ many, 4 };
    assert_int_equal(access_rules_new(&opts, &refused, &err), -EINVAL);
    assert_string_equal(err.text, "manager: 'carol': over 16 accounts");
}

static void accounts_of_a_token_stay(void **state)
{
    static const struct span own[] = { { "bio", 3 } };
    const struct access_opts opts = { .managers = { managers, 2 } };
    (void)state;
    AUTO(access_rules_free) struct access_rules *rules = make(&opts);
    struct span accounts[ACCESS_ACCOUNTS_MAX];
    struct access_client client = { .roles = NET_ROLE_MANAGER,
                                    .user = SPAN("carol"),
                                    .accounts = own,
                                    .account_count = 1 };
    assert_true(access_rules_add_accounts(rules, &client, accounts));
    assert_int_equal(client.account_count, 1);
    client.account_count = 0;
    assert_true(access_rules_add_accounts(rules, &client, accounts));
    assert_int_equal(client.account_count, 2);
    assert_true(span_is(client.accounts[1], "chem"));
    client = (struct access_client){ .roles = NET_ROLE_USER, .user = SPAN("carol") };
    assert_true(access_rules_add_accounts(rules, &client, accounts));
    assert_int_equal(client.account_count, 0);
}

static void what_cannot_be_meant_is_refused(void **state)
{
    static const char *bad_managers[] = { "carol", "carol:", ": phys", "a: b,,c" };
    static const char *bad_users[] = { "no-such-user-here" };
    static const char *blank[] = { " " };
    const struct {
        struct access_opts opts;
        const char *text;
    } cases[] = {
        { { .proxy_user_header = "X-User" }, "belong together" },
        { { .proxy_users = { proxies, 1 } }, "belong together" },
        { { .proxy_user_header = "X User", .proxy_users = { proxies, 1 } },
          "'X User'" },
        { { .proxy_user_header = "X-User", .proxy_users = { bad_users, 1 } },
          "no-such-user-here" },
        { { .socket_role = "admin" }, "choose reader, user" },
        { { .managers = { &bad_managers[0], 1 } }, "USER: ACCOUNT" },
        { { .managers = { &bad_managers[1], 1 } }, "USER: ACCOUNT" },
        { { .managers = { &bad_managers[2], 1 } }, "USER: ACCOUNT" },
        { { .managers = { &bad_managers[3], 1 } }, "not a name" },
        { { .support = { blank, 1 } }, "support" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct access_rules *rules = NULL;
        struct err err = { 0 };
        int rc = access_rules_new(&cases[i].opts, &rules, &err);
        if (rc != -EINVAL || rules || !strstr(err.text, cases[i].text))
            fail_msg("case %zu: %d, %s", i, rc, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_configuration_nothing_is_granted),
        cmocka_unit_test(a_proxy_is_known_by_its_uid),
        cmocka_unit_test(a_group_is_granted_what_names_it),
        cmocka_unit_test(a_person_is_granted_what_names_it),
        cmocka_unit_test(every_rule_that_fits_counts),
        cmocka_unit_test(more_accounts_than_fit_are_not_forgotten_in_silence),
        cmocka_unit_test(accounts_of_a_token_stay),
        cmocka_unit_test(what_cannot_be_meant_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
