/* SPDX-License-Identifier: Apache-2.0 */
/* mmperfmon - the tables of `mmperfmon query`. */
#include "source/gpfs/mmperfmon.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"

#define LEGEND "Legend:"
#define TIME_BYTES 19

struct column {
    struct span host, sensor, device, metric;
};

struct reading {
    const struct mmperfmon_opts *opts;
    struct column *columns; /* of the legend */
    size_t count;
    size_t capacity;
    size_t next;  /* column of the legend that the next piece begins with */
    size_t first; /* columns of the piece being read */
    size_t wide;  /* 0: none is, or its header does not fit */
    const char *reason;
};

static int refuse(struct reading *r, const char *reason)
{
    r->reason = reason;
    return -EINVAL;
}

static bool word_cut(struct span *rest, struct span *ret)
{
    size_t from = 0;
    while (from < rest->size && (rest->data[from] == ' ' || rest->data[from] == '\t'))
        from++;
    size_t end = from;
    while (end < rest->size && rest->data[end] != ' ' && rest->data[end] != '\t')
        end++;
    *ret = (struct span){ rest->data + from, end - from };
    *rest = span_skip(*rest, end);
    return end > from;
}

/* "host|sensor|device|metric", with any number of devices, the last being the
 * narrowest.
 */
static bool path_parse(struct span path, struct column *ret)
{
    struct span part;
    struct column c = { 0 };
    if (!span_cut(&path, '|', &c.host) || !span_cut(&path, '|', &c.sensor))
        return false;
    while (span_cut(&path, '|', &part))
        c.device = part;
    c.metric = part; /* what no bar ends */
    *ret = c;
    return c.host.size > 0 && c.sensor.size > 0 && c.metric.size > 0;
}

/* " 12:  host|sensor|metric" */
static int legend_read(struct reading *r, struct span number, struct span path)
{
    uint64_t n;
    struct column c;
    number.size--;
    if (number_parse_u64(number, &n) < 0 || n != r->count + 1 || !path_parse(path, &c))
        return refuse(r,
                      "the legend is not 'NUMBER: HOST|SENSOR|...|METRIC', in order");
    if (r->count == MMPERFMON_COLUMNS_MAX)
        return refuse(r, "there are too many columns");
    if (r->count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 64;
        struct column *columns = reallocarray(r->columns, capacity, sizeof *columns);
        if (!columns)
            return -ENOMEM;
        r->columns = columns;
        r->capacity = capacity;
    }
    r->columns[r->count++] = c;
    return 0;
}

/* "Row  Timestamp  metric  metric": names what the legend goes on with. */
static int header_read(struct reading *r, struct span rest)
{
    struct span word;
    size_t wide = 0;
    r->wide = 0;
    if (!word_cut(&rest, &word) || !span_is(word, "Timestamp"))
        return refuse(r, "a table begins with no Timestamp");
    while (word_cut(&rest, &word)) {
        size_t at = r->next + wide++;
        if (at >= r->count || !span_eq(word, r->columns[at].metric))
            return refuse(r, "the header of a table differs from the legend");
    }
    r->first = r->next;
    r->next += wide;
    r->wide = wide;
    return 0;
}

static double unit_factor(struct span unit)
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB" };
    double factor = 1;
    for (size_t i = 0; i < COUNT_OF(units); i++, factor *= 1000)
        if (span_is(unit, units[i]))
            return factor;
    return 0;
}

/* The values of a row, of which on_cell hears only when all are there. */
static int row_scan(struct reading *r, struct span time, struct span rest,
                    bool is_handing_on)
{
    struct span word;
    size_t count = 0;
    bool has_word = word_cut(&rest, &word);
    while (has_word) {
        double value = 0;
        bool is_null = span_is(word, "null") || span_is(word, "-");
        if (count == r->wide)
            return refuse(r, "a row has more values than columns");
        if (!is_null && number_parse_double(word, &value) < 0)
            return refuse(r, "a value is none");
        has_word = word_cut(&rest, &word);
        double factor = has_word ? unit_factor(word) : 0;
        if (factor > 0) {
            value *= factor;
            has_word = word_cut(&rest, &word);
        }
        const struct column *c = &r->columns[r->first + count++];
        const struct mmperfmon_cell cell = { c->host,   c->sensor, c->device,
                                             c->metric, time,      value };
        int rc = is_handing_on && !is_null ? r->opts->on_cell(r->opts->arg, &cell) : 0;
        if (rc < 0)
            return rc;
    }
    return count == r->wide ? 0 : refuse(r, "a row has fewer values than columns");
}

static int row_read(struct reading *r, struct span rest)
{
    struct span time;
    if (r->wide == 0)
        return refuse(r, "a row of no table");
    if (!word_cut(&rest, &time) || time.size != TIME_BYTES)
        return refuse(r, "a row has no time");
    int rc = row_scan(r, time, rest, false);
    return rc == 0 ? row_scan(r, time, rest, true) : rc;
}

static int line_read(struct reading *r, struct span line)
{
    struct span word, rest = line;
    uint64_t unused;
    if (!word_cut(&rest, &word))
        return 0;
    if (span_is(word, LEGEND)) {
        r->count = r->next = r->wide = 0;
        return 0;
    }
    if (span_is(word, "Row"))
        return header_read(r, rest);
    if (span_ends(word, ":"))
        return legend_read(r, word, span_trim(rest));
    if (number_parse_u64(word, &unused) == 0)
        return row_read(r, rest);
    return refuse(r, "it is of neither a legend nor a table");
}

bool mmperfmon_is(struct span text)
{
    return span_starts(span_trim(text), LEGEND);
}

int mmperfmon_read(struct span text, const struct mmperfmon_opts *opts)
{
    struct reading r = { .opts = opts };
    uint64_t number = 0;
    int rc = 0;
    while (rc == 0 && text.size > 0) {
        struct span line;
        bool is_whole = span_cut(&text, '\n', &line);
        struct span trimmed = span_trim(line);
        number++;
        rc = is_whole || trimmed.size == 0 ? line_read(&r, trimmed)
                                           : refuse(&r, "the line is cut");
        if (rc == -EINVAL && r.reason) {
            if (opts->on_fault)
                opts->on_fault(opts->arg, number, line, r.reason);
            r.reason = NULL;
            rc = 0;
        }
    }
    free(r.columns);
    return rc;
}
