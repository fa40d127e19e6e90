/* SPDX-License-Identifier: Apache-2.0 */
/* redfish - one reading of one BMC by Redfish.
 *
 *     /redfish/v1 ─▶ Systems ─▶ the host's: power, health ─▶ LogServices ─▶ Entries
 *               └─▶ Chassis ─▶ Thermal, Power: sensors
 *
 * The links are found once and used again (struct redfish_paths), so that a reading is
 * a request for the host, two for each chassis, and one for each page of the log.
 *
 * Bounds   REQUESTS_MAX requests of BODY_BYTES_MAX each, the section's timeout for all
 *          together; a collection's pages, chassis and log services likewise.
 * Threads  one reading of a target at a time.
 */
#ifndef BMC_REDFISH_H
#define BMC_REDFISH_H

#include "bmc/log_cursor.h"
#include "bmc/redfish_document.h"
#include "bmc/target.h"

#define REDFISH_BODY_BYTES_MAX ((size_t)2 << 20)
#define REDFISH_REQUESTS_MAX 64
#define REDFISH_CHASSIS_MAX 8
#define REDFISH_LOGS_MAX 4

/* All zero: not found yet. */
struct redfish_paths {
    char *system;
    char *chassis, *logs; /* lists of them; NULL: it has none */
    char *thermal[REDFISH_CHASSIS_MAX], *power[REDFISH_CHASSIS_MAX];
    char *entries[REDFISH_LOGS_MAX];
    bool has_sensors, has_logs; /* all of the lists were found */
};
void redfish_paths_done(struct redfish_paths *paths);

/* report is filled as far as it goes; its note names what could not be read.  seen: all
 * entries of its log.  Errors: the BMC does not respond, or not with what it should:
 * err names host and address. */
int redfish_read(const struct bmc_target *target, struct redfish_paths *paths,
                 const struct log_cursor *cursor, struct bmc_report *report,
                 struct log_seen *seen, struct err *err);

#endif
