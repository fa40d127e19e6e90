/* SPDX-License-Identifier: Apache-2.0 */
/* umami_text - an UMAMI diagram for a terminal. */
#include "draw/umami_text.h"

#include "analysis/climate/climate.h"
#include "base/timetext.h"
#include "draw/row_range.h"

#include <math.h>

#define LABEL_COLUMNS 26
#define BOX_COLUMNS 24

static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };

/* Columns of the history: the mean of the runs that fall into each. */
static void history_print(const struct umami *u, const struct umami_row *row,
                          unsigned columns, const struct row_range *range,
                          struct strbuf *out)
{
    double low = range->low;
    double high = range->high;
    size_t others = u->count - 1;
    unsigned used = others < columns ? (unsigned)others : columns;
    for (unsigned c = 0; c < columns - used; c++)
        strbuf_addc(out, ' ');
    for (unsigned c = 0; c < used; c++) {
        double sum = 0;
        size_t count = 0;
        for (size_t i = others * c / used; i < others * (c + 1) / used; i++)
            if (!isnan(row->history[i])) {
                sum += row_range_limit(range, row->history[i]);
                count++;
            }
        double place = high > low ? (sum / (double)count - low) / (high - low) : 0.5;
        strbuf_adds(out, count ? bars[(int)(place * 7.99)] : " ");
    }
}

/* Whiskers, box and median over the range, and the run as a star. */
static void box_print(const struct umami_row *row, const struct row_range *range,
                      struct strbuf *out)
{
    const char *cells[BOX_COLUMNS];
    double low = range->low;
    double high = range->high;
    double scale = high > low ? (BOX_COLUMNS - 1) / (high - low) : 0;
    for (int i = 0; i < BOX_COLUMNS; i++)
        cells[i] = " ";
    if (row->other_count > 0) {
        int from = (int)lround((row_range_limit(range, row->q05) - low) * scale);
        int to = (int)lround((row_range_limit(range, row->q95) - low) * scale);
        int box_from = (int)lround((row->q25 - low) * scale);
        int box_to = (int)lround((row->q75 - low) * scale);
        for (int i = from; i <= to; i++)
            cells[i] = i >= box_from && i <= box_to ? "█" : "─";
        cells[(int)lround((row->q50 - low) * scale)] = "│";
    }
    if (!isnan(row->value))
        cells[(int)lround((row_range_limit(range, row->value) - low) * scale)] = "★";
    for (int i = 0; i < BOX_COLUMNS; i++)
        strbuf_adds(out, cells[i]);
}

static void label_print(const char *label, struct strbuf *out)
{
    size_t columns = 0;
    for (const char *c = label; *c && columns < LABEL_COLUMNS; c++) {
        if ((*c & 0xC0) != 0x80)
            columns++;
        strbuf_addc(out, (unsigned char)*c < 0x20 ? '?' : *c);
    }
    for (; columns < LABEL_COLUMNS + 1; columns++)
        strbuf_addc(out, ' ');
}

void umami_print_text(const struct umami *u, unsigned width, struct strbuf *out)
{
    char time[TIMETEXT_SIZE];
    unsigned fixed = LABEL_COLUMNS + BOX_COLUMNS + 40;
    unsigned columns = width > fixed + 10 ? width - fixed : 10;
    columns = columns > 60 ? 60 : columns;
    (void)timetext_print(time, u->t_ns);
    strbuf_addf(out, "%s, %s, %s: ★ beside %zu runs before it\n\n", u->id, u->set, time,
                u->count - 1);
    for (size_t i = 0; i < u->row_count; i++) {
        const struct umami_row *row = &u->rows[i];
        const struct row_range range = row_range_of(row, u->count);
        label_print(row->label, out);
        if (range.low <= range.high) {
            history_print(u, row, columns, &range, out);
            strbuf_adds(out, " ▏");
            box_print(row, &range, out);
            strbuf_adds(out, "▕ ");
        }
        if (isnan(row->value))
            strbuf_adds(out, "missing");
        else
            strbuf_addf(out, "%-9.4g %s", row->value, umami_quarter_name(row->quarter));
        if (range.below + range.above > 0)
            strbuf_addf(out, " (%zu outside the scale)", range.below + range.above);
        strbuf_addc(out, '\n');
    }
}
