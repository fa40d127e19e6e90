/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_log - one pass over a log: facts, profile, traffic, and what is missing. */
#include "job_log_fixture.h"

#include <math.h>

static struct job_log *log_of(const struct strbuf *bytes)
{
    struct job_log *log = NULL;
    struct err err = { 0 };
    if (job_log_open_memory(bytes->data, bytes->size, &log, &err) < 0)
        fail_msg("%s", err.text);
    return log;
}

static void facts_are_what_the_records_sum_up_to(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(arena_done) struct arena arena;
    struct job_facts f;
    arena_init(&arena, 0);
    log_fill(&m);
    log_make(&m, &bytes);
    AUTO(job_log_close) struct job_log *log = log_of(&bytes);
    assert_int_equal(job_log_read(log, &arena, &f, NULL, NULL), 0);
    assert_string_equal(f.app, "./app"); /* without its arguments */
    assert_string_equal(f.jobid, "4711");
    assert_int_equal(f.nprocs, 4);
    assert_int_equal(f.start_s, 1500000000);
    assert_int_equal(f.end_s, 1500000060);
    static const struct {
        enum job_posix_counter counter;
        double total, mean, min, max;
    } cases[] = {
        { JOB_POSIX_BYTES_WRITTEN, 4 * MIB, 2 * MIB, 0, 4 * MIB },
        { JOB_POSIX_BYTES_READ, MIB, MIB / 2.0, 0, MIB },
        { JOB_POSIX_OPENS, 3, 1.5, 1, 2 },
        { JOB_POSIX_F_WRITE_TIME, 2, 1, 0, 2 },
        { JOB_POSIX_STATS, 1, 0.5, 0, 1 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct job_counter *c = &f.posix[cases[i].counter];
        if (c->total != cases[i].total || c->mean != cases[i].mean ||
            c->min != cases[i].min || c->max != cases[i].max || c->records != 2)
            fail_msg("%zu: %g, %g, %g .. %g of %lld", i, c->total, c->mean, c->min,
                     c->max, (long long)c->records);
    }
    assert_true(f.posix_bytes == 5 * MIB);
    assert_string_equal(f.write.api, "posix");
    assert_string_equal(f.write.fs, "/scratch");
    assert_int_equal(f.write.api_files, 1);
    assert_string_equal(f.read.fs, "/");
    assert_string_equal(job_facts_mount(&f), "/scratch");
    assert_int_equal(f.is_damaged, 0);
    assert_string_equal(job_log_faults(log), "");
}

static void a_profile_is_of_what_posix_did(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct profile p;
    log_fill(&m);
    log_make(&m, &bytes);
    assert_int_equal(job_log_profile_memory(bytes.data, bytes.size, &p, NULL), 0);
    assert_string_equal(p.exe, "./app -n 4");
    assert_string_equal(p.program, "app");
    assert_int_equal(p.jobid, 4711);
    assert_true(p.values[PROFILE_PROCESSES] == 4);
    assert_true(p.values[PROFILE_BYTES] == 5 * MIB + 100); /* STDIO is beside POSIX */
    assert_true(p.fs_bytes == p.values[PROFILE_BYTES]);
    assert_true(fabs(p.values[PROFILE_READ_SHARE] - 0.2) < 1e-5);
    assert_true(p.values[PROFILE_FILES] == 3);
    assert_false(p.is_layered);
    assert_true(p.values[PROFILE_STRIPES] == 1);
    assert_true(p.values[PROFILE_STDIO_SHARE] > 0 &&
                p.values[PROFILE_STDIO_SHARE] < 1e-4);
    assert_int_equal(p.accesses, 6);
    assert_true(p.read_s == 0.5 && p.write_s == 2 && p.meta_s == 0.5);
    assert_int_equal(p.target_count, 1);
    assert_int_equal(p.targets[0].ost, 7);
    assert_int_equal(p.fault_count, 0);
}

/* 8 processes write a file of one stripe through MPI-IO: one of them does it all. */
static void collective_put(struct log_maker *m, uint64_t coll_writes)
{
    const struct named above[] = {
        { "COLL_WRITES", (double)coll_writes },
        { "BYTES_WRITTEN", 64 * MIB },
        { "F_WRITE_TIME", 8 * 50 },
        { "F_META_TIME", 8 },
        { "SLOWEST_RANK", 2 },
        { "F_SLOWEST_RANK_TIME", 55 },
        { NULL, 0 },
    };
    static const struct named below[] = {
        { "OPENS", 1 },
        { "WRITES", 2000 },
        { "BYTES_WRITTEN", 128 * MIB },
        { "SIZE_WRITE_100K_1M", 2000 },
        { "ACCESS1_ACCESS", 65536 },
        { "F_WRITE_TIME", 20 },
        { NULL, 0 },
    };
    log_job(m, "lib_ver=3.5.0\n", "./app\nlustre\t/scratch\n");
    log_name(m, 11, "/scratch/out");
    m->versions[DARSHAN_POSIX] = 4;
    m->versions[log_slot(m, DARSHAN_MPIIO)] = 3;
    record_put(m, DARSHAN_MPIIO, 11, (uint64_t)-1, above);
    record_put(m, DARSHAN_POSIX, 11, 0, below);
    layout_put(m, 11, 7);
}

static void time_and_bytes_are_those_of_the_outermost_interface(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct finding found[FINDINGS_MAX];
    struct profile p;
    collective_put(&m, 8);
    log_make(&m, &bytes);
    assert_int_equal(job_log_profile_memory(bytes.data, bytes.size, &p, NULL), 0);
    p.values[PROFILE_PROCESSES] = 8;
    assert_true(p.is_layered);
    assert_true(p.io.low_s == 55 || p.io.low_s == 60); /* log_job() says 4 processes */
    assert_true(p.values[PROFILE_BYTES] == 64 * MIB);
    assert_true(p.fs_bytes == 128 * MIB);
    assert_true(p.values[PROFILE_AMPLIFICATION] == 2);
    assert_true(p.values[PROFILE_FS_SPEED] > p.values[PROFILE_SPEED]);
    assert_true(p.values[PROFILE_IMBALANCE] < 2); /* the writer is no slow process */
    assert_true(p.values[PROFILE_ONE_STRIPE] > 0.5);
    size_t count = findings_make(&p, found);
    bool is_found = false;
    for (size_t i = 0; i < count; i++) {
        assert_string_not_equal(found[i].name, "imbalanced");
        is_found |= strcmp(found[i].name, "one-stripe") == 0;
    }
    assert_true(is_found);
}

static void object_put(struct log_maker *m, enum darshan_module_id id, uint64_t object,
                       const struct named *named)
{
    unsigned slot = log_slot(m, id);
    m->versions[slot] = 1;
    record_put(m, id, object, (uint64_t)-1, named);
    for (int i = 0; i < (id == DARSHAN_DAOS ? 6 : 4); i++)
        log_u64(m, &m->slots[slot], 7);
}

static void records_that_cannot_be_are_left_out_or_the_log_is_suspect(void **state)
{
    (void)state;
    static const struct named good[] = {
        { "READS", 1 }, { "BYTES_READ", MIB }, { "F_READ_TIME", 2 }, { NULL, 0 }
    };
    static const struct named negative[] = { { "BYTES_WRITTEN", 100 },
                                             { "F_WRITE_TIME", -2662.7 },
                                             { NULL, 0 } };
    static const struct named huge[] = { { "READS", 5000 },
                                         { "BYTES_READ", 7e18 },
                                         { "F_READ_TIME", 30 },
                                         { "SIZE_READ_0_100", 5000 },
                                         { NULL, 0 } };
    for (int is_huge = 0; is_huge < 2; is_huge++) {
        AUTO(log_maker_done) struct log_maker m = { .number = 341 };
        AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
        struct finding found[FINDINGS_MAX];
        struct profile p;
        log_job(&m, "lib_ver=3.2.0\n", "./app\n");
        m.versions[DARSHAN_POSIX] = 4;
        record_put(&m, DARSHAN_POSIX, 1, 0, good);
        record_put(&m, DARSHAN_POSIX, 2, 0, is_huge ? huge : negative);
        log_make(&m, &bytes);
        assert_int_equal(job_log_profile_memory(bytes.data, bytes.size, &p, NULL), 0);
        assert_true(p.has_wrong_sizes);
        assert_int_equal(p.suspects, is_huge ? 0 : 1);
        assert_true(is_huge ? p.doubt != NULL : p.doubt == NULL);
        assert_true(is_huge || (p.values[PROFILE_BYTES] == MIB && p.io.high_s == 2));
        assert_int_equal(findings_make(&p, found), is_huge ? 0 : 1); /* imbalanced */
    }
}

static void bytes_of_dfs_are_not_counted_again_in_daos(void **state)
{
    (void)state;
    static const struct named file[] = { { "BYTES_READ", 32 * MIB },
                                         { "READS", 30 },
                                         { "READXS", 2 },
                                         { "SIZE_READ_100K_1M", 32 },
                                         { "ACCESS1_ACCESS", MIB },
                                         { "ACCESS1_COUNT", 32 },
                                         { "F_READ_TIME", 8 },
                                         { "F_SLOWEST_RANK_TIME", 4 },
                                         { "SLOWEST_RANK", 3 },
                                         { NULL, 0 } };
    static const struct named beside[] = { { "BYTES_READ", MIB },
                                           { "OBJ_FETCHES", 1 },
                                           { NULL, 0 } };
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct profile p;
    log_job(&m, "lib_ver=3.5.0\n", "./app\n");
    object_put(&m, DARSHAN_DFS, 21, file);
    object_put(&m, DARSHAN_DAOS, 21, file);
    object_put(&m, DARSHAN_DAOS, 22, beside);
    log_make(&m, &bytes);
    assert_int_equal(job_log_profile_memory(bytes.data, bytes.size, &p, NULL), 0);
    assert_true(p.values[PROFILE_BYTES] == 33 * MIB);
    assert_true(p.fs_bytes == 33 * MIB && !p.is_layered);
    assert_true(p.io.low_s == 4 && p.io.high_s == 4 && p.slowest_rank == 3);
    assert_int_equal(p.accesses, 32);
    assert_true(p.values[PROFILE_ACCESS] == MIB);
    assert_true(p.values[PROFILE_SMALL_SHARE] == 0);
    assert_true(p.values[PROFILE_FILES] == 1);
    assert_true(p.values[PROFILE_STDIO_SHARE] == 0);
    assert_int_equal(log_gaps_lacking(&p.gaps), 0);
}

/* All reads small and slow; whether the log has all records is the question. */
static size_t findings_of(uint64_t partial, enum darshan_module_id unread, size_t cut,
                          struct profile *ret)
{
    static const struct named small[] = {
        { "READS", 5000 },     { "BYTES_READ", 5000 }, { "SIZE_READ_0_100", 5000 },
        { "F_READ_TIME", 30 }, { "SEQ_READS", 4999 },  { NULL, 0 },
    };
    AUTO(log_maker_done) struct log_maker m = { .number = 341, .partial = partial };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct finding found[FINDINGS_MAX];
    log_job(&m, "lib_ver=3.5.0\n", "./app\nlustre\t/scratch\n");
    m.versions[DARSHAN_POSIX] = 4;
    record_put(&m, DARSHAN_POSIX, 11, 0, small);
    if (unread != DARSHAN_NULL) {
        m.versions[log_slot(&m, unread)] = 99;
        log_u64(&m, &m.slots[log_slot(&m, unread)], 1);
    }
    m.slots[DARSHAN_POSIX].size -= cut;
    log_make(&m, &bytes);
    assert_int_equal(job_log_profile_memory(bytes.data, bytes.size, ret, NULL),
                     cut > 0 ? -ENODATA : 0);
    return cut > 0 ? 0 : findings_make(ret, found);
}

static void no_verdict_is_given_over_what_a_log_lacks(void **state)
{
    (void)state;
    struct profile p;
    assert_true(findings_of(0, DARSHAN_NULL, 0, &p) >= 2); /* small, imbalanced */
    assert_true(profile_is_whole(&p));
    size_t all = findings_of(0, DARSHAN_NULL, 0, &p);
    assert_int_equal(findings_of(1 << DARSHAN_POSIX, DARSHAN_NULL, 0, &p), 0);
    assert_false(profile_is_whole(&p));
    /* Shares of POSIX are as they were; who was slowest may be somewhere else. */
    size_t count = findings_of(0, DARSHAN_MDHIM, 0, &p);
    assert_true(count >= 1 && count < all);
    assert_int_equal(p.gaps.unread, LOG_BIT(DARSHAN_MDHIM));
    assert_int_equal(findings_of(0, DARSHAN_NULL, 8, &p), 0);
}

static void one_stripe_is_no_cause_of_what_was_not_collective(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct profile p;
    collective_put(&m, 0);
    log_make(&m, &bytes);
    assert_int_equal(job_log_profile_memory(bytes.data, bytes.size, &p, NULL), 0);
    assert_true(p.values[PROFILE_ONE_STRIPE] == 0);
}

static void both_in_one_pass_are_each_alone(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341, .is_big = true };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(job_context_done) struct job_context alone;
    AUTO(job_context_done) struct job_context both;
    AUTO(strbuf_done) struct strbuf want = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf got = STRBUF_INIT;
    struct profile p, q;
    job_context_init(&alone);
    job_context_init(&both);
    log_fill(&m);
    log_make(&m, &bytes);
    AUTO(job_log_close) struct job_log *log = log_of(&bytes);
    assert_int_equal(job_log_read(log, &alone.arena, &alone.facts, NULL, NULL), 0);
    assert_int_equal(job_log_read(log, NULL, NULL, &p, NULL), 0);
    assert_int_equal(job_log_read(log, &both.arena, &both.facts, &q, NULL), 0);
    job_context_print_csv(&alone, &want);
    job_context_print_csv(&both, &got);
    assert_string_equal(strbuf_text(&got), strbuf_text(&want));
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++)
        if (!(p.values[i] == q.values[i] || (isnan(p.values[i]) && isnan(q.values[i]))))
            fail_msg("%s: %g, %g", profile_term((enum profile_measure)i)->name,
                     p.values[i], q.values[i]);
}

