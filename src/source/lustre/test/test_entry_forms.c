/* SPDX-License-Identifier: Apache-2.0 */
/* test_entry_forms - one entry as JSON, as rows, and as clients send it. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "source/lustre/lustre.h"

#include <errno.h>

static const char text[] =
    "obdfilter.scratch-OST0001.job_stats=job_stats:\n"
    "- job_id:          4711:1000:n1\n"
    "  snapshot_time:   1669010520.887515895 secs.nsecs\n"
    "  start_time:      1669010400.000000001 secs.nsecs\n"
    "  elapsed_time:    120.887515894 secs.nsecs\n"
    "  read_bytes:      { samples: 2, unit: bytes, min: 4096, max: 8192, sum: 12288, "
    "sumsq: 83886080, hist: { 4K: 1, 8K: 1 } }\n"
    "  write_bytes:     { samples: 0, unit: bytes, min: 0, max: 0, sum: 0 }\n"
    "  read:            { samples: 5, unit: usecs, min: 1, max: 9, sum: 20, sumsq: 100 "
    "}\n"
    "  punch:           { samples: 3, unit: reqs }\n"
    "- job_id:          cp.root\n"
    "  snapshot_time:   1669010520\n";

struct hearing {
    struct entry_format *formats[2];
    struct strbuf json, seed;
    struct table csv, table;
    size_t count;
};

static int entry_hear(void *arg, const struct entry *entry)
{
    struct hearing *h = arg;
    struct entry_split split;
    entry_id_split(entry->id, false, (const struct entry_format *const *)h->formats, 2,
                   &split);
    entry_print_json(&h->json, entry, &split);
    entry_print_seed(&h->seed, entry, T_NONE);
    entry_table_rows(&h->csv, ENTRY_FORM_CSV, entry, &split);
    entry_table_rows(&h->table, ENTRY_FORM_TABLE, entry, &split);
    h->count++;
    return 0;
}

static void fault_hear(void *arg, enum jobstats_fault fault, uint64_t line,
                       struct span what)
{
    (void)arg;
    fail_msg("%d in line %llu: " SPAN_FMT, (int)fault, (unsigned long long)line,
             SPAN_ARG(what));
}

static struct hearing hearing;

static int setup(void **state)
{
    AUTO(jobstats_parser_free) struct jobstats_parser *parser = NULL;
    struct err err = { 0 };
    (void)state;
    table_init(&hearing.csv);
    table_init(&hearing.table);
    entry_table_columns(&hearing.csv, ENTRY_FORM_CSV);
    entry_table_columns(&hearing.table, ENTRY_FORM_TABLE);
    assert_int_equal(entry_format_new("%j:%u:%H", &hearing.formats[0], &err), 0);
    assert_int_equal(entry_format_new("%e.%u", &hearing.formats[1], &err), 0);
    assert_int_equal(jobstats_parser_new(entry_hear, fault_hear, &hearing, &parser), 0);
    assert_int_equal(jobstats_parser_feed(parser, text, sizeof text - 1), 0);
    assert_int_equal(jobstats_parser_finish(parser), 0);
    assert_int_equal(hearing.count, 2);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    entry_format_free(hearing.formats[0]);
    entry_format_free(hearing.formats[1]);
    strbuf_done(&hearing.json);
    strbuf_done(&hearing.seed);
    table_done(&hearing.csv);
    table_done(&hearing.table);
    return 0;
}

static void json_has_what_the_text_says(void **state)
{
    (void)state;
    assert_string_equal(
        strbuf_text(&hearing.json),
        "{\"target\":\"scratch-OST0001\",\"entry_id\":\"4711:1000:n1\","
        "\"job_id\":\"4711\",\"user_id\":1000,\"group_id\":null,\"nodename\":\"n1\","
        "\"executable\":null,\"flags\":[],\"snapshot_time\":1669010520.887515895,"
        "\"start_time\":1669010400.000000001,\"elapsed_time\":120.887515894,\"ops\":{"
        "\"read_bytes\":{\"samples\":2,\"unit\":\"bytes\",\"min\":4096,\"max\":8192,"
        "\"sum\":12288,\"sumsq\":83886080,\"hist\":{\"4K\":1,\"8K\":1}},"
        "\"write_bytes\":{\"samples\":0,\"unit\":\"bytes\",\"min\":0,\"max\":0,"
        "\"sum\":0},\"read\":{\"samples\":5,\"unit\":\"usecs\",\"min\":1,\"max\":9,"
        "\"sum\":20,\"sumsq\":100},\"punch\":{\"samples\":3,\"unit\":\"reqs\"}}}\n"
        "{\"target\":\"scratch-OST0001\",\"entry_id\":\"cp.root\",\"job_id\":null,"
        "\"user_id\":null,\"group_id\":null,\"nodename\":null,"
        "\"executable\":null,\"flags\":[\"malformed\"],"
        "\"snapshot_time\":1669010520,\"start_time\":null,"
        "\"elapsed_time\":null,\"ops\":{}}\n");
}

static void csv_has_a_row_an_operation(void **state)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct table_print_opts opts = { .raw_units = true };
    (void)state;
    table_print(&hearing.csv, TABLE_FORM_CSV, &opts, &out);
    assert_string_equal(
        strbuf_text(&out),
        "target,entry_id,job_id,user_id,group_id,nodename,executable,flags,"
        "snapshot_time,start_time,elapsed_time,op,unit,samples,min,max,sum,sumsq,hist\n"
        "scratch-OST0001,4711:1000:n1,4711,1000,,n1,,,1669010520.887515895,"
        "1669010400.000000001,120.887515894,read_bytes,bytes,2,4096,8192,12288,"
        "83886080,\"4K: 1, 8K: 1\"\n"
        "scratch-OST0001,4711:1000:n1,4711,1000,,n1,,,1669010520.887515895,"
        "1669010400.000000001,120.887515894,write_bytes,bytes,0,0,0,0,,\n"
        "scratch-OST0001,4711:1000:n1,4711,1000,,n1,,,1669010520.887515895,"
        "1669010400.000000001,120.887515894,read,usecs,5,1,9,20,100,\n"
        "scratch-OST0001,4711:1000:n1,4711,1000,,n1,,,1669010520.887515895,"
        "1669010400.000000001,120.887515894,punch,reqs,3,,,,,\n"
        "scratch-OST0001,cp.root,,,,,,malformed,1669010520,,,,,,,,,,"
        "\n");
}

static void the_table_has_a_row_an_entry(void **state)
{
    const struct table *t = &hearing.table;
    const struct {
        const char *name;
        uint64_t want;
    } sums[] = { { "requests", 8 }, { "read", 12288 }, { "written", 0 } };
    (void)state;
    assert_int_equal(t->row_count, 2);
    for (size_t i = 0; i < COUNT_OF(sums); i++) {
        int column = table_find_column(t, sums[i].name);
        assert_true(column >= 0);
        /* read and punch are calls; the sizes' samples were counted with them */
        assert_int_equal(table_at(t, 0, (size_t)column)->u64, sums[i].want);
    }
    int time = table_find_column(t, "snapshot_time");
    assert_int_equal(t->columns[time].type, TABLE_TIME);
    assert_int_equal(table_at(t, 0, (size_t)time)->i64, INT64_C(1669010520887));
    assert_true(table_at(t, 1, (size_t)table_find_column(t, "read"))->is_null);
}

