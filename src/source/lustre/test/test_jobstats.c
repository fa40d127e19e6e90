/* SPDX-License-Identifier: Apache-2.0 */
/* test_jobstats - the text of job_stats, entry by entry. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "source/lustre/lustre.h"
#include "source/lustre/test/jobstats_text.h"

#include <inttypes.h>

/* Everything a parse says, as text, so that two parses can be compared. */
struct heard {
    struct strbuf text;
    size_t entries;
    struct entry last;
    char last_id[ENTRY_ID_BYTES_MAX + 1];
};

static int hear_entry(void *arg, const struct entry *e)
{
    struct heard *h = arg;
    h->last = *e;
    h->entries++;
    memcpy(h->last_id, e->id.data, e->id.size);
    h->last_id[e->id.size] = '\0';
    strbuf_addf(&h->text, "%" PRIu64 " " SPAN_FMT "/%s ", e->line, SPAN_ARG(e->target),
                target_kind_name(e->kind));
    entry_id_print(&h->text, e->id);
    strbuf_addf(&h->text, " %x %" PRId64 " %" PRId64 " %" PRId64 "\n", e->flags,
                e->snapshot_ns, e->start_ns, e->elapsed_ns);
    for (size_t i = 0; i < e->op_count; i++) {
        const struct op_stat *op = &e->ops[i];
        strbuf_addf(&h->text, "  " SPAN_FMT " " SPAN_FMT " %x %" PRIu64 " %" PRIu64,
                    SPAN_ARG(op->name), SPAN_ARG(op->unit_text), op->has, op->samples,
                    op->min);
        strbuf_addf(&h->text, " %" PRIu64 " %" PRIu64 " %" PRIu64 " {" SPAN_FMT "}\n",
                    op->max, op->sum, op->sumsq, SPAN_ARG(op->hist));
    }
    return 0;
}

static void hear_fault(void *arg, enum jobstats_fault fault, uint64_t line,
                       struct span text)
{
    struct heard *h = arg;
    strbuf_addf(&h->text, "! %s %" PRIu64 " ", jobstats_fault_name(fault), line);
    entry_id_print(&h->text, text);
    strbuf_addc(&h->text, '\n');
}

/* Parse text in pieces of that size. */
static void parse(struct heard *h, struct span text, size_t piece,
                  struct jobstats_counts *counts)
{
    AUTO(jobstats_parser_free) struct jobstats_parser *p = NULL;
    assert_int_equal(jobstats_parser_new(hear_entry, hear_fault, h, &p), 0);
    for (size_t i = 0; i < text.size; i += piece) {
        size_t size = text.size - i < piece ? text.size - i : piece;
        /* A copy of its own, so that reading past its end is noticed. */
        AUTO_FREE char *copy = malloc(size);
        memcpy(copy, text.data + i, size);
        assert_int_equal(jobstats_parser_feed(p, copy, size), 0);
    }
    assert_int_equal(jobstats_parser_finish(p), 0);
    if (counts)
        *counts = *jobstats_parser_counts(p);
}

static void one_entry_of_2_12_is_read_whole(void **state)
{
    (void)state;
    struct heard h = { 0 };
    parse(&h,
          SPAN("obdfilter.scratch-OST0001.job_stats=\njob_stats:\n"
               "- job_id:          11317854:17627127:r01c01\n"
               "  snapshot_time:   1669010520\n"
               "  read_bytes:      { samples:        7754, unit: bytes, min:    4096,"
               " max:16777216, sum:      8130658304 }\n"
               "  punch:           { samples:           2, unit:  reqs }\n"),
          SIZE_MAX, NULL);
    assert_int_equal(h.entries, 1);
    assert_string_equal(
        strbuf_text(&h.text),
        "3 scratch-OST0001/ost 11317854:17627127:r01c01 0 "
        "1669010520000000000 -9223372036854775808 -9223372036854775808\n"
        "  read_bytes bytes f 7754 4096 16777216 8130658304 0 {}\n"
        "  punch reqs 1 2 0 0 0 0 {}\n");
    strbuf_done(&h.text);
}

/* Each row: a text, and all that a parse of it says. */
#define E "- job_id:          "
#define NO "-9223372036854775808"
#define T1 "  snapshot_time:   1669010520\n"
#define T1_TIMES "1669010520000000000 " NO " " NO "\n"
#define NO_TIMES NO " " NO " " NO "\n"

