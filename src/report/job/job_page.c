/* SPDX-License-Identifier: Apache-2.0 */
/* job_page - one run on one page: the result first, then its evidence. */
#include "report/job/job_page.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "model/model.h"
#include "report/job/finding_text.h"
#include "report/job/health/node_health_page.h"
#include "report/job/job_around_text.h"
#include "report/job/job_known.h"
#include "report/job/job_layers_text.h"
#include "report/job/job_nodes_text.h"
#include "report/job/job_servers_page.h"
#include "report/job/job_steps_page.h"
#include "report/job/provenance/datasets_page.h"
#include "report/job/provenance/ran_with_page.h"
#include "report/job/provenance/sessions_page.h"
#include "report/job/site_text.h"

#include <math.h>

#define COMMAND_SHOWN 160               /* of a command line */
#define EQUAL_MIN 0.9                   /* of what cost the most */
#define IO_INTERVAL_MIN 0.02            /* a narrower one is no matter */
#define AMPLIFICATION_SHOWN 0.05        /* from 1 */
#define START_S_MAX INT64_C(9000000000) /* later ones are no times in nanoseconds */

/* What the log has not, or has and nothing here reads. */
static void gaps_print(const struct profile *p, struct strbuf *out)
{
    static const struct {
        const char *before, *after;
    } sentences[LOG_GAP_KINDS] = {
        [LOG_GAP_UNREAD] = { "The log has records of ",
                             " that are not read here: nothing below is "
                             "about them" },
        [LOG_GAP_PARTIAL] = { "Darshan had no memory for all records of ",
                              ": numbers below lack those of some files" },
        [LOG_GAP_DAMAGED] = { "The log is damaged in ",
                              ": numbers below lack the records behind that" },
    };
    for (int kind = 0; kind < LOG_GAP_KINDS; kind++) {
        AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
        if (log_gaps_print(&p->gaps, (enum log_gap)kind, &names) > 0)
            strbuf_addf(out, "%s%s%s.\n", sentences[kind].before, strbuf_text(&names),
                        sentences[kind].after);
    }
    if (p->gaps.is_job_damaged)
        strbuf_adds(out, "The log's data of the job and its files are damaged.\n");
}

static void who_print(const struct profile *p, struct strbuf *out)
{
    char start[TIMETEXT_SIZE];
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    entry_id_print(&name, span_of(p->program));
    strbuf_addf(out, "Job %lld: %s", (long long)p->jobid, strbuf_text(&name));
    if (p->values[PROFILE_PROCESSES] > 0)
        strbuf_addf(out, ", %.0f process%s", p->values[PROFILE_PROCESSES],
                    p->values[PROFILE_PROCESSES] > 1 ? "es" : "");
    if (p->run_s > 0) {
        strbuf_adds(out, ", ");
        cost_print_seconds(p->run_s, out);
    } else {
        strbuf_adds(out, ", run time unknown,");
    }
    if (p->start_s > 0 && p->start_s < START_S_MAX) {
        (void)timetext_print(start, p->start_s * NS_PER_S);
        strbuf_addf(out, " from %s", start);
    }
    strbuf_addc(out, '\n');
}

/* "73 %", "49 to 73 %", "0.5 to 9.0 %", "less than 0.1 %" */
static void share_print(const struct cost *cost, double run_s, struct strbuf *out)
{
    double low = 100 * cost->low_s / run_s;
    double high = 100 * cost->high_s / run_s;
    if (high < 0.1)
        strbuf_adds(out, "less than 0.1 %");
    else if (high < 10 && high - low < 0.1)
        strbuf_addf(out, "%.1f %%", high);
    else if (high < 10)
        strbuf_addf(out, "%.1f to %.1f %%", low, high);
    else if (high - low < 1)
        strbuf_addf(out, "%.0f %%", high);
    else
        strbuf_addf(out, "%.0f to %.0f %%", low, high);
}

/* ", 608 s in the average process", where that is less than the slowest one had. */
static void mean_print(const struct profile *p, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf mean = STRBUF_INIT;
    if (!(p->values[PROFILE_PROCESSES] > 1) || !(p->mean_s > 0) ||
        p->mean_s > p->io.low_s * (1 - IO_INTERVAL_MIN))
        return;
    strbuf_adds(out, ", ");
    cost_print_seconds(p->mean_s, out);
    strbuf_adds(out, " in the average process");
}

