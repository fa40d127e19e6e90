/* SPDX-License-Identifier: Apache-2.0 */
/* metric_parse - baro metric parse: what a text of line protocol says, one point or one
 * error a line.
 */
#include "base/clock.h"
#include "base/input.h"
#include "base/number.h"
#include "base/span.h"
#include "base/suggest.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"
#include "wire/wire.h"

#include <inttypes.h>
#include <stdio.h>

struct args {
    const char *output;
    const char *precision;
};

static int lines_parse(struct line_json *lines, const char *path, bool prints,
                       struct err *err)
{
    AUTO(input_close) struct input *input = NULL;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    int rc = input_open(path, &input, err);
    size_t size = 1;
    while (rc == 0 && size > 0) {
        const char *data = NULL;
        rc = input_read(input, &data, &size, err);
        if (rc == 0 && line_json_feed(lines, (struct span){ data, size },
                                      prints ? &out : NULL) < 0)
            rc = err_set(err, ENOMEM, "out of memory");
        if (rc == 0)
            rc = output_print(&out, err);
        strbuf_clear(&out);
    }
    return rc;
}

/* Some bad lines cost themselves; where all are bad it is another kind of file. */
static int lines_judge(const struct line_json_counts *counts, const char *name)
{
    if (counts->points > 0 || counts->bad_lines == 0)
        return EXIT_OK;
    fprintf(stderr,
            "baro metric parse: %s: none of %" PRIu64 " lines is line protocol\n", name,
            counts->bad_lines);
    return EXIT_FAILED;
}

static int metric_parse_run(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    AUTO(line_json_free) struct line_json *lines = NULL;
    const char *output = args->output ? args->output : "json";
    bool prints = strcmp(output, "json") == 0;
    struct err err = { 0 };
    int64_t unit_ns = 0;
    int64_t begin_ns = clock_monotonic_ns();
    int rc = line_json_unit_parse(args->precision ? args->precision : "auto", &unit_ns,
                                  &err);
    rc = err_prefix(&err, rc, "--precision");
    if (rc == 0 && !prints && strcmp(output, "none") != 0)
        rc = suggest_invalid(&err, "--output", span_of(output), "json, none");
    if (rc == 0 && operand_count > 1)
        rc = err_set(&err, EINVAL, "one file at most");
    if (rc < 0) {
        fprintf(stderr, "baro metric parse: %s\n", err.text);
        return EXIT_USAGE;
    }
    rc = line_json_new(unit_ns, &lines);
    if (rc == 0)
        rc = lines_parse(lines, operand_count ? operands[0] : "-", prints, &err);
    if (rc < 0) {
        (void)request_failed("metric parse", rc, &err);
        return EXIT_FAILED;
    }
    const struct line_json_counts *counts = line_json_counts(lines);
    if (!prints)
        printf("points %" PRIu64 "\nfields %" PRIu64 "\nbad_lines %" PRIu64
               "\nseconds %.6f\n",
               counts->points, counts->fields, counts->bad_lines,
               (double)(clock_monotonic_ns() - begin_ns) / (double)NS_PER_S);
    return lines_judge(counts, operand_count ? operands[0] : "standard input");
}

static const struct option options[] = {
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "json|none",
      "json (default): one point or one error a line; none: counts only." },
    { "precision", 'p', OPTION_TEXT, offsetof(struct args, precision),
      "ns|us|ms|s|auto",
      "What times count: ns, us, ms, s or auto (default: by their size)." },
};

const struct command cmd_metric_parse = {
    .name = "metric parse",
    .operands = "[FILE|-]",
    .help = "Show the samples of a text in line protocol, and which lines are bad.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = metric_parse_run,
    .prints_data = true,
    .details =
        "The file may be compressed with gzip, zstd, bzip2 or xz.  A bad line costs "
        "that line.\n",
};
