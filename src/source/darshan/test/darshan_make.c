/* SPDX-License-Identifier: Apache-2.0 */
/* darshan_make - writes a small Darshan log to standard output, for tests and benches.
 *
 *     darshan_make FORMAT little|big zlib|bzip2|none [RECORDS [LATER_S]]
 *
 * FORMAT is 300, 310, 320, 321 or 341.  Two ranks write files of their own and read one
 * that all share; RECORDS more files of one rank each follow.  The job begins LATER_S
 * seconds after the usual start.
 *
 *     darshan_make KIND little|big zlib|bzip2|none
 *
 * A log of format 341.  objects: of a job that used DAOS, one file by DFS, its array
 * below, and one object beside it; nothing by POSIX.  mpi-objects: the same, reached
 * through MPI-IO.  autoperf: with calls of MPI and a router.  metadata: of four
 * processes, of which one spent a minute in metadata.  pnetcdf, pnetcdf-many: a file of
 * PnetCDF, its variable written in 32 calls, or in 8192 for the same bytes.
 */
#include "base/number.h"
#include "base/span.h"
#include "source/darshan/autoperf_names.h"
#include "source/darshan/test/log_maker.h"

static void put_posix(struct log_maker *m, uint64_t id, uint64_t rank, uint64_t opens,
                      uint64_t bytes)
{
    const struct darshan_module *module = darshan_module(DARSHAN_POSIX);
    struct strbuf *to = &m->slots[DARSHAN_POSIX];
    log_u64(m, to, id);
    log_u64(m, to, rank);
    for (size_t i = 0; i < module->counter_count; i++) {
        const char *name = module->counter_names[i];
        uint64_t value = 0;
        if (strcmp(name, "POSIX_OPENS") == 0)
            value = opens;
        else if (strncmp(name, "POSIX_BYTES_", 12) == 0)
            value = bytes;
        else if (strncmp(name, "POSIX_MAX_BYTE_", 15) == 0)
            value = bytes - 1;
        log_u64(m, to, value);
    }
    for (size_t i = 0; i < module->f_counter_count; i++) {
        const char *name = module->f_counter_names[i];
        bool is_time = strcmp(name, "POSIX_F_META_TIME") == 0 ||
                       strcmp(name, "POSIX_F_READ_TIME") == 0 ||
                       strcmp(name, "POSIX_F_WRITE_TIME") == 0;
        double slowest = strcmp(name, "POSIX_F_SLOWEST_RANK_TIME") == 0 ? 0.5 : 0;
        log_double(m, to, is_time ? (rank == 1 ? 0.5 : 0.25) : slowest);
    }
}

/* A file of one process: seconds of writing, and in metadata. */
static void put_times(struct log_maker *m, uint64_t rank, double write_s, double meta_s)
{
    const struct darshan_module *module = darshan_module(DARSHAN_POSIX);
    struct strbuf *to = &m->slots[DARSHAN_POSIX];
    m->versions[DARSHAN_POSIX] = 4;
    log_u64(m, to, 100 + rank);
    log_u64(m, to, rank);
    for (size_t i = 0; i < module->counter_count; i++)
        log_u64(m, to,
                strcmp(module->counter_names[i], "POSIX_BYTES_WRITTEN") == 0
                    ? UINT64_C(1) << 30
                : strcmp(module->counter_names[i], "POSIX_OPENS") == 0 ? 1000
                                                                       : 0);
    for (size_t i = 0; i < module->f_counter_count; i++)
        log_double(
            m, to,
            strcmp(module->f_counter_names[i], "POSIX_F_WRITE_TIME") == 0  ? write_s
            : strcmp(module->f_counter_names[i], "POSIX_F_META_TIME") == 0 ? meta_s
                                                                           : 0);
}