/* Where files were reached through MPI-IO: what is below it. */
static void layers_print(const struct profile *p, struct strbuf *out)
{
    double times = p->values[PROFILE_AMPLIFICATION];
    double speed = p->values[PROFILE_FS_SPEED];
    char bytes[32];
    if (!p->is_layered)
        return;
    strbuf_adds(out,
                "That is time in MPI-IO, with what processes waited for one another "
                "there. ");
    if (isnan(p->fs_bytes)) {
        strbuf_adds(out, "What the file system saw of it is not known: records are "
                         "missing.\n");
        return;
    }
    strbuf_adds(out, "The file system saw ");
    if (fabs(times - 1) >= AMPLIFICATION_SHOWN) {
        figure_print_bytes(bytes, sizeof bytes, p->fs_bytes);
        strbuf_addf(out, "%s, %.1f times what the calls of MPI-IO requested", bytes,
                    times);
    } else {
        strbuf_adds(out, "as much");
    }
    if (!isnan(speed))
        strbuf_addf(out, speed < 10 ? ", at %.2g MiB/s" : ", at %.0f MiB/s", speed);
    strbuf_addf(out, " while calls of %s ran.\n", p->lower);
}

/* How much of the run was I/O, and how fast that was. */
static void io_print(const struct job_assessment *page, struct strbuf *out)
{
    const struct profile *p = &page->run;
    char bytes[32];
    figure_print_bytes(bytes, sizeof bytes, p->values[PROFILE_BYTES]);
    if (p->doubt) {
        strbuf_addf(out,
                    "The log is suspect: %s. No time, speed or finding is made of "
                    "its numbers.\n",
                    p->doubt);
        return;
    }
    if (!cost_is_known(&p->io)) {
        strbuf_addf(out, "It moved %s; the time for it is not known.\n", bytes);
        return;
    }
    strbuf_adds(out, job_io_is_little(p)
                         ? "I/O is not the reason for its run time: only "
                     : job_log_is_lacking(p) ? "I/O, as far as the log has it, lasted "
                                             : "I/O lasted ");
    cost_print(&p->io, out);
    if (p->run_s > 0) {
        strbuf_adds(out, " of the ");
        cost_print_seconds(p->run_s, out);
        strbuf_adds(out, " (");
        share_print(&p->io, p->run_s, out);
        strbuf_addc(out, ')');
    }
    mean_print(p, out);
    strbuf_addf(out, ", for %s", bytes);
    if (!isnan(p->values[PROFILE_SPEED]))
        strbuf_addf(out,
                    p->values[PROFILE_SPEED] < 10 ? " at %.2g MiB/s" : " at %.0f MiB/s",
                    p->values[PROFILE_SPEED]);
    strbuf_adds(out, ".\n");
    layers_print(p, out);
}

/* Against its class, where there is one. */
static void class_print(const struct job_assessment *page, struct strbuf *out)
{
    if (!cost_is_known(&page->excess))
        return;
    if (page->excess.low_s > 0) {
        strbuf_adds(out, "That is ");
        cost_print(&page->excess, out);
        strbuf_adds(out, " longer than the middle half of its class.\n");
    } else if (page->excess.high_s > 0) {
        strbuf_adds(out, "That is usual: the middle half of its class ran as long.\n");
    } else {
        strbuf_adds(out, "That is shorter than in three quarters of its class.\n");
    }
}

/* What stands out in a run that did little I/O cost little. */
static void little_print(const struct job_assessment *page, struct strbuf *out)
{
    strbuf_adds(out, "What stands out in that cost no more: ");
    for (size_t i = 0; i < page->count; i++)
        strbuf_addf(out, "%s%s", i > 0 ? ", " : "", page->findings[i].name);
    strbuf_adds(out, ".\n");
}

/* Others that may have cost as much. */
static void equals_print(const struct job_assessment *page, struct strbuf *out)
{
    const char *before = "; as much may be for ";
    double most = cost_middle(&page->findings[0].cost);
    for (size_t i = 1; i < page->count; i++) {
        const struct finding *f = &page->findings[i];
        if (f->because || !(most > 0) || cost_middle(&f->cost) < EQUAL_MIN * most)
            continue;
        strbuf_addf(out, "%s%s", before, f->name);
        before = ", ";
    }
}

/* What its nodes did, where that cost it more than what is known of its I/O. */
static void first_node_print(const struct job_assessment *page, struct strbuf *out)
{
    struct job_headline headlines[JOB_HEADLINES_MAX];
    size_t count = job_headlines(page, headlines);
    const struct job_headline *first = job_headline_first(headlines, count);
    if (!first && site_first_print(page->site, out))
        strbuf_adds(out, ".\n");
    if (!first || !first->node)
        return;
    strbuf_adds(out, "What stands out: ");
    job_node_finding_print(headlines[0].node, out);
}

