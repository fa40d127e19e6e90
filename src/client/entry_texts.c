/* SPDX-License-Identifier: Apache-2.0 */
/* entry_texts - files with texts of job_stats, entry by entry in one form. */
#include "client/entry_texts.h"

#include "base/clock.h"
#include "base/input.h"
#include "base/number.h"
#include "base/span.h"
#include "source/lustre/lustre.h"

#include <inttypes.h>
#include <stdlib.h>

#define FORMATS_MAX 16
#define FAULT_TEXT_BYTES 160 /* of a bad line */
#define FAULTS_SHOWN 10      /* of each kind */
#define FLUSH_BYTES (64u << 10)
#define CSV_ROWS 2000 /* a table of so many is printed and emptied */

static const char *const form_names[] = { "json", "csv", "table", "none", "seed" };

struct entry_texts {
    struct entry_texts_opts opts;
    struct entry_format *formats[FORMATS_MAX];
    size_t format_count;
    int64_t begin_ns;
    struct strbuf out;
    struct table table;
    uint64_t printed; /* entries */
    bool has_header;  /* the first piece of the table was printed */
    const char *path; /* of the file that is read */
    struct jobstats_counts counts;
    uint64_t faults_shown[JOBSTATS_FAULT_COUNT];
};

/* ---- the output ---- */

static enum entry_form table_form(const struct entry_texts *t)
{
    return t->opts.form == ENTRY_TEXTS_CSV ? ENTRY_FORM_CSV : ENTRY_FORM_TABLE;
}

static bool is_table(const struct entry_texts *t)
{
    return t->opts.form == ENTRY_TEXTS_CSV || t->opts.form == ENTRY_TEXTS_TABLE;
}

static int out_write(struct entry_texts *t, size_t when_bytes)
{
    if (strbuf_error(&t->out) < 0)
        return -ENOMEM;
    if (t->out.size == 0 || t->out.size < when_bytes)
        return 0;
    int rc = t->opts.write(t->opts.arg, strbuf_span(&t->out));
    strbuf_clear(&t->out);
    return rc;
}

static int table_write(struct entry_texts *t)
{
    bool is_csv = t->opts.form == ENTRY_TEXTS_CSV;
    const struct table_print_opts opts = { .raw_units = is_csv,
                                           .no_header = t->has_header };
    int rc = table_error(&t->table);
    if (rc < 0)
        return rc;
    table_print(&t->table, is_csv ? TABLE_FORM_CSV : TABLE_FORM_TABLE, &opts, &t->out);
    t->has_header = true;
    table_done(&t->table);
    table_init(&t->table);
    entry_table_columns(&t->table, table_form(t));
    return out_write(t, 0);
}

static int entry_add(void *arg, const struct entry *entry)
{
    struct entry_texts *t = arg;
    struct entry_split split;
    if (t->opts.form == ENTRY_TEXTS_NONE)
        return 0;
    entry_id_split(entry->id, (entry->flags & ENTRY_ID_QUOTED) != 0,
                   (const struct entry_format *const *)t->formats, t->format_count,
                   &split);
    if (is_table(t)) {
        entry_table_rows(&t->table, table_form(t), entry, &split);
    } else if (t->opts.form == ENTRY_TEXTS_SEED) {
        strbuf_adds(&t->out, t->printed ? ",\n" : "[\n");
        entry_print_seed(&t->out, entry, t->opts.t_ms);
    } else {
        entry_print_json(&t->out, entry, &split);
    }
    t->printed++;
    if (t->opts.form == ENTRY_TEXTS_CSV && t->table.row_count >= CSV_ROWS)
        return table_write(t);
    return out_write(t, FLUSH_BYTES);
}

/* ---- what is lost ---- */

/* A line of something else may be as long as it likes; a terminal may not. */
static void fault_text_add(struct strbuf *message, struct span text)
{
    size_t size = text.size < FAULT_TEXT_BYTES ? text.size : FAULT_TEXT_BYTES;
    entry_id_print(message, (struct span){ text.data, size });
    if (size < text.size)
        strbuf_addf(message, " and %zu bytes more", text.size - size);
}

