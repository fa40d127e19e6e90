/* SPDX-License-Identifier: Apache-2.0 */
/* lustre_stats - baro lustre stats: totals below a root, or out of lctl get_param. */
#include "base/span.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "source/lustre/lustre.h"

#include <inttypes.h>

#define WHO "baro lustre stats"

struct lustre_stats_args {
    const char *root;
    const char *output;
};

static void on_total_fault(void *arg, const char *path, uint64_t line, struct span text)
{
    AUTO(strbuf_done) struct strbuf shown = STRBUF_INIT;
    (void)arg;
    if (line > 0) /* else text is all of it */
        strbuf_addf(&shown, "%s:%" PRIu64 ": ", path, line);
    entry_id_print(&shown, text);
    fprintf(stderr, "%s\n", strbuf_text(&shown));
}

static int lustre_stats_print(const struct lustre_stats_args *args, int count,
                              char **paths, struct err *err)
{
    AUTO(table_done) struct table table;
    struct result_form form = { 0 };
    lustre_totals_table_init(&table);
    int rc = output_form(&form, args->output, true, err);
    if (rc == 0 && count == 0)
        rc = lustre_totals_table_root(args->root ? args->root : "/", on_total_fault,
                                      &table, err);
    for (int i = 0; rc == 0 && i < count; i++)
        rc = lustre_totals_table_dump(paths[i], on_total_fault, &table, err);
    return rc < 0 ? rc : output_table(&table, &form, err);
}

static int lustre_stats_run(void *args_arg, int operand_count, char **operands)
{
    const struct lustre_stats_args *args = args_arg;
    struct err err = { 0 };
    if (operand_count > 0 && args->root) {
        fprintf(stderr, WHO ": give --root or files, not both\n");
        return EXIT_USAGE;
    }
    int rc = lustre_stats_print(args, operand_count, operands, &err);
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, WHO ": %s\n", err.text);
    return err_exit_status(rc);
}

static const struct option options[] = {
    { "root", 'r', OPTION_TEXT, offsetof(struct lustre_stats_args, root), "DIR",
      "Where proc and sys are; default: /." },
    { "output", 'o', OPTION_TEXT, offsetof(struct lustre_stats_args, output),
      "table|json|csv", "table (default), json or csv." },
};

const struct command cmd_lustre_stats = {
    .name = "lustre stats",
    .operands = "[FILE]...",
    .help =
        "Show the totals that a Lustre server counts: stats, space, recovery, health.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct lustre_stats_args),
    .run = lustre_stats_run,
    .details = "Without a FILE those of this server.  A FILE is what lctl get_param "
               "printed, of\n"
               "any number of parameters, targets and servers; - is standard input.  "
               "Files may be\n"
               "compressed with gzip, zstd, bzip2 or xz.\n"
               "\n"
               "Example: lctl get_param 'obdfilter.*.stats' health_check | baro lustre "
               "stats -",
};
