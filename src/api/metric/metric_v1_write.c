/* SPDX-License-Identifier: Apache-2.0 */
/* metric_v1_write - the forms of what /v1/query returns. */
#include "api/metric/metric_v1.h"

#include "api/metric/metric_objects.h"
#include "api/metric/metric_text.h"
#include "base/decimal_text.h"
#include "base/figure.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <math.h>

#define NOTES_MAX 20
#define ROOM (DECIMAL_TEXT_MAX + 64)

const char *v1_content_type(enum metric_form form)
{
    return form == METRIC_FORM_CSV ? "text/csv; charset=utf-8" : "application/json";
}

static bool is_rate(const struct v1_writer *w, const struct metric *metric)
{
    return w->counters == METRIC_COUNTERS_RATE && metric->kind == METRIC_COUNTER;
}

void v1_unit(const struct v1_writer *w, const struct metric *metric, struct strbuf *out)
{
    strbuf_add_span(out, metric->unit);
    if (is_rate(w, metric))
        strbuf_adds(out, metric->unit.size ? "/s" : "1/s");
}

/* ---- begin and end ---- */

static const char data_columns[] =
    "{\"columns\":[{\"name\":\"component\",\"type\":\"text\",\"unit\":\"\"},"
    "{\"name\":\"metric\",\"type\":\"text\",\"unit\":\"\"},"
    "{\"name\":\"time\",\"type\":\"time\",\"unit\":\"\"},"
    "{\"name\":\"value\",\"type\":\"double\",\"unit\":";
static const char stats_columns[] =
    "{\"columns\":[{\"name\":\"component\",\"type\":\"text\",\"unit\":\"\"},"
    "{\"name\":\"metric\",\"type\":\"text\",\"unit\":\"\"},"
    "{\"name\":\"unit\",\"type\":\"text\",\"unit\":\"\"},"
    "{\"name\":\"count\",\"type\":\"u64\",\"unit\":\"\"},"
    "{\"name\":\"avg\",\"type\":\"double\",\"unit\":\"\"},"
    "{\"name\":\"min\",\"type\":\"double\",\"unit\":\"\"},"
    "{\"name\":\"max\",\"type\":\"double\",\"unit\":\"\"},"
    "{\"name\":\"sum\",\"type\":\"double\",\"unit\":\"\"}],\"rows\":[";

void v1_write_begin(const struct v1_writer *w, struct strbuf *out)
{
    bool has_data = w->want & METRIC_WANT_DATA;
    if (w->form == METRIC_FORM_JSON)
        strbuf_adds(out, "{\"results\":[");
    else if (w->form == METRIC_FORM_OBJECTS)
        metric_objects_begin(out);
    else if (w->form == METRIC_FORM_TABLE && has_data) {
        strbuf_adds(out, data_columns);
        metric_text_json(out, span_of(w->unit));
        strbuf_adds(out, "}],\"rows\":[");
    } else if (w->form == METRIC_FORM_TABLE)
        strbuf_adds(out, stats_columns);
    else
        strbuf_adds(out, has_data ? "component,metric,time,value\n"
                                  : "component,metric,unit,count,avg,min,max,sum\n");
}

static void note_begin(struct v1_writer *w)
{
    if (w->form == METRIC_FORM_CSV)
        strbuf_adds(&w->notes, "# ");
    else if (w->note_count > 0)
        strbuf_addc(&w->notes, ',');
    w->note_count++;
}

static void note_add(struct v1_writer *w, const struct strbuf *text)
{
    note_begin(w);
    if (w->form == METRIC_FORM_CSV) {
        strbuf_add_span(&w->notes, strbuf_span(text));
        strbuf_addc(&w->notes, '\n');
    } else {
        metric_text_json(&w->notes, strbuf_span(text));
    }
}

