/* SPDX-License-Identifier: Apache-2.0 */
/* guess - a mapping for an undescribed table. */
#include "analysis/table/guess.h"

#include "analysis/table/column_guess.h"
#include "analysis/table/column_name.h"
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
#define DIRECTION_SCORE 100
#define CLASS_NAMES_MAX 500
#define METRICS_MAX 256

struct guess {
    struct table_preview sample;
    struct column_guess *columns;
    size_t count;
    size_t field_count; /* of them the table's own; those behind are metrics */
    int time, performance, id, long_name, long_value;
    int other; /* the same of the other direction as performance; -1: none */
    int classes[CLASSES_MAX];
    size_t class_count;
    struct hashmap sections; /* names of measures so far */
    struct strbuf *out;
};

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
        column_guess(&g->sample, i, &g->columns[i]);
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
        g->columns[g->count++] = (struct column_guess){
            .name = name, .kind = COLUMN_NUMBER, .there = 2, .distinct = 2, .most = 1
        };
    }
}

static void long_guess(struct guess *g)
{
    g->long_name = g->long_value = -1;
    for (size_t i = 0; i < g->count; i++) {
        struct column_guess *c = &g->columns[i];
        if (g->long_name < 0 && c->kind == COLUMN_TEXT && !c->time_format &&
            !c->is_used && column_name_score(c->name, COLUMN_METRIC) > 0 &&
            c->distinct < METRICS_MAX)
            g->long_name = (int)i;
        if (g->long_value < 0 && c->kind == COLUMN_NUMBER &&
            column_name_has(c->name, "value"))
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
        const struct column_guess *c = &g->columns[i];
        if (c->is_used || !c->time_format)
            continue;
        int score = column_name_score(c->name, COLUMN_TIME) * 4 +
                    (c->time_format[0] == '\0') + (c->distinct * 2 > c->there);
        if (score > best_score) {
            best_score = score;
            best = (int)i;
        }
    }
    return best;
}

static bool is_free_number(const struct column_guess *c)
{
    return !c->is_used && c->kind == COLUMN_NUMBER && !c->time_format;
}