static void put_words(struct log_maker *m, enum darshan_module_id id, uint32_t version,
                      const uint64_t *words, size_t count)
{
    unsigned slot = log_slot(m, id);
    m->versions[slot] = version;
    for (size_t i = 0; i < count; i++)
        log_u64(m, &m->slots[slot], words[i]);
}

static void fill(struct log_maker *m, uint64_t records)
{
    static const uint64_t lustre[] = { 11, 0, 99, 9, 0, 1 << 20, 2, 5, 6 };
    static const uint64_t traced[] = { 11, 0, 0 };
    log_job(m, "lib_ver=3.5.0\n", "./app -n 4\next4\t/\nlustre\t/scratch\n");
    log_name(m, 11, "/scratch/out.0");
    log_name(m, 12, "/scratch/out.1");
    log_name(m, 13, "/home/in\nput");
    m->versions[DARSHAN_POSIX] = 4;
    put_posix(m, 11, 0, 3, UINT64_C(512) << 10);
    put_posix(m, 12, 1, 4, UINT64_C(1024) << 10);
    put_posix(m, 13, UINT64_MAX, 5, UINT64_C(1024) << 10);
    for (uint64_t i = 0; i < records; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "/scratch/run/output.%08llu",
                       (unsigned long long)i);
        log_name(m, 1000 + i * 2654435761, name);
        put_posix(m, 1000 + i * 2654435761, i, 1, 4096 + i);
    }
    put_words(m, DARSHAN_LUSTRE, 1, lustre, COUNT_OF(lustre));
    put_words(m, DARSHAN_DXT_POSIX, 1, traced, COUNT_OF(traced));
    struct strbuf *to = &m->slots[log_slot(m, DARSHAN_DXT_POSIX)];
    log_text(to, "node017", 64);
    log_u64(m, to, 1);
    log_u64(m, to, 0);
    log_u64(m, to, 0);
    log_u64(m, to, 4096);
    log_double(m, to, 0.5);
    log_double(m, to, 0.75);
    put_words(m, DARSHAN_BGQ, 9, lustre, COUNT_OF(lustre));
}

/* A process of APMPI: each call once, with as many bytes as its counter's position. */
static void put_calls(struct log_maker *m, uint64_t rank, double seconds)
{
    struct strbuf *to = &m->slots[log_slot(m, DARSHAN_APMPI)];
    log_u64(m, to, 77);
    log_u64(m, to, rank);
    for (size_t i = 0; i < APMPI_COUNTERS; i++)
        log_u64(m, to, strstr(darshan_apmpi_names[i], "_CALL_COUNT") ? 1 : i);
    for (size_t i = 0; i < APMPI_F_COUNTERS; i++)
        log_double(m, to,
                   strcmp(darshan_apmpi_f_names[i], "MPI_BARRIER_TOTAL_TIME") == 0
                       ? seconds / 2
                   : strcmp(darshan_apmpi_f_names[i], "MPI_TOTAL_COMM_TIME") == 0
                       ? seconds
                       : 0.125);
    log_text(to, rank < 2 ? "nid00001" : "nid00002", 128);
}

static void put_router(struct log_maker *m)
{
    struct strbuf *to = &m->slots[log_slot(m, DARSHAN_APXC)];
    static const uint64_t head[] = { 88, 0,   UINT64_C(0x4155544F50455246), 3, 2, 1, 4,
                                     2,  9001 };
    m->versions[log_slot(m, DARSHAN_APXC)] = 1;
    for (size_t i = 0; i < COUNT_OF(head); i++)
        log_u64(m, to, head[i]);
    log_u64(m, to, 99);
    log_u64(m, to, 0);
    for (size_t i = 0; i < APXC_COUNTERS; i++)
        log_u64(m, to, i);
}

