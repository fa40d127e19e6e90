/* SPDX-License-Identifier: Apache-2.0 */
/* roofline_text - a job's roofline as text for a person and as JSON. */
#include "report/unusual/roofline_text.h"

#include "base/figure.h"
#include "base/span.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINE_COLUMNS 80
/* What is so much over the roof cannot be. */
#define OVER_SHARE 1.05

/* ---- for a person ---- */

const char *roofline_rate_text(char text[static ROOFLINE_VALUE_SIZE], double rate,
                               const char *unit)
{
    char count[FIGURE_SIZE];
    figure_print_count(count, sizeof count, rate);
    size_t size = strlen(count);
    bool is_digit = size > 0 && count[size - 1] >= '0' && count[size - 1] <= '9';
    (void)snprintf(text, ROOFLINE_VALUE_SIZE, "%s%s%s", count, is_digit ? " " : "",
                   unit);
    return text;
}

static void intensity_print(double intensity, struct strbuf *out)
{
    char text[FIGURE_SIZE];
    figure_print_number(text, sizeof text, intensity);
    if (isnan(intensity))
        strbuf_adds(out, "no bytes");
    else
        strbuf_addf(out, "%s flop/byte", text);
}

/* Which of both roofs is the lower one at the point. */
static const char *bound_of(const struct roofline *r, const struct roofline_point *p)
{
    if (isnan(p->roof))
        return NULL;
    return p->intensity < roofline_ridge(r) ? "memory_bandwidth" : "flops";
}

static void no_roof_print(const struct roofline *r, struct strbuf *out)
{
    if (r->peakless)
        strbuf_addf(out,
                    "No roof: no peaks are configured of %s ([subcluster] of "
                    "barod.conf).",
                    r->peakless);
    else if (!(r->peak_flops > 0))
        strbuf_adds(out, "No roof: no peaks of its nodes are configured ([subcluster] "
                         "of barod.conf).");
}

static void roof_print(const struct roofline *r, struct strbuf *out)
{
    char roof[ROOFLINE_VALUE_SIZE];
    double share = roofline_share(&r->job);
    const char *bound = bound_of(r, &r->job);
    if (!bound || isnan(share)) {
        no_roof_print(r, out);
        return;
    }
    roofline_rate_text(roof, r->job.roof, "F/s");
    if (share > OVER_SHARE)
        strbuf_addf(out,
                    "That is over the roof there, %s: the configured peaks, or what "
                    "the metrics count, are not right.",
                    roof);
    else
        strbuf_addf(out, "That is %.3g %% of the roof there, %s, which is the %s.",
                    100 * share, roof,
                    bound[0] == 'f' ? "peak of operations" : "memory's bandwidth");
}

static void point_print(const struct roofline_point *p, struct strbuf *out)
{
    char flops[ROOFLINE_VALUE_SIZE], bytes[ROOFLINE_VALUE_SIZE];
    strbuf_addf(out, "%s, %s, ", roofline_rate_text(flops, p->flops, "F/s"),
                roofline_rate_text(bytes, p->bytes, "B/s"));
    intensity_print(p->intensity, out);
}

void roofline_sentence_print(const struct roofline *roofline, struct strbuf *out)
{
    const struct roofline *r = roofline;
    if (r->state == ROOFLINE_NO_UNIT)
        strbuf_addf(out, "None: the unit of %s, \"%s\", is no rate that is known.",
                    r->odd, r->odd_unit);
    if (r->state == ROOFLINE_NO_SAMPLES)
        strbuf_addf(out, "None: no node has %s and %s at the same time.", r->flops,
                    r->bandwidth);
    if (r->state != ROOFLINE_KNOWN)
        return;
    strbuf_addf(out, "A node did on average ");
    point_print(&r->job, out);
    strbuf_addf(out, " (%s, %s). ", r->flops, r->bandwidth);
    roof_print(r, out);
}

/* A text in lines, each begun with so many blanks. */
static void lines_fold(struct span text, size_t indent, struct strbuf *out)
{
    size_t column = 0;
    struct span piece;
    while (text.size > 0) {
        (void)span_cut(&text, ' ', &piece);
        if (piece.size == 0)
            continue;
        if (column > 0 && column + 1 + piece.size > LINE_COLUMNS) {
            strbuf_addc(out, '\n');
            column = 0;
        }
        if (column == 0)
            strbuf_addf(out, "%*s", (int)indent, "");
        else
            strbuf_addc(out, ' ');
        column += piece.size + (column == 0 ? indent : 1);
        strbuf_add_span(out, piece);
    }
    strbuf_addc(out, '\n');
}

static void phase_points_print(const struct roofline *r, struct strbuf *out)
{
    for (size_t i = 0; i < r->phase_count && r->phase_count > 1; i++) {
        const struct roofline_point *p = &r->phases[i];
        double share = roofline_share(p);
        if (p->n == 0)
            continue;
        strbuf_addf(out, "    phase %zu: ", i + 1);
        point_print(p, out);
        if (!isnan(share))
            strbuf_addf(out, ", %.3g %% of the roof", 100 * share);
        strbuf_addc(out, '\n');
    }
}

void roofline_print(const struct roofline *roofline, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    roofline_sentence_print(roofline, &text);
    if (text.size == 0)
        return;
    strbuf_adds(out, "\nIts roofline:\n");
    lines_fold(strbuf_span(&text), 4, out);
    if (roofline->state == ROOFLINE_KNOWN)
        phase_points_print(roofline, out);
}

/* ---- for programs ---- */

static void roof_number_put(struct json_writer *w, const char *key, double value)
{
    json_key(w, key);
    json_double(w, value);
}

static void point_members(const struct roofline *r, const struct roofline_point *p,
                          struct json_writer *w)
{
    json_key(w, "n");
    json_u64(w, p->n);
    roof_number_put(w, "flops_per_s", p->flops);
    roof_number_put(w, "bytes_per_s", p->bytes);
    roof_number_put(w, "intensity", p->intensity);
    roof_number_put(w, "roof_flops_per_s", p->roof);
    roof_number_put(w, "roof_share", roofline_share(p));
    json_key(w, "bound");
    json_text(w, bound_of(r, p));
}

static void peaks_members(const struct roofline *r, struct json_writer *w)
{
    roof_number_put(w, "peak_flops_per_s", r->peak_flops > 0 ? r->peak_flops : NAN);
    roof_number_put(w, "peak_bytes_per_s", r->peak_bytes > 0 ? r->peak_bytes : NAN);
    roof_number_put(w, "ridge", roofline_ridge(r));
    json_key(w, "without_peaks");
    json_text(w, r->peakless);
}

void roofline_json(const struct roofline *roofline, struct json_writer *w)
{
    const struct roofline *r = roofline;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    json_key(w, "roofline");
    if (r->state == ROOFLINE_NONE) {
        json_null(w);
        return;
    }
    roofline_sentence_print(r, &text);
    json_object(w);
    json_key(w, "text");
    json_span(w, span_trim(strbuf_span(&text)));
    json_key(w, "flops");
    json_text(w, r->flops);
    json_key(w, "bandwidth");
    json_text(w, r->bandwidth);
    point_members(r, &r->job, w);
    peaks_members(r, w);
    json_key(w, "phases");
    json_array(w);
    for (size_t i = 0; i < r->phase_count; i++) {
        json_object(w);
        point_members(r, &r->phases[i], w);
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}
