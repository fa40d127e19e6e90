/* SPDX-License-Identifier: Apache-2.0 */
/* failure_table - a row a class of components, and below it one for each of its worst.
 */
#include "report/reliability/failure_table.h"

#include "base/number.h"
#include "base/span.h"

#define NS_PER_HOUR (3600.0 * (double)NS_PER_S)

enum failure_column {
    FAILURE_CLASS,
    FAILURE_COMPONENT,
    FAILURE_COMPONENTS,
    FAILURE_FAILURES,
    FAILURE_DEGRADED,
    FAILURE_HOURS,
    FAILURE_MTBF,
    FAILURE_REPAIR_MEAN,
    FAILURE_REPAIR_MEDIAN,
    FAILURE_AVAILABILITY,
    FAILURE_DOWN_HOURS,
    FAILURE_DEGRADED_HOURS,
    FAILURE_UNKNOWN_HOURS,
    FAILURE_DRAINED_HOURS,
    FAILURE_DRAINS,
    FAILURE_REPAIRS,
    FAILURE_REPAIRS_UNKNOWN,
    FAILURE_FAILED,
    FAILURE_INTERVALS,
    FAILURE_INTERVAL_P10,
    FAILURE_INTERVAL_P50,
    FAILURE_INTERVAL_P90,
    FAILURE_COLUMN_COUNT,
};

static void failure_columns_add(struct table *table)
{
    static const struct {
        const char *name;
        enum table_type type;
        const char *unit;
    } columns[FAILURE_COLUMN_COUNT] = {
        [FAILURE_CLASS] = { "class", TABLE_TEXT, "" },
        [FAILURE_COMPONENT] = { "component", TABLE_TEXT, "" },
        [FAILURE_COMPONENTS] = { "components", TABLE_U64, "" },
        [FAILURE_FAILURES] = { "failures", TABLE_U64, "" },
        [FAILURE_DEGRADED] = { "degraded", TABLE_U64, "" },
        [FAILURE_HOURS] = { "observed", TABLE_DOUBLE, "h" },
        [FAILURE_MTBF] = { "mtbf", TABLE_DOUBLE, "h" },
        [FAILURE_REPAIR_MEAN] = { "repair_mean", TABLE_DOUBLE, "h" },
        [FAILURE_REPAIR_MEDIAN] = { "repair_median", TABLE_DOUBLE, "h" },
        [FAILURE_AVAILABILITY] = { "availability", TABLE_DOUBLE, "percent" },
        [FAILURE_DOWN_HOURS] = { "down_time", TABLE_DOUBLE, "h" },
        [FAILURE_DEGRADED_HOURS] = { "degraded_time", TABLE_DOUBLE, "h" },
        [FAILURE_UNKNOWN_HOURS] = { "unknown_time", TABLE_DOUBLE, "h" },
        [FAILURE_DRAINED_HOURS] = { "drained_time", TABLE_DOUBLE, "h" },
        [FAILURE_DRAINS] = { "drains", TABLE_U64, "" },
        [FAILURE_REPAIRS] = { "repairs", TABLE_U64, "" },
        [FAILURE_REPAIRS_UNKNOWN] = { "repairs_unknown", TABLE_U64, "" },
        [FAILURE_FAILED] = { "down_at_end", TABLE_U64, "" },
        [FAILURE_INTERVALS] = { "intervals", TABLE_U64, "" },
        [FAILURE_INTERVAL_P10] = { "interval_p10", TABLE_DOUBLE, "h" },
        [FAILURE_INTERVAL_P50] = { "interval_p50", TABLE_DOUBLE, "h" },
        [FAILURE_INTERVAL_P90] = { "interval_p90", TABLE_DOUBLE, "h" },
    };
    for (size_t i = 0; i < FAILURE_COLUMN_COUNT; i++)
        table_add_column(table, columns[i].name, columns[i].type, columns[i].unit);
}

static double hours_of(failure_sum ns)
{
    return (double)ns / NS_PER_HOUR;
}

static void percentile_set(struct table *table, enum failure_column column,
                           const struct failure_lengths *lengths, unsigned percent)
{
    int64_t length_ns;
    if (failure_lengths_percentile(lengths, percent, &length_ns))
        table_set_double(table, column, (double)length_ns / NS_PER_HOUR);
}

