/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_job - baro jobstats job: one job on one page. */
#include "base/json_writer.h"
#include "cmd/asking.h"
#include "cmd/commands.h"

#include <stdio.h>

static void print_json(const struct table *parts, struct strbuf *out)
{
    struct json_writer w;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    json_writer_init(&w, out);
    json_object(&w);
    for (int i = 0; i < ASK_JOB_PART_COUNT; i++) {
        strbuf_clear(&text);
        table_print(&parts[i], TABLE_FORM_JSON, NULL, &text);
        json_key(&w, ask_job_part_name((enum ask_job_part)i));
        json_raw(&w, span_trim(strbuf_span(&text)));
    }
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

static void print_parts(const struct table *parts, const struct asking_form *form,
                        struct strbuf *out, struct strbuf *notes)
{
    for (int i = 0; i < ASK_JOB_PART_COUNT; i++) {
        if (form->form == TABLE_FORM_TABLE && i > 0)
            strbuf_addf(out, "\n%s\n", ask_job_part_name((enum ask_job_part)i));
        else if (i > 0)
            strbuf_addc(out, '\n');
        asking_print(&parts[i], form, out, notes);
    }
}

static int ask_page(const struct asking_args *args, struct table *parts,
                    struct err *err)
{
    AUTO(asking_close) struct asking *asking = NULL;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    struct asking_form form;
    int rc = asking_form_init(args, &form, err);
    if (rc == 0)
        rc = asking_open(args, &asking, err);
    if (rc == 0)
        rc = asking_job(asking, parts, err);
    if (rc < 0)
        return rc;
    if (form.form == TABLE_FORM_JSON)
        print_json(parts, &out);
    else
        print_parts(parts, &form, &out, &notes);
    if (strbuf_error(&out))
        return -ENOMEM;
    if (fwrite(strbuf_text(&out), 1, out.size, stdout) != out.size || fflush(stdout))
        return err_set(err, errno, "write: %s", strerror(errno));
    (void)fwrite(strbuf_text(&notes), 1, notes.size, stderr);
    return 0;
}

static int run(void *arg, int operand_count, char **operands)
{
    struct asking_args *args = arg;
    struct err err = { 0 };
    struct table parts[ASK_JOB_PART_COUNT];
    if (operand_count != 1) {
        fprintf(stderr, "baro jobstats job: one job's id is wanted\n");
        return EXIT_USAGE;
    }
    args->job = operands[0];
    for (int i = 0; i < ASK_JOB_PART_COUNT; i++)
        table_init(&parts[i]);
    int rc = ask_page(args, parts, &err);
    for (int i = 0; i < ASK_JOB_PART_COUNT; i++)
        table_done(&parts[i]);
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, "baro jobstats job: %s\n", err.text[0] ? err.text : strerror(-rc));
    return err_exit_status(rc);
}

static const struct option options[] = {
    { "fs", 0, OPTION_TEXT, ASKING_FIELD(fs), "NAME",
      "The job's file system, where several know its id." },
    { "user", 'u', OPTION_TEXT, ASKING_FIELD(user), "ID", "The job of this user." },
    { "from", 0, OPTION_TEXT, ASKING_FIELD(from), "TIME",
      "Not the whole job: from here on." },
    { "to", 0, OPTION_TEXT, ASKING_FIELD(to), "TIME",
      "Not the whole job: up to here." },
    ASKING_WAY_OPTIONS,
};

const struct command cmd_jobstats_job = {
    .name = "jobstats job",
    .operands = "ID",
    .help = "One job on one page: what it did, where and when.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct asking_args),
    .run = run,
};
