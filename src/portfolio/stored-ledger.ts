import { decimalText, type DecimalText } from '../domain/decimal-text.ts';
import { SarrafError } from '../domain/errors.ts';
import type { QuoteCurrency } from '../domain/market-symbol.ts';
import { formatUnits, unitsOf, type Units } from '../domain/money.ts';
import type { AssetLedger } from './asset-ledger.ts';
import { atOwnCost, type Holding } from './holding.ts';
import { addMoney, moneyIn, type QuoteMoney } from './quote-money.ts';
import { TRACK_TO_BEGIN } from './result-track.ts';

type StoredMoney = Readonly<Record<QuoteCurrency, DecimalText>>;

/** A ledger as JSON, for the mirror. Units as decimal texts. */
export interface StoredLedger {
  readonly currency: QuoteCurrency;
  readonly holdings: Readonly<
    Record<string, { readonly held: DecimalText } & Record<'cost' | 'realised' | 'tripBeganWith', StoredMoney>>
  >;
  readonly flows: Readonly<Record<string, Readonly<Record<'position' | 'cash', DecimalText>>>>;
  readonly prices: Readonly<Record<string, { readonly price: DecimalText; readonly atMs: number }>>;
  readonly tracks: Readonly<Partial<Record<QuoteCurrency, StoredTrack>>>;
  readonly lossesInARow: number;
  readonly lastLossAtMs: number | null;
}

interface StoredTrack extends Readonly<Record<'result' | 'peakResult' | 'dayBeganWith', DecimalText>> {
  readonly day: number;
  readonly hasBegun: boolean;
}

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
    flows: recordOf(flows, ({ position, cash }) => ({ position: formatUnits(position), cash: formatUnits(cash) })),
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
 * Puts into a new ledger what `storeLedger` gave. Where the strategy's result is in another currency by now, the costs are turned over at the next price of
 * the bridge, and what is held stays as it is.
 * @throws SarrafError `DATA_UNUSABLE` when it is not that.
 */
export function restoreLedger(ledger: AssetLedger, stored: StoredLedger): void {
  try {
    fill(ledger, stored);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SarrafError('DATA_UNUSABLE', `expected the kept positions of a strategy: ${reason}`, { cause: error });
  }
  ledger.begin();
}

function fill({ currency, state }: AssetLedger, stored: StoredLedger): void {
  for (const quote of state.tracks.keys()) state.tracks.set(quote, TRACK_TO_BEGIN);
  for (const [asset, { held, cost, realised, tripBeganWith }] of Object.entries(stored.holdings)) {
    state.holdings.set(asset, {
      held: readUnits(held),
      cost: readMoney(cost),
      realised: readMoney(realised),
      tripBeganWith: readMoney(tripBeganWith),
    });
  }
  for (const [market, { position, cash }] of Object.entries(stored.flows))
    state.flows.set(market, { position: readUnits(position), cash: readUnits(cash) });
  for (const [market, { price, atMs }] of Object.entries(stored.prices))
    state.prices.set(market, { price: readUnits(price), atMs: readTime(atMs) });
  for (const quote of ['rls', 'usdt'] as const) {
    const track = stored.tracks[quote];
    if (track === undefined) continue;
    const { result, peakResult, dayBeganWith, day, hasBegun } = track;
    const marks = {
      result: readUnits(result),
      peakResult: readUnits(peakResult),
      day: readTime(day),
      dayBeganWith: readUnits(dayBeganWith),
      hasBegun,
    };
    state.tracks.set(quote, { marks, unvalued: [] });
  }
  const { lossesInARow, lastLossAtMs } = stored;
  state.streak = {
    lossesInARow: readTime(lossesInARow),
    lastLossAtMs: lastLossAtMs === null ? null : readTime(lastLossAtMs),
  };
  if (stored.currency !== currency) changeCurrency(state.holdings, { from: stored.currency, into: currency });
}

/** Gives the former result currency a cost, and takes that of the new one off: what it had realised goes over to the former. */
function changeCurrency(holdings: Map<string, Holding>, of: { from: QuoteCurrency; into: QuoteCurrency }): void {
  const former = holdings.get(of.from);
  const now = holdings.get(of.into);
  if (former !== undefined) holdings.set(of.from, atOwnCost(of.from, former.held));
  if (now === undefined || former === undefined) return;
  const carried = {
    rls: (now.realised.rls - now.cost.rls) as Units,
    usdt: (now.realised.usdt - now.cost.usdt) as Units,
  };
  const realised = addMoney(carried, moneyIn(of.into, now.held));
  holdings.set(of.from, { ...atOwnCost(of.from, former.held), realised, tripBeganWith: realised });
  holdings.set(of.into, { ...atOwnCost(of.into, now.held), cost: moneyIn(of.into, 0n) });
}

function recordOf<Value, Stored>(
  map: ReadonlyMap<string, Value>,
  store: (value: Value) => Stored,
): Readonly<Record<string, Stored>> {
  return Object.fromEntries([...map].map(([key, value]) => [key, store(value)]));
}

function storeMoney({ rls, usdt }: QuoteMoney): StoredMoney {
  return { rls: formatUnits(rls), usdt: formatUnits(usdt) };
}

function readMoney({ rls, usdt }: StoredMoney): QuoteMoney {
  return { rls: readUnits(rls), usdt: readUnits(usdt) };
}

function readUnits(text: unknown): Units {
  if (typeof text !== 'string') throw new TypeError(`expected a decimal text, was ${JSON.stringify(text)}`);
  return unitsOf(decimalText(text));
}

function readTime(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new TypeError(`expected a number that is not negative, was ${JSON.stringify(value)}`);
}
