/* SPDX-License-Identifier: Apache-2.0 */
/* health_show - baro health show: how full file systems were, and who served them. */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "model/model.h"
#include "report/report.h"

#include <inttypes.h>

#define WHO "baro health show"
#define FILES_MAX 64
#define AGE_MAX_NS (3600 * NS_PER_S)

struct args {
    const char *at;
    int64_t age_max_ns;
    bool targets;
    const char *output;
};

static void fault_print(void *arg, const char *path, uint64_t line, struct span text,
                        const char *reason)
{
    AUTO(strbuf_done) struct strbuf shown = STRBUF_INIT;
    (void)arg;
    entry_id_print(&shown, text);
    fprintf(stderr, "%s:%" PRIu64 ": %s: %s\n", path, line, reason,
            strbuf_text(&shown));
}

static int health_print(const struct health_sample *sample,
                        const struct health_input_opts *read, bool targets,
                        const struct result_form *form, struct err *err)
{
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT; /* of people's tables only */
    const struct health_table_opts opts = { read->has_at, read->at_ns };
    table_init(&table);
    int rc = targets ? health_table_targets(sample, &opts, &table)
                     : health_table_filesystems(sample, &opts, &table);
    if (rc < 0)
        return err_set(err, -rc, "%s", strerror(-rc));
    result_print(&table, form, &out, &notes);
    return output_print(&out, err);
}

static int health_show_run(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    AUTO(health_input_done) struct health_input input = { 0 };
    struct health_input_opts opts = { .has_at = args->at != NULL,
                                      .age_max_ns = args->age_max_ns > 0
                                                        ? args->age_max_ns
                                                        : AGE_MAX_NS,
                                      .on_fault = fault_print };
    struct result_form form;
    struct err err = { 0 };
    if (operand_count == 0 || operand_count > FILES_MAX) {
        fprintf(stderr, WHO ": 1 to %d files or directories are wanted\n", FILES_MAX);
        return EXIT_USAGE;
    }
    if (output_form(&form, args->output, false, &err) < 0) {
        fprintf(stderr, WHO ": %s\n", err.text);
        return EXIT_USAGE;
    }
    if (args->at &&
        timetext_parse_user(span_of(args->at), clock_now_ns(), &opts.at_ns) < 0) {
        fprintf(stderr,
                WHO
                ": --at: '%s' is not a time (2026-11-21T06:00Z, -2h, now, @SECONDS)\n",
                args->at);
        return EXIT_USAGE;
    }
    int rc = health_input_open(operands, (size_t)operand_count, &opts, &input, &err);
    if (rc == 0)
        rc = health_print(&input.sample, &opts, args->targets, &form, &err);
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, WHO ": %s\n", err.text);
    return EXIT_FAILED;
}

static const struct option options[] = {
    { "at", 'a', OPTION_TIME, offsetof(struct args, at), "TIME",
      "The last sample at or before TIME; default: the last there is." },
    { "age-max", 0, OPTION_DURATION, offsetof(struct args, age_max_ns), "DURATION",
      "With --at, refuse an older sample; default: 1h." },
    { "targets", 't', OPTION_FLAG, offsetof(struct args, targets), NULL,
      "One row per target, instead of one per file system." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "table|json|csv",
      "table (default), json or csv." },
};

const struct command cmd_health_show = {
    .name = "health show",
    .operands = "FILE|DIRECTORY...",
    .help = "How full file systems were and who served them: lfs df, lctl dl -t.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = health_show_run,
};
