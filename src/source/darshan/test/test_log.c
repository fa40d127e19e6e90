/* SPDX-License-Identifier: Apache-2.0 */
/* test_log - header, job, mounts, names, and the records that have no fixed size. */
#include "base/span.h"
#include "base/test/testing.h"
#include "source/darshan/test/log_maker.h"

#include <zlib.h>

/* All faults of a log, a line each. */
static void gather_fault(void *arg, enum darshan_fault fault, const char *what)
{
    strbuf_addf(arg, "%s: %s\n", fault == DARSHAN_FAULT_SKIPPED ? "skipped" : "damaged",
                what);
}

struct opened {
    struct strbuf data;
    struct strbuf faults;
    struct darshan_log *log;
    struct err err;
    int rc;
};

static void opened_done(struct opened *o)
{
    darshan_log_close(o->log);
    strbuf_done(&o->data);
    strbuf_done(&o->faults);
}
DEFINE_AUTO_DONE(struct opened, opened_done);

static void open_data(struct opened *o, struct darshan_opts opts)
{
    opts.on_fault = gather_fault;
    opts.arg = &o->faults;
    o->rc = darshan_log_open_memory(strbuf_text(&o->data), o->data.size, &opts, &o->log,
                                    &o->err);
}

static void make_and_open(const struct log_maker *m, struct opened *o)
{
    log_make(m, &o->data);
    open_data(o, (struct darshan_opts){ 0 });
    assert_int_equal(o->rc, 0);
}

static void the_job_is_read_with_metadata_and_mounts(void **state)
{
    (void)state;
    static const unsigned numbers[] = { 300, 310, 321, 341 };
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        AUTO(log_maker_done)
        struct log_maker m = { .number = numbers[i], .is_big = i % 2 };
        AUTO(opened_done) struct opened o = { 0 };
        log_job(
            &m, "lib_ver = 3\nno equals\nh=a=b;c=d\n",
            "./app -x 1\next4\t/\nlustre\t/scratch\nnfs\t/home\nbad line\ntmpfs\t\n");
        make_and_open(&m, &o);
        const struct darshan_job *job = darshan_log_job(o.log);
        bool has_ns = numbers[i] == 341;
        assert_true(job->uid == 1000 && job->nprocs == 4 && job->jobid == 4711);
        assert_true(job->start_s == 1500000000 && job->end_s == 1500000060);
        assert_true(job->start_ns == (has_ns ? 250000000 : 0));
        assert_true(darshan_job_seconds(job) == (has_ns ? 60.5 : 61));
        assert_string_equal(job->exe, "./app -x 1");
        assert_int_equal(job->metadata_count, 2);
        assert_string_equal(job->metadata[1].key, "h");
        assert_string_equal(job->metadata[1].value, "a=b;c=d");
        assert_int_equal(job->mount_count, 3);
        assert_string_equal(job->mounts[0].path, "/scratch");
        assert_string_equal(job->mounts[2].path, "/");
        assert_string_equal(strbuf_text(&o.faults), "");
    }
}

static void a_path_lies_on_the_longest_mount_that_holds_it(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const char *want;
    } cases[] = {
        { "/home/a", "/home" },         { "/home", "/home" }, { "/homes/a", "/" },
        { "/home/big/x", "/home/big" }, { "<STDIN>", NULL },  { "", NULL },
    };
    AUTO(log_maker_done) struct log_maker m = { .number = 321 };
    AUTO(opened_done) struct opened o = { 0 };
    log_job(&m, "", "exe\next4\t/\nnfs\t/home\nlustre\t/home/big\n");
    make_and_open(&m, &o);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct darshan_mount *mount =
            darshan_job_mount(darshan_log_job(o.log), cases[i].path);
        if (!cases[i].want && mount)
            fail_msg("%s lies on %s", cases[i].path, mount->path);
        if (cases[i].want && (!mount || strcmp(mount->path, cases[i].want) != 0))
            fail_msg("%s does not lie on %s", cases[i].path, cases[i].want);
    }
}

