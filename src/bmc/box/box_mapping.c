/* SPDX-License-Identifier: Apache-2.0 */
/* mapping - what a storage box has, and what its values mean: a file of tables. */
#include "bmc/box/box_mapping.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "bmc/redfish_link.h"

#include <ctype.h>

#define CLASS_BYTES_MAX 31
#define METRIC_BYTES_MAX 63

#define TABLE(name) offsetof(struct mapping_table, name)
#define COLUMN(which) \
    (TABLE(column) + (which) * sizeof((struct mapping_table *)0)->column[0])
static const struct config_key table_keys[] = {
    { "path", CONFIG_TEXT, TABLE(path), "", 0, 0,
      "REST: the path of the document, /api/v1/disks." },
    { "items", CONFIG_TEXT, TABLE(items), "", 0, 0,
      "REST: pointer to the rows in it, /enclosures/*/disks/*; * is each element." },
    { "value", CONFIG_TEXT, COLUMN(MAPPING_VALUE), "", 0, 0,
      "The column that has the state, or the number of a metric: an OID, or a pointer "
      "within a row, /status/health." },
    { "name", CONFIG_TEXT, COLUMN(MAPPING_NAME), "", 0, 0,
      "The column that has the row's name; empty: its index serves." },
    { "text", CONFIG_TEXT, COLUMN(MAPPING_TEXT), "", 0, 0,
      "The column that has a text for the reason." },
    { "when", CONFIG_TEXT, COLUMN(MAPPING_WHEN), "", 0, 0,
      "The column that decides whether a row counts." },
    { "when_is", CONFIG_TEXT, TABLE(when_is), "", 0, 0,
      "Patterns, with commas between, one of which that column matches." },
    { "class", CONFIG_TEXT, TABLE(class), "", 0, 0,
      "What a row is: disk, fan, port; host: the box itself; empty: it has a metric "
      "alone." },
    { "id", CONFIG_TEXT, TABLE(id), "", 0, 0,
      "The component's name: text with %n for the row's name and %i for its index; "
      "empty: %n where there is a name column, else %i." },
    { "states", CONFIG_LIST, TABLE(states_text), NULL, 0, 0,
      "VALUE=HEALTH with blanks between: 2=up 3=degraded 90..100=down 5=absent "
      "*=unknown; a shell's pattern or a range; may be repeated." },
    { "metric", CONFIG_TEXT, TABLE(metric), "", 0, 0,
      "The metric that the value is a sample of." },
    { "divide", CONFIG_COUNT, TABLE(divisor), "1", 1, 1000000000,
      "The metric is the value divided by this." },
};

const struct config_section mapping_config_sections[] = {
    { "table", true, table_keys, COUNT_OF(table_keys),
      "A table of a storage box: a row is a component." },
};
const size_t mapping_config_section_count = COUNT_OF(mapping_config_sections);

/* ---- states ---- */

static int health_parse(struct span text, struct mapping_state *state)
{
    static const enum resource_health all[] = { RESOURCE_UP, RESOURCE_DEGRADED,
                                                RESOURCE_DOWN, RESOURCE_UNKNOWN };
    if (span_is(text, "absent"))
        return 0; /* as up is 0: nothing is there that could be ill */
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (span_is(text, resource_health_name(all[i]))) {
            state->health = all[i];
            return 0;
        }
    return -EINVAL;
}

/* "90..100" */
static void range_parse(struct mapping_state *state)
{
    const char *dots = memmem(state->pattern.data, state->pattern.size, "..", 2);
    if (!dots)
        return;
    struct span from = { state->pattern.data, (size_t)(dots - state->pattern.data) };
    struct span to = span_skip(state->pattern, from.size + 2);
    state->is_range = number_parse_double(from, &state->from) == 0 &&
                      number_parse_double(to, &state->to) == 0;
}

static int state_add(struct mapping_table *t, struct span word, struct err *err)
{
    const char *equals = word.size ? memrchr(word.data, '=', word.size) : NULL;
    struct mapping_state *state = &t->states[t->state_count];
    if (t->state_count == MAPPING_STATES_MAX)
        return err_set(err, E2BIG, "states: more than %d", MAPPING_STATES_MAX);
    memset(state, 0, sizeof *state);
    if (!equals || equals == word.data ||
        health_parse(span_skip(word, (size_t)(equals - word.data) + 1), state) < 0)
        return err_set(err, EINVAL,
                       "states: '%.*s' is not VALUE=HEALTH (up, degraded, down, "
                       "unknown, absent)",
                       (int)(word.size < 60 ? word.size : 60), word.data);
    state->pattern = (struct span){ word.data, (size_t)(equals - word.data) };
    range_parse(state);
    t->states_copy[equals - t->states_copy] = '\0'; /* ends the pattern */
    t->state_count++;
    return 0;
}

static int states_parse(struct mapping_table *t, struct err *err)
{
    AUTO(strbuf_done) struct strbuf all = STRBUF_INIT;
    for (size_t i = 0; i < t->states_text.count; i++)
        strbuf_addf(&all, "%s ", t->states_text.items[i]);
    t->states_copy = strbuf_error(&all) < 0 ? NULL : span_dup(strbuf_span(&all));
    if (!t->states_copy)
        return err_set(err, ENOMEM, "out of memory");
    struct span rest = span_of(t->states_copy), word;
    int rc = 0;
    while (rest.size > 0 && rc == 0) {
        (void)span_cut(&rest, ' ', &word);
        word = span_trim(word);
        rc = word.size > 0 ? state_add(t, word, err) : 0;
    }
    return rc;
}

