/* SPDX-License-Identifier: Apache-2.0 */
/* op_line - what stands between the braces of one operation.
 *
 *     write_bytes: { samples: 189, unit: bytes, min: 4096, max:16777216, hist: {  } }
 *                   ▲────────────────── this ──────────────────────────────────────▲
 *
 * Keys may come in any order and may be missing; a key that is not known is passed
 * over.  Numbers up to 2.14 are glued to their key when they are long.
 */
#ifndef SOURCE_LUSTRE_OP_LINE_H
#define SOURCE_LUSTRE_OP_LINE_H

#include "model/model.h"

/* Read what follows the opening brace.  Fills everything of *ret but the name; spans
 * point into text.  *ret is scratch when it fails.
 * Errors: -EAGAIN (the text ends before the closing brace), -EINVAL. */
int op_line_parse(struct span text, struct op_stat *ret);

#endif
