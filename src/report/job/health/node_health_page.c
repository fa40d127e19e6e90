/* SPDX-License-Identifier: Apache-2.0 */
/* node_health_page - the health of a job's nodes at its start and end, on its page. */
#include "report/job/health/node_health_page.h"

#include "base/span.h"

static void counts_print(const struct job_node_health *h, enum job_moment moment,
                         struct strbuf *out)
{
    const char *between = "";
    for (enum resource_health i = 0; i < RESOURCE_HEALTH_COUNT; i++) {
        if (h->counts[moment][i] == 0)
            continue;
        strbuf_addf(out, "%s%zu %s", between, h->counts[moment][i],
                    resource_health_name(i));
        between = ", ";
    }
}

static void host_moment_print(const struct job_host_health *host,
                              enum job_moment moment, struct strbuf *out)
{
    strbuf_adds(out, resource_health_name(host->health[moment]));
    if (host->reason[moment]) {
        strbuf_adds(out, " (");
        entry_id_print(out, span_of(host->reason[moment]));
        strbuf_addc(out, ')');
    }
}

static void host_health_print(const struct job_host_health *host, bool has_ended,
                              struct strbuf *out)
{
    bool is_same = host->health[JOB_AT_START] == host->health[JOB_AT_END];
    strbuf_adds(out, "  ");
    entry_id_print(out, span_of(host->host));
    strbuf_adds(out, "  ");
    host_moment_print(host, JOB_AT_START, out);
    if (is_same) {
        strbuf_adds(out, has_ended ? ", as at the end" : ", as now");
    } else {
        strbuf_adds(out, has_ended ? ", at the end " : ", now ");
        host_moment_print(host, JOB_AT_END, out);
    }
    strbuf_addc(out, '\n');
}

void node_health_print(const struct job_node_health *h, struct strbuf *out)
{
    size_t shown = h->count < NODE_HEALTH_SHOWN ? h->count : NODE_HEALTH_SHOWN;
    if (h->is_short)
        strbuf_adds(out, "\nHealth of its nodes: not read, memory is short.\n");
    if (!h->is_known)
        return;
    strbuf_adds(out, "\nHealth of ");
    if (h->read_max > 0)
        strbuf_addf(out, "the first %zu of ", h->read_max);
    strbuf_adds(out, "its nodes at its start: ");
    counts_print(h, JOB_AT_START, out);
    strbuf_adds(out, h->has_ended ? "; at its end: " : "; now: ");
    counts_print(h, JOB_AT_END, out);
    strbuf_adds(out, ".\n");
    for (size_t i = 0; i < shown; i++)
        host_health_print(&h->items[i], h->has_ended, out);
    /* Nodes that were not looked up are in the first line already. */
    bool is_cut = h->has_more && h->count == JOB_NODE_HEALTH_MAX;
    if (shown < h->count)
        strbuf_addf(out, "  and %s%zu more (--output json has them)\n",
                    is_cut ? "at least " : "", h->count - shown);
}

static void counts_json(const struct job_node_health *h, enum job_moment moment,
                        const char *key, struct json_writer *w)
{
    json_key(w, key);
    json_object(w);
    for (enum resource_health i = 0; i < RESOURCE_HEALTH_COUNT; i++) {
        json_key(w, resource_health_name(i));
        json_i64(w, (int64_t)h->counts[moment][i]);
    }
    json_object_end(w);
}

static void host_moment_json(const struct job_host_health *host, enum job_moment moment,
                             const char *key, struct json_writer *w)
{
    json_key(w, key);
    json_object(w);
    json_key(w, "health");
    json_text(w, resource_health_name(host->health[moment]));
    json_key(w, "reason");
    json_text(w, host->reason[moment]);
    json_object_end(w);
}

void node_health_json(const struct job_node_health *h, struct json_writer *w)
{
    const char *second = h->has_ended ? "end" : "now";
    if (!h->is_known)
        return;
    json_key(w, "node_health");
    json_object(w);
    counts_json(h, JOB_AT_START, "start", w);
    counts_json(h, JOB_AT_END, second, w);
    json_key(w, "nodes");
    json_array(w);
    for (size_t i = 0; i < h->count; i++) {
        json_object(w);
        json_key(w, "host");
        json_text(w, h->items[i].host);
        host_moment_json(&h->items[i], JOB_AT_START, "start", w);
        host_moment_json(&h->items[i], JOB_AT_END, second, w);
        json_object_end(w);
    }
    json_array_end(w);
    json_key(w, "has_more_nodes");
    json_bool(w, h->has_more);
    json_object_end(w);
}
