import type { Currency, MarketNames } from '../domain/market-symbol.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import { addUnits, formatUnits, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';
import type { AssetLedger } from './asset-ledger.ts';
import {
  partOf,
  pathOf,
  valueIn,
  valueOfAll,
  type PriceOf,
  type Prices,
  addMoney,
  moneyIn,
  NO_MONEY,
  subtractMoney,
  atOwnCost,
  type Holding,
  TRACK_TO_BEGIN,
  storedTrack,
} from './holding.ts';
import { z } from 'zod';
import { storedCount, storedTimeMs, storedUnits } from '../domain/stored-json.ts';

/** Holding of one asset and its value, in units of the profit's currency; null if not known. */
export interface AssetProfit {
  readonly asset: string;
  /** Amount in units of the asset; negative if more left than came in. */
  readonly held: Units;
  /** Value at the last price. */
  readonly value: Units | null;
  /** `value` less its cost: the profit of selling it now, before fees. Zero for the currency itself. */
  readonly open: Units | null;
  /** The markets that value it, in order; null if there are none. */
  readonly by: readonly string[] | null;
  /** Time of the oldest price used; null if none was needed. */
  readonly pricedAtMs: number | null;
}

/** Total profit of a strategy: `realised` plus `open`, exactly. Null if an asset has no price. */
export interface Profit {
  readonly currency: Currency;
  readonly total: Units | null;
  readonly realised: Units | null;
  readonly open: Units | null;
  /** Held assets without a price in the currency. */
  readonly unvalued: readonly string[];
  /** All assets held at any time, in the order of their first trades. */
  readonly assets: readonly AssetProfit[];
}

/**
 * Returns the profit of a ledger, at its last prices, or at those of `priceOf` where it has any. `currency`:
 * default the ledger's; in another one only the total is known.
 */
