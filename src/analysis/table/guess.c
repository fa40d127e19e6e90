/* SPDX-License-Identifier: Apache-2.0 */
/* guess - a mapping for an undescribed table. */
#include "analysis/table/guess.h"

#include "analysis/table/expression.h"
#include "analysis/table/long_table.h"
#include "analysis/table/mapping.h"
#include "analysis/table/preview.h"
#include "base/hashmap.h"
#include "base/span.h"
#include "base/timetext.h"

#include <math.h>
#include <strings.h>

#define CLASSES_MAX 3
#define CLASS_NAMES_MAX 500
#define METRICS_MAX 256
#define YEAR_1990_S 631152000.0
#define YEAR_2040_S 2208988800.0
#define YEAR_2255_S 9e9 /* that no table has, but by its name */

enum kind { KIND_EMPTY, KIND_NUMBER, KIND_TEXT };

struct column {
    struct span name;
    enum kind kind;
    const char *function; /* that makes a number of its texts; NULL: none need */
    bool is_rate;         /* its texts end in "/s" */
    size_t there, distinct;
    bool is_rising;          /* never falls from row to row */
    double least, most;      /* of numbers */
    struct span first;       /* what the first row that has it says */
    const char *time_format; /* of times; "": none need be said; NULL: no time */
    bool wants_zone;
    bool is_used;
};

struct guess {
    struct table_preview sample;
    struct column *columns;
    size_t count;
    size_t field_count; /* of them the table's own; those behind are metrics */
    int time, performance, id, long_name, long_value;
    int classes[CLASSES_MAX];
    size_t class_count;
    struct hashmap sections; /* names of measures so far */
    struct strbuf *out;
};

/* ---- names ---- */

/* Whether name has the word, whatever its case. */
static bool has_word(struct span name, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= name.size; i++)
        if (strncasecmp(name.data + i, word, size) == 0)
            return true;
    return false;
}

/* A score for the first word of the list that a name has; 0: none. */
static int words_score(struct span name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (has_word(name, words[i]))
            return (int)(count - i);
    return 0;
}

static const char *const time_words[] = { "start",  "begin", "time", "date",
                                          "when",   "stamp", "zeit", "epoch",
                                          "submit", "day",   "end" };
static const char *const speed_words[] = {
    "perf",   "bandwidth", "throughput", "gib_per", "mib_per", "gb_per",
    "mb_per", "gib/s",     "gb/s",       "mib/s",   "mb/s",    "gibs",
    "mibs",   "gbps",      "mbps",       "speed",   "score",   "flop",
    "per_s",  "/s",        "iops",       "rate",    "bw",      "tempo"
};
static const char *const length_words[] = { "elapsed",  "runtime",  "run_time",
                                            "walltime", "duration", "latency",
                                            "seconds",  "dauer",    "secs" };
static const char *const class_words[] = {
    "file_system", "filesystem", "platform", "system",   "cluster", "machine",
    "bench",       "test",       "app",      "workload", "queue",   "partition",
    "fs",          "model",      "config",   "mode",     "op"
};
static const char *const size_words[] = { "nproc",  "ranks",   "nodes",
                                          "ntasks", "clients", "np" };
static const char *const metric_words[] = { "metric", "measurement", "counter",
                                            "variable" };

#define SCORE(name, words) words_score(name, words, COUNT_OF(words))

/* ---- times ---- */

static const char *const time_formats[] = {
    "%d.%m.%Y %H:%M:%S",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y",
    "%d.%m.%y %H:%M",
    "%m/%d/%Y %I:%M:%S %p",
    "%m/%d/%Y %I:%M %p",
    "%m/%d/%Y %H:%M:%S",
    "%m/%d/%Y %H:%M",
    "%m/%d/%Y",
    "%d/%m/%Y %H:%M:%S",
    "%d/%m/%Y %H:%M",
    "%d/%m/%Y",
    "%m/%d/%y %H:%M",
    "%m/%d/%y",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
    "%Y%m%d%H%M%S",
    "%Y%m%dT%H%M%S",
    "%Y%m%d-%H%M%S",
    "%Y%m%d",
    "%d %b %Y %H:%M:%S",
    "%d %b %Y %H:%M",
    "%d %b %Y",
    "%b %d %Y %H:%M:%S",
    "%b %d, %Y",
    "%d-%b-%Y %H:%M:%S",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%a %b %d %H:%M:%S %Y",
    "%d/%b/%Y:%H:%M:%S %z",
    "%Y-%m",
    "%b %Y",
    "%Y-%m-%d_%H-%M-%S",
    "%Y-%m-%d-%H:%M:%S",
    "%d %b %Y %H:%M:%S.%f",
    "%d.%m.%Y %H:%M:%S.%f",
    "%m/%d/%Y %H:%M:%S.%f",
    "%Y/%m/%d %H:%M:%S.%f",
};

