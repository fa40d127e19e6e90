/* SPDX-License-Identifier: Apache-2.0 */
/* job_servers_page - what the servers counted of a run, and of others meanwhile. */
#include "report/job/job_servers_page.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "model/model.h"
#include "report/job/finding_text.h"

#include <math.h>

#define SHOWN 4 /* contended targets, and lines of the table */
#define TEXT 48

/* "12.3 GiB", "4.56 k requests". */
static const char *size_of(char text[static TEXT], double value, enum server_measure m)
{
    if (m == SERVER_BYTES) {
        figure_print_bytes(text, TEXT, value);
        return text;
    }
    figure_print_count(text, TEXT, value);
    size_t used = strlen(text);
    (void)snprintf(text + used, TEXT - used, "%s", " requests");
    return text;
}

static const char *flow_size(char text[static TEXT], const struct server_flow *flow,
                             enum server_measure m)
{
    return size_of(text, (double)server_flow_of(flow, m), m);
}

static double part_of(const struct server_flow *own, const struct server_flow *all,
                      enum server_measure m)
{
    double whole = (double)server_flow_of(all, m);
    return whole > 0 ? (double)server_flow_of(own, m) / whole : NAN;
}

/* ---- for a person ---- */

static void coverage_print(const struct job_servers *s, const struct profile *run,
                           struct strbuf *out)
{
    double coverage = job_servers_coverage(s, run);
    char stored[TEXT], written[TEXT], read[TEXT];
    if (isnan(coverage))
        return;
    strbuf_addf(out,
                "They counted %s written and %s read of the %s in the log "
                "(%.0f %%).\n",
                size_of(written, (double)s->own.written_bytes, SERVER_BYTES),
                size_of(read, (double)s->own.read_bytes, SERVER_BYTES),
                size_of(stored, run->values[PROFILE_BYTES], SERVER_BYTES),
                coverage * 100);
    if (coverage > COVERAGE_MAX)
        strbuf_adds(out, "More than in the log: the job did more than this program, "
                         "or in ways that it does not log.\n");
    else if (coverage < 1 / COVERAGE_MAX)
        strbuf_adds(out, "Less than in the log: caches served some, readings are "
                         "missing, or files lie elsewhere.\n");
}

static void part_print(const struct job_servers *s, struct strbuf *out)
{
    static const char *const words[] = { "bytes", "reads and writes",
                                         "metadata requests" };
    const char *between = "Its part of all that the file system did meanwhile: ";
    bool is_any = false;
    for (int m = 0; m < SERVER_MEASURES; m++) {
        double part = part_of(&s->own, &s->all, (enum server_measure)m);
        if (isnan(part))
            continue;
        strbuf_addf(out, "%s%.1f %% of the %s", between, part * 100, words[m]);
        between = ", ";
        is_any = true;
    }
    strbuf_adds(out, is_any ? ".\n" : "");
}

bool job_servers_has_share(const struct job_servers *servers)
{
    return !isnan(part_of(&servers->own, &servers->all, SERVER_BYTES));
}

static void contention_print(const struct job_servers *s, const struct server_target *t,
                             const struct profile *run, struct strbuf *out)
{
    char others[TEXT], own[TEXT], median[TEXT], one[TEXT];
    double usual = s->median[t->is_mdt][t->measure];
    strbuf_addf(out, "%-17s on ", "");
    entry_id_print(out, span_of(t->name));
    strbuf_addf(out, " others did %s, ", flow_size(others, &t->others, t->measure));
    if (isinf(t->contention))
        strbuf_adds(out, "and nothing on the median target");
    else
        strbuf_addf(out, "%.1f x the %s of the median target", t->contention,
                    size_of(median, usual, t->measure));
    strbuf_addf(out, "; this job did %s there\n", flow_size(own, &t->own, t->measure));
    if (t->neighbour_count > 0) {
        const struct server_neighbour *n = &t->neighbours[0];
        strbuf_addf(out, "%-17s most of it by ", "");
        finding_print_other_job(n, out);
        strbuf_addf(out, ": %s, %.0f %% of what others did there\n",
                    flow_size(one, &n->flow, t->measure),
                    100 * part_of(&n->flow, &t->others, t->measure));
    }
    if (!t->is_mdt && t->index >= 0 && t->index == run->target.ost)
        strbuf_addf(out,
                    "%-17s this is the target on which its own files were slowest: "
                    "%.1f x the time of the median one\n",
                    "", run->values[PROFILE_SLOW_TARGET]);
}

