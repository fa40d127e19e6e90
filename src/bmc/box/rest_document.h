/* SPDX-License-Identifier: Apache-2.0 */
/* rest_document - a document of JSON as rows of a table.
 *
 *     items = /enclosures/ * /disks/ *     (without the blanks)
 *     {"enclosures": [{"disks": [{"id": 7, "status": {"health": "OK"}}]}]}
 *                                  row 0.0: value (/status/health) OK, name (/id) 7
 *
 * A * is each element of an array or each member of an object; the row's index is what
 * stands at its stars, with dots.  A number is its text as written, true and false are
 * these words, null is nothing.
 *
 * Bounds   DEPTH, REST_POINTER_BYTES of a pointer, what json_reader has for a token.
 * Threads  none inside.
 */
#ifndef BMC_BOX_REST_DOCUMENT_H
#define BMC_BOX_REST_DOCUMENT_H

#include "bmc/box/box_rows.h"

#define REST_POINTER_BYTES 512

/* rows are added to.  Errors: -EBADMSG (not JSON, too deep), -EMSGSIZE, -ENOMEM. */
int rest_document_read(struct span text, const struct mapping_table *table,
                       struct box_rows *rows, struct err *err);

#endif
