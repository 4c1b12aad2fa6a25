import { z } from 'zod';
import type { DecimalText } from '../domain/decimal-text.ts';
import {
  BRIDGE_BASE,
  BRIDGE_QUOTE,
  perQuote,
  QUOTE_CURRENCIES,
  type QuoteCurrency,
} from '../domain/market-symbol.ts';
import { formatUnits } from '../domain/money.ts';
import { storedCount, storedTimeMs, storedUnits } from '../domain/stored-json.ts';
import type { AssetLedger } from './asset-ledger.ts';
import { atOwnCost, type Holding } from './holding.ts';
import { addMoney, moneyIn, NO_MONEY, type QuoteMoney, takeMoney } from './quote-money.ts';
import { TRACK_TO_BEGIN } from './pnl-track.ts';

const currencies = z.enum(QUOTE_CURRENCIES);
const money = z.object(perQuote(storedUnits, storedUnits));
const track = z.object({
  result: storedUnits,
  peakResult: storedUnits,
  day: storedCount,
  dayBeganWith: storedUnits,
  hasBegun: z.boolean(),
});

/** A ledger as JSON, for the mirror. Units are decimal texts there. */
export const storedLedger = z.object({
  currency: currencies,
  holdings: z.record(
    z.string(),
    z.object({ held: storedUnits, cost: money, realised: money, tripBeganWith: money }),
  ),
  flows: z.record(z.string(), z.object({ position: storedUnits, cash: storedUnits })),
  prices: z.record(z.string(), z.object({ price: storedUnits, atMs: storedTimeMs })),
  tracks: z.partialRecord(currencies, track),
  lossesInARow: storedCount,
  lastLossAtMs: storedTimeMs.nullable(),
});

/** As it is written. */
type StoredLedger = z.input<typeof storedLedger>;

export function storeLedger({ currency, state }: AssetLedger): StoredLedger {
  const { holdings, flows, prices, tracks, streak } = state;
  return {
    currency,
    holdings: recordOf(holdings, ({ held, cost, realised, tripBeganWith }) => ({
      held: formatUnits(held),
      cost: storeMoney(cost),
      realised: storeMoney(realised),
      tripBeganWith: storeMoney(tripBeganWith),
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
    ...streak,
  };
}

/**
 * Puts into a new ledger what was stored of one. Where the strategy's result is in another currency by now,
 * the costs are turned over at the next price of the bridge, and what is held stays as it is.
 */
export function restoreLedger(ledger: AssetLedger, stored: z.output<typeof storedLedger>): void {
  const { currency, state } = ledger;
  for (const quote of state.tracks.keys()) state.tracks.set(quote, TRACK_TO_BEGIN);
  for (const [asset, holding] of Object.entries(stored.holdings)) state.holdings.set(asset, holding);
  for (const [market, flow] of Object.entries(stored.flows)) state.flows.set(market, flow);
  for (const [market, price] of Object.entries(stored.prices)) state.prices.set(market, price);
  for (const quote of QUOTE_CURRENCIES) {
    const marks = stored.tracks[quote];
    if (marks !== undefined) state.tracks.set(quote, { marks, unvalued: [] });
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
function changeCurrency(
  holdings: Map<string, Holding>,
  of: { from: QuoteCurrency; into: QuoteCurrency },
): void {
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

function storeMoney(money: QuoteMoney): Readonly<Record<QuoteCurrency, DecimalText>> {
  return perQuote(formatUnits(money[BRIDGE_QUOTE]), formatUnits(money[BRIDGE_BASE]));
}
