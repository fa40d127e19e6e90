/* SPDX-License-Identifier: Apache-2.0 */
/* inventory - the parts of one node as they were read at one time. */
#include "model/inventory.h"

#include "base/cleanup.h"
#include "base/hashmap.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static const char *const class_names[PART_CLASS_COUNT] = {
    [PART_SYSTEM] = "system", [PART_BOARD] = "board", [PART_BIOS] = "bios",
    [PART_CPU] = "cpu",       [PART_DIMM] = "dimm",   [PART_DISK] = "disk",
    [PART_GPU] = "gpu",       [PART_NIC] = "nic",     [PART_HCA] = "hca",
};

const char *part_class_name(enum part_class class)
{
    return class_names[class];
}

int part_class_parse(struct span name, enum part_class *ret)
{
    for (enum part_class class = 0; class < PART_CLASS_COUNT; class ++)
        if (span_is(name, class_names[class])) {
            *ret = class;
            return 0;
        }
    return -EINVAL;
}

bool part_class_is_hot(enum part_class class)
{
    return class == PART_DISK || class == PART_GPU || class == PART_NIC ||
           class == PART_HCA;
}

/* ---- serial numbers ---- */

#define SERIAL_CHARS_MIN 4

static bool is_run_of_digits(const char *text)
{
    for (size_t i = 1; text[i]; i++)
        if (text[i] != (text[i - 1] == '9' ? '0' : text[i - 1] + 1) ||
            !isdigit((unsigned char)text[i]))
            return false;
    return text[0] == '0' || text[0] == '1';
}

