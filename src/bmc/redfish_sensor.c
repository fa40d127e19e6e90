/* SPDX-License-Identifier: Apache-2.0 */
/* redfish_sensor - parts and values of a document of sensors. */
#include "bmc/redfish_sensor.h"

#include "base/cleanup.h"
#include "base/span.h"

#include <strings.h>
#include <xxhash.h>

bool redfish_health_of(const struct redfish_item *item, enum resource_health *ret)
{
    static const struct {
        const char *name;
        enum resource_health health;
    } names[] = { { "OK", RESOURCE_UP },
                  { "Warning", RESOURCE_DEGRADED },
                  { "Critical", RESOURCE_DOWN } };
    if (strcmp(item->state, "Absent") == 0 || strcmp(item->state, "Disabled") == 0)
        return false;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcasecmp(item->health, names[i].name) == 0) {
            *ret = names[i].health;
            return true;
        }
    return false;
}

struct sensors {
    struct bmc_report *report;
    uint64_t names[REDFISH_ITEMS_MAX]; /* hashes of kind and name */
    size_t name_count;
};

static uint64_t name_hash(const struct redfish_item *item)
{
    return XXH3_64bits_withSeed(item->name, strlen(item->name), item->kind);
}

static int on_name(void *arg, const struct redfish_item *item)
{
    struct sensors *s = arg;
    if (item->name[0] && s->name_count < REDFISH_ITEMS_MAX)
        s->names[s->name_count++] = name_hash(item);
    return 0;
}

/* Its name; with its id where another of its kind has that name, too. */
static void item_name(const struct sensors *s, const struct redfish_item *item,
                      char out[static 2 * BMC_ID_BYTES])
{
    size_t count = 0;
    uint64_t hash = name_hash(item);
    for (size_t i = 0; i < s->name_count; i++)
        count += s->names[i] == hash;
    if (count > 1 && item->id[0])
        (void)snprintf(out, 2 * BMC_ID_BYTES, "%s %s", item->name, item->id);
    else
        (void)snprintf(out, 2 * BMC_ID_BYTES, "%s",
                       item->name[0] ? item->name : item->id);
}

static int on_sensor(void *arg, const struct redfish_item *item)
{
    static const struct {
        enum redfish_kind kind;
        const char *metric, *type;
    } kinds[] = { { REDFISH_TEMPERATURE, "bmc_temperature", "temperature" },
                  { REDFISH_FAN, "bmc_fan", "fan" },
                  { REDFISH_POWER_CONTROL, "bmc_power", "power" },
                  { REDFISH_POWER_SUPPLY, "bmc_power_input", "psu" } };
    struct sensors *s = arg;
    char name[2 * BMC_ID_BYTES];
    enum resource_health health;
    item_name(s, item, name);
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        char reason[BMC_TEXT_BYTES] = "";
        if (kinds[i].kind != item->kind)
            continue;
        if (item->has_value && strcmp(item->state, "Absent") != 0)
            bmc_report_value(s->report,
                             item->kind == REDFISH_FAN &&
                                     strcmp(item->units, "Percent") == 0
                                 ? "bmc_fan_percent"
                                 : kinds[i].metric,
                             name, item->value);
        if (!redfish_health_of(item, &health))
            continue;
        if (health != RESOURCE_UP)
            (void)snprintf(reason, sizeof reason, "health %s of %s by its BMC",
                           item->health, name);
        bmc_report_part(s->report, kinds[i].type, name, health, reason);
    }
    return 0;
}

/* Names come first: whether one repeats is known at the end. */
int redfish_sensors_add(struct span text, struct bmc_report *report, struct err *err)
{
    AUTO_FREE struct sensors *s = calloc(1, sizeof *s);
    struct redfish_document document = { 0 };
    if (!s)
        return err_set(err, ENOMEM, "out of memory");
    s->report = report;
    int rc = redfish_document_read(text, on_name, s, &document, err);
    return rc < 0 ? rc : redfish_document_read(text, on_sensor, s, &document, err);
}
