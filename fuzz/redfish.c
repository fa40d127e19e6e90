/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_redfish - a document of a BMC: what is understood is bounded, its texts end and
 * have no control characters, and no link leads out of the BMC.
 */
#include "base/span.h"
#include "bmc/redfish_document.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

static void text_check(const char *text, size_t size)
{
    size_t length = strnlen(text, size);
    fuzz_check(length < size);
    for (size_t i = 0; i < length; i++)
        fuzz_check((unsigned char)text[i] >= ' ' && text[i] != 0x7F);
}

static void link_check(const char *link)
{
    text_check(link, REDFISH_LINK_BYTES);
    if (!link[0])
        return;
    fuzz_check(redfish_link_check(span_of(link)) == NULL);
    fuzz_check(strncmp(link, "/redfish/", 9) == 0 && !strstr(link, "://"));
}

static void item_check(const struct redfish_item *item)
{
    link_check(item->link);
    text_check(item->id, sizeof item->id);
    text_check(item->name, sizeof item->name);
    text_check(item->health, sizeof item->health);
    text_check(item->power, sizeof item->power);
    text_check(item->severity, sizeof item->severity);
    text_check(item->message, sizeof item->message);
    fuzz_check(!item->has_value || isfinite(item->value));
}

static int on_item(void *arg, const struct redfish_item *item)
{
    uint64_t *count = arg;
    ++*count;
    fuzz_check(item->kind != REDFISH_SELF && !item->is_bad);
    item_check(item);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct redfish_document document;
    struct span text = { (const char *)data, size };
    struct err err = { 0 };
    uint64_t count = 0;
    int rc = redfish_document_read(text, on_item, &count, &document, &err);
    fuzz_check(count <= REDFISH_ITEMS_MAX && count == document.items);
    fuzz_check((document.bad_items + document.bad_links > 0) ==
                   (document.bad_why != NULL) ||
               document.self.is_bad);
    if (rc < 0)
        return 0;
    item_check(&document.self);
    for (size_t i = 0; i < REDFISH_LINK_COUNT; i++)
        link_check(document.link[i]);
    return 0;
}
