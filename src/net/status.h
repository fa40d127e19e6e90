/* SPDX-License-Identifier: Apache-2.0 */
/* status - what HTTP statuses mean, in words. */
#ifndef NET_STATUS_H
#define NET_STATUS_H

/* The reason phrase: "Bad Request".  Of a status that is not in the table that of 500.
 */
const char *status_reason(unsigned status);
/* The title of a problem (RFC 7807). */
const char *status_title(unsigned status);

#endif
