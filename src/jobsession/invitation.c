/* SPDX-License-Identifier: Apache-2.0 */
/* invitation - what a node of a job's session reads first on its standard input. */
#include "jobsession/invitation.h"

#include "base/number.h"
#include "base/span.h"

#define FIRST "barograph session "
/* Nodes of versions before spares do not know triggers that name who is idle: they do
 * not know this form, and state that, while sessions without spares are open to them.
 */
enum { FORM_PLAIN = '1', FORM_SPARES = '2' };
#define LAST "\nend\n"

struct child_opts {
    const char *control_address, *id, *provenance, *provenance_key, *agent;
};

static const struct config_key child_keys[] = {
    { "control_address", CONFIG_TEXT, offsetof(struct child_opts, control_address),
      NULL, 0, 0, "Where the control node listens." },
    { "id", CONFIG_TEXT, offsetof(struct child_opts, id), NULL, 0, 0,
      "What the session's processes have as BARO_SESSION_ID." },
    { "provenance", CONFIG_TEXT, offsetof(struct child_opts, provenance), NULL, 0, 0,
      "Directories whose paths its owner wants recorded as they are." },
    { "provenance_key", CONFIG_TEXT, offsetof(struct child_opts, provenance_key), NULL,
      0, 0, "By which other paths are hashed; without it nothing is recorded." },
    { "agent", CONFIG_TEXT, offsetof(struct child_opts, agent), NULL, 0, 0,
      "The socket of the node's agent, by which the site hears of it." },
};

static const struct config_section child_section = {
    "child", false, child_keys, COUNT_OF(child_keys), "A session of a job.",
};

/* A line with more in it than its key and value would be another line. */
static bool print_key(struct strbuf *out, const char *name, const char *value)
{
    if (!value || !*value)
        return true;
    struct span text = span_of(value);
    if (memchr(value, '\n', text.size) || !span_eq(text, span_trim(text)))
        return false;
    strbuf_addf(out, "%s = %s\n", name, value);
    return true;
}

static void print_length(struct strbuf *out, const char *name, int64_t ns)
{
    strbuf_addf(out, "%s = %lldns\n", name, (long long)ns);
}

static bool print_plugins(struct strbuf *out, const struct plugins_opts *plugins)
{
    bool is_whole = true;
    strbuf_adds(out, "[plugins]\n");
    is_whole &= print_key(out, "directory", plugins->directory);
    is_whole &= print_key(out, "host", plugins->host);
    for (size_t i = 0; i < plugins->reads.count; i++)
        is_whole &= print_key(out, "read", plugins->reads.items[i]);
    return is_whole;
}

int invitation_print(const struct invitation *invitation, uint32_t rank,
                     struct strbuf *out)
{
    const struct session_opts *s = &invitation->session;
    bool is_whole = true;
    strbuf_addf(out, FIRST "%c ", invitation->has_spares ? FORM_SPARES : FORM_PLAIN);
    session_key_print(&invitation->key, out);
    strbuf_adds(out, "\n[session]\n");
    is_whole &= print_key(out, "name", s->name);
    is_whole &= print_key(out, "hosts", s->hosts);
    is_whole &= print_key(out, "address", s->address);
    strbuf_addf(out, "port = %llu\nfanout = %llu\n", (unsigned long long)s->port,
                (unsigned long long)s->fanout);
    print_length(out, "heartbeat", s->heartbeat_ns);
    print_length(out, "period", s->period_ns);
    print_length(out, "lead", s->lead_ns);
    print_length(out, "deadline", s->deadline_ns);
    if (rank != UINT32_MAX)
        strbuf_addf(out, "rank = %u\n", (unsigned)rank);
    is_whole &= print_plugins(out, &invitation->plugins);
    strbuf_adds(out, "[child]\n");
    is_whole &= print_key(out, "control_address", invitation->control_address);
    is_whole &= print_key(out, "id", invitation->id);
    is_whole &= print_key(out, "provenance", invitation->provenance);
    is_whole &= print_key(out, "provenance_key", invitation->provenance_key);
    is_whole &= print_key(out, "agent", invitation->agent);
    strbuf_adds(out, "end\n");
    return is_whole ? strbuf_error(out) : -EINVAL;
}

bool invitation_is_whole(struct span text)
{
    return span_ends(text, LAST);
}

static int fill_invitation(struct invitation *ret, struct err *err)
{
    struct child_opts child = { .control_address = NULL };
    int rc = config_fill(ret->config, "session", NULL, &ret->session, err);
    if (rc == 0)
        rc = config_fill(ret->config, "plugins", NULL, &ret->plugins, err);
    if (rc == 0)
        rc = config_fill(ret->config, "child", NULL, &child, err);
    if (rc < 0)
        return rc;
    ret->control_address = child.control_address;
    ret->id = child.id;
    ret->provenance = child.provenance;
    ret->provenance_key = child.provenance_key;
    ret->agent = child.agent;
    ret->session.key = &ret->key;
    if (child.control_address && *child.control_address)
        ret->session.control_address = child.control_address;
    return 0;
}

static bool parse_first(struct span first, struct invitation *ret)
{
    struct span rest = span_skip(first, sizeof FIRST - 1), form;
    if (!span_starts(first, FIRST) || !span_cut(&rest, ' ', &form) || form.size != 1 ||
        (form.data[0] != FORM_PLAIN && form.data[0] != FORM_SPARES))
        return false;
    ret->has_spares = form.data[0] == FORM_SPARES;
    return session_key_parse(rest, &ret->key) == 0;
}

int invitation_parse(struct span text, struct invitation *ret, struct err *err)
{
    const struct config_section sections[] = { session_config_section,
                                               plugins_config_section, child_section };
    struct span first;
    *ret = (struct invitation){ 0 };
    if (!invitation_is_whole(text))
        return err_set(err, EINVAL, "standard input: it has no end");
    text.size -= sizeof LAST - 2; /* the line end before it stays */
    (void)span_cut(&text, '\n', &first);
    if (!parse_first(first, ret))
        return err_set(err, EINVAL,
                       "standard input is not of a session of this version");
    int rc = config_parse("standard input", text, sections, COUNT_OF(sections),
                          &ret->config, err);
    return rc < 0 ? rc : fill_invitation(ret, err);
}

void invitation_done(struct invitation *invitation)
{
    session_key_done(&invitation->key);
    config_free(invitation->config);
    invitation->config = NULL;
}