static size_t contended_count(const struct job_servers *s)
{
    size_t contended = 0;
    while (contended < s->target_count && s->targets[contended].is_contended)
        contended++;
    return contended;
}

void job_servers_print_contention(const struct job_servers *s,
                                  const struct profile *run, struct strbuf *out)
{
    size_t contended = contended_count(s);
    for (size_t i = 0; i < contended && i < SHOWN; i++)
        contention_print(s, &s->targets[i], run, out);
    if (contended > SHOWN)
        strbuf_addf(out, "%-17s and %zu contended targets more\n", "",
                    contended - SHOWN);
}

/* A row fits into 80 columns. */
#define TARGET_ROW "%-16s %-15s %-15s %-9s "

/* "4712 of alice"; a job as "wget.17600001" has its user already. */
void job_server_most_print(const struct server_target *t, struct strbuf *out)
{
    const struct server_neighbour *n = t->neighbours;
    if (t->neighbour_count == 0)
        return;
    if (!n->job || !n->user) {
        finding_print_other_job(n, out);
        return;
    }
    entry_id_print(out, span_of(n->job));
    if (span_ends(span_of(n->job), n->user))
        return;
    strbuf_adds(out, " of ");
    entry_id_print(out, span_of(n->user));
}

static void targets_print(const struct job_servers *s, struct strbuf *out)
{
    strbuf_addf(out, "\n" TARGET_ROW "%s\n", "target", "this job", "others",
                "of median", "most by (job of user)");
    for (size_t i = 0; i < s->target_count && i < SHOWN; i++) {
        const struct server_target *t = &s->targets[i];
        AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
        char own[TEXT], others[TEXT], contention[TEXT] = "-";
        entry_id_print(&name, span_of(t->name));
        if (isinf(t->contention))
            (void)snprintf(contention, sizeof contention, "(nothing)");
        else if (!isnan(t->contention))
            (void)snprintf(contention, sizeof contention, "%.1f x", t->contention);
        strbuf_addf(out, TARGET_ROW, strbuf_text(&name),
                    flow_size(own, &t->own, t->measure),
                    flow_size(others, &t->others, t->measure), contention);
        job_server_most_print(t, out);
        strbuf_addc(out, '\n');
    }
    if (s->target_count > SHOWN)
        strbuf_addf(out, "(the %d most contended of the %zu that it used)\n", SHOWN,
                    s->target_count);
}

/* Nothing was contended: that is also an answer, with its evidence. */
static void quiet_print(const struct job_servers *s, struct strbuf *out)
{
    double most = NAN, threshold = JOB_SERVERS_CONTENDED_MIN;
    for (size_t i = 0; i < s->target_count; i++) {
        if (!isnan(most) && !(s->targets[i].contention > most))
            continue;
        most = s->targets[i].contention;
        threshold = s->targets[i].threshold;
    }
    if (most >= JOB_SERVERS_CONTENDED_MIN && most < threshold) {
        strbuf_addf(out,
                    "No target that it used stood out: where others did most it was "
                    "%.1f x what they did on the median one, and targets differ as "
                    "much anyway (reported above %.1f x).\n",
                    most, threshold);
        return;
    }
    if (most >= JOB_SERVERS_CONTENDED_MIN && !isinf(most)) {
        strbuf_addf(out,
                    "No target was contended as far as this job would notice: where "
                    "others did most, %.1f x what they did on the median one, it did "
                    "little, or more than they.\n",
                    most);
        return;
    }
    strbuf_adds(out, "No target that it used was contended");
    if (!isnan(most) && !isinf(most))
        strbuf_addf(out, ": others did at most %.1f x what they did on the median one",
                    most);
    strbuf_adds(out, ".\n");
}

