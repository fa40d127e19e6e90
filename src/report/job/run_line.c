/* SPDX-License-Identifier: Apache-2.0 */
/* run_line - one run in one line. */
#include "report/job/run_line.h"

#include "base/figure.h"
#include "report/job/finding_text.h"
#include "report/job/site_text.h"

#include <math.h>

#define AMPLIFICATION_SHOWN 0.05 /* from 1 */

/* "small 90 % (8.0 s)", "idle-node c04". */
static void line_finding_print(const struct job_headline *h, struct strbuf *out)
{
    const struct finding *f = h->finding;
    strbuf_adds(out, f ? f->name : footprint_kind_name(h->node->kind));
    if (!f && h->node->nodes[0])
        strbuf_addf(out, " %s", h->node->nodes);
    if (!f)
        return;
    strbuf_addc(out, ' ');
    if (f->contended)
        finding_print_contention(f->contended, out);
    else if (f->kind == FINDING_FAILOVER && f->who)
        strbuf_adds(out, f->who);
    else
        finding_print_value(f, f->value, out);
    if (cost_is_known(&f->cost) && !f->because) {
        strbuf_adds(out, " (");
        cost_print(&f->cost, out);
        strbuf_addc(out, ')');
    }
}

static void first_print(const struct job_assessment *page, struct strbuf *out)
{
    struct job_headline all[JOB_HEADLINES_MAX];
    const struct job_headline *first =
        job_headline_first(all, job_headlines(page, all));
    if (!first)
        return;
    line_finding_print(first, out);
    strbuf_adds(out, "; ");
}

/* What is true of most jobs has no place in a line, unless a class shows that it is
 * rare. */
static void rest_print(const struct job_assessment *page, struct strbuf *out)
{
    struct job_headline all[JOB_HEADLINES_MAX];
    size_t count = job_headlines(page, all);
    const char *between = "; ";
    for (size_t i = job_headline_first(all, count) ? 1 : 0; i < count; i++) {
        if (all[i].finding && finding_is_usual(all[i].finding))
            continue;
        strbuf_adds(out, between);
        line_finding_print(&all[i], out);
        between = ", ";
    }
}

static void run_log_print(const struct profile *p, struct strbuf *out)
{
    char bytes[32];
    figure_print_bytes(bytes, sizeof bytes, p->values[PROFILE_BYTES]);
    strbuf_addf(out, "io: %s in %.0f files", bytes, p->values[PROFILE_FILES]);
    if (!isnan(p->values[PROFILE_SPEED]))
        strbuf_addf(out,
                    p->values[PROFILE_SPEED] < 10 ? ", %.2g MiB/s" : ", %.0f MiB/s",
                    p->values[PROFILE_SPEED]);
    if (p->values[PROFILE_AMPLIFICATION] >= 1 + AMPLIFICATION_SHOWN)
        strbuf_addf(out, ", the file system saw %.1f times that",
                    p->values[PROFILE_AMPLIFICATION]);
    if (cost_is_known(&p->io)) {
        strbuf_adds(out, ", ");
        cost_print(&p->io, out);
        if (p->run_s > 0) {
            strbuf_adds(out, " of ");
            cost_print_seconds(p->run_s, out);
        }
    }
    if (p->doubt)
        strbuf_addf(out, ", suspect: %s", p->doubt);
    for (int kind = 0; kind < LOG_GAP_KINDS; kind++) {
        AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
        if (log_gaps_print(&p->gaps, (enum log_gap)kind, &names) > 0)
            strbuf_addf(out, ", %s: %s", log_gap_name((enum log_gap)kind),
                        strbuf_text(&names));
    }
}

static void summary_print(const struct job_context *summary, struct strbuf *out)
{
    double speed = summary->facts.posix_mib_per_s;
    double moved = job_context_bytes(summary);
    char bytes[32];
    figure_print_bytes(bytes, sizeof bytes, moved);
    strbuf_addf(out, "io: %s", isnan(moved) ? "unknown" : bytes);
    if (!isnan(speed))
        strbuf_addf(out, ", %.0f MiB/s", speed);
}

void run_line_print(const struct job_assessment *a, const struct job_context *summary,
                    struct strbuf *out)
{
    first_print(a, out);
    if (a->has_run)
        run_log_print(&a->run, out);
    else if (summary)
        summary_print(summary, out);
    rest_print(a, out);
    site_names_print(a->site, out);
    strbuf_addc(out, '\n');
}