static void fill_autoperf(struct log_maker *m)
{
    struct strbuf *to = &m->slots[log_slot(m, DARSHAN_APMPI)];
    log_job(m, "lib_ver=3.3.0\n", "./app\next4\t/\n");
    log_name(m, 11, "/out");
    m->versions[DARSHAN_POSIX] = 4;
    put_posix(m, 11, 0, 3, UINT64_C(512) << 10);
    m->versions[log_slot(m, DARSHAN_APMPI)] = 1;
    log_u64(m, to, 66);
    log_u64(m, to, 0);
    log_u64(m, to, UINT64_C(0x41504D5049));
    log_u64(m, to, 0);
    log_double(m, to, 0.25);
    log_double(m, to, 0);
    for (uint64_t rank = 0; rank < 4; rank++)
        put_calls(m, rank, rank == 3 ? 24 : 8);
    put_router(m);
}

/* Each counter has its position, but for bytes and times. */
static void put_object(struct log_maker *m, enum darshan_module_id id, uint64_t object,
                       uint64_t bytes)
{
    const struct darshan_module *module = darshan_module(id);
    unsigned slot = log_slot(m, id);
    struct strbuf *to = &m->slots[slot];
    m->versions[slot] = 1;
    log_u64(m, to, object);
    log_u64(m, to, UINT64_MAX);
    for (size_t i = 0; i < module->counter_count; i++)
        log_u64(m, to, strstr(module->counter_names[i], "_BYTES_W") ? bytes : i);
    for (size_t i = 0; i < module->f_counter_count; i++)
        log_double(m, to, strstr(module->f_counter_names[i], "WRITE_TIME") ? 2 : 0.25);
    log_text(to, "a pool's UUID 16", 16);
    log_text(to, "and a container.", 16);
    for (uint64_t i = 0; id == DARSHAN_DAOS && i < 2; i++)
        log_u64(m, to, object * 10 + i);
}

static void fill_objects(struct log_maker *m)
{
    log_job(m, "lib_ver=3.5.0\n", "./app -a DFS\n");
    log_name(m, 21, "/out");
    put_object(m, DARSHAN_DFS, 21, 64 << 20);
    put_object(m, DARSHAN_DAOS, 21, 64 << 20);
    put_object(m, DARSHAN_DAOS, 22, 1 << 20);
}

/* A file of MPI-IO that all processes share. */
static void fill_mpi_objects(struct log_maker *m)
{
    const struct darshan_module *module = darshan_module(DARSHAN_MPIIO);
    struct strbuf *to = &m->slots[DARSHAN_MPIIO];
    fill_objects(m);
    log_name(m, 31, "/out");
    m->versions[DARSHAN_MPIIO] = 3;
    log_u64(m, to, 31);
    log_u64(m, to, UINT64_MAX);
    for (size_t i = 0; i < module->counter_count; i++)
        log_u64(m, to,
                strcmp(module->counter_names[i], "MPIIO_BYTES_WRITTEN") == 0
                    ? UINT64_C(64) << 20
                    : 0);
    for (size_t i = 0; i < module->f_counter_count; i++)
        log_double(
            m, to,
            strcmp(module->f_counter_names[i], "MPIIO_F_WRITE_TIME") == 0          ? 16
            : strcmp(module->f_counter_names[i], "MPIIO_F_SLOWEST_RANK_TIME") == 0 ? 4
                                                                                   : 0);
}

/* Of four processes' 100 s one has 60 s in metadata: 15 % of all, and 98 % of its own.
 */
static void fill_metadata(struct log_maker *m)
{
    log_job(m, "lib_ver=3.5.0\n", "./app\next4\t/\n");
    put_times(m, 0, 0.5, 0.5);
    put_times(m, 1, 0.5, 0.5);
    put_times(m, 2, 1, 58);
    put_times(m, 3, 0.5, 0.5);
}

