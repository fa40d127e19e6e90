/* SPDX-License-Identifier: Apache-2.0 */
/* rest - one reading of a storage box by HTTPS and JSON, through its mapping.
 *
 *     a request each table ─▶ rest_document: rows ─▶ box_rows: report
 *
 * Paths are the mapping's alone: no link is followed, no redirect.
 *
 * Bounds   MAPPING_TABLES_MAX requests of REST_BODY_BYTES_MAX each, the section's
 *          timeout for all together.
 * Threads  any; one reading of a target at a time.
 */
#ifndef BMC_BOX_REST_H
#define BMC_BOX_REST_H

#include "bmc/report.h"
#include "bmc/target.h"

#define REST_BODY_BYTES_MAX ((size_t)4 << 20)

/* report is filled as far as it goes; its note names what could not be read.  Errors:
 * no table could be read: err names host, address and why. */
int box_rest_read(const struct bmc_target *target, struct bmc_report *report,
                  struct err *err);

#endif
