/* SPDX-License-Identifier: Apache-2.0 */
/* metric_parse - baro metric parse: what a text of line protocol says, one point or one
 * error a line.
 */
#include "base/clock.h"
#include "base/input.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "cmd/commands.h"
#include "wire/wire.h"

#include <inttypes.h>

#define FLUSH_BYTES (64u << 10)

struct args {
    const char *output;
    const char *precision;
};

struct run {
    struct line_reader reader;
    struct strbuf text; /* what was read and is not yet parsed */
    struct strbuf out;
    bool prints;
    uint64_t points, fields, faults;
    char *scratch; /* of a line's size: names without their escapes */
};

static void print_name(struct run *run, struct json_writer *w, struct span s,
                       size_t (*unescape)(struct span, char *))
{
    struct span plain = { run->scratch, unescape(s, run->scratch) };
    json_span(w, plain);
}

static void print_key(struct run *run, struct json_writer *w, struct span s)
{
    struct span plain = { run->scratch, token_unescape(s, run->scratch) };
    json_key_span(w, plain);
}

static void print_value(struct run *run, struct json_writer *w,
                        const struct line_field *f)
{
    switch (f->type) {
    case LINE_FLOAT:
        json_double(w, f->number);
        break;
    case LINE_INT:
        json_i64(w, f->integer);
        break;
    case LINE_UINT:
        json_u64(w, f->uinteger);
        break;
    case LINE_BOOL:
        json_bool(w, f->boolean);
        break;
    case LINE_STRING:
        print_name(run, w, f->string, string_unescape);
        break;
    }
}

static void print_point(struct run *run, const struct line_point *p)
{
    struct json_writer w;
    json_writer_init(&w, &run->out);
    json_object(&w);
    json_key(&w, "line");
    json_u64(&w, p->line);
    json_key(&w, "name");
    print_name(run, &w, p->name, measurement_unescape);
    json_key(&w, "tags");
    json_object(&w);
    for (size_t i = 0; i < p->tag_count; i++) {
        print_key(run, &w, p->tags[i].key);
        print_name(run, &w, p->tags[i].value, token_unescape);
    }
    json_object_end(&w);
    json_key(&w, "fields");
    json_object(&w);
    for (size_t i = 0; i < p->field_count; i++) {
        print_key(run, &w, p->fields[i].key);
        print_value(run, &w, &p->fields[i]);
    }
    json_object_end(&w);
    if (p->has_time) {
        json_key(&w, "t_ns");
        json_i64(&w, p->t_ns);
    }
    json_object_end(&w);
    strbuf_addc(&run->out, '\n');
}

static void print_fault(struct run *run)
{
    struct json_writer w;
    json_writer_init(&w, &run->out);
    json_object(&w);
    json_key(&w, "line");
    json_u64(&w, run->reader.fault.line);
    json_key(&w, "column");
    json_u64(&w, run->reader.fault.column);
    json_key(&w, "error");
    json_text(&w, run->reader.fault.reason);
    json_object_end(&w);
    strbuf_addc(&run->out, '\n');
}

static int flush_out(struct run *run, size_t limit, struct err *err)
{
    if (strbuf_error(&run->out))
        return err_set(err, ENOMEM, "out of memory");
    if (run->out.size <= limit)
        return 0;
    if (fwrite(run->out.data, 1, run->out.size, stdout) != run->out.size)
        return err_set(err, errno, "standard output: %s", strerror(errno));
    strbuf_clear(&run->out);
    return 0;
}