static void names_are_found_by_id(void **state)
{
    (void)state;
    for (unsigned number = 300; number <= 341; number += 41) {
        AUTO(log_maker_done) struct log_maker m = { .number = number, .members = 7 };
        AUTO(opened_done) struct opened o = { 0 };
        log_job(&m, "", "exe\n");
        for (uint64_t id = 0; id < 1000; id++) {
            char name[32];
            (void)snprintf(name, sizeof name, "/f/%llu", (unsigned long long)id);
            log_name(&m, id << 50, name);
        }
        log_name(&m, 7ULL << 50, "/another/of/seven");
        make_and_open(&m, &o);
        assert_string_equal(darshan_log_name(o.log, 999ULL << 50), "/f/999");
        assert_string_equal(darshan_log_name(o.log, 7ULL << 50), "/f/7");
        assert_null(darshan_log_name(o.log, 12345));
    }
}

static void names_beyond_the_limit_are_left_out_and_that_is_said(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(opened_done) struct opened o = { 0 };
    log_job(&m, "", "exe\n");
    for (uint64_t id = 1; id <= 20000; id++)
        log_name(&m, id, "/some/path/of/a/file/that/is/long/enough/to/count");
    log_make(&m, &o.data);
    open_data(&o, (struct darshan_opts){ .names_bytes_max = 100000 });
    assert_int_equal(o.rc, 0);
    assert_non_null(darshan_log_name(o.log, 1));
    assert_null(darshan_log_name(o.log, 20000));
    assert_true(span_starts(strbuf_span(&o.faults), "damaged: names: "));
}

static int count_record(void *arg, const struct darshan_record *r)
{
    (void)r;
    (*(size_t *)arg)++;
    return 0;
}

static void gzip_text(struct strbuf *out, const char *text)
{
    char packed[256];
    char plain[300] = "";
    (void)snprintf(plain, sizeof plain, "%s", text);
    z_stream z = { .next_in = (Bytef *)plain,
                   .avail_in = sizeof plain,
                   .next_out = (Bytef *)packed,
                   .avail_out = sizeof packed };
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    strbuf_add(out, packed, sizeof packed - z.avail_out);
    (void)deflateEnd(&z);
}

static void what_is_not_ours_to_read_is_refused_by_name(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 321 };
    AUTO(strbuf_done) struct strbuf good = STRBUF_INIT;
    log_job(&m, "", "exe\n");
    log_make(&m, &good);
    static const struct {
        const char *name;
        size_t at;
        const char *bytes;
        size_t size;
        size_t cut;
        const char *want;
        int want_rc;
    } cases[] = {
        { "empty", 0, "", 0, 1, "not a Darshan log", -EBADMSG },
        { "text", 0, "hello, world, this is", 21, 0, "not a Darshan log", -EBADMSG },
        { "magic", 8, "\1", 1, 0, "not a Darshan log", -EBADMSG },
        { "version", 0, "x.yz", 4, 0, "not a Darshan log: it has no format version",
          -EBADMSG },
        { "newer", 0, "3.50", 4, 0, "format 3.50 is not supported: 3.00 to 3.41 are",
          -ENOTSUP },
        { "method", 16, "\7", 1, 0, "compression method 7 is not known", -ENOTSUP },
        { "short", 0, "", 0, 300, "the log ends inside its header", -EBADMSG },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(opened_done) struct opened o = { 0 };
        strbuf_add_span(&o.data, strbuf_span(&good));
        memcpy(o.data.data + cases[i].at, cases[i].bytes, cases[i].size);
        if (cases[i].cut > 0)
            o.data.size = cases[i].cut - 1;
        open_data(&o, (struct darshan_opts){ 0 });
        if (o.rc != cases[i].want_rc || strcmp(o.err.text, cases[i].want) != 0)
            fail_msg("%s: got %d '%s'", cases[i].name, o.rc, o.err.text);
    }
}