static const struct {
    const char *name, *text, *heard;
} texts[] = {
    { "an empty text", "", "" },
    { "an empty target that prints its name", "obdfilter.a-OST0000.job_stats=\n", "" },
    { "an empty target of 2.16",
      "obdfilter.a-OST0000.job_stats=\njob_stats:\n"
      "mdt.a-MDT0000.job_stats=\njob_stats:\n",
      "" },
    { "no newline at the end", "job_stats:\n" E "j\n" T1 "  open: { samples: 1 }",
      "2 /mdt j 0 " T1_TIMES "  open  1 1 0 0 0 0 {}\n" },
    { "job_stats: absent", E "j\n" T1, "1 /ost j 0 " T1_TIMES },
    { "job_stats: in the middle of an entry", E "j\njob_stats:\n" T1,
      "1 /ost j 0 " T1_TIMES },
    { "job_stats: glued to the parameter",
      "mdt.a-MDT0001.job_stats=job_stats:\n" E "j\n" T1,
      "2 a-MDT0001/mdt j 0 " T1_TIMES },
    { "several targets and other parameters",
      "health_check=healthy\n"
      "mdt.a-MDT0001.job_stats=\njob_stats:\n" E "j\n" T1
      "obdfilter.a-OST0001.stats=\nsnapshot_time 1.5 secs.usecs\n"
      "read_bytes 1 samples [bytes] 1 1 1\n"
      "obdfilter.a-OST0001.exports.10.0.0.1@tcp.uuid=\nx\n"
      "obdfilter.a-OST000f.job_stats=\n" E "k\n" T1,
      "4 a-MDT0001/mdt j 0 " T1_TIMES "12 a-OST000f/ost k 0 " T1_TIMES },
    { "other parameters without their names",
      "healthy\njob_stats:\n" E "j\n" T1 "snapshot_time             1.5 secs.usecs\n"
      "read_bytes                1 samples [bytes] 1 1 1\nanything\n",
      "3 /ost j 0 " T1_TIMES },
    { "a folder's kind against its name", "mdt.OST0001.job_stats=\n" E "j\n" T1,
      "2 OST0001/mdt j 0 " T1_TIMES },
    { "an entry twice is two entries", E "j\n" T1 E "j\n" T1,
      "1 /ost j 0 " T1_TIMES "3 /ost j 0 " T1_TIMES },
    { "the header of 2.15.0",
      E "j\nsnapshot_time   : 3143196.864165417 secs.nsecs\n"
        "start_time      : 3141676.5 secs.nsecs\n"
        "elapsed_time    : 1519.135802468 secs.nsecs\n",
      "1 /ost j 1 " NO " " NO " 1519135802468\n" },
    { "the broken header with a time that could be one",
      E "j\nsnapshot_time   : 1669010520.5 secs.nsecs\n", "1 /ost j 1 " NO_TIMES },
    { "an indented time since boot", E "j\n  snapshot_time:   999999999\n",
      "1 /ost j 1 " NO_TIMES },
    { "the first second that is taken for one", E "j\n  snapshot_time:   1000000000\n",
      "1 /ost j 0 1000000000000000000 " NO " " NO "\n" },
    { "the header of 2.16",
      E "j\n  snapshot_time:   1669010520.123456789 secs.nsecs\n"
        "  start_time:      1669009000.987654321 secs.nsecs\n"
        "  elapsed_time:    1519.135802468 secs.nsecs\n",
      "1 /ost j 4 1669010520123456789 1669009000987654321 1519135802468\n" },
    { "quoted identifiers",
      E "\"a\\x3Ab\"\n" T1 E "\"a:b\"\n" T1 E "\"q\\\"\\\\\"\n" T1 E "\"a\\x0Ab\"\n" T1,
      "1 /ost a:b 4 " T1_TIMES "3 /ost a:b 4 " T1_TIMES "5 /ost q\"\\x5C 4 " T1_TIMES
      "7 /ost a\\x0Ab 4 " T1_TIMES },
    { "raw identifiers with anything in them",
      E "abc def .0123 .-_+ AB.1000\n" T1 E " - job_id: x: {y}\n" T1 E "a\\x3A\"\n" T1,
      "1 /ost abc def .0123 .-_+ AB.1000 0 " T1_TIMES
      "3 /ost  - job_id: x: {y} 0 " T1_TIMES "5 /ost a\\x5Cx3A\" 0 " T1_TIMES },
    { "a question mark is exact only in quotes",
      E "a?b\n  snapshot_time: 1669010520.5 secs.nsecs\n" E "\"a\\x3Fb\"\n",
      "1 /ost a?b 0 1669010520500000000 " NO " " NO "\n3 /ost a?b 4 " NO_TIMES },
    { "layouts made by hand",
      "\t- job_id: 28  \n\tsnapshot_time: 1669010520\n  job_id:x\n",
      "1 /ost 28 0 " T1_TIMES "3 /ost x 0 " NO_TIMES },
    { "a newline in an identifier of 2.5", E "a\nb.0\n" T1 "  read: { samples: 1 }\n",
      "! line_stray 2 b.0\n1 /ost a 2 " T1_TIMES "  read  1 1 0 0 0 0 {}\n" },
    { "a newline that plays a parameter", E "a\nmdt.x-MDT0000.job_stats=\n" T1,
      "! line_stray 2 mdt.x-MDT0000.job_stats=\n1 /ost a 2 " T1_TIMES },
    { "identifiers that are none",
      E "\n" T1 E "\"a\n  open: { samples: x }\n" E "\"\\xZZ\"\n" E "k\n",
      "! bad_id 1 - job_id:          \n! bad_id 3 - job_id:          \"a\n"
      "! bad_id 5 - job_id:          \"\\x5CxZZ\"\n6 /ost k 0 " NO_TIMES },
    { "glued numbers, a histogram, an odd unit, unknown keys and names",
      E "j\n"
        "  write_bytes: { samples: 1, unit: bytes, min:16777216, max:16777216,"
        " sum:16777216, sumsq:18446744073709551615, hist: { 32K: 1, 1M: 5 } }\n"
        "  read_bytes: { samples: 0, hist: {} }\n"
        "  whatever.new: { unit: furlongs, avg: 3, sum: 7, extra: { a: 1 } }\n",
      "1 /ost j 0 " NO_TIMES
      "  write_bytes bytes 3f 1 16777216 16777216 16777216 18446744073709551615"
      " {32K: 1, 1M: 5}\n"
      "  read_bytes  21 0 0 0 0 0 {}\n  whatever.new furlongs 8 0 0 0 7 0 {}\n" },
    { "doubled braces of a template",
      E "j\n  read: {{ samples: 3, unit: usecs, hist: {{ 4K: 1 }} }}\n",
      "1 /ost j 0 " NO_TIMES "  read usecs 21 3 0 0 0 0 {4K: 1}\n" },
    { "lines wrapped in their braces",
      E "j\n  read_bytes: { samples: 3,\n unit: bytes, min: 1,\n\n max:2 }\n"
        "  write: { samples: 1 }\n",
      "1 /ost j 0 " NO_TIMES "  read_bytes bytes 7 3 1 2 0 0 {}\n"
      "  write  1 1 0 0 0 0 {}\n" },
    { "an operation that never closes",
      E "j\n  read: "
        "{\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
        "  write: { samples: 1 }\n",
      "! bad_op 2   read: {                                \n"
      "1 /ost j 0 " NO_TIMES "  write  1 1 0 0 0 0 {}\n" },
    { "an operation broken off by the next line",
      E "j\n  read: { samples: 3,\n  write: { samples: 1 }\n  punch: { samples\n" E
        "k\n",
      "! bad_op 2   read: { samples: 3,\n! bad_op 4   punch: { samples\n"
      "1 /ost j 0 " NO_TIMES "  write  1 1 0 0 0 0 {}\n5 /ost k 0 " NO_TIMES },
    { "operations that cannot be read cost themselves",
      E "j\n  a: { samples: -1 }\n  b: { samples: 18446744073709551616 }\n"
        "  c: { }\n  d: { samples: 1 } x\n  e: { samples: 1, samples: 2 }\n"
        "  f: { samples: 1 }\n  f: { samples: 2 }\n  g: { samples: 1.5 }\n"
        "  snapshot_time: never\n",
      "! bad_op 2   a: { samples: -1 }\n"
      "! bad_op 3   b: { samples: 18446744073709551616 }\n! bad_op 4   c: { }\n"
      "! bad_op 5   d: { samples: 1 } x\n! bad_op 6   e: { samples: 1, samples: 2 }\n"
      "! bad_op 8   f: { samples: 2 }\n! bad_op 9   g: { samples: 1.5 }\n"
      "! bad_time 10   snapshot_time: never\n"
      "1 /ost j 0 " NO_TIMES "  f  1 1 0 0 0 0 {}\n" },
    { "the text ends inside an operation",
      E "j\n" T1 "  open: { samples: 1 }\n  rename: { sa",
      "! entry_cut 4   rename: { sa\n1 /mdt j 0 " T1_TIMES "  open  1 1 0 0 0 0 {}\n" },
    { "the text ends inside an identifier", E "j\n" T1 E "113",
      "1 /ost j 0 " T1_TIMES "! entry_cut 3 - job_id:          113\n" },
    { "the text ends inside a time", E "j\n  snapshot_time:   16690",
      "! entry_cut 2   snapshot_time:   16690\n1 /ost j 0 " NO_TIMES },
    { "the text ends inside a name", E "j\n" T1 "  ope",
      "! entry_cut 3   ope\n1 /ost j 0 " T1_TIMES },
    { "lines that belong to nothing", "  open: { samples: 1 }\nnonsense\n",
      "! line_stray 1   open: { samples: 1 }\n! line_stray 2 nonsense\n" },
    { "a target whose name is none", "mdt.a b.job_stats=\nmdt..job_stats=\n" E "j\n",
      "! line_stray 1 mdt.a b.job_stats=\n! line_stray 2 mdt..job_stats=\n"
      "3 /mdt j 0 " NO_TIMES },
    { "order changes from entry to entry",
      E "j\n  a: { samples: 1 }\n  b: { samples: 2 }\n" E "k\n  b: { samples: 3 }\n"
        "  a: { samples: 4 }\n" E "l\n  b: { samples: 5 }\n  b: { samples: 6 }\n"
        "  a: { samples: 7 }\n",
      "1 /ost j 0 " NO_TIMES "  a  1 1 0 0 0 0 {}\n  b  1 2 0 0 0 0 {}\n"
      "4 /ost k 0 " NO_TIMES "  b  1 3 0 0 0 0 {}\n  a  1 4 0 0 0 0 {}\n"
      "! bad_op 9   b: { samples: 6 }\n"
      "7 /ost l 0 " NO_TIMES "  b  1 5 0 0 0 0 {}\n  a  1 7 0 0 0 0 {}\n" },
};

