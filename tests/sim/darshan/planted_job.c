/* SPDX-License-Identifier: Apache-2.0 */
/* planted_job - the Darshan log of a job that was planted in the played file system.
 *
 *     baro-sim-darshan --fs DIR --job 900001 >job.darshan
 *
 * Bytes, accesses and files are those that the played servers count; how long they took
 * follows from what everybody else did to the same target while the job ran.  Noise of
 * up to 5 %, drawn from the number of the process.
 */
#include "../lustre/truth.h"

#include "base/err.h"
#include "base/number.h"
#include "base/span.h"
#include "source/darshan/test/log_maker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BLOCK (UINT64_C(1) << 20) /* of the file system */
#define OPEN_S 0.002

/* One process with its file. */
struct process {
    uint64_t n, accesses, bytes, ost;
    double access_s;
    double first_s, last_s; /* since the start of the job */
};

static const char *size_class(uint64_t bytes)
{
    static const struct {
        uint64_t most;
        const char *name;
    } classes[] = { { 100, "0_100" },       { 1 << 10, "100_1K" },
                    { 10 << 10, "1K_10K" }, { 100 << 10, "10K_100K" },
                    { 1 << 20, "100K_1M" }, { 4 << 20, "1M_4M" },
                    { 10 << 20, "4M_10M" }, { 100 << 20, "10M_100M" },
                    { 1 << 30, "100M_1G" } };
    for (size_t i = 0; i < COUNT_OF(classes); i++)
        if (bytes <= classes[i].most)
            return classes[i].name;
    return "1G_PLUS";
}

static uint64_t unaligned(const struct process *p)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < p->accesses; i++)
        count += i * p->bytes % BLOCK != 0;
    return count;
}

static uint64_t counter_of(const struct process *p, const char *name)
{
    char histogram[32];
    (void)snprintf(histogram, sizeof histogram, "SIZE_WRITE_%s", size_class(p->bytes));
    const struct {
        const char *name;
        uint64_t value;
    } known[] = {
        { "OPENS", 1 },
        { "STATS", 1 },
        { "WRITES", p->accesses },
        { "SEQ_WRITES", p->accesses - 1 },
        { "CONSEC_WRITES", p->accesses - 1 },
        { "BYTES_WRITTEN", p->accesses * p->bytes },
        { "MAX_BYTE_WRITTEN", p->accesses * p->bytes - 1 },
        { "FILE_ALIGNMENT", BLOCK },
        { "FILE_NOT_ALIGNED", unaligned(p) },
        { "ACCESS1_ACCESS", p->bytes },
        { "ACCESS1_COUNT", p->accesses },
        { histogram, p->accesses },
    };
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].value;
    return 0;
}

static double f_counter_of(const struct process *p, const char *name)
{
    const struct {
        const char *name;
        double value;
    } known[] = {
        { "OPEN_START_TIMESTAMP", p->first_s - OPEN_S },
        { "OPEN_END_TIMESTAMP", p->first_s },
        { "WRITE_START_TIMESTAMP", p->first_s },
        { "WRITE_END_TIMESTAMP", p->last_s + p->access_s },
        { "CLOSE_START_TIMESTAMP", p->last_s + p->access_s },
        { "CLOSE_END_TIMESTAMP", p->last_s + p->access_s + OPEN_S },
        { "WRITE_TIME", p->access_s * (double)p->accesses },
        { "META_TIME", 3 * OPEN_S },
        { "MAX_WRITE_TIME", p->access_s },
    };
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].value;
    return 0;
}

static void put_process(struct log_maker *m, const struct process *p)
{
    const struct darshan_module *module = darshan_module(DARSHAN_POSIX);
    struct strbuf *to = &m->slots[DARSHAN_POSIX];
    struct strbuf *layout = &m->slots[log_slot(m, DARSHAN_LUSTRE)];
    char path[64];
    const uint64_t id = 1000 + p->n;
    log_u64(m, to, id);
    log_u64(m, to, p->n);
    for (size_t i = 0; i < module->counter_count; i++)
        log_u64(m, to, counter_of(p, module->counter_names[i] + strlen("POSIX_")));
    for (size_t i = 0; i < module->f_counter_count; i++)
        log_double(m, to,
                   f_counter_of(p, module->f_counter_names[i] + strlen("POSIX_F_")));
    const uint64_t words[] = { id, p->n, 0, 1, 0, BLOCK, 1, p->ost };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        log_u64(m, layout, words[i]);
    (void)snprintf(path, sizeof path, "/scratch/run/out.%04" PRIu64, p->n);
    log_name(m, id, path);
}

