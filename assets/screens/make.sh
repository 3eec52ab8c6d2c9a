#!/bin/sh
# Makes the pictures of README and guide again from the recordings in this folder:
#   assets/screens/make.sh [MATCHBOOK]
# panes.jsonl gives one picture for each of its `screen` lines, tour.jsonl one that moves.
set -eu
program=$(command -v "${1:-matchbook}")
case $program in /*) ;; *) program=$PWD/$program ;; esac
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Pictures show the path of the workspace, so it is a relative one.
cd "$folder"
"$program" screens "$here/panes.jsonl" -o "$here" --workspace workspace
"$program" screens "$here/tour.jsonl" -o "$here" --workspace workspace --animate --present
