/* SPDX-License-Identifier: Apache-2.0 */
/* mapping - what the columns of a table of runs mean.
 *
 *     [table]                 how it is written: separator, decimals, missing
 *     [study]                 time, performance, classes, windows, thresholds
 *     [column NAME]           value = a formula; later formulas may use it
 *     [drop NAME]             when = a formula: such rows are no observations
 *     [measure NAME]          value = a formula; what may have slowed a run down
 *     [join NAME]             a second table, by key and time; its columns are
 * NAME.COLUMN
 *
 * A file for people to write: doc/formats/study.md; etc/studies has one that is whole.
 */
#ifndef ANALYSIS_TABLE_MAPPING_H
#define ANALYSIS_TABLE_MAPPING_H

#include "analysis/table/row_joins.h"
#include "analysis/table/sheet.h"
#include "analysis/table/time_form.h"
#include "base/config.h"

#define MAPPING_ITEMS_MAX 128
#define MAPPING_CLASSES_MAX 8

/* A formula with its name: a column, a drop, or a measure. */
struct mapping_item {
    const char *name;
    const char *formula;
    const char *label; /* for figures; the name where none is given */
    const char *unit;  /* "bytes/s"; "" where none is given */
    bool is_big_good;
    bool is_contributor; /* asked as a cause; else only correlated */
};

struct mapping_items {
    struct mapping_item items[MAPPING_ITEMS_MAX];
    size_t count;
};

/* From t_ns on (UTC) the site's clock showed UTC + offset_ns. */
struct clock_change {
    int64_t t_ns;
    int64_t offset_ns;
};

struct mapping {
    const char *title;
    const char *id;
    const char *time;
    struct time_form time_form;
    struct sheet sheet;
    const char *performance;
    struct config_list classes; /* formulas; the first groups what is pooled */
    struct config_list require; /* columns a row may not miss where the file has them */
    struct config_list optional; /* columns that no file need have */
    struct config_list alike;    /* formulas; none: counters of job summarize */
    struct config_list expect;   /* "name value": what was published */
    struct config_list remarks;  /* "name: words", on what was published */
    struct clock_change clock[16];
    size_t clock_count;
    struct zone clock_zone; /* of no changes, where no zone is named */
    int64_t from_ns, to_ns; /* from <= time < to, after normalising; T_NONE: open */
    int64_t short_ns, long_ns;
    uint64_t region_runs_min;
    double p_region;      /* a correlation in a region counts below it */
    double p_contributor; /* so does an extreme value */
    bool missing_counts;  /* of a run that lacks it, too */
    struct mapping_items columns, drops, measures;
    struct table_join joins[ROW_JOINS_MAX];
    size_t join_count;
    struct config *config; /* holds the texts */
};

/* Errors: -EINVAL with file, line, key and reason; what open says. */
int mapping_load(const char *path, struct mapping *ret, struct err *err);
void mapping_done(struct mapping *mapping);
DEFINE_AUTO_DONE(struct mapping, mapping_done);

/* What the site's clock showed, as if it were UTC. */
int64_t mapping_clock(const struct mapping *mapping, int64_t t_ns);

/* The sections as a commented sample. */
void mapping_describe(struct strbuf *out);

#endif