/* How many cells of the column a form reads. */
static size_t times_count(const struct guess *g, size_t column,
                          const struct time_form *form)
{
    const struct table_preview *s = &g->sample;
    size_t count = 0;
    size_t failed = 0;
    int64_t t_ns;
    for (size_t i = 0; i < s->row_count && failed < 10 + count / 10; i++) {
        if (preview_value(s, i, column).kind == VALUE_MISSING)
            continue;
        bool is_time = time_form_parse(form, s->rows[i][column], &t_ns, NULL) == 0;
        count += is_time;
        failed += !is_time;
    }
    return failed * 20 > count ? 0 : count;
}

/* Numbers that are seconds, or parts of them, since 1970. */
static const char *epoch_guess(const struct column *c)
{
    const double end_s = SCORE(c->name, time_words) > 0 ? YEAR_2255_S : YEAR_2040_S;
    static const struct {
        const char *format;
        double factor;
    } units[] = { { "", 1 }, { "ms", 1e3 }, { "us", 1e6 }, { "ns", 1e9 } };
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (c->least >= YEAR_1990_S * units[i].factor &&
            c->most < end_s * units[i].factor)
            return units[i].format;
    return NULL;
}

static void time_guess(const struct guess *g, size_t index, struct column *c)
{
    struct time_form form = { .format = NULL };
    bool is_number = c->kind == KIND_NUMBER && !c->function;
    if (is_number && (SCORE(c->name, time_words) > 0 || c->is_rising)) {
        c->time_format = epoch_guess(c);
        if (c->time_format)
            return;
    }
    if (!is_number && times_count(g, index, &form) > 0) {
        c->time_format = "";
        return;
    }
    form.has_zone = true;
    if (!is_number && times_count(g, index, &form) > 0) {
        c->time_format = "";
        c->wants_zone = true;
        return;
    }
    for (size_t i = 0; i < COUNT_OF(time_formats); i++) {
        form.format = time_formats[i];
        bool is_bare =
            is_number && (c->least < 19900101 || SCORE(c->name, time_words) == 0);
        if (is_bare || times_count(g, index, &form) == 0)
            continue;
        c->time_format = form.format;
        c->wants_zone = strstr(form.format, "%z") == NULL;
        return;
    }
}

/* ---- columns ---- */

/* What makes numbers of texts, if anything does of nearly all. */
static const char *function_guess(const struct guess *g, size_t index, bool *ret_rate)
{
    static const struct {
        const char *name;
        double (*of)(struct span);
    } functions[] = { { "seconds", quantity_seconds },
                      { "bytes", quantity_bytes },
                      { "number", quantity_number } };
    const struct table_preview *s = &g->sample;
    for (size_t f = 0; f < COUNT_OF(functions); f++) {
        size_t there = 0;
        size_t read = 0;
        size_t rates = 0;
        for (size_t i = 0; i < s->row_count; i++) {
            struct span text = s->rows[i][index];
            if (preview_value(s, i, index).kind == VALUE_MISSING)
                continue;
            bool is_begun = strchr("0123456789+-.$", *text.data);
            there++;
            read += is_begun && text.size < 40 && !isnan(functions[f].of(text));
            rates += span_ends(text, "/s");
        }
        *ret_rate = rates * 2 > there;
        if (there > 0 && read * 10 >= there * 9)
            return functions[f].name;
    }
    return NULL;
}

static void numbers_look(const struct guess *g, size_t index, struct column *c)
{
    double before = -INFINITY;
    c->least = INFINITY;
    c->most = -INFINITY;
    c->is_rising = true;
    for (size_t i = 0; i < g->sample.row_count; i++) {
        struct value v = preview_value(&g->sample, i, index);
        if (v.kind != VALUE_NUMBER)
            continue;
        c->least = fmin(c->least, v.number);
        c->most = fmax(c->most, v.number);
        c->is_rising = c->is_rising && v.number >= before;
        before = v.number;
    }
}

