/* SPDX-License-Identifier: Apache-2.0 */
/* test_box_rows - what rows of a storage box report, and which rows JSON has. */
#include "base/span.h"
#include "base/test/testing.h"
#include "bmc/box/rest_document.h"

struct fixture {
    struct box_mapping mapping;
    struct box_rows rows;
    struct bmc_report report;
};

static struct fixture *fixture_new(const char *table)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct err err = { 0 };
    assert_non_null(f);
    if (box_mapping_parse("map", span_of(table), MAPPING_REST, &f->mapping, &err) < 0)
        fail_msg("%s", err.text);
    return f;
}

static void fixture_free(struct fixture *f)
{
    box_mapping_done(&f->mapping);
    free(f);
}

static void row(struct fixture *f, const char *index, const char *value,
                const char *name)
{
    box_rows_set(&f->rows, span_of(index), MAPPING_VALUE, span_of(value));
    if (name)
        box_rows_set(&f->rows, span_of(index), MAPPING_NAME, span_of(name));
}

#define DISKS                                                               \
    "[table disk]\npath = /d\nitems = /disks/*\nvalue = /v\nname = /n\n"    \
    "text = /t\nwhen = /w\nwhen_is = 1,yes\nclass = disk\nmetric = level\n" \
    "divide = 10\nstates = 1=up 2=degraded\n"
#define PLAIN                                                                      \
    "[table disk]\npath = /d\nvalue = /v\nname = /n\nclass = disk\nstates = 1=up " \
    "2=degraded\n"

static void names_are_unique_among_rows_that_count(void **state)
{
    struct fixture *f = fixture_new(PLAIN);
    (void)state;
    row(f, "1", "1", "twin");
    row(f, "2", "2", "twin");
    row(f, "3", "1", "");
    row(f, "4", "1", NULL);
    box_rows_set(&f->rows, SPAN("5"), MAPPING_TEXT, SPAN("only"));
    row(f, "6", "9", "only");
    box_rows_report(&f->rows, &f->mapping.tables[0], &f->report);
    assert_int_equal(f->report.part_count, 5);
    assert_string_equal(f->report.parts[0].id, "twin 1");
    assert_string_equal(f->report.parts[1].id, "twin 2");
    assert_string_equal(f->report.parts[1].reason, "disk is '2'");
    assert_string_equal(f->report.parts[2].id, "3");
    assert_string_equal(f->report.parts[3].id, "4");
    assert_string_equal(f->report.parts[4].id, "only");
    assert_int_equal(f->report.parts[4].health, RESOURCE_UNKNOWN);
    assert_string_equal(f->report.parts[4].reason,
                        "disk is '9', for which its mapping has no state");
    fixture_free(f);
}

static void a_row_without_a_value_is_unknown(void **state)
{
    struct fixture *f = fixture_new(PLAIN);
    (void)state;
    box_rows_set(&f->rows, SPAN("1"), MAPPING_NAME, SPAN("dead"));
    box_rows_set(&f->rows, SPAN("2"), MAPPING_NAME, SPAN(""));
    box_rows_set(&f->rows, SPAN("3"), MAPPING_TEXT, SPAN("a text alone"));
    box_rows_set_void(&f->rows, SPAN("4"));
    box_rows_report(&f->rows, &f->mapping.tables[0], &f->report);
    assert_int_equal(f->report.part_count, 2);
    assert_string_equal(f->report.parts[0].id, "dead");
    assert_int_equal(f->report.parts[0].health, RESOURCE_UNKNOWN);
    assert_string_equal(f->report.parts[0].reason, "disk has no value");
    assert_string_equal(f->report.parts[1].id, "4");
    assert_int_equal(f->report.parts[1].health, RESOURCE_UNKNOWN);
    fixture_free(f);
}

static void an_index_of_json_that_does_not_fit_is_counted(void **state)
{
    struct fixture *f = fixture_new(DISKS);
    struct err err = { 0 };
    char text[256], key[BMC_ID_BYTES + 1];
    (void)state;
    memset(key, 'k', BMC_ID_BYTES);
    key[BMC_ID_BYTES] = '\0';
    (void)snprintf(text, sizeof text, "{\"disks\": {\"%s\": {\"v\": 1}}}", key);
    assert_int_equal(
        rest_document_read(span_of(text), &f->mapping.tables[0], &f->rows, &err), 0);
    assert_int_equal(f->rows.count, 0);
    assert_int_equal(f->rows.lost, 1);
    fixture_free(f);
}

