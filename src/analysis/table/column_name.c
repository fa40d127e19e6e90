/* SPDX-License-Identifier: Apache-2.0 */
/* column_name - what the name of a column shows of its values. */
#include "analysis/table/column_name.h"

#include "base/cleanup.h"
#include "base/span.h"

#include <string.h>
#include <strings.h>

static const char *const time_names[] = { "start",  "begin",  "time", "date",
                                          "when",   "stamp",  "zeit", "epoch",
                                          "submit", "day",    "end",  "month",
                                          "monat",  "period", "year", "jahr" };
static const char *const speed_names[] = {
    "perf",   "bandwidth", "throughput", "gib_per", "mib_per", "gb_per",
    "mb_per", "gib/s",     "gb/s",       "mib/s",   "mb/s",    "gibs",
    "mibs",   "gbps",      "mbps",       "speed",   "score",   "flop",
    "per_s",  "/s",        "iops",       "rate",    "bw",      "tempo"
};
static const char *const length_names[] = { "elapsed",  "runtime",  "run_time",
                                            "walltime", "duration", "latency",
                                            "seconds",  "dauer",    "secs" };
static const char *const class_names[] = {
    "file_system", "filesystem", "platform", "system",   "cluster", "machine",
    "bench",       "test",       "app",      "workload", "queue",   "partition",
    "fs",          "model",      "config",   "mode",     "op"
};
static const char *const size_names[] = { "nproc",  "ranks",   "nodes",
                                          "ntasks", "clients", "np" };
static const char *const metric_names[] = { "metric", "measurement", "counter",
                                            "variable" };

#define LIST(names)            \
    {                          \
        names, COUNT_OF(names) \
    }

static const struct {
    const char *const *items;
    size_t count;
} lists[] = {
    [COLUMN_TIME] = LIST(time_names),     [COLUMN_SPEED] = LIST(speed_names),
    [COLUMN_LENGTH] = LIST(length_names), [COLUMN_CLASS] = LIST(class_names),
    [COLUMN_SIZE] = LIST(size_names),     [COLUMN_METRIC] = LIST(metric_names),
};

bool column_name_has(struct span name, const char *part)
{
    size_t size = strlen(part);
    for (size_t i = 0; i + size <= name.size; i++)
        if (strncasecmp(name.data + i, part, size) == 0)
            return true;
    return false;
}

int column_name_score(struct span name, enum column_topic topic)
{
    for (size_t i = 0; i < lists[topic].count; i++)
        if (column_name_has(name, lists[topic].items[i]))
            return (int)(lists[topic].count - i);
    return 0;
}

/* ---- words of a name ---- */

static bool is_name_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static bool is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Whether a word ends before the i-th byte: "jobId", "IDRaw". */
static bool is_border(struct span name, size_t i)
{
    char before = name.data[i - 1], here = name.data[i];
    bool is_next_small = i + 1 < name.size && is_name_letter(name.data[i + 1]) &&
                         !is_capital(name.data[i + 1]);
    return is_capital(here) && (!is_capital(before) || is_next_small);
}

/* The next word of *rest, which is cut off. */
static bool word_next(struct span *rest, struct span *ret)
{
    size_t from = 0;
    while (from < rest->size && !is_name_letter(rest->data[from]))
        from++;
    size_t to = from;
    while (to < rest->size && is_name_letter(rest->data[to]) &&
           (to == from || !is_border(*rest, to)))
        to++;
    *ret = (struct span){ rest->data + from, to - from };
    *rest = span_skip(*rest, to);
    return to > from;
}

static bool word_is_in(struct span word, const char *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(items[i]) == word.size &&
            strncasecmp(word.data, items[i], word.size) == 0)
            return true;
    return false;
}

#define IS_IN(word, items) word_is_in(word, items, COUNT_OF(items))

bool column_name_is_id(struct span name)
{
    static const char *const ids[] = { "id",    "uuid",  "guid",   "uri",    "jobid",
                                       "runid", "tagid", "stepid", "taskid", "rowid" };
    static const char *const things[] = { "job", "run", "step", "task" };
    static const char *const numbers[] = { "no", "nr", "number", "name", "index" };
    size_t count = 0, of_things = 0, of_numbers = 0;
    struct span word;
    for (struct span rest = name; word_next(&rest, &word); count++) {
        if (IS_IN(word, ids))
            return true;
        of_things += IS_IN(word, things);
        of_numbers += IS_IN(word, numbers);
    }
    return of_things > 0 && of_things + of_numbers == count;
}

enum column_direction column_direction_of(struct span text, struct strbuf *rest)
{
    static const char *const reads[] = { "read", "reads", "rd",  "reading",
                                         "r",    "lesen", "get", "randread" };
    static const char *const writes[] = { "write",   "writes",   "wr",        "writing",
                                          "w",       "wrt",      "schreiben", "put",
                                          "written", "randwrite" };
    enum column_direction found = COLUMN_NEITHER;
    struct span left = text, word;
    while (word_next(&left, &word)) {
        enum column_direction of = IS_IN(word, reads)    ? COLUMN_READ
                                   : IS_IN(word, writes) ? COLUMN_WRITE
                                                         : COLUMN_NEITHER;
        if (of != COLUMN_NEITHER && found != COLUMN_NEITHER && of != found)
            return COLUMN_NEITHER; /* both */
        if (of != COLUMN_NEITHER)
            found = of;
        else if (rest)
            strbuf_addf(rest, SPAN_FMT " ", SPAN_ARG(word));
    }
    return found;
}