static void column_look(const struct guess *g, size_t index, struct column *c)
{
    AUTO(hashmap_done) struct hashmap seen = HASHMAP_INIT;
    size_t numbers = 0;
    c->name = g->sample.names[index];
    for (size_t i = 0; i < g->sample.row_count; i++) {
        struct value v = preview_value(&g->sample, i, index);
        if (v.kind == VALUE_MISSING)
            continue;
        if (c->there++ == 0)
            c->first = g->sample.rows[i][index];
        numbers += v.kind == VALUE_NUMBER;
        (void)hashmap_put(&seen, g->sample.rows[i][index], NULL);
    }
    c->distinct = seen.count;
    c->kind = c->there == 0                  ? KIND_EMPTY
              : numbers * 10 >= c->there * 9 ? KIND_NUMBER
                                             : KIND_TEXT;
    numbers_look(g, index, c);
    if (c->kind != KIND_EMPTY)
        time_guess(g, index, c);
    if (c->kind == KIND_TEXT && !c->time_format) {
        c->function = function_guess(g, index, &c->is_rate);
        c->kind = c->function ? KIND_NUMBER : KIND_TEXT;
    }
}

/* Whether formulas and sections of a mapping can have the name. */
static bool is_speakable(struct span name)
{
    for (size_t i = 0; i < name.size; i++)
        if ((unsigned char)name.data[i] < 0x20)
            return false;
    return name.size < 200 && expression_can_name(name);
}

/* Of columns of the same name only the first can be called by it. */
static bool is_first_of_name(const struct guess *g, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (span_eq(g->columns[i].name, g->columns[index].name))
            return false;
    return true;
}

static int columns_look(struct guess *g)
{
    g->field_count = g->count = g->sample.column_count;
    g->columns = calloc(g->count + METRICS_MAX, sizeof *g->columns);
    if (!g->columns)
        return -ENOMEM;
    for (size_t i = 0; i < g->count; i++)
        column_look(g, i, &g->columns[i]);
    for (size_t i = 0; i < g->count; i++)
        g->columns[i].is_used =
            !is_speakable(g->columns[i].name) || !is_first_of_name(g, i);
    return 0;
}

/* ---- long tables ---- */

static void metrics_add(struct guess *g)
{
    AUTO(hashmap_done) struct hashmap seen = HASHMAP_INIT;
    for (size_t i = 0; i < g->sample.row_count; i++) {
        struct span name = g->sample.rows[i][g->long_name];
        bool is_new = false;
        if (!is_speakable(name) || !hashmap_put(&seen, name, &is_new) || !is_new ||
            g->count == g->field_count + METRICS_MAX)
            continue;
        g->columns[g->count++] = (struct column){
            .name = name, .kind = KIND_NUMBER, .there = 2, .distinct = 2, .most = 1
        };
    }
}

static void long_guess(struct guess *g)
{
    g->long_name = g->long_value = -1;
    for (size_t i = 0; i < g->count; i++) {
        struct column *c = &g->columns[i];
        if (g->long_name < 0 && c->kind == KIND_TEXT && !c->time_format &&
            !c->is_used && SCORE(c->name, metric_words) > 0 &&
            c->distinct < METRICS_MAX)
            g->long_name = (int)i;
        if (g->long_value < 0 && c->kind == KIND_NUMBER && has_word(c->name, "value"))
            g->long_value = (int)i;
    }
    if (g->long_name < 0 || g->long_value < 0) {
        g->long_name = g->long_value = -1;
        return;
    }
    g->columns[g->long_name].is_used = g->columns[g->long_value].is_used = true;
    metrics_add(g);
}

/* ---- roles ---- */

static int time_choose(const struct guess *g)
{
    int best = -1;
    int best_score = -1;
    for (size_t i = 0; i < g->field_count; i++) {
        const struct column *c = &g->columns[i];
        if (c->is_used || !c->time_format)
            continue;
        int score = SCORE(c->name, time_words) * 4 + (c->time_format[0] == '\0') +
                    (c->distinct * 2 > c->there);
        if (score > best_score) {
            best_score = score;
            best = (int)i;
        }
    }
    return best;
}

static bool is_free_number(const struct column *c)
{
    return !c->is_used && c->kind == KIND_NUMBER && !c->time_format;
}

