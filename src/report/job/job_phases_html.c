/* SPDX-License-Identifier: Apache-2.0 */
/* job_phases_html - the phases of a run and its roofline as parts of an HTML page. */
#include "report/job/job_phases_html.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/timetext.h"
#include "draw/draw.h"
#include "report/job/html_text.h"
#include "report/unusual/unusual.h"

#include <errno.h>
#include <stdio.h>

/* ---- the strip ---- */

enum strip_kind { KIND_OTHER, KIND_COMPUTES, KIND_MOVES, KIND_BOTH };

static unsigned kind_of_acts(unsigned acts)
{
    const unsigned computing = PHASE_COMPUTES | PHASE_COMPUTES_ON_GPUS;
    const unsigned moving =
        PHASE_USES_NETWORK | PHASE_READS | PHASE_WRITES | PHASE_READS_OR_WRITES;
    if (acts & computing)
        return acts & moving ? KIND_BOTH : KIND_COMPUTES;
    return acts & moving ? KIND_MOVES : KIND_OTHER;
}

static void strip_caption(struct strbuf *out)
{
    static const struct {
        enum strip_kind kind;
        const char *text;
    } keys[] = { { KIND_COMPUTES, "computes" },
                 { KIND_MOVES, "moves data" },
                 { KIND_BOTH, "both" },
                 { KIND_OTHER, "neither" } };
    strbuf_adds(out, "<figure><figcaption>");
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        strbuf_addf(out,
                    "<svg class='key'><rect class='part%u' width='100%%' "
                    "height='100%%'/></svg> %s ",
                    keys[i].kind, keys[i].text);
    strbuf_adds(out, "</figcaption><div class='wide'>");
}

static void strip_figure(const struct job_phases *phases,
                         const struct node_samples *samples, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf picture = STRBUF_INIT;
    struct strbuf titles[JOB_PHASES_MAX];
    struct strip_part parts[JOB_PHASES_MAX];
    int64_t span_ns = samples->window_ns * (int64_t)samples->window_count;
    const struct strip strip = { .title = "phases of the run",
                                 .parts = parts,
                                 .part_count = phases->count,
                                 .columns = samples->window_count,
                                 .from_s = samples->from_ns / NS_PER_S,
                                 .to_s = (samples->from_ns + span_ns) / NS_PER_S };
    for (size_t i = 0; i < phases->count; i++) {
        const struct job_phase *phase = &phases->items[i];
        titles[i] = (struct strbuf)STRBUF_INIT;
        phase_acts_print(phases, i, &titles[i]);
        parts[i] =
            (struct strip_part){ phase->from, phase->to, kind_of_acts(phase->acts),
                                 strbuf_text(&titles[i]) };
    }
    int rc = strip_svg(&strip, &picture);
    if (rc == 0) {
        strip_caption(out);
        strbuf_add_span(out, strbuf_span(&picture));
        strbuf_adds(out, "</div></figure>\n");
    } else if (rc != -ENODATA) {
        out->error = rc;
    }
    for (size_t i = 0; i < phases->count; i++)
        strbuf_done(&titles[i]);
}

/* ---- the table ---- */

/* A line each. */
static void marks_add(const struct job_phases *phases, size_t phase, int mark,
                      struct strbuf *out)
{
    struct strbuf texts[PHASE_MARKS_MAX];
    for (size_t i = 0; i < PHASE_MARKS_MAX; i++)
        texts[i] = (struct strbuf)STRBUF_INIT;
    size_t count = phase_marks_list(phases, phase, mark, texts);
    for (size_t i = 0; i < count; i++) {
        strbuf_addf(out, "<div>%s ", mark > 0 ? "high" : "low");
        html_add_escaped(out, strbuf_span(&texts[i]));
        strbuf_adds(out, "</div>");
    }
    for (size_t i = 0; i < PHASE_MARKS_MAX; i++)
        strbuf_done(&texts[i]);
}

