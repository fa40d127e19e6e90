/* SPDX-License-Identifier: Apache-2.0 */
/* owner_key - the key by which paths of a user are hashed: one for all of her runs.
 *
 *     ~/.local/share/barograph/provenance.key     32 random bytes, mode 0600
 *
 * Threads  any.
 */
#ifndef JOBSESSION_PROVENANCE_OWNER_KEY_H
#define JOBSESSION_PROVENANCE_OWNER_KEY_H

#include "base/err.h"
#include "jobsession/provenance/path_name.h"

#define OWNER_KEY_TEXT_BYTES ((size_t)(2 * PATH_KEY_BYTES))

/* Read, or drawn and stored: of two at once both have the one that is there first.
 * Errors: -EINVAL (there is no home), -EPERM (others may read it), -EBADMSG (it is
 * none), those of open, with a line in err. */
int owner_key_get(unsigned char ret[PATH_KEY_BYTES], struct err *err);

/* As hexadecimal digits and back.  Errors: -EINVAL. */
void owner_key_print(const unsigned char key[PATH_KEY_BYTES], struct strbuf *out);
int owner_key_parse(struct span text, unsigned char ret[PATH_KEY_BYTES]);

#endif
