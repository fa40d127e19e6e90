/* SPDX-License-Identifier: Apache-2.0 */
/* planted - Darshan logs of a job with one known difference, for tests. */
#include "planted.h"

#include "source/darshan/test/log_maker.h"

#include <math.h>

#define MIB 1048576.0
#define TARGETS 8

/* What one file of the job looks like, and how many there are. */
struct shape {
    uint64_t processes, files, stripes;
    double accesses;          /* a file */
    double bytes;             /* of one access */
    double unaligned, random; /* shares */
    double opens, stats;
    bool is_read;
    double slowness; /* of everything */
    const char *program;
};

const char *planted_family(enum planted kind)
{
    static const char *const families[PLANTED_COUNT] = {
        [PLANTED_NOTHING] = "",
        [PLANTED_SMALL] = "access size",
        [PLANTED_UNALIGNED] = "alignment",
        [PLANTED_RANDOM] = "order",
        [PLANTED_IMBALANCE] = "balance",
        [PLANTED_METADATA] = "metadata",
        [PLANTED_FEWER_PROCESSES] = "processes",
        [PLANTED_PROGRAM] = "program",
        [PLANTED_CONTENTION] = "speed",
        [PLANTED_SLOW_TARGET] = "server",
        [PLANTED_STRIPES] = "placement",
        [PLANTED_MORE_FILES] = "files",
        [PLANTED_READS] = "direction",
    };
    return families[kind];
}

/* splitmix64: numbers that are the same everywhere. */
static double draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* A factor around 1: log-normal. */
static double noise(uint64_t *state, double width)
{
    double u = 1 - draw(state);
    double v = draw(state);
    return exp(width * sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
}

static struct shape shape_of(enum planted kind, uint64_t *state)
{
    struct shape s = { 64, 64, 1, 256, MIB, 0.02, 0.01, 1, 1, false, 1, "probe" };
    double size = 0.5 + draw(state); /* how much of the difference */
    switch (kind) {
    case PLANTED_SMALL:
        s.accesses *= ceil(64 * size);
        s.bytes /= ceil(64 * size);
        s.slowness = 3 * size;
        break;
    case PLANTED_UNALIGNED:
        s.unaligned = 0.5 * size + 0.2;
        s.slowness = 1.5;
        break;
    case PLANTED_RANDOM:
        s.random = 0.5 * size + 0.2;
        s.slowness = 2;
        break;
    case PLANTED_METADATA:
        s.opens = ceil(40 * size);
        s.stats = ceil(100 * size);
        break;
    case PLANTED_FEWER_PROCESSES:
        s.processes = size < 1 ? 16 : 32;
        s.files = s.processes;
        break;
    case PLANTED_PROGRAM:
        s.program = "other";
        break;
    case PLANTED_CONTENTION:
        s.slowness = 2 + 2 * size;
        break;
    case PLANTED_STRIPES:
        s.stripes = size < 1 ? 4 : 8;
        break;
    case PLANTED_MORE_FILES:
        s.files = 64 * (uint64_t)ceil(16 * size);
        s.accesses = ceil(256 * 64 / (double)s.files);
        break;
    case PLANTED_READS:
        s.is_read = true;
        break;
    default:
        break;
    }
    return s;
}

/* A counter of one file, by the end of its name; those that are not known are 0. */
static double counter_of(const struct shape *s, const char *name)
{
    double bytes = s->accesses * s->bytes;
    const char *const size = s->bytes < 100 * 1024.0 ? "10K_100K"
                             : s->bytes <= MIB       ? "100K_1M"
                                                     : "1M_4M";
    char histogram[32];
    (void)snprintf(histogram, sizeof histogram, "SIZE_%s_%s",
                   s->is_read ? "READ" : "WRITE", size);
    const struct {
        const char *name;
        double value;
    } known[] = {
        { "OPENS", s->opens },
        { "STATS", s->stats },
        { s->is_read ? "READS" : "WRITES", s->accesses },
        { s->is_read ? "SEQ_READS" : "SEQ_WRITES",
          floor(s->accesses * (1 - s->random)) },
        { s->is_read ? "BYTES_READ" : "BYTES_WRITTEN", bytes },
        { s->is_read ? "MAX_BYTE_READ" : "MAX_BYTE_WRITTEN", bytes - 1 },
        { "FILE_NOT_ALIGNED", floor(s->accesses * s->unaligned) },
        { histogram, s->accesses },
        { "ACCESS1_ACCESS", floor(s->bytes) },
        { "ACCESS1_COUNT", s->accesses },
    };
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].value;
    return 0;
}

