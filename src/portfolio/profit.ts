import type { Currency } from '../domain/market-symbol.ts';
import { addUnits, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';
import type { AssetLedger } from './asset-ledger.ts';
import { partOf } from './quote-money.ts';
import { pathOf, valueIn, valueOfAll, type PriceOf, type Prices } from './valuation.ts';

/** Holding of one asset and its value, in units of the profit's currency; null if not known. */
export interface AssetProfit {
  readonly asset: string;
  /** In units of the asset; negative when more was given away than came in. */
  readonly held: Units;
  /** At the last price. */
  readonly value: Units | null;
  /**
   * `value` less what it cost: what selling it now would realise, before fees. Zero for the currency itself.
   */
  readonly open: Units | null;
  /** The markets by which it is valued, in their order; null where there are none. */
  readonly by: readonly string[] | null;
  /** Report time of the oldest of the prices; null if none was needed. */
  readonly pricedAtMs: number | null;
}

/**
 * Total profit of a strategy, each asset valued once. `total` is `realised` plus `open`, to the last digit.
 * Null if something has no price.
 */
export interface Profit {
  readonly currency: Currency;
  readonly total: Units | null;
  readonly realised: Units | null;
  readonly open: Units | null;
  /** Assets that are held and have no price in the currency. */
  readonly unvalued: readonly string[];
  /** All assets it ever held, in the order of the first trade of each. */
  readonly assets: readonly AssetProfit[];
}

/**
 * The profit by a ledger, at its last prices, or at others where `priceOf` has any: `currency` is
 * that of the ledger unless another is named, in which only the total is known.
 */
export function profitOf(ledger: AssetLedger, priceOf: PriceOf = () => null): Profit {
  const { currency, marketNames, state } = ledger;
  const prices: Prices = {
    marketNames,
    priceOf: (market: string) => priceOf(market) ?? ledger.priceOf(market),
  };
  const assets: AssetProfit[] = [];
  // What was given and has no price of the ledger yet comes at the price of now.
  const waiting = state.unpriced.get(currency);
  for (const [asset, holding] of state.holdings) {
    const { held, cost } = holding;
    const unpriced = valueIn(currency, { asset, amount: waiting?.get(asset) ?? NO_UNITS }, prices);
    const value = valueIn(currency, { asset, amount: held }, prices);
    const by = pathOf(currency, asset, prices);
    const isCosted = partOf(cost, marketNames.otherQuote(currency)) === 0n;
    const open =
      asset === currency
        ? NO_UNITS
        : value === null || unpriced === null || !isCosted
          ? null
          : subtractUnits(value, addUnits(partOf(cost, currency), unpriced));
    assets.push({ asset, held, value, open, by, pricedAtMs: oldestOf(ledger, by) });
  }
  const unvalued = assets.filter(({ value }) => value === null).map(({ asset }) => asset);
  const total = totalIn(ledger, currency, prices);
  const open = sumOf(assets.map((one) => one.open));
  const realised = total === null || open === null ? null : subtractUnits(total, open);
  return { currency, total, realised, open, unvalued, assets };
}

/**
 * Returns the profit of a ledger in a currency: all that is held, less the value of given coins when they
 * came. Given coins that had no price yet are valued at the current one. Null if something has no price.
 */
export function totalIn({ state }: AssetLedger, currency: Currency, prices: Prices): Units | null {
  const held = [...state.holdings].map(([asset, holding]) => ({ asset, amount: holding.held }));
  const worth = valueOfAll(currency, held, prices);
  const given = valueOfAll(currency, amountsOf(state.unpriced.get(currency)), prices);
  if (worth === null || given === null) return null;
  return subtractUnits(worth, addUnits(state.inventoryValue.get(currency) ?? NO_UNITS, given));
}

function* amountsOf(
  amounts: ReadonlyMap<string, Units> = new Map(),
): Iterable<{ readonly asset: string; readonly amount: Units }> {
  for (const [asset, amount] of amounts) yield { asset, amount };
}

function oldestOf({ state }: AssetLedger, by: readonly string[] | null): number | null {
  const times = (by ?? []).flatMap((market) => state.prices.get(market)?.atMs ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

function sumOf(parts: readonly (Units | null)[]): Units | null {
  let sum: Units = NO_UNITS;
  for (const part of parts) {
    if (part === null) return null;
    sum = addUnits(sum, part);
  }
  return sum;
}