static bool is_placeholder(const char *text)
{
    static const char *const whole[] = {
        "notspecified", "unspecified",   "none",           "null",
        "unknown",      "undefined",     "notavailable",   "notpresent",
        "notprovided",  "notapplicable", "notset",         "invalid",
        "default",      "noserial",      "noserialnumber", "serialnumber",
        "empty",        "nodimm",        "modulesn",       "oemserial",
        "nomodule",     "noserialfound", "notinstalled",
    };
    static const char *const begins[] = { "tobefilled",   "defaultstring",
                                          "sernum",       "serialnum",
                                          "systemserial", "chassisserial",
                                          "baseboardser", "boardserial" };
    for (size_t i = 0; i < COUNT_OF(whole); i++)
        if (strcmp(text, whole[i]) == 0)
            return true;
    for (size_t i = 0; i < COUNT_OF(begins); i++)
        if (strncmp(text, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

bool part_serial_is_identity(struct span serial)
{
    char text[INVENTORY_TEXT_BYTES_MAX + 1];
    size_t count = 0;
    bool is_one_char = true;
    for (size_t i = 0; i < serial.size && count + 1 < sizeof text; i++)
        if (isalnum((unsigned char)serial.data[i]))
            text[count++] = (char)tolower((unsigned char)serial.data[i]);
    text[count] = '\0';
    for (size_t i = 1; i < count; i++)
        is_one_char = is_one_char && text[i] == text[0];
    return count >= SERIAL_CHARS_MIN && !is_one_char && !is_run_of_digits(text) &&
           !is_placeholder(text);
}

/* ---- one ---- */

enum part_key {
    KEY_SLOT,
    KEY_VENDOR,
    KEY_MODEL,
    KEY_SERIAL,
    KEY_FIRMWARE,
    KEY_LABEL,
    KEY_SIZE,
    KEY_CORRECTED,
    KEY_UNCORRECTED,
    KEY_CLASS,
    PART_KEY_COUNT,
    PART_TEXT_COUNT = KEY_SIZE,
};

/* First its texts, then its numbers. */
static const struct {
    const char *name;
    size_t offset;
} part_keys[PART_KEY_COUNT] = {
    [KEY_SLOT] = { "slot", offsetof(struct node_part, slot) },
    [KEY_VENDOR] = { "vendor", offsetof(struct node_part, vendor) },
    [KEY_MODEL] = { "model", offsetof(struct node_part, model) },
    [KEY_SERIAL] = { "serial", offsetof(struct node_part, serial) },
    [KEY_FIRMWARE] = { "firmware", offsetof(struct node_part, firmware) },
    [KEY_LABEL] = { "label", offsetof(struct node_part, label) },
    [KEY_SIZE] = { "size", offsetof(struct node_part, size_bytes) },
    [KEY_CORRECTED] = { "corrected", offsetof(struct node_part, corrected) },
    [KEY_UNCORRECTED] = { "uncorrected", offsetof(struct node_part, uncorrected) },
    [KEY_CLASS] = { "class", 0 },
};

static struct span part_text(const struct node_part *part, enum part_key key)
{
    struct span text;
    memcpy(&text, (const char *)part + part_keys[key].offset, sizeof text);
    return text;
}

static int64_t part_number(const struct node_part *part, enum part_key key)
{
    int64_t number;
    memcpy(&number, (const char *)part + part_keys[key].offset, sizeof number);
    return number;
}

/* No control character: a line of text holds it. */
static bool is_inventory_text(struct span text, size_t bytes_max)
{
    if (text.size > bytes_max || !utf8_is_valid(text))
        return false;
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f)
            return false;
    return true;
}

static const char *part_check(const struct node_part *part)
{
    for (enum part_key key = 0; key < PART_TEXT_COUNT; key++)
        if (!is_inventory_text(part_text(part, key), INVENTORY_TEXT_BYTES_MAX))
            return "a text of a part is too long, or has control characters";
    if (part->slot.size == 0)
        return "a part has no slot";
    if (part->size_bytes < 0 || part->corrected < -1 || part->uncorrected < -1)
        return "a number of a part is out of range";
    return NULL;
}

static const char *parts_check(const struct node_inventory *inventory)
{
    AUTO(hashmap_done) struct hashmap slots = HASHMAP_INIT;
    for (size_t i = 0; i < inventory->part_count; i++) {
        const struct node_part *part = &inventory->parts[i];
        char key[INVENTORY_TEXT_BYTES_MAX + 1];
        bool is_new = false;
        const char *why = part_check(part);
        if (why)
            return why;
        key[0] = (char)('a' + (int)part->class);
        memcpy(key + 1, part->slot.data, part->slot.size);
        if (!hashmap_put(&slots, (struct span){ key, part->slot.size + 1 }, &is_new))
            return "out of memory";
        if (!is_new)
            return "a slot stands twice in a class";
    }
    return NULL;
}

const char *node_inventory_check(const struct node_inventory *inventory)
{
    if (!is_inventory_text(inventory->cluster, 255) ||
        !is_inventory_text(inventory->host, 255) || inventory->host.size == 0)
        return "its host is missing, or a name has control characters";
    if (inventory->t_ns <= 0 || inventory->boot_ns < 0)
        return "its time is missing, or before 1970";
    if (inventory->part_count > INVENTORY_PARTS_MAX)
        return "a node has 1,024 parts at most";
    return parts_check(inventory);
}

static void node_part_print(const struct node_part *part, struct json_writer *w)
{
    json_object(w);
    json_key(w, part_keys[KEY_CLASS].name);
    json_text(w, part_class_name(part->class));
    for (enum part_key key = 0; key < PART_TEXT_COUNT; key++) {
        struct span text = part_text(part, key);
        if (text.size == 0)
            continue;
        json_key(w, part_keys[key].name);
        json_span(w, text);
    }
    for (enum part_key key = KEY_SIZE; key <= KEY_UNCORRECTED; key++) {
        int64_t number = part_number(part, key);
        if (number < 0 || (key == KEY_SIZE && number == 0))
            continue;
        json_key(w, part_keys[key].name);
        json_i64(w, number);
    }
    json_object_end(w);
}

void node_inventory_print(const struct node_inventory *inventory, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    if (inventory->cluster.size > 0) {
        json_key(&w, "cluster");
        json_span(&w, inventory->cluster);
    }
    json_key(&w, "host");
    json_span(&w, inventory->host);
    json_key(&w, "t");
    json_seconds(&w, inventory->t_ns);
    if (inventory->boot_ns > 0) {
        json_key(&w, "boot");
        json_seconds(&w, inventory->boot_ns);
    }
    if (inventory->unread) {
        json_key(&w, "unread");
        json_array(&w);
        for (enum part_class class = 0; class < PART_CLASS_COUNT; class ++)
            if (inventory->unread & 1U << class)
                json_text(&w, part_class_name(class));
        json_array_end(&w);
    }
    json_key(&w, "parts");
    json_array(&w);
    for (size_t i = 0; i < inventory->part_count; i++)
        node_part_print(&inventory->parts[i], &w);
    json_array_end(&w);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

/* ---- lines ---- */

enum line_key {
    LINE_CLUSTER,
    LINE_HOST,
    LINE_TIME,
    LINE_BOOT,
    LINE_UNREAD,
    LINE_PARTS,
    LINE_KEY_COUNT
};

static const char *const line_keys[LINE_KEY_COUNT] = { "cluster", "host",   "t",
                                                       "boot",    "unread", "parts" };

struct inventory_line {
    struct node_inventory *inventory;
    struct arena *arena;
    struct err *err;
    size_t capacity;
    enum line_key key;
    enum part_key part_key;
    unsigned seen, part_seen;
};

static int line_bad(const struct inventory_line *l, const char *why)
{
    return err_set(l->err, EBADMSG, "%s: %s", line_keys[l->key], why);
}

static int line_key(struct inventory_line *l, struct span name)
{
    for (enum line_key key = 0; key < LINE_KEY_COUNT; key++) {
        if (!span_is(name, line_keys[key]))
            continue;
        l->key = key;
        if (l->seen & 1U << key)
            return line_bad(l, "it is given twice");
        l->seen |= 1U << key;
        return 0;
    }
    return err_set(l->err, EBADMSG,
                   "unknown key (known: cluster, host, t, boot, unread, parts)");
}

static int part_key(struct inventory_line *l, struct span name)
{
    for (enum part_key key = 0; key < PART_KEY_COUNT; key++) {
        if (!span_is(name, part_keys[key].name))
            continue;
        l->part_key = key;
        if (l->part_seen & 1U << key)
            return line_bad(l, "a key of a part is given twice");
        l->part_seen |= 1U << key;
        return 0;
    }
    return line_bad(l, "unknown key of a part (known: class, slot, vendor, model, "
                       "serial, firmware, label, size, corrected, uncorrected)");
}

static int text_dup(const struct inventory_line *l, struct span text, struct span *ret)
{
    struct span copy = { arena_dup(l->arena, text), text.size };
    if (!copy.data)
        return -ENOMEM;
    *ret = copy;
    return 0;
}

static int line_scalar(struct inventory_line *l, enum json_event event,
                       struct span text)
{
    struct node_inventory *inventory = l->inventory;
    if (event == JSON_STRING && l->key == LINE_CLUSTER)
        return text_dup(l, text, &inventory->cluster);
    if (event == JSON_STRING && l->key == LINE_HOST)
        return text_dup(l, text, &inventory->host);
    if (event == JSON_NUMBER && l->key == LINE_TIME &&
        number_parse_seconds(text, &inventory->t_ns) == 0)
        return 0;
    if (event == JSON_NUMBER && l->key == LINE_BOOT &&
        number_parse_seconds(text, &inventory->boot_ns) == 0)
        return 0;
    bool is_list = l->key == LINE_UNREAD || l->key == LINE_PARTS;
    return is_list && (event == JSON_ARRAY || event == JSON_ARRAY_END)
               ? 0
               : line_bad(l, "it is of another type");
}

static int parts_grow(struct inventory_line *l)
{
    struct node_inventory *inventory = l->inventory;
    if (inventory->part_count == INVENTORY_PARTS_MAX)
        return line_bad(l, "a node has 1,024 parts at most");
    if (inventory->part_count < l->capacity)
        return 0;
    size_t capacity = l->capacity ? 2 * l->capacity : 32;
    struct node_part *parts = arena_alloc(l->arena, capacity * sizeof *parts);
    if (!parts)
        return -ENOMEM;
    if (l->capacity)
        memcpy(parts, inventory->parts, l->capacity * sizeof *parts);
    inventory->parts = parts;
    l->capacity = capacity;
    return 0;
}

static int line_element(struct inventory_line *l, enum json_event event,
                        struct span text)
{
    enum part_class class;
    if (l->key == LINE_UNREAD && event == JSON_STRING &&
        part_class_parse(text, &class) == 0) {
        l->inventory->unread |= 1U << class;
        return 0;
    }
    if (l->key != LINE_PARTS || (event != JSON_OBJECT && event != JSON_OBJECT_END))
        return line_bad(l, "an element is of another type or not known");
    if (event == JSON_OBJECT_END) {
        l->inventory->part_count++;
        return l->part_seen & 1U << KEY_CLASS ? 0 : line_bad(l, "a part has no class");
    }
    int rc = parts_grow(l);
    if (rc < 0)
        return rc;
    l->part_seen = 0;
    l->inventory->parts[l->inventory->part_count] = (struct node_part){
        .slot = SPAN(""),
        .vendor = SPAN(""),
        .model = SPAN(""),
        .serial = SPAN(""),
        .label = SPAN(""),
        .firmware = SPAN(""),
        .corrected = -1,
        .uncorrected = -1,
    };
    return 0;
}

static int part_value(struct inventory_line *l, enum json_event event, struct span text)
{
    struct node_part *part = &l->inventory->parts[l->inventory->part_count];
    char *field = (char *)part + part_keys[l->part_key].offset;
    int64_t number;
    if (l->part_key == KEY_CLASS && event == JSON_STRING)
        return part_class_parse(text, &part->class) < 0 ? line_bad(l, "unknown class")
                                                        : 0;
    if (l->part_key < PART_TEXT_COUNT && event == JSON_STRING)
        return text_dup(l, text, (struct span *)(void *)field);
    if (l->part_key >= KEY_SIZE && l->part_key <= KEY_UNCORRECTED &&
        event == JSON_NUMBER && number_parse_i64(text, &number) == 0 && number >= 0) {
        memcpy(field, &number, sizeof number);
        return 0;
    }
    return line_bad(l, "a value of a part is of another type");
}

static int on_inventory_line(void *arg, enum json_event event, struct span text,
                             unsigned depth)
{
    struct inventory_line *l = arg;
    if (depth == 0 && event == JSON_KEY)
        return line_key(l, text);
    if (depth == 0)
        return event == JSON_OBJECT || event == JSON_OBJECT_END
                   ? 0
                   : err_set(l->err, EBADMSG, "a line is an object");
    if (depth == 1)
        return line_scalar(l, event, text);
    if (depth == 2 && event == JSON_KEY)
        return part_key(l, text);
    if (depth == 2)
        return line_element(l, event, text);
    return depth == 3 ? part_value(l, event, text) : line_bad(l, "it is too deep");
}

int node_inventory_read(struct span line, struct arena *arena,
                        struct node_inventory *ret, struct err *err)
{
    struct node_inventory inventory = { .cluster = SPAN(""), .host = SPAN("") };
    struct inventory_line l = { .inventory = &inventory, .arena = arena, .err = err };
    int rc = json_read(line, on_inventory_line, &l, err);
    if (rc == -EMSGSIZE)
        rc = -EBADMSG;
    if (rc < 0)
        return rc;
    const char *why = node_inventory_check(&inventory);
    /* Without parts all of them would be gone. */
    if (!why && !(l.seen & 1U << LINE_PARTS))
        why = "parts is missing";
    if (why)
        return err_set(err, EBADMSG, "%s", why);
    *ret = inventory;
    return 0;
}
