/* SPDX-License-Identifier: Apache-2.0 */
/* id_line - the line that begins an entry, and the identifier in it.
 *
 *     - job_id:          11317854:17627127:r01c01          up to 2.15.1: as it came
 *     - job_id:          "11317854\x3A17627127\x3Ar01c01"  from 2.15.2: quoted, escaped
 *     ▲                  ▲ column 19
 *
 * In the kernel's own layout the value is taken from column 19 to the end of the line,
 * so that blanks that belong to an identifier stay; in any other layout it is trimmed.
 */
#ifndef SOURCE_LUSTRE_ID_LINE_H
#define SOURCE_LUSTRE_ID_LINE_H

#include "model/model.h"

/* Is this such a line?  *ret_value is what stands behind the colon. */
bool id_line_find(struct span line, struct span *ret_value);

/* The bytes of the identifier into out, which holds ENTRY_ID_BYTES_MAX.
 * Errors: -EINVAL (empty, too long, or badly quoted). */
int id_line_decode(struct span value, char *out, size_t *ret_size, bool *ret_is_quoted);

#endif
