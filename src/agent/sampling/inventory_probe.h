/* SPDX-License-Identifier: Apache-2.0 */
/* inventory_probe - the process that reads this node's parts, and ends.
 *
 *     baro-agent inventory-probe ROOT CLUSTER HOST ─▶ one line of node_inventory_print
 *
 * The agent hands its capability on to it, as to baro-lustre-read: with that it reads
 * the firmware's table and serial numbers, as bytes; then it gives it up, and only
 * then reads anything else, or looks at what it read (doc/decisions/0590).
 */
#ifndef AGENT_SAMPLING_INVENTORY_PROBE_H
#define AGENT_SAMPLING_INVENTORY_PROBE_H

#define INVENTORY_PROBE_WORD "inventory-probe"

/* The whole of the process.  What was too much is one line to stderr. */
int inventory_probe_main(int argc, char **argv);

#endif
