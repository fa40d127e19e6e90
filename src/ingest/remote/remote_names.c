/* SPDX-License-Identifier: Apache-2.0 */
/* remote_names - which metric of which component the labels of a series name. */
#include "ingest/remote/remote_names.h"

#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"

#define DEFAULT_MAP "instance hostname"

void remote_names_done(struct remote_names *names)
{
    strbuf_done(&names->path);
}

/* ---- the rule ---- */

static bool split_rule(const char *item, struct span *ret_label, struct span *ret_part)
{
    struct span rest = span_of(item);
    bool has_two = span_cut(&rest, ' ', ret_label);
    *ret_part = span_trim(rest);
    return has_two && ret_label->size > 0 &&
           (span_is(*ret_part, "cluster") || span_is(*ret_part, "hostname"));
}

int remote_names_check(const struct remote_names_opts *opts, struct err *err)
{
    struct span label, part;
    for (size_t i = 0; i < opts->map.count; i++)
        if (!split_rule(opts->map.items[i], &label, &part))
            return err_set(err, EINVAL,
                           "map: '%s' is not a label and one of cluster, hostname",
                           opts->map.items[i]);
    return 0;
}

/* "n1:9100" is of the host n1, "[::1]:9100" of ::1. */
static struct span without_port(struct span value)
{
    size_t end = value.size;
    while (end > 0 && value.data[end - 1] >= '0' && value.data[end - 1] <= '9')
        end--;
    if (end < 2 || end == value.size || value.data[end - 1] != ':')
        return value;
    struct span host = { value.data, end - 1 };
    if (host.data[0] == '[' && host.data[host.size - 1] == ']')
        return (struct span){ host.data + 1, host.size - 2 };
    return memchr(host.data, ':', host.size) ? value : host;
}

static struct span home_of(const struct remote_names_opts *opts,
                           const struct label_set *set, const char *part)
{
    static const char *const fallback[] = { DEFAULT_MAP };
    const char *const *items = opts->map.count ? opts->map.items : fallback;
    size_t count = opts->map.count ? opts->map.count : COUNT_OF(fallback);
    struct span label, rule_part;
    for (size_t i = 0; i < count; i++) {
        if (!split_rule(items[i], &label, &rule_part) || !span_is(rule_part, part))
            continue;
        for (size_t k = 0; k < set->count; k++) {
            if (!span_eq(set->pairs[k].name, label))
                continue;
            struct span value = set->pairs[k].value;
            struct span host =
                strcmp(part, "hostname") == 0 ? without_port(value) : value;
            return host.size > 0 ? host : value;
        }
    }
    return SPAN(REMOTE_HOME_NONE);
}

/* ---- labels ---- */

static int read_labels(struct remote_names *names, const struct remote_series *series,
                       struct label_set *set, const char **ret_reason)
{
    struct remote_labels labels;
    struct label_pair pair;
    int rc;
    remote_labels_init(&labels, series);
    while ((rc = remote_labels_next(&labels, &pair)) > 0) {
        bool is_metric = span_is(pair.name, "__name__");
        *ret_reason = "a label whose value is not UTF-8";
        if (!utf8_is_valid(pair.value))
            return -EINVAL;
        *ret_reason = "a label stands twice";
        if (is_metric && names->metric.size > 0)
            return -EINVAL;
        if (is_metric)
            names->metric = pair.value;
        rc = is_metric ? 0 : label_set_add(set, pair);
        if (rc == -EINVAL)
            *ret_reason = "a label whose name is none";
        else if (rc == -E2BIG)
            *ret_reason = "more than 64 labels";
        if (rc < 0)
            return -EINVAL;
    }
    *ret_reason = rc < 0 ? "a broken label" : "no label __name__";
    return rc < 0 || names->metric.size == 0 ? -EINVAL : 0;
}

/* host in full, or its short name: as with lines (line_names.c). */
static bool is_of_host(struct span host, struct span own)
{
    struct span rest = own, brief;
    if (own.size == 0 || span_eq(host, own))
        return true;
    (void)span_cut(&rest, '.', &brief);
    return rest.size > 0 && span_eq(host, brief);
}

static struct span or_else(struct span value, struct span otherwise)
{
    return value.size > 0 ? value : otherwise;
}

int remote_names_make(struct remote_names *names, const struct remote_names_opts *opts,
                      const struct remote_series *series, const char **ret_reason)
{
    struct label_set set;
    set.count = 0;
    strbuf_clear(&names->path);
    names->metric = (struct span){ 0 };
    int rc = read_labels(names, series, &set, ret_reason);
    if (rc < 0)
        return rc;
    const struct label_home home = { home_of(opts, &set, "cluster"),
                                     home_of(opts, &set, "hostname") };
    bool has_home = !span_is(home.cluster, REMOTE_HOME_NONE);
    if (opts->cluster.size > 0 && !has_home && !label_set_get(&set, "cluster").data)
        rc = label_set_add(&set, (struct label_pair){ SPAN("cluster"), opts->cluster });
    *ret_reason = "more than 64 labels";
    if (rc < 0)
        return -EINVAL;
    *ret_reason = "the token is for another cluster";
    struct span cluster = or_else(label_set_get(&set, "cluster"), home.cluster);
    if (opts->only_cluster.size > 0 && !span_eq(cluster, opts->only_cluster))
        return -EACCES;
    *ret_reason = "the token is for another host";
    if (!is_of_host(or_else(label_set_get(&set, "hostname"), home.host),
                    opts->only_host))
        return -EACCES;
    *ret_reason = "out of memory";
    return label_path_print(&names->path, &set, &home);
}