/* Names that tell of a speed; then units; then of a length of time; then any number. */
static int performance_choose(const struct guess *g)
{
    int best = -1;
    int best_score = 0;
    for (size_t i = 0; i < g->count; i++) {
        const struct column *c = &g->columns[i];
        if (!is_free_number(c))
            continue;
        int speed = SCORE(c->name, speed_words);
        int length = SCORE(c->name, length_words);
        int score = speed > 0    ? 1000 + speed
                    : c->is_rate ? 900
                    : length > 0 ? 100 + length
                                 : 1;
        if ((c->distinct > 1 || score > 1) && score > best_score) {
            best_score = score;
            best = (int)i;
        }
    }
    return best;
}

static bool is_id_name(struct span name)
{
    return has_word(name, "job") || has_word(name, "uuid") || has_word(name, "uri") ||
           has_word(name, "run") || (name.size <= 3 && has_word(name, "id")) ||
           (name.size > 3 && strncasecmp(name.data + name.size - 2, "id", 2) == 0);
}

/* Whole numbers that count the rows. */
static bool is_counting(const struct column *c)
{
    return c->kind == KIND_NUMBER && !c->function && c->is_rising && c->there > 3 &&
           c->distinct == c->there && c->most - c->least < 3 * (double)c->there;
}

static int id_choose(const struct guess *g)
{
    bool is_long = g->long_name >= 0;
    for (size_t i = 0; i < g->field_count; i++) {
        const struct column *c = &g->columns[i];
        bool is_own = is_long ? c->distinct > 1 : c->distinct * 10 >= c->there * 9;
        if (!c->is_used && !c->time_format && is_own && is_id_name(c->name))
            return (int)i;
    }
    for (size_t i = 0; i < g->field_count; i++)
        if (!g->columns[i].is_used && !g->columns[i].time_format &&
            is_counting(&g->columns[i]))
            return (int)i;
    return -1;
}

/* The next column by which runs are alike: of those of which a few say much. */
static int class_choose(const struct guess *g, size_t sets)
{
    size_t runs = g->sample.row_count;
    int best = -1;
    int best_score = -1;
    for (size_t i = 0; i < g->field_count; i++) {
        const struct column *c = &g->columns[i];
        bool is_size = c->kind == KIND_NUMBER && !c->function &&
                       SCORE(c->name, size_words) > 0 && c->distinct <= 20;
        bool is_class = c->kind == KIND_TEXT && c->distinct <= CLASS_NAMES_MAX;
        if (c->is_used || c->time_format || (!is_class && !is_size) ||
            c->distinct < 2 || c->distinct * sets * 4 > runs)
            continue;
        int score = SCORE(c->name, class_words) + (is_class ? 1 : 0);
        if (score > best_score) {
            best_score = score;
            best = (int)i;
        }
    }
    return best;
}

static void roles_choose(struct guess *g)
{
    size_t sets = 1;
    long_guess(g);
    g->time = time_choose(g);
    if (g->time >= 0)
        g->columns[g->time].is_used = true;
    g->id = id_choose(g);
    if (g->id >= 0)
        g->columns[g->id].is_used = true;
    g->performance = performance_choose(g);
    if (g->performance >= 0)
        g->columns[g->performance].is_used = true;
    while (g->class_count < CLASSES_MAX) {
        int class = class_choose(g, sets);
        if (class < 0)
            break;
        g->classes[g->class_count++] = class;
        g->columns[class].is_used = true;
        sets *= g->columns[class].distinct;
    }
}

/* ---- the file ---- */

static void name_print(struct span name, struct strbuf *out)
{
    bool is_plain = name.size > 0 && !(name.data[0] >= '0' && name.data[0] <= '9');
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        is_plain = is_plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                (c >= '0' && c <= '9') || c == '_' || c == '.');
    }
    static const char *const words[] = { "and", "or", "not" };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        is_plain = is_plain && !span_is(name, words[i]);
    strbuf_addf(out, is_plain ? SPAN_FMT : "[" SPAN_FMT "]", SPAN_ARG(name));
}

static void formula_print(const struct column *c, struct strbuf *out)
{
    if (c->function)
        strbuf_addf(out, "%s(", c->function);
    name_print(c->name, out);
    if (c->function)
        strbuf_addc(out, ')');
}

