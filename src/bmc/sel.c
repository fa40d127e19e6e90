/* SPDX-License-Identifier: Apache-2.0 */
/* sel - what `ipmitool raw` prints, and a record of an IPMI system event log. */
#include "bmc/sel.h"

#include "base/cleanup.h"
#include "base/number.h"

#include <errno.h>
#include <string.h>

#define TYPE_SYSTEM 0x02
#define SPECIFIC 0x6F               /* offsets of the type of sensor */
#define DEASSERTED 0x80             /* of the event's type */
#define TIME_OF_DAY_MIN 0x20000000U /* less: seconds since the BMC started */

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_gap(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

int sel_hex_parse(struct span text, uint8_t *out, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size;) {
        if (is_gap(text.data[i])) {
            i++;
            continue;
        }
        int high = hex_value(text.data[i]);
        int low = i + 1 < text.size ? hex_value(text.data[i + 1]) : -1;
        bool is_alone = i + 2 >= text.size || is_gap(text.data[i + 2]);
        if (high < 0 || low < 0 || !is_alone || count == max)
            return -EBADMSG;
        out[count++] = (uint8_t)(high << 4 | low);
        i += 2;
    }
    return (int)count;
}

int sel_response_parse(struct span text, uint16_t *ret_next,
                       uint8_t record[static SEL_RECORD_BYTES])
{
    uint8_t bytes[2 + SEL_RECORD_BYTES];
    if (sel_hex_parse(text, bytes, sizeof bytes) != (int)sizeof bytes)
        return -EBADMSG;
    *ret_next = (uint16_t)(bytes[0] | bytes[1] << 8);
    memcpy(record, bytes + 2, SEL_RECORD_BYTES);
    return 0;
}

/* ---- meanings: IPMI 2.0, tables 42-2 and 42-3 ---- */

static const struct {
    uint8_t sensor, offset;
    enum bmc_severity severity;
    bool is_crash;
    const char *text;
} meanings[] = {
    { 0x07, 0, BMC_CRITICAL, true, "processor: IERR" },
    { 0x07, 1, BMC_CRITICAL, true, "processor: thermal trip" },
    { 0x07, 11, BMC_CRITICAL, true, "processor: machine check, not correctable" },
    { 0x07, 12, BMC_WARNING, false, "processor: machine check, corrected" },
    { 0x08, 1, BMC_WARNING, false, "power supply: failure" },
    { 0x08, 2, BMC_WARNING, false, "power supply: failure is near" },
    { 0x08, 3, BMC_WARNING, false, "power supply: input lost" },
    { 0x09, 0, BMC_INFO, false, "power unit: off" },
    { 0x09, 4, BMC_CRITICAL, false, "power unit: AC lost" },
    { 0x09, 6, BMC_CRITICAL, false, "power unit: failure" },
    { 0x0C, 0, BMC_WARNING, false, "memory: corrected error" },
    { 0x0C, 1, BMC_CRITICAL, false, "memory: uncorrected error" },
    { 0x0C, 5, BMC_WARNING, false, "memory: limit of corrected errors" },
    { 0x0D, 1, BMC_CRITICAL, false, "drive: fault" },
    { 0x0D, 2, BMC_WARNING, false, "drive: failure is near" },
    { 0x13, 0, BMC_WARNING, false, "front panel: NMI" },
    { 0x13, 1, BMC_CRITICAL, false, "bus: timeout" },
    { 0x13, 5, BMC_CRITICAL, false, "PCI: SERR" },
    { 0x13, 8, BMC_CRITICAL, false, "bus: uncorrected error" },
    { 0x13, 10, BMC_CRITICAL, false, "bus: fatal error" },
    { 0x20, 0, BMC_CRITICAL, true, "OS: critical stop while it loaded" },
    { 0x20, 1, BMC_CRITICAL, true, "OS: critical stop (panic)" },
    { 0x20, 2, BMC_INFO, false, "OS: graceful stop" },
    { 0x20, 3, BMC_INFO, false, "OS: graceful shutdown" },
    { 0x23, 0, BMC_WARNING, true, "watchdog: expired" },
    { 0x23, 1, BMC_CRITICAL, true, "watchdog: hard reset" },
    { 0x23, 2, BMC_CRITICAL, true, "watchdog: power down" },
    { 0x23, 3, BMC_CRITICAL, true, "watchdog: power cycle" },
    { 0x23, 8, BMC_WARNING, true, "watchdog: interrupt" },
};

