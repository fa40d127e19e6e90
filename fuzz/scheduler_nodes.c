/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_scheduler_nodes - what sinfo prints: read as a whole, or refused with a reason.
 */
#include "act/act.h"
#include "base/span.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(node_list_done) struct node_list list;
    struct err err = { 0 };
    node_list_init(&list);
    int rc = node_list_read((struct span){ (const char *)data, size }, &list, &err);
    fuzz_check(rc == 0 || err.text[0]);
    for (size_t i = 0; rc == 0 && i < list.count; i++) {
        fuzz_check(list.nodes[i].name && list.nodes[i].reason);
        struct span name = span_of(list.nodes[i].name);
        fuzz_check(node_name_is_valid(name));
        fuzz_check(memchr(data, 0, size) ||
                   node_list_find(&list, name) == &list.nodes[i]);
    }
    return 0;
}
