/* SPDX-License-Identifier: Apache-2.0 */
/* job_page - one run on one page: the result first, then its evidence. */
#include "report/job_page.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "model/model.h"
#include "report/finding_text.h"
#include "report/job_around_text.h"
#include "report/job_servers_page.h"

#include <math.h>

#define COMMAND_SHOWN 160               /* of a command line */
#define EQUAL_MIN 0.9                   /* of what cost the most */
#define IO_INTERVAL_MIN 0.02            /* a narrower one is no matter */
#define AMPLIFICATION_SHOWN 0.05        /* from 1 */
#define START_S_MAX INT64_C(9000000000) /* later ones are no times in nanoseconds */

/* ---- a line ---- */

void job_page_print_line(const struct job_assessment *page, struct strbuf *out)
{
    const struct profile *p = &page->run;
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
    for (size_t i = 0; i < page->count; i++) {
        const struct finding *f = &page->findings[i];
        strbuf_addf(out, "%s %s ", i > 0 ? "," : ";", f->name);
        if (f->kind == FINDING_CONTENDED)
            finding_print_contention(f->contended, out);
        else
            finding_print_value(f, f->value, out);
        if (cost_is_known(&f->cost) && !f->because) {
            strbuf_adds(out, " (");
            cost_print(&f->cost, out);
            strbuf_addc(out, ')');
        }
    }
    strbuf_addc(out, '\n');
}

/* ---- a page ---- */

static bool is_lacking(const struct profile *p)
{
    return (log_gaps_lacking(&p->gaps) & LOG_BITS_IO) || p->fault_count > 0;
}

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

static bool is_little(const struct profile *p)
{
    return cost_is_known(&p->io) && !is_lacking(p) && !p->doubt &&
           p->io.high_s < FINDING_IO_SHARE_MIN * p->run_s;
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
                "there. The file system saw ");
    if (fabs(times - 1) >= AMPLIFICATION_SHOWN) {
        figure_print_bytes(bytes, sizeof bytes, p->fs_bytes);
        strbuf_addf(out, "%s, %.1f times what the calls of MPI-IO requested", bytes,
                    times);
    } else {
        strbuf_adds(out, "as much");
    }
    if (!isnan(speed))
        strbuf_addf(out, speed < 10 ? ", at %.2g MiB/s" : ", at %.0f MiB/s", speed);
    strbuf_adds(out, " while POSIX calls ran.\n");
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
    strbuf_adds(out, is_little(p)    ? "I/O is not the reason for its run time: only "
                     : is_lacking(p) ? "I/O, as far as the log has it, lasted "
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

/* What cost it the most: in one sentence, no surer than the data. */
static void result_print(const struct job_assessment *page, struct strbuf *out)
{
    const struct finding *f = &page->findings[0];
    if (page->count == 0 && page->run.doubt)
        return;
    bool is_asked = page->servers || page->comparison.count > 0;
    if (page->count == 0 && is_lacking(&page->run)) {
        strbuf_adds(out, "What stands out is not known: records are missing.\n");
        return;
    }
    if (page->count == 0) {
        strbuf_addf(out, "Nothing stands out in %s\n",
                    is_asked ? "its I/O and in what was around it."
                             : "how it did its I/O; its context was not read "
                               "(--server, --series).");
        return;
    }
    if (is_little(&page->run)) {
        little_print(page, out);
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
        strbuf_addf(out, ", in %llu accesses of %s on average%s",
                    (unsigned long long)p->accesses, access,
                    p->is_layered ? " below MPI-IO" : "");
    }
    strbuf_adds(out, ".\n");
    times_print(p, out);
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

void job_page_print_text(const struct job_assessment *page, struct strbuf *out)
{
    who_print(&page->run, out);
    gaps_print(&page->run, out);
    io_print(page, out);
    class_print(page, out);
    result_print(page, out);
    findings_print(page, out);
    if (!page->run.doubt)
        work_print(&page->run, out);
    if (page->servers)
        job_servers_print_text(page->servers, &page->run, out);
    job_around_print(&page->comparison,
                     page->servers && job_servers_has_share(page->servers), out);
    job_class_print(&page->comparison, out);
}
