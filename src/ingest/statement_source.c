/* SPDX-License-Identifier: Apache-2.0 */
/* statement_source - whose statement about a resource it is that a client sends. */
#include "ingest/statement_source.h"

#include "base/span.h"

/* prefix and word, as one word. */
static int source_make(const char *prefix, struct span word, struct arena *arena,
                       struct span *ret)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, prefix);
    component_print_name(&text, word);
    const char *copy =
        strbuf_error(&text) < 0 ? NULL : arena_dup(arena, strbuf_span(&text));
    if (!copy)
        return -ENOMEM;
    *ret = (struct span){ copy, text.size };
    return 0;
}

/* "edac", or "system:edac" */
static int system_source(struct arena *arena, struct resource_statement *s,
                         const char *none, struct err *err)
{
    struct span word = s->source.size > 0 ? s->source : span_of(none);
    if (resource_source_kind(s->source, NULL) == RESOURCE_SOURCE_SYSTEM)
        return 0;
    if (memchr(word.data, ':', word.size) || span_is(word, "admin"))
        return err_set(err, EACCES,
                       "'source' is a name of a check; those of persons are theirs");
    return source_make("system:", word, arena, &s->source);
}

/* What is not for a node to state: of barod, of the site's own programs. */
static const char *const reserved_names[] = { "admin",  "user",   "presence", "bmc",
                                              "space",  "target", "server",   "session",
                                              "system", "slurm" };

/* A node may state under its own names alone: else it would clear what another found
 * about it.  NAME@HOST is of that host.  baro-bmc has a token without a host. */
static int agent_source_check(const struct token *token,
                              const struct resource_statement *s, struct err *err)
{
    struct component component;
    struct span name = { 0 };
    (void)resource_source_kind(s->source, &name);
    size_t size = 0;
    while (size < name.size && name.data[size] != ':' && name.data[size] != '@')
        size++;
    for (size_t i = 0; i < COUNT_OF(reserved_names); i++)
        if (span_is((struct span){ name.data, size }, reserved_names[i]) &&
            !(strcmp(reserved_names[i], "bmc") == 0 && !token->host[0]))
            return err_set(err, EACCES, "a node states nothing as '%s'",
                           reserved_names[i]);
    const char *at = name.size > 0 ? memrchr(name.data, '@', name.size) : NULL;
    if (!at)
        return 0;
    component_parse(s->component, &component);
    struct span host = span_skip(name, (size_t)(at - name.data) + 1);
    return span_eq(host, component.host)
               ? 0
               : err_set(err, EACCES, "'source' is a check of another host");
}

static int agent_admit(const struct token *token, const struct resource_statement *s,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf host = STRBUF_INIT;
    struct component component;
    component_parse(s->component, &component);
    if (!token) /* the role is not given by a socket */
        return err_set(err, EACCES, "a token is needed");
    if (!token_may_cluster(token, component.cluster))
        return err_set(err, EACCES, "the token is for the cluster %s", token->cluster);
    if (!token->host[0])
        return 0;
    component_print_name(&host, span_of(token->host));
    if (strbuf_error(&host) < 0)
        return -ENOMEM;
    return span_eq(component.host, strbuf_span(&host))
               ? 0
               : err_set(err, EACCES, "the token is for the host %s", token->host);
}

static struct span name_of_client(const struct net_identity *identity,
                                  const char *origin)
{
    if (identity->client.user.size > 0)
        return identity->client.user;
    if (identity->token && identity->token->host[0])
        return span_of(identity->token->host);
    return span_of(identity->token ? identity->token->id : origin);
}

static int person_source(const struct net_identity *identity, const char *origin,
                         struct arena *arena, struct resource_statement *s,
                         struct err *err)
{
    const struct access_client *client = &identity->client;
    if (client->user.size == 0 && client->uid.size == 0)
        return err_set(err, EACCES, "it is not known whose opinion it is, from %s",
                       origin);
    s->t_ns = 0;
    return source_make("user:", client->user.size > 0 ? client->user : client->uid,
                       arena, &s->source);
}

int statement_source_set(const struct net_identity *identity, const char *origin,
                         struct arena *arena, struct resource_statement *s,
                         struct err *err)
{
    unsigned roles = identity->client.roles;
    int rc = 0;
    if (roles & NET_ROLE_ADMIN) {
        if (s->source.size == 0 || span_is(s->source, "admin"))
            s->source = SPAN("admin");
        else
            rc = system_source(arena, s, "", err);
    } else if (roles & NET_ROLE_AGENT) {
        rc = agent_admit(identity->token, s, err);
        if (rc == 0)
            rc = system_source(arena, s, "agent", err);
        if (rc == 0)
            rc = agent_source_check(identity->token, s, err);
        s->is_of_agent = true;
    } else {
        rc = person_source(identity, origin, arena, s, err);
    }
    if (rc < 0)
        return rc;
    struct span by = name_of_client(identity, origin);
    char *copy = arena_dup(arena, by);
    if (!copy)
        return -ENOMEM;
    s->by = (struct span){ copy, by.size };
    const char *reason = resource_statement_check(s);
    return reason ? err_set(err, EBADMSG, "%s", reason) : 0;
}
