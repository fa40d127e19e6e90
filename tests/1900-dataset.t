#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Datasets: a directory becomes an image that is the same each time, stored once, listed, compared,
# exported, refused where it is not valid, kept while something refers to it.
. "$(dirname "$0")/lib.sh"
command -v mkfs.erofs >/dev/null || PATH=$PATH:/usr/sbin
requires mkfs.erofs fsck.erofs sqlite3
BARO_DATASETS=$SCRATCH/store
export BARO_DATASETS

# ---- two trees that are nearly the same ----
mkdir -p "$SCRATCH/a/bin" "$SCRATCH/a/lib/deep"
for i in 1 2 3 4 5 6 7 8; do
    openssl enc -aes-128-ctr -nosalt -K 00112233445566778899aabbccddee0$i -iv 00000000000000000000000000000000 \
        -in /dev/zero 2>/dev/null | head -c 300000 >"$SCRATCH/a/lib/deep/part$i"
done
seq 1 60000 >"$SCRATCH/a/lib/numbers"
echo 'echo hello' >"$SCRATCH/a/bin/hello"
chmod 755 "$SCRATCH/a/bin/hello"
ln -s deep/part1 "$SCRATCH/a/lib/one"
ln "$SCRATCH/a/lib/numbers" "$SCRATCH/a/lib/same-inode"
cp -a "$SCRATCH/a" "$SCRATCH/b"
echo added >"$SCRATCH/b/bin/added"
echo 'echo bye' >"$SCRATCH/b/bin/hello"
rm "$SCRATCH/b/lib/one"
chmod 600 "$SCRATCH/b/lib/deep/part3"

# ---- create ----
a=$(baro dataset create "$SCRATCH/a" --tag code:v1 --label site=alex 2>"$SCRATCH/first")
is "a name is a SHA-256" "${#a}" 64
b=$(baro dataset create "$SCRATCH/b" --repository "$BARO_DATASETS" 2>"$SCRATCH/second")
mkdir "$SCRATCH/copy"
(cd "$SCRATCH/a" && find . -depth | tac | tail -n +2 | cpio -pdm --quiet "$SCRATCH/copy" 2>/dev/null) ||
    cp -a "$SCRATCH/a/." "$SCRATCH/copy/"
ln -f "$SCRATCH/copy/lib/numbers" "$SCRATCH/copy/lib/same-inode"
is "the same tree elsewhere is the same dataset" "$(baro dataset create "$SCRATCH/copy" 2>"$SCRATCH/third")" "$a"
ok "which is said" grep -q "there already" "$SCRATCH/third"
new() { sed 's/.*: \([0-9]*\) new, .*/\1/' "$1"; }
ok "a tree that is nearly the same stores a small part of its chunks" \
    test "$(new "$SCRATCH/second")" -lt "$(($(new "$SCRATCH/first") / 3))"

sh -c 'while :; do echo x >>"$1"; done' sh "$SCRATCH/copy/bin/log" &
writes=$!
wait_for 10 test -s "$SCRATCH/copy/bin/log"
ok "a tree that changes meanwhile is refused" not baro dataset create "$SCRATCH/copy"
baro dataset create "$SCRATCH/copy" 2>"$SCRATCH/why"
kill "$writes"
wait "$writes" 2>/dev/null
ok "by the name of the file" grep -q "copy/bin/log' changed while it was read" "$SCRATCH/why"
if [ -w /dev/shm ] && [ "$(stat -f -c %t /dev/shm)" != "$(stat -f -c %t /tmp)" ]; then
    elsewhere=$(mktemp -d /dev/shm/baro-test.XXXXXX)
    at_exit 'rm -rf "$elsewhere"'
    is "a repository may be on another file system than /tmp" \
        "$(baro dataset create "$SCRATCH/a" --repository "$elsewhere/store" 2>/dev/null)" "$a"
    rm -rf "$elsewhere"
else
    skip "a repository may be on another file system than /tmp" "no other file system here"
fi

# ---- list, show, diff ----
is "both are listed" "$(baro dataset list --output csv | sed 1d | cut -d, -f1)" "$a
$b"
ok "the tag is in the list" sh -c "baro dataset list --output csv | grep '^$a' | grep -q code:v1"
baro dataset show code:v1 --output csv >"$SCRATCH/show"
ok "a dataset has its source" grep -q "^source,$SCRATCH/a$" "$SCRATCH/show"
ok "the version of its builder is recorded" grep -q '^tool,mkfs.erofs [0-9]' "$SCRATCH/show"
ok "and its label" grep -q '^label site,alex$' "$SCRATCH/show"
is "a dataset's first digits name it" "$(baro dataset show "$(echo "$a" | cut -c1-12)" --output csv)" "$(cat "$SCRATCH/show")"
(cd "$SCRATCH/a" && find . -type f | sed 's/^..//' | sort | xargs sha256sum | sed 's/  /\t/') >"$SCRATCH/want"
is "the list of files has the SHA-256 of each" \
    "$(baro dataset show "$a" --files | grep ^f | cut -f7,8 | sort -k2)" "$(sort -k2 "$SCRATCH/want")"
