/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_dataset_view - a view that comes over a network, into an environment: what is
 * accepted names variables that a view may change, and is the same when it is built
 * again; values have bounds. */
#include "base/span.h"
#include "dataset/view/view.h"
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>

static void change_check(const struct view_change *change, char *out, size_t *size)
{
    static char value[VIEW_VALUE_SIZE];
    char assignment[VIEW_LINE_MAX + 1];
    fuzz_check(!memchr(change->name.data, '=', change->name.size));
    fuzz_check(!memchr(change->value.data, 0, change->value.size));
    fuzz_check(!memchr(change->value.data, '\n', change->value.size));
    fuzz_check(!(change->name.size > 4 && !memcmp(change->name.data, "LD_P", 4)));
    int length =
        snprintf(assignment, sizeof assignment, "%.*s=%.*s", (int)change->name.size,
                 change->name.data, (int)change->value.size, change->value.data);
    fuzz_check(view_add(change->is_prepend, (struct span){ assignment, (size_t)length },
                        out, size, NULL) == 0);
    fuzz_check(view_value(change, "/opt/%m", "old", value, NULL) == 0);
    fuzz_check(strlen(value) < VIEW_VALUE_SIZE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char out[VIEW_TEXT_MAX];
    struct span text = { (const char *)data, size }, rest = text;
    struct view_change change;
    size_t out_size = 0;
    (void)view_name_check(text, NULL);
    if (view_check(text, NULL) < 0)
        return 0;
    while (view_next(&rest, &change, NULL) > 0)
        change_check(&change, out, &out_size);
    fuzz_check(out_size == size && memcmp(out, data, size) == 0);
    return 0;
}
