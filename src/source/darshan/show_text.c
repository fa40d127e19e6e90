/* SPDX-License-Identifier: Apache-2.0 */
/* show_text - a Darshan log as text, line by line as darshan-parser 3.5.0 prints it.
 *
 * Scripts read that text, so the lines that mean something are the same, in the same
 * order: doc/decisions/0150 has what is left out and why.
 */
#include "source/darshan/show_form.h"

#include "source/darshan/autoperf.h"
#include "source/darshan/autoperf_names.h"

#include <inttypes.h>
#include <time.h>

/* darshan-parser prints the size that a header has in the newest format. */
#define HEADER_BYTES_SHOWN 1328

static const char stars[] =
    "# *******************************************************\n";
static const char rule[] =
    "# -------------------------------------------------------\n";

/* Names come from outside: no control byte of theirs reaches the terminal. */
static void add_clean(struct strbuf *out, const char *text)
{
    const char *from = text;
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= 0x20 && c != 0x7f)
            continue;
        strbuf_add(out, from, (size_t)(text - from));
        strbuf_addf(out, "\\x%02X", c);
        from = text + 1;
    }
    strbuf_add(out, from, (size_t)(text - from));
}

/* As ctime prints it, in UTC. */
static void add_time(struct strbuf *out, const char *name, int64_t t_s)
{
    struct tm tm;
    char text[64] = "";
    time_t t = (time_t)t_s;
    strbuf_addf(out, "# %s: %" PRId64 "\n# %s_asci: ", name, t_s, name);
    if (gmtime_r(&t, &tm) && strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &tm))
        strbuf_adds(out, text);
    else
        strbuf_adds(out, "not a time");
    strbuf_adds(out, "\n");
}

static void add_job(struct strbuf *out, const struct darshan_header *header,
                    const struct darshan_job *job)
{
    strbuf_addf(out, "# darshan log version: %s\n# compression method: %s\n# exe: ",
                header->version, darshan_compression_name(header->compression));
    add_clean(out, job->exe);
    strbuf_addf(out, "\n# uid: %" PRId64 "\n# jobid: %" PRId64 "\n", job->uid,
                job->jobid);
    add_time(out, "start_time", job->start_s);
    add_time(out, "end_time", job->end_s);
    strbuf_addf(out, "# nprocs: %" PRId64 "\n# run time: %.4f\n", job->nprocs,
                darshan_job_seconds(job));
    for (size_t i = 0; i < job->metadata_count; i++) {
        strbuf_adds(out, "# metadata: ");
        add_clean(out, job->metadata[i].key);
        strbuf_adds(out, " = ");
        add_clean(out, job->metadata[i].value);
        strbuf_adds(out, "\n");
    }
}

static void add_regions(struct strbuf *out, const struct darshan_show *show)
{
    const struct darshan_header *header = darshan_log_header(show->log);
    strbuf_addf(out, "\n# log file regions\n%s# header: %d bytes (uncompressed)\n",
                rule, HEADER_BYTES_SHOWN);
    strbuf_addf(out, "# job data: %" PRIu64 " bytes (compressed)\n", header->job.size);
    strbuf_addf(out, "# record table: %" PRIu64 " bytes (compressed)\n",
                header->names.size);
    for (unsigned i = 0; i < header->slot_count; i++) {
        const struct darshan_slot *slot = &header->slots[i];
        if (!darshan_log_has(show->log, i))
            continue;
        strbuf_addf(out,
                    "# %s module: %" PRIu64 " bytes (compressed), ver=%" PRIu32 "\n",
                    darshan_module(slot->id)->name, slot->region.size, slot->version);
    }
}

static void text_start(struct darshan_show *show)
{
    const struct darshan_job *job = darshan_log_job(show->log);
    struct strbuf *out = &show->out;
    bool has_modules = false;
    add_job(out, darshan_log_header(show->log), job);
    add_regions(out, show);
    strbuf_addf(out, "\n# mounted file systems (mount point and fs type)\n%s", rule);
    for (size_t i = 0; i < job->mount_count; i++) {
        strbuf_adds(out, "# mount entry:\t");
        add_clean(out, job->mounts[i].path);
        strbuf_adds(out, "\t");
        add_clean(out, job->mounts[i].type);
        strbuf_adds(out, "\n");
    }
    for (unsigned i = 0; i < darshan_log_header(show->log)->slot_count; i++)
        has_modules = has_modules || darshan_log_has(show->log, i);
    if (!has_modules)
        strbuf_adds(out, "\n# no module data available.\n");
}