static int parse_held(struct run *run, struct err *err)
{
    struct line_point p;
    enum line_outcome outcome;
    while ((outcome = line_reader_next(&run->reader, &p)) == LINE_POINT ||
           outcome == LINE_FAULT) {
        if (outcome == LINE_POINT) {
            run->points++;
            run->fields += p.field_count;
        } else {
            run->faults++;
        }
        if (run->prints && outcome == LINE_POINT)
            print_point(run, &p);
        else if (run->prints)
            print_fault(run);
        int rc = flush_out(run, FLUSH_BYTES, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* The unread rest moves to the front of the buffer and what was read comes behind. */
static int hold(struct run *run, const char *data, size_t size, struct err *err)
{
    size_t rest = (size_t)(run->reader.end - run->reader.next);
    if (rest > 0)
        memmove(run->text.data, run->reader.next, rest);
    run->text.size = rest;
    strbuf_add(&run->text, data, size);
    if (strbuf_error(&run->text))
        return err_set(err, ENOMEM, "out of memory");
    line_reader_refill(&run->reader, strbuf_span(&run->text));
    run->reader.has_more = size > 0;
    char *scratch = realloc(run->scratch, run->text.size + 1);
    if (!scratch)
        return err_set(err, ENOMEM, "out of memory");
    run->scratch = scratch;
    return 0;
}

static int parse_file(struct run *run, const char *path, struct err *err)
{
    AUTO(input_close) struct input *input = NULL;
    int rc = input_open(path, &input, err);
    size_t size = 1;
    while (rc == 0 && size > 0) {
        const char *data = NULL;
        rc = input_read(input, &data, &size, err);
        if (rc == 0)
            rc = hold(run, data, size, err);
        if (rc == 0)
            rc = parse_held(run, err);
    }
    return rc < 0 ? rc : flush_out(run, 0, err);
}

static int read_args(struct run *run, const struct args *args, struct err *err)
{
    static const struct {
        const char *name;
        int64_t unit_ns;
    } precisions[] = {
        { "ns", 1 },
        { "us", 1000 },
        { "ms", NS_PER_MS },
        { "s", NS_PER_S },
        { "auto", LINE_UNIT_AUTO },
    };
    const char *precision = args->precision ? args->precision : "auto";
    size_t i = 0;
    while (i < COUNT_OF(precisions) && strcmp(precisions[i].name, precision) != 0)
        i++;
    if (i == COUNT_OF(precisions))
        return err_set(err, EINVAL,
                       "--precision: '%s' is not one of ns, us, ms, s, auto",
                       precision);
    const char *output = args->output ? args->output : "json";
    run->prints = strcmp(output, "json") == 0;
    if (!run->prints && strcmp(output, "none") != 0)
        return err_set(err, EINVAL, "--output: '%s' is not one of json, none", output);
    line_reader_init(&run->reader, SPAN(""), precisions[i].unit_ns, 0);
    return 0;
}

static int run_command(void *args, int operand_count, char **operands)
{
    static struct run run;
    struct err err = { 0 };
    int status = EXIT_USAGE;
    int rc = read_args(&run, args, &err);
    if (rc == 0 && operand_count > 1)
        rc = err_set(&err, EINVAL, "one file at most");
    if (rc == 0) {
        int64_t begin_ns = clock_monotonic_ns();
        rc = parse_file(&run, operand_count ? operands[0] : "-", &err);
        status = rc == 0 ? EXIT_OK : EXIT_FAILED;
        if (rc == 0 && !run.prints)
            printf("points %" PRIu64 "\nfields %" PRIu64 "\nbad_lines %" PRIu64
                   "\nseconds %.6f\n",
                   run.points, run.fields, run.faults,
                   (double)(clock_monotonic_ns() - begin_ns) / 1e9);
    }
    if (rc < 0)
        fprintf(stderr, "baro metric parse: %s\n", err.text);
    strbuf_done(&run.text);
    strbuf_done(&run.out);
    free(run.scratch);
    return status;
}

static const struct option options[] = {
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FORM",
      "json (default): one point or one error a line; none: counts only." },
    { "precision", 'p', OPTION_TEXT, offsetof(struct args, precision), "UNIT",
      "What times count: ns, us, ms, s or auto (default: told by their size)." },
};

const struct command cmd_metric_parse = {
    .name = "metric parse",
    .operands = "[FILE|-]",
    .help = "Show what a text of line protocol says, and which lines are bad.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
    .prints_data = true,
    .details = "The file may be compressed with gzip or zstd.  A bad line costs that "
               "line.\n",
};
