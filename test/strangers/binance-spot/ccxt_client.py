"""Calls the exchange with ccxt: ADDRESS KEY SECRET. Prints what it read as JSON."""

import json
import sys

import ccxt

address, key, secret = sys.argv[1:]
client = ccxt.binance(
    {
        "apiKey": key,
        "secret": secret,
        "enableRateLimit": False,
        "options": {
            "fetchMarkets": {"types": ["spot"]},
            "fetchCurrencies": False,
            "fetchMargins": False,
            "recvWindow": 60000,
        },
    }
)
for name in ("public", "private"):
    client.urls["api"][name] = f"{address}/api/v3"
# The clock of the exchange stands still while this runs.
client.milliseconds = lambda: client.clock
client.clock = 0
client.clock = client.fetch_time()

symbol = "BTC/USDT"
markets = client.load_markets()
low = round(client.fetch_order_book(symbol, 5)["bids"][0][0] * 0.9)
assert client.fetch_ohlcv(symbol, "1h", limit=3)
bought = client.create_order(symbol, "market", "buy", 0.001)
resting = client.create_order(symbol, "limit", "buy", 0.001, low)
assert [order["id"] for order in client.fetch_open_orders(symbol)] == [resting["id"]]
client.cancel_order(resting["id"], symbol)
print(
    json.dumps(
        {
            "markets": [market["id"] for market in markets.values()],
            "bought": bought["id"],
            "canceled": resting["id"],
            "orders": [int(order["id"]) for order in client.fetch_orders(symbol)],
            "trades": [int(trade["id"]) for trade in client.fetch_my_trades(symbol)],
            "usdt": client.fetch_balance()["USDT"]["total"],
        }
    )
)