static void fault_add(void *arg, enum jobstats_fault fault, uint64_t line,
                      struct span text)
{
    struct entry_texts *t = arg;
    uint64_t shown = t->faults_shown[fault]++;
    if (!t->opts.all_faults && shown > FAULTS_SHOWN)
        return;
    AUTO(strbuf_done) struct strbuf message = STRBUF_INIT;
    strbuf_addf(&message, "%s:%" PRIu64 ": %s: ", t->path, line,
                jobstats_fault_name(fault));
    if (!t->opts.all_faults && shown == FAULTS_SHOWN)
        strbuf_adds(&message, "and more; --faults shows all");
    else
        fault_text_add(&message, text);
    t->opts.warn(t->opts.arg, strbuf_text(&message));
}

/* Silence would look as if an idle server had been read. */
static void warn_if_nothing(const struct entry_texts *t,
                            const struct jobstats_counts *counts)
{
    AUTO(strbuf_done) struct strbuf message = STRBUF_INIT;
    uint64_t found = counts->targets + counts->entries;
    for (size_t i = 0; i < COUNT_OF(counts->faults); i++)
        found += counts->faults[i];
    if (found > 0)
        return;
    strbuf_addf(&message, "%s: %s", t->path,
                counts->bytes ? "no entry of job_stats is in it" : "empty");
    t->opts.warn(t->opts.arg, strbuf_text(&message));
}

/* Lines are there, and none is of an entry or of a target: another file was named. */
static int foreign_check(const struct entry_texts *t,
                         const struct jobstats_counts *counts, struct err *err)
{
    uint64_t faults = 0;
    for (size_t i = 0; i < COUNT_OF(counts->faults); i++)
        faults += counts->faults[i];
    if (faults == 0 || counts->entries + counts->targets > 0)
        return 0;
    return err_set(err, EBADMSG,
                   "%s: no line of it can be used; wants what lctl get_param prints of "
                   "obdfilter.*.job_stats or mdt.*.job_stats",
                   t->path);
}

static void counts_add(struct jobstats_counts *sum, const struct jobstats_counts *more)
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

static void counts_print(const struct entry_texts *t, struct strbuf *out)
{
    const struct jobstats_counts *c = &t->counts;
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {
        { "entries", c->entries },     { "dropped", c->entries_dropped },
        { "bytes", c->bytes },         { "lines", c->lines },
        { "targets", c->targets },     { "other_lines", c->other_lines },
        { "boot_time", c->boot_time },
    };
    int64_t elapsed_ns = clock_monotonic_ns() - t->begin_ns;
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        strbuf_addf(out, "%s %" PRIu64 "\n", counts[i].name, counts[i].value);
    strbuf_addf(out, "seconds %.6f\n", (double)elapsed_ns / (double)NS_PER_S);
    for (int i = 0; i < JOBSTATS_FAULT_COUNT; i++)
        strbuf_addf(out, "%s %" PRIu64 "\n",
                    jobstats_fault_name((enum jobstats_fault)i), c->faults[i]);
}

/* ---- opening ---- */

int entry_texts_form_parse(const char *name, enum entry_texts_form *ret,
                           struct err *err)
{
    for (size_t i = 0; i < COUNT_OF(form_names); i++) {
        if (strcmp(name, form_names[i]) != 0)
            continue;
        *ret = (enum entry_texts_form)i;
        return 0;
    }
    return err_set(err, EINVAL,
                   "invalid value '%s' (choose json, csv, table, none, seed)", name);
}

