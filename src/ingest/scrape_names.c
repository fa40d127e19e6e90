/* SPDX-License-Identifier: Apache-2.0 */
/* scrape_names - which component a sample of an exporter speaks of, by its labels. */
#include "ingest/scrape_names.h"

#include "base/span.h"

#include "model/model.h"

/* "LABEL TYPE" taken apart. */
static bool split(const char *item, struct span *ret_label, struct span *ret_type)
{
    struct span rest = span_of(item);
    bool has_two = span_cut(&rest, ' ', ret_label);
    *ret_type = span_trim(rest);
    return has_two && ret_label->size > 0 && ret_type->size > 0 &&
           !memchr(ret_type->data, ' ', ret_type->size);
}

int scrape_names_check(const struct scrape_names_opts *opts, struct err *err)
{
    struct span label, type;
    for (size_t i = 0; i < opts->map.count; i++)
        if (!split(opts->map.items[i], &label, &type))
            return err_set(err, EINVAL, "map: '%s' is not a label and a type",
                           opts->map.items[i]);
    return 0;
}

static bool find_type(const struct scrape_names_opts *opts, struct span name,
                      struct span *ret)
{
    struct span label;
    for (size_t i = 0; i < opts->map.count; i++)
        if (split(opts->map.items[i], &label, ret) && span_eq(label, name))
            return true;
    return false;
}

static bool is_dropped(const struct scrape_names_opts *opts, struct span name)
{
    for (size_t i = 0; i < opts->drop.count; i++)
        if (span_is(span_of(opts->drop.items[i]), "*") ||
            span_is(name, opts->drop.items[i]))
            return true;
    return false;
}

/* What a label is for. */
struct parts {
    struct component component;
    struct prometheus_label others[PROMETHEUS_LABELS_MAX];
    size_t other_count;
};

static void sort_in(struct parts *parts, struct prometheus_label label)
{
    size_t at = parts->other_count++;
    for (; at > 0; at--) {
        struct span before = parts->others[at - 1].name;
        size_t size = before.size < label.name.size ? before.size : label.name.size;
        int order = memcmp(before.data, label.name.data, size);
        if (order < 0 || (order == 0 && before.size <= label.name.size))
            break;
        parts->others[at] = parts->others[at - 1];
    }
    parts->others[at] = label;
}

/* A label without a value is as good as none: Prometheus says so.  The first label
 * that is mapped is the type; a second one would be a level too many. */
static void take_label(const struct scrape_names_opts *opts, struct parts *parts,
                       struct prometheus_label label)
{
    struct span type;
    if (label.value.size == 0)
        return;
    if (*opts->host_label && span_is(label.name, opts->host_label)) {
        parts->component.host = label.value;
    } else if (find_type(opts, label.name, &type)) {
        if (parts->component.type.size > 0) {
            label.name = type;
            sort_in(parts, label);
            return;
        }
        parts->component.type = type;
        parts->component.id = label.value;
    } else if (!is_dropped(opts, label.name)) {
        sort_in(parts, label);
    }
}

/* A comma or an equals sign in a pair is escaped, so that two sets of labels never read
 * the same. */
static void add_pair_text(struct strbuf *out, struct span s)
{
    for (size_t i = 0; i < s.size; i++) {
        if (strchr(",=\\", s.data[i]))
            strbuf_addc(out, '\\');
        strbuf_addc(out, s.data[i]);
    }
}

static void join_others(const struct parts *parts, struct strbuf *id)
{
    for (size_t i = 0; i < parts->other_count; i++) {
        if (i > 0)
            strbuf_addc(id, ',');
        add_pair_text(id, parts->others[i].name);
        strbuf_addc(id, '=');
        add_pair_text(id, parts->others[i].value);
    }
}

static void print(struct parts *parts, struct strbuf *id, struct strbuf *path)
{
    struct component *c = &parts->component;
    struct span type = SPAN("tags");
    if (parts->other_count == 1 && !span_is(parts->others[0].name, "tags")) {
        type = parts->others[0].name;
        strbuf_add_span(id, parts->others[0].value);
    } else {
        join_others(parts, id);
    }
    if (parts->other_count == 0) {
        type = (struct span){ 0 };
    } else if (c->type.size == 0) {
        c->type = type;
        c->id = strbuf_span(id);
    } else {
        c->subtype = type;
        c->sub_id = strbuf_span(id);
    }
    component_print(path, c);
}

int scrape_names_make(const struct scrape_names_opts *opts, struct span host,
                      const struct prometheus_sample *sample, struct strbuf *path)
{
    AUTO(strbuf_done) struct strbuf scratch = STRBUF_INIT, id = STRBUF_INIT;
    struct parts parts;
    parts.component = (struct component){ .cluster = opts->cluster, .host = host };
    parts.other_count = 0;
    /* Room for all of it first: pieces stay where they are. */
    int rc = strbuf_reserve(&scratch, sample->key.size + 1);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < sample->label_count; i++) {
        char *out = scratch.data + scratch.size;
        size_t size = label_unescape(sample->labels[i].value, out);
        scratch.size += size;
        take_label(opts, &parts,
                   (struct prometheus_label){ sample->labels[i].name, { out, size } });
    }
    print(&parts, &id, path);
    return strbuf_error(&id) < 0 ? -ENOMEM : strbuf_error(path);
}
