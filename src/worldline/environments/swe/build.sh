# Runs in the sandbox: makes git repositories of the unpacked sources in /opt/src.
set -eu
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=Maintainer GIT_AUTHOR_EMAIL=maintainer@example.org
export GIT_COMMITTER_NAME=Maintainer GIT_COMMITTER_EMAIL=maintainer@example.org
name=$1 version=$2 stamp=$3 tests=$4
cd "$HOME"
cp -r "/opt/src/$name" "$name"
cd "$name"
rm -rf PKG-INFO ./*.egg-info src/*.egg-info
find . -type d -exec chmod 755 {} + -o -type f -exec chmod u=rwX,go=rX {} +
git init -q -b main .
printf '__pycache__/\n*.pyc\n.pytest_cache/\n' >> .git/info/exclude
rm -f .git/hooks/*.sample
git config core.checkStat minimal
git config core.trustctime false
git config gc.auto 0
day=1
commit() {
    export GIT_AUTHOR_DATE="2025-05-0$day 09:30:00 +0000" GIT_COMMITTER_DATE="2025-05-0$day 09:30:00 +0000"
    git diff --cached --quiet || { git commit -q -m "$1"; day=$((day + 1)); }
}
git add -- $(find . -maxdepth 1 -type f \( -name 'LICENSE*' -o -name 'README*' -o -name '*.toml' -o -name '*.cfg' \))
commit "Packaging of $name"
git add -A -- . ":!$tests"
commit "Sources of $name $version"
git add -A .
commit "Tests of $name $version"
# byte code that is checked by content: an edit within a second of the last one is still seen
python3 -m compileall -q --invalidation-mode checked-hash . > /dev/null 2>&1 || true
cd "$HOME"
find "$name" -exec touch -h -d "@$stamp" {} +
tar cf - --sort=name --format=pax --pax-option=delete=atime,delete=ctime "$name"
