/* SPDX-License-Identifier: Apache-2.0 */
/* study_svg - the pictures of a study: quantiles, contributors, correlations. */
#include "draw/study_svg.h"

#include "base/span.h"

#include "base/utf8.h"
#include "draw/axis.h"
#include "draw/svg.h"

#include <math.h>

#define WIDTH 960.0
#define CHARACTER                                                      \
    6.7 /* pixels of one on average, at size 12; rather more than less \
         */
#define GREY "fill='#555'"
#define GRID "stroke='#ddd'"

/* The place of the shown group with the fewest runs. */
static size_t least_group(const size_t *runs, size_t count)
{
    size_t least = 0;
    for (size_t i = 1; i < count; i++)
        if (runs[i] < runs[least])
            least = i;
    return least;
}

void study_groups_shown(const struct study *study, struct study_groups *ret)
{
    const struct runs *runs = study->runs;
    size_t counts[STUDY_GROUPS_SHOWN] = { 0 };
    struct study_groups g = { .count = 0 };
    for (size_t i = 0; i < runs->set_count;) {
        const char *group = runs->sets[i].group;
        size_t count = 0;
        for (; i < runs->set_count && strcmp(group, runs->sets[i].group) == 0; i++)
            count += runs->sets[i].count;
        size_t place = g.total++;
        if (g.count == STUDY_GROUPS_SHOWN) {
            size_t least = least_group(counts, g.count);
            if (counts[least] >= count)
                continue;
            g.count--;
            for (size_t j = least; j < g.count; j++) {
                g.names[j] = g.names[j + 1];
                g.places[j] = g.places[j + 1];
                counts[j] = counts[j + 1];
            }
        }
        g.names[g.count] = group;
        g.places[g.count] = place;
        counts[g.count++] = count;
    }
    *ret = g;
}

/* The widest of some labels, within limits that keep a picture a picture. */
static double label_width(size_t most)
{
    double width = 24 + CHARACTER * (double)most;
    return width < 100 ? 100 : width > 380 ? 380 : width;
}

/* A scale from 0 to high, with its grid and labels above and below. */
struct scale {
    double left, right, high;
    double top, bottom;
    double mark; /* a value of its own line; 0: none */
};

static double x_of(const struct scale *s, double value)
{
    return s->left + value / s->high * (s->right - s->left);
}

static void scale_draw(const struct scale *s, const char *what, struct strbuf *out)
{
    struct axis axis;
    axis_of_values(s->high, "", 8, &axis);
    for (size_t i = 0; i < axis.count && axis.positions[i] <= s->high; i++) {
        double x = x_of(s, axis.positions[i]);
        svg_line(out, x, s->top, x, s->bottom, GRID);
        svg_text(out, x, s->bottom + 16, "middle", GREY, axis.labels[i]);
    }
    svg_text(out, (s->left + s->right) / 2, s->bottom + 34, "middle", GREY, what);
}

/* ---- quantiles ---- */

#define SET_ROW 20.0
#define GROUP_ROW 28.0
#define BOX 6.0 /* half of its height */

/* The sets of the shown groups, as many as a picture holds. */
struct shown_sets {
    size_t sets[STUDY_SETS_SHOWN]; /* their places in runs */
    size_t count;
    size_t headings; /* groups of more than a set of their own name */
    size_t widest;   /* name, in bytes */
};

/* The group's one set, called as it is: a line says all. */
static bool is_alone(const struct runs *runs, size_t set)
{
    const char *group = runs->sets[set].group;
    return strcmp(runs->sets[set].name, group) == 0 &&
           (set == 0 || strcmp(runs->sets[set - 1].group, group) != 0) &&
           (set + 1 == runs->set_count ||
            strcmp(runs->sets[set + 1].group, group) != 0);
}