static void without_records_there_are_facts_and_no_profile(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(arena_done) struct arena arena;
    struct job_facts f;
    struct profile p = { .accesses = 77 };
    struct err err = { 0 };
    arena_init(&arena, 0);
    log_job(&m, "lib_ver=3.5.0\n", "./app\next4\t/\n");
    log_make(&m, &bytes);
    AUTO(job_log_close) struct job_log *log = log_of(&bytes);
    assert_int_equal(job_log_read(log, &arena, &f, NULL, NULL), 0);
    assert_true(isnan(f.posix_bytes) && isnan(f.posix[JOB_POSIX_OPENS].total));
    assert_true(f.posix[JOB_POSIX_OPENS].records == JOB_I64_NONE);
    assert_null(f.read.api);
    assert_null(job_facts_mount(&f));
    f.nprocs = 99;
    assert_int_equal(job_log_read(log, &arena, &f, &p, &err), -ENODATA);
    assert_non_null(strstr(err.text, "POSIX, STDIO, DFS or DAOS"));
    assert_int_equal(p.accesses, 77);
    assert_int_equal(f.nprocs, 99); /* untouched, too */
}

static void a_cut_log_is_damaged_and_read_as_far_as_it_goes(void **state)
{
    (void)state;
    AUTO(log_maker_done)
    struct log_maker m = { .number = 341, .compression = DARSHAN_PLAIN };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(arena_done) struct arena arena;
    struct job_facts f;
    struct profile p;
    arena_init(&arena, 0);
    log_fill(&m);
    m.slots[DARSHAN_POSIX].size -= 40; /* of the second record */
    log_make(&m, &bytes);
    AUTO(job_log_close) struct job_log *log = log_of(&bytes);
    assert_int_equal(job_log_read(log, &arena, &f, &p, NULL), 0);
    assert_int_equal(f.is_damaged, 1);
    assert_true(p.fault_count > 0);
    assert_int_equal(f.posix[JOB_POSIX_OPENS].records, 1);
    assert_non_null(strstr(job_log_faults(log), "POSIX"));
}

