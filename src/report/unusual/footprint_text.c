/* SPDX-License-Identifier: Apache-2.0 */
/* footprint_text - what a job's nodes did, as text for a person and as JSON. */
#include "report/unusual/footprint_text.h"

#include "report/unusual/finding_rate_text.h"

#include "base/figure.h"
#include "base/number.h"
#include "base/timetext.h"
#include "report/unusual/phases_text.h"
#include "report/unusual/roofline_text.h"

#include <math.h>

#define TIME_MIN_S 1 /* times below it are no times of day */

/* ---- for a person ---- */

const char *footprint_value_text(char text[static FOOTPRINT_VALUE_SIZE], double value,
                                 const char *unit)
{
    figure_print_unit(text, FOOTPRINT_VALUE_SIZE, value, unit);
    return text;
}

static void evidence_print(const struct footprint_finding *f, const char *others,
                           struct strbuf *out)
{
    char value[FOOTPRINT_VALUE_SIZE], usual[FOOTPRINT_VALUE_SIZE];
    if (!f->metric[0] || isnan(f->value))
        return;
    strbuf_addf(out, ": %s %s", f->metric,
                footprint_value_text(value, f->value, f->unit));
    if (!isnan(f->usual) && f->others > 0)
        strbuf_addf(out, ", on the %zu %s %s", f->others, others,
                    footprint_value_text(usual, f->usual, f->unit));
}

static void since_print(const struct footprint_finding *f, struct strbuf *out)
{
    char text[TIMETEXT_SIZE];
    if (f->from_s < TIME_MIN_S)
        return;
    (void)timetext_print(text, f->from_s * NS_PER_S);
    strbuf_addf(out, " from %s on", text);
}

static void memory_print(const struct footprint_finding *f, struct strbuf *out)
{
    if (f->count == 0) {
        strbuf_adds(out, "The job was ended because its memory was not enough");
    } else {
        strbuf_addf(out, "The memory of %s was at its limit", f->nodes);
        since_print(f, out);
    }
    evidence_print(f, "others", out);
}

static void gpu_print(const struct footprint_finding *f, struct strbuf *out)
{
    strbuf_addf(out, "%zu of %zu GPUs did nothing: ", f->count, f->count + f->others);
    strbuf_adds(out, f->devices);
    evidence_print(f, "others", out);
}

static void kind_print(const struct footprint_finding *f, struct strbuf *out)
{
    switch (f->kind) {
    case FOOTPRINT_IDLE_NODE:
        strbuf_addf(out, "%s%s did nothing", f->others == 0 ? "All nodes, " : "",
                    f->nodes);
        since_print(f, out);
        evidence_print(f, "others", out);
        break;
    case FOOTPRINT_SLOW_NODE:
        strbuf_addf(out, "%s %s slow", f->nodes, f->count > 1 ? "were" : "was");
        since_print(f, out);
        evidence_print(f, "others", out);
        break;
    case FOOTPRINT_MEMORY_LIMIT_REACHED:
        memory_print(f, out);
        break;
    case FOOTPRINT_SWAPPING:
        strbuf_addf(out, "%s swapped", f->nodes);
        since_print(f, out);
        evidence_print(f, "others", out);
        break;
    case FOOTPRINT_GPU_IDLE:
        gpu_print(f, out);
        break;
    default:
        strbuf_addf(out, "%s had %.1f times the work of the average node", f->nodes,
                    f->value / f->usual);
        break;
    }
}

void footprint_finding_print(const struct footprint_finding *finding,
                             struct strbuf *out)
{
    kind_print(finding, out);
    if (finding->is_so_far)
        strbuf_adds(out, "; so far, the job goes on");
}

void footprint_advice_print(const struct footprint_finding *finding, struct strbuf *out)
{
    const struct footprint_finding *f = finding;
    switch (f->kind) {
    case FOOTPRINT_IDLE_NODE:
        if (f->others > 0)
            strbuf_addf(out,
                        "Start processes on every node (srun --nodes=%zu), or request "
                        "%zu node%s less.",
                        f->others + f->count, f->count, f->count > 1 ? "s" : "");
        break;
    case FOOTPRINT_SLOW_NODE:
        strbuf_addf(out,
                    "Have the node checked (scontrol show node %s); until then leave "
                    "it out (sbatch --exclude=%s).",
                    f->nodes, f->nodes);
        break;
    case FOOTPRINT_MEMORY_LIMIT_REACHED:
    case FOOTPRINT_SWAPPING:
        strbuf_adds(out, "Spread it over more nodes (sbatch --nodes), or start fewer "
                         "processes on each (sbatch --ntasks-per-node).");
        break;
    case FOOTPRINT_GPU_IDLE:
        if (f->others > 0)
            strbuf_addf(out,
                        "Use all GPUs, or request the %zu that it needs (sbatch "
                        "--gpus=%zu).",
                        f->others, f->others);
        else
            strbuf_adds(out, "Check that the program was built for GPUs, or run it on "
                             "nodes without them (sbatch --partition).");
        break;
    default:
        break;
    }
}

