/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_table - a mapping and rows of anything: values have their measure, and rows that
 * cannot be read are counted.  A line "---" divides the mapping from rows, the first of
 * which names the columns; tabs divide fields.
 */
#include "source/table/table.h"
#include "base/cleanup.h"
#include "base/span.h"
#include "fuzz/fuzz.h"

#include <math.h>

#define FIELDS_MAX 16

static int hear_value(void *arg, const struct table_value *value)
{
    const struct table_mapping *mapping = arg;
    fuzz_check(value->measure < mapping->measure_count && !isnan(value->value));
    return 0;
}

static size_t fields_cut(struct span line, struct span fields[static FIELDS_MAX])
{
    size_t count = 0;
    bool is_more = true;
    while (is_more && count < FIELDS_MAX)
        is_more = span_cut(&line, '\t', &fields[count++]);
    return count;
}

static void rows_take(struct table_mapping *mapping, struct span text)
{
    struct span line, fields[FIELDS_MAX];
    struct table_rows rows;
    struct err err = { 0 };
    uint64_t number = 0;
    (void)span_cut(&text, '\n', &line);
    int rc = table_rows_init(&rows, mapping, fields, fields_cut(line, fields), &err);
    fuzz_check((rc < 0) == (err.text[0] != '\0'));
    rows.on_value = hear_value;
    rows.arg = mapping;
    while (rc == 0 && text.size > 0) {
        (void)span_cut(&text, '\n', &line);
        rc = table_rows_take(&rows, fields, fields_cut(line, fields), ++number);
        fuzz_check(rc == 0 && rows.fault_count <= number);
    }
    table_rows_done(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *divide = size ? memmem(text, size, "\n---\n", 5) : NULL;
    AUTO(table_mapping_done) struct table_mapping mapping = { 0 };
    struct err err = { 0 };
    struct span map = { text, divide ? (size_t)(divide - text) + 1 : size };
    int rc = table_mapping_parse("map", map, &mapping, &err);
    fuzz_check((rc < 0) == (err.text[0] != '\0'));
    if (rc == 0 && divide)
        rows_take(&mapping, (struct span){ divide + 5, size - map.size - 4 });
    return 0;
}
