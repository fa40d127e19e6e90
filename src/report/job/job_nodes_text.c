/* SPDX-License-Identifier: Apache-2.0 */
/* job_nodes_text - who a job was, and what its nodes did, as parts of a page. */
#include "report/job/job_nodes_text.h"

#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "model/model.h"
#include "report/job/job_metrics_page.h"
#include "report/unusual/unusual.h"
#include "report/usage/usage.h"

#include <math.h>

/* ---- who ---- */

static void identity_time_print(const char *before, int64_t t_ns, struct strbuf *out)
{
    char text[TIMETEXT_SIZE];
    if (t_ns == JOB_TIME_NONE)
        return;
    (void)timetext_print(text, t_ns);
    strbuf_addf(out, "%s%s", before, text);
}

static void identity_word_print(const char *before, const char *name,
                                struct strbuf *out)
{
    if (!name || !*name)
        return;
    strbuf_adds(out, before);
    entry_id_print(out, span_of(name));
}

/* Batch systems list nodes in several ways: a person reads "r44c[37-44]".  What is no
 * set of hosts stands as it was recorded. */
static void identity_nodes_print(const char *nodes, struct strbuf *out)
{
    AUTO(hostset_free) struct hostset *set = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (!nodes || hostset_parse(span_of(nodes), &set, NULL) < 0) {
        identity_word_print(" on ", nodes, out);
        return;
    }
    hostset_print(set, &text);
    identity_word_print(" on ", strbuf_text(&text), out);
}

void job_record_print(const struct job_identity *identity, struct strbuf *out)
{
    identity_word_print("Step ", identity->step, out);
    identity_word_print(identity->step ? " of job " : "Job ", identity->id, out);
    identity_word_print(" on ", identity->cluster, out);
    identity_word_print(", user ", identity->user, out);
    identity_word_print(", account ", identity->account, out);
    identity_word_print(", partition ", identity->partition, out);
    identity_word_print(", ", identity->state, out);
    strbuf_addc(out, '\n');
    if (identity->start_ns == JOB_TIME_NONE)
        return;
    identity_time_print("Ran from ", identity->start_ns, out);
    identity_time_print(" to ", identity->end_ns, out);
    if (identity->end_ns == JOB_TIME_NONE)
        strbuf_adds(out, ", it has not ended");
    identity_nodes_print(identity->nodes, out);
    strbuf_adds(out, ".\n");
    usage_print(&identity->resources, 0, identity->start_ns, identity->end_ns, out);
}

static void time_write(struct json_writer *w, const char *key, int64_t t_ns)
{
    json_key(w, key);
    if (t_ns == JOB_TIME_NONE)
        json_null(w);
    else
        json_time_ms(w, t_ns / NS_PER_MS);
}

/* A member that the record does not have is null, as a time of it is. */
static void resources_write(const struct job_resources *r, struct json_writer *w)
{
    for (enum job_resource i = 0; i < JOB_RESOURCE_COUNT; i++) {
        json_key(w, job_resource_names[i]);
        if (job_resource_known(r, i))
            json_i64(w, r->value[i]);
        else
            json_null(w);
    }
}

void job_record_json(const struct job_identity *identity, struct json_writer *w)
{
    const struct {
        const char *key, *text;
    } texts[] = {
        { "cluster", identity->cluster },
        { "id", identity->id },
        { "step", identity->step },
        { "user", identity->user },
        { "account", identity->account },
        { "partition", identity->partition },
        { "state", identity->state },
        { "nodes", identity->nodes },
        { "file_system", identity->file_system },
        { "log", identity->log },
    };
    json_key(w, "job");
    json_object(w);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        json_key(w, texts[i].key);
        json_text(w, texts[i].text);
    }
    time_write(w, "submit", identity->submit_ns);
    time_write(w, "start", identity->start_ns);
    time_write(w, "end", identity->end_ns);
    resources_write(&identity->resources, w);
    json_object_end(w);
}

/* ---- its nodes ---- */

static void advice_print(const struct footprint_finding *f, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf advice = STRBUF_INIT;
    footprint_advice_print(f, &advice);
    if (advice.size > 0)
        strbuf_addf(out, "    %s\n", strbuf_text(&advice));
}

static void cost_of_node_print(const struct footprint_finding *f, struct strbuf *out)
{
    if (isnan(f->high_s))
        return;
    const struct cost cost = cost_between(f->low_s, f->high_s, COST_WAITS);
    strbuf_adds(out, "    It cost ");
    cost_print(&cost, out);
    strbuf_adds(out, " of the run");
    if (!isnan(f->unused_s))
        strbuf_addf(out, "; %.1f %s were not used", f->unused_s / 3600,
                    f->devices ? "GPU hours" : "node hours");
    strbuf_adds(out, ".\n");
}

void job_node_more_print(const struct footprint_finding *finding, struct strbuf *out)
{
    cost_of_node_print(finding, out);
    strbuf_adds(out, "    ");
    finding_rate_print(finding_rate_of(footprint_kind_name(finding->kind), false), out);
    strbuf_adds(out, ".\n");
    advice_print(finding, out);
}

void job_node_finding_print(const struct footprint_finding *finding, struct strbuf *out)
{
    footprint_finding_print(finding, out);
    strbuf_adds(out, ".\n");
    job_node_more_print(finding, out);
}

void job_nodes_print(const struct job_nodes *nodes, struct strbuf *out)
{
    job_metrics_print_text(nodes, out);
    if (!nodes || !nodes->is_observed)
        return;
    const struct footprint *f = &nodes->footprint;
    strbuf_addf(out, "\nIts %zu node%s (median over them, least and most):\n", f->hosts,
                f->hosts == 1 ? "" : "s");
    footprint_print(f, out);
}
