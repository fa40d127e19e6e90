/* SPDX-License-Identifier: Apache-2.0 */
/* test_gpfs - tables of mmperfmon, answers of mmpmon, archives, sums of a cluster. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "source/gpfs/gpfs.h"

#include <inttypes.h>

static void hear_fault(void *arg, uint64_t line, struct span text, const char *reason)
{
    (void)text;
    strbuf_addf(arg, "! %" PRIu64 " %s\n", line, reason);
}

static int hear_cell(void *arg, const struct mmperfmon_cell *c)
{
    strbuf_addf(arg,
                SPAN_FMT " " SPAN_FMT " " SPAN_FMT " " SPAN_FMT " " SPAN_FMT " %g\n",
                SPAN_ARG(c->time), SPAN_ARG(c->host), SPAN_ARG(c->sensor),
                SPAN_ARG(c->device), SPAN_ARG(c->metric), c->value);
    return 0;
}

static void tables_are_read_piece_by_piece(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        { "a table in two pieces, with units and holes",
          "\nLegend:\n 1:\th1|CPU|cpu_user\n 2: h1|Network|lo|net_r\n"
          " 3: h1|GPFSFilesystem|cl|fs1|bytes\n \n"
          "Row Timestamp cpu_user net_r \n  1 2019-01-11-10:00:00 0.2 1.7 kB \n"
          "  2 2019-01-11-10:01:00 null 2 \n \nRow Timestamp bytes\n"
          "  1 2019-01-11-10:00:00 31.5 MB\n",
          "2019-01-11-10:00:00 h1 CPU  cpu_user 0.2\n"
          "2019-01-11-10:00:00 h1 Network lo net_r 1700\n"
          "2019-01-11-10:01:00 h1 Network lo net_r 2\n"
          "2019-01-11-10:00:00 h1 GPFSFilesystem fs1 bytes 3.15e+07\n" },
        { "a row that does not fit costs that row, and hands on nothing",
          "Legend:\n1: h|CPU|a\n2: h|CPU|b\nRow Timestamp a b\n"
          "1 2019-01-11-10:00:00 1\n2 2019-01-11-10:01:00 1 2 3\n"
          "3 2019-01-11-10:02:00 1 x\n4 yesterday 1 2\n5 2019-01-11-10:04:00 1 2\n",
          "! 5 a row has fewer values than columns\n! 6 a row has more values than "
          "columns\n! 7 a value is none\n! 8 a row has no time\n"
          "2019-01-11-10:04:00 h CPU  a 1\n2019-01-11-10:04:00 h CPU  b 2\n" },
        { "a header that is not the legend's costs its rows",
          "Legend:\n1: h|CPU|a\nRow Timestamp b\n1 2019-01-11-10:00:00 1\n"
          "Row Timestamp a\n1 2019-01-11-10:00:00 7\nRow Timestamp a\n",
          "! 3 the header of a table differs from the legend\n! 4 a row of no "
          "table\n"
          "2019-01-11-10:00:00 h CPU  a 7\n"
          "! 7 the header of a table differs from the legend\n" },
        { "a legend out of order, a line that is cut",
          "Legend:\n2: h|CPU|a\n1: h|a\n1: h|CPU|a\nhello\nRow Timestamp a\n1 "
          "2019-01-11-10:00:00 7",
          "! 2 the legend is not 'NUMBER: HOST|SENSOR|...|METRIC', in order\n"
          "! 3 the legend is not 'NUMBER: HOST|SENSOR|...|METRIC', in order\n"
          "! 5 it is of neither a legend nor a table\n! 7 the line is cut\n" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        const struct mmperfmon_opts opts = { hear_cell, hear_fault, &out };
        assert_int_equal(mmperfmon_read(span_of(cases[i].text), &opts), 0);
        if (strcmp(strbuf_text(&out), cases[i].want) != 0)
            fail_msg("%s: got\n%s", cases[i].name, strbuf_text(&out));
    }
}

static int hear_io(void *arg, const struct gpfs_io *io)
{
    strbuf_addf(arg, SPAN_FMT " " SPAN_FMT " " SPAN_FMT " %" PRId64, SPAN_ARG(io->node),
                SPAN_ARG(io->cluster), SPAN_ARG(io->fs), io->t_s);
    for (unsigned i = 0; i < _GPFS_COUNT_COUNT; i++)
        strbuf_addf(arg, " %" PRIu64, io->counts[i]);
    strbuf_addc(arg, '\n');
    return 0;
}

#define HEAD "_fs_io_s_ _n_ 10.0.0.1 _nn_ n1 "
#define COUNTS \
    "_br_ 1 _bw_ 18446744073709551615 _oc_ 3 _cc_ 4 _rdc_ 5 _wc_ 6 _dir_ 7 _iu_ 8"

static void answers_are_read_by_their_keywords(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct mmpmon_opts opts = { hear_io, hear_fault, &out };
    const char *text =
        "_response_ begin mmpmon fs_io_s\n" HEAD
        "_rc_ 0 _t_ 1066 _tu_ 40 _cl_ c _fs_ f _d_ 5 " COUNTS "\n" HEAD
        "_rc_ 1 _t_ 1066 _tu_ 40 _cl_ c _fs_ f\n" HEAD "_cl_ c _fs_ f _t_ 9 " COUNTS
        " _new_ x\n" HEAD "_cl_ c _fs_ f " COUNTS "\n" HEAD
        "_cl_ c _fs_ f _t_ 9 _br_ -1\n" HEAD
        "_cl_ c _fs_ f _t_\n_io_s_ _n_ 1 _br_ x\n" HEAD "_cl_ c _fs_ f _t_ 9 " COUNTS;
    assert_true(mmpmon_is(span_of(text)));
    assert_int_equal(mmpmon_read(span_of(text), &opts), 0);
    assert_string_equal(strbuf_text(&out),
                        "n1 c f 1066 1 18446744073709551615 3 4 5 6 7 8\n"
                        "! 3 the request failed\n"
                        "n1 c f 9 1 18446744073709551615 3 4 5 6 7 8\n"
                        "! 5 a part of it is missing\n! 6 a count is none\n"
                        "! 7 a value is missing\n! 9 the line is cut\n");
}

static void put_io(struct io_sums *sums, const char *node, const char *fs, uint64_t n)
{
    struct gpfs_io io = { .node = span_of(node),
                          .cluster = SPAN("c"),
                          .fs = span_of(fs) };
    for (unsigned i = 0; i < _GPFS_COUNT_COUNT; i++)
        io.counts[i] = n * (i + 1);
    assert_int_equal(io_sums_add(sums, &io), 0);
}

static void print_sums(const struct io_sums *sums, struct strbuf *out)
{
    for (size_t i = 0; i < sums->count; i++)
        strbuf_addf(out, "%s %" PRIu64 "+%" PRIu64 " %" PRIu64 " %" PRIu64 ";",
                    sums->sums[i].fs, sums->sums[i].nodes, sums->sums[i].unknown,
                    sums->sums[i].counts[GPFS_READ_BYTES],
                    sums->sums[i].counts[GPFS_INODE_UPDATES]);
    strbuf_addc(out, '\n');
}

static void sums_are_of_nodes_that_told_twice(void **state)
{
    (void)state;
    static const struct {
        const char *node, *fs;
        uint64_t n; /* 0: the end of a step */
    } said[] = {
        { "n1", "f", 100 }, { "n2", "f", 400 }, { "n3", "f", 9 },   { "", "", 0 },
        { "n1", "f", 250 }, { "n2", "f", 420 }, { "n3", "f", 3 },   { "n3", "g", 5 },
        { "", "", 0 },      { "n1", "f", 251 }, { "n1", "f", 999 }, { "n3", "f", 4 },
        { "n3", "g", 5 },   { "", "", 0 },      { "n1", "f", 251 }, { "n2", "f", 500 },
        { "n3", "f", 4 },   { "", "", 0 },
    };
    AUTO(io_sums_done) struct io_sums sums;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    io_sums_init(&sums);
    io_sums_begin(&sums);
    for (size_t i = 0; i < COUNT_OF(said); i++) {
        if (said[i].n > 0) {
            put_io(&sums, said[i].node, said[i].fs, said[i].n);
            continue;
        }
        io_sums_end(&sums);
        print_sums(&sums, &out);
        io_sums_begin(&sums);
    }
    /* first seen; n3 begins anew; n2 is not heard of, n1 says two things; n2 is back,
     * and what it did is of two steps. */
    assert_string_equal(strbuf_text(&out), "f 0+3 0 0;\nf 2+1 170 1360;g 0+1 0 0;\n"
                                           "f 2+1 2 16;g 1+0 0 0;\n"
                                           "f 2+1 0 0;g 0+1 0 0;\n");
}

