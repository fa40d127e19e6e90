/* SPDX-License-Identifier: Apache-2.0 */
/* study_page - a study as pages that a person reads: an HTML file with its pictures. */
#include "report/study_page.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "base/utf8.h"
#include "draw/draw.h"
#include "report/study_table.h"

#include <math.h>

#define NAME_SIZE 4096

struct report {
    const struct study *study;
    const struct study_tables *tables;
    const char *dir;
    struct strbuf html;
    struct strbuf svg;
};

static void report_done(struct report *r)
{
    strbuf_done(&r->html);
    strbuf_done(&r->svg);
}
DEFINE_AUTO_DONE(struct report, report_done);

static void text_add(struct report *r, const char *text)
{
    bool is_text = utf8_is_valid(span_of(text));
    for (const char *c = text; *c; c++)
        switch (*c) {
        case '&':
            strbuf_adds(&r->html, "&amp;");
            break;
        case '<':
            strbuf_adds(&r->html, "&lt;");
            break;
        default:
            strbuf_addc(&r->html, (unsigned char)*c < 0x20               ? ' '
                                  : !is_text && (unsigned char)*c > 0x7F ? '?'
                                                                         : *c);
        }
}

static int file_put(const struct report *r, const char *name, const struct strbuf *text,
                    struct err *err)
{
    char path[NAME_SIZE];
    if (strbuf_error(text))
        return err_set(err, ENOMEM, "out of memory");
    if ((size_t)snprintf(path, sizeof path, "%s/%s", r->dir, name) >= sizeof path)
        return err_set(err, ENAMETOOLONG, "'%s' is too long", r->dir);
    return file_replace(path, text->data, text->size, 0644, err);
}

/* What is in svg: into a file, and into the page with a caption; NULL: none. */
static int picture_put(struct report *r, const char *name, const char *caption,
                       struct err *err)
{
    strbuf_adds(&r->html, "<figure>\n");
    strbuf_add(&r->html, strbuf_text(&r->svg), r->svg.size);
    if (caption)
        strbuf_addf(&r->html, "<figcaption>%s</figcaption>\n", caption);
    strbuf_adds(&r->html, "</figure>\n");
    int rc = file_put(r, name, &r->svg, err);
    strbuf_clear(&r->svg);
    return rc;
}

/* ---- tables ---- */

static void cell_print(const struct table *t, size_t row, size_t column, char *out,
                       size_t size)
{
    const struct table_cell *cell = table_at(t, row, column);
    char time[TIMETEXT_SIZE];
    *out = '\0';
    if (cell->is_null)
        return;
    switch (t->columns[column].type) {
    case TABLE_TEXT:
        (void)snprintf(out, size, "%s", cell->text);
        break;
    case TABLE_U64:
        (void)snprintf(out, size, "%llu", (unsigned long long)cell->u64);
        break;
    case TABLE_TIME:
        (void)timetext_print(time, cell->i64 * NS_PER_MS);
        (void)snprintf(out, size, "%.10s", time);
        break;
    default:
        if (isfinite(cell->dbl))
            (void)snprintf(out, size, "%.3g", cell->dbl);
    }
}

/* Columns by name, for as many rows as there are. */
static void table_put(struct report *r, const struct table *t,
                      const char *const *columns)
{
    strbuf_adds(&r->html, "<div class='wide'><table>\n<thead><tr>");
    for (const char *const *c = columns; *c; c++) {
        int at = table_find_column(t, *c);
        bool is_text = at >= 0 && t->columns[at].type == TABLE_TEXT;
        strbuf_adds(&r->html,
                    is_text ? "<th scope='col'>" : "<th scope='col' class='n'>");
        text_add(r, *c);
        strbuf_adds(&r->html, "</th>");
    }
    strbuf_adds(&r->html, "</tr></thead>\n");
    for (size_t row = 0; row < t->row_count; row++) {
        strbuf_adds(&r->html, "<tr>");
        for (const char *const *c = columns; *c; c++) {
            int at = table_find_column(t, *c);
            char text[512] = "";
            if (at >= 0)
                cell_print(t, row, (size_t)at, text, sizeof text);
            bool is_text = at >= 0 && t->columns[at].type == TABLE_TEXT;
            strbuf_adds(&r->html, is_text ? "<td>" : "<td class='n'>");
            text_add(r, text);
            strbuf_adds(&r->html, "</td>");
        }
        strbuf_adds(&r->html, "</tr>\n");
    }
    strbuf_adds(&r->html, "</table></div>\n");
}

#define TABLE_PUT(r, part, ...) \
    table_put(r, &(r)->tables->parts[part], (const char *const[]){ __VA_ARGS__, NULL })

