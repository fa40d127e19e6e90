/* SPDX-License-Identifier: Apache-2.0 */
/* job_known - which evidence of a job was found, and which was not. */
#include "report/job/job_known.h"

#include "report/job/job_metrics_page.h"

static bool has_record(const struct job_assessment *a)
{
    const struct job_identity *identity = a->record ? a->record
                                          : a->comparison.count > 0
                                              ? &a->comparison.jobs[0].identity
                                              : NULL;
    return identity && (identity->start_ns != JOB_TIME_NONE ||
                        identity->submit_ns != JOB_TIME_NONE);
}

/* Of what the context has; without one nothing was read. */
static struct job_known part_known(const struct job_assessment *a, enum job_part part,
                                   const char *text)
{
    struct job_known ret = { .name = job_part_name(part),
                             .text = text,
                             .is_judged = part != JOB_PART_CO_SCHEDULED };
    if (a->comparison.count > 0)
        ret.is_found = job_context_has(&a->comparison.jobs[0], part, &ret.reason);
    return ret;
}

/* Its log itself, else what is stored of it. */
static struct job_known log_known(const struct job_assessment *a)
{
    struct job_known ret = part_known(
        a, JOB_PART_FACTS, a->has_run ? "its log" : "the summary of its log");
    if (a->has_run) {
        ret.is_found = true;
        ret.reason = NULL;
    }
    return ret;
}

static struct job_known nodes_known(const struct job_assessment *a)
{
    struct job_known ret = part_known(a, JOB_PART_NODES, "metrics of its nodes");
    if (a->nodes) {
        ret.is_found = a->nodes->is_observed;
        ret.reason = ret.is_found ? NULL : a->nodes->refused;
        if (job_metrics_stand_in(a->nodes)) {
            ret.text = "its nodes' footprint, stored when it ended";
            ret.is_found = true;
            ret.is_judged = false;
            ret.reason = NULL;
        }
    }
    return ret;
}

static struct job_known servers_known(const struct job_assessment *a)
{
    struct job_known ret = part_known(a, JOB_PART_SERVERS, "rows of jobstats");
    if (a->servers) {
        ret.is_found = true;
        ret.reason = NULL;
    }
    return ret;
}

size_t job_known_list(const struct job_assessment *a,
                      struct job_known ret[static JOB_KNOWN_MAX])
{
    size_t n = 0;
    ret[n++] = (struct job_known){ .name = "record",
                                   .text = "the batch system's record",
                                   .is_found = has_record(a) };
    ret[n++] = log_known(a);
    ret[n++] = nodes_known(a);
    ret[n++] = servers_known(a);
    ret[n++] = part_known(a, JOB_PART_WEATHER, "the servers' load");
    ret[n++] = part_known(a, JOB_PART_HEALTH, "the health of its file system");
    ret[n++] = part_known(a, JOB_PART_CO_SCHEDULED, "the jobs that ran meanwhile");
    return n;
}

static void known_line_print(const struct job_known *list, size_t count, bool is_found,
                             struct strbuf *out)
{
    const char *between = is_found ? "Known of it: " : "Not known: ";
    for (size_t i = 0; i < count; i++) {
        if (list[i].is_found != is_found)
            continue;
        strbuf_addf(out, "%s%s", between, list[i].text);
        if (list[i].reason)
            strbuf_addf(out, " (%s)", list[i].reason);
        between = "; ";
    }
    if (between[0] == ';')
        strbuf_adds(out, ".\n");
}

void job_known_print(const struct job_assessment *a, struct strbuf *out)
{
    struct job_known list[JOB_KNOWN_MAX];
    size_t count = job_known_list(a, list);
    known_line_print(list, count, true, out);
    known_line_print(list, count, false, out);
}

void job_known_json(const struct job_assessment *a, struct json_writer *w)
{
    struct job_known list[JOB_KNOWN_MAX];
    size_t count = job_known_list(a, list);
    json_key(w, "evidence");
    json_array(w);
    for (size_t i = 0; i < count; i++) {
        json_object(w);
        json_key(w, "name");
        json_text(w, list[i].name);
        json_key(w, "text");
        json_text(w, list[i].text);
        json_key(w, "is_found");
        json_bool(w, list[i].is_found);
        json_key(w, "reason");
        json_text(w, list[i].reason);
        json_object_end(w);
    }
    json_array_end(w);
}
