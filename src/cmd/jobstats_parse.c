/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_parse - baro jobstats parse: what a text of job_stats says, and what is lost
 * of it.
 */
#include "base/clock.h"
#include "base/input.h"
#include "base/number.h"
#include "base/timetext.h"
#include "cmd/commands.h"
#include "cmd/jobstats_print.h"
#include "source/lustre/lustre.h"

#include <inttypes.h>

#define FORMATS_MAX 16
#define FAULT_TEXT_SHOWN 160 /* bytes of a bad line */
#define FAULTS_SHOWN 10      /* of each kind, without --faults */
#define FLUSH_BYTES (64u << 10)
#define CSV_ROWS 2000 /* a table of so many is printed and emptied */

enum form {
    FORM_JSON,
    FORM_CSV,
    FORM_TABLE,
    FORM_NONE,
    FORM_SEED,
};

static const char *const form_names[] = { "json", "csv", "table", "none", "seed" };

struct args {
    struct option_list formats;
    const char *target;
    const char *output;
    const char *timestamp;
    bool faults;
};

struct run {
    const struct args *args;
    enum form form;
    int64_t t_ms;
    struct entry_format *formats[FORMATS_MAX];
    size_t format_count;
    struct strbuf out;
    struct table table;
    uint64_t printed; /* entries */
    bool header_printed;
    const char *path; /* of the file that is read */
    struct jobstats_counts counts;
    uint64_t shown[JOBSTATS_FAULT_COUNT];
};

static int write_out(struct run *run, size_t when_bytes)
{
    if (strbuf_error(&run->out))
        return -ENOMEM;
    if (run->out.size == 0 || run->out.size < when_bytes)
        return 0;
    size_t written = fwrite(run->out.data, 1, run->out.size, stdout);
    bool is_whole = written == run->out.size;
    strbuf_clear(&run->out);
    return is_whole ? 0 : -EPIPE;
}

static int table_flush(struct run *run)
{
    const struct table_print_opts opts = { .raw_units = run->form == FORM_CSV,
                                           .no_header = run->header_printed };
    int rc = table_error(&run->table);
    if (rc < 0)
        return rc;
    table_print(&run->table, run->form == FORM_CSV ? TABLE_FORM_CSV : TABLE_FORM_TABLE,
                &opts, &run->out);
    run->header_printed = true;
    table_done(&run->table);
    table_init(&run->table);
    if (run->form == FORM_CSV)
        jobstats_csv_columns(&run->table);
    return write_out(run, 0);
}

static int on_entry(void *arg, const struct entry *entry)
{
    struct run *run = arg;
    struct entry_split split;
    if (run->form == FORM_NONE)
        return 0;
    entry_id_split(entry->id, (entry->flags & ENTRY_ID_QUOTED) != 0,
                   (const struct entry_format *const *)run->formats, run->format_count,
                   &split);
    switch (run->form) {
    case FORM_JSON:
        jobstats_print_json(&run->out, entry, &split);
        break;
    case FORM_SEED:
        strbuf_adds(&run->out, run->printed ? ",\n" : "[\n");
        jobstats_print_seed(&run->out, entry, run->t_ms);
        break;
    case FORM_CSV:
        jobstats_csv_rows(&run->table, entry, &split);
        break;
    case FORM_TABLE:
        jobstats_table_row(&run->table, entry, &split);
        break;
    case FORM_NONE:
        break;
    }
    run->printed++;
    if (run->form == FORM_CSV && run->table.row_count >= CSV_ROWS)
        return table_flush(run);
    return write_out(run, FLUSH_BYTES);
}

/* A line of something else may be as long as it likes; a terminal may not. */
static void print_fault_text(struct strbuf *message, struct span text)
{
    size_t size = text.size < FAULT_TEXT_SHOWN ? text.size : FAULT_TEXT_SHOWN;
    entry_id_print(message, (struct span){ text.data, size });
    if (size < text.size)
        strbuf_addf(message, " and %zu bytes more", text.size - size);
}

static void on_fault(void *arg, enum jobstats_fault fault, uint64_t line,
                     struct span text)
{
    struct run *run = arg;
    uint64_t shown = run->shown[fault]++;
    if (!run->args->faults && shown > FAULTS_SHOWN)
        return;
    AUTO(strbuf_done) struct strbuf message = STRBUF_INIT;
    strbuf_addf(&message, "%s:%" PRIu64 ": %s: ", run->path, line,
                jobstats_fault_name(fault));
    if (!run->args->faults && shown == FAULTS_SHOWN)
        strbuf_adds(&message, "and more; --faults shows all");
    else
        print_fault_text(&message, text);
    fprintf(stderr, "%s\n", strbuf_text(&message));
}

