/* SPDX-License-Identifier: Apache-2.0 */
/* darshan_show - baro darshan show: what is in Darshan logs. */
#include "cmd/darshan_show.h"

#include "cmd/commands.h"
#include "model/model.h"

#define OUT_BYTES ((size_t)65536)

struct args {
    bool base;
    bool total;
    bool perf;
    bool file;
    const char *output;
};

/* What one log needs while it is read. */
struct reading {
    struct show show;
    const struct show_form *form;
    struct darshan_totals *totals; /* of the module being read; NULL: none wanted */
    bool is_damaged;
    int error; /* of writing, as errno */
};

struct show_place show_place(const struct show *show, const struct darshan_record *r)
{
    struct show_place place = { darshan_log_name(show->log, r->id), NULL };
    if (!place.name && r->module == darshan_module(DARSHAN_BGQ))
        place.name = "darshan-bgq-record"; /* is about no file, and not always named */
    if (place.name)
        place.mount = darshan_job_mount(darshan_log_job(show->log), place.name);
    return place;
}

static void on_fault(void *arg, enum darshan_fault fault, const char *what)
{
    struct reading *r = arg;
    fprintf(stderr, "baro darshan show: %s: %s\n", r->show.path, what);
    strbuf_addf(&r->show.faults, "%s\n", what);
    if (fault == DARSHAN_FAULT_DAMAGED)
        r->is_damaged = true;
    else if (r->form->skipped)
        r->form->skipped(&r->show, what);
}

static int flush(struct reading *r, size_t size_min)
{
    struct strbuf *out = &r->show.out;
    if (strbuf_error(out) < 0)
        return ENOMEM;
    if (out->size < size_min || out->size == 0)
        return 0;
    if (fwrite(out->data, 1, out->size, stdout) != out->size)
        return EIO;
    strbuf_clear(out);
    return 0;
}

static int on_record(void *arg, const struct darshan_record *record)
{
    struct reading *r = arg;
    if (r->show.parts & SHOW_BASE)
        r->form->record(&r->show, record);
    if (r->totals && darshan_totals_add(r->totals, record) < 0)
        r->error = ENOMEM;
    if (r->error == 0)
        r->error = flush(r, OUT_BYTES);
    return r->error;
}

static int on_segments(void *arg, enum darshan_direction direction,
                       const struct darshan_segment *segments, size_t count)
{
    struct reading *r = arg;
    r->form->segments(&r->show, direction, segments, count);
    r->error = flush(r, OUT_BYTES);
    return r->error;
}

/* Whether this form and the parts asked for have anything to say about a slot. */
static bool is_shown(const struct reading *r, unsigned slot)
{
    const struct darshan_slot *s = &darshan_log_header(r->show.log)->slots[slot];
    const struct darshan_module *module = darshan_module(s->id);
    if (!darshan_log_is_readable(r->show.log, slot))
        return false;
    if (module->kind == DARSHAN_KIND_DXT)
        return r->form->has_traces && (r->show.parts & SHOW_BASE);
    return (r->show.parts & SHOW_BASE) || darshan_totals_fit(module);
}

static int show_module(struct reading *r, unsigned slot)
{
    const struct darshan_slot *s = &darshan_log_header(r->show.log)->slots[slot];
    const struct darshan_module *module = darshan_module(s->id);
    bool is_traced = module->kind == DARSHAN_KIND_DXT && r->form->segments;
    const struct darshan_visitor visitor = { on_record, is_traced ? on_segments : NULL,
                                             r };
    AUTO(darshan_totals_free) struct darshan_totals *totals = NULL;
    bool has_totals =
        (r->show.parts & ~(unsigned)SHOW_BASE) && darshan_totals_fit(module);
    if (has_totals && darshan_totals_new(module, 0, &totals) < 0)
        return ENOMEM;
    r->totals = totals;
    r->form->module(&r->show, slot);
    int rc = darshan_log_read(r->show.log, slot, &visitor);
    r->totals = NULL;
    if (rc != 0)
        return rc < 0 ? -rc : rc;
    if (totals) {
        struct darshan_summary summary;
        darshan_totals_summary(totals, &summary);
        if (summary.files_left_out > 0)
            on_fault(r, DARSHAN_FAULT_DAMAGED, "too many files to count them all");
        if (summary.values_left_out > 0)
            on_fault(r, DARSHAN_FAULT_DAMAGED,
                     "too many different sizes to count them all");
        r->form->summary(&r->show, module, &summary);
    }
    if (r->form->module_end)
        r->form->module_end(&r->show);
    return flush(r, OUT_BYTES);
}

