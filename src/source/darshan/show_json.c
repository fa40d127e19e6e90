/* SPDX-License-Identifier: Apache-2.0 */
/* show_json - a Darshan log as JSON: one object a log, on a line of its own. */
#include "base/span.h"
#include "source/darshan/autoperf.h"
#include "source/darshan/show_form.h"

#include "model/model.h"

#include <inttypes.h>

/* Paths and the like are bytes: what is not text is \xHH, as everywhere. */
static void put_text(struct json_writer *w, const char *key, const char *text)
{
    AUTO(strbuf_done) struct strbuf clean = STRBUF_INIT;
    json_key(w, key);
    if (!text) {
        json_null(w);
        return;
    }
    entry_id_print(&clean, span_of(text));
    json_span(w, strbuf_span(&clean));
}

static void put_i64(struct json_writer *w, const char *key, int64_t value)
{
    json_key(w, key);
    json_i64(w, value);
}

static void put_u64(struct json_writer *w, const char *key, uint64_t value)
{
    json_key(w, key);
    json_u64(w, value);
}

static void put_double(struct json_writer *w, const char *key, double value)
{
    json_key(w, key);
    json_double(w, value);
}

/* An identifier is text: many readers of JSON round whole numbers beyond 2^53. */
static void put_id(struct json_writer *w, const char *key, uint64_t id)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, id);
    json_key(w, key);
    json_text(w, text);
}

static void put_job(struct json_writer *w, const struct darshan_job *job)
{
    AUTO(strbuf_done) struct strbuf clean = STRBUF_INIT;
    json_key(w, "job");
    json_object(w);
    put_text(w, "exe", job->exe);
    put_i64(w, "uid", job->uid);
    put_i64(w, "jobid", job->jobid);
    put_i64(w, "nprocs", job->nprocs);
    put_i64(w, "start_s", job->start_s);
    put_i64(w, "end_s", job->end_s);
    if (job->has_ns) {
        put_i64(w, "start_ns", job->start_ns);
        put_i64(w, "end_ns", job->end_ns);
    }
    put_double(w, "run_time_s", darshan_job_seconds(job));
    json_key(w, "metadata");
    json_object(w);
    for (size_t i = 0; i < job->metadata_count; i++) {
        strbuf_clear(&clean);
        entry_id_print(&clean, span_of(job->metadata[i].key));
        put_text(w, strbuf_text(&clean), job->metadata[i].value);
    }
    json_object_end(w);
    json_object_end(w);
}

