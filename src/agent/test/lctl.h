/* SPDX-License-Identifier: Apache-2.0 */
/* lctl - a script that stands in for lctl. */
#ifndef AGENT_TEST_LCTL_H
#define AGENT_TEST_LCTL_H

#include "agent/test/reports.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/test/scratch.h"

#define LCTL_LIST "echo obdfilter.s-OST0001.job_stats"
#define LCTL_DUMP(id, sum)                                                     \
    "printf 'job_stats:\\n- job_id: " id "\\n  snapshot_time: 1669010520\\n  " \
    "write_bytes: { samples: 1, unit: bytes, min: 1, max: 1, sum: " sum " }\\n'"

/* What it does for a list of targets, for their cleanup intervals, for a dump and for
 * anything else: commands of a shell; NULL: nothing. */
struct lctl_script {
    const char *list, *cleanup, *dump, *other;
};

static inline void lctl_write(const char *path, const struct lctl_script *script)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const char *empty = ":";
    strbuf_addf(
        &text,
        "#!/bin/sh\ncase \"$*\" in\n'get_param -N'*) %s ;;\n"
        "*job_cleanup_interval*) %s ;;\n'get_param -n'*) %s ;;\n*) %s ;;\n"
        "esac\n",
        script->list ? script->list : empty, script->cleanup ? script->cleanup : empty,
        script->dump ? script->dump : empty, script->other ? script->other : empty);
    assert_int_equal(strbuf_error(&text), 0);
    assert_int_equal(file_replace(path, text.data, text.size, 0755, NULL), 0);
}

#endif
