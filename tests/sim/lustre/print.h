/* SPDX-License-Identifier: Apache-2.0 */
/* print - an entry as a given Lustre release prints it, byte for byte. */
#ifndef SIM_PRINT_H
#define SIM_PRINT_H

#include "life.h"

#include "base/strbuf.h"

void sim_print_entry(struct strbuf *out, const struct sim *sim,
                     const struct sim_series *s, const struct sim_life *life);

/* The identifier alone, as it stands behind "job_id:". */
void sim_print_id(struct strbuf *out, enum sim_quoting quoting, const char *id,
                  size_t size);

#endif