static void put_mounts(struct json_writer *w, const struct darshan_job *job)
{
    json_key(w, "mounts");
    json_array(w);
    for (size_t i = 0; i < job->mount_count; i++) {
        json_object(w);
        put_text(w, "path", job->mounts[i].path);
        put_text(w, "type", job->mounts[i].type);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_regions(struct json_writer *w, const struct darshan_show *show)
{
    const struct darshan_header *header = darshan_log_header(show->log);
    json_key(w, "regions");
    json_array(w);
    for (unsigned i = 0; i < header->slot_count; i++) {
        const struct darshan_slot *slot = &header->slots[i];
        if (!darshan_log_has(show->log, i))
            continue;
        json_object(w);
        json_key(w, "module");
        json_text(w, darshan_module(slot->id)->name);
        put_u64(w, "slot", i);
        put_u64(w, "version", slot->version);
        put_u64(w, "offset", slot->region.offset);
        put_u64(w, "compressed_bytes", slot->region.size);
        json_key(w, "is_partial");
        json_bool(w, slot->is_partial);
        json_key(w, "is_readable");
        json_bool(w, darshan_log_is_readable(show->log, i));
        json_object_end(w);
    }
    json_array_end(w);
}

static void json_start(struct darshan_show *show)
{
    const struct darshan_header *header = darshan_log_header(show->log);
    struct json_writer *w = &show->json;
    json_writer_init(w, &show->out);
    json_object(w);
    put_text(w, "path", show->path);
    json_key(w, "format");
    json_text(w, header->version);
    json_key(w, "byte_order");
    json_text(w, header->is_big ? "big" : "little");
    json_key(w, "compression");
    json_text(w, darshan_compression_name(header->compression));
    put_u64(w, "header_bytes", header->size);
    put_job(w, darshan_log_job(show->log));
    put_mounts(w, darshan_log_job(show->log));
    put_regions(w, show);
    json_key(w, "modules");
    json_array(w);
}

static void json_module(struct darshan_show *show, unsigned slot)
{
    const struct darshan_slot *s = &darshan_log_header(show->log)->slots[slot];
    struct json_writer *w = &show->json;
    json_object(w);
    json_key(w, "module");
    json_text(w, darshan_module(s->id)->name);
    if (show->parts & DARSHAN_SHOW_BASE) {
        json_key(w, "records");
        json_array(w);
    }
}

static void put_counters(struct json_writer *w, const struct darshan_module *module,
                         const int64_t *counters, const double *f_counters)
{
    json_key(w, "counters");
    json_object(w);
    for (size_t i = 0; i < module->counter_count; i++)
        put_i64(w, module->counter_names[i], counters[i]);
    for (size_t i = 0; i < module->f_counter_count; i++)
        put_double(w, module->f_counter_names[i], f_counters[i]);
    json_object_end(w);
}

static void put_numbers(struct json_writer *w, const char *key, const int64_t *numbers,
                        size_t count)
{
    json_key(w, key);
    json_array(w);
    for (size_t i = 0; i < count; i++)
        json_i64(w, numbers[i]);
    json_array_end(w);
}

static void put_component(struct json_writer *w, const struct darshan_component *c)
{
    AUTO(strbuf_done) struct strbuf word = STRBUF_INIT;
    json_object(w);
    put_i64(w, "stripe_size", c->stripe_size_bytes);
    put_i64(w, "stripe_count", c->stripe_count);
    darshan_pattern_print(&word, c->pattern);
    put_text(w, "pattern", c->pattern == -1 ? NULL : strbuf_text(&word));
    strbuf_clear(&word);
    darshan_flags_print(&word, c->flags);
    put_text(w, "flags", c->flags == -1 ? NULL : strbuf_text(&word));
    put_i64(w, "extent_start", c->extent_start_bytes);
    put_i64(w, "extent_end", c->extent_end_bytes);
    put_i64(w, "mirror_id", c->mirror_id);
    put_text(w, "pool", c->pool[0] ? c->pool : NULL);
    put_numbers(w, "ost_ids", c->ost_ids, c->ost_count);
    json_object_end(w);
}

static void put_head(struct json_writer *w, const struct darshan_record *record)
{
    const struct darshan_autoperf *head = record->autoperf;
    json_key(w, "head");
    json_object(w);
    if (record->module == darshan_module(DARSHAN_APMPI)) {
        put_double(w, "MPI_TOTAL_COMM_TIME_VARIANCE", head->variance_s2);
        if (head->has_sync)
            put_double(w, "MPI_TOTAL_COMM_SYNC_TIME_VARIANCE", head->sync_variance_s2);
    } else {
        put_i64(w, "APXC_GROUPS", head->groups);
        put_i64(w, "APXC_CHASSIS", head->chassis);
        put_i64(w, "APXC_BLADES", head->blades);
        put_text(w, "APXC_MEMORY_MODE", darshan_memory_mode(head->memory_mode));
        json_key(w, "APXC_MEMORY_MODE_CONSISTENT");
        json_bool(w, darshan_mode_is_everywhere(head->memory_mode));
        put_text(w, "APXC_CLUSTER_MODE", darshan_cluster_mode(head->cluster_mode));
        json_key(w, "APXC_CLUSTER_MODE_CONSISTENT");
        json_bool(w, darshan_mode_is_everywhere(head->cluster_mode));
        put_id(w, "APXC_APPLICATION_ID", head->application_id);
    }
    json_object_end(w);
}

/* The first record of a module is its head; times that were not measured are left out.
 */
static void put_autoperf(struct json_writer *w, const struct darshan_record *r)
{
    const struct darshan_module *m = r->module;
    if (r->autoperf->is_head) {
        put_head(w, r);
        return;
    }
    if (r->hostname)
        put_text(w, "hostname", r->hostname);
    json_key(w, "counters");
    json_object(w);
    for (size_t i = 0; i < m->counter_count; i++)
        put_u64(w, m->counter_names[i], (uint64_t)r->counters[i]);
    for (size_t i = 0; i < m->f_counter_count; i++)
        if (darshan_autoperf_has_time(r->autoperf, i))
            put_double(w, m->f_counter_names[i], r->f_counters[i]);
    json_object_end(w);
}

/* A traced record stays open for its segments, which come after it. */
static void close_segments(struct darshan_show *show)
{
    if (!show->in_segments)
        return;
    json_array_end(&show->json);
    json_object_end(&show->json);
    show->in_segments = false;
}

static void put_record(struct darshan_show *show, const struct darshan_record *r)
{
    struct json_writer *w = &show->json;
    switch (r->module->kind) {
    case DARSHAN_KIND_COUNTERS:
        put_counters(w, r->module, r->counters, r->f_counters);
        if (r->module->has_file_id)
            put_id(w, "file_id", r->file_id);
        break;
    case DARSHAN_KIND_LUSTRE:
        json_key(w, "components");
        json_array(w);
        for (size_t i = 0; i < r->component_count; i++)
            put_component(w, &r->components[i]);
        json_array_end(w);
        break;
    case DARSHAN_KIND_HEATMAP:
        put_double(w, "bin_width_s", r->bin_width_s);
        put_numbers(w, "read_bins", r->read_bins, r->bin_count);
        put_numbers(w, "write_bins", r->write_bins, r->bin_count);
        break;
    case DARSHAN_KIND_DXT:
        put_text(w, "hostname", r->hostname);
        put_u64(w, "write_count", r->write_count);
        put_u64(w, "read_count", r->read_count);
        json_key(w, "segments");
        json_array(w);
        show->in_segments = true;
        break;
    case DARSHAN_KIND_AUTOPERF:
        put_autoperf(w, r);
        break;
    case DARSHAN_KIND_SKIPPED:
        break;
    }
}

static void json_record(struct darshan_show *show, const struct darshan_record *record)
{
    struct json_writer *w = &show->json;
    struct darshan_place place = darshan_place_of(show, record);
    close_segments(show);
    json_object(w);
    put_id(w, "id", record->id);
    put_i64(w, "rank", record->rank);
    put_text(w, "name", place.name);
    put_text(w, "mount", place.mount ? place.mount->path : NULL);
    put_text(w, "fs_type", place.mount ? place.mount->type : NULL);
    put_record(show, record);
    if (!show->in_segments)
        json_object_end(w);
}

static void json_segments(struct darshan_show *show, enum darshan_direction direction,
                          const struct darshan_segment *segments, size_t count)
{
    struct json_writer *w = &show->json;
    for (size_t i = 0; i < count; i++) {
        json_object(w);
        json_key(w, "op");
        json_text(w, direction == DARSHAN_WRITE ? "write" : "read");
        json_key(w, "offset");
        if (segments[i].offset_bytes >= 0)
            json_i64(w, segments[i].offset_bytes);
        else
            json_null(w);
        put_i64(w, "length", segments[i].length_bytes);
        put_double(w, "start_s", segments[i].start_s);
        put_double(w, "end_s", segments[i].end_s);
        json_object_end(w);
    }
}

static void close_records(struct darshan_show *show)
{
    close_segments(show);
    if (show->parts & DARSHAN_SHOW_BASE)
        json_array_end(&show->json);
}

static void put_files(struct json_writer *w, const struct darshan_summary *sum)
{
    json_key(w, "files");
    json_object(w);
    for (enum darshan_category i = 0; i < DARSHAN_CATEGORIES; i++) {
        const struct darshan_files *f = &sum->files[i];
        json_key(w, darshan_category_name(i));
        json_object(w);
        put_u64(w, "count", f->count);
        put_i64(w, "bytes", f->bytes);
        put_i64(w, "max_byte_offset", f->max_byte);
        json_object_end(w);
    }
    json_object_end(w);
}

static void put_perf(struct json_writer *w, const struct darshan_summary *sum)
{
    json_key(w, "performance");
    json_object(w);
    put_i64(w, "total_bytes", sum->bytes);
    put_i64(w, "slowest_rank", sum->slowest_rank);
    put_double(w, "slowest_rank_io_time_s", sum->slowest_rank_io_s);
    put_double(w, "slowest_rank_meta_only_time_s", sum->slowest_rank_meta_s);
    put_double(w, "slowest_rank_rw_only_time_s", sum->slowest_rank_rw_s);
    put_double(w, "shared_time_by_slowest_s", sum->shared_io_s);
    put_double(w, "agg_time_by_slowest_s", sum->io_s);
    put_double(w, "agg_perf_by_slowest_mib_per_s", sum->mib_per_s);
    json_object_end(w);
}

static void json_summary(struct darshan_show *show, const struct darshan_module *module,
                         const struct darshan_summary *summary)
{
    struct json_writer *w = &show->json;
    /* The records come first: their array is closed here, the module's object later. */
    close_records(show);
    if (show->parts & DARSHAN_SHOW_TOTAL) {
        json_key(w, "total");
        json_object(w);
        put_u64(w, "records", summary->records);
        put_counters(w, module, summary->counters, summary->f_counters);
        json_object_end(w);
    }
    if (show->parts & DARSHAN_SHOW_FILE)
        put_files(w, summary);
    if (show->parts & DARSHAN_SHOW_PERF)
        put_perf(w, summary);
    show->has_summary = true;
}

static void json_module_end(struct darshan_show *show)
{
    if (!show->has_summary)
        close_records(show);
    show->has_summary = false;
    json_object_end(&show->json);
}

static void json_end(struct darshan_show *show)
{
    struct json_writer *w = &show->json;
    struct span faults = strbuf_span(&show->faults);
    json_array_end(w);
    json_key(w, "faults");
    json_array(w);
    while (faults.size > 0) {
        struct span line;
        (void)span_cut(&faults, '\n', &line);
        json_span(w, line);
    }
    json_array_end(w);
    json_object_end(w);
    strbuf_adds(&show->out, "\n");
}

const struct darshan_show_form darshan_show_json = {
    .name = "json",
    .has_traces = true,
    .start = json_start,
    .module = json_module,
    .record = json_record,
    .segments = json_segments,
    .summary = json_summary,
    .module_end = json_module_end,
    .end = json_end,
};
