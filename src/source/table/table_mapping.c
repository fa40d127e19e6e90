/* SPDX-License-Identifier: Apache-2.0 */
/* table_mapping - what the columns of somebody's table of measures mean. */
#include "source/table/table_mapping.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

struct table_keys {
    const char *time, *zone, *at, *component, *only, *query;
    int64_t query_timeout_ns;
};

struct measure_keys {
    const char *column, *kind, *unit;
};

#define KEY(struct_name, field, default_value, help_text)                        \
    {                                                                            \
        .name = #field, .type = CONFIG_TEXT,                                     \
        .offset = offsetof(struct struct_name, field), .value = (default_value), \
        .help = (help_text)                                                      \
    }

static const struct config_key table_key_list[] = {
    KEY(table_keys, time, NULL, "The column with the time."),
    KEY(table_keys, zone, "epoch",
        "epoch: seconds since 1970; else texts, of the zone UTC or +01:00."),
    KEY(table_keys, at, "start", "A row is of the step that starts, or ends, then."),
    KEY(table_keys, component, NULL, "What is measured: columns in braces, and text."),
    KEY(table_keys, only, NULL, "COLUMN = VALUE: other rows are passed over."),
    KEY(table_keys, query, NULL, "The query for a database."),
    { "query_timeout", CONFIG_DURATION, offsetof(struct table_keys, query_timeout_ns),
      "5m", NS_PER_S, 86400 * NS_PER_S,
      "How long to wait for the next rows of MySQL." },
};

static const struct config_key measure_key_list[] = {
    KEY(measure_keys, column, NULL, "The column with the value."),
    KEY(measure_keys, kind, "gauge", "gauge, count (of a step), rate or counter."),
    KEY(measure_keys, unit, "1", "B, KiB, MiB, GiB, kB, MB, GB, or a factor."),
};

static const struct config_section sections[] = {
    { .kind = "table",
      .keys = table_key_list,
      .key_count = COUNT_OF(table_key_list),
      .help = "What a row is." },
    { .kind = "measure",
      .is_named = true,
      .keys = measure_key_list,
      .key_count = COUNT_OF(measure_key_list),
      .help = "What a column measures." },
};

static int unit_parse(const char *text, double *ret)
{
    static const struct {
        const char *name;
        double scale;
    } units[] = { { "B", 1 },         { "KiB", 1024 },
                  { "MiB", 1048576 }, { "GiB", 1073741824 },
                  { "kB", 1e3 },      { "MB", 1e6 },
                  { "GB", 1e9 } };
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (strcmp(text, units[i].name) == 0) {
            *ret = units[i].scale;
            return 0;
        }
    return number_parse_double(span_of(text), ret);
}

static int word_find(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return (int)i;
    return -1;
}

static int zone_parse(const char *text, struct table_mapping *m)
{
    char stamp[64];
    int64_t t_ns;
    m->zone = strcmp(text, "epoch") == 0 ? TABLE_ZONE_EPOCH : TABLE_ZONE_TEXT;
    if (m->zone == TABLE_ZONE_EPOCH || strcmp(text, "UTC") == 0)
        return 0;
    int size = snprintf(stamp, sizeof stamp, "2000-01-01T00:00:00%s", text);
    if (size < 0 || (size_t)size >= sizeof stamp ||
        timetext_parse((struct span){ stamp, (size_t)size }, &t_ns) < 0)
        return -EINVAL;
    m->zone_east_s = INT64_C(946684800) - t_ns / NS_PER_S;
    return 0;
}

/* "COLUMN = VALUE", of which the texts are kept in only, which is changed. */
static int only_parse(const char *text, struct table_mapping *m)
{
    char *copy = strdup(text);
    char *equal = copy ? strchr(copy, '=') : NULL;
    if (!equal) {
        free(copy);
        return copy ? -EINVAL : -ENOMEM;
    }
    struct span column = span_trim((struct span){ copy, (size_t)(equal - copy) });
    struct span value = span_trim(span_of(equal + 1));
    memmove(copy, column.data, column.size);
    copy[column.size] = '\0';
    m->only_column = copy;
    m->only_value = span_dup(value);
    return m->only_value ? 0 : -ENOMEM;
}

static int measure_take(struct table_mapping *m, const char *name, struct err *err)
{
    static const char *const kinds[] = { "gauge", "count", "rate", "counter" };
    struct measure_keys keys = { 0 };
    struct table_measure measure = { .name = name };
    int rc = config_fill(m->config, "measure", name, &keys, err);
    if (rc < 0)
        return rc;
    int kind = word_find(keys.kind, kinds, COUNT_OF(kinds));
    if (!keys.column || kind < 0 || unit_parse(keys.unit, &measure.scale) < 0)
        return err_set(err, EINVAL,
                       "[measure %s]: wants a column, a kind of gauge, count, rate and "
                       "counter, and a unit",
                       name);
    measure.column = keys.column;
    measure.kind = (enum table_kind)kind;
    m->measures[m->measure_count++] = measure;
    return 0;
}

static int take(struct table_mapping *m, struct err *err)
{
    static const char *const ats[] = { "start", "end" };
    struct table_keys keys = { 0 };
    int rc = config_fill(m->config, "table", NULL, &keys, err);
    if (rc < 0)
        return rc;
    int at = word_find(keys.at, ats, COUNT_OF(ats));
    if (!keys.time || !keys.component || at < 0 || zone_parse(keys.zone, m) < 0)
        return err_set(err, EINVAL,
                       "[table]: wants a time, a component, a zone of epoch, UTC or "
                       "+01:00, and at start or end");
    m->time = keys.time;
    m->at = (enum table_at)at;
    m->component = keys.component;
    m->query = keys.query;
    m->query_timeout_ns = keys.query_timeout_ns;
    if (keys.only && only_parse(keys.only, m) < 0)
        return err_set(err, EINVAL, "[table]: only = '%s' is not COLUMN = VALUE",
                       keys.only);
    size_t count = config_name_count(m->config, "measure");
    if (count == 0 || count > TABLE_MEASURES_MAX)
        return err_set(err, EINVAL, "1 to %d [measure NAME] are wanted",
                       TABLE_MEASURES_MAX);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = measure_take(m, config_name(m->config, "measure", i), err);
    return rc;
}

static int finish(int rc, struct table_mapping *m, const char *name,
                  struct table_mapping *ret, struct err *err)
{
    if (rc == 0)
        rc = take(m, err);
    else
        name = NULL; /* it is named already */
    if (rc == 0) {
        *ret = *m;
        return 0;
    }
    table_mapping_done(m);
    return name ? err_prefix(err, rc, "%s", name) : rc;
}

int table_mapping_load(const char *path, struct table_mapping *ret, struct err *err)
{
    struct table_mapping m = { 0 };
    int rc = config_load(path, sections, COUNT_OF(sections), &m.config, err);
    return finish(rc, &m, path, ret, err);
}

int table_mapping_parse(const char *name, struct span text, struct table_mapping *ret,
                        struct err *err)
{
    struct table_mapping m = { 0 };
    int rc = config_parse(name, text, sections, COUNT_OF(sections), &m.config, err);
    return finish(rc, &m, name, ret, err);
}

void table_mapping_done(struct table_mapping *mapping)
{
    config_free(mapping->config);
    free((void *)(uintptr_t)mapping->only_column);
    free((void *)(uintptr_t)mapping->only_value);
    *mapping = (struct table_mapping){ 0 };
}
