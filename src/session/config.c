/* SPDX-License-Identifier: Apache-2.0 */
/* config - the section [session], of barod.conf and of baro-agent.conf. */
#include "session/config.h"

#include "base/number.h"
#include "base/span.h"
#include "session/message.h"
#include "session/slurm_ranks.h"

_Static_assert(SESSION_BODY_MAX <= SESSION_QUEUE_BYTES_MIN / 4 * 3, "one may be sent");

#include <limits.h>
#include <xxhash.h>

#define HOSTS_OF_SLURM "@slurm" /* no host's name has this letter */
#define KEY(field) offsetof(struct session_opts, field)

static const struct config_key session_keys[] = {
    { "name", CONFIG_TEXT, KEY(name), "system", 0, 0,
      "The session's name; nodes of another one are refused." },
    { "hosts", CONFIG_TEXT, KEY(hosts), NULL, 0, 0,
      "All nodes as a host set (\"ctl,node[001-128]\"), the control node first; a "
      "node's rank is its position; \"@slurm\": those of the allocation of Slurm that "
      "it "
      "is started in. Without hosts and size there is no session." },
    { "size", CONFIG_COUNT, KEY(size), "0", 0, RANKS_MAX,
      "Instead of hosts: so many nodes on this machine, called rank0, rank1, ..." },
    { "host", CONFIG_TEXT, KEY(host), NULL, 0, 0,
      "This node's name in hosts; default: its host name." },
    { "rank", CONFIG_TEXT, KEY(rank), NULL, 0, 0,
      "This node's rank, instead of the position of host in hosts." },
    { "address", CONFIG_TEXT, KEY(address), "%h:8092", 0, 0,
      "Where a node listens for its children: HOST:PORT or unix:PATH; %h is the node's "
      "host, %r its rank, %p port + rank." },
    { "listen", CONFIG_TEXT, KEY(listen), NULL, 0, 0,
      "Where this node listens, where that is another address: \"0.0.0.0:8092\"." },
    { "port", CONFIG_COUNT, KEY(port), "8092", 1, 65535, "What %p counts from." },
    { "key_file", CONFIG_TEXT, KEY(key_file), NULL, 0, 0,
      "The session's key (baro session keygen), the same on all nodes. Unix sockets "
      "do without it." },
    { "identities", CONFIG_TEXT, KEY(identities), "auto", 0, 0,
      "Whether nodes show by keys of their own who they are: required, none (who has "
      "the session's key may be any node), auto: required over TCP." },
    { "identity_key", CONFIG_TEXT, KEY(identity_key), NULL, 0, 0,
      "This host's private key, made at the first start, with its public half in "
      "FILE.pub; "
      "default: node.key in state." },
    { "identity_token", CONFIG_TEXT, KEY(identity_token), NULL, 0, 0,
      "The token that states whose the key is: baro token new --role node." },
    { "site_key", CONFIG_TEXT, KEY(site_key), NULL, 0, 0,
      "The public half of the site's key of tokens (baro token key new)." },
    { "revoked", CONFIG_TEXT, KEY(revoked), NULL, 0, 0,
      "Ids of tokens of nodes that hold no more, one a line; read again when it "
      "changes." },
    { "fanout", CONFIG_COUNT, KEY(fanout), "32", 1, TOPOLOGY_FANOUT_MAX,
      "Children of a node." },
    { "parents", CONFIG_TEXT, KEY(parents), NULL, 0, 0,
      "Instead of fanout, the parents of ranks 1, 2, ...: \"0,0,1,1\"." },
    { "heartbeat", CONFIG_DURATION, KEY(heartbeat_ns), "2s", 50 * NS_PER_MS,
      3600 * NS_PER_S,
      "A node that was not heard of for two and a half of these is lost." },
    { "period", CONFIG_DURATION, KEY(period_ns), "10s", 100 * NS_PER_MS,
      86400 * NS_PER_S, "How often all nodes sample; read by the control node." },
    { "lead", CONFIG_DURATION, KEY(lead_ns), "500ms", NS_PER_MS, 3600 * NS_PER_S,
      "How long before the instant it is announced; at most half of the period." },
    { "deadline", CONFIG_DURATION, KEY(deadline_ns), "2s", NS_PER_MS, 3600 * NS_PER_S,
      "How long after the instant the control node waits for contributions." },
    { "state", CONFIG_TEXT, KEY(state), BARO_STATEDIR "/session", 0, 0,
      "Directory where the control node stores how often it began." },
    { "queue_bytes_max", CONFIG_SIZE, KEY(queue_bytes_max), "4MiB",
      SESSION_QUEUE_BYTES_MIN, INT64_C(1) << 30,
      "Bytes that may wait for one peer; beyond it the peer is slow." },
    { "event_rate", CONFIG_COUNT, KEY(event_rate), "10", 1, 100000,
      "Events a second that a node may publish." },
    { "event_burst", CONFIG_COUNT, KEY(event_burst), "100", 1, 100000,
      "... and so many at once." },
    { "cluster", CONFIG_TEXT, KEY(cluster), SESSION_CLUSTER, 0, 0,
      "The cluster of the metrics that are made of results." },
};

const struct config_section session_config_section = {
    "session",
    false,
    session_keys,
    COUNT_OF(session_keys),
    "The tree of nodes that sample at the same instant.",
};

bool session_is_configured(const struct session_opts *opts)
{
    return (opts->hosts && *opts->hosts) || opts->size > 0;
}

