/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_forward_record - records of a queue of samples: what is read is written as the
 * same samples.
 */
#include "base/span.h"
#include "forward/sample_record.h"
#include "fuzz/fuzz.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(strbuf_done) struct strbuf again = STRBUF_INIT;
    struct sample_record_reader reader, second;
    struct sample_record_writer writer;
    struct queued_sample sample, other;
    const struct span record = { (const char *)data, size };
    int rc = sample_record_open(&reader, record);
    fuzz_check(rc == 0 || rc == -EBADMSG);
    if (rc < 0)
        return 0;
    sample_record_begin(&writer, &again, reader.list);
    while ((rc = sample_record_next(&reader, &sample)) == 1)
        sample_record_add(&writer, &sample);
    fuzz_check(rc == 0 || rc == -EBADMSG);
    fuzz_check(again.size <= 9 + size * 23);
    fuzz_check(sample_record_open(&second, strbuf_span(&again)) == 0);
    fuzz_check(sample_record_open(&reader, record) == 0 && second.list == reader.list);
    while (sample_record_next(&reader, &sample) == 1) {
        fuzz_check(sample_record_next(&second, &other) == 1);
        fuzz_check(other.series == sample.series && other.t_ms == sample.t_ms &&
                   other.bits == sample.bits);
    }
    fuzz_check(sample_record_next(&second, &other) == 0);
    return 0;
}