static void text_module(struct darshan_show *show, unsigned slot)
{
    const struct darshan_slot *s = &darshan_log_header(show->log)->slots[slot];
    const char *name = darshan_module(s->id)->name;
    struct strbuf *out = &show->out;
    strbuf_addf(out, "\n%s# %s module data\n%s", stars, name, stars);
    if (s->is_partial)
        strbuf_addf(out, "\n# *WARNING*: The %s module contains incomplete data!\n",
                    name);
    if (show->parts & DARSHAN_SHOW_BASE)
        strbuf_adds(out, "\n#<module>\t<rank>\t<record id>\t<counter>\t<value>"
                         "\t<file name>\t<mount pt>\t<fs type>\n");
}

/* Bytes and times may be missing from the text for it: one who reads only that sees so.
 */
static void text_skipped(struct darshan_show *show, const char *what)
{
    strbuf_addf(&show->out, "\n# *WARNING*: %s\n", what);
}

/* What stands before and after a counter and its value, in every line of a record. */
struct frame {
    struct strbuf before;
    struct strbuf after;
};

/* DFS and DAOS have no mounts: they have pools and containers, whose names are in no
 * log. */
static void add_object(struct strbuf *after, const struct darshan_record *record,
                       const char *name)
{
    bool is_dfs = record->module == darshan_module(DARSHAN_DFS);
    strbuf_adds(after, "\t");
    if (is_dfs)
        add_clean(after, name ? name : "UNKNOWN");
    else
        strbuf_addf(after, "%" PRIu64 ".%" PRIu64, record->object[0],
                    record->object[1]);
    strbuf_adds(after, is_dfs ? "\tN/A\tN/A\n" : "\tN/A:N/A\tN/A\n");
}

static void frame_init(struct frame *frame, const struct darshan_show *show,
                       const struct darshan_record *record)
{
    struct darshan_place place = darshan_place_of(show, record);
    *frame = (struct frame){ STRBUF_INIT, STRBUF_INIT };
    strbuf_addf(&frame->before, "%s\t%" PRId64 "\t%" PRIu64 "\t", record->module->name,
                record->rank, record->id);
    if (record->autoperf) { /* of a process or a router: there is no path */
        strbuf_adds(&frame->after, "\t\t\t\n");
        return;
    }
    if (record->pool) {
        add_object(&frame->after, record, place.name);
        return;
    }
    strbuf_adds(&frame->after, "\t");
    add_clean(&frame->after, place.name ? place.name : "UNKNOWN");
    strbuf_adds(&frame->after, "\t");
    add_clean(&frame->after, place.mount ? place.mount->path : "UNKNOWN");
    strbuf_adds(&frame->after, "\t");
    add_clean(&frame->after, place.mount ? place.mount->type : "UNKNOWN");
    strbuf_adds(&frame->after, "\n");
}

static void frame_done(struct frame *frame)
{
    strbuf_done(&frame->before);
    strbuf_done(&frame->after);
}

static void add_i64(struct strbuf *out, const struct frame *frame, const char *name,
                    int64_t value)
{
    strbuf_add_span(out, strbuf_span(&frame->before));
    strbuf_adds(out, name);
    strbuf_adds(out, "\t");
    strbuf_add_i64(out, value);
    strbuf_add_span(out, strbuf_span(&frame->after));
}

static void add_u64(struct strbuf *out, const struct frame *frame, const char *name,
                    uint64_t value)
{
    strbuf_add_span(out, strbuf_span(&frame->before));
    strbuf_adds(out, name);
    strbuf_adds(out, "\t");
    strbuf_add_u64(out, value);
    strbuf_add_span(out, strbuf_span(&frame->after));
}

static void add_double(struct strbuf *out, const struct frame *frame, const char *name,
                       double value)
{
    strbuf_add_span(out, strbuf_span(&frame->before));
    strbuf_addf(out, "%s\t%f", name, value);
    strbuf_add_span(out, strbuf_span(&frame->after));
}

static void add_text(struct strbuf *out, const struct frame *frame, const char *name,
                     const char *value)
{
    strbuf_add_span(out, strbuf_span(&frame->before));
    strbuf_addf(out, "%s\t", name);
    add_clean(out, value);
    strbuf_add_span(out, strbuf_span(&frame->after));
}

static void add_counters(struct strbuf *out, const struct frame *frame,
                         const struct darshan_record *record)
{
    const struct darshan_module *m = record->module;
    for (size_t i = 0; i < m->counter_count; i++)
        add_i64(out, frame, m->counter_names[i], record->counters[i]);
    for (size_t i = 0; i < m->f_counter_count; i++)
        add_double(out, frame, m->f_counter_names[i], record->f_counters[i]);
    if (m->has_file_id) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s_FILE_REC_ID", m->prefix);
        add_u64(out, frame, name, record->file_id);
    }
}