/* Silence would look as if an idle server had been read. */
static void say_if_nothing(const struct run *run, const struct jobstats_counts *counts)
{
    uint64_t found = counts->targets + counts->entries;
    for (size_t i = 0; i < COUNT_OF(counts->faults); i++)
        found += counts->faults[i];
    if (found == 0)
        fprintf(stderr, "%s: %s\n", run->path,
                counts->bytes ? "no entry of job_stats is in it" : "empty");
}

/* ".../obdfilter/scratch-OST0001/job_stats" tells its target itself. */
static bool target_of_path(const char *path, struct span *target,
                           enum target_kind *kind)
{
    struct span rest = span_of(path), name = { NULL, 0 }, device = name, part;
    if (!span_ends(rest, "/job_stats"))
        return false;
    rest.size -= strlen("/job_stats");
    while (rest.size > 0) {
        (void)span_cut(&rest, '/', &part);
        device = name;
        name = part;
    }
    if (!span_is(device, "mdt") && !span_is(device, "obdfilter"))
        return false;
    *target = name;
    *kind = span_is(device, "mdt") ? TARGET_MDT : TARGET_OST;
    return name.size > 0;
}

static void begin_text(struct run *run, struct jobstats_parser *p)
{
    struct span target;
    enum target_kind kind;
    struct target_name parts;
    if (run->args->target) {
        target = span_of(run->args->target);
        kind = target_parse(target, &parts) == 0 ? parts.kind : TARGET_OST;
        jobstats_parser_begin(p, target, kind);
    } else if (target_of_path(run->path, &target, &kind)) {
        jobstats_parser_begin(p, target, kind);
    }
}

static void add_counts(struct jobstats_counts *sum, const struct jobstats_counts *more)
{
    sum->bytes += more->bytes;
    sum->lines += more->lines;
    sum->entries += more->entries;
    sum->entries_dropped += more->entries_dropped;
    sum->targets += more->targets;
    sum->other_lines += more->other_lines;
    sum->boot_time += more->boot_time;
    for (int i = 0; i < JOBSTATS_FAULT_COUNT; i++)
        sum->faults[i] += more->faults[i];
}

static int parse_file(struct run *run, const char *path, struct err *err)
{
    AUTO(input_close) struct input *input = NULL;
    AUTO(jobstats_parser_free) struct jobstats_parser *p = NULL;
    run->path = path;
    int rc = input_open(path, &input, err);
    if (rc < 0)
        return rc;
    rc = jobstats_parser_new(on_entry, on_fault, run, &p);
    if (rc < 0)
        return err_set(err, ENOMEM, "out of memory");
    begin_text(run, p);
    size_t size = 1;
    while (rc == 0 && size > 0) {
        const char *data;
        rc = input_read(input, &data, &size, err);
        if (rc < 0)
            break;
        rc = jobstats_parser_feed(p, data, size);
        if (rc < 0)
            err_set(err, -rc, "standard output: %s", strerror(-rc));
    }
    /* What was read before an error counts, and is shown. */
    int finish_rc = jobstats_parser_finish(p);
    if (rc == 0 && finish_rc < 0)
        rc = err_set(err, -finish_rc, "standard output: %s", strerror(-finish_rc));
    const struct jobstats_counts *counts = jobstats_parser_counts(p);
    if (rc == 0)
        say_if_nothing(run, counts);
    add_counts(&run->counts, counts);
    return rc;
}

static void print_counts(struct run *run, int64_t elapsed_ns)
{
    const struct jobstats_counts *c = &run->counts;
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {
        { "entries", c->entries },     { "dropped", c->entries_dropped },
        { "bytes", c->bytes },         { "lines", c->lines },
        { "targets", c->targets },     { "other_lines", c->other_lines },
        { "boot_time", c->boot_time },
    };
    struct strbuf *out = &run->out;
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        strbuf_addf(out, "%s %" PRIu64 "\n", counts[i].name, counts[i].value);
    strbuf_addf(out, "seconds %.6f\n", (double)elapsed_ns / (double)NS_PER_S);
    for (int i = 0; i < JOBSTATS_FAULT_COUNT; i++)
        strbuf_addf(out, "%s %" PRIu64 "\n",
                    jobstats_fault_name((enum jobstats_fault)i), c->faults[i]);
}

static int print_end(struct run *run, int64_t elapsed_ns)
{
    if (run->form == FORM_NONE)
        print_counts(run, elapsed_ns);
    else if (run->form == FORM_SEED)
        strbuf_adds(&run->out, run->printed ? "\n]\n" : "[]\n");
    else if (run->form == FORM_CSV || run->form == FORM_TABLE)
        return table_flush(run);
    return write_out(run, 0);
}

