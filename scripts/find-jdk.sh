# Sourced by ./oneroof and ./check: finds a Java that is new enough. Nothing is remembered between runs, so nothing goes
# stale; a version is read from the `release` file that every JDK carries, which costs no process.
#
#   find_jdk java    any Java from 21 on, to run
#   find_jdk javac   a JDK from 21 on, to build
#
# sets jdk_home, jdk_major and jdk_version; or says on stderr what it saw, and fails.
# Order: ONEROOF_JAVA_HOME (binding when set), JAVA_HOME, the PATH, then the newest one in the usual folders.

jdk_least=21

# Where JDKs usually lie: each entry is a folder of JDKs.
jdk_folders=/usr/lib/jvm:/usr/lib64/jvm:/usr/java:/opt/java:/opt
jdk_folders=$jdk_folders:/Library/Java/JavaVirtualMachines:${HOME:-}/Library/Java/JavaVirtualMachines
jdk_folders=$jdk_folders:/opt/homebrew/opt:/usr/local/opt
jdk_folders=$jdk_folders:${HOME:-}/.sdkman/candidates/java:${HOME:-}/.jdks
jdk_folders=$jdk_folders:${HOME:-}/.asdf/installs/java:${HOME:-}/.local/share/mise/installs/java
jdk_folders=${ONEROOF_JDK_DIRS-$jdk_folders}

find_jdk() {
  local tool=$1
  jdk_home='' jdk_major=0 jdk_version='' jdk_unfit=''

  if [ -n "${ONEROOF_JAVA_HOME:-}" ]; then
    # Asked for by name: to take another one instead would hide the mistake.
    take_if_fit "$ONEROOF_JAVA_HOME" "$tool" || report_no_jdk "$tool" "ONEROOF_JAVA_HOME"
    return
  fi
  if [ -n "${JAVA_HOME:-}" ] && take_if_fit "$JAVA_HOME" "$tool"; then return; fi
  if find_home_on_path && take_if_fit "$found_home" "$tool"; then return; fi
  take_newest_in_folders "$tool"
  [ -n "$jdk_home" ] || report_no_jdk "$tool" "JAVA_HOME, the PATH, $jdk_folders"
}

take_if_fit() {
  if [ ! -x "$1/bin/java" ]; then
    note_unfit "no Java" "$1"
    return 1
  fi
  read_java_version "$1" && found_is_fit "$2" && take_found
}

take_newest_in_folders() {
  local tool=$1 rest=$jdk_folders: folder entry
  while [ -n "$rest" ]; do
    folder=${rest%%:*}
    rest=${rest#*:}
    [ -n "$folder" ] || continue
    for entry in "$folder"/*; do
      if ! find_home_in "$entry" || ! read_java_version "$found_home" || ! found_is_fit "$tool"; then continue; fi
      if [ "$found_early" = yes ]; then
        # Taken when named by a variable or the PATH, but never picked.
        note_unfit "$found_version, an early-access build," "$found_home"
      elif [ "$found_major" -gt "$jdk_major" ]; then
        take_found
      fi
    done
  done
}

found_is_fit() {
  if [ "$found_major" -lt "$jdk_least" ]; then
    note_unfit "$found_version" "$found_home"
  elif [ ! -x "$found_home/bin/$1" ]; then
    note_unfit "$found_version without $1" "$found_home"
  else
    return 0
  fi
  return 1
}

take_found() {
  jdk_home=$found_home jdk_major=$found_major jdk_version=$found_version
}

# The Java home inside a folder: Homebrew and the bundles of macOS keep it further down.
find_home_in() {
  for found_home in "$1/libexec/openjdk.jdk/Contents/Home" "$1/Contents/Home" "$1"; do
    if [ -x "$found_home/bin/java" ]; then return 0; fi
  done
  return 1
}

# The home behind the PATH's java, through its symlinks (on most Linuxes /usr/bin/java is a row of them).
find_home_on_path() {
  local java link
  java=$(command -v java) || return 1
  if [ "$java" = /usr/bin/java ] && [ -x /usr/libexec/java_home ]; then
    # macOS: a stub that offers to install a Java when there is none. This asks the same question quietly.
    found_home=$(/usr/libexec/java_home 2>/dev/null)
    return
  fi
  while [ -L "$java" ]; do
    link=$(readlink "$java")
    case $link in
      /*) java=$link ;;
      *) java=${java%/*}/$link ;;
    esac
  done
  found_home=$(CDPATH='' cd -P -- "${java%/*}/.." && pwd)
}

# Sets found_version (as precise as it gets), found_major and found_early; found_home too, as $1 may be only a shim.
read_java_version() {
  local line name value plain='' precise=''
  found_home=$1
  if [ -r "$1/release" ]; then
    while IFS= read -r line || [ -n "$line" ]; do
      name=${line%%=*} value=${line#*=}
      value=${value#\"} value=${value%\"}
      case $name in
        JAVA_VERSION) plain=$value ;;
        JAVA_RUNTIME_VERSION) precise=$value ;;
      esac
    done <"$1/release"
  fi
  if [ -z "$plain" ]; then
    # A distribution that leaves the file out, or the shim of a version manager: only Java itself knows.
    while IFS= read -r line; do
      name=${line%% = *} name=${name##* } value=${line#* = }
      case $name in
        java.home) found_home=$value ;;
        java.version) plain=$value ;;
        java.runtime.version) precise=$value ;;
      esac
    done < <("$1/bin/java" -XshowSettings:properties -version 2>&1 </dev/null)
  fi
  found_version=${precise:-$plain}
  found_major=${plain%%[!0-9]*}
  found_early=no
  case ${found_version%%+*} in *-*) found_early=yes ;; esac # 27-ea+3, but not 25.0.1+8-LTS
  if [ -z "$found_major" ]; then
    note_unfit "a Java that does not tell its version" "$1"
    return 1
  fi
}

# The same home often shows up twice, on the PATH and in its folder, or by a symlink next to it.
note_unfit() {
  local home line
  home=$(CDPATH='' cd -P -- "$2" 2>/dev/null && pwd) || home=$2
  line="  found $1 at $home"$'\n'
  case $jdk_unfit in *"$line"*) ;; *) jdk_unfit=$jdk_unfit$line ;; esac
}

report_no_jdk() {
  local what=JDK
  if [ "$1" = java ]; then what=Java; fi
  {
    printf '%s: needs a %s from %s on, and found none that fits.\n%s' "${0##*/}" "$what" "$jdk_least" "$jdk_unfit"
    printf '  Looked at %s.\n' "$2"
    printf '  Install one, or set ONEROOF_JAVA_HOME to where one lies.\n'
  } >&2
  return 1
}