static void sets_choose(const struct study *study, struct shown_sets *ret)
{
    const struct runs *runs = study->runs;
    struct study_groups groups;
    size_t g = 0;
    *ret = (struct shown_sets){ .count = 0 };
    study_groups_shown(study, &groups);
    for (size_t i = 0; i < runs->set_count && ret->count < STUDY_SETS_SHOWN; i++) {
        const struct run_set *set = &runs->sets[i];
        bool is_first = i == 0 || strcmp(set->group, runs->sets[i - 1].group) != 0;
        while (is_first && g < groups.count && strcmp(groups.names[g], set->group) < 0)
            g++;
        if (g == groups.count || strcmp(groups.names[g], set->group) != 0)
            continue;
        size_t size = strlen(set->name);
        ret->sets[ret->count++] = i;
        ret->widest = size > ret->widest ? size : ret->widest;
        ret->headings += is_first && !is_alone(runs, i);
    }
}

static void box_draw(const struct study_set *set, const struct scale *s, double y,
                     struct strbuf *out)
{
    static const char thin[] = "stroke='#333'";
    double low = x_of(s, set->q05);
    double first = x_of(s, set->q25);
    double middle = x_of(s, set->q50);
    double last = x_of(s, set->q75);
    double high = x_of(s, set->q95);
    if (isnan(low))
        return;
    svg_line(out, low, y, first, y, thin);
    svg_line(out, last, y, high, y, thin);
    svg_line(out, low, y - BOX / 2, low, y + BOX / 2, thin);
    svg_line(out, high, y - BOX / 2, high, y + BOX / 2, thin);
    svg_box(out, first, y - BOX, last - first, 2 * BOX, "stroke='#333' fill='#9cbbdc'");
    svg_line(out, middle, y - BOX, middle, y + BOX, "stroke='#000' stroke-width='3'");
}

/* The set's name without that of its group, which stands above. */
static const char *name_in_group(const struct run_set *set)
{
    size_t size = strlen(set->group);
    bool is_longer =
        strncmp(set->name, set->group, size) == 0 && set->name[size] == ' ';
    return is_longer ? set->name + size + 1 : set->name;
}

/* A set's line, below the heading of its group if it is the first with one. */
static void set_draw(const struct study *study, size_t set, const struct scale *s,
                     bool is_first, double *y, struct strbuf *out)
{
    const struct runs *runs = study->runs;
    char count[32];
    if (is_first && !is_alone(runs, set)) {
        svg_line(out, 12, *y + 4, WIDTH - 12, *y + 4, "stroke='#aaa'");
        svg_text(out, 12, *y + 20, "start", "font-weight='bold'",
                 runs->sets[set].group);
        *y += GROUP_ROW;
    }
    double middle = *y + SET_ROW / 2;
    svg_text(out, s->left - 10, middle + 4, "end", "fill='#000'",
             name_in_group(&runs->sets[set]));
    box_draw(&study->sets[set], s, middle, out);
    (void)snprintf(count, sizeof count, "n = %zu", runs->sets[set].count);
    svg_text(out, s->right + 12, middle + 4, "start", GREY, count);
    *y += SET_ROW;
}

void study_quantiles_svg(const struct study *study, struct strbuf *out)
{
    const struct run_set *sets = study->runs->sets;
    struct shown_sets shown;
    sets_choose(study, &shown);
    double rows = SET_ROW * (double)shown.count + GROUP_ROW * (double)shown.headings;
    struct scale s = { label_width(shown.widest), WIDTH - 80, 1, 44, 44 + rows, 0 };
    svg_begin(out, WIDTH, s.bottom + 48, "Quantiles of the fraction of peak");
    svg_text(out, 12, 22, "start", "font-size='16' font-weight='bold'",
             "How fast comparable runs are: quantiles of the fraction of peak");
    scale_draw(&s, "fraction of the best run of the set", out);
    double y = s.top;
    for (size_t i = 0; i < shown.count; i++) {
        size_t set = shown.sets[i];
        bool is_first =
            i == 0 || strcmp(sets[set].group, sets[shown.sets[i - 1]].group) != 0;
        set_draw(study, set, &s, is_first, &y, out);
    }
    svg_end(out);
}

