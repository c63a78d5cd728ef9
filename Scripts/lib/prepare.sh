# shellcheck shell=sh
# Finds what building needs and installs what is missing. If that is not allowed, it prints the
# exact line to type. Scripts source it in the checkout; $program is the name in its messages.
: "${program:=aggregator}"

# A header, and the packages that bring it: Debian's, Homebrew's (Xcode brings the first), Fedora's.
needs='
cstdlib     g++                  -      gcc-c++
curl/curl.h libcurl4-openssl-dev curl   libcurl-devel
sqlite3.h   libsqlite3-dev       sqlite sqlite-devel
'

say() { printf '%s: %s\n' "$program" "$*" >&2; }

fail() {
  status=$1
  shift
  say "$@"
  exit "$status"
}

# Quotes arguments for a shell.
quoted() {
  line=
  for word; do
    case $word in
    '' | *[!A-Za-z0-9_./:=@%+,-]*) word=\'$(printf %s "$word" | sed "s/'/'\\\\''/g")\' ;;
    esac
    line=${line:+$line }$word
  done
  printf '%s' "$line"
}

# Copies a file in one piece; `cp` copies in small ones. Where dd fails, cp tries too, and says why it cannot.
copy_whole() { dd if="$1" of="$2" bs=67108864 status=none || cp "$1" "$2"; }

# Prints the output of a build or test run without its counts of files and its good news.
without_progress() { sed -E '/^\[[0-9]+\/[0-9]+\] /d; /^◇ /d; /^✔ (Test|Suite) [^r]/d' "$1"; }

need_swift() {
  command -v swift >/dev/null && return
  fail 72 "Swift is missing; install version 6.2 or later from https://www.swift.org/install/ and run this again"
}

need_libraries() {
  if command -v apt-get >/dev/null; then
    manager=apt-get
  elif command -v brew >/dev/null; then
    manager=brew
  else
    manager=dnf # not used, only named: the other family Swift is released for
  fi
  packages=$(missing_packages | sort -u | tr '\n' ' ')
  packages=${packages% }
  [ -z "$packages" ] || install_packages
}

# Programs and libraries that a few tests need, and their packages of Debian and Homebrew. Without a program its tests are skipped.
test_tools='
bash   bash     -
fish   fish     fish
jq     jq       jq
libxml2.so.2 libxml2 -
libyaml-0.so.2 libyaml-0-2 -
man    man-db   -
mandoc mandoc   mandoc
pg_ctlcluster postgresql -
tmux   tmux     tmux
zsh    zsh      -
'

# True if a program is on the PATH, or a library in the folders of the system. macOS brings these libraries.
has_tool() {
  case $1 in
  lib*.so.*) [ "$(uname)" = Darwin ] || [ "$(find /usr/lib /usr/lib64 -maxdepth 2 -name "$1" 2>/dev/null)" ] ;;
  *) command -v "$1" >/dev/null ;;
  esac
}

# Installs them if that needs no question; else says which tests will be skipped.
want_test_tools() {
  missing='' packages=''
  while read -r tool debian homebrew; do
    if [ -z "$tool" ] || has_tool "$tool"; then continue; fi
    missing="${missing:+$missing }$tool"
    if command -v apt-get >/dev/null; then package=$debian; else package=$homebrew; fi
    [ "$package" = - ] || packages="${packages:+$packages }$package"
  done <<TOOLS
$test_tools
TOOLS
  [ -n "$missing" ] || return 0
  if [ -n "$packages" ] && command -v apt-get >/dev/null && as_root true 2>/dev/null; then
    say "installing $packages…"
    { apt_get install || { apt_get update && apt_get install; }; } >/dev/null 2>&1 && return
  fi
  say "not installed: $missing; the tests that need them will be skipped"
}

# What Scripts/test-page needs: a browser, and modules of Python in a folder of their own. They are some hundred megabytes, so that they are
# installed only where nothing may be skipped.
judges='playwright==1.65.2 axe-playwright-python==0.1.8'

want_judges() {
  [ "${REFUSE_TO_SKIP:-}" ] && command -v apt-get >/dev/null && as_root true 2>/dev/null || return 0
  packages=''
  command -v chromium >/dev/null || packages=chromium
  # Debian's Python says only in the middle of its work that it cannot make the folder.
  python3 -c 'import ensurepip, venv' 2>/dev/null || packages="${packages:+$packages }python3-venv"
  if [ "$packages" ]; then
    say "installing $packages…"
    { apt_get install || { apt_get update && apt_get install; }; } >/dev/null 2>&1 || return 0
  fi
  if ! Scripts/test-page --ready >/dev/null 2>&1; then
    say "installing $judges…"
    # shellcheck disable=SC2086
    python3 -m venv --clear .build/judges >/dev/null 2>&1 && .build/judges/bin/python -m pip install --quiet --disable-pip-version-check $judges >/dev/null 2>&1 || :
  fi
  if ! Scripts/test-mcp --ready >/dev/null 2>&1; then
    say "installing clients of the Model Context Protocol…"
    Scripts/test-mcp --install >/dev/null 2>&1 || :
  fi
  if ! Scripts/test-singer --ready >/dev/null 2>&1; then
    say "installing the programs of Singer and Meltano…"
    Scripts/test-singer --install >/dev/null 2>&1 || :
  fi
}

missing_packages() {
  # Swift's own clang knows every folder that the build will search. Without any compiler the build's own error is better.
  compiler=$(dirname -- "$(command -v swift)")/clang
  [ -x "$compiler" ] || compiler=$(command -v clang || command -v c++ || echo false)
  printf '%s' "$needs" | while read -r header debian homebrew fedora; do
    case $manager in apt-get) package=$debian ;; brew) package=$homebrew ;; *) package=$fedora ;; esac
    [ -z "$header" ] || [ "$package" = - ] || printf '#if !__has_include(<%s>)\n%s\n#endif\n' "$header" "$package"
  done | "$compiler" -E -P -x c++ - 2>/dev/null | grep . || :
  # libcurl is opened by name on first use, so that only then its absence would show.
  if [ "$(uname)" = Linux ] && libraries=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null); then
    case $libraries in
    *libcurl.so.4*) ;;
    *) if [ "$manager" = apt-get ]; then echo libcurl4; else echo libcurl; fi ;;
    esac
  fi
}

# The names of packages have no blanks.
# shellcheck disable=SC2086
install_packages() {
  case $manager in
  brew)
    type="brew install $packages"
    attempt() { brew install $packages; }
    ;;
  *)
    type="sudo $manager install -y $packages"
    [ "$manager" != apt-get ] || type="sudo apt-get update && $type"
    if [ "$manager" = dnf ] || ! as_root true 2>/dev/null; then
      fail 72 "missing packages: $packages; to install them, type: $type"
    fi
    # The lists of packages are often empty in a container, and old elsewhere; they are fetched only if the installation fails.
    attempt() { apt_get install || { apt_get update && apt_get install; }; }
    ;;
  esac
  say "installing $packages…"
  installing=$(mktemp)
  if ! attempt >"$installing" 2>&1; then
    tail -n 15 "$installing" >&2
    rm -f "$installing"
    fail 72 "cannot install $packages, as shown above (is there a network?); to try again, type: $type"
  fi
  rm -f "$installing"
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

# shellcheck disable=SC2086
apt_get() {
  [ "$1" = update ] || set -- "$@" -y --no-install-recommends $packages
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 "$@"
}
