/* SPDX-License-Identifier: Apache-2.0 */
/* climate_study - baro climate study: a year of runs, and what went with the bad ones.
 */
#include "analysis/analysis.h"
#include "cmd/commands.h"

#include <sys/ioctl.h>

struct args {
    const char *map;
    const char *output;
    struct option_list tables;
    bool figures;
    bool sample;
};

static int fail(const struct err *err, int rc)
{
    fprintf(stderr, "baro climate study: %s\n", err->text);
    return err_exit_status(rc);
}

static void part_print(const struct study *study, enum study_part part,
                       enum table_form form, struct strbuf *out)
{
    struct winsize size = { 0 };
    bool is_terminal =
        isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    const struct table_print_opts opts = { .width = is_terminal ? size.ws_col : 0,
                                           .colour = is_terminal,
                                           .raw_units = form != TABLE_FORM_TABLE };
    const struct table *table = &study->parts[part];
    if (form == TABLE_FORM_TABLE)
        strbuf_addf(out, "%s\n", study_part_name(part));
    table_print(table, form, &opts, out);
    for (size_t i = 0; form == TABLE_FORM_CSV && i < table->note_count; i++)
        fprintf(stderr, "baro climate study: %s\n", table->notes[i]);
    if (form == TABLE_FORM_TABLE)
        strbuf_addc(out, '\n');
}

/* {"summary":[...],"sets":[...],...} */
static void study_print_json(const struct study *study, const bool *wanted,
                             struct strbuf *out)
{
    const char *between = "{";
    for (size_t i = 0; i < STUDY_PARTS; i++) {
        if (!wanted[i])
            continue;
        strbuf_addf(out, "%s\"%s\":", between, study_part_name((enum study_part)i));
        table_print_objects(&study->parts[i], out);
        between = ",\n";
    }
    strbuf_adds(out, "}\n");
}

static void figures_print(const struct study *study, struct strbuf *out)
{
    for (size_t i = 0; i < study->figure_count; i++)
        strbuf_addf(out, "%s %.17g\n", study->figures[i].name, study->figures[i].value);
}

static int parts_wanted(const struct args *args, enum table_form form, bool *wanted,
                        struct err *err)
{
    bool all = args->tables.count == 0 && form != TABLE_FORM_CSV;
    for (size_t i = 0; i < STUDY_PARTS; i++)
        wanted[i] = all;
    for (size_t i = 0; i < args->tables.count; i++) {
        enum study_part part;
        if (study_part_parse(span_of(args->tables.items[i]), &part) < 0)
            return err_set(err, EINVAL,
                           "--table: '%s' is none of summary, sets, correlations, "
                           "regions, contributors, expected",
                           args->tables.items[i]);
        wanted[part] = true;
    }
    if (form == TABLE_FORM_CSV && args->tables.count != 1)
        return err_set(err, EINVAL, "--output csv wants one --table");
    return 0;
}

static int study_print(const struct study *study, const struct args *args,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    enum table_form form = TABLE_FORM_TABLE;
    bool wanted[STUDY_PARTS];
    if (args->output && table_form_parse(span_of(args->output), &form) < 0)
        return err_set(err, EINVAL, "--output: '%s' is none of table, json, csv",
                       args->output);
    int rc = parts_wanted(args, form, wanted, err);
    if (rc < 0)
        return rc;
    if (args->figures)
        figures_print(study, &out);
    else if (form == TABLE_FORM_JSON)
        study_print_json(study, wanted, &out);
    else
        for (size_t i = 0; i < STUDY_PARTS; i++)
            if (wanted[i] && study->parts[i].row_count > 0)
                part_print(study, (enum study_part)i, form, &out);
    if (strbuf_error(&out) < 0)
        return err_set(err, ENOMEM, "out of memory");
    if (fwrite(strbuf_text(&out), 1, out.size, stdout) != out.size ||
        fflush(stdout) != 0)
        return err_set(err, EIO, "standard output: %s", strerror(errno));
    return 0;
}

static int sample_print(void)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    mapping_describe(&out);
    return fputs(strbuf_text(&out), stdout) < 0 ? EXIT_FAILED : EXIT_OK;
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    struct err err = { 0 };
    if (args->sample)
        return sample_print();
    if (!args->map || operand_count == 0) {
        fprintf(stderr, "baro climate study: wants --map FILE and at least one table "
                        "of runs; --sample prints a mapping to begin with\n");
        return EXIT_USAGE;
    }
    AUTO(mapping_done) struct mapping mapping = { 0 };
    AUTO(runs_done) struct runs runs = { 0 };
    AUTO(study_done) struct study study = { 0 };
    int rc = mapping_load(args->map, &mapping, &err);
    if (rc == 0)
        rc = runs_load(&mapping, operands, (size_t)operand_count, &runs, &err);
    if (rc == 0)
        rc = study_make(&mapping, &runs, &study, &err);
    if (rc == 0)
        rc = study_print(&study, args, &err);
    if (rc < 0)
        return fail(&err, rc);
    return EXIT_OK;
}

static const struct option options[] = {
    { "map", 'm', OPTION_TEXT, offsetof(struct args, map), "FILE",
      "What the columns mean: see --sample." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FORMAT",
      "table (default), json, or csv (with one --table)." },
    { "table", 't', OPTION_LIST, offsetof(struct args, tables), "NAME",
      "Only summary, sets, correlations, regions, contributors or expected; may be "
      "repeated." },
    { "list-figures", 0, OPTION_FLAG, offsetof(struct args, figures), NULL,
      "Every number of the study by the name that 'expect' knows it by." },
    { "sample", 0, OPTION_FLAG, offsetof(struct args, sample), NULL,
      "Print a commented mapping to begin with." },
};

const struct command cmd_climate_study = {
    .name = "climate study",
    .operands = "RUNS.csv[.gz]...",
    .help = "What is normal among many alike runs, when it changed, and what went with "
            "it.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
    .details =
        "Reads tables of runs, a row each, and a mapping that says what their columns\n"
        "mean. Gives quantiles of the fraction of peak for each set of alike runs, "
        "the\n"
        "regions in which its short and long average part, correlations, and which\n"
        "measures were at their worst when a run was. Published figures in the "
        "mapping\n"
        "('expect') are held against ours.",
};
