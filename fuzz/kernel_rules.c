/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_kernel_rules - a file of rules, a zero byte, and a message: what is refused has
 * a reason, and what is not makes a bounded event.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "source/kmsg/kmsg.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(kmsg_rules_free) struct kmsg_rules *rules = NULL;
    struct span text = { (const char *)data, size }, head;
    struct err err = { 0 };
    struct kmsg_event event;
    (void)span_cut(&text, '\0', &head);
    int rc = kmsg_rules_parse("rules", head, &rules, &err);
    fuzz_check((rc == 0) == (rules != NULL));
    if (rc < 0) {
        fuzz_check(err.text[0] != '\0');
        return 0;
    }
    if (text.size > KMSG_TEXT_BYTES_MAX)
        text.size = KMSG_TEXT_BYTES_MAX;
    const struct kmsg_record record = { .sequence = 1, .text = text };
    fuzz_check(kmsg_rules_count(rules) <= KMSG_RULES_MAX);
    if (kmsg_rules_apply(rules, &record, &event)) {
        fuzz_check(event.component.size <= KMSG_COMPONENT_BYTES_MAX);
        fuzz_check(event.text.size <= KMSG_EVENT_TEXT_BYTES_MAX);
        fuzz_check(event.rule[0] != '\0' && strlen(event.rule) <= 32);
    }
    return 0;
}
