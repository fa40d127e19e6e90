/* SPDX-License-Identifier: Apache-2.0 */
/* redfish_document - a document of Redfish as the few values that are used of it. */
#include "bmc/redfish_document.h"

#include "base/cleanup.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"

#include <stddef.h>

#define DEPTH_MAX 16
#define TOKEN_BYTES_MAX ((size_t)16 << 10)
#define KEY_BYTES 32 /* longer keys are not read */

struct reading {
    struct redfish_document *document;
    redfish_item_fn *fn;
    void *arg;
    struct redfish_item item; /* of an array, while is_in_item */
    bool is_in_array, is_in_item;
    char key[3][KEY_BYTES]; /* of the document; of it or the item; below that */
};

static const struct {
    const char *key;
    enum redfish_link link;
} links[] = {
    { "Systems", REDFISH_SYSTEMS }, { "Chassis", REDFISH_CHASSIS },
    { "Thermal", REDFISH_THERMAL }, { "Power", REDFISH_POWER },
    { "Entries", REDFISH_ENTRIES }, { "LogServices", REDFISH_LOG_SERVICES },
};

static const struct {
    const char *key;
    enum redfish_kind kind;
} arrays[] = {
    { "Members", REDFISH_MEMBER },
    { "Temperatures", REDFISH_TEMPERATURE },
    { "Fans", REDFISH_FAN },
    { "PowerControl", REDFISH_POWER_CONTROL },
    { "PowerSupplies", REDFISH_POWER_SUPPLY },
};

#define TEXT(field) \
    offsetof(struct redfish_item, field), sizeof((struct redfish_item *)0)->field
static const struct {
    const char *key;
    size_t offset, size;
    bool is_whole; /* what is cut is none */
} texts[] = {
    { "Id", TEXT(id), true },
    { "MemberId", TEXT(id), true },
    { "Name", TEXT(name), false },
    { "FanName", TEXT(name), false },
    { "PowerState", TEXT(power), false },
    { "Severity", TEXT(severity), false },
    { "Created", TEXT(created), false },
    { "Message", TEXT(message), false },
    { "MessageId", TEXT(message_id), false },
    { "SensorType", TEXT(sensor_type), false },
    { "ReadingUnits", TEXT(units), false },
};

static const char *const values[] = { "ReadingCelsius", "Reading", "PowerConsumedWatts",
                                      "PowerInputWatts" };

/* ---- texts ---- */

/* false: it is cut. */
static bool text_clean(struct span text, char *out, size_t size)
{
    size_t length = text.size < size - 1 ? text.size : size - 1;
    /* Not within a character of several bytes. */
    while (length > 0 && length < text.size && (text.data[length] & 0xC0) == 0x80)
        length--;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        out[i] = byte < ' ' || byte == 0x7F ? ' ' : text.data[i];
    }
    out[length] = '\0';
    return length == text.size;
}

static void bad_note(struct redfish_document *document, const char *why)
{
    if (!document->bad_why)
        document->bad_why = why;
}

static void key_copy(struct span text, char out[static KEY_BYTES])
{
    size_t length = text.size < KEY_BYTES ? text.size : 0;
    memcpy(out, text.data, length);
    out[length] = '\0';
}

/* ---- values of the document or of an item ---- */

static void item_link(struct reading *r, struct redfish_item *item, struct span text)
{
    const char *why = redfish_link_check(text);
    if (!why) {
        (void)text_clean(text, item->link, sizeof item->link);
        return;
    }
    item->is_bad = true;
    bad_note(r->document, why);
}

static void item_text(struct reading *r, struct redfish_item *item, const char *key,
                      struct span text)
{
    if (strcmp(key, "@odata.id") == 0)
        item_link(r, item, text);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        if (strcmp(key, texts[i].key) != 0)
            continue;
        bool is_whole = text_clean(text, (char *)item + texts[i].offset, texts[i].size);
        if (is_whole || !texts[i].is_whole)
            continue;
        item->is_bad = true;
        bad_note(r->document, "its id is longer than 63 bytes");
    }
}

static void item_number(struct redfish_item *item, const char *key, struct span text)
{
    for (size_t i = 0; i < COUNT_OF(values); i++)
        if (strcmp(key, values[i]) == 0 && !item->has_value)
            item->has_value = number_parse_double(text, &item->value) == 0;
}

