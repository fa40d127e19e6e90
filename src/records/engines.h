/* SPDX-License-Identifier: Apache-2.0 */
/* engines - which engines there are, by name. */
#ifndef RECORDS_ENGINES_H
#define RECORDS_ENGINES_H

#include "records/engine/engine.h"

/* "sqlite" or "postgres"; NULL: there is none of that name. */
const struct records_engine *engine_find(const char *name);

#endif