static void add_head(struct strbuf *out, const struct frame *frame,
                     const struct darshan_record *record)
{
    const struct darshan_autoperf *head = record->autoperf;
    if (record->module == darshan_module(DARSHAN_APMPI)) {
        add_double(out, frame, "MPI_TOTAL_COMM_TIME_VARIANCE", head->variance_s2);
        if (head->has_sync)
            add_double(out, frame, "MPI_TOTAL_COMM_SYNC_TIME_VARIANCE",
                       head->sync_variance_s2);
        return;
    }
    add_i64(out, frame, "APXC_GROUPS", head->groups);
    add_i64(out, frame, "APXC_CHASSIS", head->chassis);
    add_i64(out, frame, "APXC_BLADES", head->blades);
    add_text(out, frame, "APXC_MEMORY_MODE", darshan_memory_mode(head->memory_mode));
    add_i64(out, frame, "APXC_MEMORY_MODE_CONSISTENT",
            darshan_mode_is_everywhere(head->memory_mode));
    add_text(out, frame, "APXC_CLUSTER_MODE", darshan_cluster_mode(head->cluster_mode));
    add_i64(out, frame, "APXC_CLUSTER_MODE_CONSISTENT",
            darshan_mode_is_everywhere(head->cluster_mode));
    add_u64(out, frame, "APXC_APPLICATION_ID", head->application_id);
}

static void add_autoperf(struct strbuf *out, const struct frame *frame,
                         const struct darshan_record *record)
{
    const struct darshan_module *m = record->module;
    if (record->autoperf->is_head) {
        add_head(out, frame, record);
        return;
    }
    if (record->hostname)
        add_text(out, frame, "MPI_PROCESSOR_NAME", record->hostname);
    for (size_t i = 0; i < m->counter_count; i++) {
        if (!record->hostname && i < APXC_POSITIONS)
            add_i64(out, frame, m->counter_names[i], record->counters[i]);
        else
            add_u64(out, frame, m->counter_names[i], (uint64_t)record->counters[i]);
    }
    for (size_t i = 0; i < m->f_counter_count; i++)
        if (darshan_autoperf_has_time(record->autoperf, i))
            add_double(out, frame, m->f_counter_names[i], record->f_counters[i]);
}

static void add_component(struct strbuf *out, const struct frame *frame,
                          const struct darshan_component *c, size_t number)
{
    AUTO(strbuf_done) struct strbuf word = STRBUF_INIT;
    char name[64];
#define NAME(suffix) \
    ((void)snprintf(name, sizeof name, "LUSTRE_COMP%zu_" suffix, number), name)
    add_i64(out, frame, NAME("STRIPE_SIZE"), c->stripe_size_bytes);
    add_i64(out, frame, NAME("STRIPE_COUNT"), c->stripe_count);
    darshan_pattern_print(&word, c->pattern);
    add_text(out, frame, NAME("STRIPE_PATTERN"), strbuf_text(&word));
    strbuf_clear(&word);
    darshan_flags_print(&word, c->flags);
    add_text(out, frame, NAME("FLAGS"), strbuf_text(&word));
    add_i64(out, frame, NAME("EXT_START"), c->extent_start_bytes);
    add_i64(out, frame, NAME("EXT_END"), c->extent_end_bytes);
    add_i64(out, frame, NAME("MIRROR_ID"), c->mirror_id);
    add_text(out, frame, NAME("POOL_NAME"), c->pool[0] ? c->pool : "N/A");
#undef NAME
    for (size_t i = 0; i < c->ost_count; i++) {
        (void)snprintf(name, sizeof name, "LUSTRE_COMP%zu_OST_ID_%zu", number, i);
        add_i64(out, frame, name, c->ost_ids[i]);
    }
}

static void add_bins(struct strbuf *out, const struct frame *frame, const char *what,
                     const int64_t *bins, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "HEATMAP_%s_BIN_%zu", what, i);
        add_i64(out, frame, name, bins[i]);
    }
}

