/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_sel - what ipmitool prints of a record: an entry of it has an id, and its text
 * ends.
 */
#include "bmc/sel.h"
#include "fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct span text = { (const char *)data, size };
    uint8_t bytes[64], record[SEL_RECORD_BYTES];
    struct bmc_entry entry;
    uint16_t next;
    int count = sel_hex_parse(text, bytes, sizeof bytes);
    fuzz_check(count <= (int)sizeof bytes);
    if (sel_response_parse(text, &next, record) == 0)
        fuzz_check(count == 2 + SEL_RECORD_BYTES);
    if (count < SEL_RECORD_BYTES)
        return 0;
    sel_entry_make(bytes, &entry);
    fuzz_check(entry.id[0] &&
               strnlen(entry.text, sizeof entry.text) < sizeof entry.text);
    fuzz_check(entry.text[0] && entry.t_ns >= 0);
    fuzz_check(!entry.is_crash || entry.severity != BMC_INFO);
    return 0;
}
