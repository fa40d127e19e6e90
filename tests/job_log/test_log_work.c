/* SPDX-License-Identifier: Apache-2.0 */
/* test_log_work - what a log has by interface and by file, each byte counted once. */
#include "analysis/log/log_work.h"

#include "analysis/log/log_gaps.h"
#include "base/test/testing.h"
#include "source/darshan/test/log_maker.h"

struct named {
    const char *name; /* behind the prefix */
    double value;
};

static double value_of(const struct named *named, const struct darshan_module *module,
                       const char *whole)
{
    const char *name = whole + strlen(module->prefix) + 1;
    for (; named->name; named++)
        if (strcmp(named->name, name) == 0)
            return named->value;
    return 0;
}

static void record_put(struct log_maker *m, enum darshan_module_id id, uint64_t file,
                       int64_t rank, const struct named *named)
{
    const struct darshan_module *module = darshan_module(id);
    struct strbuf *to = &m->slots[log_slot(m, id)];
    m->versions[log_slot(m, id)] = module->version_newest;
    log_u64(m, to, file);
    log_u64(m, to, (uint64_t)rank);
    for (size_t i = 0; i < module->counter_count; i++)
        log_u64(m, to, (uint64_t)value_of(named, module, module->counter_names[i]));
    for (size_t i = 0; i < module->f_counter_count; i++)
        log_double(m, to, value_of(named, module, module->f_counter_names[i]));
}

static struct darshan_log *log_open(const struct log_maker *m, struct strbuf *bytes)
{
    struct darshan_log *log = NULL;
    log_make(m, bytes);
    assert_int_equal(
        darshan_log_open_memory(bytes->data, bytes->size, NULL, &log, NULL), 0);
    return log;
}

static void log_fill(struct log_maker *m)
{
    static const struct named outer[] = { { "COLL_WRITES", 4 },
                                          { "BYTES_WRITTEN", 4096 },
                                          { "F_WRITE_TIME", 8 },
                                          { "SIZE_WRITE_AGG_1K_10K", 4 },
                                          { NULL, 0 } };
    static const struct named inner[] = { { "WRITES", 1 },
                                          { "BYTES_WRITTEN", 5000 },
                                          { "F_WRITE_TIME", 2 },
                                          { "SIZE_WRITE_1K_10K", 1 },
                                          { NULL, 0 } };
    static const struct named alone[] = {
        { "READS", 7 },           { "OPENS", 2 },
        { "STATS", 3 },           { "BYTES_READ", 70 },
        { "F_READ_TIME", 0.5 },   { "F_META_TIME", 0.25 },
        { "SIZE_READ_0_100", 7 }, { NULL, 0 }
    };
    log_job(m, "", "./app\nlustre\t/scratch\n");
    log_name(m, 11, "/scratch/shared");
    log_name(m, 12, "/scratch/own");
    record_put(m, DARSHAN_MPIIO, 11, -1, outer);
    record_put(m, DARSHAN_POSIX, 11, -1, inner);
    record_put(m, DARSHAN_POSIX, 12, 0, alone);
    record_put(m, DARSHAN_POSIX, 12, 1, alone);
}

static void a_file_has_the_work_of_its_outermost_interface(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(log_work_done) struct log_work work = { 0 };
    const struct log_file *top[LOG_WORK_TOP];
    log_fill(&m);
    AUTO(darshan_log_close) struct darshan_log *log = log_open(&m, &bytes);
    assert_int_equal(log_work_read(log, &work), 0);
    assert_int_equal(work.file_count, 2);
    assert_int_equal(log_work_top(&work, LOG_WORK_BY_TIME, top), 2);
    assert_string_equal(top[0]->name, "/scratch/shared");
    assert_true(log_sums_bytes(&top[0]->sums) == 4096);
    assert_true(log_sums_seconds(&top[0]->sums) == 8);
    assert_int_equal(top[0]->interfaces,
                     LOG_BIT(DARSHAN_MPIIO) | LOG_BIT(DARSHAN_POSIX));
    assert_int_equal(top[0]->processes, 4); /* all of the job's */
    assert_true(log_sums_bytes(&top[1]->sums) == 140);
    assert_true(log_sums_seconds(&top[1]->sums) == 1.5);
    assert_int_equal(top[1]->processes, 2);
    assert_int_equal(top[1]->stripes, -1);
}

static void an_interface_has_its_own_sums_and_sizes(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(log_work_done) struct log_work work = { 0 };
    log_fill(&m);
    AUTO(darshan_log_close) struct darshan_log *log = log_open(&m, &bytes);
    assert_int_equal(log_work_read(log, &work), 0);
    assert_int_equal(work.interface_count, 2);
    const struct log_interface *mpiio = &work.interfaces[0];
    const struct log_interface *posix = &work.interfaces[1];
    assert_string_equal(mpiio->name, "MPI-IO");
    assert_true(mpiio->sums.writes == 4 && mpiio->write_sizes[2] == 4);
    assert_string_equal(posix->name, "POSIX");
    assert_true(posix->sums.bytes_written == 5000 && posix->sums.bytes_read == 140);
    assert_true(posix->sums.calls == 10 && posix->sums.reads == 14);
    assert_true(posix->has_sizes && posix->read_sizes[0] == 14);
    assert_true(posix->write_sizes[2] == 1);
}

static void of_many_files_those_with_most_are_first(void **state)
{
    (void)state;
    static struct log_file files[100];
    const struct log_file *top[LOG_WORK_TOP];
    struct log_work work = { .files = files, .file_count = COUNT_OF(files) };
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        files[i].sums.bytes_read = (double)(i * 37 % 100); /* each number once */
        files[i].sums.read_s = i < 3 ? (double)i : 0;
    }
    assert_int_equal(log_work_top(&work, LOG_WORK_BY_BYTES, top), LOG_WORK_TOP);
    for (size_t i = 0; i < LOG_WORK_TOP; i++)
        assert_true(top[i]->sums.bytes_read == (double)(99 - i));
    assert_int_equal(log_work_top(&work, LOG_WORK_BY_TIME, top), 2);
    assert_ptr_equal(top[0], &files[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_has_the_work_of_its_outermost_interface),
        cmocka_unit_test(an_interface_has_its_own_sums_and_sizes),
        cmocka_unit_test(of_many_files_those_with_most_are_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