export function profitOf(ledger: AssetLedger, priceOf: PriceOf = () => null): Profit {
  const { currency, marketNames, state } = ledger;
  const prices: Prices = {
    marketNames,
    priceOf: (market: string) => priceOf(market) ?? ledger.priceOf(market),
  };
  const assets: AssetProfit[] = [];
  // Given coins without a price in the ledger are valued at the current price.
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

/** Profit of a strategy as decimal texts; null if something that it holds has no price. */
export interface ProfitText {
  readonly currency: Currency;
  readonly profit: DecimalText | null;
  readonly realised: DecimalText | null;
  readonly open: DecimalText | null;
  /** Amount held of each asset that was traded, except the currency itself. */
  readonly positions: Readonly<Record<string, DecimalText>>;
  /** Assets that are held but have no price. */
  readonly unvalued: readonly string[];
}

/** Returns the profit of a ledger as texts at the markets' current prices, or at its last prices. */
export function profitText(ledger: AssetLedger, priceOf?: PriceOf): ProfitText {
  const { currency, total, realised, open, assets, unvalued } = profitOf(ledger, priceOf);
  const positions = assets
    .filter(({ asset }) => asset !== currency)
    .map(({ asset, held }) => [asset, formatUnits(held)]);
  return {
    currency,
    profit: total === null ? null : formatUnits(total),
    realised: realised === null ? null : formatUnits(realised),
    open: open === null ? null : formatUnits(open),
    positions: Object.fromEntries(positions) as Record<string, DecimalText>,
    unvalued,
  };
}

/**
 * Returns the profit of a ledger in a currency: the value of all holdings, less the value of given coins when
 * they came. Given coins without a price so far are valued at the current one. Null if an asset has no price.
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

/** Schema of a ledger as JSON, for the mirror. Units are decimal texts there. */
export function storedLedger({ quotes }: Pick<MarketNames, 'quotes'>) {
  const names = quotes.map(({ currency }) => currency);
  const money = z.object(Object.fromEntries(names.map((name) => [name, storedUnits])));
  return z.object({
    currency: z.enum(names),
    holdings: z.record(
      z.string(),
      z.object({ held: storedUnits, cost: money, realised: money, tripBeganWith: money }),
    ),
    flows: z.record(z.string(), z.object({ position: storedUnits, cash: storedUnits })),
    prices: z.record(z.string(), z.object({ price: storedUnits, atMs: storedTimeMs })),
    tracks: z.partialRecord(z.enum(names), storedTrack),
    // Missing in rows of old versions, in which strategies could not be given coins.
    inventory: z.record(z.string(), storedUnits).default({}),
    inventoryValue: z.partialRecord(z.enum(names), storedUnits).default({}),
    unpriced: z.partialRecord(z.enum(names), z.record(z.string(), storedUnits)).default({}),
    lossesInARow: storedCount,
    lastLossAtMs: storedTimeMs.nullable(),
  });
}

type LedgerShape = ReturnType<typeof storedLedger>;

/** Returns the parts of a ledger that are stored (`storedForm`). */
export function storeLedger({ currency, marketNames, state }: AssetLedger): object {
  const { holdings, flows, prices, tracks, inventory, inventoryValue, unpriced, streak } = state;
  const none: Record<Currency, Units> = {};
  for (const quote of marketNames.quotes) none[quote.currency] = NO_UNITS;
  const held = new Map<string, Holding>();
  for (const [asset, holding] of holdings) {
    const { cost, realised, tripBeganWith } = holding;
    held.set(asset, {
      held: holding.held,
      cost: { ...none, ...cost },
      realised: { ...none, ...realised },
      tripBeganWith: { ...none, ...tripBeganWith },
    });
  }
  const marks = new Map<Currency, object>();
  for (const [quote, track] of tracks) marks.set(quote, track.marks);
  const own = { flows, prices, tracks: marks, inventory, inventoryValue, unpriced };
  return { currency, holdings: held, ...own, ...streak };
}

/**
 * Restores a stored ledger into a new one. If the strategy's result currency has changed, the costs are
 * converted at the next price of the bridge, and the holdings stay.
 */
export function restoreLedger(ledger: AssetLedger, stored: z.output<LedgerShape>): void {
  const { currency, state } = ledger;
  for (const quote of state.tracks.keys()) state.tracks.set(quote, TRACK_TO_BEGIN);
  for (const [asset, holding] of Object.entries(stored.holdings)) state.holdings.set(asset, holding);
  for (const [market, flow] of Object.entries(stored.flows)) state.flows.set(market, flow);
  for (const [market, price] of Object.entries(stored.prices)) state.prices.set(market, price);
  for (const { currency: quote } of ledger.marketNames.quotes) {
    const marks = stored.tracks[quote];
    if (marks !== undefined) state.tracks.set(quote, { marks, unvalued: [] });
  }
  for (const [asset, amount] of Object.entries(stored.inventory)) state.inventory.set(asset, amount);
  for (const { currency: quote } of ledger.marketNames.quotes) {
    const value = stored.inventoryValue[quote];
    const waiting = stored.unpriced[quote];
    if (value !== undefined) state.inventoryValue.set(quote, value);
    if (waiting !== undefined) state.unpriced.set(quote, new Map(Object.entries(waiting)));
  }
  const { lossesInARow, lastLossAtMs } = stored;
  state.streak = { lossesInARow, lastLossAtMs };
  if (stored.currency !== currency) changeCurrency(state.holdings, { from: stored.currency, into: currency });
  ledger.begin();
}

/** Gives the former result currency a cost, and removes that of the new one with what it realised. */
function changeCurrency(holdings: Map<string, Holding>, of: { from: Currency; into: Currency }): void {
  const former = holdings.get(of.from);
  const now = holdings.get(of.into);
  if (former !== undefined) holdings.set(of.from, atOwnCost(of.from, former.held));
  if (now === undefined || former === undefined) return;
  const carried = subtractMoney(now.realised, now.cost);
  const realised = addMoney(carried, moneyIn(of.into, now.held));
  holdings.set(of.from, { ...atOwnCost(of.from, former.held), realised, tripBeganWith: realised });
  holdings.set(of.into, { ...atOwnCost(of.into, now.held), cost: NO_MONEY });
}