static void bytes_without_a_sum_are_unknown(void **state)
{
    static const struct entry entry = {
        .ops = { { .name = { "read_bytes", 10 },
                   .unit = OP_UNIT_BYTES,
                   .has = OP_HAS_SAMPLES,
                   .samples = 2 },
                 { .name = { "write_bytes", 11 },
                   .unit = OP_UNIT_BYTES,
                   .has = OP_HAS_SAMPLES | OP_HAS_SUM,
                   .samples = 2,
                   .sum = 8192 } },
        .op_count = 2,
    };
    const struct entry_view view = { .entry = &entry };
    const struct {
        const char *column;
        enum entry_value_kind kind;
        uint64_t count;
    } cases[] = { { "read", ENTRY_VALUE_NONE, 0 },
                  { "written", ENTRY_VALUE_COUNT, 8192 } };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (size_t c = 0; c < entry_column_count; c++) {
            struct entry_value value = { .kind = ENTRY_VALUE_NONE };
            if (strcmp(entry_columns[c].name, cases[i].column) != 0)
                continue;
            entry_columns[c].get(&view, &value);
            assert_int_equal(value.kind, cases[i].kind);
            assert_int_equal(value.count, cases[i].count);
        }
}

static void the_seed_has_the_number_that_counts(void **state)
{
    (void)state;
    assert_string_equal(strbuf_text(&hearing.seed),
                        "{\n  \"target\": \"scratch-OST0001\",\n"
                        "  \"entry_id\": \"4711:1000:n1\",\n"
                        "  \"timestamp\": \"2022-11-21T06:03:00.000+00:00\",\n"
                        "  \"snapshot_time\": 1669010520.887515895,\n"
                        "  \"read\": 5,\n  \"punch\": 3,\n"
                        "  \"read_bytes\": 12288,\n  \"write_bytes\": 0\n}"
                        "{\n  \"target\": \"scratch-OST0001\",\n"
                        "  \"entry_id\": \"cp.root\",\n"
                        "  \"timestamp\": \"2022-11-21T06:02:00.000+00:00\",\n"
                        "  \"snapshot_time\": 1669010520\n}");
}

/* What a newcomer's column must keep: each name once in each form. */
static void no_form_has_a_column_twice(void **state)
{
    static const enum entry_form forms[] = { ENTRY_FORM_JSON, ENTRY_FORM_CSV,
                                             ENTRY_FORM_TABLE };
    const struct {
        const struct entry_column *columns;
        size_t count;
    } tables[] = { { entry_columns, entry_column_count },
                   { entry_op_columns, entry_op_column_count } };
    (void)state;
    for (size_t t = 0; t < COUNT_OF(tables); t++)
        for (size_t f = 0; f < COUNT_OF(forms); f++)
            for (size_t i = 0; i < tables[t].count; i++)
                for (size_t k = 0; k < i; k++) {
                    const struct entry_column *a = &tables[t].columns[i];
                    const struct entry_column *b = &tables[t].columns[k];
                    if (a->forms & b->forms & forms[f])
                        assert_string_not_equal(a->name, b->name);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_what_the_text_says),
        cmocka_unit_test(csv_has_a_row_an_operation),
        cmocka_unit_test(the_table_has_a_row_an_entry),
        cmocka_unit_test(bytes_without_a_sum_are_unknown),
        cmocka_unit_test(the_seed_has_the_number_that_counts),
        cmocka_unit_test(no_form_has_a_column_twice),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