void footprint_print(const struct footprint *footprint, struct strbuf *out)
{
    char median[FOOTPRINT_VALUE_SIZE], low[FOOTPRINT_VALUE_SIZE],
        high[FOOTPRINT_VALUE_SIZE];
    for (size_t i = 0; i < footprint->metric_count; i++) {
        const struct footprint_metric *m = &footprint->metrics[i];
        strbuf_addf(out, "    %-16s %s", m->name,
                    footprint_value_text(median, m->median, m->unit));
        if (m->rows > 1)
            strbuf_addf(out, " (%s on %s to %s on %s)",
                        footprint_value_text(low, m->lowest_value, m->unit), m->lowest,
                        footprint_value_text(high, m->highest_value, m->unit),
                        m->highest);
        strbuf_addc(out, '\n');
    }
    if (footprint->unobserved)
        strbuf_addf(out, "    No metrics of %s.\n", footprint->unobserved);
    phases_print(&footprint->phases, out);
    roofline_print(&footprint->roofline, out);
}

/* ---- for programs ---- */

static void footprint_number_put(struct json_writer *w, const char *key, double value)
{
    json_key(w, key);
    json_double(w, value);
}

static void footprint_text_put(struct json_writer *w, const char *key,
                               const struct strbuf *text)
{
    json_key(w, key);
    if (text->size > 0)
        json_span(w, strbuf_span(text));
    else
        json_null(w);
}

void footprint_finding_json(const struct footprint_finding *finding,
                            struct json_writer *w)
{
    const struct footprint_finding *f = finding;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf advice = STRBUF_INIT;
    footprint_finding_print(f, &text);
    footprint_advice_print(f, &advice);
    json_object(w);
    json_key(w, "kind");
    json_text(w, footprint_kind_name(f->kind));
    json_key(w, "cause");
    json_text(w, f->cause ? footprint_cause_name(f->cause) : NULL);
    footprint_text_put(w, "text", &text);
    footprint_text_put(w, "advice", &advice);
    finding_rate_json(finding_rate_of(footprint_kind_name(f->kind), false), w);
    json_key(w, "nodes");
    json_text(w, f->nodes);
    json_key(w, "devices");
    json_text(w, f->devices);
    json_key(w, "from");
    json_time_ms(w, f->from_s * MS_PER_S);
    json_key(w, "to");
    json_time_ms(w, f->to_s * MS_PER_S);
    json_key(w, "measure");
    json_text(w, f->metric);
    json_key(w, "unit");
    json_text(w, f->unit);
    footprint_number_put(w, "value", f->value);
    footprint_number_put(w, "usual", f->usual);
    footprint_number_put(w, "threshold", f->threshold);
    json_key(w, "n");
    json_u64(w, f->n);
    json_key(w, "others");
    json_u64(w, f->others);
    json_key(w, "cost");
    json_object(w);
    footprint_number_put(w, "low_s", f->low_s);
    footprint_number_put(w, "high_s", f->high_s);
    json_object_end(w);
    footprint_number_put(w, "unused_s", f->unused_s);
    json_object_end(w);
}

static void metric_json(const struct footprint_metric *m, struct json_writer *w)
{
    json_object(w);
    json_key(w, "name");
    json_text(w, m->name);
    json_key(w, "unit");
    json_text(w, m->unit);
    json_key(w, "nodes");
    json_u64(w, m->nodes);
    footprint_number_put(w, "avg", m->average);
    footprint_number_put(w, "min", m->min);
    footprint_number_put(w, "max", m->max);
    footprint_number_put(w, "median", m->median);
    footprint_number_put(w, "q25", m->low);
    footprint_number_put(w, "q75", m->high);
    footprint_number_put(w, "deviation", m->deviation);
    json_key(w, "lowest");
    json_text(w, m->lowest);
    footprint_number_put(w, "lowest_avg", m->lowest_value);
    json_key(w, "highest");
    json_text(w, m->highest);
    footprint_number_put(w, "highest_avg", m->highest_value);
    json_object_end(w);
}

void footprint_json(const struct footprint *footprint, struct json_writer *w)
{
    json_object(w);
    json_key(w, "hosts");
    json_u64(w, footprint->hosts);
    json_key(w, "observed");
    json_u64(w, footprint->observed);
    json_key(w, "unobserved");
    json_text(w, footprint->unobserved);
    json_key(w, "from");
    json_time_ms(w, footprint->from_s * MS_PER_S);
    json_key(w, "to");
    json_time_ms(w, footprint->to_s * MS_PER_S);
    json_key(w, "metrics");
    json_array(w);
    for (size_t i = 0; i < footprint->metric_count; i++)
        metric_json(&footprint->metrics[i], w);
    json_array_end(w);
    phases_json(&footprint->phases, w);
    roofline_json(&footprint->roofline, w);
    json_object_end(w);
}