static int show_modules(struct reading *r)
{
    const struct darshan_header *header = darshan_log_header(r->show.log);
    const struct darshan_visitor nobody = { 0 };
    for (unsigned i = 0; i < header->slot_count; i++) {
        int error = 0;
        if (is_shown(r, i))
            error = show_module(r, i);
        else if (!darshan_log_is_readable(r->show.log, i))
            (void)darshan_log_read(r->show.log, i, &nobody); /* says why not */
        if (error != 0)
            return error;
    }
    return 0;
}

static int show_log(struct reading *r, struct err *err)
{
    AUTO(darshan_log_close) struct darshan_log *log = NULL;
    const struct darshan_opts opts = { .on_fault = on_fault, .arg = r };
    int rc = darshan_log_open(r->show.path, &opts, &log, err);
    if (rc < 0)
        return rc;
    r->show.log = log;
    r->form->start(&r->show);
    int error = show_modules(r);
    if (error == 0) {
        r->form->end(&r->show);
        error = flush(r, 0);
    }
    if (error == 0 && fflush(stdout) != 0)
        error = EIO;
    if (error != 0)
        return err_set(err, error, "%s: %s", r->show.path, strerror(error));
    return r->is_damaged ? -EBADMSG : 0;
}

static unsigned parts_of(const struct args *args)
{
    unsigned parts = (args->base ? (unsigned)SHOW_BASE : 0u) |
                     (args->total ? (unsigned)SHOW_TOTAL : 0u) |
                     (args->perf ? (unsigned)SHOW_PERF : 0u) |
                     (args->file ? (unsigned)SHOW_FILE : 0u);
    return parts > 0 ? parts : (unsigned)SHOW_BASE;
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    const struct show_form *form = &show_text;
    int status = EXIT_OK;
    if (args->output && strcmp(args->output, show_json.name) == 0)
        form = &show_json;
    else if (args->output && strcmp(args->output, show_text.name) != 0) {
        fprintf(stderr, "baro darshan show: --output: '%s' is neither text nor json\n",
                args->output);
        return EXIT_USAGE;
    }
    if (operand_count == 0) {
        fprintf(stderr, "baro darshan show: at least one LOG is wanted\n");
        return EXIT_USAGE;
    }
    for (int i = 0; i < operand_count; i++) {
        struct err err = { 0 };
        struct reading r = { .form = form,
                             .show = { .path = operands[i], .parts = parts_of(args) } };
        if (show_log(&r, &err) < 0) {
            if (err.text[0])
                fprintf(stderr, "baro darshan show: %s\n", err.text);
            status = EXIT_FAILED;
        }
        strbuf_done(&r.show.out);
        strbuf_done(&r.show.faults);
        if (ferror(stdout))
            break;
    }
    return status;
}

static const struct option options[] = {
    { "base", 0, OPTION_FLAG, offsetof(struct args, base), NULL,
      "Every counter of every record; what is shown without other options." },
    { "total", 0, OPTION_FLAG, offsetof(struct args, total), NULL,
      "The counters of all records of a module together." },
    { "perf", 0, OPTION_FLAG, offsetof(struct args, perf), NULL,
      "Bytes, time of the slowest rank, and the speed that follows." },
    { "file", 0, OPTION_FLAG, offsetof(struct args, file), NULL,
      "How many files were only read, only written, shared." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FORMAT",
      "text (default, as darshan-parser prints it) or json." },
};

const struct command cmd_darshan_show = {
    .name = "darshan show",
    .operands = "LOG...",
    .help = "Show what is in Darshan logs.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
    .prints_data = true,
    .details =
        "Reads logs of the formats 3.00 to 3.41, of either byte order. Modules whose\n"
        "records are not read are named in the output. A log that is\n"
        "damaged or cut short is shown as far as it goes; what is missing is said on\n"
        "standard error, and the exit status is 1.",
};
