import { parseMarket, MARKET_NAMES } from '../../exchange/market-names.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import { leastAmountAt, type Market } from '../../domain/market.ts';
import { NO_UNITS, UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import type { FillRecord } from '../../records/fill.ts';
import { movesOf } from '../../portfolio/balance-books.ts';
import { valueIn, type PriceOf } from '../../portfolio/holding.ts';
import {
  type EquityCurve,
  type StrategyIntents,
  type FidelityStatement,
  fidelityFact as fact,
  type FidelityFact,
} from '../backtest-run.ts';
import { IntentTally } from '../../engine/intent-tally.ts';
import { rejectionOf } from '../../engine/order-rejection.ts';
import type { RefusedIntent, SessionRows, BoundedTable } from '../../mirror/read-session-rows.ts';
import { english, sentenceFacts } from '../../language/sentence.ts';
import { inDigits } from '../../language/fact.ts';
import type { BarGrid } from '../../domain/candle.ts';
import { cellUnits, columnScale, gridOfColumns, type CandleColumns } from '../../domain/candle-columns.ts';

/** Holdings of an account by currency code in lower case. */
export type Holdings = ReadonlyMap<string, bigint>;

interface AccountHistoryOptions {
  /** Holdings before all fills. */
  readonly opening: Holdings;
  /** Fills in order of time. */
  readonly fills: readonly FillRecord[];
  readonly markets: readonly Market[];
  readonly prices: PriceHistory;
  readonly quote: Currency;
}

/**
 * Computes the value of an account at rising moments, from its first holdings and its trades. As in
 * `valueIn`, each currency is rounded half-even once. Holdings without a price count as nothing.
 */
export class AccountHistory {
  private readonly options: AccountHistoryOptions;
  private readonly held: Map<string, bigint>;
  private next = 0;

  constructor(options: AccountHistoryOptions) {
    this.options = options;
    this.held = new Map(options.opening);
  }

  /** Advances to a moment; trades at the moment itself are included. */
  advance(timeMs: number): void {
    const { fills, prices } = this.options;
    prices.advance(timeMs);
    for (;;) {
      const fill = fills[this.next];
      if (fill === undefined || fill.atMs > timeMs) return;
      addEffect(this.held, fill, 1n);
      this.next += 1;
    }
  }

  exact(): Units {
    const { quote, prices } = this.options;
    return holdingsValue(this.held, quote, prices.priceOf);
  }

  /** True if a holding in a currency other than that of the results is large enough for an order. */
  isExposed(): boolean {
    const { markets, prices, quote } = this.options;
    return markets.some((market) => {
      if (market.base === quote) return false;
      const least = leastAmountAt(market, prices.priceOf(market.symbol) ?? NO_UNITS);
      return (this.held.get(market.base) ?? 0n) >= least;
    });
  }

  /** Returns the equity curve at these moments, which must rise. */
  curveAt(momentsMs: readonly number[]): EquityCurve {
    const length = momentsMs.length;
    const equity = new Float64Array(length);
    const isExposed = new Uint8Array(length);
    for (const [index, timeMs] of momentsMs.entries()) {
      this.advance(timeMs);
      equity[index] = Number(this.exact()) / Number(UNITS_PER_ONE);
      isExposed[index] = this.isExposed() ? 1 : 0;
    }
    return { length, timeMs: Float64Array.from(momentsMs), equity, isExposed };
  }
}

/** Returns the value of holdings, each currency rounded separately; one without a price counts as nothing. */
export function holdingsValue(held: Holdings, quote: Currency, priceOf: PriceOf): Units {
  let sum = 0n;
  for (const [asset, amount] of held)
    sum += valueIn(quote, { asset, amount }, { marketNames: MARKET_NAMES, priceOf }) ?? 0n;
  return sum as Units;
}

/** Returns the net effect of fills on the holdings. */
export function broughtBy(fills: readonly FillRecord[]): Holdings {
  const held = new Map<string, bigint>();
  for (const fill of fills) addEffect(held, fill, 1n);
  return held;
}

/** Returns the holdings before some fills, from those after them. */
export function openingOf(closing: Holdings, fills: readonly FillRecord[]): Holdings {
  const held = new Map(closing);
  for (const fill of fills) addEffect(held, fill, -1n);
  return held;
}

/** Adds the effect of a fill to the holdings; a factor of -1 reverses it. */
function addEffect(held: Map<string, bigint>, fill: FillRecord, factor: 1n | -1n): void {
  for (const [currency, units] of movesOf({ ...fill, ...parseMarket(fill.market) }))
    held.set(currency, (held.get(currency) ?? 0n) + factor * units);
}

/**
 * Returns the number of intents and refusals of each strategy, as far as a mirror stores them: accepted
 * intents, intents refused by risk or a lock, slices of algorithms refused by risk, and orders refused by the
 * exchange.
 */
export function intentsOfMirror(
  rows: Pick<SessionRows, 'intents' | 'refusedIntents' | 'refusedSlices' | 'orders'>,
  strategies: readonly string[],
): readonly StrategyIntents[] {
  const tallies = new Map(strategies.map((name) => [name, new IntentTally()]));
  for (const [name, count] of rows.intents) tallyOf(tallies, name).intents = count;
  // The refusal of an intent with a rejected order is counted with the order.
  const placed = new Set<string>();
  for (const order of rows.orders) {
    if (order.state !== 'rejected') continue;
    placed.add(order.intentId);
    const rejection = rejectionOf(order);
    if (rejection === null) continue;
    const atMs = order.closedAtMs ?? order.plannedAtMs;
    tallyOf(tallies, order.strategy).refuse({ what: 'order', ...rejection, atMs });
  }
  for (const intent of rows.refusedIntents.toSorted((left, right) => left.atMs - right.atMs)) {
    if (placed.has(intent.id)) continue;
    const { strategy, kind, reason, atMs } = intent;
    const code = codeOf(intent);
    tallyOf(tallies, strategy).refuse({ what: kind, code, reason: reason ?? code, atMs });
  }
  for (const { strategy, check, json, atMs } of rows.refusedSlices)
    tallyOf(tallies, strategy).refuse({ what: 'slice', code: `risk ${check}`, reason: json, atMs });
  return [...tallies].map(([strategy, tally]) => ({
    strategy,
    count: tally.intents,
    refusals: tally.refusals(),
  }));
}

function tallyOf(tallies: Map<string, IntentTally>, strategy: string): IntentTally {
  const known = tallies.get(strategy);
  if (known !== undefined) return known;
  const tally = new IntentTally();
  tallies.set(strategy, tally);
  return tally;
}

/**
 * Returns the check that refused an intent. The journal has a line only for the first refusal of a lock, and
 * none for lack of funds.
 */
function codeOf({ check, reason, kind }: RefusedIntent): string {
  if (check !== null) return check.startsWith('lock ') ? check : `risk ${check}`;
  const [, lock] = /^the lock (.+?) of /.exec(english(reason) ?? '') ?? [];
  if (lock !== undefined) return `lock ${lock}`;
  if (sentenceFacts(reason)?.code === 'funds') return 'funds';
  return kind === 'transfer' ? 'transfer' : 'a check that the journal does not have any more';
}

interface Described {
  readonly range: { readonly fromMs: number; readonly toMs: number };
  /** Currencies of the account that no market of the session can value. */
  readonly unvalued: readonly string[];
  /** Source of the amount of money at the start. */
  readonly opening: 'books' | 'balances' | 'capital' | 'nothing';
  readonly hasParams: boolean;
}

/** Returns how the figures of a live session were computed, and what its mirror does not know. */
export function describeMirror(rows: SessionRows, of: Described): FidelityStatement {
  return {
    kind: 'live',
    rules: [
      { rule: fact('mirror.fills'), setting: fact('mirror.fills.rule') },
      { rule: fact('mirror.account'), setting: fact(`mirror.account.${of.opening}`) },
      { rule: fact('mirror.prices'), setting: fact('mirror.prices.rule') },
      { rule: fact('mirror.candles'), setting: candlesOf(rows) },
      ...(rows.plots.length === 0
        ? []
        : [{ rule: fact('mirror.plots'), setting: fact('mirror.plots.rule') }]),
      { rule: fact('mirror.pauses'), setting: fact('mirror.pauses.rule') },
    ],
    caveats: [
      ...Object.entries(rows.tables).flatMap(([table, { removed, sinceMs }]) =>
        removed === 0 || sinceMs === null
          ? []
          : [fact(`mirror.removed.${table as BoundedTable}`, { count: removed, time: { atMs: sinceMs } })],
      ),
      ...(rows.moreFills === 0 ? [] : [fact('mirror.moreFills', { count: rows.moreFills })]),
      ...(rows.moreOrders === 0 ? [] : [fact('mirror.moreOrders', { count: rows.moreOrders })]),
      ...candleCaveats(rows, of.range),
      ...(of.unvalued.length === 0 ? [] : [unvaluedCaveat(of.unvalued)]),
      fact('mirror.unknown.transfers'),
      fact('mirror.unknown.refused'),
      fact('mirror.unknown.rest', { command: 'sarraf budget' }),
      ...(of.hasParams ? [] : [fact('mirror.unknown.params', { option: '--config' })]),
    ],
  };
}

function candlesOf({ series }: SessionRows): FidelityFact {
  if (series.length === 0) return fact('mirror.candles.none');
  return fact('mirror.candles.some', {
    series: series.map(({ market, timeframe }) => fact('mirror.series', { market, timeframe })),
  });
}

function candleCaveats({ series }: SessionRows, { fromMs }: Described['range']): readonly FidelityFact[] {
  if (series.length === 0) return [fact('mirror.unknown.candles')];
  return series.flatMap(({ market, candles }) => {
    const [first] = candles;
    return first === undefined || first.openTimeMs <= fromMs
      ? []
      : [fact('mirror.unknown.candlesBefore', { market, time: { atMs: first.openTimeMs } })];
  });
}

/** Maximum number of currencies that are named; further ones are counted. */
const MOST_NAMED = 10;

function unvaluedCaveat(unvalued: readonly string[]): FidelityFact {
  const currencies = unvalued.slice(0, MOST_NAMED).map((currency) => ({ currency }));
  const more = unvalued.length - MOST_NAMED;
  return more > 0
    ? fact('mirror.unknown.values', { currencies, more: inDigits(more) })
    : fact('mirror.unknown.value', { currencies });
}

/** Price of a market that is valid from a moment on. */
export interface PricePoint {
  readonly atMs: number;
  readonly price: Units;
}

/** Known prices of one market over time. */
interface MarketPrices {
  readonly market: string;
  readonly candles: CandleColumns;
  /** Prices of own trades and of the last readings, in order of time. */
  readonly traded: readonly PricePoint[];
}

/** Price of each market at rising moments: the last bar's close, or a later trade; else the first known. */
export class PriceHistory {
  private readonly cursors: ReadonlyMap<string, MarketCursor>;

  constructor(markets: readonly MarketPrices[]) {
    this.cursors = new Map(markets.map((one) => [one.market, new MarketCursor(one)]));
  }

  /** Returns the price of a market; null if none is ever known. */
  readonly priceOf: PriceOf = (market) => this.cursors.get(market)?.price ?? null;

  /** Advances to a moment; bars that end at it and trades at it are included. */
  advance(timeMs: number): void {
    for (const cursor of this.cursors.values()) cursor.advance(timeMs);
  }
}

class MarketCursor {
  price: Units | null;
  private readonly candles: CandleColumns;
  private readonly traded: readonly PricePoint[];
  private readonly grid: BarGrid;
  private readonly scale: bigint;
  private bar = 0;
  private trade = 0;

  constructor({ candles, traded }: MarketPrices) {
    this.candles = candles;
    this.traded = traded;
    this.grid = gridOfColumns(candles);
    this.scale = columnScale(candles.priceDecimals);
    this.price = firstPrice(candles, traded);
  }

  advance(timeMs: number): void {
    const { openTimeMs, close, length } = this.candles;
    let closedAtMs = Number.NEGATIVE_INFINITY;
    while (this.bar < length) {
      const endMs = this.grid.endOf(openTimeMs[this.bar] ?? 0);
      if (endMs > timeMs) break;
      closedAtMs = endMs;
      this.price = cellUnits(close[this.bar] ?? 0, this.scale);
      this.bar += 1;
    }
    for (;;) {
      const next = this.traded[this.trade];
      if (next === undefined || next.atMs > timeMs) return;
      if (next.atMs >= closedAtMs) this.price = next.price;
      this.trade += 1;
    }
  }
}

/** Returns the first known price of a market; null if there is none. */
function firstPrice(candles: CandleColumns, traded: readonly PricePoint[]): Units | null {
  const [first] = traded;
  const openMs = candles.length === 0 ? Number.POSITIVE_INFINITY : (candles.openTimeMs[0] ?? 0);
  if (first !== undefined && first.atMs < openMs) return first.price;
  if (candles.length === 0) return null;
  return cellUnits(candles.open[0] ?? 0, columnScale(candles.priceDecimals));
}
