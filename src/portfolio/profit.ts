import type { Currency } from '../domain/market-symbol.ts';
import { addUnits, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';
import type { AssetLedger } from './asset-ledger.ts';
import { partOf } from './quote-money.ts';
import { pathOf, valueIn, type PriceOf, type Prices } from './valuation.ts';

/**
 * What is held of one asset and what it is worth, in units of the profit's currency; null where that is
 * not known.
 */
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
  /** When the oldest of the prices was reported; null where none was needed. */
  readonly pricedAtMs: number | null;
}

/**
 * What a strategy has made in all, each asset valued once. `total` is `realised` and `open`, to the last
 * digit. Null where something has no price.
 */
export interface Profit {
  readonly currency: Currency;
  readonly total: Units | null;
  readonly realised: Units | null;
  readonly open: Units | null;
  /** Assets that are held and have no price in the currency. */
  readonly unvalued: readonly string[];
  /** What it ever held, by asset, in the order of the first trade of each. */
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
  for (const [asset, holding] of state.holdings) {
    const { held, cost } = holding;
    const value = valueIn(currency, { asset, amount: held }, prices);
    const by = pathOf(currency, asset, prices);
    const isCosted = partOf(cost, marketNames.otherQuote(currency)) === 0n;
    const open =
      asset === currency
        ? NO_UNITS
        : value === null || !isCosted
          ? null
          : subtractUnits(value, partOf(cost, currency));
    assets.push({ asset, held, value, open, by, pricedAtMs: oldestOf(ledger, by) });
  }
  const unvalued = assets.filter(({ value }) => value === null).map(({ asset }) => asset);
  const total = sumOf(assets.map(({ value }) => value));
  const open = sumOf(assets.map((one) => one.open));
  const realised = total === null || open === null ? null : subtractUnits(total, open);
  return { currency, total, realised, open, unvalued, assets };
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
