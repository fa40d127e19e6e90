/* SPDX-License-Identifier: Apache-2.0 */
/* redfish_sensor - parts and values of a document of sensors.
 *
 *     {"PowerSupplies": [ {"Name": "PSU", "MemberId": "0", ...},  ─▶ psu:PSU 0
 *                         {"Name": "PSU", "MemberId": "1", ...} ] ─▶ psu:PSU 1
 *
 * A part has its name; where another of its kind in the document has that, too, its id
 * follows.
 *
 * Bounds   those of redfish_document.h and report.h.
 * Threads  any.
 */
#ifndef BMC_REDFISH_SENSOR_H
#define BMC_REDFISH_SENSOR_H

#include "bmc/redfish_document.h"
#include "bmc/report.h"

/* false: it gives none, or one that is unknown. */
bool redfish_health_of(const struct redfish_item *item, enum resource_health *ret);
/* Errors: those of redfish_document_read(). */
int redfish_sensors_add(struct span text, struct bmc_report *report, struct err *err);

#endif