is "diff says which files differ, and how" "$(baro dataset diff "$a" "$b" --output csv)" "difference,path
added,bin/added
content,bin/hello
attributes,lib/deep/part3
removed,lib/one"
ok "a dataset does not differ from itself" baro dataset diff "$a" "$a"
ok "its status is 1 where they do" not baro dataset diff "$a" "$b"

# ---- export, verify ----
baro dataset export "$a" "$SCRATCH/a.img"
is "the image's SHA-256 is the dataset's name" "$(sha256sum <"$SCRATCH/a.img" | cut -c1-64)" "$a"
is "the same to standard output" "$(baro dataset export "$b" - | sha256sum | cut -c1-64)" "$b"
mkfifo "$SCRATCH/fifo"
timeout 20 sh -c 'sha256sum <"$1"' sh "$SCRATCH/fifo" | cut -c1-64 >"$SCRATCH/sum" &
reader=$!
baro dataset export "$a" "$SCRATCH/fifo"
wait "$reader"
is "a FIFO is written" "$(cat "$SCRATCH/sum")" "$a"
ok "and stays one" test -p "$SCRATCH/fifo"
: >"$SCRATCH/target.img"
ln -s target.img "$SCRATCH/link.img"
baro dataset export "$a" "$SCRATCH/link.img"
ok "a symbolic link stays one" test -L "$SCRATCH/link.img"
is "what it leads to is written" "$(sha256sum <"$SCRATCH/target.img" | cut -c1-64)" "$a"
ok "a directory is refused" not baro dataset export "$a" "$SCRATCH/copy"
baro dataset export "$a" "$SCRATCH/copy" 2>"$SCRATCH/why"
ok "before anything is read" grep -q "is a directory: name a file" "$SCRATCH/why"
ok "fsck.erofs takes it" fsck.erofs --extract="$SCRATCH/out" "$SCRATCH/a.img"
ok "the files come back" diff -r --no-dereference "$SCRATCH/a" "$SCRATCH/out"
ok "every chunk is right" baro dataset verify "$a" code:v1 "$b"
mounted() {
    mkdir -p "$SCRATCH/mnt" && mount -t erofs -o ro,loop,nosuid,nodev "$SCRATCH/a.img" "$SCRATCH/mnt" 2>/dev/null
}
if [ "$(id -u)" = 0 ] && mounted; then
    at_exit 'umount "$SCRATCH/mnt"'
    ok "the kernel has the files" diff -r --no-dereference "$SCRATCH/a" "$SCRATCH/mnt"
    is "a program of it runs" "$(sh "$SCRATCH/mnt/bin/hello")" hello
    umount "$SCRATCH/mnt"
else
    skip "the kernel has the files" "no mount of EROFS here"
fi

