/* SPDX-License-Identifier: Apache-2.0 */
/* divergence_table - when runs were slower or faster than their season, and what went
 * with it, as tables. */
#include "report/divergence_table.h"

#include "base/number.h"
#include "base/span.h"

#define NS_PER_DAY (86400 * NS_PER_S)

struct divergence_column {
    const char *name;
    enum table_type type;
};

static void divergence_columns_add(struct table *table,
                                   const struct divergence_column *columns,
                                   size_t count)
{
    for (size_t i = 0; i < count; i++)
        table_add_column(table, columns[i].name, columns[i].type, "");
}

static int table_end(const struct table *table, struct err *err)
{
    return table_error(table) < 0 ? err_set(err, ENOMEM, "out of memory") : 0;
}

int region_table_make(const struct divergence *divergence, struct table *table,
                      struct err *err)
{
    static const struct divergence_column columns[] = {
        { "class", TABLE_TEXT },      { "from", TABLE_TIME },
        { "to", TABLE_TIME },         { "days", TABLE_DOUBLE },
        { "runs", TABLE_U64 },        { "is", TABLE_TEXT },
        { "mean", TABLE_DOUBLE },     { "season", TABLE_DOUBLE },
        { "slowest", TABLE_TEXT },    { "slowest_time", TABLE_TIME },
        { "fraction", TABLE_DOUBLE },
    };
    divergence_columns_add(table, columns, COUNT_OF(columns));
    for (size_t i = 0; i < divergence->region_count; i++) {
        const struct divergence_region *region = &divergence->regions[i];
        table_add_row(table);
        table_set_text(table, 0, span_of(region->class_name));
        table_set_i64(table, 1, region->from_ns / NS_PER_MS);
        table_set_i64(table, 2, region->to_ns / NS_PER_MS);
        table_set_double(table, 3, (double)region->length_ns / (double)NS_PER_DAY);
        table_set_u64(table, 4, region->runs);
        table_set_text(table, 5, region->is_faster ? SPAN("faster") : SPAN("slower"));
        table_set_double(table, 6, region->mean);
        table_set_double(table, 7, region->season_mean);
        table_set_text(table, 8, span_of(region->slowest->id));
        table_set_i64(table, 9, region->slowest->t_ns / NS_PER_MS);
        table_set_double(table, 10, region->slowest->fraction);
    }
    return table_end(table, err);
}

int region_correlation_table_make(const struct divergence *divergence,
                                  struct table *table, struct err *err)
{
    static const struct divergence_column columns[] = {
        { "class", TABLE_TEXT }, { "from", TABLE_TIME },    { "to", TABLE_TIME },
        { "runs", TABLE_U64 },   { "measure", TABLE_TEXT }, { "n", TABLE_U64 },
        { "r", TABLE_DOUBLE },   { "p", TABLE_DOUBLE },
    };
    divergence_columns_add(table, columns, COUNT_OF(columns));
    for (size_t i = 0; i < divergence->correlation_count; i++) {
        const struct divergence_correlation *item = &divergence->correlations[i];
        table_add_row(table);
        table_set_text(table, 0, span_of(item->class_name));
        table_set_i64(table, 1, item->from_ns / NS_PER_MS);
        table_set_i64(table, 2, item->to_ns / NS_PER_MS);
        table_set_u64(table, 3, item->runs);
        table_set_text(table, 4, span_of(item->measure));
        table_set_u64(table, 5, item->found.count);
        table_set_double(table, 6, item->found.r);
        table_set_double(table, 7, item->found.p);
    }
    return table_end(table, err);
}

void contributor_rows_add(const struct anomaly_measure *measures, size_t count,
                          struct table *table)
{
    static const struct divergence_column columns[] = {
        { "measure", TABLE_TEXT },    { "label", TABLE_TEXT },
        { "contributed", TABLE_U64 }, { "covered", TABLE_U64 },
        { "fraction", TABLE_DOUBLE }, { "p", TABLE_DOUBLE },
    };
    divergence_columns_add(table, columns, COUNT_OF(columns));
    for (size_t i = 0; i < count; i++) {
        table_add_row(table);
        table_set_text(table, 0, span_of(measures[i].name));
        table_set_text(table, 1, span_of(measures[i].label));
        table_set_u64(table, 2, measures[i].contributed);
        table_set_u64(table, 3, measures[i].asked);
        if (measures[i].asked == 0)
            continue;
        table_set_double(table, 4, measures[i].fraction);
        table_set_double(table, 5, measures[i].p);
    }
}

int contributor_table_make(const struct divergence *divergence, struct table *table,
                           struct err *err)
{
    contributor_rows_add(divergence->measures, divergence->measure_count, table);
    table_add_note(table,
                   "%zu regions; a measure covers the slowest run of %llu, and "
                   "explains that of %llu",
                   divergence->region_count, (unsigned long long)divergence->asked,
                   (unsigned long long)divergence->explained);
    table_add_note(table, "p is the chance of as many by chance alone, at %g each",
                   divergence->p_contributor);
    return table_end(table, err);
}

/* "Data server load 78.2 (p 0.04); ...": not the least likely first, since people know
 * the mapping's order. */
static void contributors_print(const struct divergence_region *region,
                               struct strbuf *out)
{
    for (size_t i = 0; i < region->contributor_count; i++) {
        const struct divergence_contributor *c = &region->contributors[i];
        strbuf_addf(out, "%s%s %.4g (p %.2g)", i > 0 ? "; " : "", c->label, c->worst,
                    c->p);
    }
}

int anomaly_table_make(const struct divergence *divergence, struct table *table,
                       struct err *err)
{
    static const struct divergence_column columns[] = {
        { "class", TABLE_TEXT },        { "run", TABLE_TEXT }, { "time", TABLE_TIME },
        { "fraction", TABLE_DOUBLE },   { "runs", TABLE_U64 }, { "covered", TABLE_U64 },
        { "contributors", TABLE_TEXT },
    };
    divergence_columns_add(table, columns, COUNT_OF(columns));
    for (size_t i = 0; i < divergence->region_count; i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        const struct divergence_region *region = &divergence->regions[i];
        contributors_print(region, &text);
        if (strbuf_error(&text) < 0)
            return err_set(err, ENOMEM, "out of memory");
        table_add_row(table);
        table_set_text(table, 0, span_of(region->class_name));
        table_set_text(table, 1, span_of(region->slowest->id));
        table_set_i64(table, 2, region->slowest->t_ns / NS_PER_MS);
        table_set_double(table, 3, region->slowest->fraction);
        table_set_u64(table, 4, region->runs);
        table_set_u64(table, 5, region->asked);
        if (text.size > 0)
            table_set_text(table, 6, strbuf_span(&text));
    }
    return table_end(table, err);
}