/* "%d/%m" reads as well where no day is above 12. */
static bool is_ambiguous(const struct guess *g)
{
    const struct column *c = &g->columns[g->time];
    struct time_form other = { .has_zone = true };
    char format[64];
    if (!span_starts(span_of(c->time_format), "%m/%d"))
        return false;
    (void)snprintf(format, sizeof format, "%%d/%%m%s", c->time_format + 5);
    other.format = format;
    return times_count(g, (size_t)g->time, &other) > 0;
}

static void time_print(const struct guess *g)
{
    const struct column *c = &g->columns[g->time];
    strbuf_addf(g->out, "# The first is '" SPAN_FMT "'.\ntime = ", SPAN_ARG(c->first));
    name_print(c->name, g->out);
    strbuf_addc(g->out, '\n');
    if (is_ambiguous(g))
        strbuf_adds(g->out,
                    "# Day and month cannot be distinguished: '%d/%m...' reads them "
                    "as well.\n");
    if (c->time_format[0])
        strbuf_addf(g->out, "time_format = %s\n", c->time_format);
    if (c->wants_zone)
        strbuf_adds(g->out,
                    "# They name no zone: UTC is a guess. For clocks of a place "
                    "write its name: Europe/Berlin.\ntime_zone = UTC\n");
}

static void performance_print(const struct guess *g)
{
    const struct column *c = &g->columns[g->performance];
    bool is_speed = SCORE(c->name, speed_words) > 0 || c->is_rate;
    bool is_length = !is_speed && SCORE(c->name, length_words) > 0;
    if (is_length)
        strbuf_adds(g->out, "# More is better: the work of a run divided by its time, "
                            "where the table has the work.\nperformance = 1 / ");
    else if (is_speed)
        strbuf_adds(g->out, "# More is better.\nperformance = ");
    else
        strbuf_adds(g->out,
                    "# More is better. No column name means a speed: this is the "
                    "first column of numbers.\nperformance = ");
    formula_print(c, g->out);
    strbuf_addc(g->out, '\n');
}

static void study_print(const struct guess *g, const char *path)
{
    const char *slash = strrchr(path, '/');
    strbuf_addf(g->out, "[study]\ntitle = Runs of %s\n", slash ? slash + 1 : path);
    time_print(g);
    if (g->id >= 0) {
        strbuf_adds(g->out, "id = ");
        name_print(g->columns[g->id].name, g->out);
        strbuf_addc(g->out, '\n');
    }
    performance_print(g);
    strbuf_adds(g->out, "# Runs are comparable when they are equal in all of these.\n");
    for (size_t i = 0; i < g->class_count; i++) {
        const struct column *c = &g->columns[g->classes[i]];
        strbuf_adds(g->out, "class = ");
        name_print(c->name, g->out);
        strbuf_addc(g->out, '\n');
    }
    if (g->class_count == 0)
        strbuf_adds(g->out, "class = \"all\"\n");
}

static void word_make(struct span name, struct strbuf *out)
{
    for (size_t i = 0; i < name.size && out->size < 40; i++) {
        char c = name.data[i];
        bool is_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (c >= 'A' && c <= 'Z')
            strbuf_addc(out, (char)(c + ('a' - 'A')));
        else if (is_word)
            strbuf_addc(out, c);
        else if (out->size > 0 && out->data[out->size - 1] != '_')
            strbuf_addc(out, '_');
    }
    if (out->size > 0 && out->data[out->size - 1] == '_')
        out->size--;
}

/* What the section of a measure is called: a word that no other one has. */
static void section_print(struct guess *g, size_t index)
{
    AUTO(strbuf_done) struct strbuf word = STRBUF_INIT;
    bool is_new = false;
    word_make(g->columns[index].name, &word);
    (void)hashmap_put(&g->sections, strbuf_span(&word), &is_new);
    strbuf_addf(g->out, "\n[measure " SPAN_FMT, SPAN_ARG(strbuf_span(&word)));
    if (!is_new || word.size == 0)
        strbuf_addf(g->out, "%s%zu", word.size > 0 ? "_" : "c", index + 1);
    strbuf_adds(g->out, "]\n");
}

