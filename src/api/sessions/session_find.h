/* SPDX-License-Identifier: Apache-2.0 */
/* session_find - sessions of users, for whom may see them; private to api.
 *
 *     records ─▶ found ─▶ names of users ─▶ the client's ─▶ state: running, ended, lost
 *
 * One that goes on and was not heard of for SESSION_BEATS_MAX beats is lost; while
 * barod itself was away nothing could be heard.
 */
#ifndef API_SESSIONS_SESSION_FIND_H
#define API_SESSIONS_SESSION_FIND_H

#include "api/api_private.h"

#define SESSION_BEATS_MAX 3
#define SESSIONS_READ_MAX 20000 /* at once */
#define SESSION_DEPTH_MAX 8     /* in each other */

enum session_state {
    SESSION_RUNNING,
    SESSION_ENDED,
    SESSION_LOST,
    SESSION_STATE_COUNT
};
const char *session_state_name(enum session_state state);

struct found_session {
    struct session_report report;
    struct span user; /* the name, else the number */
    enum session_state state;
    int64_t since_ns;   /* of the state */
    struct span reason; /* of the state; empty: none */
    bool is_visible;
};

/* All zero is empty; texts lie in arena. */
struct found_sessions {
    struct arena arena;
    struct found_session *items;
    size_t count, capacity;
    bool has_more; /* than were read */
};

void found_sessions_done(struct found_sessions *found);
DEFINE_AUTO_DONE(struct found_sessions, found_sessions_done);

/* Read more; until sessions_judge() nothing but the report is there. */
int sessions_add(const struct api_readers *readers,
                 const struct session_report_filter *filter,
                 struct found_sessions *found, struct err *err);
/* Whose they are, whether the client sees them, and what their state is. */
int sessions_judge(const struct api_readers *readers, struct found_sessions *found,
                   struct err *err);
/* The one of that name, "outer:inner" for one in another: of several the one that goes
 * on, else the last reported.  *ret has it first, then those that were started in it;
 * judged.  Errors: -ENOENT (there is none that the client sees). */
int sessions_named(const struct api_readers *readers, struct span path,
                   struct found_sessions *ret, struct err *err);

#endif