static void each_form_of_text_is_understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct heard h = { 0 };
        parse(&h, span_of(texts[i].text), SIZE_MAX, NULL);
        if (strcmp(strbuf_text(&h.text), texts[i].heard) != 0)
            fail_msg("%s:\ngot\n%s\nwant\n%s", texts[i].name, strbuf_text(&h.text),
                     texts[i].heard);
        strbuf_done(&h.text);
    }
}

static void expect_same_for_every_cut(const char *name, struct span text)
{
    struct heard whole = { 0 };
    struct jobstats_counts counts, again;
    parse(&whole, text, SIZE_MAX, &counts);
    static const size_t pieces[] = { 1, 2, 7, 64, 4096 };
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        struct heard cut = { 0 };
        parse(&cut, text, pieces[i], &again);
        if (strcmp(strbuf_text(&whole.text), strbuf_text(&cut.text)) != 0 ||
            memcmp(&counts, &again, sizeof counts) != 0)
            fail_msg("%s: cut into %zu bytes it reads otherwise", name, pieces[i]);
        strbuf_done(&cut.text);
    }
    strbuf_done(&whole.text);
}

static void where_the_text_is_cut_changes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        expect_same_for_every_cut(texts[i].name, span_of(texts[i].text));
    for (int form = 0; form < JOBSTATS_FORMS; form++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        uint64_t seed = 1;
        jobstats_text_head(&text, TARGET_MDT, 1);
        jobstats_text_entry(&text, form, TARGET_MDT, SPAN("a\nb?c:1"), &seed);
        jobstats_text_entry(&text, form, TARGET_MDT, SPAN("1:2:r01c01"), &seed);
        expect_same_for_every_cut(jobstats_form_names[form], strbuf_span(&text));
    }
}