static void traffic_lies_where_files_were_written(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    AUTO(job_traffic_done) struct job_traffic t = { 0 };
    log_fill(&m);
    log_make(&m, &bytes);
    AUTO(job_log_close) struct job_log *log = log_of(&bytes);
    assert_int_equal(job_log_traffic(log, &t, NULL), 0);
    assert_string_equal(t.source, "times of files");
    assert_int_equal(t.start_s, 1500000000);
    assert_true(t.bytes[9] == 0 && t.bytes[13] == 0);
    assert_true(fabs(t.bytes[10] - 2 * MIB) < 1 && fabs(t.bytes[11] - 2 * MIB) < 1);
    assert_true(fabs(t.total - 4 * MIB) < 1);
}

static void traffic_without_times_is_none(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    struct job_traffic t = { .count = 77 };
    struct err err = { 0 };
    log_job(&m, "lib_ver=3.5.0\n", "./app\next4\t/\n");
    log_make(&m, &bytes);
    AUTO(job_log_close) struct job_log *log = log_of(&bytes);
    assert_int_equal(job_log_traffic(log, &t, &err), -ENODATA);
    assert_int_equal(t.count, 77);
}

static void what_is_no_log_is_refused(void **state)
{
    (void)state;
    struct job_log *log = NULL;
    struct profile p;
    assert_true(job_log_open_memory("no log", 6, &log, NULL) < 0);
    assert_null(log);
    assert_int_equal(job_log_profile("/no/such.darshan", &p, NULL), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_what_the_records_sum_up_to),
        cmocka_unit_test(a_profile_is_of_what_posix_did),
        cmocka_unit_test(time_and_bytes_are_those_of_the_outermost_interface),
        cmocka_unit_test(records_that_cannot_be_are_left_out_or_the_log_is_suspect),
        cmocka_unit_test(bytes_of_dfs_are_not_counted_again_in_daos),
        cmocka_unit_test(no_verdict_is_given_over_what_a_log_lacks),
        cmocka_unit_test(one_stripe_is_no_cause_of_what_was_not_collective),
        cmocka_unit_test(both_in_one_pass_are_each_alone),
        cmocka_unit_test(without_records_there_are_facts_and_no_profile),
        cmocka_unit_test(a_cut_log_is_damaged_and_read_as_far_as_it_goes),
        cmocka_unit_test(traffic_lies_where_files_were_written),
        cmocka_unit_test(traffic_without_times_is_none),
        cmocka_unit_test(what_is_no_log_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