static void text_record(struct darshan_show *show, const struct darshan_record *record)
{
    struct strbuf *out = &show->out;
    struct frame frame;
    frame_init(&frame, show, record);
    switch (record->module->kind) {
    case DARSHAN_KIND_COUNTERS:
        add_counters(out, &frame, record);
        break;
    case DARSHAN_KIND_LUSTRE:
        add_i64(out, &frame, "LUSTRE_NUM_COMPONENTS", (int64_t)record->component_count);
        add_i64(out, &frame, "LUSTRE_NUM_STRIPES", record->stripe_count);
        for (size_t i = 0; i < record->component_count; i++)
            add_component(out, &frame, &record->components[i], i + 1);
        break;
    case DARSHAN_KIND_HEATMAP:
        add_double(out, &frame, "HEATMAP_F_BIN_WIDTH_SECONDS", record->bin_width_s);
        add_bins(out, &frame, "READ", record->read_bins, record->bin_count);
        add_bins(out, &frame, "WRITE", record->write_bins, record->bin_count);
        break;
    case DARSHAN_KIND_AUTOPERF:
        add_autoperf(out, &frame, record);
        break;
    case DARSHAN_KIND_DXT:
    case DARSHAN_KIND_SKIPPED:
        break;
    }
    frame_done(&frame);
}

static void add_totals(struct strbuf *out, const struct darshan_module *module,
                       const struct darshan_summary *sum)
{
    strbuf_adds(out, "\n");
    for (size_t i = 0; i < module->counter_count; i++)
        strbuf_addf(out, "total_%s: %" PRId64 "\n", module->counter_names[i],
                    sum->counters[i]);
    for (size_t i = 0; i < module->f_counter_count; i++)
        strbuf_addf(out, "total_%s: %f\n", module->f_counter_names[i],
                    sum->f_counters[i]);
}

/* This form has one line for files that all ranks share and that some do.  It adds up
 * their highest offsets too, as darshan-parser does: the JSON form has them apart. */
static void add_part_shared(struct darshan_files *shared,
                            const struct darshan_files *part)
{
    shared->count += part->count;
    shared->bytes = (int64_t)((uint64_t)shared->bytes + (uint64_t)part->bytes);
    shared->max_byte = (int64_t)((uint64_t)shared->max_byte + (uint64_t)part->max_byte);
}

static void add_files(struct strbuf *out, const struct darshan_summary *sum)
{
    strbuf_adds(out, "\n# Total file counts\n# -----\n\n"
                     "# <file_type> <file_count> <total_bytes> <max_byte_offset>\n");
    for (enum darshan_category i = 0; i <= DARSHAN_SHARED; i++) {
        struct darshan_files f = sum->files[i];
        if (i == DARSHAN_SHARED)
            add_part_shared(&f, &sum->files[DARSHAN_PART_SHARED]);
        strbuf_addf(out, "# %s: %" PRIu64 " %" PRId64 " %" PRId64 "\n",
                    darshan_category_name(i), f.count, f.bytes, f.max_byte);
    }
}

static void add_perf(struct strbuf *out, const struct darshan_summary *sum)
{
    static const char dots[] = "# ...........................\n";
    static const char unique[] = "# unique files: slowest_rank";
    strbuf_addf(out, "\n# performance\n# -----------\n# total_bytes: %" PRId64 "\n#\n",
                sum->bytes);
    strbuf_addf(out, "# I/O timing for unique files (seconds):\n%s", dots);
    strbuf_addf(out, "%s_io_time: %f\n", unique, sum->slowest_rank_io_s);
    strbuf_addf(out, "%s_meta_only_time: %f\n", unique, sum->slowest_rank_meta_s);
    strbuf_addf(out, "%s_rw_only_time: %f\n", unique, sum->slowest_rank_rw_s);
    strbuf_addf(out, "%s: %" PRId64 "\n#\n", unique, sum->slowest_rank);
    strbuf_addf(out, "# I/O timing for shared files (seconds):\n%s", dots);
    strbuf_addf(out, "# shared files: time_by_slowest: %f\n#\n", sum->shared_io_s);
    strbuf_addf(out,
                "# Aggregate performance, including both shared and unique files:\n%s",
                dots);
    strbuf_addf(out, "# agg_time_by_slowest: %f # seconds\n", sum->io_s);
    strbuf_addf(out, "# agg_perf_by_slowest: %f # MiB/s\n", sum->mib_per_s);
}

static void text_summary(struct darshan_show *show, const struct darshan_module *module,
                         const struct darshan_summary *summary)
{
    if (show->parts & DARSHAN_SHOW_TOTAL)
        add_totals(&show->out, module, summary);
    if (show->parts & DARSHAN_SHOW_FILE)
        add_files(&show->out, summary);
    if (show->parts & DARSHAN_SHOW_PERF)
        add_perf(&show->out, summary);
}

static void text_end(struct darshan_show *show)
{
    (void)show;
}

const struct darshan_show_form darshan_show_text = {
    .name = "text",
    .start = text_start,
    .module = text_module,
    .record = text_record,
    .summary = text_summary,
    .skipped = text_skipped,
    .end = text_end,
};
