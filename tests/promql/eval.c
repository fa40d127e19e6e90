/* SPDX-License-Identifier: Apache-2.0 */
/* promql_eval - queries over a file of samples, for comparison with another engine.
 *
 *     promql_eval SAMPLES < QUERIES
 *
 * SAMPLES is OpenMetrics text: name{label="value"} value seconds.  QUERIES has a line a
 * query, in fields of tabs: instant TIME_MS EXPRESSION, range START_MS END_MS STEP_MS
 * EXPRESSION, or format EXPRESSION.  A line of JSON is printed for each.
 */
#include "base/hashmap.h"
#include "base/input.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "promql/promql.h"

#include <inttypes.h>

#define FILE_BYTES_MAX ((size_t)256 << 20)
#define PAIRS_MAX 64

struct stored_series {
    struct labels labels;
    struct promql_samples samples;
    size_t capacity;
    int64_t *times_ms;
    double *values;
};

struct samples_file {
    struct arena arena;
    struct hashmap by_labels;
    struct stored_series *series;
    size_t count, capacity;
};

static int parse_value(struct span text, double *ret)
{
    if (span_is(text, "NaN") || span_is(text, "+Inf") || span_is(text, "-Inf")) {
        *ret = text.data[0] == 'N'   ? (double)__builtin_nan("")
               : text.data[0] == '+' ? __builtin_inf()
                                     : -__builtin_inf();
        return 0;
    }
    if (span_is(text, "stale")) {
        uint64_t bits = UINT64_C(0x7ff0000000000002);
        memcpy(ret, &bits, sizeof bits);
        return 0;
    }
    return number_parse_double(text, ret);
}

/* name{a="b",c="d"}; values have the escapes \\ \" \n. */
static int parse_pairs(struct samples_file *file, struct span *line,
                       struct label pairs[PAIRS_MAX], size_t *count)
{
    size_t at = 1;
    while (at < line->size && line->data[at] != '}') {
        size_t equals = at;
        while (equals < line->size && line->data[equals] != '=')
            equals++;
        struct label pair = { { line->data + at, equals - at }, { NULL, 0 } };
        char *value = arena_alloc(&file->arena, line->size);
        size_t size = 0;
        for (at = equals + 2; at < line->size && line->data[at] != '"'; at++) {
            char c = line->data[at];
            if (c == '\\' && at + 1 < line->size)
                c = line->data[++at] == 'n' ? '\n' : line->data[at];
            value[size++] = c;
        }
        pair.value = (struct span){ value, size };
        if (*count == PAIRS_MAX)
            return -EINVAL;
        pairs[(*count)++] = pair;
        at += 1 + (at + 1 < line->size && line->data[at + 1] == ',');
    }
    *line = span_skip(*line, at + 1);
    return 0;
}

static struct stored_series *series_of(struct samples_file *file,
                                       const struct labels *labels)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    struct labels sorted;
    bool is_new = false;
    if (labels_copy(&file->arena, labels, &sorted) < 0)
        return NULL;
    labels_add_key(&key, &sorted);
    uintptr_t *index = hashmap_put(&file->by_labels, strbuf_span(&key), &is_new);
    if (!index)
        return NULL;
    if (!is_new)
        return &file->series[*index];
    if (file->count == file->capacity) {
        file->capacity = file->capacity ? 2 * file->capacity : 64;
        file->series = realloc(file->series, file->capacity * sizeof file->series[0]);
        if (!file->series)
            return NULL;
    }
    *index = file->count;
    file->series[file->count] = (struct stored_series){ .labels = sorted };
    return &file->series[file->count++];
}

static int add_sample(struct stored_series *series, int64_t t_ms, double value)
{
    size_t count = series->samples.count;
    if (count == series->capacity) {
        series->capacity = count ? 2 * count : 64;
        series->times_ms =
            realloc(series->times_ms, series->capacity * sizeof(int64_t));
        series->values = realloc(series->values, series->capacity * sizeof(double));
        if (!series->times_ms || !series->values)
            return -ENOMEM;
    }
    series->times_ms[count] = t_ms;
    series->values[count] = value;
    series->samples =
        (struct promql_samples){ count + 1, series->times_ms, series->values };
    return 0;
}

