/* SPDX-License-Identifier: Apache-2.0 */
/* error_trends - those of a node's parts, by name, and their text for a file. */
#include "source/node/error_trends.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define TIME_MAX_S (INT64_C(1) << 33) /* of the year 2242 */

static const char first_line[] = "baro-error-trends 1";

void error_trends_done(struct error_trends *trends)
{
    free(trends->parts);
    *trends = (struct error_trends){ 0 };
}

/* ---- which there are ---- */

static bool is_trend_name(struct span name)
{
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] <= ' ' || name.data[i] > '~')
            return false;
    return name.size > 0 && name.size < ERROR_TRENDS_NAME_BYTES;
}

static bool part_index(const struct error_trends *trends, struct span name, size_t *ret)
{
    for (size_t i = 0; i < trends->count; i++)
        if (span_is(name, trends->parts[i].name)) {
            *ret = i;
            return true;
        }
    return false;
}

static int trend_add(struct error_trends *trends, struct span name, size_t *ret)
{
    if (trends->count == ERROR_TRENDS_MAX)
        return -ENOSPC;
    struct error_trends_part *grown =
        reallocarray(trends->parts, trends->count + 1, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    trends->parts = grown;
    grown[trends->count] = (struct error_trends_part){ 0 };
    memcpy(grown[trends->count].name, name.data, name.size);
    *ret = trends->count++;
    return 0;
}

static int oldest_replace(struct error_trends *trends, struct span name, int64_t t_s,
                          size_t *ret)
{
    size_t oldest = 0;
    for (size_t i = 1; i < trends->count; i++)
        if (trends->parts[i].trend.t_s < trends->parts[oldest].trend.t_s)
            oldest = i;
    struct error_trends_part *part = &trends->parts[oldest];
    if (part->trend.t_s >= t_s)
        return -ENOSPC;
    *part = (struct error_trends_part){ 0 };
    memcpy(part->name, name.data, name.size);
    *ret = oldest;
    return 0;
}

int error_trends_find(struct error_trends *trends, struct span name, int64_t t_s,
                      size_t *ret)
{
    if (!is_trend_name(name))
        return -EINVAL;
    if (part_index(trends, name, ret))
        return 0;
    int rc = trend_add(trends, name, ret);
    return rc == -ENOSPC ? oldest_replace(trends, name, t_s, ret) : rc;
}

/* ---- as a text ---- */

static void trend_print(const struct error_trends_part *part, struct strbuf *out)
{
    const struct error_trend *t = &part->trend;
    strbuf_addf(out,
                "part %s %" PRId64 " %" PRIu64 " %" PRId64 " %d %" PRIu32 " %" PRIu32
                " %" PRIu32 " %" PRId64 " %" PRIu32,
                part->name, t->t_s, t->counter, t->unsure_s, (int)t->warning, t->count,
                t->usual_milli, t->usual_hours, t->calm_s, t->hours_seen);
    for (size_t i = 0; i < ERROR_TREND_HOURS; i++)
        strbuf_addf(out, " %" PRIu32, t->hours[i]);
    for (size_t i = 0; i < ERROR_TREND_DAYS; i++)
        strbuf_addf(out, " %" PRIu32, t->days[i]);
    for (size_t i = 0; i < ERROR_TREND_DAYS; i++)
        strbuf_addf(out, " %d", t->days_seen[i]);
    strbuf_addc(out, '\n');
}

void error_trends_print(const struct error_trends *trends, struct strbuf *out)
{
    strbuf_addf(out, "%s\n", first_line);
    for (size_t i = 0; i < trends->count; i++)
        trend_print(&trends->parts[i], out);
    strbuf_addf(out, "end %zu\n", trends->count);
}

/* The next word of a line as a number, at most max. */
static bool number_next(struct span *line, uint64_t max, uint64_t *ret)
{
    struct span word;
    (void)span_cut(line, ' ', &word);
    return number_parse_u64(word, ret) == 0 && *ret <= max;
}

static bool time_next(struct span *line, int64_t *ret)
{
    uint64_t value = 0;
    bool is_time = number_next(line, (uint64_t)TIME_MAX_S, &value);
    *ret = (int64_t)value;
    return is_time;
}

static bool count_next(struct span *line, uint64_t max, uint32_t *ret)
{
    uint64_t value = 0;
    bool is_count = number_next(line, max, &value);
    *ret = (uint32_t)value;
    return is_count;
}

static bool buckets_parse(struct span *line, struct error_trend *t)
{
    bool is_good =
        count_next(line, (UINT32_C(1) << ERROR_TREND_HOURS) - 1, &t->hours_seen);
    for (size_t i = 0; i < ERROR_TREND_HOURS; i++)
        is_good = count_next(line, UINT32_MAX, &t->hours[i]) && is_good;
    for (size_t i = 0; i < ERROR_TREND_DAYS; i++)
        is_good = count_next(line, UINT32_MAX, &t->days[i]) && is_good;
    for (size_t i = 0; i < ERROR_TREND_DAYS; i++) {
        uint32_t hours;
        is_good = count_next(line, 24, &hours) && is_good;
        t->days_seen[i] = (uint8_t)hours;
    }
    return is_good && line->size == 0;
}

static bool trend_parse(struct span *line, struct error_trend *t)
{
    uint32_t warning = 0;
    *t = (struct error_trend){ 0 };
    bool is_good =
        time_next(line, &t->t_s) && number_next(line, UINT64_MAX, &t->counter) &&
        time_next(line, &t->unsure_s) && count_next(line, ERROR_TREND_RISE, &warning) &&
        count_next(line, UINT32_MAX, &t->count) &&
        count_next(line, UINT32_MAX, &t->usual_milli) &&
        count_next(line, ERROR_TREND_DAYS * 24, &t->usual_hours) &&
        time_next(line, &t->calm_s) && buckets_parse(line, t);
    t->warning = (enum error_trend_warning)warning;
    /* One that is unsure for longer than a day would state nothing for as long. */
    return is_good && t->t_s > 0 && t->calm_s <= t->t_s &&
           t->unsure_s <= t->t_s + 24 * 3600;
}

static int part_parse(struct error_trends *trends, struct span line)
{
    struct span name;
    struct error_trend trend;
    size_t i;
    (void)span_cut(&line, ' ', &name);
    if (!is_trend_name(name) || part_index(trends, name, &i) ||
        !trend_parse(&line, &trend))
        return -EBADMSG;
    int rc = trend_add(trends, name, &i);
    if (rc == 0)
        trends->parts[i].trend = trend;
    return rc == -ENOSPC ? -EBADMSG : rc;
}

static int text_parse(struct error_trends *trends, struct span text)
{
    struct span line, word;
    uint64_t count;
    if (!span_cut(&text, '\n', &line) || !span_is(line, first_line))
        return -EBADMSG;
    while (span_cut(&text, '\n', &line)) {
        (void)span_cut(&line, ' ', &word);
        if (span_is(word, "end"))
            return text.size == 0 && number_parse_u64(line, &count) == 0 &&
                           count == trends->count
                       ? 0
                       : -EBADMSG;
        int rc = span_is(word, "part") ? part_parse(trends, line) : -EBADMSG;
        if (rc < 0)
            return rc;
    }
    return -EBADMSG; /* cut */
}

int error_trends_parse(struct error_trends *trends, struct span text)
{
    int rc = text.size > ERROR_TRENDS_BYTES_MAX ? -EBADMSG : text_parse(trends, text);
    if (rc < 0)
        error_trends_done(trends);
    return rc;
}