/* The first few; the last stands for the others. */
static void error_note(struct v1_writer *w, const struct v1_item *item,
                       const char *text)
{
    AUTO(strbuf_done) struct strbuf note = STRBUF_INIT;
    if (w->error_count > NOTES_MAX)
        return;
    strbuf_add_span(&note, item->component);
    strbuf_addf(&note, " " SPAN_FMT ": %s", SPAN_ARG(item->metric->name), text);
    if (w->error_count++ == NOTES_MAX) {
        strbuf_clear(&note);
        strbuf_adds(&note, "and more that failed");
    }
    note_add(w, &note);
}

static void missing_notes(struct v1_writer *w)
{
    for (size_t i = 0; w->missing && i < w->missing->count; i++) {
        AUTO(strbuf_done) struct strbuf note = STRBUF_INIT;
        metric_missing_print(&w->missing->items[i], &note);
        note_add(w, &note);
    }
}

static void missing_objects(const struct v1_writer *w, struct strbuf *out)
{
    for (size_t i = 0; w->missing && i < w->missing->count; i++) {
        const struct metric_missing_item *m = &w->missing->items[i];
        const struct {
            const char *key, *text;
        } members[] = { { "{\"component\":", m->component },
                        { ",\"level\":", m->level },
                        { ",\"name\":", m->name },
                        { ",\"near\":", m->near } };
        strbuf_adds(out, i ? "," : ",\"missing\":[");
        for (size_t j = 0; j < COUNT_OF(members); j++) {
            strbuf_adds(out, members[j].key);
            metric_text_json(out, span_of(members[j].text));
        }
        strbuf_addc(out, '}');
    }
    if (w->missing && w->missing->count > 0)
        strbuf_addc(out, ']');
}

void v1_write_end(struct v1_writer *w, struct strbuf *out)
{
    if (w->form == METRIC_FORM_JSON) {
        strbuf_addc(out, ']');
        missing_objects(w, out);
        if (w->note_count > 0) {
            strbuf_adds(out, ",\"notes\":[");
            strbuf_add_span(out, strbuf_span(&w->notes));
            strbuf_addc(out, ']');
        }
        strbuf_adds(out, "}\n");
        return;
    }
    if (w->form == METRIC_FORM_OBJECTS) {
        metric_objects_end(out);
        return;
    }
    missing_notes(w);
    if (w->form == METRIC_FORM_TABLE)
        strbuf_adds(out, "],\"notes\":[");
    strbuf_add_span(out, strbuf_span(&w->notes));
    if (w->form == METRIC_FORM_TABLE)
        strbuf_adds(out, "]}\n");
}

/* ---- numbers ---- */

static void add_number(struct strbuf *out, double value)
{
    char text[DECIMAL_TEXT_MAX];
    strbuf_add(out, text, decimal_print_shortest(text, value));
}

/* Rates and percentages over time add up to nothing. */
static bool has_sum(const struct v1_writer *w, const struct metric *metric)
{
    return !is_rate(w, metric) && !span_is(metric->unit, "%") &&
           !span_is(metric->unit, "percent");
}

static double statistics_sum(const struct v1_writer *w, const struct v1_item *item)
{
    const struct metric_numbers *n = &item->result->numbers;
    return n->count && has_sum(w, item->metric) ? n->sum : NAN;
}

/* The numbers of statistics, each behind what comes before it; csv: an empty field
 * where there is none. */
static void add_statistics(const struct v1_writer *w, const struct v1_item *item,
                           struct strbuf *out)
{
    const struct metric_numbers *n = &item->result->numbers;
    enum metric_form form = w->form;
    static const char *const keys[] = { ",\"avg\":", ",\"min\":", ",\"max\":",
                                        ",\"sum\":" };
    double count = (double)n->count;
    const double values[] = { n->sum / count, n->min, n->max, statistics_sum(w, item) };
    strbuf_add_u64(out, n->count);
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        strbuf_adds(out, form == METRIC_FORM_JSON ? keys[i] : ",");
        if (form != METRIC_FORM_CSV || isfinite(values[i]))
            add_number(out, values[i]);
    }
}