static void ratios_set(struct table *table, const struct failure_stats *stats)
{
    failure_sum observed_ns = failure_stats_observed(stats);
    double mean_ns;
    if (stats->failures > 0)
        table_set_double(table, FAILURE_MTBF,
                         hours_of(observed_ns) / (double)stats->failures);
    if (failure_lengths_mean(&stats->repairs, &mean_ns))
        table_set_double(table, FAILURE_REPAIR_MEAN, mean_ns / NS_PER_HOUR);
    percentile_set(table, FAILURE_REPAIR_MEDIAN, &stats->repairs, 50);
    if (observed_ns > 0)
        table_set_double(table, FAILURE_AVAILABILITY,
                         100 * (double)(observed_ns - stats->down_ns) /
                             (double)observed_ns);
    percentile_set(table, FAILURE_INTERVAL_P10, &stats->intervals, 10);
    percentile_set(table, FAILURE_INTERVAL_P50, &stats->intervals, 50);
    percentile_set(table, FAILURE_INTERVAL_P90, &stats->intervals, 90);
}

/* path NULL: of the class. */
static void failure_row_add(struct table *table, const char *class_name,
                            const char *path, const struct failure_stats *stats)
{
    table_add_row(table);
    table_set_text(table, FAILURE_CLASS, span_of(class_name));
    if (path)
        table_set_text(table, FAILURE_COMPONENT, span_of(path));
    table_set_u64(table, FAILURE_COMPONENTS, stats->components);
    table_set_u64(table, FAILURE_FAILURES, stats->failures);
    table_set_u64(table, FAILURE_DEGRADED, stats->degradations);
    table_set_double(table, FAILURE_HOURS, hours_of(failure_stats_observed(stats)));
    ratios_set(table, stats);
    table_set_double(table, FAILURE_DOWN_HOURS, hours_of(stats->down_ns));
    table_set_double(table, FAILURE_DEGRADED_HOURS, hours_of(stats->degraded_ns));
    table_set_double(table, FAILURE_UNKNOWN_HOURS, hours_of(stats->unknown_ns));
    table_set_double(table, FAILURE_DRAINED_HOURS, hours_of(stats->drained_ns));
    table_set_u64(table, FAILURE_DRAINS, stats->drains);
    table_set_u64(table, FAILURE_REPAIRS, stats->repairs.count);
    table_set_u64(table, FAILURE_REPAIRS_UNKNOWN, stats->repairs_unknown);
    table_set_u64(table, FAILURE_FAILED, stats->failed);
    table_set_u64(table, FAILURE_INTERVALS, stats->intervals.count);
}

static void failure_notes_add(struct table *table, const struct failure_class *class)
{
    const struct failure_stats *stats = &class->stats;
    if (stats->failures == 0)
        table_add_note(table, "%s: no failure in %.1f hours", class->name,
                       hours_of(failure_stats_observed(stats)));
    if (stats->intervals.is_cut || stats->repairs.is_cut)
        table_add_note(table,
                       "%s: percentiles and repairs are of the first %zu of them",
                       class->name, FAILURE_LENGTHS_MAX);
}

int failure_table_make(const struct failure_report *report, struct table *ret)
{
    failure_columns_add(ret);
    if (failure_report_others(report) > 0)
        table_add_note(ret,
                       "\"other\" has %llu components of further classes: a report has"
                       " %d of their own; choose some by class or by hosts",
                       (unsigned long long)failure_report_others(report),
                       FAILURE_CLASSES_MAX);
    for (size_t i = 0; i < failure_report_count(report); i++) {
        const struct failure_class *class = failure_report_at(report, i);
        failure_row_add(ret, class->name, NULL, &class->stats);
        for (size_t k = 0; k < class->worst.count; k++)
            failure_row_add(ret, class->name, class->worst.items[k].path,
                            &class->worst.items[k].stats);
        failure_notes_add(ret, class);
    }
    if (failure_report_count(report) == 0)
        table_add_note(ret, "Nothing was stated of such components until then.");
    return table_error(ret);
}
