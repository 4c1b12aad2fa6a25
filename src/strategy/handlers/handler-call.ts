import type { CandleSeries } from '../data/candle-series.ts';
import type { DataEntry } from '../checks/check-data.ts';
import { LIFE, type AnyHandler, type StrategyDefinition } from '../definition.ts';
import { routeOfSubscription, candidateSubscription, type Subscription } from '../subscriptions.ts';
import { type StrategyEvent, type ClosedCandle, fillOf, type EngineView } from '../strategy-event.ts';
import type { Timeframe } from '../../domain/candle.ts';
import type { Candidate, MemberSeries, MemberSet } from '../universe/member-set.ts';
import { present, type SarrafError, invalidStrategy } from '../../domain/errors.ts';
import { barOf, tickerOfBar, tickerOfBook } from '../data/bar.ts';
import { bookOf } from '../book.ts';
import { frozenCopy, isFields } from '../fields.ts';
import { marketDayOf, tapeOf } from '../data/data.ts';
import { marginOf, transferOf } from '../data/shown-margin.ts';
import { signalOf } from '../signal.ts';
import { universeEventOf } from '../shown-universe.ts';
import type { MarketNames } from '../../domain/market-symbol.ts';
import { isSide } from '../checks/intent-fields.ts';
import { MOST_INTENTS, noOrder, frozenIntent, tooMany } from '../check-intents.ts';
import type { Intent } from '../intents.ts';
import type { MarketIntents } from './market-intents.ts';
import type { StrategyContext } from '../context.ts';
import type { StrategyPlots } from '../plots.ts';
import { textOfNumber } from '../decimal-input.ts';
import type { FillWith } from '../../records/fill.ts';

/** A handler with its data, which is null for handlers of the strategy's own life. */
export interface Handler {
  readonly name: string;
  readonly data: ShownAs | null;
  /** Universe market that must be followed for this handler to be called; null for other data. */
  readonly candidate: Candidate | null;
  readonly handle: AnyHandler;
}

/** Candles of one market and timeframe, with all that uses them. */
export interface CandlePlace {
  readonly market: string;
  readonly timeframe: Timeframe;
  /** Null if they are declared for universe members only. */
  readonly series: CandleSeries | null;
  /** Series of universe members, which accept candles while the market is followed. */
  readonly ofMembers: readonly MemberSeries[];
  readonly handlers: readonly Handler[];
}

/** Kind of data of a universe's handler. */
const UNIVERSE: ShownAs = { kind: 'universe' };

/** Empty list, for an event without handlers. */
export const NO_HANDLERS: readonly Handler[] = [];

type Routes = ReadonlyMap<string, readonly Handler[]>;

/** The declared data of a strategy, and its universes. */
interface Declared {
  readonly entries: readonly DataEntry[];
  readonly universes: readonly MemberSet[];
}

/** Returns the handlers by the route of their events: data, a universe change, or the strategy's own life. */
export function handlersByRoute(on: StrategyDefinition['on'], of: Declared): Routes {
  const routes = new Map<string, Handler[]>();
  for (const [name, handle] of Object.entries(on)) {
    if (handle === undefined) continue;
    for (const [route, handler] of routesOf(name, handle, of))
      routes.set(route, [...(routes.get(route) ?? []), handler]);
  }
  return routes;
}

function* routesOf(
  name: string,
  handle: AnyHandler,
  { entries, universes }: Declared,
): Generator<readonly [route: string, handler: Handler]> {
  for (const data of entries)
    if (data.name === name)
      yield [routeOfSubscription(data.subscription), { name, data, candidate: null, handle }];
  for (const universe of universes) {
    if (universe.name === name) yield [`universe ${name}`, { name, data: UNIVERSE, candidate: null, handle }];
    for (const feed of universe.feeds) {
      if (feed.name !== name) continue;
      for (const market of universe.candidates) {
        const route = routeOfSubscription(candidateSubscription(market, feed.template));
        yield [route, { name, data: feed, candidate: universe.candidate(market), handle }];
      }
    }
  }
  if (LIFE.some((life) => life === name)) yield [name, { name, data: null, candidate: null, handle }];
}

/** Returns the candles of each market and timeframe that a strategy uses, directly or in a universe. */
export function candlePlacesOf(
  subscriptions: readonly Subscription[],
  of: Declared & { readonly routes: Routes },
): readonly CandlePlace[] {
  const series = new Map(
    of.entries.flatMap((entry) =>
      entry.series === null ? [] : [[routeOfSubscription(entry.subscription), entry.series] as const],
    ),
  );
  const feeds = of.universes.flatMap((universe) => universe.feeds);
  return subscriptions.flatMap((wanted) => {
    if (wanted.kind !== 'candles') return [];
    const { market, timeframe } = wanted;
    const route = routeOfSubscription(wanted);
    const ofMembers = feeds
      .filter(
        ({ set, data: { from } }) =>
          from.kind === 'candles' && from.timeframe === timeframe && set.candidates.includes(market),
      )
      .map((feed) => feed.seriesOf(market));
    const handlers = of.routes.get(route) ?? NO_HANDLERS;
    return [{ market, timeframe, series: series.get(route) ?? null, ofMembers, handlers }];
  });
}

