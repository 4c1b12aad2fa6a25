import type { SimulatedExchange } from '../core/exchange.ts';
import type { MarketState } from '../core/market/market-state.ts';
import type { SimulatedOrder } from '../core/trading/order.ts';
import type { Wallet } from '../core/wallet.ts';

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value > 0;

/**
 * Checks that a restored exchange can go on: its books add up, wallets hold the amounts that their orders
 * hold, and prices and amounts are whole numbers. Throws a `RangeError` that names the first violation.
 */
export function checkRestored(exchange: SimulatedExchange): void {
  const { accounts, trading } = exchange;
  for (const market of exchange.markets.values()) checkMarket(market);
  const held = new Map<Wallet, bigint>();
  for (const trader of trading.allTraders()) {
    for (const order of trader.open.values()) {
      checkOrder(order);
      held.set(order.payingWallet, (held.get(order.payingWallet) ?? 0n) + order.held);
    }
  }
  for (const wallet of accounts.allWallets()) {
    const expected = held.get(wallet) ?? 0n;
    if (wallet.held !== expected) {
      throw new RangeError(
        `expected wallet ${wallet.id} to hold ${expected} units for open orders, was ${wallet.held}`,
      );
    }
  }
  const currencies = new Set([...accounts.allWallets()].map(({ currency }) => currency));
  for (const currency of currencies) {
    const imbalance = accounts.imbalanceOf(currency);
    if (imbalance !== 0n)
      throw new RangeError(`expected the books of ${currency} to add up to 0, was ${imbalance}`);
  }
}

function checkMarket(market: MarketState): void {
  const { symbol } = market.rules;
  if (!isCount(market.lastPrice)) {
    throw new RangeError(`expected a last price of ${symbol} in whole steps, was ${market.lastPrice}`);
  }
  const bad = market.candles
    .bars('1m')
    .find((bar) => ![bar.open, bar.high, bar.low, bar.close].every(isCount));
  if (bad !== undefined)
    throw new RangeError(`expected candles of ${symbol} in whole steps, was ${bad.open}`);
}

function checkOrder(order: SimulatedOrder): void {
  const isWhole = isCount(order.amount) && isCount(order.remaining) && isCount(order.price);
  if (isWhole && order.remaining <= order.amount && order.held >= 0n) return;
  throw new RangeError(
    `expected open order ${order.id} with something left at a price, was ${order.remaining} of ${order.amount} at ${order.price}`,
  );
}