/* A header block of tar for a file of size bytes, of a type. */
static void add_member(struct strbuf *tar, const char *name, char type,
                       const char *text)
{
    char block[512] = { 0 };
    unsigned sum = 0;
    size_t size = strlen(text);
    (void)snprintf(block, 100, "%s", name);
    (void)snprintf(block + 124, 12, "%06o", (unsigned)size & 0777777);
    memset(block + 148, ' ', 8);
    block[156] = type;
    memcpy(block + 257, "ustar", 5);
    for (size_t i = 0; i < sizeof block; i++)
        sum += (unsigned char)block[i];
    (void)snprintf(block + 148, 8, "%06o", sum);
    strbuf_add(tar, block, sizeof block);
    strbuf_add(tar, text, size);
    while (tar->size % sizeof block)
        strbuf_addc(tar, '\0');
}

static void archives_give_their_plain_files(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf tar = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct span name, text;
    size_t cursor = 0;
    int rc;
    add_member(&tar, "d/", '5', "");
    add_member(&tar, "d/a", '0', "hello");
    add_member(&tar, "pax", 'x', "27 mtime=1\n");
    add_member(&tar, "d/empty", '0', "");
    size_t whole = tar.size;
    while (tar.size < whole + 1024)
        strbuf_addc(&tar, '\0');
    assert_true(tarball_is(strbuf_span(&tar)));
    while ((rc = tarball_next(strbuf_span(&tar), &cursor, &name, &text)) > 0)
        strbuf_addf(&out, SPAN_FMT "=" SPAN_FMT ";", SPAN_ARG(name), SPAN_ARG(text));
    assert_int_equal(rc, 0);
    assert_string_equal(strbuf_text(&out), "d/a=hello;d/empty=;");
    for (size_t size = 0; size < whole; size++) { /* cut anywhere */
        struct span cut = { tar.data, size };
        cursor = 0;
        while ((rc = tarball_next(cut, &cursor, &name, &text)) > 0)
            assert_true(text.data + text.size <= cut.data + cut.size);
    }
    tar.data[3] ^= 1; /* its sum is wrong now */
    cursor = 0;
    assert_int_equal(tarball_next(strbuf_span(&tar), &cursor, &name, &text), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_read_piece_by_piece),
        cmocka_unit_test(answers_are_read_by_their_keywords),
        cmocka_unit_test(sums_are_of_nodes_that_told_twice),
        cmocka_unit_test(archives_give_their_plain_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
