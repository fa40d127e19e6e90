/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_inventory - a line of POST /v1/resources/inventory: what is read can be stored,
 * and is printed as it was. */
#include "model/inventory.h"
#include "base/span.h"
#include "fuzz/fuzz.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct span text = { (const char *)data, size };
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT, again = STRBUF_INIT;
    struct node_inventory inventory, other;
    struct err err = { 0 };
    arena_init(&arena, 0);
    int rc = node_inventory_read(text, &arena, &inventory, &err);
    fuzz_check(rc == 0 || rc == -EBADMSG || rc == -ENOMEM);
    if (rc < 0)
        return 0;
    fuzz_check(!node_inventory_check(&inventory));
    node_inventory_print(&inventory, &line);
    fuzz_check(node_inventory_read(strbuf_span(&line), &arena, &other, &err) == 0);
    node_inventory_print(&other, &again);
    fuzz_check(span_eq(strbuf_span(&line), strbuf_span(&again)));
    return 0;
}