static void long_lines_cost_themselves_only(void **state)
{
    (void)state;
    static const struct {
        const char *name, *before, *begin, *after, *heard;
    } cases[] = {
        { "an operation", E "j\n" T1, "  x: { samples: 1, hist: { ",
          " } }\n  y: { samples: 2 }\n",
          "! line_too_long 3   x: { samples: 1, hist: { "
          "11111111111111111111111111111111111111111111111111111\n"
          "1 /ost j 0 " T1_TIMES "  y  1 2 0 0 0 0 {}\n" },
        { "an identifier", E "j\n" T1, E, "\n  y: { samples: 2 }\n" E "k\n" T1,
          "1 /ost j 0 " T1_TIMES "! line_too_long 3 - job_id:          "
          "1111111111111111111111111111111111111111111111111111111111111\n"
          "5 /ost k 0 " T1_TIMES },
        { "another parameter", E "j\n" T1, "lov.qos=", "\n" E "k\n" T1,
          "1 /ost j 0 " T1_TIMES "4 /ost k 0 " T1_TIMES },
        { "a target", "mdt.x-MDT0000.job_stats=\n" E "j\n" T1,
          "mdt.x-MDT0001.job_stats=", "\n" E "k\n" T1,
          "! line_too_long 4 mdt.x-MDT0001.job_stats="
          "11111111111111111111111111111111111111111111111111111111\n"
          "2 x-MDT0000/mdt j 0 " T1_TIMES "5 x-MDT0001/mdt k 0 " T1_TIMES },
        { "a value of another parameter", "a.b=\n", "", "\n" E "k\n" T1,
          "3 /ost k 0 " T1_TIMES },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        strbuf_adds(&text, cases[i].before);
        strbuf_adds(&text, cases[i].begin);
        for (int n = 0; n < JOBSTATS_LINE_BYTES_MAX; n++)
            strbuf_addc(&text, '1');
        strbuf_adds(&text, cases[i].after);
        struct heard h = { 0 };
        parse(&h, strbuf_span(&text), SIZE_MAX, NULL);
        if (strcmp(strbuf_text(&h.text), cases[i].heard) != 0)
            fail_msg("%s:\n%s", cases[i].name, strbuf_text(&h.text));
        expect_same_for_every_cut(cases[i].name, strbuf_span(&text));
        strbuf_done(&h.text);
    }
}