/**
 * Returns the kinds of event that the strategy needs. Candles and universe changes count also without a
 * handler of their own, since other handlers read them.
 */
export function wantedKinds(
  routes: Iterable<string>,
  has: { readonly candles: boolean; readonly universes: boolean },
): ReadonlySet<StrategyEvent['kind']> {
  const kinds = new Set<StrategyEvent['kind']>();
  for (const route of routes) {
    const [first] = route.split(' ', 1);
    // The first word of a route is the kind of its events.
    kinds.add(first === 'candles' ? 'candle' : (first as StrategyEvent['kind']));
  }
  if (has.candles) kinds.add('candle');
  if (has.universes) kinds.add('universe');
  return kinds;
}

/** The kind of data as which an event is shown to a handler. */
export interface ShownAs {
  readonly kind: DataEntry['kind'] | 'universe';
  /** Schema of a signal's payload. */
  readonly schema?: DataEntry['schema'];
}

/** Value for a handler that is not called, because a side of the book is empty. */
export const NOTHING_SHOWN = Symbol('nothing shown');

/** Returns the frozen event argument of a handler. `data` is its data; null for the strategy's life. */
export function eventFor(data: ShownAs | null, event: Exclude<StrategyEvent, { kind: 'candle' }>): unknown {
  switch (event.kind) {
    case 'start':
      return Object.freeze({ isRestart: event.isRestart });
    case 'stop':
      return Object.freeze({ reason: event.reason });
    case 'book':
      if (data?.kind !== 'ticker') return bookOf(event.market, event.book);
      return tickerOfBook(event.market, event.book) ?? NOTHING_SHOWN;
    case 'trades':
      return tapeOf(event);
    case 'stats':
      return marketDayOf(event.stats);
    case 'margin':
      return marginOf(event.seen);
    case 'timer':
      return Object.freeze({ name: event.name, dueMs: event.dueMs });
    case 'signal':
      return signalOf(present(data?.schema, 'the schema of a declared signal'), event);
    case 'universe':
      return universeEventOf(event);
    case 'fill':
      return fillOf(event.fill);
    case 'order':
      return Object.freeze({ ...event.order });
    case 'transfer':
      return transferOf(event.transfer);
    case 'reject':
      return frozenCopy(event.rejection);
  }
}

/** Returns the argument of a handler for a candle: the bar, or the ticker made of it. */
export function candleFor(data: ShownAs | null, candle: ClosedCandle): unknown {
  const bar = barOf(candle);
  return data?.kind === 'ticker' ? tickerOfBar(bar) : bar;
}

/** Returns the error for a handler that returned something. */
export function wrongAnswer(answer: unknown): SarrafError {
  const isPromise = answer instanceof Promise;
  // The result of the promise is not used, so its error must not end the process.
  if (isPromise) answer.catch(() => {});
  const was = isPromise
    ? 'a promise: leave out "async" and "await"'
    : `${answerText(answer)}: put its body in braces, and return nothing`;
  return invalidStrategy(
    `expected a handler that returns nothing and does not wait, was ${was}; place orders with ctx.buy and the like, and change the state with ctx.setState`,
  );
}

function answerText(answer: unknown): string {
  try {
    return JSON.stringify(answer)?.slice(0, 100) ?? `a ${typeof answer}`;
  } catch {
    return `a ${typeof answer}`;
  }
}

const NO_INTENTS: readonly Intent[] = Object.freeze([]);

/** One call of a strategy's handlers: what they can read, and the intents made so far. */
export class HandlerCall {
  private now: EngineView | null = null;
  private wanted: Intent[] | null = null;
  readonly marketNames: MarketNames;
  private readonly knownMarkets: ReadonlySet<string> | undefined;
  private readonly plots: StrategyPlots;

  constructor(
    marketNames: MarketNames,
    of: { readonly knownMarkets: ReadonlySet<string> | undefined; readonly plots: StrategyPlots },
  ) {
    this.marketNames = marketNames;
    this.knownMarkets = of.knownMarkets;
    this.plots = of.plots;
  }

  begin(view: EngineView): void {
    this.now = view;
    this.wanted = null;
  }

  /** Ends the call and returns its intents. */
  end(): readonly Intent[] {
    this.now = null;
    return this.wanted ?? NO_INTENTS;
  }

  /** State of the engine for this call. Throws outside of a call, since it is valid for one moment only. */
  get view(): EngineView {
    if (this.now === null)
      throw invalidStrategy('expected ctx to be used during its call only, it was asked later');
    return this.now;
  }

  /** Returns the function that plots with the bars of a market. */
  plotIn(market: string): StrategyContext['plot'] {
    return this.plots.plotIn(market, () => this.view);
  }

