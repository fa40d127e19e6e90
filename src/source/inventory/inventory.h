/* SPDX-License-Identifier: Apache-2.0 */
/* inventory - the parts of this node: system, board, firmware, processors, memory
 * modules, disks, GPUs, network devices; the room's door.
 *
 *     firmware's table ─▶ smbios ─┐
 *     /sys/class/dmi/id ──────────┤ system, board, bios, dimm ◀─ labels of EDAC
 *     /proc/cpuinfo               ├▶ node_part each, at most INVENTORY_PARTS_MAX
 *     /sys/block, /sys/class/net, │
 *     /sys/class/infiniband,      │
 *     /proc/driver/nvidia ────────┘
 *
 * The table and serial numbers of DMI are for root alone: inventory_dmi_read() reads
 * them, as bytes, and is all that needs a privilege.
 *
 * Threads  one at a time.
 */
#ifndef SOURCE_INVENTORY_INVENTORY_H
#define SOURCE_INVENTORY_INVENTORY_H

#include "model/model.h"
#include "source/inventory/smbios.h"

enum { DMI_TEXT_COUNT = 9 };

struct inventory_dmi {
    struct strbuf table;                 /* empty: it cannot be read */
    struct strbuf texts[DMI_TEXT_COUNT]; /* of /sys/class/dmi/id */
};
void inventory_dmi_done(struct inventory_dmi *dmi);
DEFINE_AUTO_DONE(struct inventory_dmi, inventory_dmi_done);

/* root: prefix of all paths, "" for this machine.  What cannot be read stays empty. */
void inventory_dmi_read(const char *root, struct inventory_dmi *ret);

/* Parts, unread and boot_ns of *ret are set; its texts lie in arena.  *ret_dropped: so
 * many parts were too many.  Errors: -ENOMEM. */
int inventory_read(const char *root, const struct inventory_dmi *dmi,
                   struct arena *arena, struct node_inventory *ret,
                   size_t *ret_dropped);

/* Is a module that EDAC counts as label that in slot and bank of the firmware's table?
 * By the names ("DIMM_A1"), or by processor, channel and position, where each names
 * them. */
bool inventory_is_module(struct span label, struct span slot, struct span bank);

#endif
