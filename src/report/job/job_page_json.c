/* SPDX-License-Identifier: Apache-2.0 */
/* job_page_json - one run for programs. */
#include "base/json_writer.h"
#include "report/job/finding_json.h"
#include "report/job/job_comparison_json.h"
#include "report/job/job_known.h"
#include "report/job/job_nodes_text.h"
#include "report/job/job_page.h"
#include "report/job/job_servers_page.h"
#include "report/job/site_text.h"
#include "report/unusual/unusual.h"

/* The interfaces that the log has records of. */
static void put_layers(struct json_writer *w, const struct profile *p)
{
    static const char *const names[LAYER_FIGURES] = {
        [LAYER_OPENS] = "opens",
        [LAYER_ACCESSES] = "accesses",
        [LAYER_BYTES] = "bytes",
        [LAYER_READ_SHARE] = "read_share",
        [LAYER_COLLECTIVE_SHARE] = "collective_share",
    };
    json_key(w, "layers");
    json_object(w);
    for (int layer = 0; layer < LOG_LAYERS; layer++) {
        if (p->layer_records[layer] == 0)
            continue;
        json_key(w, log_layer_name((enum log_layer)layer));
        json_object(w);
        json_key(w, "records");
        json_u64(w, p->layer_records[layer]);
        for (int i = 0; i < LAYER_FIGURES; i++)
            job_number_json(
                w, names[i],
                p->values[profile_layer((enum log_layer)layer, (enum layer_figure)i)]);
        json_object_end(w);
    }
    json_object_end(w);
}

/* null: AutoPerf did not record it. */
static void put_autoperf(struct json_writer *w, const struct mpi_calls *calls)
{
    char name[48];
    double most_s = 0;
    const char *most = mpi_calls_most(calls, name, sizeof name, &most_s);
    json_key(w, "mpi");
    if (calls->processes == 0) {
        json_null(w);
    } else {
        json_object(w);
        job_number_json(w, "mean_s", mpi_calls_mean_s(calls));
        job_number_json(w, "most_s", calls->most_s);
        json_key(w, "slowest_rank");
        json_i64(w, calls->slowest_rank);
        json_key(w, "call");
        json_text(w, most);
        job_number_json(w, "call_mean_s", most_s);
        json_object_end(w);
    }
    json_key(w, "routers");
    if (calls->routers == 0) {
        json_null(w);
        return;
    }
    json_object(w);
    json_key(w, "count");
    json_u64(w, calls->routers);
    job_number_json(w, "flits", calls->flits);
    job_number_json(w, "stalls", calls->stalls);
    json_object_end(w);
}

void job_run_json(const struct profile *p, struct json_writer *w)
{
    json_key(w, "jobid");
    json_i64(w, p->jobid);
    job_text_json(w, "exe", p->exe);
    json_key(w, "start_s");
    json_i64(w, p->start_s);
    job_number_json(w, "run_time_s", p->run_s);
    json_key(w, "is_whole");
    json_bool(w, profile_is_whole(p));
    json_key(w, "suspect");
    json_text(w, p->doubt);
    json_key(w, "suspect_records");
    json_u64(w, p->suspects);
    json_key(w, "has_wrong_sizes");
    json_bool(w, p->has_wrong_sizes);
    json_key(w, "gaps");
    json_object(w);
    for (int kind = 0; kind < LOG_GAP_KINDS; kind++) {
        const char *name;
        json_key(w, log_gap_name((enum log_gap)kind));
        json_array(w);
        for (size_t n = 0; (name = log_gaps_name(&p->gaps, (enum log_gap)kind, n)); n++)
            json_text(w, name);
        json_array_end(w);
    }
    json_object_end(w);
    json_key(w, "measures");
    json_object(w);
    for (size_t i = 0; i < PROFILE_LAYER_FIRST; i++)
        job_number_json(w, profile_term((enum profile_measure)i)->name, p->values[i]);
    json_object_end(w);
    put_layers(w, p);
    put_autoperf(w, &p->mpi);
    job_cost_json(w, "io", &p->io);
    job_number_json(w, "io_mean_s", p->mean_s);
    job_number_json(w, "file_system_bytes", p->fs_bytes);
}

void job_page_print_json(const struct job_assessment *page, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    job_run_json(&page->run, &w);
    job_cost_json(&w, "excess", &page->excess);
    if (page->record && page->record->start_ns != JOB_TIME_NONE)
        job_record_json(page->record, &w);
    job_headlines_json(page, &w);
    site_json(page->site, &w);
    if (page->nodes && page->nodes->is_observed) {
        json_key(&w, "nodes");
        footprint_json(&page->nodes->footprint, &w);
    }
    if (page->servers)
        job_servers_print_json(page->servers, &page->run, &w);
    job_comparison_json(&page->comparison, &w);
    job_known_json(page, &w);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}