/* ---- parts of the page ---- */

static void begin_put(struct report *r)
{
    const struct study *s = r->study;
    strbuf_adds(&r->html,
                "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
                "<meta name='viewport' content='width=device-width, "
                "initial-scale=1'>\n<title>");
    text_add(r, s->mapping->title);
    strbuf_adds(
        &r->html,
        "</title>\n<style>\n"
        ":root { color-scheme: light dark; }\n"
        "body { font-family: sans-serif; max-width: 62em; margin: 2em auto; "
        "padding: 0 1em; line-height: 1.45; background: #fff; color: #111; }\n"
        "figure { margin: 1.5em 0; overflow-x: auto; } "
        "svg { max-width: 100%; height: auto; }\n"
        "figcaption { color: #444; margin-top: .4em; }\n"
        ".wide { overflow-x: auto; }\n"
        "table { border-collapse: collapse; font-size: 90%; }\n"
        "th, td { text-align: left; padding: .15em .8em .15em 0; "
        "border-bottom: 1px solid #ddd; }\n"
        "th.n, td.n { text-align: right; white-space: nowrap; "
        "font-variant-numeric: tabular-nums; }\n"
        ".unlike { font-weight: bold; }\n"
        ".faults { font-size: 90%; overflow-wrap: anywhere; }\n"
        /* Words of a picture stay legible; it is shifted instead. */
        "@media (max-width: 45em) { svg { max-width: none; } "
        "figure svg { min-width: 46em; width: 46em; } }\n"
        "@media screen and (prefers-color-scheme: dark) { body { background: #000; "
        "color: #ddd; } figcaption { color: #aaa; } "
        "th, td { border-color: #444; } "
        "svg { filter: invert(1) hue-rotate(180deg); } }\n"
        "@media print { body { max-width: none; margin: 0; } "
        "figure, tr { break-inside: avoid; } h2 { break-after: avoid; } "
        "figure, .wide { overflow: visible; } }\n"
        "</style>\n</head>\n<body>\n<h1>");
    text_add(r, s->mapping->title);
    strbuf_adds(&r->html, "</h1>\n");
}

/* What a person must hear of rows: the notes of the summary. */
static void faults_put(struct report *r)
{
    const struct table *t = &r->tables->parts[STUDY_SUMMARY];
    if (t->note_count == 0)
        return;
    strbuf_adds(&r->html, "<ul class='faults'>\n");
    for (size_t i = 0; i < t->note_count; i++) {
        strbuf_adds(&r->html, "<li>");
        text_add(r, t->notes[i]);
        strbuf_adds(&r->html, "</li>\n");
    }
    strbuf_adds(&r->html, "</ul>\n");
}

static void rows_put(struct report *r)
{
    const struct runs *runs = r->study->runs;
    strbuf_addf(
        &r->html,
        "<p>%zu observations in %zu sets of comparable runs, out of %llu rows. The "
        "performance of a run is given as a fraction of the best run of its "
        "set.</p>\n<h2>What became of the rows</h2>\n",
        runs->count, runs->set_count, (unsigned long long)runs->rows);
    TABLE_PUT(r, STUDY_SUMMARY, "what", "count");
    faults_put(r);
}

static void shown_put(struct report *r)
{
    struct study_groups groups;
    study_groups_shown(r->study, &groups);
    if (groups.total > groups.count)
        strbuf_addf(
            &r->html,
            "<p>Of %zu groups the %zu with the most runs are drawn, and of "
            "these at most %d sets; the tables of <code>baro climate study</code> "
            "have all.</p>\n",
            groups.total, groups.count, STUDY_SETS_SHOWN);
}

static int quantiles_put(struct report *r, struct err *err)
{
    strbuf_adds(&r->html, "<h2>What is normal</h2>\n");
    shown_put(r);
    study_quantiles_svg(r->study, &r->svg);
    return picture_put(
        r, "quantiles.svg",
        "A row a set of comparable runs: the box holds the middle half of "
        "them, the thick line is the median, the whiskers reach from the "
        "5th to the 95th percentile. A long box is a set whose speed "
        "one cannot count on.",
        err);
}

