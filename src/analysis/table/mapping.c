/* SPDX-License-Identifier: Apache-2.0 */
/* mapping - what the columns of a table of runs mean. */
#include "analysis/table/mapping.h"

#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <stdlib.h>

#define DAY_NS (INT64_C(86400) * NS_PER_S)

struct study_opts {
    const char *title, *id, *time, *performance, *from, *to;
    const char *p_region, *p_contributor, *time_format, *time_zone;
    struct config_list classes, require, optional, expect, remarks, clock, alike;
    int64_t short_ns, long_ns;
    uint64_t region_runs_min;
    bool missing_counts;
};

struct join_opts {
    const char *file, *key, *key_column, *time, *time_column, *time_format, *time_zone;
    int64_t within_ns;
};

struct item_opts {
    const char *value, *label, *unit, *good;
    bool contributor;
};

#define STUDY(field) offsetof(struct study_opts, field)
#define JOIN(field) offsetof(struct join_opts, field)
#define ITEM(field) offsetof(struct item_opts, field)

static const struct config_key study_keys[] = {
    { "title", CONFIG_TEXT, STUDY(title), "Runs", 0, 0, "What the report is called." },
    { "time", CONFIG_TEXT, STUDY(time), NULL, 0, 0,
      "When a run began: seconds since the epoch, or RFC 3339." },
    { "time_format", CONFIG_TEXT, STUDY(time_format), NULL, 0, 0,
      "Another form of times: ms, us or ns since the epoch, or as strptime(3) knows it "
      "('%d.%m.%Y %H:%M'), with %f for decimals of a second." },
    { "time_zone", CONFIG_TEXT, STUDY(time_zone), NULL, 0, 0,
      "Of times that name none: UTC, how far ahead of UTC they are ('-8h'), or a place "
      "('Europe/Berlin'), with its summer times." },
    { "id", CONFIG_TEXT, STUDY(id), NULL, 0, 0, "What a run is called: its job id." },
    { "performance", CONFIG_TEXT, STUDY(performance), NULL, 0, 0,
      "How fast a run was; more is better. It is divided by the best of its set." },
    { "class", CONFIG_LIST, STUDY(classes), NULL, 0, 0,
      "What makes runs comparable; a set is all runs equal in each class, a group all "
      "equal in the first." },
    { "comparable", CONFIG_LIST, STUDY(alike), NULL, 0, 0,
      "A counter in which runs of a set must be equal to be comparable; none: those "
      "that baro job summarize writes." },
    { "require", CONFIG_LIST, STUDY(require), NULL, 0, 0,
      "A column that no run may miss, in files that have it." },
    { "optional", CONFIG_LIST, STUDY(optional), NULL, 0, 0,
      "A column that no file need have; without it it is missing." },
    { "from", CONFIG_TEXT, STUDY(from), NULL, 0, 0, "Runs that began at or after it." },
    { "to", CONFIG_TEXT, STUDY(to), NULL, 0, 0, "Runs that began before it." },
    { "clock", CONFIG_LIST, STUDY(clock), NULL, 0, 0,
      "Windows are measured on a clock that shows UTC plus this ('-8h'), from a time "
      "on "
      "('2017-03-12T10:00Z -7h'); or on that of a place ('America/Los_Angeles')." },
    { "short", CONFIG_DURATION, STUDY(short_ns), "14d", DAY_NS / 24, 3660 * DAY_NS,
      "The window of the short average." },
    { "long", CONFIG_DURATION, STUDY(long_ns), "49d", DAY_NS / 24, 3660 * DAY_NS,
      "The window of the long average." },
    { "region_runs", CONFIG_COUNT, STUDY(region_runs_min), "3", 2, 1000000,
      "Regions of fewer runs are not correlated." },
    { "p_region", CONFIG_TEXT, STUDY(p_region), "1e-5", 0, 0,
      "A correlation within a region counts below this p." },
    { "p_contributor", CONFIG_TEXT, STUDY(p_contributor), "0.10", 0, 0,
      "A worst value counts as a contributor when the chance of it is below this." },
    { "missing_counts", CONFIG_BOOL, STUDY(missing_counts), "no", 0, 0,
      "Count a measure as one that could have contributed also where the slowest run "
      "lacks it, as SC18 did; then it never did." },
    { "expect", CONFIG_LIST, STUDY(expect), NULL, 0, 0,
      "'name value': a published figure, to be held against ours." },
    { "remark", CONFIG_LIST, STUDY(remarks), NULL, 0, 0,
      "'name: text', a remark on a published figure in a report." },
};

