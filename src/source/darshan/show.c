/* SPDX-License-Identifier: Apache-2.0 */
/* show - a whole log written in a form, piece by piece. */
#include "source/darshan/show.h"

#include <string.h>

#define SHOW_PIECE_BYTES ((size_t)65536)

/* What one log needs while it is read. */
struct showing {
    struct darshan_show show;
    const struct darshan_show_form *form;
    const struct darshan_show_opts *opts;
    struct darshan_totals *totals; /* of the module being read; NULL: none wanted */
    bool is_damaged;
    int error; /* of writing, as -errno */
};

static void show_fault(void *arg, enum darshan_fault fault, const char *what)
{
    struct showing *r = arg;
    if (r->opts->fault)
        r->opts->fault(r->opts->arg, what);
    strbuf_addf(&r->show.faults, "%s\n", what);
    if (fault == DARSHAN_FAULT_DAMAGED)
        r->is_damaged = true;
    else if (r->form->skipped)
        r->form->skipped(&r->show, what);
}

static int piece_write(struct showing *r, size_t size_min)
{
    struct strbuf *out = &r->show.out;
    if (strbuf_error(out) < 0)
        return -ENOMEM;
    if (out->size < size_min || out->size == 0)
        return 0;
    int rc = r->opts->write(r->opts->arg, strbuf_span(out));
    strbuf_clear(out);
    return rc;
}

static int on_record(void *arg, const struct darshan_record *record)
{
    struct showing *r = arg;
    if (r->show.parts & DARSHAN_SHOW_BASE)
        r->form->record(&r->show, record);
    if (r->totals && darshan_totals_add(r->totals, record) < 0)
        r->error = -ENOMEM;
    if (r->error == 0)
        r->error = piece_write(r, SHOW_PIECE_BYTES);
    return -r->error;
}

static int on_segments(void *arg, enum darshan_direction direction,
                       const struct darshan_segment *segments, size_t count)
{
    struct showing *r = arg;
    r->form->segments(&r->show, direction, segments, count);
    r->error = piece_write(r, SHOW_PIECE_BYTES);
    return -r->error;
}

/* Whether this form and the parts asked for have anything to say about a slot. */
static bool is_shown(const struct showing *r, unsigned slot)
{
    const struct darshan_slot *s = &darshan_log_header(r->show.log)->slots[slot];
    const struct darshan_module *module = darshan_module(s->id);
    if (!darshan_log_is_readable(r->show.log, slot))
        return false;
    if (module->kind == DARSHAN_KIND_DXT)
        return r->form->has_traces && (r->show.parts & DARSHAN_SHOW_BASE);
    return (r->show.parts & DARSHAN_SHOW_BASE) || darshan_totals_fit(module);
}

static int show_module(struct showing *r, unsigned slot)
{
    const struct darshan_slot *s = &darshan_log_header(r->show.log)->slots[slot];
    const struct darshan_module *module = darshan_module(s->id);
    bool is_traced = module->kind == DARSHAN_KIND_DXT && r->form->segments;
    const struct darshan_visitor visitor = { on_record, is_traced ? on_segments : NULL,
                                             r };
    AUTO(darshan_totals_free) struct darshan_totals *totals = NULL;
    bool has_totals =
        (r->show.parts & ~(unsigned)DARSHAN_SHOW_BASE) && darshan_totals_fit(module);
    if (has_totals && darshan_totals_new(module, 0, &totals) < 0)
        return -ENOMEM;
    r->totals = totals;
    r->form->module(&r->show, slot);
    int rc = darshan_log_read(r->show.log, slot, &visitor);
    r->totals = NULL;
    if (rc != 0)
        return rc > 0 ? -rc : rc;
    if (totals) {
        struct darshan_summary summary;
        darshan_totals_summary(totals, &summary);
        if (summary.files_left_out > 0)
            show_fault(r, DARSHAN_FAULT_DAMAGED, "too many files to count them all");
        if (summary.values_left_out > 0)
            show_fault(r, DARSHAN_FAULT_DAMAGED,
                       "too many different sizes to count them all");
        r->form->summary(&r->show, module, &summary);
    }
    if (r->form->module_end)
        r->form->module_end(&r->show);
    return piece_write(r, SHOW_PIECE_BYTES);
}

static int show_modules(struct showing *r)
{
    const struct darshan_header *header = darshan_log_header(r->show.log);
    const struct darshan_visitor none = { 0 };
    for (unsigned i = 0; i < header->slot_count; i++) {
        int error = 0;
        if (is_shown(r, i))
            error = show_module(r, i);
        else if (!darshan_log_is_readable(r->show.log, i))
            (void)darshan_log_read(r->show.log, i, &none); /* reports why not */
        if (error != 0)
            return error;
    }
    return 0;
}

static int log_show(struct showing *r, struct err *err)
{
    AUTO(darshan_log_close) struct darshan_log *log = NULL;
    const struct darshan_opts opts = { .on_fault = show_fault, .arg = r };
    int rc = darshan_log_open(r->show.path, &opts, &log, err);
    if (rc < 0)
        return rc;
    r->show.log = log;
    r->form->start(&r->show);
    int error = show_modules(r);
    if (error == 0) {
        r->form->end(&r->show);
        error = piece_write(r, 0);
    }
    if (error != 0)
        return err_set(err, -error, "%s: %s", r->show.path, strerror(-error));
    return r->is_damaged ? -EBADMSG : 0;
}

int darshan_log_show(const char *path, const struct darshan_show_opts *opts,
                     struct err *err)
{
    struct showing r = { .form = opts->form,
                         .opts = opts,
                         .show = { .path = path, .parts = opts->parts } };
    int rc = log_show(&r, err);
    strbuf_done(&r.show.out);
    strbuf_done(&r.show.faults);
    return rc;
}