static void put_file(struct log_maker *m, const struct shape *s, uint64_t file,
                     double io_s, double meta_s)
{
    const struct darshan_module *module = darshan_module(DARSHAN_POSIX);
    struct strbuf *to = &m->slots[DARSHAN_POSIX];
    log_u64(m, to, 1000 + file);
    log_u64(m, to, file % s->processes);
    for (size_t i = 0; i < module->counter_count; i++)
        log_u64(m, to,
                (uint64_t)counter_of(s, module->counter_names[i] + strlen("POSIX_")));
    for (size_t i = 0; i < module->f_counter_count; i++) {
        const char *name = module->f_counter_names[i] + strlen("POSIX_F_");
        double value = strcmp(name, "META_TIME") == 0 ? meta_s
                       : strcmp(name, s->is_read ? "READ_TIME" : "WRITE_TIME") == 0
                           ? io_s
                           : 0;
        log_double(m, to, value);
    }
}

static void put_layout(struct log_maker *m, const struct shape *s, uint64_t file,
                       uint64_t first)
{
    unsigned slot = log_slot(m, DARSHAN_LUSTRE);
    const uint64_t words[] = { 1000 + file, file % s->processes, TARGETS, 1, 0,
                               1 << 20,     s->stripes };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        log_u64(m, &m->slots[slot], words[i]);
    for (uint64_t i = 0; i < s->stripes; i++)
        log_u64(m, &m->slots[slot], (file + first + i) % TARGETS);
}

void planted_make(enum planted kind, uint64_t seed, struct strbuf *out)
{
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    uint64_t state = seed * UINT64_C(0x2545F4914F6CDD1D) + 1;
    struct shape s = shape_of(kind, &state);
    char texts[128];
    uint64_t odd = (uint64_t)(draw(&state) * (double)s.processes);
    uint64_t first = (uint64_t)(draw(&state) * TARGETS);
    double weather = noise(&state, 0.08) * s.slowness;
    double factor = 6 + 6 * draw(&state);
    m.versions[DARSHAN_POSIX] = 4;
    m.versions[log_slot(&m, DARSHAN_LUSTRE)] = 1;
    (void)snprintf(texts, sizeof texts, "/opt/bin/%s -s %llu\nlustre\t/scratch\n",
                   s.program, (unsigned long long)seed);
    log_job(&m, "lib_ver=3.5.0\n", texts);
    for (uint64_t i = 0; i < s.files; i++) {
        double io_s = s.accesses * s.bytes / MIB / 200 * weather * noise(&state, 0.1);
        double meta_s = 0.002 * (s.opens + s.stats) * weather * noise(&state, 0.2);
        if (kind == PLANTED_IMBALANCE && i % s.processes == odd)
            io_s *= factor;
        if (kind == PLANTED_SLOW_TARGET && (i + first) % TARGETS == odd % TARGETS)
            io_s *= factor;
        put_file(&m, &s, i, io_s, meta_s);
        put_layout(&m, &s, i, first);
    }
    /* log_job() says 4 processes; the third number of the job's region is the place. */
    AUTO(strbuf_done) struct strbuf processes = STRBUF_INIT;
    log_u64(&m, &processes, s.processes);
    memcpy(m.job.data + 5 * sizeof(uint64_t), processes.data, sizeof(uint64_t));
    log_make(&m, out);
}
