/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_lustre_accounts - the reader of what users hold.
 *
 * The first byte is the size of the pieces; the text is read whole too, with the same
 * result.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "source/lustre/lustre.h"

struct heard {
    uint64_t accounts, faults, sum;
};

static int hear(void *arg, const struct lustre_account *account)
{
    struct heard *h = arg;
    struct target_name name;
    fuzz_check(target_parse(account->target, &name) == 0);
    fuzz_check(account->owner < LUSTRE_OWNER_KIND_COUNT);
    h->accounts++;
    h->sum += account->id + account->inodes + account->kbytes;
    return 0;
}

static void hear_fault(void *arg, uint64_t line, struct span text)
{
    struct heard *h = arg;
    fuzz_check(line > 0 && text.size <= LUSTRE_ACCOUNT_LINE_MAX);
    h->faults++;
}

static struct heard read_pieces(struct span text, size_t piece)
{
    struct heard h = { 0 };
    struct lustre_accounts a = { .account = hear, .fault = hear_fault, .arg = &h };
    while (text.size > 0) {
        size_t size = text.size < piece ? text.size : piece;
        fuzz_check(lustre_accounts_add(&a, (struct span){ text.data, size }) == 0);
        text = span_skip(text, size);
    }
    fuzz_check(lustre_accounts_end(&a) == 0);
    return h;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct span text = { (const char *)data + 1, size - 1 };
    struct heard pieces = read_pieces(text, data[0] + 1u);
    struct heard whole = read_pieces(text, size);
    fuzz_check(pieces.accounts == whole.accounts && pieces.faults == whole.faults &&
               pieces.sum == whole.sum);
    return 0;
}