static void operations_beyond_the_limit_are_counted(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (int n = 0; n < 2; n++) {
        strbuf_adds(&text, E "j\n");
        for (int i = 0; i < ENTRY_OPS_MAX + 3; i++)
            strbuf_addf(&text, "  op%d: { samples: %d }\n", i, i);
    }
    struct heard h = { 0 };
    struct jobstats_counts counts;
    parse(&h, strbuf_span(&text), SIZE_MAX, &counts);
    assert_int_equal(h.entries, 2);
    assert_int_equal(h.last.op_count, ENTRY_OPS_MAX);
    assert_int_equal(counts.faults[JOBSTATS_TOO_MANY_OPS], 6);
    strbuf_done(&h.text);
}

static const char *const ids[] = {
    "11317854:17627127:r01c01",
    "wget.1000",
    "11317854:17627127:r01c01.bullx",
    ":17627127:r01c01",
    "wget.",
    "11317854:",
    "kworker/86:1.0",
    "abc def .0123 .-_+ AB.1000",
    "(ostnamed.0)",
    "@start.0",
    "SLURM_JOB_machine184_74186:0:ma",
    "q\"uote.5",
};

static void identifiers_are_the_same_in_every_version(void **state)
{
    (void)state;
    for (int form = 0; form < JOBSTATS_FORMS; form++) {
        for (size_t i = 0; i < COUNT_OF(ids); i++) {
            AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
            uint64_t seed = 7;
            jobstats_text_head(&text, TARGET_OST, 0);
            jobstats_text_entry(&text, form, TARGET_OST, span_of(ids[i]), &seed);
            struct heard h = { 0 };
            struct jobstats_counts counts;
            parse(&h, strbuf_span(&text), SIZE_MAX, &counts);
            if (h.entries != 1 || strcmp(h.last_id, ids[i]) != 0)
                fail_msg("%s: '%s' is read as '%s'", jobstats_form_names[form], ids[i],
                         h.last_id);
            for (int f = 0; f < JOBSTATS_FAULT_COUNT; f++)
                assert_int_equal(counts.faults[f], 0);
            strbuf_done(&h.text);
        }
    }
}