static const struct config_key column_keys[] = {
    { "value", CONFIG_TEXT, ITEM(value), NULL, 0, 0, "The formula." },
};

static const struct config_key drop_keys[] = {
    { "when", CONFIG_TEXT, ITEM(value), NULL, 0, 0, "The formula that is true then." },
};

static const struct config_key measure_keys[] = {
    { "value", CONFIG_TEXT, ITEM(value), NULL, 0, 0, "The formula." },
    { "label", CONFIG_TEXT, ITEM(label), NULL, 0, 0, "What people call it." },
    { "unit", CONFIG_TEXT, ITEM(unit), "", 0, 0,
      "Its unit: bytes, bytes/s, s, % or any word." },
    { "good", CONFIG_TEXT, ITEM(good), "small", 0, 0, "'small' or 'big' is good." },
    { "contributor", CONFIG_BOOL, ITEM(contributor), "yes", 0, 0,
      "Check whether it slowed runs down; no: only correlate it." },
};

static const struct config_key join_keys[] = {
    { "file", CONFIG_TEXT, JOIN(file), NULL, 0, 0,
      "The second table: CSV, plain or packed; a path from where the mapping is." },
    { "key", CONFIG_TEXT, JOIN(key), NULL, 0, 0,
      "A formula over a run's own fields; none: the time alone finds a row." },
    { "key_column", CONFIG_TEXT, JOIN(key_column), NULL, 0, 0,
      "The column that has to be equal to it; default: the column called as 'key'." },
    { "time", CONFIG_TEXT, JOIN(time), NULL, 0, 0,
      "When the run was, over its own fields; default: that of [study]." },
    { "time_column", CONFIG_TEXT, JOIN(time_column), NULL, 0, 0,
      "When a row of the second table was; none: it is found by its key alone." },
    { "time_format", CONFIG_TEXT, JOIN(time_format), NULL, 0, 0,
      "How time_column is written, as 'time_format' of [study]." },
    { "time_zone", CONFIG_TEXT, JOIN(time_zone), NULL, 0, 0,
      "Of times there that name none." },
    { "within", CONFIG_DURATION, JOIN(within_ns), "1h", 0, 3660 * DAY_NS,
      "The last row at or before the run counts, if it is no older than this." },
};

#define SECTIONS 6
static const struct config_section study_sections[] = {
    { "study", false, study_keys, COUNT_OF(study_keys), "What is studied." },
    { "column", true, column_keys, COUNT_OF(column_keys),
      "A column made by a formula out of those before it." },
    { "drop", true, drop_keys, COUNT_OF(drop_keys), "Rows that are no observations." },
    { "measure", true, measure_keys, COUNT_OF(measure_keys),
      "What may have slowed a run down." },
    { "join", true, join_keys, COUNT_OF(join_keys),
      "A second table, whose columns formulas call NAME.COLUMN." },
};

/* With [table], which has a file of its own. */
static void sections_fill(struct config_section sections[static SECTIONS])
{
    memcpy(sections, study_sections, sizeof study_sections);
    sections[COUNT_OF(study_sections)] = sheet_section;
}

void mapping_describe(struct strbuf *out)
{
    struct config_section sections[SECTIONS];
    sections_fill(sections);
    config_describe(sections, SECTIONS, out);
}

static int offset_parse(struct span text, int64_t *ret_ns)
{
    bool is_west = span_starts(text, "-");
    int64_t ns;
    if (is_west || span_starts(text, "+"))
        text = span_skip(text, 1);
    int rc = number_parse_duration(text, &ns);
    if (rc < 0 || ns > DAY_NS)
        return -EINVAL;
    *ret_ns = is_west ? -ns : ns;
    return 0;
}

static int zone_read(struct mapping *m, const char *text, struct err *err)
{
    int rc = text ? zone_load(text, &m->time_form.zone, err) : 0;
    m->time_form.has_zone = text;
    return rc < 0 ? err_prefix(err, rc, "study.time_zone") : 0;
}