static int formats_make(struct entry_texts *t, struct err *err)
{
    static const char *const defaults[] = { "%j:%u:%H", "%e.%u" };
    bool is_default = t->opts.format_count == 0;
    const char *const *formats = is_default ? defaults : t->opts.formats;
    size_t count = is_default ? COUNT_OF(defaults) : t->opts.format_count;
    if (count > FORMATS_MAX)
        return err_set(err, EINVAL, "over %d formats", FORMATS_MAX);
    for (; t->format_count < count; t->format_count++) {
        int rc = entry_format_new(formats[t->format_count],
                                  &t->formats[t->format_count], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int entry_texts_new(const struct entry_texts_opts *opts, struct entry_texts **ret,
                    struct err *err)
{
    AUTO(entry_texts_free) struct entry_texts *t = calloc(1, sizeof *t);
    if (!t)
        return err_set(err, ENOMEM, "out of memory");
    t->opts = *opts;
    t->begin_ns = clock_monotonic_ns();
    table_init(&t->table);
    int rc = formats_make(t, err);
    if (rc < 0)
        return rc;
    if (is_table(t))
        entry_table_columns(&t->table, table_form(t));
    *ret = TAKE(t);
    return 0;
}

void entry_texts_free(struct entry_texts *texts)
{
    if (!texts)
        return;
    for (size_t i = 0; i < texts->format_count; i++)
        entry_format_free(texts->formats[i]);
    table_done(&texts->table);
    strbuf_done(&texts->out);
    free(texts);
}

/* ---- reading ---- */

/* ".../obdfilter/scratch-OST0001/job_stats" names its target itself. */
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

static void text_begin(const struct entry_texts *t, struct jobstats_parser *parser)
{
    struct span target;
    enum target_kind kind;
    struct target_name parts;
    if (t->opts.target) {
        target = span_of(t->opts.target);
        kind = target_parse(target, &parts) == 0 ? parts.kind : TARGET_OST;
        jobstats_parser_begin(parser, target, kind);
    } else if (target_of_path(t->path, &target, &kind)) {
        jobstats_parser_begin(parser, target, kind);
    }
}

static int text_feed(struct input *input, struct jobstats_parser *parser,
                     struct err *err)
{
    for (;;) {
        const char *data;
        size_t size;
        int rc = input_read(input, &data, &size, err);
        if (rc < 0 || size == 0)
            return rc;
        rc = jobstats_parser_feed(parser, data, size);
        if (rc < 0)
            return err_set(err, -rc, "output: %s", strerror(-rc));
    }
}

int entry_texts_read(struct entry_texts *texts, const char *path, struct err *err)
{
    AUTO(input_close) struct input *input = NULL;
    AUTO(jobstats_parser_free) struct jobstats_parser *parser = NULL;
    texts->path = path;
    int rc = input_open(path, &input, err);
    if (rc < 0)
        return rc;
    if (jobstats_parser_new(entry_add, fault_add, texts, &parser) < 0)
        return err_set(err, ENOMEM, "out of memory");
    text_begin(texts, parser);
    rc = text_feed(input, parser, err);
    /* What was read before an error counts, and is shown. */
    int finish_rc = jobstats_parser_finish(parser);
    if (rc == 0 && finish_rc < 0)
        rc = err_set(err, -finish_rc, "output: %s", strerror(-finish_rc));
    const struct jobstats_counts *counts = jobstats_parser_counts(parser);
    if (rc == 0)
        warn_if_nothing(texts, counts);
    counts_add(&texts->counts, counts);
    return rc < 0 ? rc : foreign_check(texts, counts, err);
}

int entry_texts_end(struct entry_texts *texts, struct err *err)
{
    int rc = 0;
    if (texts->opts.form == ENTRY_TEXTS_NONE)
        counts_print(texts, &texts->out);
    else if (texts->opts.form == ENTRY_TEXTS_SEED)
        strbuf_adds(&texts->out, texts->printed ? "\n]\n" : "[]\n");
    else if (is_table(texts))
        rc = table_write(texts);
    if (rc == 0)
        rc = out_write(texts, 0);
    return rc < 0 ? err_set(err, -rc, "output: %s", strerror(-rc)) : 0;
}
