/* SPDX-License-Identifier: Apache-2.0 */
/* stats - the counters of a forwarder as text, a line each, as Prometheus reads them.
 */
#include "dataset/forwarder/service.h"

#include <inttypes.h>

static void line_add(struct strbuf *out, const char *name, uint64_t value)
{
    strbuf_addf(out, "baro_dataset_%s %" PRIu64 "\n", name, value);
}

static void flights_add(struct strbuf *out, const struct forwarder_service *service)
{
    const struct flight_counts *c = flights_counts(service->flights);
    line_add(out, "memory_hits_total", c->memory_hits);
    line_add(out, "disk_hits_total", c->disk_hits);
    line_add(out, "misses_total", c->misses);
    line_add(out, "joined_total", c->joined);
    line_add(out, "repository_chunks_total", c->repository_chunks);
    line_add(out, "repository_bytes_total", c->repository_bytes);
    line_add(out, "repository_failures_total", c->repository_failures);
    line_add(out, "corrupt_disk_total", c->corrupt_disk);
    line_add(out, "corrupt_upstream_total", c->corrupt_upstream);
    line_add(out, "disk_writes_total", c->disk_writes);
    line_add(out, "disk_write_failures_total", c->disk_write_failures);
    line_add(out, "disk_writes_skipped_total", c->disk_writes_skipped);
    line_add(out, "refused_total", c->refused);
    line_add(out, "expired_total", c->expired);
    line_add(out, "chunks_in_flight", flights_count(service->flights));
}

static void prefetch_add(struct strbuf *out, const struct forwarder_service *service)
{
    const struct prefetch_counts *c = prefetch_counts(service->prefetch);
    line_add(out, "reads_total", c->reads);
    line_add(out, "read_misses_total", c->misses);
    line_add(out, "prefetched_total", c->chunks);
    line_add(out, "prefetched_bytes_total", c->bytes);
    line_add(out, "prefetch_used_total", c->used);
    line_add(out, "prefetch_wasted_total", c->wasted);
    line_add(out, "prefetch_failed_total", c->failed);
    line_add(out, "profiles_total", c->profiles);
    line_add(out, "profiles_refused_total", c->profiles_refused);
}

static void doors_add(struct strbuf *out, const struct forwarder_service *service)
{
    line_add(out, "chunk_door_chunks_total", service->chunk_server.chunks);
    line_add(out, "chunk_door_bytes_total", service->chunk_server.bytes);
    line_add(out, "nbd_reads_total", service->nbd_server.reads);
    line_add(out, "nbd_bytes_total", service->nbd_server.bytes);
    line_add(out, "nbd_errors_total", service->nbd_server.errors);
    line_add(out, "9p_reads_total", service->ninep_server.reads);
    line_add(out, "9p_bytes_total", service->ninep_server.bytes);
    line_add(out, "9p_errors_total", service->ninep_server.errors);
    line_add(out, "9p_writes_refused_total", service->ninep_server.writes_refused);
    line_add(out, "9p_malformed_total", service->ninep_server.malformed);
    line_add(out, "munge_decoded_total", service->identities.decoded);
    line_add(out, "munge_refused_total", service->identities.refused);
    line_add(out, "clients", service->clients.count);
    line_add(out, "clients_accepted_total", service->clients.accepted);
    line_add(out, "clients_refused_total", service->clients.refused);
    line_add(out, "clients_denied_total", service->clients.denied);
    line_add(out, "clients_closed_slow_total", service->clients.closed_slow);
}

static void pushes_add(struct strbuf *out, const struct pushes *pushes)
{
    line_add(out, "pushes", pushes->sender_count);
    line_add(out, "pushes_begun_total", pushes->begun);
    line_add(out, "pushes_refused_total", pushes->refused);
    line_add(out, "pushes_admitted_total", pushes->admitted);
    line_add(out, "push_chunks_total", pushes->chunks);
    line_add(out, "push_bytes_total", pushes->bytes);
    line_add(out, "push_damaged_total", pushes->damaged);
}

static void upstreams_add(struct strbuf *out, const struct upstreams *upstreams)
{
    for (size_t i = 0; i < upstreams_count(upstreams); i++) {
        struct upstream_counts c;
        upstreams_counts(upstreams, i, &c);
        const struct {
            const char *name;
            uint64_t value;
        } lines[] = { { "open", c.is_open },
                      { "chunks_total", c.chunks },
                      { "bytes_total", c.bytes },
                      { "corrupt_total", c.corrupt },
                      { "lost_total", c.lost } };
        for (size_t k = 0; k < COUNT_OF(lines); k++)
            strbuf_addf(out, "baro_dataset_upstream_%s{upstream=\"%s\"} %" PRIu64 "\n",
                        lines[k].name, c.address, lines[k].value);
    }
}

struct payload *service_stats(void *arg)
{
    const struct forwarder_service *service = arg;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    flights_add(&out, service);
    prefetch_add(&out, service);
    doors_add(&out, service);
    pushes_add(&out, &service->pushes);
    line_add(&out, "memory_bytes", cache_memory_bytes(service->memory));
    line_add(&out, "disk_bytes", service->disk ? cache_disk_bytes(service->disk) : 0);
    line_add(&out, "disk_chunks", service->disk ? cache_disk_count(service->disk) : 0);
    line_add(&out, "clients_memory_bytes", service->channels.held_bytes);
    line_add(&out, "clients_memory_peak_bytes", service->channels.held_peak);
    line_add(&out, "datasets", datasets_count(service->datasets));
    if (service->upstreams)
        upstreams_add(&out, service->upstreams);
    struct payload *payload = strbuf_error(&out) ? NULL : payload_new(out.size);
    if (payload)
        memcpy(payload->data, out.data, out.size);
    return payload;
}
