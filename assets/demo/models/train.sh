#!/bin/sh
# Trains the two small models that the program comes with (src/runs/trained/embedded.rs) and puts them beside this file.
# Both are bags of formula windows, trained on the train part of the demo's mixed split. demo-conservation reads symbols as they
# are written; demo-full reads formulas up to renaming, at the level full, which is the same to it as any other level.
# Training gives the same bits with any number of threads and any interruption, so the same program on a processor with
# the same vector instructions gives the same weights twice. A program whose arithmetic has changed since gives others.
#
#   assets/demo/models/train.sh [MATCHBOOK]      takes seconds on two cores
set -eu
here=$(cd "$(dirname "$0")" && pwd)
matchbook=${1:-target/release/matchbook}
workspace=$(mktemp -d)
trap 'rm -rf "$workspace"' EXIT

# The history of the training, which the workbench shows as a built-in run (src/runs/built_in.rs), without what it says
# about this machine.
history() {
    run="$workspace/runs/$1"
    install -m 644 "$run/metrics.jsonl" "$here/$1/"
    without_machine "$run" "$here/$1"
}

without_machine() {
    sed -e 's/\(threads*\) on [^;]*;/\1;/' "$1/log.txt" > "$2/log.txt"
    sed -e '/"process": {/,/}/d' -e 's/"host": "[^"]*"/"host": "built in"/' "$1/status.json" > "$2/status.json"
}

train() {
    level=$1
    shift
    "$matchbook" train demo --workspace "$workspace" --run "$level" --level "$level" --encoder windows --preset tiny \
        --split mixed --width 192 --features 2300 --unseen ignore --neighbors 1 "$@"
    mkdir -p "$here/$level"
    best="$workspace/runs/$level/checkpoints/best"
    install -m 644 "$workspace/runs/$level/run.toml" "$best/weights.safetensors" "$best/features.txt" "$here/$level/"
    history "$level"
}

# The built-in study: the runs of one table with their evaluations, without weights.
"$matchbook" study invariant demo --workspace "$workspace" --preset tiny --encoders windows --seeds 1 > /dev/null
packed="$workspace/packed"
for run in "$workspace"/runs/study-*; do
    target="$packed/$(basename "$run")"
    mkdir -p "$target/evaluation"
    install -m 644 "$run/run.toml" "$run/metrics.jsonl" "$target/"
    install -m 644 "$run"/evaluation/*.json "$target/evaluation/"
    without_machine "$run" "$target"
done
(cd "$packed" && tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf - -- *) | zstd -q -19 -f -o "$here/../study.tar.zst"

# After the study, so that lists with the newest run first begin with the models.
train conservation --symbols literal
train full --symbols renamed