static void phase_row(const struct job_phases *phases, size_t phase, struct strbuf *out)
{
    char text[TIMETEXT_SIZE], length[FIGURE_SIZE];
    AUTO(strbuf_done) struct strbuf cell = STRBUF_INIT;
    const struct job_phase *p = &phases->items[phase];
    (void)timetext_print(text, p->from_s * NS_PER_S);
    figure_print_duration(length, sizeof length, (p->to_s - p->from_s) * NS_PER_S);
    strbuf_addf(out, "<tr><th>%zu</th>", phase + 1);
    html_element(out, "td", NULL, span_of(text));
    phase_span_print(phases, phase, &cell);
    strbuf_addf(out, "<td>%s<div>%s, ", strbuf_text(&cell), length);
    phase_share_print(p, out);
    strbuf_adds(out, "</div></td>");
    strbuf_clear(&cell);
    phase_acts_print(phases, phase, &cell);
    html_element(out, "td", "fold", strbuf_span(&cell));
    strbuf_adds(out, "<td>");
    marks_add(phases, phase, 1, out);
    marks_add(phases, phase, -1, out);
    strbuf_adds(out, "</td></tr>\n");
}

void job_phases_html(const struct footprint *footprint,
                     const struct node_samples *samples, struct strbuf *out)
{
    const struct job_phases *phases = &footprint->phases;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (phases->count == 0)
        return;
    strbuf_adds(out, "<h3>Phases</h3>\n");
    if (phases->count == 1) {
        phases_print(phases, &text);
        html_element(out, "p", NULL, span_trim(strbuf_span(&text)));
        return;
    }
    strip_figure(phases, samples, out);
    strbuf_adds(out, "<div class='wide'><table><thead><tr><th></th><th>From</th>"
                     "<th>Of the run</th><th>Nodes</th><th>Against the "
                     "run</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < phases->count; i++)
        phase_row(phases, i, out);
    strbuf_adds(out,
                "</tbody></table></div>\n"
                "<p class='note'>Medians over the nodes, against the run's.</p>\n");
}

/* ---- the roofline ---- */

static size_t dots_make(const struct roofline *r,
                        struct roofline_dot dots[static ROOFLINE_POINTS_MAX])
{
    size_t count = 0;
    dots[count++] = (struct roofline_dot){ .intensity = r->job.intensity,
                                           .flops = r->job.flops,
                                           .label = "job",
                                           .is_star = true };
    for (size_t i = 0; r->phase_count > 1 && i < r->phase_count; i++) {
        const struct roofline_point *p = &r->phases[i];
        dots[count] =
            (struct roofline_dot){ .intensity = p->intensity, .flops = p->flops };
        (void)snprintf(dots[count].label, sizeof dots[count].label, "%u",
                       (unsigned)(i + 1) % 1000);
        count++;
    }
    return count;
}

static void roofline_figure(const struct roofline *r, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf picture = STRBUF_INIT;
    struct roofline_dot dots[ROOFLINE_POINTS_MAX];
    const struct roofline_picture sheet = { .title = "roofline",
                                            .peak_flops = r->peak_flops,
                                            .peak_bytes = r->peak_bytes,
                                            .dots = dots,
                                            .dot_count = dots_make(r, dots) };
    int rc = roofline_svg(&sheet, &picture);
    if (rc < 0) {
        out->error = rc == -ENODATA ? out->error : rc;
        return;
    }
    strbuf_addf(out,
                "<figure><figcaption>A node on average: the star is the job%s."
                "</figcaption><div class='wide'>",
                r->phase_count > 1 ? ", the numbers are its phases" : "");
    strbuf_add_span(out, strbuf_span(&picture));
    strbuf_adds(out, "</div></figure>\n");
}

void job_roofline_html(const struct footprint *footprint, struct strbuf *out)
{
    const struct roofline *r = &footprint->roofline;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    roofline_sentence_print(r, &text);
    if (text.size == 0)
        return;
    strbuf_adds(out, "<h3>Roofline</h3>\n");
    html_element(out, "p", NULL, span_trim(strbuf_span(&text)));
    if (r->state == ROOFLINE_KNOWN)
        roofline_figure(r, out);
}
