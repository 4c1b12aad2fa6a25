#!/usr/bin/env bash
# Lets ccxt (JavaScript and Python) and the two official connectors call the exchange binance-spot: run.sh [FOLDER]
# What they read must be what is in the tables of the exchange. They are installed into the folder, from npm and PyPI.
set -euo pipefail
cd "$(dirname "$0")/../../.."
PATH=$PWD/node_modules/node/bin:$PATH
folder=$(realpath -m "${1:-node_modules/.cache/strangers}")
mkdir -p "$folder"
[ -f "$folder/package.json" ] || echo '{ "private": true }' > "$folder/package.json"
npm install --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts \
  ccxt@4.5.84 @binance/connector@3.6.1 @binance/spot@32.0.4
[ -d "$folder/venv" ] || python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q ccxt==4.5.90
node test/strangers/binance-spot/main.ts "$folder"