static int clock_read(struct mapping *m, const struct config_list *list,
                      struct err *err)
{
    struct zone zone = { 0 };
    if (list->count == 1 && strchr(list->items[0], ' ') == NULL) {
        int rc = zone_load(list->items[0], &zone, err);
        m->clock_zone = zone;
        return rc < 0 ? err_prefix(err, rc, "study.clock") : 0;
    }
    for (size_t i = 0; i < list->count; i++) {
        struct clock_change change = { INT64_MIN, 0 };
        struct span rest = span_of(list->items[i]);
        struct span time;
        int rc = 0;
        if (span_cut(&rest, ' ', &time))
            rc = timetext_parse(time, &change.t_ns);
        else
            rest = time;
        if (rc == 0)
            rc = offset_parse(span_trim(rest), &change.offset_ns);
        if (rc < 0 || m->clock_count == COUNT_OF(m->clock) ||
            (i > 0 && change.t_ns <= m->clock[i - 1].t_ns))
            return err_set(err, EINVAL,
                           "study.clock: '%s': write '-8h', or 'TIME -7h' for each "
                           "change in the order of time, at most %zu",
                           list->items[i], COUNT_OF(m->clock));
        m->clock[m->clock_count++] = change;
    }
    return 0;
}

static int time_read(const char *key, const char *text, int64_t open_ns,
                     int64_t *ret_ns, struct err *err)
{
    *ret_ns = open_ns;
    if (!text || timetext_parse(span_of(text), ret_ns) == 0)
        return 0;
    return err_set(err, EINVAL, "study.%s: '%s' is not a time with a zone", key, text);
}

static int p_read(const char *key, const char *text, double *ret, struct err *err)
{
    double p;
    if (number_parse_double(span_of(text), &p) < 0 || !(p > 0 && p <= 1))
        return err_set(err, EINVAL, "study.%s: '%s' is not a probability", key, text);
    *ret = p;
    return 0;
}

static int items_read(struct mapping *m, const char *kind, struct mapping_items *ret,
                      struct err *err)
{
    size_t count = config_name_count(m->config, kind);
    if (count > MAPPING_ITEMS_MAX)
        return err_set(err, EINVAL, "more than %d sections [%s NAME]",
                       MAPPING_ITEMS_MAX, kind);
    for (size_t i = 0; i < count; i++) {
        struct item_opts opts = { .good = "small" };
        const char *name = config_name(m->config, kind, i);
        int rc = config_fill(m->config, kind, name, &opts, err);
        if (rc < 0)
            return rc;
        bool is_big = strcmp(opts.good, "big") == 0;
        if (!opts.value || (!is_big && strcmp(opts.good, "small") != 0))
            return err_set(err, EINVAL, "[%s %s]: %s", kind, name,
                           opts.value ? "good is 'small' or 'big'"
                                      : "its formula is missing");
        ret->items[i] = (struct mapping_item){ .name = name,
                                               .formula = opts.value,
                                               .label = opts.label ? opts.label : name,
                                               .unit = opts.unit ? opts.unit : "",
                                               .is_big_good = is_big,
                                               .is_contributor = opts.contributor };
    }
    ret->count = count;
    return 0;
}

static int study_read(struct mapping *m, const struct study_opts *opts, struct err *err)
{
    if (!opts->time || !opts->performance || opts->classes.count == 0 ||
        opts->classes.count > MAPPING_CLASSES_MAX)
        return err_set(err, EINVAL,
                       "[study] wants time, performance and 1 to %d times class",
                       MAPPING_CLASSES_MAX);
    m->title = opts->title;
    m->id = opts->id;
    m->time = opts->time;
    m->time_form.format = opts->time_format;
    m->performance = opts->performance;
    m->classes = opts->classes;
    m->require = opts->require;
    m->optional = opts->optional;
    m->expect = opts->expect;
    m->alike = opts->alike;
    m->remarks = opts->remarks;
    m->short_ns = opts->short_ns;
    m->long_ns = opts->long_ns;
    m->region_runs_min = opts->region_runs_min;
    m->missing_counts = opts->missing_counts;
    int rc = clock_read(m, &opts->clock, err);
    if (rc == 0)
        rc = zone_read(m, opts->time_zone, err);
    if (rc == 0)
        rc = time_read("from", opts->from, INT64_MIN, &m->from_ns, err);
    if (rc == 0)
        rc = time_read("to", opts->to, INT64_MAX, &m->to_ns, err);
    if (rc == 0)
        rc = p_read("p_region", opts->p_region, &m->p_region, err);
    if (rc == 0)
        rc = p_read("p_contributor", opts->p_contributor, &m->p_contributor, err);
    if (rc == 0)
        rc = sheet_read(m->config, &m->sheet, err);
    return rc;
}