static void measures_print(struct guess *g)
{
    size_t count = 0;
    bool is_first = true;
    for (size_t i = 0; i < g->count; i++) {
        const struct column *c = &g->columns[i];
        if (!is_free_number(c) || c->distinct < 2 || count == MAPPING_ITEMS_MAX)
            continue;
        count++;
        section_print(g, i);
        strbuf_adds(g->out, "value = ");
        formula_print(c, g->out);
        strbuf_addf(g->out, "\nlabel = " SPAN_FMT "\n", SPAN_ARG(c->name));
        if (is_first)
            strbuf_adds(g->out,
                        "# 'big' where more of it is better. 'contributor = no' "
                        "for what the run itself\n# chose: it is correlated, and "
                        "not counted as a cause.\ngood = small\n");
        is_first = false;
    }
}

static void long_print(const struct guess *g)
{
    strbuf_adds(g->out,
                "# Rows with a metric each; those of one run are put together.\n");
    if (g->id >= 0) {
        strbuf_adds(g->out, "long_by = ");
        strbuf_add_span(g->out, g->columns[g->id].name);
        strbuf_addc(g->out, '\n');
    }
    for (int i = 0; g->id < 0 && i < (int)g->field_count; i++) {
        bool is_by = i == g->time;
        for (size_t j = 0; j < g->class_count; j++)
            is_by = is_by || i == g->classes[j];
        if (is_by)
            strbuf_addf(g->out, "long_by = " SPAN_FMT "\n",
                        SPAN_ARG(g->columns[i].name));
    }
    strbuf_addf(g->out, "long_name = " SPAN_FMT "\nlong_value = " SPAN_FMT "\n\n",
                SPAN_ARG(g->columns[g->long_name].name),
                SPAN_ARG(g->columns[g->long_value].name));
}

/* Every column, for who must correct what was guessed. */
static void columns_print(const struct guess *g)
{
    static const char *const kinds[] = { "empty", "numbers", "texts" };
    strbuf_addf(g->out,
                "# Of %zu%s rows: column, what it holds, different ones, the "
                "first\n",
                g->sample.row_count, g->sample.is_cut ? " first" : "");
    for (size_t i = 0; i < g->field_count; i++) {
        const struct column *c = &g->columns[i];
        strbuf_adds(g->out, "#   ");
        for (size_t j = 0; j < c->name.size && j < 60; j++)
            strbuf_addc(g->out,
                        (unsigned char)c->name.data[j] < 0x20 ? ' ' : c->name.data[j]);
        strbuf_addf(g->out, ": %s, %zu", c->time_format ? "times" : kinds[c->kind],
                    c->distinct);
        strbuf_adds(g->out, c->there > 0 ? ", '" : "");
        for (size_t j = 0; j < c->first.size && j < 40; j++)
            strbuf_addc(g->out, (unsigned char)c->first.data[j] < 0x20
                                    ? ' '
                                    : c->first.data[j]);
        strbuf_adds(g->out, c->there > 0 ? "'\n" : "\n");
    }
}

static int guess_print(struct guess *g, const char *path, struct err *err)
{
    columns_print(g);
    strbuf_adds(g->out,
                "#\n# What follows is guessed: read it, and correct it. All keys "
                "stand in\n# baro climate study --sample.\n\n");
    size_t before = g->out->size;
    preview_print(&g->sample, g->out);
    if (g->long_name >= 0) {
        if (g->out->size == before)
            strbuf_adds(g->out, "[table]\n");
        else
            g->out->size--; /* the section goes on */
        long_print(g);
    }
    if (g->time < 0)
        return err_set(err, ENODATA,
                       "%s: no column looks like a time: 'time_format' may read one",
                       path);
    if (g->performance < 0)
        return err_set(err, ENODATA, "%s: no column looks like a performance", path);
    study_print(g, path);
    measures_print(g);
    return strbuf_error(g->out) < 0 ? err_set(err, ENOMEM, "out of memory") : 0;
}

int guess_mapping(const char *path, struct strbuf *out, struct err *err)
{
    struct guess g = { .out = out };
    int rc = preview_read(path, &g.sample, err);
    if (rc < 0)
        return rc;
    if (g.sample.row_count == 0)
        rc = err_set(err, ENODATA, "%s: has no row of data", path);
    if (rc == 0 && (rc = columns_look(&g)) < 0)
        (void)err_set(err, -rc, "out of memory");
    if (rc == 0) {
        roles_choose(&g);
        rc = guess_print(&g, path, err);
    }
    free(g.columns);
    hashmap_done(&g.sections);
    preview_done(&g.sample);
    return rc;
}
