/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_mapping - the mapping file of a storage box: what is accepted is whole and
 * within its bounds, by SNMP and by REST.
 */
#include "base/span.h"
#include "bmc/box/box_mapping.h"
#include "fuzz/fuzz.h"

static void table_check(const struct mapping_table *t, enum box_mapping_kind kind)
{
    fuzz_check(t->column[MAPPING_VALUE][0] != '\0');
    fuzz_check(t->class[0] || t->metric[0]);
    fuzz_check(!t->class[0] || t->state_count > 0);
    fuzz_check(t->state_count <= MAPPING_STATES_MAX && t->divisor > 0);
    for (size_t i = 0; i < t->state_count; i++) {
        fuzz_check(t->states[i].pattern.size > 0);
        fuzz_check(t->states[i].pattern.data[t->states[i].pattern.size] == '\0');
    }
    for (size_t i = 0; i < MAPPING_COLUMN_COUNT; i++)
        fuzz_check(t->oid[i].count <= BOX_OID_MAX &&
                   (kind == MAPPING_REST || !t->column[i][0] || t->oid[i].count > 1));
    fuzz_check(kind == MAPPING_SNMP || t->path[0] == '/');
    (void)mapping_state_of(t, SPAN("3"));
    (void)mapping_state_of(t, SPAN(""));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum box_mapping_kind kinds[] = { MAPPING_SNMP, MAPPING_REST };
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        AUTO(box_mapping_done) struct box_mapping mapping = { .count = 0 };
        struct err err = { 0 };
        struct span text = { (const char *)data, size };
        if (box_mapping_parse("fuzz", text, kinds[k], &mapping, &err) < 0) {
            fuzz_check(err.text[0] != '\0');
            continue;
        }
        fuzz_check(mapping.count > 0 && mapping.count <= MAPPING_TABLES_MAX);
        for (size_t i = 0; i < mapping.count; i++)
            table_check(&mapping.tables[i], kinds[k]);
    }
    return 0;
}
