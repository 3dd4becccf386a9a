# Sourced by ./oneroof and ./check, after find-jdk.sh and with root set: what both need to build with Maven.

# The module that is run: app, or bench, which holds the app too. Each is assembled in a folder of its own. Its mark says that
# it is built; the time of the mark is the start of that build, so an edit made meanwhile counts as newer.
select_module() {
  module=$1
  app=$root/oneroof-$module/target/$module
  built=$app/.built
}
select_module app
build_start=$root/target/.build-start

say() { printf '%s: %s\n' "${0##*/}" "$1" >&2; }

die() {
  say "$1"
  exit 1
}

# One build at a time in this checkout, of ./oneroof and ./check alike: they write the same target folders. The lock sits
# on descriptor 9 and falls when the process ends, however it ends.
lock_build() {
  command -v mvn >/dev/null || die "building needs Maven, and there is no mvn on the PATH."
  { mkdir -p "$root/target" && : >>"$root/target/.build.lock"; } 2>/dev/null ||
    die "building needs to write to $root, and cannot."
  exec 9>>"$root/target/.build.lock"
  if ! lock_descriptor_9 now; then
    say "waiting for another build…"
    lock_descriptor_9 wait
  fi
}

unlock_build() { exec 9>&-; }

# flock(1) is on every Linux, perl on every Mac. Both lock the open file, so the lock outlives the program that took it.
lock_descriptor_9() {
  if command -v flock >/dev/null; then
    if [ "$1" = now ]; then flock -n 9; else flock 9; fi
  elif command -v perl >/dev/null; then
    perl -e 'open(my $lock, ">>&=", 9) or die $!; exit !flock($lock, 2 | ($ARGV[0] eq "now" ? 4 : 0))' "$1"
  else
    die "building needs flock or perl, so that no two builds run at once."
  fi
}

begin_build() { : >"$build_start"; }

# Marks what is built. A build of bench has built the app as well.
finish_build() {
  if [ "$1" = bench ]; then cp -p "$build_start" "$root/oneroof-bench/target/bench/.built"; fi
  mv -f "$build_start" "$root/oneroof-app/target/app/.built"
}

# Turns this subshell into Maven, without the lock: a daemon that Maven leaves behind must not keep it.
exec_maven() {
  cd "$root" || exit
  export JAVA_HOME=$jdk_home
  # Colour resets at the end of a plain log, and warnings of newer JDKs about what Maven's own libraries do: not our news.
  MAVEN_OPTS="-Djansi.noreset=true ${MAVEN_OPTS:-}"
  if [ "$jdk_major" -ge 24 ]; then
    MAVEN_OPTS="--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow $MAVEN_OPTS"
  fi
  export MAVEN_OPTS
  exec mvn -B "$@" 9>&-
}
