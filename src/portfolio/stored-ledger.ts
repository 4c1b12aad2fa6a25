import { z } from 'zod';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { Currency, MarketNames } from '../domain/market-symbol.ts';
import { formatUnits } from '../domain/money.ts';
import { storedCount, storedTimeMs, storedUnits } from '../domain/stored-json.ts';
import type { AssetLedger } from './asset-ledger.ts';
import { atOwnCost, type Holding } from './holding.ts';
import { addMoney, moneyIn, NO_MONEY, partOf, type QuoteMoney, takeMoney } from './quote-money.ts';
import { TRACK_TO_BEGIN } from './pnl-track.ts';

const track = z.object({
  result: storedUnits,
  peakResult: storedUnits,
  day: storedCount,
  dayBeganWith: storedUnits,
  hasBegun: z.boolean(),
});

/** A ledger as JSON, for the mirror. Units are decimal texts there. */
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
    tracks: z.partialRecord(z.enum(names), track),
    // Absent in rows of versions before coins were given to strategies.
    inventory: z.record(z.string(), storedUnits).default({}),
    inventoryValue: z.partialRecord(z.enum(names), storedUnits).default({}),
    unpriced: z.partialRecord(z.enum(names), z.record(z.string(), storedUnits)).default({}),
    lossesInARow: storedCount,
    lastLossAtMs: storedTimeMs.nullable(),
  });
}

type LedgerShape = ReturnType<typeof storedLedger>;

/** As it is written. */
type StoredLedger = z.input<LedgerShape>;

export function storeLedger({ currency, marketNames, state }: AssetLedger): StoredLedger {
  const store = (sum: QuoteMoney): StoredMoney => storeMoney(sum, marketNames);
  const { holdings, flows, prices, tracks, inventory, inventoryValue, unpriced, streak } = state;
  return {
    currency,
    holdings: recordOf(holdings, ({ held, cost, realised, tripBeganWith }) => ({
      held: formatUnits(held),
      cost: store(cost),
      realised: store(realised),
      tripBeganWith: store(tripBeganWith),
    })),
    flows: recordOf(flows, ({ position, cash }) => ({
      position: formatUnits(position),
      cash: formatUnits(cash),
    })),
    prices: recordOf(prices, ({ price, atMs }) => ({ price: formatUnits(price), atMs })),
    tracks: recordOf(tracks, ({ marks }) => ({
      ...marks,
      result: formatUnits(marks.result),
      peakResult: formatUnits(marks.peakResult),
      dayBeganWith: formatUnits(marks.dayBeganWith),
    })),
    inventory: recordOf(inventory, formatUnits),
    inventoryValue: recordOf(inventoryValue, formatUnits),
    unpriced: recordOf(unpriced, (waiting) => recordOf(waiting, formatUnits)),
    ...streak,
  };
}

/**
 * Puts into a new ledger what was stored of one. Where the strategy's result is in another currency by now,
 * the costs are turned over at the next price of the bridge, and what is held stays as it is.
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

/**
 * Gives the former result currency a cost, and takes that of the new one off: what it had realised goes over
 * to the former.
 */
function changeCurrency(holdings: Map<string, Holding>, of: { from: Currency; into: Currency }): void {
  const former = holdings.get(of.from);
  const now = holdings.get(of.into);
  if (former !== undefined) holdings.set(of.from, atOwnCost(of.from, former.held));
  if (now === undefined || former === undefined) return;
  const carried = takeMoney(now.realised, now.cost);
  const realised = addMoney(carried, moneyIn(of.into, now.held));
  holdings.set(of.from, { ...atOwnCost(of.from, former.held), realised, tripBeganWith: realised });
  holdings.set(of.into, { ...atOwnCost(of.into, now.held), cost: NO_MONEY });
}

function recordOf<Value, Stored>(
  map: ReadonlyMap<string, Value>,
  store: (value: Value) => Stored,
): Readonly<Record<string, Stored>> {
  return Object.fromEntries([...map].map(([key, value]) => [key, store(value)]));
}

type StoredMoney = Readonly<Record<Currency, DecimalText>>;

function storeMoney(money: QuoteMoney, { quotes }: MarketNames): StoredMoney {
  return Object.fromEntries(quotes.map(({ currency }) => [currency, formatUnits(partOf(money, currency))]));
}