const struct mapping_state *mapping_state_of(const struct mapping_table *table,
                                             struct span value)
{
    double number = 0;
    bool is_number = number_parse_double(value, &number) == 0;
    for (size_t i = 0; i < table->state_count; i++) {
        const struct mapping_state *state = &table->states[i];
        if (state->is_range ? is_number && number >= state->from && number <= state->to
                            : span_glob(value, state->pattern.data))
            return state;
    }
    return NULL;
}

/* ---- a table ---- */

static bool is_plain_name(const char *text, size_t size_max, const char *more)
{
    if (strlen(text) > size_max || !isalpha((unsigned char)text[0]))
        return false;
    for (const char *at = text; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr(more, *at))
            return false;
    return true;
}

static const char *const column_names[] = { "value", "name", "text", "when" };

static int snmp_table_check(struct mapping_table *t, struct err *err)
{
    if (t->path[0] || t->items[0])
        return err_set(err, EINVAL, "path, items: are of REST, and this is SNMP");
    for (size_t i = 0; i < MAPPING_COLUMN_COUNT; i++)
        if (t->column[i][0] && (box_oid_parse(span_of(t->column[i]), &t->oid[i]) < 0 ||
                                t->oid[i].count > BOX_OID_MAX / 2))
            return err_set(err, EINVAL,
                           "%s: '%.80s' is not an OID of numbers, 1.3.6.1.2.1.2.2.1.8",
                           column_names[i], t->column[i]);
    return 0;
}

static int rest_table_check(struct mapping_table *t, struct err *err)
{
    const char *why = bmc_path_check(span_of(t->path));
    if (why)
        return err_set(err, EINVAL, "path: '%.80s': %s", t->path, why);
    if (t->items[0] && t->items[0] != '/')
        return err_set(err, EINVAL, "items: '%.80s' does not begin with /", t->items);
    for (size_t i = 0; i < MAPPING_COLUMN_COUNT; i++)
        if (t->column[i][0] && t->column[i][0] != '/')
            return err_set(err, EINVAL, "%s: '%.80s' does not begin with /",
                           column_names[i], t->column[i]);
    return 0;
}

static int table_check(struct mapping_table *t, enum box_mapping_kind kind,
                       struct err *err)
{
    if (!t->column[MAPPING_VALUE][0])
        return err_set(err, EINVAL, "value: a column is wanted");
    if (!t->class[0] && !t->metric[0])
        return err_set(err, EINVAL, "class: is wanted, or metric");
    if (t->class[0] && !is_plain_name(t->class, CLASS_BYTES_MAX, "-_"))
        return err_set(err, EINVAL,
                       "class: '%.60s' is not a word of at most %d letters", t->class,
                       CLASS_BYTES_MAX);
    if (t->metric[0] && !is_plain_name(t->metric, METRIC_BYTES_MAX, "_"))
        return err_set(err, EINVAL, "metric: '%.80s' is not the name of a metric",
                       t->metric);
    if (!t->column[MAPPING_WHEN][0] != !t->when_is[0])
        return err_set(err, EINVAL, "when, when_is: one is nothing without the other");
    int rc = kind == MAPPING_SNMP ? snmp_table_check(t, err) : rest_table_check(t, err);
    if (rc == 0)
        rc = states_parse(t, err);
    if (rc == 0 && t->class[0] && t->state_count == 0)
        rc = err_set(err, EINVAL, "states: a class wants them");
    return rc;
}

/* ---- the file ---- */

static int tables_fill(struct box_mapping *m, enum box_mapping_kind kind,
                       struct err *err)
{
    m->count = config_name_count(m->file, "table");
    if (m->count == 0 || m->count > MAPPING_TABLES_MAX)
        return err_set(err, EINVAL, "from 1 to %d [table NAME] are wanted, not %zu",
                       MAPPING_TABLES_MAX, m->count);
    m->tables = calloc(m->count, sizeof *m->tables);
    if (!m->tables)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < m->count; i++) {
        struct mapping_table *t = &m->tables[i];
        AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
        t->table = config_name(m->file, "table", i);
        int rc = config_fill(m->file, "table", t->table, t, err);
        if (rc == 0)
            rc = table_check(t, kind, err);
        if (rc == 0)
            continue;
        config_print_key_line(m->file, "table", t->table, "value", &line);
        return err_prefix(err, rc, "%s: [table %s]", strbuf_text(&line), t->table);
    }
    return 0;
}

int box_mapping_parse(const char *name, struct span text, enum box_mapping_kind kind,
                      struct box_mapping *ret, struct err *err)
{
    AUTO(box_mapping_done) struct box_mapping m = { .count = 0 };
    int rc = config_parse(name, text, mapping_config_sections,
                          mapping_config_section_count, &m.file, err);
    if (rc == 0)
        rc = tables_fill(&m, kind, err);
    if (rc < 0)
        return rc;
    *ret = m;
    memset(&m, 0, sizeof m);
    return 0;
}

int box_mapping_load(const char *path, enum box_mapping_kind kind,
                     struct box_mapping *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = file_read(path, MAPPING_BYTES_MAX, &text, err);
    return rc < 0 ? rc : box_mapping_parse(path, strbuf_span(&text), kind, ret, err);
}

void box_mapping_done(struct box_mapping *m)
{
    for (size_t i = 0; m->tables && i < m->count; i++)
        free(m->tables[i].states_copy);
    free(m->tables);
    config_free(m->file);
    memset(m, 0, sizeof *m);
}