/* Names that tell of a speed; then units; then of a length of time; then any number. */
static int performance_choose(const struct guess *g)
{
    int best = -1;
    int best_score = 0;
    for (size_t i = 0; i < g->count; i++) {
        const struct column_guess *c = &g->columns[i];
        if (!is_free_number(c))
            continue;
        int speed = column_name_score(c->name, COLUMN_SPEED);
        int length = column_name_score(c->name, COLUMN_LENGTH);
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

/* Whole numbers that count the rows. */
static bool is_counting(const struct column_guess *c)
{
    bool is_other = column_name_score(c->name, COLUMN_SPEED) > 0 ||
                    column_name_score(c->name, COLUMN_LENGTH) > 0 ||
                    column_name_score(c->name, COLUMN_SIZE) > 0 ||
                    column_name_score(c->name, COLUMN_TIME) > 0;
    return c->kind == COLUMN_NUMBER && !c->function && c->is_whole && !is_other &&
           c->is_rising && c->there > 3 && c->distinct == c->there &&
           c->most - c->least < 3 * (double)c->there;
}

static int id_choose(const struct guess *g)
{
    bool is_long = g->long_name >= 0;
    for (size_t i = 0; i < g->field_count; i++) {
        const struct column_guess *c = &g->columns[i];
        bool is_own = is_long ? c->distinct > 1 : c->distinct * 10 >= c->there * 9;
        bool is_name = c->kind == COLUMN_TEXT || (c->is_whole && !c->function);
        if (!c->is_used && !c->time_format && is_own && is_name &&
            column_name_is_id(c->name))
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
        const struct column_guess *c = &g->columns[i];
        bool is_size = c->kind == COLUMN_NUMBER && !c->function &&
                       column_name_score(c->name, COLUMN_SIZE) > 0 && c->distinct <= 20;
        bool is_class = c->kind == COLUMN_TEXT && c->distinct <= CLASS_NAMES_MAX;
        /* Reading and writing are never comparable, however few rows there are. */
        size_t few = c->is_direction ? 2 : 4;
        if (c->is_used || c->time_format || (!is_class && !is_size) ||
            c->distinct < 2 || c->distinct * sets * few > runs)
            continue;
        int score = column_name_score(c->name, COLUMN_CLASS) + (is_class ? 1 : 0) +
                    (c->is_direction ? DIRECTION_SCORE : 0);
        if (score > best_score) {
            best_score = score;
            best = (int)i;
        }
    }
    return best;
}

/* "write [GiB/s]" beside "read [GiB/s]": each is a run of its own. */
static int other_choose(const struct guess *g)
{
    AUTO(strbuf_done) struct strbuf own = STRBUF_INIT;
    const struct column_guess *c = &g->columns[g->performance];
    enum column_direction direction = column_direction_of(c->name, &own);
    if (direction == COLUMN_NEITHER || g->long_name >= 0 ||
        (size_t)g->performance >= g->field_count)
        return -1;
    for (size_t i = 0; i < g->field_count; i++) {
        AUTO(strbuf_done) struct strbuf rest = STRBUF_INIT;
        enum column_direction of = column_direction_of(g->columns[i].name, &rest);
        bool is_same = span_eq(strbuf_span(&own), strbuf_span(&rest)) &&
                       g->columns[i].function == c->function;
        if (is_free_number(&g->columns[i]) && of != COLUMN_NEITHER && of != direction &&
            is_same)
            return (int)i;
    }
    return -1;
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
    g->other = -1;
    if (g->performance >= 0) {
        g->columns[g->performance].is_used = true;
        g->other = other_choose(g);
        if (g->other >= 0)
            g->columns[g->other].is_used = true;
    }
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

/* name: what it is called by; of a column of a wide table "cell". */
static void formula_print(const struct column_guess *c, struct span name,
                          struct strbuf *out)
{
    if (c->function)
        strbuf_addf(out, "%s(", c->function);
    name_print(name, out);
    if (c->function)
        strbuf_addc(out, ')');
}

/* "%d/%m" reads as well where no day is above 12. */
static bool is_ambiguous(const struct guess *g)
{
    const struct column_guess *c = &g->columns[g->time];
    struct time_form other = { .has_zone = true };
    char format[64];
    if (!span_starts(span_of(c->time_format), "%m/%d"))
        return false;
    (void)snprintf(format, sizeof format, "%%d/%%m%s", c->time_format + 5);
    other.format = format;
    return column_times_count(&g->sample, (size_t)g->time, &other) > 0;
}

static void time_print(const struct guess *g)
{
    const struct column_guess *c = &g->columns[g->time];
    strbuf_addf(g->out, "# The first is '" SPAN_FMT "'.\ntime = ", SPAN_ARG(c->first));
    name_print(c->name, g->out);
    strbuf_addc(g->out, '\n');
    if (is_ambiguous(g))
        strbuf_adds(g->out,
                    "# Day and month cannot be distinguished: '%d/%m...' reads them "
                    "as well.\n");
    if (c->time_format[0])
        strbuf_addf(g->out, "time_format = %s\n", c->time_format);
    if (c->has_no_day)
        strbuf_adds(
            g->out,
            "# They name no day: each counts as the first of its month. Averages "
            "are of\n# a quarter and a year, since no run is nearer to the next.\n"
            "short = 92d\nlong = 366d\n");
    if (c->wants_zone)
        strbuf_adds(g->out,
                    "# They name no zone: UTC is a guess. For clocks of a place "
                    "write its name: Europe/Berlin.\ntime_zone = UTC\n");
}

static void performance_print(const struct guess *g)
{
    const struct column_guess *c = &g->columns[g->performance];
    bool is_speed = column_name_score(c->name, COLUMN_SPEED) > 0 || c->is_rate;
    bool is_length = !is_speed && column_name_score(c->name, COLUMN_LENGTH) > 0;
    if (is_length)
        strbuf_adds(g->out, "# More is better: the work of a run divided by its time, "
                            "where the table has the work.\nperformance = 1 / ");
    else if (is_speed)
        strbuf_adds(g->out, "# More is better.\nperformance = ");
    else
        strbuf_adds(g->out,
                    "# More is better. No column name means a speed: this is the "
                    "first column of numbers.\nperformance = ");
    formula_print(c, g->other >= 0 ? SPAN("cell") : c->name, g->out);
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
    if (g->other >= 0)
        strbuf_adds(g->out, "# Reading or writing, by the name of its column.\n"
                            "class = column\n");
    for (size_t i = 0; i < g->class_count; i++) {
        const struct column_guess *c = &g->columns[g->classes[i]];
        strbuf_adds(g->out, "class = ");
        name_print(c->name, g->out);
        strbuf_addc(g->out, '\n');
    }
    if (g->class_count == 0 && g->other < 0)
        strbuf_adds(g->out, "class = \"all\"\n");
    strbuf_adds(g->out,
                "# Published figures to hold it against: 'expect = NAME VALUE'. "
                "All names:\n#   baro climate study --map THIS --list-figures ");
    strbuf_addf(g->out, "%s\n", slash ? slash + 1 : path);
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
        const struct column_guess *c = &g->columns[i];
        if (!is_free_number(c) || c->distinct < 2 || count == MAPPING_ITEMS_MAX)
            continue;
        if (c->is_whole && !c->function && i < g->field_count &&
            column_name_is_id(c->name))
            continue; /* a number that names something is no amount of anything */
        count++;
        section_print(g, i);
        strbuf_adds(g->out, "value = ");
        formula_print(c, c->name, g->out);
        strbuf_addf(g->out, "\nlabel = " SPAN_FMT "\n", SPAN_ARG(c->name));
        if (is_first)
            strbuf_adds(g->out,
                        "# 'big' where more of it is better. 'contributor = no' "
                        "for what the run itself\n# chose: it is correlated, and "
                        "not counted as a cause.\ngood = small\n");
        is_first = false;
    }
}

/* Brackets and the like are of patterns: a name with them is one with any byte there.
 */
static void pattern_print(struct span name, struct strbuf *out)
{
    strbuf_adds(out, "wide = ");
    for (size_t i = 0; i < name.size; i++)
        strbuf_addc(out, strchr("*?[]\\", name.data[i]) ? '?' : name.data[i]);
    strbuf_addc(out, '\n');
}

static void wide_print(const struct guess *g)
{
    strbuf_adds(g->out,
                "# A row has a reading and a writing: each is a run of its own.\n");
    pattern_print(g->columns[g->performance].name, g->out);
    pattern_print(g->columns[g->other].name, g->out);
    strbuf_addc(g->out, '\n');
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
        const struct column_guess *c = &g->columns[i];
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
    if (g->long_name >= 0 || g->other >= 0) {
        if (g->out->size == before)
            strbuf_adds(g->out, "[table]\n");
        else
            g->out->size--; /* the section goes on */
    }
    if (g->long_name >= 0)
        long_print(g);
    else if (g->other >= 0)
        wide_print(g);
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