/* Its other findings of nodes. */
static void nodes_findings_print(const struct job_assessment *page, struct strbuf *out)
{
    struct job_headline headlines[JOB_HEADLINES_MAX];
    size_t count = job_headlines(page, headlines);
    for (size_t i = 1; i < count; i++)
        if (headlines[i].node)
            job_node_finding_print(headlines[i].node, out);
}

/* What cost it the most: in one sentence, no surer than the data. */
static void result_print(const struct job_assessment *page, struct strbuf *out)
{
    const struct finding *f = &page->findings[0];
    if (page->count == 0 && page->run.doubt)
        return;
    bool is_asked = page->servers || page->comparison.count > 0;
    if (page->count == 0 && job_log_is_lacking(&page->run)) {
        strbuf_adds(out, "What stands out is not known: records are missing.\n");
        return;
    }
    if (page->count == 0) {
        bool has_nodes = page->nodes && page->nodes->is_observed &&
                         page->nodes->footprint.finding_count == 0;
        strbuf_addf(out, "Nothing stands out in %s%s\n",
                    is_asked ? "its I/O and in what was around it"
                             : "how it did its I/O; its context was not read "
                               "(--server, --series)",
                    is_asked && has_nodes ? ", and in metrics of its nodes." : ".");
        return;
    }
    if (job_io_is_little(&page->run)) {
        little_print(page, out);
        return;
    }
    if (finding_is_usual(f)) {
        strbuf_addf(out, "Nothing stands out in how it did its I/O. Around it: %s (",
                    f->name);
        finding_print_text(f, out);
        strbuf_adds(out, ").\n");
        return;
    }
    bool is_sure = cost_is_known(&f->cost) && f->cost.low_s >= f->cost.high_s / 10;
    strbuf_addf(out, "What %s: %s, ", is_sure ? "cost it most" : "stands out", f->name);
    if (cost_is_known(&f->cost))
        cost_print(&f->cost, out);
    else
        strbuf_adds(out, "at a cost that is not known");
    strbuf_adds(out, " (");
    finding_print_text(f, out);
    strbuf_addc(out, ')');
    equals_print(page, out);
    strbuf_adds(out, ".\n");
}

/* Why a cost is no single number: each reason once, with the findings it is of. */
static void reasons_print(const struct job_assessment *page, struct strbuf *out)
{
    for (enum cost_reason reason = COST_EXACT; reason < COST_REASONS; reason++) {
        const char *between = "  ";
        if (!cost_reason_words(reason)[0])
            continue;
        for (size_t i = 0; i < page->count; i++) {
            const struct finding *f = &page->findings[i];
            if (f->because || f->cost.reason != reason)
                continue;
            strbuf_addf(out, "%s%s", between, f->name);
            between = ", ";
        }
        if (between[0] == ',')
            strbuf_addf(out, ": %s\n", cost_reason_words(reason));
    }
}

static void findings_print(const struct job_assessment *page, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf reasons = STRBUF_INIT;
    if (page->count > 0)
        strbuf_addc(out, '\n');
    for (size_t i = 0; i < page->count; i++) {
        finding_print(&page->findings[i], page->run.run_s, out);
        strbuf_addc(out, '\n');
        if (!job_io_is_little(&page->run))
            finding_print_advice(&page->findings[i], 17, out);
        if (page->findings[i].kind == FINDING_CONTENDED)
            job_servers_print_contention(page->servers, &page->run, out);
    }
    reasons_print(page, &reasons);
    if (reasons.size > 0)
        strbuf_adds(out, "Why a cost is not one number:\n");
    strbuf_add_span(out, strbuf_span(&reasons));
}

/* Sums over processes are no time that anybody waited: they are said as such. */
static void times_print(const struct profile *p, struct strbuf *out)
{
    const struct {
        double seconds;
        const char *words;
    } times[] = { { p->read_s, "reading" },
                  { p->write_s, "writing" },
                  { p->meta_s, "in metadata" } };
    double processes = p->values[PROFILE_PROCESSES];
    if (!(p->read_s + p->write_s + p->meta_s > 0))
        return;
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        strbuf_adds(out, i > 0 ? ", " : "");
        cost_print_seconds(times[i].seconds, out);
        strbuf_addf(out, " %s", times[i].words);
    }
    strbuf_adds(out, processes > 1 ? ", added up over all processes" : "");
    if (processes > 1) {
        strbuf_adds(out, " (");
        cost_print_seconds((p->read_s + p->write_s + p->meta_s) / processes, out);
        strbuf_adds(out, " each on average)");
    }
    strbuf_adds(out, ".\n");
}