static const char *sensor_name(uint8_t type)
{
    static const struct {
        uint8_t type;
        const char *name;
    } names[] = { { 0x01, "temperature" },
                  { 0x02, "voltage" },
                  { 0x03, "current" },
                  { 0x04, "fan" },
                  { 0x05, "chassis" },
                  { 0x07, "processor" },
                  { 0x08, "power supply" },
                  { 0x09, "power unit" },
                  { 0x0C, "memory" },
                  { 0x0D, "drive" },
                  { 0x10, "event log" },
                  { 0x12, "system event" },
                  { 0x13, "critical interrupt" },
                  { 0x1D, "boot" },
                  { 0x20, "OS" },
                  { 0x23, "watchdog" } };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (names[i].type == type)
            return names[i].name;
    return "sensor";
}

static void sensor_event(const uint8_t *r, struct bmc_entry *ret)
{
    uint8_t type = r[10], number = r[11], event = r[12], offset = r[13] & 0x0F;
    bool is_over = (event & DEASSERTED) != 0;
    const char *suffix = is_over ? ", over" : "";
    event &= 0x7F;
    for (size_t i = 0; i < COUNT_OF(meanings) && event == SPECIFIC; i++) {
        if (meanings[i].sensor != type || meanings[i].offset != offset)
            continue;
        ret->severity = is_over ? BMC_INFO : meanings[i].severity;
        ret->is_crash = meanings[i].is_crash && !is_over;
        (void)snprintf(ret->text, sizeof ret->text, "%s (sensor 0x%02x)%s",
                       meanings[i].text, number, suffix);
        return;
    }
    if (event == 0x01) { /* thresholds: 0, 1, 6, 7 are those that are not critical */
        static const char *const limits[] = {
            "lower limit", "lower critical limit", "lower fatal limit",
            "upper limit", "upper critical limit", "upper fatal limit"
        };
        unsigned limit = offset / 2U;
        bool is_first = limit % 3 == 0;
        ret->severity = is_over ? BMC_INFO : is_first ? BMC_WARNING : BMC_CRITICAL;
        (void)snprintf(ret->text, sizeof ret->text, "%s: %s passed (sensor 0x%02x)%s",
                       sensor_name(type), limit < 6 ? limits[limit] : "limit", number,
                       suffix);
        return;
    }
    (void)snprintf(ret->text, sizeof ret->text,
                   "%s: event 0x%02x of type 0x%02x (sensor 0x%02x)%s",
                   sensor_name(type), offset, event, number, suffix);
}

void sel_entry_make(const uint8_t r[static SEL_RECORD_BYTES], struct bmc_entry *ret)
{
    unsigned id = (unsigned)(r[0] | r[1] << 8);
    uint8_t type = r[2];
    *ret = (struct bmc_entry){ .severity = BMC_INFO };
    (void)snprintf(ret->id, sizeof ret->id, "%u", id);
    /* From 0xE0 on records have no time. */
    uint32_t time = (uint32_t)r[3] | (uint32_t)r[4] << 8 | (uint32_t)r[5] << 16 |
                    (uint32_t)r[6] << 24;
    if (type < 0xE0 && time >= TIME_OF_DAY_MIN && time != UINT32_MAX)
        ret->t_ns = (int64_t)time * NS_PER_S;
    if (type == TYPE_SYSTEM)
        sensor_event(r, ret);
    else
        (void)snprintf(ret->text, sizeof ret->text, "record of type 0x%02x", type);
}
