/* SPDX-License-Identifier: Apache-2.0 */
/* files - the directory of a store: names, logs, indexes, checks; the sub-room's door.
 *
 *     manifest ─▶ index ─▶ block files, archives      what was stored at a checkpoint
 *     journal: a shard's log, segment after segment    what was acknowledged since
 *     verify: all of it looked through, and not changed
 */
#ifndef STORE_FILES_FILES_H
#define STORE_FILES_FILES_H

#include "store/files/file_name.h"
#include "store/files/index.h"
#include "store/files/journal.h"
#include "store/files/listing.h"
#include "store/files/old_blocks.h"
#include "store/files/store_files.h"
#include "store/files/verified_table.h"
#include "store/files/verify.h"

#endif