void job_server_flow_print(const struct server_flow *flow, enum server_measure measure,
                           struct strbuf *out)
{
    char text[TEXT];
    strbuf_adds(out, flow_size(text, flow, measure));
}

void job_servers_print_summary(const struct job_servers *s, const struct profile *run,
                               struct strbuf *out)
{
    char from[TIMETEXT_SIZE], to[TIMETEXT_SIZE];
    (void)timetext_print(from, s->from_ms / MS_PER_S * NS_PER_S);
    (void)timetext_print(to, s->to_ms / MS_PER_S * NS_PER_S);
    strbuf_addf(out, "\nWhat the servers%s%s counted from %s to %s\n",
                s->fs ? " of " : "", s->fs ? s->fs : "", from, to);
    coverage_print(s, run, out);
    part_print(s, out);
    if (contended_count(s) == 0)
        quiet_print(s, out);
}

void job_servers_print_text(const struct job_servers *s, const struct profile *run,
                            struct strbuf *out)
{
    job_servers_print_summary(s, run, out);
    targets_print(s, out);
}

/* ---- for programs ---- */

static void put_text(struct json_writer *w, const char *key, const char *text)
{
    json_key(w, key);
    if (!text) {
        json_null(w);
        return;
    }
    AUTO(strbuf_done) struct strbuf clean = STRBUF_INIT;
    entry_id_print(&clean, span_of(text));
    json_span(w, strbuf_span(&clean));
}

static void put_number(struct json_writer *w, const char *key, double value)
{
    json_key(w, key);
    if (isfinite(value))
        json_double(w, value);
    else
        json_null(w);
}

static void put_flow(struct json_writer *w, const char *key,
                     const struct server_flow *flow)
{
    const struct {
        const char *name;
        uint64_t value;
    } members[] = { { "write_bytes", flow->written_bytes },
                    { "read_bytes", flow->read_bytes },
                    { "iops", flow->requests },
                    { "metadata", flow->metadata } };
    json_key(w, key);
    json_object(w);
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        json_key(w, members[i].name);
        json_u64(w, members[i].value);
    }
    json_object_end(w);
}

static void put_target(struct json_writer *w, const struct job_servers *s,
                       const struct server_target *t)
{
    static const char *const measures[] = { "bytes", "iops", "metadata" };
    json_object(w);
    put_text(w, "target", t->name);
    put_flow(w, "own", &t->own);
    put_flow(w, "others", &t->others);
    put_text(w, "measure", measures[t->measure]);
    put_number(w, "median_of_others", s->median[t->is_mdt][t->measure]);
    put_number(w, "times_median", t->contention);
    json_key(w, "n");
    json_u64(w, s->kind_count[t->is_mdt]);
    json_key(w, "is_contended");
    json_bool(w, t->is_contended);
    json_key(w, "neighbours");
    json_array(w);
    for (size_t i = 0; i < t->neighbour_count; i++) {
        json_object(w);
        put_text(w, "job", t->neighbours[i].job);
        put_text(w, "user", t->neighbours[i].user);
        put_flow(w, "did", &t->neighbours[i].flow);
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

void job_servers_print_json(const struct job_servers *s, const struct profile *run,
                            struct json_writer *w)
{
    json_key(w, "servers");
    json_object(w);
    put_text(w, "fs", s->fs);
    put_text(w, "user", s->user);
    json_key(w, "from");
    json_time_ms(w, s->from_ms);
    json_key(w, "to");
    json_time_ms(w, s->to_ms);
    put_flow(w, "own", &s->own);
    put_flow(w, "all", &s->all);
    put_number(w, "coverage_bytes", job_servers_coverage(s, run));
    put_number(w, "part_bytes", part_of(&s->own, &s->all, SERVER_BYTES));
    put_number(w, "part_iops", part_of(&s->own, &s->all, SERVER_REQUESTS));
    put_number(w, "part_metadata", part_of(&s->own, &s->all, SERVER_METADATA));
    json_key(w, "targets");
    json_array(w);
    for (size_t i = 0; i < s->target_count; i++)
        put_target(w, s, &s->targets[i]);
    json_array_end(w);
    json_object_end(w);
}