static void work_print(const struct profile *p, struct strbuf *out)
{
    char bytes[32], access[32];
    double files = p->values[PROFILE_FILES];
    figure_print_bytes(bytes, sizeof bytes, p->values[PROFILE_BYTES]);
    strbuf_addf(out, "\nIt moved %s", bytes);
    if (files > 0)
        strbuf_addf(out, " in %.0f file%s", files, files == 1 ? "" : "s");
    else
        strbuf_adds(out, " through standard streams");
    if (!isnan(p->values[PROFILE_READ_SHARE]))
        strbuf_addf(out, ", %.0f %% of it read", p->values[PROFILE_READ_SHARE] * 100);
    if (!isnan(p->values[PROFILE_ACCESS])) {
        figure_print_bytes(access, sizeof access, p->values[PROFILE_ACCESS]);
        strbuf_addf(out, ", in %llu accesses of %s on average",
                    (unsigned long long)p->accesses, access);
        if (p->is_layered && strcmp(p->lower, p->accessed) == 0)
            strbuf_adds(out, " below MPI-IO");
        else if (p->is_layered)
            strbuf_addf(out, " by calls of %s", p->accessed);
    }
    strbuf_adds(out, ".\n");
    times_print(p, out);
    job_layers_print(p, out);
    if (p->io.high_s - p->io.low_s > IO_INTERVAL_MIN * p->io.high_s)
        strbuf_addf(out, "The time of I/O is an interval: %s.\n",
                    cost_reason_words(p->io.reason));
    strbuf_addf(out, "Command: %.*s%s\n", COMMAND_SHOWN, p->exe,
                strlen(p->exe) > COMMAND_SHOWN ? " ..." : "");
    if (p->suspects > 0)
        strbuf_addf(
            out, "Left out, since their bytes or times cannot be so: %llu record%s.\n",
            (unsigned long long)p->suspects, p->suspects > 1 ? "s" : "");
    if (p->has_wrong_sizes)
        strbuf_adds(
            out, "Darshan 3.2.0 wrote wrong common access sizes: they are not used.\n");
    if (!profile_is_whole(p))
        strbuf_adds(out, "The log is not whole: what is missing is not seen.\n");
}

void job_page_print_who(const struct job_assessment *a, struct strbuf *out)
{
    who_print(&a->run, out);
}

void job_page_print_sentence(const struct job_assessment *a, struct strbuf *out)
{
    first_node_print(a, out);
    result_print(a, out);
}

/* What matters most comes first: that I/O was little, or that the log is suspect,
 * explains the sentence. */
void job_page_print_result(const struct job_assessment *a, struct strbuf *out)
{
    struct job_headline all[JOB_HEADLINES_MAX];
    bool has_first = job_headline_first(all, job_headlines(a, all)) != NULL;
    if (has_first)
        job_page_print_sentence(a, out);
    job_page_print_io(a, out);
    if (!has_first)
        job_page_print_sentence(a, out);
}

void job_page_print_io(const struct job_assessment *a, struct strbuf *out)
{
    gaps_print(&a->run, out);
    io_print(a, out);
    class_print(a, out);
}

void job_page_print_work(const struct job_assessment *a, struct strbuf *out)
{
    work_print(&a->run, out);
}

void job_page_print_text(const struct job_assessment *page, struct strbuf *out)
{
    who_print(&page->run, out);
    if (page->record && page->record->start_ns != JOB_TIME_NONE)
        job_record_print(page->record, out);
    site_application_print(page->site, out);
    job_page_print_result(page, out);
    findings_print(page, out);
    nodes_findings_print(page, out);
    site_findings_print(page->site, out);
    if (!page->run.doubt)
        work_print(&page->run, out);
    if (page->comparison.count > 0 && !page->comparison.jobs[0].identity.step)
        job_steps_print(&page->comparison.jobs[0].steps, out);
    node_health_print(&page->comparison.jobs[0].node_health, out);
    sessions_page_print(&page->comparison.jobs[0].sessions, out);
    datasets_page_print(&page->comparison.jobs[0].datasets, out);
    ran_with_print(&page->comparison.jobs[0].ran_with, out);
    job_nodes_print(page->nodes, out);
    if (page->servers)
        job_servers_print_text(page->servers, &page->run, out);
    job_around_print(&page->comparison,
                     page->servers && job_servers_has_share(page->servers), out);
    job_class_print(&page->comparison, out);
    strbuf_addc(out, '\n');
    job_known_print(page, out);
}