static int parse_hosts(const struct session_opts *opts, struct hostset **ret,
                       struct err *err)
{
    char text[64];
    if (opts->hosts && *opts->hosts) {
        int rc = hostset_parse(span_of(opts->hosts), ret, err);
        return err_prefix(err, rc, "session.hosts");
    }
    (void)snprintf(text, sizeof text, "rank[0-%llu]",
                   (unsigned long long)(opts->size ? opts->size - 1 : 0));
    return hostset_parse(span_of(text), ret, err);
}

static int find_rank(const struct session_opts *opts, const struct hostset *hosts,
                     uint32_t *ret, struct err *err)
{
    char name[HOST_NAME_MAX + 1] = "";
    const char *host = opts->host;
    uint64_t rank;
    if (opts->rank && *opts->rank) {
        if (number_parse_u64(span_of(opts->rank), &rank) < 0 ||
            rank >= hostset_count(hosts))
            return err_set(err, EINVAL, "session.rank: '%s' is not in 0..%zu",
                           opts->rank, hostset_count(hosts) - 1);
        *ret = (uint32_t)rank;
        return 0;
    }
    if (!host || !*host) {
        (void)gethostname(name, sizeof name - 1);
        name[strcspn(name, ".")] = '\0';
        host = name;
    }
    for (size_t i = 0; i < hostset_count(hosts); i++)
        if (strcmp(hostset_at(hosts, i), host) == 0) {
            *ret = (uint32_t)i;
            return 0;
        }
    return err_set(err, EINVAL,
                   "session.hosts: '%s' is not among them; set session.host or "
                   "session.rank",
                   host);
}

static int check_addresses(const struct session_opts *opts, bool is_unix,
                           struct err *err)
{
    if (!is_unix && !opts->key && !(opts->key_file && *opts->key_file))
        return err_set(err, EINVAL,
                       "session.key_file: missing; make one with 'baro session "
                       "keygen' and copy it to every node");
    if (opts->lead_ns > opts->period_ns / 2)
        return err_set(err, EINVAL, "session.lead: more than half of the period");
    if (opts->deadline_ns > opts->period_ns)
        return err_set(err, EINVAL, "session.deadline: more than the period");
    return 0;
}

static int find_identities(const struct session_opts *opts, struct session_plan *plan,
                           struct err *err)
{
    struct span mode = span_of(opts->identities ? opts->identities : "auto");
    bool is_required = span_is(mode, "required");
    if (!is_required && !span_is(mode, "none") && !span_is(mode, "auto"))
        return err_set(err, EINVAL,
                       "session.identities: '" SPAN_FMT "' is not auto, none or "
                       "required",
                       SPAN_ARG(mode));
    if (is_required && plan->is_unix)
        return err_set(err, EINVAL,
                       "session.identities: required needs addresses of TCP; a unix "
                       "socket is of one user");
    plan->has_identities = is_required || (span_is(mode, "auto") && !plan->is_unix);
    return 0;
}

static int digest_hosts(const struct hostset *hosts, uint64_t *ret)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    for (size_t i = 0; i < hostset_count(hosts); i++) {
        strbuf_adds(&names, hostset_at(hosts, i));
        strbuf_addc(&names, '\n');
    }
    *ret = XXH3_64bits(strbuf_text(&names), names.size);
    return strbuf_error(&names);
}

/* The nodes, and which this one is. */
static int find_nodes(const struct session_opts *opts, struct session_plan *plan,
                      struct err *err)
{
    struct slurm_ranks ranks;
    bool is_named = (opts->rank && *opts->rank) || (opts->host && *opts->host);
    if (!opts->hosts || strcmp(opts->hosts, HOSTS_OF_SLURM) != 0) {
        int rc = parse_hosts(opts, &plan->hosts, err);
        return rc < 0 ? rc : find_rank(opts, plan->hosts, &plan->rank, err);
    }
    int rc = session_slurm_ranks(&ranks, err);
    if (rc < 0)
        return err_prefix(err, rc, "session.hosts");
    plan->hosts = ranks.hosts;
    plan->rank = ranks.rank;
    return is_named ? find_rank(opts, plan->hosts, &plan->rank, err) : 0;
}

int session_plan_make(const struct session_opts *opts, struct session_plan *ret,
                      struct err *err)
{
    AUTO(session_plan_done) struct session_plan plan = { 0 };
    int rc = find_nodes(opts, &plan, err);
    if (rc == 0)
        rc = topology_new((uint32_t)hostset_count(plan.hosts), (uint32_t)opts->fanout,
                          span_of(opts->parents ? opts->parents : ""), &plan.topology,
                          err);
    if (rc < 0)
        return err_prefix(err, rc, "session");
    plan.is_unix = span_starts(span_of(opts->address), "unix:");
    rc = digest_hosts(plan.hosts, &plan.hosts_digest);
    if (rc == 0)
        rc = check_addresses(opts, plan.is_unix, err);
    if (rc == 0)
        rc = find_identities(opts, &plan, err);
    if (rc < 0)
        return rc;
    *ret = plan;
    plan = (struct session_plan){ 0 };
    return 0;
}

void session_plan_done(struct session_plan *plan)
{
    hostset_free(plan->hosts);
    topology_free(plan->topology);
    *plan = (struct session_plan){ 0 };
}

void session_address_print(const struct session_opts *opts,
                           const struct session_plan *plan, uint32_t rank,
                           struct strbuf *out)
{
    const char *address =
        rank == 0 && opts->control_address ? opts->control_address : opts->address;
    for (const char *at = address; *at; at++) {
        if (*at != '%' || !strchr("hrp", at[1]) || !at[1])
            strbuf_addc(out, *at);
        else if (*++at == 'h')
            strbuf_adds(out, hostset_at(plan->hosts, rank));
        else
            strbuf_add_u64(out, *at == 'r' ? rank : opts->port + rank);
    }
}