/* ---- contributors ---- */

#define BAR_ROW 26.0
#define P_CHANCE 0.05

struct bar {
    size_t row; /* of the contributors */
    const struct anomaly_measure *measure;
};

static int by_fraction(const void *a, const void *b)
{
    const struct bar *x = a;
    const struct bar *y = b;
    if (x->measure->fraction != y->measure->fraction)
        return x->measure->fraction > y->measure->fraction ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void bar_draw(const struct anomaly_measure *measure, const struct scale *s,
                     double y, struct strbuf *out)
{
    char text[128];
    double x = x_of(s, measure->fraction);
    double chance_x = x_of(s, s->mark);
    svg_text(out, s->left - 10, y + BAR_ROW / 2 + 4, "end", "fill='#000'",
             measure->label);
    svg_box(out, s->left, y + 4, x - s->left, BAR_ROW - 8,
            measure->p < P_CHANCE
                ? "fill='#2C69A9' stroke='#17406c'"
                : "fill='#fff' stroke='#17406c' stroke-dasharray='3 2'");
    (void)snprintf(text, sizeof text, "%.1f %%: %llu of %llu, p = %.2g",
                   measure->fraction * 100, (unsigned long long)measure->contributed,
                   (unsigned long long)measure->asked, measure->p);
    /* Not across the line of chance. */
    svg_text(out, fmax(x, chance_x) + 8, y + BAR_ROW / 2 + 4, "start", "fill='#000'",
             text);
}

void study_contributors_svg(const struct study *study, struct strbuf *out)
{
    const double chance = study->mapping->p_contributor;
    struct bar bars[MAPPING_ITEMS_MAX] = { 0 };
    size_t count = 0;
    size_t widest = 0;
    double most = 2 * chance;
    for (size_t row = 0; row < study->contributor_count; row++) {
        const struct anomaly_measure *measure = &study->contributors[row];
        size_t size = strlen(measure->label);
        if (isnan(measure->fraction))
            continue;
        bars[count++] = (struct bar){ row, measure };
        most = measure->fraction > most ? measure->fraction : most;
        widest = size > widest ? size : widest;
    }
    qsort(bars, count, sizeof *bars, by_fraction);
    struct scale s = { label_width(widest),          WIDTH - 230, most, 60,
                       60 + BAR_ROW * (double)count, chance };
    svg_begin(out, WIDTH, s.bottom + 48, "What was worst when a run was worst");
    svg_text(out, 12, 22, "start", "font-size='16' font-weight='bold'",
             "What was at its worst when a run was: contributors to anomalies");
    scale_draw(&s, "fraction of the anomalies that the measure covers", out);
    svg_line(out, x_of(&s, chance), s.top - 4, x_of(&s, chance), s.bottom,
             "stroke='#000' stroke-dasharray='6 4'");
    svg_text(out, x_of(&s, chance) + 4, s.top - 8, "start", GREY,
             "by chance alone; hollow: no more than that");
    for (size_t i = 0; i < count; i++)
        bar_draw(bars[i].measure, &s, s.top + BAR_ROW * (double)i, out);
    svg_end(out);
}

/* ---- correlations ---- */

#define CELL_WIDTH 104.0
#define CELL_HEIGHT 30.0
#define DOT 12.0 /* radius of r = 1 */
#define HEAD_MAX 16

static void cell_draw(const struct study *study, size_t row, double x, double y,
                      struct strbuf *out)
{
    double r = study->correlations[row].found.r;
    double p = study->correlations[row].found.p;
    char text[16];
    if (isnan(r)) {
        svg_text(out, x + CELL_WIDTH / 2, y + CELL_HEIGHT / 2 + 4, "middle",
                 "fill='#777'", "-");
        return;
    }
    bool is_significant = p < study->mapping->p_region;
    if (is_significant)
        svg_circle(out, x + 22, y + CELL_HEIGHT / 2, DOT * sqrt(fabs(r)),
                   r > 0 ? "fill='#2C69A9' stroke='#17406c'"
                         : "fill='#fff' stroke='#c2410c' stroke-width='2.5'");
    (void)snprintf(text, sizeof text, "%+.2f", r);
    svg_text(out, x + CELL_WIDTH - 12, y + CELL_HEIGHT / 2 + 4, "end",
             is_significant ? "font-weight='bold'" : "fill='#777'", text);
}

/* A column's name, cut where the next one begins. */
static void head_draw(double x, double y, const char *name, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct span rest = span_of(name);
    for (size_t i = 0; rest.size > 0 && i < HEAD_MAX; i++) {
        size_t size = utf8_size(rest);
        strbuf_add(&text, rest.data, size ? size : 1);
        rest = span_skip(rest, size ? size : 1);
    }
    strbuf_adds(&text, rest.size > 0 ? ".." : "");
    svg_text(out, x + CELL_WIDTH / 2, y, "middle", "font-size='11'",
             strbuf_text(&text));
}

/* The column of the table that picture column c shows: all runs, then the groups. */
static size_t column_of(const struct study_groups *groups, size_t c)
{
    return c == 0 ? 0 : groups->places[c - 1] + 1;
}

static void correlations_rows(const struct study *study,
                              const struct study_groups *groups, double left,
                              double top, struct strbuf *out)
{
    const struct mapping_items *measures = &study->mapping->measures;
    double right = left + CELL_WIDTH * (double)(groups->count + 1);
    for (size_t c = 0; c <= groups->count; c++)
        head_draw(left + CELL_WIDTH * (double)c, top - 12,
                  study->correlations[column_of(groups, c) * measures->count].group,
                  out);
    for (size_t m = 0; m < measures->count; m++) {
        double y = top + CELL_HEIGHT * (double)m;
        svg_line(out, 12, y, right, y, GRID);
        svg_text(out, left - 10, y + CELL_HEIGHT / 2 + 4, "end", "fill='#000'",
                 measures->items[m].label);
        for (size_t c = 0; c <= groups->count; c++)
            cell_draw(study, column_of(groups, c) * measures->count + m,
                      left + CELL_WIDTH * (double)c, y, out);
    }
}

void study_correlations_svg(const struct study *study, struct strbuf *out)
{
    const struct mapping_items *measures = &study->mapping->measures;
    struct study_groups groups;
    size_t widest = 0;
    study_groups_shown(study, &groups);
    for (size_t i = 0; i < measures->count; i++) {
        size_t size = strlen(measures->items[i].label);
        widest = size > widest ? size : widest;
    }
    double left = label_width(widest);
    double top = 76;
    double bottom = top + CELL_HEIGHT * (double)measures->count;
    double right = left + CELL_WIDTH * (double)(groups.count + 1);
    char text[160];
    svg_begin(out, right + 12 < 640 ? 640 : right + 12, bottom + 56,
              "Correlations with the fraction of peak");
    svg_text(out, 12, 22, "start", "font-size='16' font-weight='bold'",
             "What goes with the fraction of peak: Pearson's r");
    if (measures->count > 0)
        correlations_rows(study, &groups, left, top, out);
    svg_line(out, 12, bottom, right, bottom, GRID);
    (void)snprintf(text, sizeof text,
                   "A dot's area is the size of r, where p < %g; grey: p above that.",
                   study->mapping->p_region);
    svg_text(out, 12, bottom + 22, "start", GREY, text);
    svg_text(out, 12, bottom + 40, "start", GREY,
             "Full: more of it goes with faster runs. Hollow: with slower ones.");
    svg_end(out);
}
