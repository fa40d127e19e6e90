/* SPDX-License-Identifier: Apache-2.0 */
/* shadow - the same queries to barod and to a cc-metric-store, and where their results
 * differ. */
#include "migrate/shadow.h"

#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "migrate/name_patterns.h"
#include "migrate/series_list.h"
#include "model/model.h"

#include <math.h>

#define QUERIES_MAX 100 /* of one request */

struct shadow {
    const struct shadow_opts *opts;
    const struct http_peer *barod, *other;
    struct query_response ours, theirs;
    struct strbuf body, scratch;
    const struct listed_series *series[QUERIES_MAX]; /* of the next request */
    size_t count;
    struct shadow_counts *counts;
};

static void shadow_done(struct shadow *s)
{
    query_response_done(&s->ours);
    query_response_done(&s->theirs);
    strbuf_done(&s->body);
    strbuf_done(&s->scratch);
}
DEFINE_AUTO_DONE(struct shadow, shadow_done);

const char *shadow_kind_name(enum shadow_kind kind)
{
    static const char *const names[] = {
        [SHADOW_NOT_THERE] = "not there",     [SHADOW_ONLY_OURS] = "only ours",
        [SHADOW_ONLY_THEIRS] = "only theirs", [SHADOW_VALUE] = "value",
        [SHADOW_OUR_ERROR] = "our error",     [SHADOW_THEIR_ERROR] = "their error",
    };
    return names[kind];
}

struct response_tolerance shadow_tolerance_default(void)
{
    return (struct response_tolerance){ .relative = 1e-6, .absolute = 0.001 };
}

/* ---- the request ---- */

enum part_form {
    PART_TEXT,
    PART_LIST, /* of one: the key is plural */
};

/* One part of a component's path as cc-metric-store has it: unescaped. */
static int add_part(struct shadow *s, struct json_writer *w, const char *key,
                    struct span part, enum part_form form)
{
    if (part.size == 0)
        return 0;
    strbuf_clear(&s->scratch);
    int rc = strbuf_reserve(&s->scratch, part.size);
    if (rc < 0)
        return rc;
    size_t size = component_unescape(part, s->scratch.data);
    json_key(w, key);
    if (form == PART_LIST)
        json_array(w);
    json_span(w, (struct span){ s->scratch.data, size });
    if (form == PART_LIST)
        json_array_end(w);
    return 0;
}

static int add_query(struct shadow *s, struct json_writer *w,
                     const struct listed_series *one)
{
    struct component c;
    component_parse(one->component, &c);
    const struct {
        const char *key;
        struct span part;
        enum part_form form;
    } parts[] = {
        { "host", c.host, PART_TEXT },          { "type", c.type, PART_TEXT },
        { "type-ids", c.id, PART_LIST },        { "subtype", c.subtype, PART_TEXT },
        { "subtype-ids", c.sub_id, PART_LIST },
    };
    int rc = 0;
    json_object(w);
    json_key(w, "metric");
    json_span(w, one->metric);
    for (size_t i = 0; rc == 0 && i < COUNT_OF(parts); i++)
        rc = add_part(s, w, parts[i].key, parts[i].part, parts[i].form);
    json_object_end(w);
    return rc;
}

static int make_request(struct shadow *s)
{
    struct json_writer w;
    struct component c;
    component_parse(s->series[0]->component, &c);
    strbuf_clear(&s->body);
    json_writer_init(&w, &s->body);
    json_object(&w);
    int rc = add_part(s, &w, "cluster", c.cluster, PART_TEXT);
    json_key(&w, "from");
    json_i64(&w, s->opts->window.from_ns / NS_PER_S);
    json_key(&w, "to");
    json_i64(&w, s->opts->window.to_ns / NS_PER_S);
    json_key(&w, "with-stats");
    json_bool(&w, false);
    json_key(&w, "with-padding");
    json_bool(&w, false);
    json_key(&w, "queries");
    json_array(&w);
    for (size_t i = 0; rc == 0 && i < s->count; i++)
        rc = add_query(s, &w, s->series[i]);
    json_array_end(&w);
    json_object_end(&w);
    return rc < 0 ? rc : strbuf_error(&s->body);
}

static int query_store(struct shadow *s, const struct http_peer *peer, const char *name,
                       struct query_response *ret, struct err *err)
{
    struct span json;
    int rc = peer->get(peer->arg, "/api/query/", strbuf_span(&s->body), &json, err);
    if (rc == 0)
        rc = query_response_parse(json, ret, err);
    if (rc == 0 && ret->result_count != s->count)
        rc = err_set(err, EBADMSG, "%zu results of %zu queries", ret->result_count,
                     s->count);
    return err_prefix(err, rc, "%s", name);
}

