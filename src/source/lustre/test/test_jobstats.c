/* SPDX-License-Identifier: Apache-2.0 */
/* test_jobstats - the text of job_stats, entry by entry. */
#include "base/cleanup.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_entry_of_2_12_is_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