static void a_log_that_is_packed_as_a_whole_says_what_to_do(void **state)
{
    (void)state;
    static const struct {
        const char *version;
        const char *want;
    } cases[] = {
        { "2.06", "format 2.06 is not supported: convert with darshan-convert" },
        { "1.24", "format 1.24 is not supported: convert with darshan-convert" },
        { "3.41", "a log of format 3.41, packed as a whole: unpack it first" },
        { "text", "not a Darshan log" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(opened_done) struct opened o = { 0 };
        gzip_text(&o.data, cases[i].version);
        open_data(&o, (struct darshan_opts){ 0 });
        assert_true(o.rc < 0);
        assert_string_equal(o.err.text, cases[i].want);
    }
}

/* 80 MiB of zeros are a few hundred bytes of bzip2. */
static void a_region_that_unpacks_without_end_is_left(void **state)
{
    (void)state;
    AUTO(log_maker_done)
    struct log_maker m = { .number = 321, .compression = DARSHAN_BZIP2, .members = 8 };
    AUTO(opened_done) struct opened o = { 0 };
    AUTO_FREE char *zeros = calloc(1, (size_t)80 << 20);
    size_t count = 0;
    const struct darshan_visitor visitor = { count_record, NULL, &count };
    assert_non_null(zeros);
    log_job(&m, "", "exe\n");
    m.versions[1] = 4;
    strbuf_add(&m.slots[1], zeros, (size_t)80 << 20);
    make_and_open(&m, &o);
    assert_true(o.data.size < 8192);
    assert_int_equal(darshan_log_read(o.log, 1, &visitor), 0);
    assert_true(count < ((size_t)75 << 20) / 704);
    assert_true(span_starts(strbuf_span(&o.faults),
                            "damaged: POSIX: larger than the limit after "));
}

static void modules_that_are_not_read_are_skipped_and_named(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(opened_done) struct opened o = { 0 };
    size_t count = 0;
    const struct darshan_visitor visitor = { count_record, NULL, &count };
    log_job(&m, "", "exe\n");
    log_text(&m.slots[DARSHAN_MDHIM], "whatever", 100);
    m.versions[DARSHAN_MDHIM] = 1;
    log_text(&m.slots[DARSHAN_APMPI], "of an early AutoPerf", 100);
    m.versions[DARSHAN_APMPI] = 1;
    log_text(&m.slots[DARSHAN_STDIO], "a later form", 100);
    m.versions[DARSHAN_STDIO] = 9;
    log_text(&m.slots[40], "nobody knows", 100);
    m.partial = 1ULL << 40;
    make_and_open(&m, &o);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(darshan_log_read(o.log, i, &visitor), 0);
    assert_int_equal(count, 0);
    assert_true(darshan_log_header(o.log)->slots[40].is_partial);
    assert_string_equal(strbuf_text(&o.faults),
                        "skipped: STDIO: version 9 is not known: skipped\n"
                        "skipped: MDHIM: records of this module are not read: skipped\n"
                        "skipped: APMPI: this layout of its version is not known: "
                        "skipped\n"
                        "skipped: module 40 is not known: skipped\n");
}

static void an_empty_log_has_a_job_and_nothing_else(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 341 };
    AUTO(opened_done) struct opened o = { 0 };
    log_job(&m, "", "exe\n");
    make_and_open(&m, &o);
    for (unsigned i = 0; i < 64; i++)
        assert_false(darshan_log_has(o.log, i));
    assert_string_equal(strbuf_text(&o.faults), "");
}

/* ---- records without a fixed size ---- */