/* ---- findings ---- */

/* The way in which most points differ. */
static enum shadow_kind main_kind(const struct response_difference *d, bool has_theirs,
                                  uint64_t *ret_points)
{
    bool is_value = d->differing >= d->only_ours && d->differing >= d->only_theirs;
    bool is_ours = d->only_ours >= d->only_theirs;
    *ret_points = is_value ? d->differing : is_ours ? d->only_ours : d->only_theirs;
    if (d->only_ours > 0 && d->compared == 0 && !has_theirs) {
        *ret_points = d->only_ours;
        return SHADOW_NOT_THERE;
    }
    return is_value ? SHADOW_VALUE : is_ours ? SHADOW_ONLY_OURS : SHADOW_ONLY_THEIRS;
}

static int compare_series(struct shadow *s, size_t index)
{
    const struct query_result *ours = &s->ours.results[index];
    const struct query_result *theirs = &s->theirs.results[index];
    struct shadow_finding f = { .component = s->series[index]->component,
                                .metric = s->series[index]->metric,
                                .ours = NAN,
                                .theirs = NAN };
    struct response_difference d;
    s->counts->queried++;
    if (ours->error[0] || theirs->error[0]) {
        f.kind = ours->error[0] ? SHADOW_OUR_ERROR : SHADOW_THEIR_ERROR;
        f.text = ours->error[0] ? ours->error : theirs->error;
        return s->opts->found(s->opts->found_arg, &f);
    }
    response_compare(&s->ours, &s->theirs, index, &s->opts->tolerance, &d);
    s->counts->points += d.compared;
    s->counts->shifted += d.is_shifted;
    if (d.only_ours + d.only_theirs + d.differing == 0) {
        s->counts->equal++;
        return 0;
    }
    f.kind = main_kind(&d, theirs->count > 0, &f.points);
    f.first_s = d.first_s;
    f.ours = d.ours;
    f.theirs = d.theirs;
    return s->opts->found(s->opts->found_arg, &f);
}

static int query_both(struct shadow *s, struct err *err)
{
    if (s->count == 0)
        return 0;
    int rc = make_request(s);
    if (rc == 0)
        rc = query_store(s, s->barod, "barod", &s->ours, err);
    if (rc == 0)
        rc = query_store(s, s->other, "the other store", &s->theirs, err);
    for (size_t i = 0; rc == 0 && i < s->count; i++)
        rc = compare_series(s, i);
    s->count = 0;
    return rc;
}

/* ---- all series ---- */

static struct span cluster_of(const struct listed_series *one)
{
    struct span rest = one->component, cluster;
    (void)span_cut(&rest, '/', &cluster);
    return cluster;
}

/* A cluster's own series cannot be queried, and the other store has none of barod's. */
static bool is_wanted(struct shadow *s, const struct listed_series *one)
{
    struct component c;
    component_parse(one->component, &c);
    if (c.host.size == 0)
        return false;
    bool is_meant = s->opts->metric ? name_patterns_match(one->metric, s->opts->metric)
                                    : !span_starts(one->metric, "baro_");
    /* All of a cc-metric-store's have one, and its queries are of steps. */
    s->counts->without_step += is_meant && !one->has_step;
    return is_meant && one->has_step;
}

int shadow_run(const struct http_peer *barod, const struct http_peer *other,
               const struct shadow_opts *opts, struct shadow_counts *ret,
               struct err *err)
{
    AUTO(series_list_done) struct series_list list = { 0 };
    AUTO(shadow_done)
    struct shadow s = { .opts = opts, .barod = barod, .other = other, .counts = ret };
    *ret = (struct shadow_counts){ 0 };
    int rc = series_list_get(barod, opts->component, &list, err);
    for (size_t i = 0; rc == 0 && i < list.count; i++) {
        const struct listed_series *one = &list.items[i];
        if (!is_wanted(&s, one))
            continue;
        /* A request is of one cluster. */
        if (s.count == QUERIES_MAX ||
            (s.count > 0 && !span_eq(cluster_of(one), cluster_of(s.series[0]))))
            rc = query_both(&s, err);
        s.series[s.count++] = one;
    }
    return rc < 0 ? rc : query_both(&s, err);
}