static double others_rate(const struct sim *sim, const struct sim_plant *plant,
                          uint64_t ost)
{
    const struct sim_target *target = &sim->targets[sim->conf.mdts + ost];
    uint64_t bytes = sim_truth_bytes(sim, target, plant->start_ns,
                                     plant->start_ns + plant->length_ns, plant->number);
    return (double)bytes * NS_PER_S / (double)plant->length_ns;
}

static void put_processes(struct log_maker *m, const struct sim *sim,
                          const struct sim_plant *plant)
{
    for (uint64_t n = 0; n < plant->node_count; n++) {
        struct sim_series s;
        sim_plant_series(plant, SIM_OST, n, &s);
        struct process p = { .n = n,
                             .bytes = plant->bytes,
                             .accesses = sim_series_events(&s, s.end_ns),
                             .ost = sim_plant_ost(sim, plant, n) };
        double noise = 1 + (double)(sim_mix(s.seed, 3) % 1001) / 10000 - 0.05;
        p.access_s = noise * sim_access_s(p.bytes, others_rate(sim, plant, p.ost));
        /* A process writes one record after the other: they fit into its run. */
        double at_most_s =
            0.95 * (double)plant->length_ns / NS_PER_S / (double)p.accesses;
        p.access_s = p.access_s < at_most_s ? p.access_s : at_most_s;
        p.first_s = (double)(s.start_ns - plant->start_ns) / NS_PER_S;
        p.last_s = (double)(sim_series_event_time(&s, p.accesses) - plant->start_ns) /
                   NS_PER_S;
        put_process(m, &p);
    }
}

static void put_job(struct log_maker *m, const struct sim *sim,
                    const struct sim_plant *plant)
{
    const int64_t end_ns = plant->start_ns + plant->length_ns;
    const uint64_t words[] = {
        plant->uid,
        (uint64_t)(plant->start_ns / NS_PER_S),
        (uint64_t)(plant->start_ns % NS_PER_S),
        (uint64_t)(end_ns / NS_PER_S),
        (uint64_t)(end_ns % NS_PER_S),
        plant->node_count,
        plant->number,
    };
    char text[256];
    for (size_t i = 0; i < COUNT_OF(words); i++)
        log_u64(m, &m->job, words[i]);
    log_text(&m->job, "lib_ver=3.5.0\n", 1024);
    (void)snprintf(text, sizeof text,
                   "/opt/flow/bin/solver --record %" PRIu64 "\nlustre\t/%s\n",
                   plant->bytes, sim->conf.fsname);
    log_text(&m->job, text, strlen(text) + 1);
}

static int run(const char *dir, uint64_t number, struct err *err)
{
    AUTO(log_maker_done)
    struct log_maker m = { .number = 341, .compression = DARSHAN_ZLIB };
    AUTO(strbuf_done) struct strbuf log = STRBUF_INIT;
    AUTO(sim_free) struct sim *sim = NULL;
    int rc = sim_open(dir, &sim, err);
    if (rc < 0)
        return rc;
    const struct sim_plant *plant = sim_plant_find(sim, number);
    if (!plant)
        return err_set(err, ENOENT, "no job %" PRIu64 " was planted", number);
    m.versions[DARSHAN_POSIX] = 4;
    m.versions[log_slot(&m, DARSHAN_LUSTRE)] = 1;
    put_job(&m, sim, plant);
    put_processes(&m, sim, plant);
    log_make(&m, &log);
    return fwrite(log.data, 1, log.size, stdout) == log.size
               ? 0
               : err_set(err, EIO, "standard output");
}

int main(int argc, char **argv)
{
    struct err err = { { 0 } };
    uint64_t number = 0;
    if (argc != 5 || strcmp(argv[1], "--fs") != 0 || strcmp(argv[3], "--job") != 0 ||
        number_parse_u64(span_of(argv[4]), &number) < 0) {
        fprintf(stderr, "usage: baro-sim-darshan --fs DIR --job NUMBER\n");
        return EXIT_USAGE;
    }
    if (run(argv[2], number, &err) == 0)
        return EXIT_OK;
    fprintf(stderr, "baro-sim-darshan: %s\n", err.text);
    return EXIT_FAILED;
}