/* A record of a layer with bytes written in collective calls, all others 0. */
static void put_layer(struct log_maker *m, enum darshan_module_id id, uint64_t object,
                      uint64_t bytes, uint64_t calls)
{
    const struct darshan_module *module = darshan_module(id);
    unsigned slot = log_slot(m, id);
    struct strbuf *to = &m->slots[slot];
    m->versions[slot] = id == DARSHAN_POSIX ? 4 : id == DARSHAN_PNETCDF_VAR ? 1 : 3;
    log_u64(m, to, object);
    log_u64(m, to, UINT64_MAX);
    if (module->has_file_id)
        log_u64(m, to, 41);
    for (size_t i = 0; i < module->counter_count; i++) {
        const char *name = module->counter_names[i];
        log_u64(m, to,
                strstr(name, "_BYTES_WRITTEN") ? bytes
                : strstr(name, "_COLL_WRITES") || strcmp(name, "POSIX_WRITES") == 0
                    ? calls
                    : 0);
    }
    for (size_t i = 0; i < module->f_counter_count; i++)
        log_double(m, to,
                   strstr(module->f_counter_names[i], "_F_WRITE_TIME")       ? 8
                   : strstr(module->f_counter_names[i], "SLOWEST_RANK_TIME") ? 4
                                                                             : 0);
}

/* One variable in one file: what PnetCDF wrote, in calls of which MPI-IO made 32. */
static void pnetcdf_of(struct log_maker *m, uint64_t calls)
{
    log_job(m, "lib_ver=3.5.0\n", "./app\nlustre\t/scratch\n");
    log_name(m, 41, "/scratch/out.nc");
    log_name(m, 42, "/scratch/out.nc:temperature");
    put_layer(m, DARSHAN_PNETCDF_FILE, 41, 0, 0);
    put_layer(m, DARSHAN_PNETCDF_VAR, 42, UINT64_C(64) << 20, calls);
    put_layer(m, DARSHAN_MPIIO, 41, UINT64_C(64) << 20, 32);
    put_layer(m, DARSHAN_POSIX, 41, UINT64_C(64) << 20, 64);
}

static void fill_pnetcdf(struct log_maker *m)
{
    pnetcdf_of(m, 32);
}

static void fill_pnetcdf_many(struct log_maker *m)
{
    pnetcdf_of(m, 8192);
}

static const struct {
    const char *name;
    void (*fill)(struct log_maker *m);
} kinds[] = { { "objects", fill_objects },   { "mpi-objects", fill_mpi_objects },
              { "autoperf", fill_autoperf }, { "metadata", fill_metadata },
              { "pnetcdf", fill_pnetcdf },   { "pnetcdf-many", fill_pnetcdf_many } };

static size_t kind_find(const char *name)
{
    size_t i = 0;
    while (i < COUNT_OF(kinds) && strcmp(kinds[i].name, name) != 0)
        i++;
    return i;
}

int main(int argc, char **argv)
{
    AUTO(log_maker_done) struct log_maker m = { .members = 3 };
    AUTO(strbuf_done) struct strbuf data = STRBUF_INIT;
    uint64_t number = 0;
    uint64_t records = 0;
    size_t kind = argc > 1 ? kind_find(argv[1]) : COUNT_OF(kinds);
    if (argc < 4 ||
        number_parse_u64(span_of(kind < COUNT_OF(kinds) ? "341" : argv[1]), &number) <
            0 ||
        (argc > 4 && number_parse_u64(span_of(argv[4]), &records) < 0) ||
        (argc > 5 && number_parse_u64(span_of(argv[5]), &m.later_s) < 0))
        return EXIT_USAGE;
    m.number = (unsigned)number;
    m.is_big = strcmp(argv[2], "big") == 0;
    if (strcmp(argv[3], "bzip2") == 0)
        m.compression = DARSHAN_BZIP2;
    else if (strcmp(argv[3], "none") == 0)
        m.compression = DARSHAN_PLAIN;
    if (kind < COUNT_OF(kinds))
        kinds[kind].fill(&m);
    else
        fill(&m, records);
    log_make(&m, &data);
    return fwrite(data.data, 1, data.size, stdout) == data.size ? EXIT_OK : EXIT_FAILED;
}