static int read_args(struct run *run, struct err *err)
{
    const struct args *args = run->args;
    static const char *const defaults[] = { "%j:%u:%H", "%e.%u" };
    const char *const *formats = args->formats.count ? args->formats.items : defaults;
    size_t count = args->formats.count ? args->formats.count : COUNT_OF(defaults);
    size_t form = 0;
    while (form < COUNT_OF(form_names) && strcmp(args->output, form_names[form]) != 0)
        form++;
    if (form == COUNT_OF(form_names))
        return err_set(err, EINVAL,
                       "--output: '%s' is not one of json, csv, table, none, seed",
                       args->output);
    run->form = (enum form)form;
    if (count > FORMATS_MAX)
        return err_set(err, EINVAL, "--format: over %d", FORMATS_MAX);
    for (; run->format_count < count; run->format_count++) {
        int rc = entry_format_new(formats[run->format_count],
                                  &run->formats[run->format_count], err);
        if (rc < 0)
            return err_prefix(err, rc, "--format");
    }
    run->t_ms = T_NONE;
    if (args->timestamp) {
        int64_t t_ns;
        if (timetext_parse_user(span_of(args->timestamp), clock_now_ns(), &t_ns) < 0)
            return err_set(err, EINVAL,
                           "--timestamp: '%s' is not a time such as "
                           "2022-11-21T06:02:00Z or @1669010520",
                           args->timestamp);
        run->t_ms = t_ns / NS_PER_MS;
    }
    return 0;
}

static int run_files(struct run *run, int count, char **paths, struct err *err)
{
    static char standard_input[] = "-";
    char *only[] = { standard_input };
    if (count == 0) {
        count = 1;
        paths = only;
    }
    if (run->form == FORM_CSV)
        jobstats_csv_columns(&run->table);
    if (run->form == FORM_TABLE)
        jobstats_table_columns(&run->table);
    int64_t begin_ns = clock_monotonic_ns();
    int first_rc = 0;
    for (int i = 0; i < count; i++) {
        struct err file_err = { 0 };
        int rc = parse_file(run, paths[i], &file_err);
        if (rc < 0 && first_rc == 0) {
            first_rc = rc;
            *err = file_err;
        }
        if (rc == -EPIPE || rc == -ENOMEM)
            return rc;
    }
    int rc = print_end(run, clock_monotonic_ns() - begin_ns);
    if (rc == 0 && fflush(stdout) != 0)
        rc = -EPIPE;
    if (rc < 0 && first_rc == 0)
        return err_set(err, -rc, "standard output: %s", strerror(-rc));
    return first_rc;
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    struct args *args = args_arg;
    struct run run = { .args = args };
    struct err err = { 0 };
    if (!args->output)
        args->output = "json";
    table_init(&run.table);
    int rc = read_args(&run, &err);
    int status = EXIT_USAGE;
    if (rc == 0) {
        rc = run_files(&run, operand_count, operands, &err);
        status = rc == 0 ? EXIT_OK : EXIT_FAILED;
    }
    if (rc < 0)
        fprintf(stderr, "baro jobstats parse: %s\n", err.text);
    for (size_t i = 0; i < run.format_count; i++)
        entry_format_free(run.formats[i]);
    table_done(&run.table);
    strbuf_done(&run.out);
    return status;
}

static const struct option options[] = {
    { "format", 'f', OPTION_LIST, offsetof(struct args, formats), "FORMAT",
      "A jobid_name of the site, tried in the given order; default %j:%u:%H, %e.%u." },
    { "target", 't', OPTION_TEXT, offsetof(struct args, target), "NAME",
      "The target of entries whose text names none." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FORM",
      "json (default), csv, table, none (counts only) or seed (what a client sends)." },
    { "timestamp", 0, OPTION_TEXT, offsetof(struct args, timestamp), "TIME",
      "When the text was read, for seed; default: the snapshot's minute." },
    { "faults", 0, OPTION_FLAG, offsetof(struct args, faults), NULL,
      "Name every loss, not only the first ten of each kind." },
};

const struct command cmd_jobstats_parse = {
    .name = "jobstats parse",
    .operands = "[FILE|-]...",
    .help = "Show what a text of Lustre's job_stats says, and what is lost of it.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
    .prints_data = true,
    .details =
        "Files may be compressed with gzip or zstd.  What cannot be read is named "
        "on standard\nerror as FILE:LINE: KIND: TEXT; it costs that line or that "
        "entry only.\n",
};
