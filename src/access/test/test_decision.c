/* SPDX-License-Identifier: Apache-2.0 */
/* test_decision - roles, and what each may see. */
#include "access/access.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <stdio.h>

static const struct span accounts[] = { { "phys", 4 }, { "chem", 4 } };

static struct access_client client_of(unsigned role)
{
    return (struct access_client){ .roles = access_roles_expand(role),
                                   .user = SPAN("alice"),
                                   .accounts = accounts,
                                   .account_count = COUNT_OF(accounts) };
}

static char verdict_letter(const struct access_client *client,
                           enum access_action action,
                           const struct access_object *object)
{
    static const char letters[] = {
        [ACCESS_DENIED] = '-', [ACCESS_PARTLY] = 'p', [ACCESS_PERMITTED] = 'y'
    };
    return letters[access_decide(client, action, object)];
}

/* Columns: a route of agents, of readers, of schedulers, of readers and users, of
 * admins alone, of every client; jobs in general, alice's, bob's, bob's of account
 * phys, without a record; totals. */
static void each_role_has_its_row(void **state)
{
    static const struct {
        enum net_role role;
        const char *want;
    } rows[] = {
        { NET_ROLE_NONE, "-----y ----- -" },
        { NET_ROLE_READER, "-y-y-y yyyyy y" },
        { NET_ROLE_AGENT, "y----y ----- -" },
        { NET_ROLE_SCHEDULER, "-yyy-y yyyyy y" },
        { NET_ROLE_USER, "---y-y py--- y" },
        { NET_ROLE_MANAGER, "---y-y py-y- y" },
        { NET_ROLE_SUPPORT, "-y-y-y yyyyy y" },
        { NET_ROLE_API, "-yyy-y yyyyy y" },
        { NET_ROLE_ADMIN, "yyyyyy yyyyy y" },
    };
    static const struct access_object calls[] = {
        { .roles = NET_ROLE_AGENT },     { .roles = NET_ROLE_READER },
        { .roles = NET_ROLE_SCHEDULER }, { .roles = NET_ROLE_READER | NET_ROLE_USER },
        { .roles = NET_ROLE_ADMIN },     { .roles = 0 },
    };
    const struct access_owner owners[] = {
        { .user = SPAN("alice"), .account = SPAN("bio") },
        { .user = SPAN("bob"), .account = SPAN("bio") },
        { .user = SPAN("bob"), .account = SPAN("phys") },
        { .user = SPAN("") },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct access_client client = client_of(rows[i].role);
        const struct access_object any = { 0 };
        char got[16];
        size_t size = 0;
        for (size_t c = 0; c < COUNT_OF(calls); c++)
            got[size++] = verdict_letter(&client, ACCESS_CALL, &calls[c]);
        got[size++] = ' ';
        got[size++] = verdict_letter(&client, ACCESS_READ_JOB, &any);
        for (size_t o = 0; o < COUNT_OF(owners); o++) {
            const struct access_object object = { .owner = &owners[o] };
            got[size++] = verdict_letter(&client, ACCESS_READ_JOB, &object);
        }
        got[size++] = ' ';
        got[size++] = verdict_letter(&client, ACCESS_READ_TOTALS, &any);
        got[size] = '\0';
        if (strcmp(got, rows[i].want) != 0)
            fail_msg("%s: %s, want %s", net_role_name(rows[i].role), got, rows[i].want);
    }
}