static void item_status(struct redfish_item *item, const char *key, struct span text)
{
    if (strcmp(key, "Health") == 0)
        (void)text_clean(text, item->health, sizeof item->health);
    if (strcmp(key, "State") == 0)
        (void)text_clean(text, item->state, sizeof item->state);
}

static void document_link(struct reading *r, enum redfish_link link, struct span text)
{
    const char *why = redfish_link_check(text);
    if (why) {
        r->document->bad_links++;
        bad_note(r->document, why);
    } else {
        (void)text_clean(text, r->document->link[link], REDFISH_LINK_BYTES);
    }
}

static void document_text(struct reading *r, struct span text, unsigned depth)
{
    if (depth == 1 && strcmp(r->key[0], "Members@odata.nextLink") == 0)
        document_link(r, REDFISH_NEXT, text);
    else if (depth == 1 && strcmp(r->key[0], "@odata.id") != 0)
        item_text(r, &r->document->self, r->key[0], text);
    if (depth != 2)
        return;
    if (strcmp(r->key[0], "Status") == 0)
        item_status(&r->document->self, r->key[1], text);
    for (size_t i = 0; i < COUNT_OF(links); i++)
        if (strcmp(r->key[0], links[i].key) == 0 && strcmp(r->key[1], "@odata.id") == 0)
            document_link(r, links[i].link, text);
}

static void scalar(struct reading *r, enum json_event event, struct span text,
                   unsigned depth)
{
    if (event == JSON_STRING && !r->is_in_item)
        document_text(r, text, depth);
    else if (event == JSON_STRING && depth == 3)
        item_text(r, &r->item, r->key[1], text);
    else if (event == JSON_STRING && depth == 4 && strcmp(r->key[1], "Status") == 0)
        item_status(&r->item, r->key[2], text);
    else if (event == JSON_NUMBER && r->is_in_item && depth == 3)
        item_number(&r->item, r->key[1], text);
}

/* ---- items ---- */

static void item_begin(struct reading *r)
{
    for (size_t i = 0; i < COUNT_OF(arrays); i++) {
        if (strcmp(r->key[0], arrays[i].key) != 0)
            continue;
        r->is_in_item = true;
        r->item = (struct redfish_item){ .kind = arrays[i].kind };
    }
}

static int item_end(struct reading *r)
{
    r->is_in_item = false;
    if (r->item.is_bad) {
        r->document->bad_items++;
        return 0;
    }
    if (r->document->items == REDFISH_ITEMS_MAX) {
        r->document->has_more_items = true;
        return 0;
    }
    r->document->items++;
    return r->fn ? r->fn(r->arg, &r->item) : 0;
}

static int on_json(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct reading *r = arg;
    switch (event) {
    case JSON_KEY: {
        /* Keys of the document are at 0, of an item at 2, of its status at 3. */
        unsigned level = r->is_in_item ? depth - 1 : depth;
        if (level < COUNT_OF(r->key))
            key_copy(text, r->key[level]);
        /* What stands in an array has no key. */
        if (level + 1 < COUNT_OF(r->key))
            r->key[level + 1][0] = '\0';
        return 0;
    }
    case JSON_OBJECT:
        if (depth == 2 && r->is_in_array)
            item_begin(r);
        return 0;
    case JSON_OBJECT_END:
        return depth == 2 && r->is_in_item ? item_end(r) : 0;
    case JSON_STRING:
    case JSON_NUMBER:
        scalar(r, event, text, depth);
        return 0;
    case JSON_ARRAY:
        r->is_in_array |= depth == 1;
        return 0;
    case JSON_ARRAY_END:
        r->is_in_array &= depth != 1;
        return 0;
    default:
        return 0;
    }
}

int redfish_document_read(struct span text, redfish_item_fn *fn, void *arg,
                          struct redfish_document *ret, struct err *err)
{
    static const struct json_reader_opts opts = { .depth_max = DEPTH_MAX,
                                                  .token_bytes_max = TOKEN_BYTES_MAX };
    struct reading reading = { .document = ret, .fn = fn, .arg = arg };
    AUTO(json_reader_done) struct json_reader reader;
    struct span body = span_trim(text);
    memset(ret, 0, sizeof *ret);
    json_reader_init(&reader, &opts, on_json, &reading);
    if (body.size == 0 || body.data[0] != '{')
        return err_set(err, EBADMSG, "the document is not an object of JSON");
    int rc = json_reader_feed(&reader, text.data, text.size, err);
    return rc < 0 ? rc : json_reader_finish(&reader, err);
}