/* A record as one line of text. */
static int print_record(void *arg, const struct darshan_record *r)
{
    struct strbuf *out = arg;
    strbuf_addf(out, "%s %lld", r->module->name, (long long)r->rank);
    for (size_t i = 0; i < r->component_count; i++) {
        const struct darshan_component *c = &r->components[i];
        strbuf_addf(out, " [%lld x %lld ", (long long)c->stripe_count,
                    (long long)c->stripe_size_bytes);
        darshan_pattern_print(out, c->pattern);
        strbuf_adds(out, " ");
        darshan_flags_print(out, c->flags);
        strbuf_addf(out, " '%s'", c->pool);
        for (size_t k = 0; k < c->ost_count; k++)
            strbuf_addf(out, " %lld", (long long)c->ost_ids[k]);
        strbuf_adds(out, "]");
    }
    for (size_t i = 0; i < r->bin_count; i++)
        strbuf_addf(out, " w%lld r%lld", (long long)r->write_bins[i],
                    (long long)r->read_bins[i]);
    if (r->hostname)
        strbuf_addf(out, " %s", r->hostname);
    strbuf_adds(out, "\n");
    return 0;
}

static int print_segments(void *arg, enum darshan_direction direction,
                          const struct darshan_segment *segments, size_t count)
{
    for (size_t i = 0; i < count; i++)
        strbuf_addf(
            arg, "%s %lld+%lld %g..%g\n", direction == DARSHAN_WRITE ? "write" : "read",
            (long long)segments[i].offset_bytes, (long long)segments[i].length_bytes,
            segments[i].start_s, segments[i].end_s);
    return 0;
}

