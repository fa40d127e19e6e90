/* SPDX-License-Identifier: Apache-2.0 */
/* sweep - the files of a store's directory that no manifest names any more. */
#ifndef STORE_SWEEP_H
#define STORE_SWEEP_H

#include "store/metric_store.h"

/* Remove the files of the store that neither of its two manifests names. */
void store_sweep(struct metric_store *store);

#endif
