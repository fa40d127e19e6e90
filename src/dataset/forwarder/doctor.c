/* SPDX-License-Identifier: Apache-2.0 */
/* doctor - which server on the way to the repository does not respond, or waits. */
#include "dataset/forwarder/doctor.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "dataset/forwarder/forwarder.h"

#include <string.h>

#define ADDRESS_SIZE 256

enum { LEVEL, ADDRESS, STATE, UPSTREAMS, WAITING, REASON };

struct hop {
    char address[ADDRESS_SIZE];
    unsigned level;
};

struct doctor {
    struct table *out;
    struct hop hops[DOCTOR_HOPS_MAX]; /* as they are found; each once */
    size_t count, bad, left_out;
};

/* What one server counts. */
struct counted {
    uint64_t waiting, corrupt, upstreams, open;
};

void doctor_table_init(struct table *out)
{
    table_add_column(out, "level", TABLE_TEXT, "");
    table_add_column(out, "address", TABLE_TEXT, "");
    table_add_column(out, "state", TABLE_TEXT, "");
    table_add_column(out, "upstreams", TABLE_TEXT, "");
    table_add_column(out, "waiting", TABLE_U64, "chunks");
    table_add_column(out, "reason", TABLE_TEXT, "");
}

void doctor_row_add(struct table *out, const char *what, const char *address,
                    const char *state, const char *reason)
{
    table_add_row(out);
    table_set_text(out, LEVEL, span_of(what));
    table_set_text(out, ADDRESS, span_of(address));
    table_set_text(out, STATE, span_of(state));
    table_set_text(out, REASON, span_of(reason));
}

static void hop_add(struct doctor *doctor, struct span address, unsigned level)
{
    struct hop *hop = &doctor->hops[doctor->count];
    if (address.size == 0 || address.size >= ADDRESS_SIZE)
        return;
    for (size_t i = 0; i < doctor->count; i++)
        if (span_eq(span_of(doctor->hops[i].address), address))
            return;
    if (doctor->count == DOCTOR_HOPS_MAX) {
        doctor->left_out++;
        return;
    }
    (void)snprintf(hop->address, sizeof hop->address, SPAN_FMT, SPAN_ARG(address));
    hop->level = level;
    doctor->count++;
}

/* baro_dataset_upstream_open{upstream="ADDRESS"} 1 */
static void upstream_read(struct doctor *doctor, const struct hop *hop,
                          struct span name, uint64_t value, struct counted *counted)
{
    static const char prefix[] = "baro_dataset_upstream_open{upstream=\"";
    struct span address;
    if (!span_starts(name, prefix))
        return;
    name = span_skip(name, sizeof prefix - 1);
    (void)span_cut(&name, '"', &address);
    counted->upstreams++;
    counted->open += value != 0;
    hop_add(doctor, address, hop->level + 1);
}

static void counters_read(struct doctor *doctor, const struct hop *hop,
                          struct span text, struct counted *counted)
{
    struct span line, name;
    uint64_t value;
    while (text.size) {
        (void)span_cut(&text, '\n', &line);
        (void)span_cut(&line, ' ', &name);
        if (number_parse_u64(line, &value) < 0)
            continue;
        if (span_eq(name, SPAN("baro_dataset_chunks_in_flight")))
            counted->waiting = value;
        else if (span_eq(name, SPAN("baro_dataset_corrupt_upstream_total")) ||
                 span_eq(name, SPAN("baro_dataset_corrupt_disk_total")))
            counted->corrupt += value;
        else
            upstream_read(doctor, hop, name, value, counted);
    }
}

static void reason_add(struct strbuf *out, const char *text)
{
    strbuf_addf(out, "%s%s", out->size > 0 ? "; " : "", text);
}

/* One that waits and has no upstream is the one to look at: those below it wait for it.
 */
static void hop_row(struct doctor *doctor, const struct hop *hop,
                    const struct counted *counted)
{
    AUTO(strbuf_done) struct strbuf reason = STRBUF_INIT;
    char text[96];
    bool is_cut = counted->upstreams > 0 && counted->open == 0;
    bool waits = is_cut && counted->waiting > 0;
    doctor->bad += waits;
    (void)snprintf(text, sizeof text, "%u", hop->level);
    doctor_row_add(doctor->out, text, hop->address, waits ? "waits" : "ok", "");
    if (counted->upstreams > 0)
        (void)snprintf(text, sizeof text, "%llu of %llu open",
                       (unsigned long long)counted->open,
                       (unsigned long long)counted->upstreams);
    else
        (void)snprintf(text, sizeof text, "a repository");
    table_set_text(doctor->out, UPSTREAMS, span_of(text));
    table_set_u64(doctor->out, WAITING, counted->waiting);
    if (is_cut)
        reason_add(&reason, waits ? "no upstream is open: reads wait"
                                  : "no upstream is open; no read waits");
    if (counted->corrupt > 0) {
        (void)snprintf(text, sizeof text,
                       "%llu chunks were damaged, and fetched elsewhere",
                       (unsigned long long)counted->corrupt);
        reason_add(&reason, text);
    }
    table_set_text(doctor->out, REASON, strbuf_span(&reason));
}

static void hop_examine(struct doctor *doctor, const struct hop *hop)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct counted counted = { 0 };
    struct err err = { 0 };
    char level[16];
    if (forwarder_stats_fetch(hop->address, DOCTOR_WAIT_S, &text, &err) == 0) {
        counters_read(doctor, hop, strbuf_span(&text), &counted);
        hop_row(doctor, hop, &counted);
        return;
    }
    doctor->bad++;
    (void)snprintf(level, sizeof level, "%u", hop->level);
    doctor_row_add(doctor->out, level, hop->address, "away", err.text);
}

int doctor_examine(const char *const *addresses, size_t count, struct table *out,
                   size_t *ret_bad)
{
    AUTO_FREE struct doctor *doctor = calloc(1, sizeof *doctor);
    char text[64];
    if (!doctor)
        return -ENOMEM;
    doctor->out = out;
    for (size_t i = 0; i < count; i++)
        hop_add(doctor, span_of(addresses[i]), 0);
    for (size_t i = 0; i < doctor->count; i++)
        hop_examine(doctor, &doctor->hops[i]);
    (void)snprintf(text, sizeof text, "%zu more servers were not looked at",
                   doctor->left_out);
    if (doctor->left_out > 0)
        doctor_row_add(out, "", "", "", text);
    *ret_bad = doctor->bad;
    return table_error(out);
}
