/* SPDX-License-Identifier: Apache-2.0 */
/* text_line - what a line of a text from lctl is, by its look alone.
 *
 *     obdfilter.scratch-OST0001.job_stats=       a parameter: name, value
 *       write_bytes:     { samples: ...          a field: name, value
 */
#ifndef SOURCE_LUSTRE_TEXT_LINE_H
#define SOURCE_LUSTRE_TEXT_LINE_H

#include "model/model.h"

struct text_field {
    struct span name, value;
    bool blank_before_colon; /* the broken header of 2.15.0 and 2.15.1 */
};

/* "  name: value".  Every bool here: is the line such a one?  Outputs only then. */
bool text_line_field(struct span line, struct text_field *ret);
bool text_line_field_is_op(const struct text_field *field);

/* "name=value", at column 0. */
bool text_line_param(struct span line, struct span *ret_name, struct span *ret_value);
/* Is the parameter of that name the job_stats of a target? */
bool text_line_is_job_stats(struct span name);
/* Whose job_stats: size 0 when that is no name of a target.  Returns whether *ret_kind
 * is known: by the device, also where a hand-made name says otherwise. */
bool text_line_target(struct span name, struct span *ret_target,
                      enum target_kind *ret_kind);

/* Values of parameters that are often asked for together with job_stats, as they look
 * when lctl was told to leave the names out. */
bool text_line_is_other(struct span line);

#endif
