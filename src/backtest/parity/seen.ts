import type { Candle, Timeframe } from '../../domain/candle.ts';
import type { OrderBook } from '../../domain/order-book.ts';
import type { Divergence } from '../difference.ts';
import type { KnownBars, SeenData, WantedThing, SessionPair } from '../session.ts';
import { type TopicReading, type TopicKind, type ReceivedData, shownGrid } from './received-data.ts';

/** Takes down what the bot of the second run sees and wants. */
export class Watch {
  readonly books: SeenData[] = [];
  readonly intents: WantedThing[] = [];
  private readonly known = new Set<string>();
  private readonly candlesBySeries = new Map<string, Map<number, Candle>>();
  private readonly series: readonly KnownBars[];

  constructor(series: readonly KnownBars[]) {
    this.series = series;
  }

  /** A book that is as it was before is not another one: recorded books are those that changed. */
  book(market: string, book: OrderBook, atMs: number): void {
    const text = bookText(book);
    if (this.books.findLast((seen) => seen.market === market)?.text !== text)
      this.books.push({ market, atMs, text });
  }

  candles(
    of: { readonly market: string; readonly timeframe: Timeframe },
    page: readonly Candle[],
    atMs: number,
  ): void {
    const key = `${of.market} ${of.timeframe}`;
    const bars = this.candlesBySeries.get(key) ?? new Map<number, Candle>();
    this.candlesBySeries.set(key, bars);
    const grid = shownGrid(of.timeframe, page);
    for (const candle of page) {
      if (grid.endOf(candle.openTimeMs) <= atMs) bars.set(candle.openTimeMs, candle);
    }
  }

  /** An intent's first line in the journal says what it is; later ones how it ended. */
  intent(id: string, json: string, atMs: number): void {
    const { strategy, kind } = JSON.parse(json) as { readonly strategy?: string; readonly kind?: string };
    if (strategy === undefined || kind === undefined || this.known.has(id)) return;
    this.known.add(id);
    this.intents.push({ id, strategy, kind, atMs });
  }

  /** Bars of the series that the session had, as they were seen at last. */
  bars(): readonly SeenData[] {
    return this.series.flatMap(({ market, timeframe }) => {
      const bars = this.candlesBySeries.get(`${market} ${timeframe}`)?.values() ?? [];
      return closedBars({ market, timeframe, candles: [...bars] });
    });
  }
}

/** Bars as things that are seen when they close. */
export function closedBars({ market, timeframe, candles }: KnownBars): readonly SeenData[] {
  const grid = shownGrid(timeframe, candles);
  return candles
    .map(({ openTimeMs, open, high, low, close, volume }) => ({
      market,
      atMs: grid.endOf(openTimeMs),
      text: `${timeframe} ${open} ${high} ${low} ${close} ${volume}`,
    }))
    .toSorted((left, right) => left.atMs - right.atMs);
}

/** All of a book. */
export function bookText({ bids, asks }: Pick<OrderBook, 'bids' | 'asks'>): string {
  return JSON.stringify([bids, asks]);
}

export interface SeenOptions {
  /** Two looks within this time are at one moment. */
  readonly toleranceMs: number;
  /** Market data that each strategy reads, besides the book, on which every order depends. */
  readonly reads: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Returns where the two runs first saw something different of a market. */
export function seenDivergences(
  { session, again }: SessionPair,
  options: SeenOptions,
): readonly Divergence[] {
  const markets = new Set([...session.books, ...session.bars].map(({ market }) => market));
  const found: Divergence[] = [];
  for (const market of markets) {
    const of = (seen: readonly SeenData[]): readonly SeenData[] =>
      seen.filter((one) => one.market === market);
    const book = firstOther(of(session.books), of(again.books), options.toleranceMs);
    if (book !== null) found.push({ ...book, why: `${market}: ${book.why} book`, strategies: null });
    const bar = firstOther(of(session.bars), of(again.bars), 0);
    if (bar !== null)
      found.push({ ...bar, why: `${market}: ${bar.why} bar`, strategies: readersOf('candles', options) });
  }
  for (const [name, { kind, readings }] of session.received?.topics ?? []) {
    if (kind !== 'trades' && kind !== 'stats') continue;
    const other = firstOther(readings, again.received?.topics.get(name)?.readings ?? [], options.toleranceMs);
    if (other !== null)
      found.push({ ...other, why: `${other.why} ${name}`, strategies: readersOf(kind, options) });
  }
  return found;
}

function readersOf(kind: TopicKind, { reads }: SeenOptions): ReadonlySet<string> {
  return new Set([...reads].flatMap(([strategy, kinds]) => (kinds.has(kind) ? [strategy] : [])));
}

function firstOther(
  session: readonly TopicReading[],
  again: readonly TopicReading[],
  toleranceMs: number,
): Pick<Divergence, 'atMs' | 'cause' | 'why'> | null {
  const shorter = Math.min(session.length, again.length);
  for (let index = 0; index < shorter; index += 1) {
    const left = session[index];
    const right = again[index];
    if (left === undefined || right === undefined) break;
    const atMs = Math.min(left.atMs, right.atMs);
    if (left.text !== right.text) return { atMs, cause: 'data age', why: 'another' };
    if (Math.abs(left.atMs - right.atMs) > toleranceMs)
      return { atMs, cause: 'latency', why: 'at another moment the same' };
  }
  const next = session[shorter] ?? again[shorter];
  return next === undefined ? null : { atMs: next.atMs, cause: 'data age', why: 'in only one run a' };
}

/** Data that two runs have received by then, and which of it counts. */
interface Inputs {
  readonly session: ReceivedData;
  readonly again: ReceivedData;
  /** Number of answers that each had received by then. */
  readonly sessionAnswers: number;
  readonly againAnswers: number;
  readonly counts: (kind: TopicKind) => boolean;
}

/** The first thing of which two runs knew otherwise when they decided; null where both knew the same. */
export function inputDifference(of: Inputs): Pick<Divergence, 'cause' | 'why'> | null {
  const { session, again, sessionAnswers, againAnswers, counts } = of;
  for (const name of new Set([...session.topics.keys(), ...again.topics.keys()])) {
    const kind = session.topics.get(name)?.kind ?? again.topics.get(name)?.kind;
    if (kind === undefined || !counts(kind)) continue;
    const left = session.after(name, sessionAnswers);
    const right = again.after(name, againAnswers);
    if (left === right) {
      const isAsOften = session.readsAfter(name, sessionAnswers) === again.readsAfter(name, againAnswers);
      if (kind === 'account' || isAsOften) continue;
      return { cause: 'latency', why: `${name}: one run had looked at it more often` };
    }
    // What both runs come to know is known to one of them earlier; what becomes of orders differs by that,
    // too.
    const isOfBoth =
      kind === 'account' ||
      left === null ||
      right === null ||
      session.wasEver(name, right) ||
      again.wasEver(name, left);
    return isOfBoth
      ? { cause: 'latency', why: `${name}: one run got it earlier than the other` }
      : { cause: 'data age', why: `${name}: the two runs got different data` };
  }
  return null;
}