static void a_job_belongs_to_whom_its_record_names(void **state)
{
    const struct {
        const char *name;
        struct access_client client;
        struct access_owner owner;
        enum access_verdict want;
    } cases[] = {
        { "a name that only begins like hers",
          { .user = SPAN("alice") },
          { .user = SPAN("alice2") },
          ACCESS_DENIED },
        { "another case of letters",
          { .user = SPAN("alice") },
          { .user = SPAN("Alice") },
          ACCESS_DENIED },
        { "a name of digits is no uid",
          { .user = SPAN("1001") },
          { .user = SPAN("bob"), .uid = SPAN("1001") },
          ACCESS_DENIED },
        { "her uid",
          { .uid = SPAN("1001") },
          { .user = SPAN("alice"), .uid = SPAN("1001") },
          ACCESS_PERMITTED },
        { "a uid, and a record without one",
          { .uid = SPAN("1001") },
          { .user = SPAN("1001") },
          ACCESS_DENIED },
        { "her name on another cluster",
          { .user = SPAN("alice"), .cluster = SPAN("alex") },
          { .user = SPAN("alice"), .cluster = SPAN("fritz") },
          ACCESS_DENIED },
        { "her name where the record names no cluster",
          { .user = SPAN("alice"), .cluster = SPAN("alex") },
          { .user = SPAN("alice"), .cluster = SPAN("") },
          ACCESS_DENIED },
        { "her name on her cluster",
          { .user = SPAN("alice"), .cluster = SPAN("alex") },
          { .user = SPAN("alice"), .cluster = SPAN("alex") },
          ACCESS_PERMITTED },
        { "a user with accounts is no manager",
          { .user = SPAN("carol"), .accounts = accounts, .account_count = 2 },
          { .user = SPAN("bob"), .account = SPAN("phys") },
          ACCESS_DENIED },
        { "a client that is not named",
          { .user = SPAN("") },
          { .user = SPAN("") },
          ACCESS_DENIED },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct access_client client = cases[i].client;
        const struct access_object object = { .owner = &cases[i].owner };
        client.roles = NET_ROLE_USER;
        if (access_decide(&client, ACCESS_READ_JOB, &object) != cases[i].want)
            fail_msg("%s", cases[i].name);
    }
}

static void a_user_without_a_name_sees_nothing(void **state)
{
    const struct access_client client = { .roles = NET_ROLE_USER | NET_ROLE_MANAGER,
                                          .accounts = accounts,
                                          .account_count = 2 };
    const struct access_owner owner = { .account = SPAN("phys") };
    const struct access_object general = { 0 }, one = { .owner = &owner };
    (void)state;
    assert_int_equal(access_decide(&client, ACCESS_READ_JOB, &general), ACCESS_DENIED);
    assert_int_equal(access_decide(&client, ACCESS_READ_JOB, &one), ACCESS_DENIED);
    assert_int_equal(access_decide(&client, ACCESS_READ_TOTALS, &general),
                     ACCESS_DENIED);
}

static void roles_are_named_by_the_one_that_may_most(void **state)
{
    (void)state;
    assert_string_equal(access_roles_name(access_roles_expand(NET_ROLE_API)), "api");
    assert_string_equal(access_roles_name(access_roles_expand(NET_ROLE_MANAGER)),
                        "manager");
    assert_string_equal(access_roles_name(access_roles_expand(NET_ROLE_SUPPORT)),
                        "support");
    assert_string_equal(access_roles_name(NET_ROLE_READER | NET_ROLE_AGENT), "reader");
    assert_string_equal(access_roles_name(0), "none");
}

/* Numbers and names are given again. */
static void what_is_her_own_is_by_all_that_is_known(void **state)
{
    static const struct {
        struct access_client client;
        bool is_permitted;
    } cases[] = {
        { { .user = SPAN("eva") }, true },
        { { .uid = SPAN("1000") }, true },
        { { .user = SPAN("eva"), .uid = SPAN("1000") }, true },
        { { .user = SPAN("eva"), .uid = SPAN("1001") }, false },
        { { .user = SPAN("bob"), .uid = SPAN("1000") }, false },
        { { .uid = SPAN("1000"), .cluster = SPAN("alex") }, true },
        { { .uid = SPAN("1000"), .cluster = SPAN("woody") }, false },
        { { .user = SPAN("bob") }, false },
    };
    const struct access_owner owner = { .cluster = SPAN("alex"),
                                        .user = SPAN("eva"),
                                        .uid = SPAN("1000") };
    const struct access_object object = { .owner = &owner };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct access_client client = cases[i].client;
        client.roles = access_roles_expand(NET_ROLE_USER);
        bool is_own =
            access_decide(&client, ACCESS_READ_OWN, &object) == ACCESS_PERMITTED;
        bool is_private =
            access_decide(&client, ACCESS_READ_PRIVATE, &object) == ACCESS_PERMITTED;
        if (is_own != cases[i].is_permitted || is_private != cases[i].is_permitted)
            fail_msg("case %zu", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_her_own_is_by_all_that_is_known),
        cmocka_unit_test(each_role_has_its_row),
        cmocka_unit_test(a_job_belongs_to_whom_its_record_names),
        cmocka_unit_test(a_user_without_a_name_sees_nothing),
        cmocka_unit_test(roles_are_named_by_the_one_that_may_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
