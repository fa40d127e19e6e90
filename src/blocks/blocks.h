/* SPDX-License-Identifier: Apache-2.0 */
/* blocks - columns as few bytes, and the files that hold them; the room's door.
 *
 *     samples ─▶ codec ─▶ block ─▶ block_file ─▶ archive_file     immutable, checked
 *     batch   ─▶ record ─▶ log                                    appended
 *     manifest: which files are one state of a directory          replaced as a whole
 *
 * Nothing here knows what a number stands for, when a file is written or when it goes:
 * rooms that store things decide that.
 */
#ifndef BLOCKS_BLOCKS_H
#define BLOCKS_BLOCKS_H

#include "blocks/archive_file.h"
#include "blocks/bits.h"
#include "blocks/block.h"
#include "blocks/block_file.h"
#include "blocks/codec.h"
#include "blocks/log.h"
#include "blocks/manifest.h"
#include "blocks/record.h"
#include "blocks/sealed_file.h"

#endif