static void what_does_not_fit_is_counted(void **state)
{
    struct fixture *f = fixture_new(PLAIN);
    char index[BMC_ID_BYTES + 1];
    (void)state;
    memset(index, '1', BMC_ID_BYTES);
    index[BMC_ID_BYTES] = '\0';
    row(f, index, "1", NULL);
    row(f, "", "1", NULL);
    assert_int_equal(f->rows.count, 0);
    assert_int_equal(f->rows.lost, 2);
    for (int i = 0; i <= BOX_ROWS_MAX; i++) {
        (void)snprintf(index, sizeof index, "%d", i);
        row(f, index, "1", NULL);
    }
    assert_int_equal(f->rows.count, BOX_ROWS_MAX);
    assert_int_equal(f->rows.lost, 3);
    box_rows_report(&f->rows, &f->mapping.tables[0], &f->report);
    assert_int_equal(f->report.part_count, BMC_PARTS_MAX);
    assert_int_equal(f->report.lost, 3 + BOX_ROWS_MAX - BMC_PARTS_MAX);
    assert_true(f->report.note[0] != '\0');
    fixture_free(f);
}

static void rows_of_json_are_at_the_stars(void **state)
{
    struct fixture *f = fixture_new(DISKS);
    struct err err = { 0 };
    static const char text[] =
        "{\"n\": \"not a row\", \"disks\": {\"a/b\": {\"w\": true, \"v\": 1},"
        " \"c\": {\"n\": \"C\", \"v\": 2, \"t\": \"x\\ny \", \"w\": \"yes\"},"
        " \"d\": {\"v\": {\"v\": 1}, \"w\": 1}, \"e\": [{\"v\": 1, \"w\": 1}],"
        " \"f\": {\"v\": 2, \"w\": 1, \"n\": null}}}";
    (void)state;
    assert_int_equal(
        rest_document_read(span_of(text), &f->mapping.tables[0], &f->rows, &err), 0);
    box_rows_report(&f->rows, &f->mapping.tables[0], &f->report);
    /* a/b: true is neither of when_is; d and e have no value where it should be. */
    assert_int_equal(f->report.part_count, 2);
    assert_string_equal(f->report.parts[0].id, "C");
    assert_string_equal(f->report.parts[0].reason, "disk is '2': x y");
    assert_string_equal(f->report.parts[1].id, "f");
    assert_int_equal(f->report.value_count, 2);
    assert_true(f->report.values[0].value > 0.19 && f->report.values[0].value < 0.21);
    fixture_free(f);
}

static void a_document_may_be_one_row_or_its_elements_values(void **state)
{
    struct fixture *f = fixture_new("[table x]\npath = /d\nvalue = /a/1\nclass = "
                                    "host\nstates = down=down\n[table y]\npath = /d\n"
                                    "items = /*/*\nvalue = /\nmetric = m\n");
    struct err err = { 0 };
    (void)state;
    assert_int_equal(rest_document_read(SPAN("{\"a\": [7, \"down\"]}"),
                                        &f->mapping.tables[0], &f->rows, &err),
                     0);
    box_rows_report(&f->rows, &f->mapping.tables[0], &f->report);
    assert_int_equal(f->report.part_count, 1);
    assert_string_equal(f->report.parts[0].type, MAPPING_CLASS_OF_BOX);
    assert_int_equal(f->report.parts[0].health, RESOURCE_DOWN);
    box_rows_clear(&f->rows);
    assert_int_equal(rest_document_read(SPAN("[[1, 2.5], [], [\"3e2\", null, [4]]]"),
                                        &f->mapping.tables[1], &f->rows, &err),
                     0);
    box_rows_report(&f->rows, &f->mapping.tables[1], &f->report);
    assert_int_equal(f->report.value_count, 3);
    assert_string_equal(f->report.values[1].id, "0.1");
    assert_string_equal(f->report.values[2].id, "2.0");
    assert_true(f->report.values[2].value > 299);
    assert_int_equal(
        rest_document_read(SPAN("[[1, 2"), &f->mapping.tables[1], &f->rows, &err),
        -EBADMSG);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique_among_rows_that_count),
        cmocka_unit_test(a_row_without_a_value_is_unknown),
        cmocka_unit_test(an_index_of_json_that_does_not_fit_is_counted),
        cmocka_unit_test(what_does_not_fit_is_counted),
        cmocka_unit_test(rows_of_json_are_at_the_stars),
        cmocka_unit_test(a_document_may_be_one_row_or_its_elements_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
