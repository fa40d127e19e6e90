/* SPDX-License-Identifier: Apache-2.0 */
/* rules - which components a site has, and what they make of each other. */
#include "resource/rules.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <stddef.h>

struct resource_section {
    struct config_list hosts, parts;
    uint64_t full_percent, discover;
    int64_t silent_after_ns;
};

static const struct config_key resource_keys[] = {
    { "host", CONFIG_LIST, offsetof(struct resource_section, hosts), NULL, 0, 0,
      "Hosts that the site has, CLUSTER/SET: alex/a[0001-1024]; may be repeated. "
      "Others "
      "become known when something is stated about them." },
    { "part", CONFIG_LIST, offsetof(struct resource_section, parts), NULL, 0, 0,
      "What a part makes of its host when it is down, TYPE: HEALTH; may be repeated. "
      "fan: up, accelerator: down; default of each type: degraded." },
    { "full_at", CONFIG_COUNT, offsetof(struct resource_section, full_percent), "95", 1,
      100, "A target of a file system that is so full, in percent, is degraded." },
    { "discover", CONFIG_COUNT, offsetof(struct resource_section, discover), "20000", 0,
      500000,
      "So many hosts become components by what they send: samples, rows, as members of "
      "the "
      "session; 0: none, and silence is not noticed." },
    { "silent_after", CONFIG_DURATION,
      offsetof(struct resource_section, silent_after_ns), "60s", NS_PER_S,
      24 * 3600 * NS_PER_S,
      "A host that has sent nothing for three times its usual interval, and for so "
      "long "
      "at "
      "least, is unknown." },
};

const struct config_section resource_config_section = {
    .kind = "resource",
    .keys = resource_keys,
    .key_count = COUNT_OF(resource_keys),
    .help = "The health of resources, and what it is made of.",
};

struct enclosure_section {
    const char *cluster, *down;
    struct config_list members;
};

static const struct config_key enclosure_keys[] = {
    { "cluster", CONFIG_TEXT, offsetof(struct enclosure_section, cluster), "", 0, 0,
      "The cluster it belongs to: its component is CLUSTER/NAME." },
    { "member", CONFIG_LIST, offsetof(struct enclosure_section, members), NULL, 0, 0,
      "Hosts in it, or other enclosures of the cluster: a[0097-0112]; may be "
      "repeated." },
    { "down", CONFIG_TEXT, offsetof(struct enclosure_section, down), "down", 0, 0,
      "What its members are while it is down: down, degraded, unknown or up." },
};

const struct config_section enclosure_config_section = {
    .kind = "enclosure",
    .is_named = true,
    .keys = enclosure_keys,
    .key_count = COUNT_OF(enclosure_keys),
    .help = "A chassis, a rack: what its members share.",
};

/* ---- checks ---- */

static int health_of_rule(const char *where, struct span text,
                          enum resource_health *ret, struct err *err)
{
    if (resource_health_parse(text, ret) == 0 && *ret != RESOURCE_DRAINED)
        return 0;
    return err_set(err, EINVAL,
                   "%s: invalid value '%.*s' (choose down, degraded, unknown, up)",
                   where, (int)(text.size < 64 ? text.size : 64), text.data);
}

static bool is_component(struct span cluster, struct span host)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    strbuf_addf(&path, SPAN_FMT "/" SPAN_FMT, SPAN_ARG(cluster), SPAN_ARG(host));
    return strbuf_error(&path) == 0 && resource_component_is_valid(strbuf_span(&path));
}

static int set_read(const char *where, struct span cluster, struct span names,
                    struct resource_hosts *ret, struct err *err)
{
    int rc = hostset_parse(names, &ret->names, err);
    if (rc < 0)
        return err_prefix(err, rc, "%s", where);
    if (!is_component(cluster, span_of(hostset_at(ret->names, 0))))
        return err_set(err, EINVAL, "%s: " SPAN_FMT "/%s is not a component", where,
                       SPAN_ARG(cluster), hostset_at(ret->names, 0));
    ret->cluster = cluster.size > 0 ? strndup(cluster.data, cluster.size) : NULL;
    return ret->cluster ? 0 : -ENOMEM;
}

/* ---- [resource] ---- */

