#!/usr/bin/env bash
# Sends the control API what its OpenAPI page allows and what it refuses: dashboard.sh PATH-OF-SCHEMATHESIS
# It must answer all of it as the page says, and never with an error of its own.
set -euo pipefail
cd "$(dirname "$0")/../.."
# The machine may have an older Node; npm scripts run on this one.
PATH=$PWD/node_modules/node/bin:$PATH
folder=$(mktemp -d)
server=
finish() {
  if [ -n "$server" ]; then kill "$server" && wait "$server" || true; fi
  rm -rf "$folder"
}
trap finish EXIT
# Something to look at: minutes of a market, and what two strategies traded in it.
node bin/sarraf.js run --data "$folder" --speed max --for 3s --set dashboard.port=null > "$folder/run.log"
node bin/sarraf.js dashboard --data "$folder" --port 0 --json > "$folder/address.json" &
server=$!
for _ in $(seq 100); do
  if [ -s "$folder/address.json" ]; then break; fi
  sleep 0.2
done
address=$(sed -E 's/.*"address":"([^"]+)".*/\1/' "$folder/address.json")
SARRAF_DASHBOARD_TOKEN=$(cat "$folder/dashboard-token")
export SARRAF_DASHBOARD_TOKEN
curl -sf -H "Authorization: Bearer $SARRAF_DASHBOARD_TOKEN" "$address/api/v1/openapi.json" > "$folder/openapi.json"
"$1" --config-file test/schemathesis/dashboard.toml run "$folder/openapi.json" --url "$address"