static void check_text(const struct log_maker *m, unsigned slot, const char *want,
                       const char *want_faults)
{
    AUTO(opened_done) struct opened o = { 0 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct darshan_visitor visitor = { print_record, print_segments, &text };
    make_and_open(m, &o);
    assert_int_equal(darshan_log_read(o.log, slot, &visitor), 0);
    assert_string_equal(strbuf_text(&text), want);
    assert_string_equal(strbuf_text(&o.faults), want_faults);
}

static void put_words(const struct log_maker *m, struct strbuf *to,
                      const int64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        log_u64(m, to, (uint64_t)words[i]);
}

static void put_component(const struct log_maker *m, struct strbuf *to, int64_t width,
                          int64_t pattern, int64_t flags, const char *pool)
{
    const int64_t words[] = { 1 << 20, width, pattern, flags, 0, -1, 0 };
    put_words(m, to, words, COUNT_OF(words));
    log_text(to, pool, 16);
}

static void layouts_of_lustre_are_read_in_both_versions(void **state)
{
    (void)state;
    for (unsigned is_big = 0; is_big < 2; is_big++) {
        AUTO(log_maker_done) struct log_maker m = { .number = 310, .is_big = is_big };
        static const int64_t first[] = { 1, 0, 248, 1,   -1, 1048576, 3,    5, 6,
                                         7, 2, 4,   248, 1,  -1,      4096, 0, 0 };
        m.versions[6] = 1;
        log_job(&m, "", "exe\n");
        put_words(&m, &m.slots[6], first, COUNT_OF(first));
        check_text(&m, 6,
                   "LUSTRE 0 [3 x 1048576 N/A N/A '' 5 6 7]\n"
                   "LUSTRE 4 [0 x 4096 N/A N/A '']\n",
                   "");

        AUTO(log_maker_done) struct log_maker n = { .number = 341, .is_big = is_big };
        struct strbuf *to = &n.slots[DARSHAN_LUSTRE];
        static const int64_t head[] = { 1, -1, 3, 3 };
        static const int64_t osts[] = { 11, 12, 13 };
        n.versions[DARSHAN_LUSTRE] = 2;
        log_job(&n, "", "exe\n");
        put_words(&n, to, head, COUNT_OF(head));
        put_component(&n, to, 1, 0, 0x10, "flash");
        put_component(&n, to, 2, 4, 0x14, "a pool of 16 byt");
        put_component(&n, to, 4, 2, 0x2000, ""); /* not written yet: no servers */
        put_words(&n, to, osts, COUNT_OF(osts));
        check_text(
            &n, DARSHAN_LUSTRE,
            "LUSTRE -1 [1 x 1048576 raid0 init 'flash' 11]"
            " [2 x 1048576 raid0,overstriped prefwr,init 'a pool of 16 byt' 12 13]"
            " [4 x 1048576 mdt 0x2000 '']\n",
            "");
    }
}

static void heat_maps_and_traces_are_read(void **state)
{
    (void)state;
    for (unsigned is_big = 0; is_big < 2; is_big++) {
        AUTO(log_maker_done) struct log_maker m = { .number = 341, .is_big = is_big };
        struct strbuf *heat = &m.slots[DARSHAN_HEATMAP];
        struct strbuf *dxt = &m.slots[DARSHAN_DXT_POSIX];
        static const int64_t bins[] = { 2, 99, 99, 1, 2, 3, 4 };
        static const int64_t segment[] = { 4096, 512 };
        m.versions[DARSHAN_HEATMAP] = 1;
        m.versions[DARSHAN_DXT_POSIX] = 1;
        log_job(&m, "", "exe\n");
        log_u64(&m, heat, 5);
        log_u64(&m, heat, 3);
        log_double(&m, heat, 0.1);
        put_words(&m, heat, bins, COUNT_OF(bins));
        for (uint64_t rank = 0; rank < 2; rank++) {
            log_u64(&m, dxt, 5);
            log_u64(&m, dxt, rank);
            log_u64(&m, dxt, 0);
            log_text(dxt, "node017", 64);
            log_u64(&m, dxt, 1);
            log_u64(&m, dxt, rank);
            for (uint64_t i = 0; i <= rank; i++) {
                put_words(&m, dxt, segment, 2);
                log_double(&m, dxt, 0.5);
                log_double(&m, dxt, 0.75);
            }
        }
        check_text(&m, DARSHAN_HEATMAP, "HEATMAP 3 w1 r3 w2 r4\n", "");
        check_text(&m, DARSHAN_DXT_POSIX,
                   "DXT_POSIX 0 node017\nwrite 4096+512 0.5..0.75\n"
                   "DXT_POSIX 1 node017\nwrite 4096+512 0.5..0.75\n"
                   "read 4096+512 0.5..0.75\n",
                   "");
        /* Version 1 of MPI-IO's traces did not write offsets. */
        strbuf_add(&m.slots[DARSHAN_DXT_MPIIO], dxt->data, 16 + 88 + 32);
        m.versions[DARSHAN_DXT_MPIIO] = 2;
        check_text(&m, DARSHAN_DXT_MPIIO,
                   "DXT_MPIIO 0 node017\nwrite 4096+512 0.5..0.75\n", "");
        m.versions[DARSHAN_DXT_MPIIO] = 1;
        check_text(&m, DARSHAN_DXT_MPIIO,
                   "DXT_MPIIO 0 node017\nwrite -1+512 0.5..0.75\n", "");
    }
}

static const struct {
    const char *name;
    enum darshan_module_id id;
    uint32_t version;
    int64_t words[16];
    size_t count;
    const char *want;
} lies[] = {
    { "more servers than bytes",
      DARSHAN_LUSTRE,
      1,
      { 1, 0, 0, 0, 0, 1, 1000000, 5 },
      8,
      "damaged: LUSTRE: damaged after 0 records\n" },
    { "more servers than memory",
      DARSHAN_LUSTRE,
      1,
      { 1, 0, 0, 0, 0, 1, INT64_MAX / 8, 5 },
      8,
      "damaged: LUSTRE: larger than the limit after 0 records\n" },
    { "servers below none",
      DARSHAN_LUSTRE,
      1,
      { 1, 0, 0, 0, 0, 1, -5, 5 },
      8,
      "damaged: LUSTRE: damaged after 0 records\n" },
    { "components without end",
      DARSHAN_LUSTRE,
      2,
      { 1, 0, INT64_MAX, 1 },
      4,
      "damaged: LUSTRE: larger than the limit after 0 records\n" },
    { "stripes without end",
      DARSHAN_LUSTRE,
      2,
      { 1, 0, 1, INT64_MAX },
      4,
      "damaged: LUSTRE: larger than the limit after 0 records\n" },
    { "components below none",
      DARSHAN_LUSTRE,
      2,
      { 1, 0, -1, 1 },
      4,
      "damaged: LUSTRE: damaged after 0 records\n" },
    { "bins without end",
      DARSHAN_HEATMAP,
      1,
      { 1, 0, 0, INT64_MAX / 16, 0, 0 },
      6,
      "damaged: HEATMAP: larger than the limit after 0 records\n" },
    { "bins below none",
      DARSHAN_HEATMAP,
      1,
      { 1, 0, 0, INT64_MIN, 0, 0 },
      6,
      "damaged: HEATMAP: damaged after 0 records\n" },
    { "segments without end",
      DARSHAN_DXT_MPIIO,
      2,
      { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, INT64_MAX, 1 },
      13,
      "damaged: DXT_MPIIO: damaged after 0 records\n" },
    { "segments that are not there",
      DARSHAN_DXT_MPIIO,
      2,
      { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1000000, 1 },
      13,
      "damaged: DXT_MPIIO: damaged after 1 records\n" },
    { "half a record",
      DARSHAN_BGQ,
      2,
      { 1, 0, 3, 4 },
      4,
      "damaged: BG/Q: damaged after 0 records\n" },
};

static void counts_that_lie_cost_their_module_and_no_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lies); i++) {
        AUTO(log_maker_done) struct log_maker m = { .number = 341, .is_big = i % 2 };
        AUTO(opened_done) struct opened o = { 0 };
        size_t count = 0;
        const struct darshan_visitor visitor = { count_record, NULL, &count };
        m.versions[lies[i].id] = lies[i].version;
        log_job(&m, "", "exe\n");
        put_words(&m, &m.slots[lies[i].id], lies[i].words, lies[i].count);
        make_and_open(&m, &o);
        assert_int_equal(darshan_log_read(o.log, lies[i].id, &visitor), 0);
        if (strcmp(strbuf_text(&o.faults), lies[i].want) != 0)
            fail_msg("%s: %s", lies[i].name, strbuf_text(&o.faults));
    }
}

