/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_kmsg - what /dev/kmsg might have: each record that is read has a number not
 * below the one before it, its text lies within the bounds, and rules make a bounded
 * event of it.
 */
#include "source/kmsg/kmsg.h"
#include "base/file.h"
#include "base/span.h"
#include "fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

static const char rules_text[] =
    "[rule oom]\nmatch = "
    "oom-kill:.*,task_memcg=(?P<cgroup>[^,]*),task=.*,pid=(?P<pid>[0-9]+)"
    ",.*\n[rule any]\nmatch = (?P<a>[^ ]*) ?(?P<b>.*)\ncomponent = x:{a}\n"
    "text = {b}{b}{a}\nrate = 3\nhealth = degraded\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct kmsg_reader reader;
    static struct kmsg_rules *rules;
    struct kmsg_record record;
    struct kmsg_event event;
    unsigned budget = 1000;
    uint64_t next = 2;
    if (!rules)
        fuzz_check(kmsg_rules_parse("r", span_of(rules_text), &rules, NULL) == 0);
    AUTO_CLOSE int fd = memfd_create("kmsg", MFD_CLOEXEC);
    fuzz_check(fd >= 0 && file_write_all(fd, data, size) == 0 &&
               lseek(fd, 0, SEEK_SET) == 0);
    kmsg_reader_start(&reader, fd, next);
    while (kmsg_reader_next(&reader, &budget, &record) > 0) {
        fuzz_check(record.sequence >= next && record.level <= 7);
        fuzz_check(record.text.size <= KMSG_TEXT_BYTES_MAX);
        fuzz_check(!memchr(record.text.data, '\n', record.text.size));
        next = reader.next;
        if (!kmsg_rules_apply(rules, &record, &event))
            continue;
        fuzz_check(record.facility == 0);
        fuzz_check(event.component.size <= KMSG_COMPONENT_BYTES_MAX);
        fuzz_check(event.text.size <= KMSG_EVENT_TEXT_BYTES_MAX);
        if (next == 0) /* the last number that there is */
            break;
    }
    return 0;
}
