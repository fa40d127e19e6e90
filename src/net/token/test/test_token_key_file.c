/* SPDX-License-Identifier: Apache-2.0 */
/* test_token_key_file - a new key pair, and files that are not replaced. */
#include "net/token/token_key_file.h"

#include "base/test/testing.h"
#include "net/token/access_token.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void a_pair_signs_and_verifies_and_is_never_replaced(void **state)
{
    (void)state;
    char dir[] = "/tmp/test_token_key.XXXXXX", path[64], public_path[72];
    AUTO(token_key_free) struct token_key *key = NULL;
    AUTO(token_key_free) struct token_key *public_key = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct token token = { .role = NET_ROLE_READER,
                           .id = "8c5a3f8e-0d6c-4f5e-9a58-0d8f6f1f0b10",
                           .issued_s = 1,
                           .expires_s = 100 };
    struct stat st;
    struct err err = { 0 };
    assert_non_null(mkdtemp(dir));
    (void)snprintf(path, sizeof path, "%s/key", dir);
    (void)snprintf(public_path, sizeof public_path, "%s.pub", path);
    assert_int_equal(token_key_create(path, &err), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(token_key_load(path, &key, &err), 0);
    assert_int_equal(token_key_load(public_path, &public_key, &err), 0);
    assert_true(token_key_can_sign(key));
    assert_false(token_key_can_sign(public_key));
    assert_int_equal(token_sign(key, &token, &text, &err), 0);
    assert_int_equal(token_verify(public_key, strbuf_span(&text), 50, &token, &err), 0);
    assert_int_equal(token_key_create(path, &err), -EEXIST);
    /* Also where only the private one is left. */
    assert_int_equal(unlink(public_path), 0);
    assert_int_equal(token_key_create(path, &err), -EEXIST);
    (void)unlink(path);
    (void)unlink(public_path);
    (void)rmdir(dir);
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct err err = { 0 };
    assert_int_equal(token_key_create("/tmp/no such folder/key", &err), -ENOENT);
    assert_true(err.text[0] != '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_signs_and_verifies_and_is_never_replaced),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