static int stop_at_once(void *arg, const struct darshan_record *r)
{
    (void)r;
    return ++*(int *)arg;
}

static void a_callback_can_stop_the_reading(void **state)
{
    (void)state;
    AUTO(log_maker_done) struct log_maker m = { .number = 321 };
    AUTO(opened_done) struct opened o = { 0 };
    int calls = 0;
    const struct darshan_visitor visitor = { stop_at_once, NULL, &calls };
    m.versions[6] = 2;
    log_job(&m, "", "exe\n");
    log_text(&m.slots[6], "", 5 * 112);
    make_and_open(&m, &o);
    assert_int_equal(darshan_log_read(o.log, 6, &visitor), 1);
    assert_int_equal(calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_job_is_read_with_metadata_and_mounts),
        cmocka_unit_test(a_path_lies_on_the_longest_mount_that_holds_it),
        cmocka_unit_test(names_are_found_by_id),
        cmocka_unit_test(names_beyond_the_limit_are_left_out_and_that_is_said),
        cmocka_unit_test(what_is_not_ours_to_read_is_refused_by_name),
        cmocka_unit_test(a_log_that_is_packed_as_a_whole_says_what_to_do),
        cmocka_unit_test(a_region_that_unpacks_without_end_is_left),
        cmocka_unit_test(modules_that_are_not_read_are_skipped_and_named),
        cmocka_unit_test(an_empty_log_has_a_job_and_nothing_else),
        cmocka_unit_test(layouts_of_lustre_are_read_in_both_versions),
        cmocka_unit_test(heat_maps_and_traces_are_read),
        cmocka_unit_test(counts_that_lie_cost_their_module_and_no_memory),
        cmocka_unit_test(a_callback_can_stop_the_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
