/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_box_rows - what a storage box sends, by a mapping that is an administrator's: a
 * document of JSON, or cells as SNMP brings them.  Parts and values are within their
 * bounds, their names end and have no control characters.
 *
 *     0 JSON            '1' column index text, a line each
 */
#include "base/span.h"
#include "bmc/box/rest_document.h"
#include "fuzz/fuzz.h"

#include <math.h>

static const char mapping_text[] =
    "[table disk]\n"
    "path = /disks\n"
    "items = /enclosures/*/disks/*\n"
    "value = /status/health\n"
    "name = /id\n"
    "text = /message\n"
    "class = disk\n"
    "id = %n of %i\n"
    "states = OK=up W*=degraded 3..7=down absent=absent\n"
    "[table load]\n"
    "path = /load\n"
    "value = /load\n"
    "when = /used\n"
    "when_is = true,1\n"
    "class = host\n"
    "metric = box_load\n"
    "divide = 10\n"
    "states = *=unknown\n";

static void text_check(const char *text, size_t size)
{
    size_t length = strnlen(text, size);
    fuzz_check(length < size);
    for (size_t i = 0; i < length; i++)
        fuzz_check((unsigned char)text[i] >= ' ' && text[i] != 0x7F);
}

static void report_check(const struct bmc_report *report)
{
    fuzz_check(report->part_count <= BMC_PARTS_MAX);
    fuzz_check(report->value_count <= BMC_VALUES_MAX);
    text_check(report->note, sizeof report->note);
    for (size_t i = 0; i < report->part_count; i++) {
        text_check(report->parts[i].id, sizeof report->parts[i].id);
        text_check(report->parts[i].reason, sizeof report->parts[i].reason);
        fuzz_check(report->parts[i].id[0] != '\0');
        fuzz_check(report->parts[i].health == RESOURCE_UP ||
                   report->parts[i].reason[0] != '\0');
    }
    for (size_t i = 0; i < report->value_count; i++) {
        text_check(report->values[i].id, sizeof report->values[i].id);
        fuzz_check(isfinite(report->values[i].value));
    }
}

/* "0 1.2 text" */
static void cells_read(struct span text, struct box_rows *rows)
{
    struct span line, column, index;
    while (text.size > 0) {
        (void)span_cut(&text, '\n', &line);
        if (!span_cut(&line, ' ', &column) || !span_cut(&line, ' ', &index))
            continue;
        unsigned which = column.size > 0 ? (unsigned char)column.data[0] & 3U : 0;
        box_rows_set(rows, index, (enum mapping_column)which, line);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct box_mapping mapping; /* for all inputs */
    static struct box_rows rows;
    static struct bmc_report report;
    struct span text = { (const char *)data, size };
    struct err err = { 0 };
    if (mapping.count == 0)
        fuzz_check(box_mapping_parse("map", SPAN(mapping_text), MAPPING_REST, &mapping,
                                     &err) == 0);
    bmc_report_clear(&report);
    for (size_t i = 0; i < mapping.count; i++) {
        box_rows_clear(&rows);
        if (span_starts(text, "1"))
            cells_read(span_skip(text, 1), &rows);
        else if (rest_document_read(text, &mapping.tables[i], &rows, &err) < 0)
            continue;
        fuzz_check(rows.count <= BOX_ROWS_MAX);
        box_rows_report(&rows, &mapping.tables[i], &report);
    }
    report_check(&report);
    return 0;
}