static int add_values(struct strbuf *out, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (out->capacity - out->size < ROOM && strbuf_reserve(out, 1 << 16) < 0)
            return -ENOMEM;
        char *at = out->data + out->size;
        size_t size = decimal_print_shortest(at, values[i]);
        at[size] = ',';
        out->size += size + 1;
    }
    if (count > 0)
        out->size--; /* the last comma */
    return 0;
}

static void unit_write(const struct v1_writer *w, const struct metric *metric,
                       struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf unit = STRBUF_INIT;
    v1_unit(w, metric, &unit);
    if (w->form == METRIC_FORM_CSV)
        metric_text_csv(out, strbuf_span(&unit));
    else
        metric_text_json(out, strbuf_span(&unit));
}

/* ---- json: an object a series ---- */

static void add_sources(struct strbuf *out, unsigned sources)
{
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {
        { METRIC_FROM_MEMORY, "\"memory\"" },
        { METRIC_FROM_CHECKPOINT, "\"checkpoint\"" },
        { METRIC_FROM_ARCHIVE, "\"archive\"" },
    };
    const char *comma = "";
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!(sources & names[i].bit))
            continue;
        strbuf_addf(out, "%s%s", comma, names[i].name);
        comma = ",";
    }
}

static void begin_object(struct v1_writer *w, const struct v1_item *item,
                         struct strbuf *out)
{
    strbuf_adds(out, w->rows++ ? ",\n{\"component\":" : "\n{\"component\":");
    metric_text_json(out, item->component);
    strbuf_adds(out, ",\"metric\":");
    metric_text_json(out, item->metric->name);
}

static void add_times(struct strbuf *out, const int64_t *times, size_t count)
{
    char text[TIMETEXT_SIZE];
    strbuf_adds(out, ",\"times\":[");
    for (size_t i = 0; i < count; i++) {
        strbuf_adds(out, i > 0 ? ",\"" : "\"");
        strbuf_add(out, text, timetext_print(text, times[i]));
        strbuf_addc(out, '"');
    }
    strbuf_addc(out, ']');
}

static int write_object(struct v1_writer *w, const struct v1_item *item,
                        struct strbuf *out)
{
    const struct metric_result *a = item->result;
    char text[TIMETEXT_SIZE];
    int rc = 0;
    begin_object(w, item, out);
    strbuf_adds(out, ",\"unit\":");
    unit_write(w, item->metric, out);
    strbuf_adds(out, ",\"from\":");
    metric_text_json(out, (struct span){ text, timetext_print(text, a->from_ns) });
    strbuf_adds(out, ",\"step\":");
    if (a->times || a->step_ns == 0)
        strbuf_adds(out, "null");
    else
        strbuf_add(out, text, timetext_print_seconds(text, a->step_ns));
    if (a->times || a->step_ns == 0)
        add_times(out, a->times, a->count);
    if (a->values) {
        strbuf_adds(out, ",\"values\":[");
        rc = add_values(out, a->values, a->count);
        strbuf_addc(out, ']');
    }
    if (w->want & METRIC_WANT_STATS) {
        strbuf_adds(out, ",\"count\":");
        add_statistics(w, item, out);
    }
    strbuf_addf(out, ",\"contributors\":[%u,%u],\"sources\":[", a->contributors_min,
                a->contributors_max);
    add_sources(out, a->sources);
    strbuf_addc(out, ']');
    if (a->unreadable) {
        strbuf_adds(out, ",\"unreadable_blocks\":");
        strbuf_add_u64(out, a->unreadable);
    }
    if (a->resets) {
        strbuf_adds(out, ",\"resets\":");
        strbuf_add_u64(out, a->resets);
    }
    strbuf_addc(out, '}');
    return rc;
}

/* ---- rows ---- */

