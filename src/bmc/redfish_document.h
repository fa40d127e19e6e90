/* SPDX-License-Identifier: Apache-2.0 */
/* redfish_document - a document of Redfish as the few values that are used of it.
 *
 *     {"PowerState": "On", "Status": {"Health": "OK"},      ─▶ self: power, health
 *      "LogServices": {"@odata.id": "/redfish/v1/..."},     ─▶ links
 *      "Members": [ {...}, {...} ], "Fans": [ {...} ]}      ─▶ an item each
 *
 * Nothing is built of what is not used.  A text that is too long is cut; an id or a
 * link that is too long, or a link that must not be followed, makes its item none,
 * which is counted.  Of a value of another type than it should be nothing is read.
 * Control characters become blanks: texts go to logs.
 *
 * Bounds   REDFISH_ITEMS_MAX items, DEPTH levels, what json_reader has for a token.
 * Threads  none inside.
 */
#ifndef BMC_REDFISH_DOCUMENT_H
#define BMC_REDFISH_DOCUMENT_H

#include "base/err.h"
#include "base/span_type.h"
#include "bmc/redfish_link.h"

#include <stdint.h>

#define REDFISH_ITEMS_MAX 1024

enum redfish_link {
    REDFISH_SYSTEMS,
    REDFISH_CHASSIS,
    REDFISH_THERMAL,
    REDFISH_POWER,
    REDFISH_LOG_SERVICES,
    REDFISH_ENTRIES,
    REDFISH_NEXT, /* the next page of a collection */
    REDFISH_LINK_COUNT,
};

enum redfish_kind {
    REDFISH_SELF, /* the document itself */
    REDFISH_MEMBER,
    REDFISH_TEMPERATURE,
    REDFISH_FAN,
    REDFISH_POWER_CONTROL,
    REDFISH_POWER_SUPPLY,
};

struct redfish_item {
    enum redfish_kind kind;
    char link[REDFISH_LINK_BYTES];
    char id[64], name[64];
    char health[16], state[24], power[24];
    char severity[24], created[48], message[256], message_id[80], sensor_type[48];
    char units[16];
    double value;
    bool has_value;
    bool is_bad; /* its link or id is none */
};

struct redfish_document {
    struct redfish_item self;
    char link[REDFISH_LINK_COUNT][REDFISH_LINK_BYTES]; /* "": it has none */
    uint64_t items;                                    /* that were given on */
    uint64_t bad_items;  /* passed over: a link or id that is none */
    uint64_t bad_links;  /* of the document: passed over */
    const char *bad_why; /* of the first of both; static text */
    bool has_more_items; /* over REDFISH_ITEMS_MAX */
};

/* Each item when it is complete; a negative return ends the reading. */
typedef int redfish_item_fn(void *arg, const struct redfish_item *item);

/* Errors: -EBADMSG (not JSON, too deep, no object), -EMSGSIZE, -ENOMEM, fn's. */
int redfish_document_read(struct span text, redfish_item_fn *fn, void *arg,
                          struct redfish_document *ret, struct err *err);

#endif
