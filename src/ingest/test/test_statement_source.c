/* SPDX-License-Identifier: Apache-2.0 */
/* test_statement_source - whose statement it is: of an administrator, an agent, a
 * person. */
#include "base/span.h"
#include "base/test/testing.h"
#include "ingest/statement_source.h"

struct who {
    unsigned roles;
    const char *user, *host, *cluster; /* host, cluster: of a token */
};

static const struct who admin = { NET_ROLE_ADMIN, "erin", NULL, NULL };
static const struct who agent = { NET_ROLE_AGENT, NULL, "a1", "alex" };
static const struct who gateway = { NET_ROLE_AGENT, NULL, "", "alex" };
static const struct who user = { NET_ROLE_USER, "eve", NULL, NULL };
static const struct who nobody = { NET_ROLE_USER, NULL, NULL, NULL };

static const struct {
    const struct who *who;
    const char *component, *source;
    enum resource_health health;
    const char *want; /* the source, or a part of the reason against it */
    bool is_refused;
} cases[] = {
    { &admin, "alex/a1", "", RESOURCE_DRAINED, "admin", false },
    { &admin, "alex/a1", "admin", RESOURCE_DOWN, "admin", false },
    { &admin, "alex/a1", "ping", RESOURCE_DOWN, "system:ping", false },
    { &admin, "alex/a1", "system:ping", RESOURCE_UP, "system:ping", false },
    { &admin, "alex/a1", "user:eve", RESOURCE_UP, "persons", true },
    { &admin, "alex/a1", "ping", RESOURCE_DRAINED, "only an administrator", true },
    { &agent, "alex/a1", "", RESOURCE_DOWN, "system:agent", false },
    { &agent, "alex/a1/dimm:3", "edac", RESOURCE_DEGRADED, "system:edac", false },
    { &agent, "alex/a1", "admin", RESOURCE_UP, "persons", true },
    { &agent, "alex/a1", "user:eve", RESOURCE_UP, "persons", true },
    { &agent, "alex/a1", "edac", RESOURCE_DRAINED, "only an administrator", true },
    { &agent, "alex/a2", "edac", RESOURCE_DOWN, "host a1", true },
    { &agent, "alex/a10/dimm:3", "edac", RESOURCE_DOWN, "host a1", true },
    { &agent, "fritz/a1", "edac", RESOURCE_DOWN, "cluster alex", true },
    { &agent, "alex/a1", "bmc", RESOURCE_UP, "nothing as 'bmc'", true },
    { &agent, "alex/a1", "system:bmc", RESOURCE_UP, "nothing as 'bmc'", true },
    { &agent, "alex/a1", "system:bmc:redfish", RESOURCE_UP, "nothing as 'bmc'", true },
    { &agent, "alex/a1", "presence", RESOURCE_UP, "nothing as 'presence'", true },
    { &agent, "alex/a1", "system:target@a1", RESOURCE_UP, "nothing as 'target'", true },
    { &agent, "alex/a1", "system:admin", RESOURCE_UP, "nothing as 'admin'", true },
    { &agent, "alex/a1", "system:user:eve", RESOURCE_UP, "nothing as 'user'", true },
    { &agent, "alex/a1", "system:plugin:x@a1", RESOURCE_UP, "system:plugin:x@a1",
      false },
    { &agent, "alex/a1", "system:plugin:x@a2", RESOURCE_UP, "another host", true },
    { &gateway, "alex/a2", "system:plugin:x@a2", RESOURCE_UP, "system:plugin:x@a2",
      false },
    { &gateway, "alex/a2", "presence", RESOURCE_UP, "nothing as 'presence'", true },
    { &gateway, "alex/a2", "bmc", RESOURCE_UP, "system:bmc", false },
    { &gateway, "alex/a2", "system:bmc:redfish@a2", RESOURCE_UP,
      "system:bmc:redfish@a2", false },
    { &gateway, "fritz/a2", "bmc", RESOURCE_UP, "cluster alex", true },
    { &admin, "alex/a1", "bmc", RESOURCE_DOWN, "system:bmc", false },
    { &gateway, "alex/a2", "edac", RESOURCE_DOWN, "system:edac", false },
    { &gateway, "fritz/a2", "edac", RESOURCE_DOWN, "cluster alex", true },
    { &user, "alex/a1", "", RESOURCE_DOWN, "user:eve", false },
    { &user, "alex/a1", "system:edac", RESOURCE_DOWN, "user:eve", false },
    { &user, "alex/a1", "admin", RESOURCE_UP, "user:eve", false },
    { &user, "alex/a1", "", RESOURCE_DRAINED, "only an administrator", true },
    { &nobody, "alex/a1", "", RESOURCE_DOWN, "not known whose", true },
};

static struct net_identity identity_of(const struct who *who, struct token *token)
{
    struct net_identity identity = { .client = { .roles = who->roles } };
    if (who->user)
        identity.client.user = span_of(who->user);
    if (!who->host)
        return identity;
    (void)snprintf(token->host, sizeof token->host, "%s", who->host);
    (void)snprintf(token->cluster, sizeof token->cluster, "%s", who->cluster);
    identity.token = token;
    return identity;
}

static void a_source_is_of_who_sends_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(arena_done) struct arena arena;
        struct token token = { 0 };
        struct err err = { 0 };
        struct resource_statement s = { .component = span_of(cases[i].component),
                                        .source = span_of(cases[i].source),
                                        .reason = SPAN("r"),
                                        .health = cases[i].health,
                                        .t_ns = 5 };
        const struct net_identity identity = identity_of(cases[i].who, &token);
        arena_init(&arena, 0);
        int rc = statement_source_set(&identity, "192.0.2.1", &arena, &s, &err);
        bool is_right = cases[i].is_refused
                            ? rc < 0 && strstr(err.text, cases[i].want)
                            : rc == 0 && span_is(s.source, cases[i].want);
        if (!is_right)
            fail_msg("case %zu: %d, " SPAN_FMT ", %s", i, rc, SPAN_ARG(s.source),
                     err.text);
        if (cases[i].who == &user && rc == 0)
            assert_int_equal(s.t_ns, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_is_of_who_sends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
