/* SPDX-License-Identifier: Apache-2.0 */
/* show_form - how a whole log is written: what the text and the JSON form share. */
#include "source/darshan/show_form.h"

struct darshan_place darshan_place_of(const struct darshan_show *show,
                                      const struct darshan_record *r)
{
    struct darshan_place place = { darshan_log_name(show->log, r->id), NULL };
    if (!place.name && r->module == darshan_module(DARSHAN_BGQ))
        place.name = "darshan-bgq-record"; /* is about no file, and not always named */
    if (place.name)
        place.mount = darshan_job_mount(darshan_log_job(show->log), place.name);
    return place;
}