static void a_newline_in_an_identifier_is_cut_marked_or_exact(void **state)
{
    (void)state;
    static const struct {
        const char *form, *id;
        unsigned flags;
        uint64_t strays;
    } cases[] = {
        { "2.5", "a", ENTRY_ID_CUT_LINE, 1 },
        { "2.8", "a?b.0", 0, 0 },
        { "2.12", "a?b.0", 0, 0 },
        { "2.14", "a?b.0", 0, 0 },
        { "2.15.0", "a?b.0", ENTRY_BOOT_TIME, 0 },
        { "2.15.8", "a\nb.0", ENTRY_ID_QUOTED, 0 },
        { "2.16.1", "a\nb.0", ENTRY_ID_QUOTED, 0 },
        { "2.17.0", "a\nb.0", ENTRY_ID_QUOTED, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        uint64_t seed = 7;
        jobstats_text_entry(&text, jobstats_form_find(cases[i].form), TARGET_MDT,
                            SPAN("a\nb.0"), &seed);
        struct heard h = { 0 };
        struct jobstats_counts counts;
        parse(&h, strbuf_span(&text), SIZE_MAX, &counts);
        if (strcmp(h.last_id, cases[i].id) != 0 || h.last.flags != cases[i].flags ||
            counts.faults[JOBSTATS_LINE_STRAY] != cases[i].strays)
            fail_msg("%s: '%s' %x", cases[i].form, h.last_id, h.last.flags);
        strbuf_done(&h.text);
    }
}

static int refuse(void *arg, const struct entry *entry)
{
    (void)arg;
    (void)entry;
    return -ECANCELED;
}

static void the_caller_may_end_the_parse(void **state)
{
    (void)state;
    AUTO(jobstats_parser_free) struct jobstats_parser *p = NULL;
    assert_int_equal(jobstats_parser_new(refuse, NULL, NULL, &p), 0);
    struct span text = SPAN(E "j\n" E "k\n" E "l\n");
    assert_int_equal(jobstats_parser_feed(p, text.data, text.size), -ECANCELED);
    assert_int_equal(jobstats_parser_feed(p, text.data, text.size), -ECANCELED);
    assert_int_equal(jobstats_parser_finish(p), -ECANCELED);
}

static void a_target_can_be_told_beforehand(void **state)
{
    (void)state;
    struct heard h = { 0 };
    AUTO(jobstats_parser_free) struct jobstats_parser *p = NULL;
    assert_int_equal(jobstats_parser_new(hear_entry, hear_fault, &h, &p), 0);
    struct span text = SPAN("job_stats:\n" E "j\n" T1);
    struct span half = SPAN("job_stats:\n" E "lost\n");
    jobstats_parser_begin(p, SPAN("a-OST0001"), TARGET_OST);
    assert_int_equal(jobstats_parser_feed(p, half.data, half.size), 0);
    jobstats_parser_begin(p, SPAN("a-MDT0002"), TARGET_MDT);
    assert_int_equal(jobstats_parser_feed(p, text.data, text.size), 0);
    assert_int_equal(jobstats_parser_finish(p), 0);
    assert_string_equal(strbuf_text(&h.text), "2 a-MDT0002/mdt j 0 " T1_TIMES);
    strbuf_done(&h.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_entry_of_2_12_is_read_whole),
        cmocka_unit_test(each_form_of_text_is_understood),
        cmocka_unit_test(where_the_text_is_cut_changes_nothing),
        cmocka_unit_test(long_lines_cost_themselves_only),
        cmocka_unit_test(operations_beyond_the_limit_are_counted),
        cmocka_unit_test(identifiers_are_the_same_in_every_version),
        cmocka_unit_test(a_newline_in_an_identifier_is_cut_marked_or_exact),
        cmocka_unit_test(the_caller_may_end_the_parse),
        cmocka_unit_test(a_target_can_be_told_beforehand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