static int read_line(struct samples_file *file, struct span line)
{
    struct label pairs[PAIRS_MAX];
    size_t count = 1, name = 0;
    if (line.size == 0 || line.data[0] == '#')
        return 0;
    while (name < line.size && line.data[name] != '{' && line.data[name] != ' ')
        name++;
    pairs[0] = (struct label){ SPAN(LABEL_METRIC_NAME), { line.data, name } };
    line = span_skip(line, name);
    if (line.size > 0 && line.data[0] == '{' &&
        parse_pairs(file, &line, pairs, &count) < 0)
        return -EINVAL;
    line = span_trim(line);
    struct span value_text;
    double value = 0;
    int64_t t_ns = 0;
    (void)span_cut(&line, ' ', &value_text);
    if (parse_value(value_text, &value) < 0 || number_parse_seconds(line, &t_ns) < 0)
        return -EINVAL;
    struct stored_series *series = series_of(file, &(struct labels){ count, pairs });
    return series ? add_sample(series, t_ns / NS_PER_MS, value) : -EINVAL;
}

static int select_stored(void *arg, const struct promql_selection *selection,
                         promql_series_fn *put, void *put_arg, struct err *err)
{
    const struct samples_file *file = arg;
    (void)err;
    for (size_t i = 0; i < file->count; i++) {
        const struct stored_series *s = &file->series[i];
        size_t begin = 0, end = s->samples.count;
        if (!matchers_fit(selection->matchers, selection->matcher_count, &s->labels))
            continue;
        while (begin < end && s->times_ms[begin] < selection->from_ms)
            begin++;
        while (end > begin && s->times_ms[end - 1] > selection->to_ms)
            end--;
        struct promql_samples part = { end - begin, s->times_ms + begin,
                                       s->values + begin };
        int rc = part.count > 0 ? put(put_arg, &s->labels, &part) : 0;
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* {"data":"..."}, or the error. */
static int run_format(struct span text, struct strbuf *out)
{
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf formatted = STRBUF_INIT;
    const struct expr *e = NULL;
    struct err err = { "" };
    arena_init(&arena, 0);
    int rc = promql_parse(text, &arena, &e, &err);
    if (rc < 0) {
        result_json_add_error(out, rc, err.text);
        return 0;
    }
    format_add(&formatted, e);
    strbuf_adds(out, "{\"status\":\"success\",\"data\":");
    json_add_html_safe(out, strbuf_span(&formatted));
    strbuf_addc(out, '}');
    return 0;
}

static int run_query(struct samples_file *file, struct span line, struct strbuf *out)
{
    AUTO(promql_result_free) struct promql_result *result = NULL;
    struct promql_request request = { 0 };
    struct promql_source source = { file, select_stored };
    struct err err = { "" };
    struct span kind, field;
    int64_t *const fields[] = { &request.start_ms, &request.end_ms, &request.step_ms };
    (void)span_cut(&line, '\t', &kind);
    if (span_is(kind, "format"))
        return run_format(line, out);
    for (size_t i = 0; i < (span_is(kind, "range") ? 3u : 1u); i++) {
        (void)span_cut(&line, '\t', &field);
        if (number_parse_i64(field, fields[i]) < 0)
            return -EINVAL;
    }
    if (span_is(kind, "instant"))
        request.end_ms = request.start_ms;
    request.text = line;
    int rc = promql_query(&request, &source, &result, &err);
    if (rc < 0)
        result_json_add_error(out, rc, err.text);
    else
        result_json_add(out, result, NULL, 0);
    return 0;
}

int main(int argc, char **argv)
{
    struct samples_file file = { .by_labels = HASHMAP_INIT };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { "" };
    struct span rest, line;
    if (argc != 2 || input_read_all(argv[1], FILE_BYTES_MAX, &text, &err) < 0) {
        (void)fprintf(stderr, "promql_eval: %s\n", argc == 2 ? err.text : "usage");
        return EXIT_USAGE;
    }
    arena_init(&file.arena, 0);
    rest = strbuf_span(&text);
    for (bool more = true; more;) {
        more = span_cut(&rest, '\n', &line);
        if (read_line(&file, line) < 0) {
            (void)fprintf(stderr, "promql_eval: bad line: " SPAN_FMT "\n",
                          SPAN_ARG(line));
            return EXIT_FAILED;
        }
    }
    char *query = NULL;
    size_t capacity = 0;
    ssize_t size;
    while ((size = getline(&query, &capacity, stdin)) > 0) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        size -= query[size - 1] == '\n';
        if (run_query(&file, (struct span){ query, (size_t)size }, &out) < 0)
            return EXIT_FAILED;
        (void)printf("%s\n", strbuf_text(&out));
    }
    free(query);
    for (size_t i = 0; i < file.count; i++) {
        free(file.series[i].times_ms);
        free(file.series[i].values);
    }
    free(file.series);
    hashmap_done(&file.by_labels);
    arena_done(&file.arena);
    return EXIT_OK;
}