static void begin_row(struct v1_writer *w, const struct v1_item *item,
                      struct strbuf *out)
{
    if (w->form == METRIC_FORM_CSV) {
        metric_text_csv(out, item->component);
        strbuf_addc(out, ',');
        metric_text_csv(out, item->metric->name);
    } else {
        strbuf_adds(out, w->rows ? ",\n[" : "\n[");
        metric_text_json(out, item->component);
        strbuf_addc(out, ',');
        metric_text_json(out, item->metric->name);
    }
    strbuf_addc(out, ',');
    w->rows++;
}

static void end_row(const struct v1_writer *w, struct strbuf *out)
{
    strbuf_addc(out, w->form == METRIC_FORM_CSV ? '\n' : ']');
}

static void write_rows(struct v1_writer *w, const struct v1_item *item,
                       struct strbuf *out)
{
    const struct metric_result *a = item->result;
    const char *quote = w->form == METRIC_FORM_CSV ? "" : "\"";
    for (size_t i = 0; i < a->count; i++) {
        char text[TIMETEXT_SIZE];
        if (isnan(a->values[i]))
            continue;
        begin_row(w, item, out);
        strbuf_adds(out, quote);
        strbuf_add(out, text,
                   timetext_print(text, a->times
                                            ? a->times[i]
                                            : a->from_ns + (int64_t)i * a->step_ns));
        strbuf_adds(out, quote);
        strbuf_addc(out, ',');
        add_number(out, a->values[i]);
        end_row(w, out);
    }
}

static void write_statistics_row(struct v1_writer *w, const struct v1_item *item,
                                 struct strbuf *out)
{
    begin_row(w, item, out);
    unit_write(w, item->metric, out);
    strbuf_addc(out, ',');
    add_statistics(w, item, out);
    end_row(w, out);
}

/* Once for each other step. */
static void step_note(struct v1_writer *w, const struct v1_item *item)
{
    AUTO(strbuf_done) struct strbuf note = STRBUF_INIT;
    char wanted[FIGURE_SIZE], got[FIGURE_SIZE];
    const struct metric_result *a = item->result;
    if (w->step_ns == 0 || !a->values || a->times || a->count == 0 ||
        a->step_ns == w->step_ns || a->step_ns == w->step_noted_ns)
        return;
    w->step_noted_ns = a->step_ns;
    figure_print_duration(wanted, sizeof wanted, w->step_ns);
    figure_print_duration(got, sizeof got, a->step_ns);
    strbuf_addf(&note,
                SPAN_FMT
                ": points are %s apart, not %s as requested: a multiple of the "
                "step of the samples",
                SPAN_ARG(item->metric->name), got, wanted);
    note_add(w, &note);
}

static void write_statistics_object(struct v1_writer *w, const struct v1_item *item,
                                    struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf unit = STRBUF_INIT;
    v1_unit(w, item->metric, &unit);
    metric_objects_statistics(w, item, strbuf_span(&unit), statistics_sum(w, item),
                              out);
}

int v1_write_item(struct v1_writer *w, const struct v1_item *item, struct strbuf *out)
{
    step_note(w, item);
    if (w->form == METRIC_FORM_JSON)
        return write_object(w, item, out);
    bool is_objects = w->form == METRIC_FORM_OBJECTS;
    if (w->want & METRIC_WANT_DATA && is_objects)
        metric_objects_samples(w, item, out);
    else if (is_objects)
        write_statistics_object(w, item, out);
    else if (w->want & METRIC_WANT_DATA)
        write_rows(w, item, out);
    else
        write_statistics_row(w, item, out);
    return strbuf_error(out);
}

void v1_write_error(struct v1_writer *w, const struct v1_item *item, const char *text,
                    struct strbuf *out)
{
    if (w->form != METRIC_FORM_JSON) {
        error_note(w, item, text);
        return;
    }
    begin_object(w, item, out);
    strbuf_adds(out, ",\"error\":");
    metric_text_json(out, span_of(text));
    strbuf_addc(out, '}');
}