# ---- valid or refused ----
cp "$SCRATCH/a.img" "$SCRATCH/cut.img"
truncate -s -4096 "$SCRATCH/cut.img"
ok "an image that was cut is refused" not baro dataset import "$SCRATCH/cut.img"
baro dataset import "$SCRATCH/cut.img" 2>"$SCRATCH/why"
ok "with its reason" grep -q "is refused: superblock" "$SCRATCH/why"
mkdir "$SCRATCH/setuid"
echo x >"$SCRATCH/setuid/su"
chmod 4755 "$SCRATCH/setuid/su"
mkfifo "$SCRATCH/setuid/pipe"
ok "a set-user-ID file is refused" not baro dataset create "$SCRATCH/setuid"
baro dataset create "$SCRATCH/setuid" --allow-special 2>"$SCRATCH/why"
ok "by its path" grep -q "'/su': it is set-user-ID" "$SCRATCH/why"
ok "a FIFO is refused" not baro dataset create "$SCRATCH/setuid" --allow-setuid
ok "both are accepted where they are allowed" baro dataset create "$SCRATCH/setuid" --allow-setuid --allow-special
mkfs.erofs --quiet -zlz4 "$SCRATCH/lz4.img" "$SCRATCH/b" >/dev/null
ok "a compressed image is refused" not baro dataset import "$SCRATCH/lz4.img"
is "a valid one is taken in under its name" "$(baro dataset import "$SCRATCH/a.img" --repository "$SCRATCH/other" 2>/dev/null)" "$a"
ok "and can be verified there" baro dataset verify "$a" --repository "$SCRATCH/other"
ok "a repository is not packed into itself" not baro dataset create "$SCRATCH/b" --repository "$SCRATCH/b/store"
rm -r "$SCRATCH/b/store"
ln -s "$SCRATCH/b" "$SCRATCH/b-link"
ok "nor by another name" not baro dataset create "$SCRATCH/b-link" --repository "$SCRATCH/b"
rm -r "$SCRATCH"/b/catalogue.db* "$SCRATCH"/b/*.lock "$SCRATCH/b/packs" "$SCRATCH/b/staging"
ok "no directory is no dataset" not baro dataset create "$SCRATCH/absent"

# ---- references ----
why() { baro dataset gc --grace 0s --dry-run --output csv | grep "^$1" | cut -d, -f3-; }
is "a tag keeps a dataset" "$(why "$a")" "retain,tag code:v1"
is "nothing keeps the other" "$(why "$b")" "remove,nothing refers to it"
ref=$(baro dataset ref "$b" --kind job --detail 4711)
is "a job does" "$(why "$b")" "retain,reference: job 4711"
is "which used it since then" "$(baro dataset show "$b" --jobs --output csv | cut -d, -f1,2,4)" "job,user,until
4711,$(id -un),"
later=$(baro dataset ref "$b" --job 4712)
ok "in any zone" sh -c 'baro dataset show "$1" --jobs --zone +05:00 | grep -q "until (+05:00)"' sh "$b"
baro dataset unref "$later"
is "the newest first, also when it has ended" \
    "$(baro dataset show "$b" --jobs --output csv | sed 1d | sed 's/T[^,]*Z/T/g' | cut -d, -f1,4)" "4712,$(date -u +%F)T
4711,"
is "of the other none did" "$(baro dataset show "$a" --jobs --output csv | wc -l)" 1
lease=$(baro dataset ref "$b" --kind mount --detail node7 --lasts 1ms)
ok "a mount's reference has an end" not baro dataset ref "$b" --kind mount
baro dataset unref "$ref"
sleep 0.1
is "a mount that is not renewed does not" "$(why "$b")" "remove,nothing refers to it"
baro dataset ref "$lease" --renew --lasts 1h
is "one that is renewed does" "$(why "$b")" "retain,reference: mount node7"
baro dataset unref "$lease"
is "young datasets stay" "$(baro dataset gc --output csv | grep "^$b" | cut -d, -f3-)" "retain,younger than 1d"
ok "gc removes what nothing refers to" baro dataset gc --grace 0s
ok "which is then not there" not baro dataset verify "$b"
ok "the other is whole" baro dataset verify "$a"
ok "the repository has no damage" baro dataset fsck
baro dataset tag --remove code:v1
baro dataset tag code:v2 "$a"
is "a tag can be moved" "$(why "$a")" "retain,tag code:v2"

# ---- who may only read ----
cp -a "$BARO_DATASETS" "$SCRATCH/shared"
if [ "$(id -u)" = 0 ]; then
    chmod 755 "$SCRATCH"
    as_reader() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
else
    chmod -R a-w "$SCRATCH/shared"
    as_reader() { "$@"; }
fi
if as_reader baro --version >/dev/null 2>&1; then
    is "who cannot write can list" "$(as_reader baro dataset list --repository "$SCRATCH/shared" --output csv)" \
        "$(baro dataset list --output csv)"
    is "and export" "$(as_reader baro dataset export "$a" - --repository "$SCRATCH/shared" | sha256sum | cut -c1-64)" "$a"
    ok "and look through it" as_reader baro dataset fsck --repository "$SCRATCH/shared"
    ok "and see what gc would do" as_reader baro dataset gc --dry-run --repository "$SCRATCH/shared"
    ok "but not refer to a dataset" not as_reader baro dataset ref "$a" --repository "$SCRATCH/shared"
    ok "and not gc" not as_reader baro dataset gc --repository "$SCRATCH/shared"
else
    skip "who cannot write can read" "baro cannot be run as another user here"
fi
chmod -R u+w "$SCRATCH/shared"

# ---- what stands in staging ----
mkdir "$SCRATCH/precious" "$BARO_DATASETS/staging/killed"
echo x >"$SCRATCH/precious/file"
echo x >"$BARO_DATASETS/staging/killed/image"
ln -s "$SCRATCH/precious" "$BARO_DATASETS/staging/link"
baro dataset create "$SCRATCH/a" >/dev/null 2>&1
ok "what a killed process left is removed" not test -e "$BARO_DATASETS/staging/killed"
ok "a symbolic link is not followed" test -e "$SCRATCH/precious/file"
rm "$BARO_DATASETS/staging/link"

# ---- a catalogue that is lost, or older than the packs ----
sums() { (cd "$SCRATCH/lost/packs" && sha256sum -- *.pack); }
baro dataset create "$SCRATCH/a" --repository "$SCRATCH/lost" >/dev/null 2>&1
cp "$SCRATCH/lost/catalogue.db" "$SCRATCH/older.db"
baro dataset create "$SCRATCH/b" --repository "$SCRATCH/lost" >/dev/null 2>&1
sums >"$SCRATCH/sums"
rm "$SCRATCH"/lost/catalogue.db*
ok "no catalogue is made where there are packs" not baro dataset create "$SCRATCH/b" --repository "$SCRATCH/lost"
baro dataset create "$SCRATCH/b" --repository "$SCRATCH/lost" 2>"$SCRATCH/why"
ok "which is said" grep -q "restore catalogue.db, or name an empty directory" "$SCRATCH/why"
: >"$SCRATCH/lost/catalogue.db"
ok "nor in an empty file" not baro dataset create "$SCRATCH/b" --repository "$SCRATCH/lost"
ok "nor by gc" not baro dataset gc --grace 0s --repository "$SCRATCH/lost"
is "the packs stay" "$(sums)" "$(cat "$SCRATCH/sums")"
cp "$SCRATCH/older.db" "$SCRATCH/lost/catalogue.db"
ok "an older catalogue is used" baro dataset create "$SCRATCH/b" --repository "$SCRATCH/lost"
is "packs that it does not know stay as they were" "$(sums | grep -F -f "$SCRATCH/sums")" "$(cat "$SCRATCH/sums")"
baro dataset fsck --repository "$SCRATCH/lost" --output csv >"$SCRATCH/why"
ok "fsck reports them" grep -q "^note,.*was an older catalogue restored" "$SCRATCH/why"

# ---- a catalogue that another user wrote ----
# What it would run, or never end to read, is refused before the first question.
their() { # SQL
    rm -rf "$SCRATCH/their"
    cp -r "$SCRATCH/lost" "$SCRATCH/their"
    sqlite3 "$SCRATCH/their/catalogue.db" "$1"
    timeout 20 baro dataset list --repository "$SCRATCH/their" 2>"$SCRATCH/why"
}
their "CREATE TRIGGER x AFTER INSERT ON ref BEGIN DELETE FROM dataset; END"
is "a trigger of its own" "$? $(grep -c 'its tables are not those of version' "$SCRATCH/why")" "1 1"
their "CREATE TRIGGER sqliteXstat1 AFTER INSERT ON ref BEGIN DELETE FROM dataset; END"
is "by any name" "$? $(grep -c 'its tables are not those of version' "$SCRATCH/why")" "1 1"
their "ALTER TABLE tag RENAME TO t2; CREATE VIEW tag AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT 't' AS name, 1 AS dataset, x AS set_ns FROM c"
is "a table that is a view without an end" "$? $(grep -c 'its tables are not those of version' "$SCRATCH/why")" "1 1"
their "UPDATE chunk SET stored = -1, size = 1 << 40; UPDATE dataset SET bytes = -1, chunk_index = x'00'"
name=$(baro dataset list --repository "$SCRATCH/their" --output csv | sed -n '2s/,.*//p')
baro dataset verify "$name" --repository "$SCRATCH/their" >"$SCRATCH/why" 2>&1
is "an index that is none" "$? $(grep -c 'index: this is none' "$SCRATCH/why")" "1 1"

# ---- damage ----
pack=$(ls "$BARO_DATASETS"/packs/*.pack | head -n 1)
printf 'X' | dd of="$pack" bs=1 seek=3000 conv=notrunc 2>/dev/null
ok "a byte that was changed is found" not baro dataset fsck
ok "and is not exported" not baro dataset export "$a" "$SCRATCH/bad.img"
ok "of which nothing is left" not ls "$SCRATCH"/bad.img*
ok "fsck names the dataset" sh -c "baro dataset fsck --output csv | grep -q '^damage,$a,.*create or import it again'"
baro dataset import "$SCRATCH/a.img" 2>"$SCRATCH/why" >/dev/null
ok "an import stores again what is damaged" grep -q "^1 chunks that were damaged are stored again" "$SCRATCH/why"
ok "after which there is no damage" baro dataset fsck
ok "and the dataset is whole" baro dataset verify "$a"
finish
