# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
# Shared by the shell scripts here: where things are, how to speak, how to run
# a long step. Source it; it defines names and changes nothing by itself.

set -euo pipefail
export LC_ALL=C

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build=${BUILD:-$top/build}
logs=$build/log
jobs=${JOBS:-$(nproc)}
mkdir -p "$logs"

export CCACHE_DIR=${CCACHE_DIR:-$build/ccache}
export CCACHE_BASEDIR=$top
export CCACHE_NOHASHDIR=1
export CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-8G}

say() { printf '%s\n' "$*"; }
warn() { printf 'warning: %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# step NAME TITLE COMMAND...: run a long command with its output in
# build/log/NAME.log; show the title and the elapsed time while it runs, the
# end of the log if it fails. V=1 shows the output itself.
step()
{
	local title=$2 log=$logs/$1.log start=$SECONDS rc=0 pid
	shift 2
	if [ "${V:-0}" = 1 ]; then
		say "== $title"
		"$@" 2>&1 | tee "$log" || rc=$?
	else
		"$@" >"$log" 2>&1 </dev/null &
		pid=$!
		# shellcheck disable=SC2064
		trap "kill $pid 2>/dev/null || :; exit 130" INT TERM
		progress "$title" "$pid" "$log"
		wait "$pid" || rc=$?
		trap - INT TERM
	fi
	if [ "$rc" != 0 ]; then
		tail -n 20 "$log" >&2
		printf 'error: %s failed after %ds (exit code %d); whole log: %s\n' \
			"$title" "$((SECONDS - start))" "$rc" "${log#"$top"/}" >&2
		return "$rc"
	fi
	printf '%s: done in %ds\n' "$title" "$((SECONDS - start))"
}

# On a terminal one line that counts; elsewhere a line each half minute.
progress()
{
	local title=$1 pid=$2 log=$3 start=$SECONDS next=30 t
	[ -t 1 ] || say "$title (log: ${log#"$top"/})"
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.2
		t=$((SECONDS - start))
		if [ -t 1 ]; then
			printf '\r%s: %ds ' "$title" "$t"
		elif [ "$t" -ge "$next" ]; then
			say "$title: ${t}s"
			next=$((next + 30))
		fi
	done
	[ ! -t 1 ] || printf '\r'
}

# Run the rest of the script by one process at a time.
lock()
{
	exec {lock_fd}>"$build/.lock-$1"
	if ! flock -n "$lock_fd"; then
		say "waiting for another run of '$1' to end"
		flock "$lock_fd"
	fi
}
