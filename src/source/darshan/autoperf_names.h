/* SPDX-License-Identifier: Apache-2.0 */
/* autoperf_names - the names of the counters of AutoPerf's modules, APMPI and APXC. */
#ifndef SOURCE_DARSHAN_AUTOPERF_NAMES_H
#define SOURCE_DARSHAN_AUTOPERF_NAMES_H

#define APMPI_COUNTERS 396
#define APMPI_TIMES 222 /* then those of synchronisation, and the two of a process */
#define APMPI_SYNC_TIMES 16
#define APMPI_F_COUNTERS (APMPI_TIMES + APMPI_SYNC_TIMES + 2)
#define APXC_POSITIONS 4 /* of the router, before its counters */
#define APXC_COUNTERS (APXC_POSITIONS + 392)

extern const char *const darshan_apmpi_names[APMPI_COUNTERS];
extern const char *const darshan_apmpi_f_names[APMPI_F_COUNTERS];
extern const char *const darshan_apxc_names[APXC_COUNTERS];

#endif