  /** Returns functions that add intents for a market. Each works alone, since authors destructure `ctx`. */
  intentsIn(market: string): MarketIntents {
    const { want } = this;
    const last = new LastQuotes();
    return {
      buy: (request) => want('buy', request, { kind: 'place', market, side: 'buy' }),
      sell: (request) => want('sell', request, { kind: 'place', market, side: 'sell' }),
      oco: (side, request) => want('oco', request, { kind: 'oco', market, side }),
      target: (request) => want('target', request, { kind: 'target', market }),
      quotes: (quotes) => {
        void this.view;
        const again = last.again(quotes);
        if (again === null) {
          want('quotes', { quotes }, { kind: 'quotes', market });
          last.remember(quotes, present(this.wanted?.at(-1), 'the intent that was noted'));
        } else this.note(again);
      },
      twap: (side, request) => want('twap', request, { kind: 'twap', market, side }),
      vwap: (side, request) => want('vwap', request, { kind: 'vwap', market, side }),
      ladder: (side, request) => want('ladder', request, { kind: 'ladder', market, side }),
      peg: (side, request) => want('peg', request, { kind: 'peg', market, side }),
      dca: (request) => want('dca', request, { kind: 'dca', market }),
      iceberg: (side, request) => want('iceberg', request, { kind: 'iceberg', market, side }),
      bracket: (request) => want('bracket', request, { kind: 'bracket', market }),
      protect: (request) => want('protect', request, { kind: 'protect', market }),
      exit: (...args: readonly [unknown?, unknown?]) => {
        const [first, second] = args;
        const isNamed = typeof first === 'string';
        const request = isNamed ? second : first;
        want('exit', request ?? {}, { kind: 'exit', market: isNamed ? first : market });
      },
    };
  }

  /**
   * Adds an intent, made of the author's request and the fields that `ctx` fills in. Throws
   * `INVALID_STRATEGY` that names the wrong field; its stack begins at the author's line.
   */
  readonly want = (name: string, request: unknown, filledIn: object): void => {
    // Throws outside of a call: an intent that is made later would be lost.
    void this.view;
    this.note(this.checked(name, request, filledIn));
  };

  private note(intent: Intent): void {
    this.wanted ??= [];
    if (this.wanted.length >= MOST_INTENTS) throw tooMany(this.wanted.length + 1);
    this.wanted.push(intent);
  }

  private checked(name: string, request: unknown, filledIn: object): Intent {
    try {
      const isOrder = typeof request === 'object' && request !== null;
      // An invalid side is reported by the later check.
      if (!isOrder && (!('side' in filledIn) || isSide(filledIn.side))) throw noOrder(`ctx.${name}`, request);
      // Quotes are a list in the field `quotes`, which gives the second part of the name.
      const place = name === 'quotes' ? 'ctx' : `ctx.${name}`;
      return frozenIntent({ ...filledIn, ...(isOrder ? request : null) }, place, this.knownMarkets);
    } catch (error) {
      // A stack has ten frames, and our own would fill them: it begins at the author's line instead.
      if (error instanceof Error) Error.captureStackTrace(error, this.want);
      throw error;
    }
  }
}

type QuotesIntent = Extract<Intent, { kind: 'quotes' }>;

/** A quote as its author gave it, in numbers, which can not change later. */
interface PlacedQuote extends Pick<FillWith<number>, 'price' | 'amount'> {
  readonly names: readonly string[];
  readonly side: unknown;
}

/**
 * The last quotes of a strategy in a market. Most handlers repeat the same quotes at every book, so that
 * checking and copying them again can be skipped.
 */
export class LastQuotes {
  private intent: QuotesIntent | null = null;
  private placed: readonly PlacedQuote[] = [];

  /** Returns the last intent if its quotes are equal to these, else null. */
  again(quotes: unknown): Intent | null {
    const { intent, placed } = this;
    if (intent === null || !Array.isArray(quotes) || quotes.length !== placed.length) return null;
    for (let index = 0; index < placed.length; index += 1) {
      const quote: unknown = quotes[index];
      const before = placed[index];
      if (before === undefined || !isFields(quote) || !isRepeated(quote, before)) return null;
    }
    return intent;
  }

  /** Stores the intent of a list of quotes if all its figures were given as numbers. */
  remember(quotes: unknown, intent: Intent): void {
    this.intent = null;
    if (intent.kind !== 'quotes' || !Array.isArray(quotes)) return;
    const placed: PlacedQuote[] = [];
    for (const [index, checked] of intent.quotes.entries()) {
      const quote: unknown = quotes[index];
      if (!isFields(quote)) return;
      const { side, price, amount } = quote;
      if (side !== checked.side || typeof price !== 'number' || typeof amount !== 'number') return;
      // The check read the fields before, and a getter may return another value each time.
      if (textOfNumber(price) !== checked.price || textOfNumber(amount) !== checked.amount) return;
      placed.push({ names: Object.keys(quote), side, price, amount });
    }
    this.intent = intent;
    this.placed = placed;
  }
}

function isRepeated(quote: Readonly<Record<string, unknown>>, before: PlacedQuote): boolean {
  if (quote['price'] !== before.price || quote['amount'] !== before.amount || quote['side'] !== before.side)
    return false;
  const names = Object.keys(quote);
  if (names.length !== before.names.length) return false;
  for (let index = 0; index < names.length; index += 1)
    if (names[index] !== before.names[index]) return false;
  return true;
}
