/* SPDX-License-Identifier: Apache-2.0 */
/* store_verify - baro store verify: a store's directory looked through. */
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/progress_line.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>

/* A finding is a paragraph: its sentences are longer than a terminal is wide. */
static void print_text(const char *dir, const struct store_verified *v)
{
    for (size_t i = 0; i < v->item_count; i++) {
        const struct store_fault *fault = &v->items[i];
        printf("%s/%s:", dir, fault->file);
        if (fault->at >= 0)
            printf(" byte %" PRId64 ":", fault->at);
        printf("%s %s; %s\n", fault->is_note ? " note:" : "", fault->what,
               fault->remedy);
    }
    printf("checkpoint %" PRIu64 ": %" PRIu64 " files, %" PRIu64 " bytes, %" PRIu64
           " series, %" PRIu64 " blocks, %" PRIu64 " archived blocks, %" PRIu64
           " samples in %" PRIu64 " records of logs: ",
           v->checkpoint, v->files, v->bytes, v->series, v->blocks, v->archived_blocks,
           v->log_samples, v->log_records);
    if (v->fault_count > 0)
        printf("%" PRIu64 " damaged\n", v->fault_count);
    else
        printf("all is well\n");
}

static int print_table(const struct client_args *args, const struct store_verified *v,
                       struct err *err)
{
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    struct result_form form;
    table_init(&table);
    int rc = output_form(&form, args->output, args->raw, err);
    if (rc < 0)
        return rc;
    verified_table_fill(v, &table);
    result_print(&table, &form, &out, &notes);
    rc = table_error(&table) < 0 ? table_error(&table) : strbuf_error(&out);
    if (rc < 0)
        return rc;
    return output_print(&out, err);
}

static void verify_progress_print(void *arg, size_t done, size_t count)
{
    progress_line_print(arg, done, count);
}

static int run(void *arg, int operand_count, char **operands)
{
    const struct client_args *args = arg;
    AUTO(store_verified_done) struct store_verified v = { 0 };
    struct progress_line line = { 0 };
    struct err err = { 0 };
    if (operand_count != 1) {
        fprintf(stderr, "baro store verify: which directory? see --help\n");
        return EXIT_USAGE;
    }
    struct result_form form;
    int rc = output_form(&form, args->output, args->raw, &err);
    progress_line_begin(&line, "files");
    if (rc == 0)
        rc = store_verify_watched(operands[0], verify_progress_print, &line, &v, &err);
    progress_line_end(&line);
    if (rc == 0 && form.form == TABLE_FORM_TABLE)
        print_text(operands[0], &v);
    else if (rc == 0)
        rc = print_table(args, &v, &err);
    if (rc < 0) {
        fprintf(stderr, "baro store verify: %s\n",
                err.text[0] ? err.text : strerror(-rc));
        return err_exit_status(rc);
    }
    return v.fault_count > 0 || fflush(stdout) ? EXIT_FAILED : EXIT_OK;
}

static const struct option options[] = {
    { "output", 'o', OPTION_TEXT, CLIENT_FIELD(output), "table|json|csv",
      "table (default): a line for each finding, then the counts; json or csv." },
};

const struct command cmd_store_verify = {
    .name = "store verify",
    .operands = "DIRECTORY",
    .help = "Look through every file of a metric store, and change none.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct client_args),
    .run = run,
    .details = "A barod may have the store open.  The exit status is 1 when something "
               "is damaged.\n",
};