/* A path beside the mapping. */
static char *beside(const char *mapping_path, const char *file)
{
    const char *slash = strrchr(mapping_path, '/');
    int size = file[0] == '/' || !slash ? 0 : (int)(slash - mapping_path) + 1;
    char *path = NULL;
    return asprintf(&path, "%.*s%s", size, mapping_path, file) < 0 ? NULL : path;
}

static int join_read(struct mapping *m, const char *path, const char *name,
                     struct table_join *ret, struct err *err)
{
    struct join_opts opts = { 0 };
    int rc = config_fill(m->config, "join", name, &opts, err);
    if (rc == 0 && (!opts.file || (!opts.key && !opts.time_column)))
        return err_set(err, EINVAL, "[join %s] wants file, and key or time_column",
                       name);
    if (rc == 0 && opts.time_zone)
        rc = zone_load(opts.time_zone, &ret->form.zone, err);
    if (rc < 0)
        return err_prefix(err, rc, "[join %s]", name);
    ret->name = name;
    ret->key = opts.key;
    ret->key_column = opts.key_column ? opts.key_column : opts.key;
    ret->time = opts.time ? opts.time : m->time;
    ret->time_column = opts.time_column;
    ret->form.format = opts.time_format;
    ret->form.has_zone = opts.time_zone;
    ret->within_ns = opts.within_ns;
    ret->path = beside(path, opts.file);
    return ret->path ? 0 : err_set(err, ENOMEM, "out of memory");
}

static int joins_read(struct mapping *m, const char *path, struct err *err)
{
    size_t count = config_name_count(m->config, "join");
    int rc = 0;
    if (count > ROW_JOINS_MAX)
        return err_set(err, EINVAL, "more than %d sections [join NAME]", ROW_JOINS_MAX);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = join_read(m, path, config_name(m->config, "join", i),
                       &m->joins[m->join_count++], err);
    return rc;
}

int mapping_load(const char *path, struct mapping *ret, struct err *err)
{
    struct config_section sections[SECTIONS];
    struct study_opts opts = { 0 };
    struct mapping m = { 0 };
    sections_fill(sections);
    int rc = config_load(path, sections, SECTIONS, &m.config, err);
    if (rc < 0)
        return rc;
    rc = config_fill(m.config, "study", NULL, &opts, err);
    if (rc == 0)
        rc = study_read(&m, &opts, err);
    if (rc == 0)
        rc = items_read(&m, "column", &m.columns, err);
    if (rc == 0)
        rc = items_read(&m, "drop", &m.drops, err);
    if (rc == 0)
        rc = items_read(&m, "measure", &m.measures, err);
    if (rc == 0)
        rc = joins_read(&m, path, err);
    if (rc < 0) {
        mapping_done(&m);
        return err_prefix(err, rc, "%s", path);
    }
    *ret = m;
    return 0;
}

void mapping_done(struct mapping *mapping)
{
    zone_done(&mapping->time_form.zone);
    zone_done(&mapping->clock_zone);
    for (size_t i = 0; i < mapping->join_count; i++) {
        zone_done(&mapping->joins[i].form.zone);
        free((void *)(uintptr_t)mapping->joins[i].path);
    }
    mapping->join_count = 0;
    config_free(mapping->config);
    mapping->config = NULL;
}

int64_t mapping_clock(const struct mapping *mapping, int64_t t_ns)
{
    int64_t offset_ns = zone_offset_ns(&mapping->clock_zone, t_ns);
    for (size_t i = 0; i < mapping->clock_count; i++)
        if (mapping->clock[i].t_ns <= t_ns)
            offset_ns = mapping->clock[i].offset_ns;
    return t_ns + offset_ns;
}
