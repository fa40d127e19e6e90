/* SPDX-License-Identifier: Apache-2.0 */
/* darshan_make - writes a small Darshan log to standard output, for tests and benches.
 *
 *     darshan_make FORMAT little|big zlib|bzip2|none [RECORDS [LATER_S]]
 *
 * FORMAT is 300, 310, 320, 321 or 341.  Two ranks write files of their own and read one
 * that all share; RECORDS more files of one rank each follow.  The job begins LATER_S
 * seconds after the usual start.
 *
 *     darshan_make objects little|big zlib|bzip2|none
 *
 * A log of format 341 of a job that used DAOS: one file by DFS, its array below, and
 * one object beside it; nothing by POSIX.
 */
#include "base/number.h"
#include "base/span.h"
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
    put_words(m, DARSHAN_APMPI, 1, lustre, COUNT_OF(lustre));
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

int main(int argc, char **argv)
{
    AUTO(log_maker_done) struct log_maker m = { .members = 3 };
    AUTO(strbuf_done) struct strbuf data = STRBUF_INIT;
    uint64_t number = 0;
    uint64_t records = 0;
    bool has_objects = argc > 1 && strcmp(argv[1], "objects") == 0;
    if (argc < 4 ||
        number_parse_u64(span_of(has_objects ? "341" : argv[1]), &number) < 0 ||
        (argc > 4 && number_parse_u64(span_of(argv[4]), &records) < 0) ||
        (argc > 5 && number_parse_u64(span_of(argv[5]), &m.later_s) < 0))
        return EXIT_USAGE;
    m.number = (unsigned)number;
    m.is_big = strcmp(argv[2], "big") == 0;
    if (strcmp(argv[3], "bzip2") == 0)
        m.compression = DARSHAN_BZIP2;
    else if (strcmp(argv[3], "none") == 0)
        m.compression = DARSHAN_PLAIN;
    if (has_objects)
        fill_objects(&m);
    else
        fill(&m, records);
    log_make(&m, &data);
    return fwrite(data.data, 1, data.size, stdout) == data.size ? EXIT_OK : EXIT_FAILED;
}