static int hosts_read(const struct config_list *list, struct resource_rules *rules,
                      struct err *err)
{
    rules->hosts = calloc(list->count + 1, sizeof *rules->hosts);
    if (!rules->hosts)
        return -ENOMEM;
    for (size_t i = 0; i < list->count; i++) {
        struct span rest = span_of(list->items[i]), cluster;
        if (!memchr(rest.data, '/', rest.size))
            return err_set(err, EINVAL,
                           "resource.host: '%.100s' names no cluster (alex/a[1-8])",
                           list->items[i]);
        (void)span_cut(&rest, '/', &cluster);
        int rc = set_read("resource.host", span_trim(cluster), span_trim(rest),
                          &rules->hosts[rules->host_count++], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int parts_read(const struct config_list *list, struct resource_rules *rules,
                      struct err *err)
{
    rules->parts = calloc(list->count + 1, sizeof *rules->parts);
    if (!rules->parts)
        return -ENOMEM;
    for (size_t i = 0; i < list->count; i++) {
        struct part_rule *part = &rules->parts[rules->part_count++];
        struct span rest = span_of(list->items[i]), type;
        (void)span_cut(&rest, ':', &type);
        type = span_trim(type);
        if (!is_component(SPAN("cluster"), type))
            return err_set(err, EINVAL,
                           "resource.part: '%.100s' names no type (fan: up)",
                           list->items[i]);
        int rc = health_of_rule("resource.part", span_trim(rest), &part->down, err);
        if (rc < 0)
            return rc;
        part->type = type.data ? strndup(type.data, type.size) : NULL;
        if (!part->type)
            return -ENOMEM;
    }
    return 0;
}

/* ---- [enclosure NAME] ---- */

static int members_read(const char *where, const struct enclosure_section *section,
                        struct enclosure_rule *rule, struct err *err)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    for (size_t i = 0; i < section->members.count; i++)
        strbuf_addf(&names, "%s%s", i > 0 ? "," : "", section->members.items[i]);
    if (strbuf_error(&names))
        return -ENOMEM;
    if (names.size == 0)
        return err_set(err, EINVAL, "%s: no member is named", where);
    return set_read(where, span_of(section->cluster), strbuf_span(&names),
                    &rule->members, err);
}

static int enclosure_read(const struct config *config, const char *name,
                          struct enclosure_rule *rule, struct err *err)
{
    struct enclosure_section section;
    char where[128];
    (void)snprintf(where, sizeof where, "enclosure %.100s", name);
    int rc = config_fill(config, "enclosure", name, &section, err);
    if (rc == 0 && !is_component(span_of(section.cluster), span_of(name)))
        rc = err_set(err, EINVAL,
                     "%s: its cluster is missing, or '%.64s/%.64s' is not "
                     "a component",
                     where, section.cluster, name);
    if (rc == 0)
        rc = health_of_rule(where, span_of(section.down), &rule->down, err);
    if (rc == 0)
        rc = members_read(where, &section, rule, err);
    if (rc == 0 && asprintf(&rule->path, "%s/%s", section.cluster, name) < 0) {
        rule->path = NULL;
        rc = -ENOMEM;
    }
    return rc;
}

static bool is_member(const struct enclosure_rule *of, const struct enclosure_rule *in)
{
    if (!of->path || !in->members.cluster)
        return false; /* they are there: each rule was read */
    size_t size = strlen(in->members.cluster);
    return strncmp(of->path, in->members.cluster, size) == 0 && of->path[size] == '/' &&
           hostset_has(in->members.names, span_of(of->path + size + 1));
}

/* How many enclosures deep it goes down from here; more than the limit: in a circle. */
static unsigned enclosure_depth(const struct resource_rules *rules,
                                const struct enclosure_rule *from, unsigned depth)
{
    unsigned deepest = depth;
    if (depth > ENCLOSURE_DEPTH_MAX)
        return depth;
    for (size_t i = 0; i < rules->enclosure_count; i++) {
        if (!is_member(&rules->enclosures[i], from))
            continue;
        unsigned below = enclosure_depth(rules, &rules->enclosures[i], depth + 1);
        if (below > deepest)
            deepest = below;
        if (deepest > ENCLOSURE_DEPTH_MAX)
            break;
    }
    return deepest;
}

static int enclosures_read(const struct config *config, struct resource_rules *rules,
                           struct err *err)
{
    size_t count = config_name_count(config, "enclosure");
    rules->enclosures = calloc(count + 1, sizeof *rules->enclosures);
    if (!rules->enclosures)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        int rc = enclosure_read(config, config_name(config, "enclosure", i),
                                &rules->enclosures[rules->enclosure_count++], err);
        if (rc < 0)
            return rc;
    }
    for (size_t i = 0; i < count; i++)
        if (enclosure_depth(rules, &rules->enclosures[i], 1) > ENCLOSURE_DEPTH_MAX)
            return err_set(
                err, EINVAL,
                "enclosure %s: enclosures are in each other, or more than %d "
                "deep",
                rules->enclosures[i].path, ENCLOSURE_DEPTH_MAX);
    return 0;
}

/* ---- the door ---- */

int resource_rules_new(const struct config *config, struct resource_rules **ret,
                       struct err *err)
{
    AUTO(resource_rules_free)
    struct resource_rules *rules = calloc(1, sizeof *rules);
    struct resource_section section;
    if (!rules)
        return -ENOMEM;
    int rc = config_fill(config, "resource", NULL, &section, err);
    if (rc < 0)
        return rc;
    rules->full_percent = section.full_percent;
    rules->discover = section.discover;
    rules->silent_after_ns = section.silent_after_ns;
    if (section.hosts.count > RESOURCE_RULES_MAX ||
        section.parts.count > RESOURCE_RULES_MAX)
        return err_set(err, E2BIG, "resource: more than %d hosts or parts are named",
                       RESOURCE_RULES_MAX);
    rc = hosts_read(&section.hosts, rules, err);
    if (rc == 0)
        rc = parts_read(&section.parts, rules, err);
    if (rc == 0)
        rc = enclosures_read(config, rules, err);
    if (rc == 0)
        *ret = TAKE(rules);
    return rc;
}

static void hosts_done(struct resource_hosts *hosts)
{
    free(hosts->cluster);
    hostset_free(hosts->names);
}

void resource_rules_free(struct resource_rules *rules)
{
    if (!rules)
        return;
    for (size_t i = 0; i < rules->host_count; i++)
        hosts_done(&rules->hosts[i]);
    for (size_t i = 0; i < rules->part_count; i++)
        free(rules->parts[i].type);
    for (size_t i = 0; i < rules->enclosure_count; i++) {
        free(rules->enclosures[i].path);
        hosts_done(&rules->enclosures[i].members);
    }
    free(rules->hosts);
    free(rules->parts);
    free(rules->enclosures);
    free(rules);
}

enum resource_health resource_rules_part(const struct resource_rules *rules,
                                         struct span type)
{
    for (size_t i = 0; i < rules->part_count; i++)
        if (span_is(type, rules->parts[i].type))
            return rules->parts[i].down;
    return RESOURCE_DEGRADED;
}
