/* SPDX-License-Identifier: Apache-2.0 */
/* invitation - what a node of a job's session reads first on its standard input.
 *
 *     barograph session 1 KEY        64 digits: who has them may join; with spares: 2
 *     [session]                      as in baro-agent.conf(5)
 *     [plugins]
 *     [child]
 *     control_address = HOST:PORT
 *     id = DIGITS
 *     provenance = PREFIXES           where its owner wants it recorded (provenance/)
 *     provenance_key = DIGITS
 *     agent = SOCKET
 *     end
 *
 * The key is in the pipe and in memory alone: in no file, argument or environment.
 */
#ifndef JOBSESSION_INVITATION_H
#define JOBSESSION_INVITATION_H

#include "plugin/directory/directory.h"
#include "session/session.h"

#define INVITATION_BYTES_MAX ((size_t)4 << 20)

struct invitation {
    struct session_key key;
    bool has_spares; /* triggers name who is idle */
    struct session_opts session;
    struct plugins_opts plugins;
    const char *control_address;
    const char *id;             /* of the session, as its processes have it */
    const char *provenance_key; /* as digits; NULL or "": nothing is recorded */
    const char *provenance;     /* prefixes of paths, with colons */
    const char *agent;          /* the socket of a node's agent; NULL or "": none */
    struct config *config;      /* the texts are its; NULL: another's */
};

/* rank: of one node; UINT32_MAX: each finds its own.  Errors: -EINVAL (a text that no
 * line can hold), -ENOMEM. */
int invitation_print(const struct invitation *invitation, uint32_t rank,
                     struct strbuf *out);
/* Whether text has all of it. */
bool invitation_is_whole(struct span text);
/* session.key points into *ret, which stays where it is.
 * Errors: -EINVAL with a line in err. */
int invitation_parse(struct span text, struct invitation *ret, struct err *err);
void invitation_done(struct invitation *invitation);
DEFINE_AUTO_DONE(struct invitation, invitation_done);

#endif
