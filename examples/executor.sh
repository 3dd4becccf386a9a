#!/usr/bin/env bash
# An executor of jobs in a shell: leases one job after another, has a command do it, and tells how it ended. It ends when
# nothing is due. On SIGTERM and Ctrl-C it ends the command, with all that it has started, and hands the job back.
#
#   examples/executor.sh KIND COMMAND [ARGUMENT…]
#
# The command gets the payload on its standard input; its exit code says whether the job is done. psql finds the database by
# PGHOST, PGDATABASE and the like. The login needs the role dot_executor, and grants for the kind and for its own name, which
# begins with 'shell-' or what EXECUTOR says in place of 'shell':
#
#   oneroof executor grant LOGIN --kind KIND --executor 'shell-*' --reason TEXT
set -euo pipefail

if [ $# -lt 2 ]; then
  echo "executor.sh: a kind of jobs and a command are needed" >&2
  echo "usage: executor.sh KIND COMMAND [ARGUMENT…]" >&2
  exit 2
fi
kind=$1
shift
# Or every job that is due would lose an attempt by a slip of the hand.
if ! command -v -- "$1" >/dev/null; then
  echo "executor.sh: there is no command '$1'" >&2
  exit 2
fi
owner="${EXECUTOR:-shell}-$(uname -n)-$$"

# Values go in as psql's variables, which it quotes.
ask() {
  psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 "$@"
}

# The command is the first of a process group: a signal to that reaches what it has started, too.
signal() {
  kill "-$1" -- "-$2" 2>/dev/null
}

# Extends the lease while the command and this script run, and ends the command where the job is not ours any more or is to
# be given up. Who is killed extends nothing: somebody else gets the job.
keep() {
  local job=$1 token=$2 seconds=$3 worker=$4 verdict
  while sleep "$seconds" && kill -0 "$worker" 2>/dev/null && kill -0 $$ 2>/dev/null; do
    verdict=$(ask --set=job="$job" --set=token="$token" <<'SQL'
SELECT verdict FROM oneroof.fn_job_extend(ARRAY[:'job']::uuid[], ARRAY[:'token']::uuid[]);
SQL
    ) || continue
    case $verdict in
      held | busy) ;;
      *)
        signal TERM "$worker" || :
        return
        ;;
    esac
  done
}

# What is unfinished goes back to the others, and that is no attempt. Only when the command has ended: until then the lease
# is kept. What does not end in ten seconds is killed.
leave() {
  trap '' TERM INT
  if [ -n "$worker" ]; then
    signal TERM "$worker" || :
    for _ in {1..100}; do
      signal 0 "$worker" || break
      sleep 0.1
    done
    signal KILL "$worker" || :
  fi
  [ -z "$keeper" ] || signal KILL "$keeper" || :
  if [ -n "$leased" ]; then
    IFS='|' read -r job token _ <<<"$leased"
    ask --set=job="$job" --set=token="$token" >/dev/null <<'SQL' || :
SELECT oneroof.fn_job_hand_back(ARRAY[:'job']::uuid[], ARRAY[:'token']::uuid[]);
SQL
  fi
}

leased='' worker='' keeper=''
trap leave EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

while :; do
  leased=$(ask --set=kind="$kind" --set=owner="$owner" <<'SQL'
SELECT job_id, lease_token, greatest(1, floor(extract(epoch FROM lease_until - clock_timestamp()) / 3)), payload
FROM oneroof.fn_job_lease(ARRAY[:'kind'], 1, :'owner');
SQL
  )
  [ -n "$leased" ] || exit 0
  IFS='|' read -r job token seconds payload <<<"$leased"

  # With job control each of the two gets a process group of its own.
  set -m
  "$@" <<<"$payload" &
  worker=$!
  keep "$job" "$token" "$seconds" "$worker" </dev/null &
  keeper=$!
  set +m
  status=0
  wait "$worker" || status=$?
  # Not by a signal that can be caught: a child that has not put its parent's traps away yet would hand the job back.
  signal KILL "$keeper" || :
  wait "$keeper" 2>/dev/null || :
  worker='' keeper=''

  if [ "$status" -eq 0 ]; then
    ask --set=job="$job" --set=token="$token" >/dev/null <<'SQL'
SELECT oneroof.fn_job_complete(:'job', :'token');
SQL
  else
    ask --set=job="$job" --set=token="$token" --set=error="exit code $status" >/dev/null <<'SQL'
SELECT oneroof.fn_job_fail(:'job', :'token', 'ExitCode', :'error');
SQL
  fi
  leased=''
done