static int timelines_put(struct report *r, struct err *err)
{
    struct study_groups groups;
    int rc = 0;
    study_groups_shown(r->study, &groups);
    strbuf_adds(&r->html, "<h2>When it changed</h2>\n");
    for (size_t i = 0; rc == 0 && i < groups.count; i++) {
        char name[48];
        (void)snprintf(name, sizeof name, "timeline-%zu.svg", i + 1);
        rc = study_timeline_svg(r->study, groups.names[i], &r->svg);
        if (rc < 0)
            return err_set(err, -rc, "out of memory");
        if (r->svg.size > 0)
            rc = picture_put(
                r, name,
                i > 0 ? NULL
                      : "Each dot is a run. Where the short average parts from "
                        "the long one and comes back lies a divergence region; "
                        "it is hatched where runs were slower than in the season "
                        "around it.",
                err);
    }
    strbuf_addf(&r->html,
                "<p>Measures that go with the fraction of peak inside of a region "
                "(p &lt; %g): %zu.</p>\n",
                r->study->mapping->p_region, r->study->region_count);
    if (r->study->region_count > 0)
        TABLE_PUT(r, STUDY_REGIONS, "group", "from", "to", "runs", "measure", "n", "r",
                  "p");
    return rc;
}

static int causes_put(struct report *r, struct err *err)
{
    strbuf_adds(&r->html, "<h2>What goes with it</h2>\n");
    study_correlations_svg(r->study, &r->svg);
    int rc = picture_put(r, "correlations.svg",
                         "Over all runs, and over each group: a correlation is no "
                         "cause, and a small one may be certain.",
                         err);
    if (rc < 0)
        return rc;
    if (r->study->contributor_count == 0)
        return 0;
    strbuf_adds(&r->html, "<h2>What was worst when a run was worst</h2>\n");
    study_contributors_svg(r->study, &r->svg);
    return picture_put(r, "contributors.svg",
                       "An anomaly is the slowest run of a region of a set. A measure "
                       "contributed to it when it was at its worst of the region too; "
                       "p is the chance of so many such hits if it had nothing to do "
                       "with it.",
                       err);
}

/* What the mapping remarks on a figure; NULL: nothing. */
static const char *remark_of(const struct mapping *m, const char *figure)
{
    size_t size = strlen(figure);
    for (size_t i = 0; i < m->remarks.count; i++) {
        const char *text = m->remarks.items[i];
        if (strncmp(text, figure, size) == 0 && text[size] == ':')
            return text + size + 1 + strspn(text + size + 1, " ");
    }
    return NULL;
}

static void expected_row_put(struct report *r, size_t row)
{
    const struct table *t = &r->tables->parts[STUDY_EXPECTED];
    const char *remark = remark_of(r->study->mapping, table_at(t, row, 0)->text);
    bool is_equal = r->study->expected[row].is_equal;
    strbuf_adds(&r->html, is_equal ? "<tr>" : "<tr class='unlike'>");
    for (size_t c = 0; c < 3; c++) {
        strbuf_adds(&r->html, c ? "<td class='n'>" : "<td>");
        text_add(r, table_at(t, row, c)->text);
        strbuf_adds(&r->html, "</td>");
    }
    strbuf_adds(&r->html, is_equal ? "<td>" : "<td>does not follow. ");
    text_add(r, remark ? remark : "");
    strbuf_adds(&r->html, "</td></tr>\n");
}

static void expected_put(struct report *r)
{
    const struct study *s = r->study;
    if (s->expected_count == 0)
        return;
    strbuf_addf(&r->html,
                "<h2>What was published</h2>\n<p>%zu of %zu published figures follow "
                "from these data, to the digit that was published.</p>\n"
                "<div class='wide'><table>\n<thead><tr><th scope='col'>figure</th>"
                "<th scope='col' class='n'>published</th>"
                "<th scope='col' class='n'>from the data</th>"
                "<th scope='col'>remark</th></tr></thead>\n",
                s->expected_count - s->expected_unlike, s->expected_count);
    for (size_t i = 0; i < s->expected_count; i++)
        expected_row_put(r, i);
    strbuf_adds(&r->html, "</table></div>\n");
}

int study_page_write(const struct study *study, const char *dir, struct err *err)
{
    AUTO(study_tables_done) struct study_tables tables = { 0 };
    AUTO(report_done)
    struct report r = { study, &tables, dir, STRBUF_INIT, STRBUF_INIT };
    int rc = study_tables_make(study, &tables, err);
    if (rc < 0)
        return rc;
    rc = file_make_dirs(dir, 0755, err);
    begin_put(&r);
    rows_put(&r);
    bool has_runs = study->runs->count > 0;
    if (!has_runs)
        strbuf_adds(&r.html, "<p>No row is a run: there is nothing to draw.</p>\n");
    if (rc == 0 && has_runs)
        rc = quantiles_put(&r, err);
    if (rc == 0 && has_runs)
        rc = timelines_put(&r, err);
    if (rc == 0 && has_runs)
        rc = causes_put(&r, err);
    if (rc < 0)
        return rc;
    expected_put(&r);
    strbuf_adds(&r.html, "</body>\n</html>\n");
    return file_put(&r, "index.html", &r.html, err);
}
