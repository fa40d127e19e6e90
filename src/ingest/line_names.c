/* SPDX-License-Identifier: Apache-2.0 */
/* line_names - which metric of which component a line of line protocol speaks of. */
#include "ingest/line_names.h"

#include "base/span.h"

#include "model/model.h"

#include <errno.h>

/* A line's tags by what they say; the rest in others. */
struct parts {
    struct component component;
    struct line_tag others[LINE_TAGS_MAX];
    size_t other_count;
};

void line_names_done(struct line_names *names)
{
    strbuf_done(&names->path);
    strbuf_done(&names->metric);
    strbuf_done(&names->scratch);
}

/* Room for all of it was made before: pieces stay where they are. */
static struct span plain(struct line_names *names, struct span s,
                         size_t (*unescape)(struct span, char *))
{
    char *out = names->scratch.data + names->scratch.size;
    size_t size = unescape(s, out);
    names->scratch.size += size;
    return (struct span){ out, size };
}

static struct span *known_tag(struct component *c, enum line_form form, struct span key)
{
    if (span_is(key, "hostname") || span_is(key, "host"))
        return &c->host;
    if (span_is(key, "cluster"))
        return &c->cluster;
    if (form == LINE_INFLUX)
        return NULL;
    if (span_is(key, "type"))
        return &c->type;
    if (span_is(key, "type-id"))
        return &c->id;
    /* The specification says stype, cc-metric-store reads subtype. */
    if (span_is(key, "stype") || span_is(key, "subtype"))
        return &c->subtype;
    return span_is(key, "stype-id") ? &c->sub_id : NULL;
}

static void sort_in(struct parts *parts, struct line_tag tag)
{
    size_t at = parts->other_count++;
    for (; at > 0; at--) {
        struct span before = parts->others[at - 1].key;
        size_t size = before.size < tag.key.size ? before.size : tag.key.size;
        int order = memcmp(before.data, tag.key.data, size);
        if (order < 0 || (order == 0 && before.size <= tag.key.size))
            break;
        parts->others[at] = parts->others[at - 1];
    }
    parts->others[at] = tag;
}

static void read_tags(struct line_names *names, enum line_form form,
                      const struct line_point *point, struct parts *parts)
{
    for (size_t i = 0; i < point->tag_count; i++) {
        struct line_tag tag = {
            .key = plain(names, point->tags[i].key, token_unescape),
            .value = plain(names, point->tags[i].value, token_unescape),
        };
        struct span *known = known_tag(&parts->component, form, tag.key);
        if (known && known->size == 0)
            *known = tag.value;
        else if (!known)
            sort_in(parts, tag);
    }
}

/* host in full, or its short name: a token says which host it is for, a collector how
 * the host calls itself. */
static bool is_own_host(struct span host, struct span own)
{
    struct span rest = own, brief;
    if (own.size == 0 || span_eq(host, own))
        return true;
    (void)span_cut(&rest, '.', &brief);
    return rest.size > 0 && span_eq(host, brief);
}

/* The pairs of more than one tag become one id; a comma or an equals sign in one is
 * escaped, so that two sets of tags never read the same. */
static void add_pair_text(struct strbuf *out, struct span s)
{
    for (size_t i = 0; i < s.size; i++) {
        if (strchr(",=\\", s.data[i]))
            strbuf_addc(out, '\\');
        strbuf_addc(out, s.data[i]);
    }
}

static int print_influx(struct line_names *names, struct parts *parts)
{
    AUTO(strbuf_done) struct strbuf id = STRBUF_INIT;
    struct component *c = &parts->component;
    if (parts->other_count == 1 && !span_is(parts->others[0].key, "tags")) {
        c->type = parts->others[0].key;
        c->id = parts->others[0].value;
    } else if (parts->other_count > 0) {
        for (size_t i = 0; i < parts->other_count; i++) {
            if (i > 0)
                strbuf_addc(&id, ',');
            add_pair_text(&id, parts->others[i].key);
            strbuf_addc(&id, '=');
            add_pair_text(&id, parts->others[i].value);
        }
        c->type = SPAN("tags");
        c->id = strbuf_span(&id);
    }
    component_print(&names->path, c);
    return strbuf_error(&id);
}

/* type=node is the host itself, whatever id it has: doc/compat.md.  An id without a
 * type names a level by itself, or what has two ids would be one. */
static void print_clustercockpit(struct line_names *names, struct parts *parts)
{
    struct component *c = &parts->component;
    if (span_is(c->type, "node"))
        c->type = c->id = (struct span){ 0 };
    component_name_by_id(c);
    if (c->type.size == 0) {
        c->type = c->subtype;
        c->id = c->sub_id;
        c->subtype = c->sub_id = (struct span){ 0 };
    }
    names->has_unknown_tag = parts->other_count > 0;
    component_print(&names->path, c);
}

static void print_metric(struct line_names *names, enum line_form form,
                         const struct line_point *point, const struct line_field *field)
{
    strbuf_add_span(&names->metric, plain(names, point->name, measurement_unescape));
    struct span key = plain(names, field->key, token_unescape);
    if (form == LINE_INFLUX && !span_is(key, "value")) {
        strbuf_addc(&names->metric, '_');
        strbuf_add_span(&names->metric, key);
    }
}

int line_names_make(struct line_names *names, const struct line_names_opts *opts,
                    const struct line_point *point, const struct line_field *field,
                    const char **ret_reason)
{
    struct parts parts;
    parts.component = (struct component){ 0 };
    parts.other_count = 0;
    strbuf_clear(&names->path);
    strbuf_clear(&names->metric);
    strbuf_clear(&names->scratch);
    names->has_unknown_tag = false;
    *ret_reason = "out of memory";
    int rc = strbuf_reserve(&names->scratch, point->key.size + field->key.size);
    if (rc < 0)
        return rc;
    read_tags(names, opts->form, point, &parts);
    names->host = parts.component.host;
    if (parts.component.cluster.size == 0)
        parts.component.cluster = opts->cluster;
    names->cluster = parts.component.cluster;
    *ret_reason = parts.component.host.size == 0 ? "no tag names the host"
                                                 : "nothing names the cluster";
    if (parts.component.host.size == 0 || parts.component.cluster.size == 0)
        return -EINVAL;
    *ret_reason = "the token is for another cluster";
    if (opts->only_cluster.size > 0 &&
        !span_eq(parts.component.cluster, opts->only_cluster))
        return -EACCES;
    *ret_reason = "the token is for another host";
    if (!is_own_host(parts.component.host, opts->only_host))
        return -EACCES;
    *ret_reason = "out of memory";
    if (opts->form == LINE_INFLUX)
        rc = print_influx(names, &parts);
    else
        print_clustercockpit(names, &parts);
    print_metric(names, opts->form, point, field);
    if (rc < 0 || strbuf_error(&names->path) < 0 || strbuf_error(&names->metric) < 0)
        return -ENOMEM;
    return 0;
}
