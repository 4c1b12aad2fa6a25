import type { Timeframe } from '../domain/candle.ts';
import type { UniverseRules } from './universe-rules.ts';
import { marginTopic } from '../records/margin.ts';
import type { StrategyEvent } from './strategy-event.ts';

/** Polling interval and maximum age of data. Defaults for each kind are in `FRESHNESS`. */
export interface Freshness {
  /** The wanted age in ms: how often it would be asked for if nothing else were. */
  readonly everyMs?: number;
  /** The longest allowed age in ms. A run whose limits can not keep it does not begin. */
  readonly maxAgeMs?: number;
}

/** Defaults. The limits allow 60 requests of a book a minute, 15 of the tape and 100 of the day's numbers. */
export const FRESHNESS = {
  book: { everyMs: 2_000, maxAgeMs: 30_000 },
  trades: { everyMs: 8_000, maxAgeMs: 60_000 },
  stats: { everyMs: 10_000, maxAgeMs: 60_000 },
} as const satisfies Record<string, Required<Freshness>>;

/** The same of margin: the limits give pools and wallets 12 times a minute, wallets with those of spot. */
export const MARGIN_FRESHNESS = {
  pools: { everyMs: 60_000, maxAgeMs: 300_000 },
  'margin-wallets': { everyMs: 30_000, maxAgeMs: 180_000 },
  'delegation-limit': { everyMs: 300_000, maxAgeMs: 1_800_000 },
} as const satisfies Record<string, Required<Freshness>>;

/** Closed bars. They are asked for when one has closed, so they have no age of their own. */
export interface CandleSubscription {
  readonly kind: 'candles';
  readonly market: string;
  readonly timeframe: Timeframe;
  /** Bars of the past that are there before the first live one, beside what the indicators need. 0 to 499. */
  readonly warmUp: number;
  /** Of a candidate of a universe: it is asked for while that market is followed, and not else. */
  readonly isPooled?: true;
}

/** Data that is read again and again. */
export type PolledSubscription = {
  readonly kind: 'book' | 'trades' | 'stats';
  readonly market: string;
  /** Of a candidate of a universe: it is asked for while that market is followed, and not else. */
  readonly isPooled?: true;
} & Required<Freshness>;

/** Margin data of the exchange, polled. */
export type MarginSubscription = (
  | { readonly kind: 'pools' | 'margin-wallets' }
  | {
      readonly kind: 'delegation-limit';
      /** Lower case. */
      readonly currency: string;
    }
) &
  Required<Freshness>;

/** A moment that comes again. */
export interface TimerSubscription {
  readonly kind: 'timer';
  readonly name: string;
  /** Five fields, or six with the second first; UTC. */
  readonly cron: string;
}

/** Signals from outside, under a name of the strategy's own. */
export interface SignalSubscription {
  readonly kind: 'signal';
  readonly name: string;
  /** Maximum age of a signal when the bot accepts it, in ms. */
  readonly maxAgeMs: number;
}

/** Subscription template for each universe member. */
export type MemberTemplate =
  | Pick<CandleSubscription, 'kind' | 'timeframe' | 'warmUp'>
  | ({ readonly kind: 'book' } & Required<Freshness>);

/** Markets that are chosen by a rule. What is wanted of each candidate is subscribed to beside it. */
export interface UniverseSubscription {
  readonly kind: 'universe';
  readonly name: string;
  readonly rules: UniverseRules;
  /** Markets that may become members, in the order of their names. */
  readonly candidates: readonly string[];
  readonly templates: readonly MemberTemplate[];
  /** The strategy is written for one market and runs in each member: elsewhere it may buy nothing. */
  readonly isPerMember?: true;
}

/** Subscription of a strategy. `market` is a symbol such as `BTCIRT`. */
export type Subscription =
  | CandleSubscription
  | PolledSubscription
  | MarginSubscription
  | TimerSubscription
  | SignalSubscription
  | UniverseSubscription;

const MARGIN_KINDS: ReadonlySet<string> = new Set<MarginSubscription['kind']>([
  'pools',
  'margin-wallets',
  'delegation-limit',
]);

/** True if the subscription is for margin data, and so for no market. */
export function isOfMargin(wanted: Subscription): wanted is MarginSubscription {
  return MARGIN_KINDS.has(wanted.kind);
}

/** The markets of which a subscription brings anything. */
export function marketsOfSubscription(wanted: Subscription): readonly string[] {
  if (wanted.kind === 'timer' || wanted.kind === 'signal' || isOfMargin(wanted)) return [];
  return wanted.kind === 'universe' ? wanted.candidates : [wanted.market];
}

/** Closed candles, in order, each once; after a gap the next one says how many are missing. */
export function candles(
  market: string,
  timeframe: Timeframe,
  options: { readonly warmUp?: number } = {},
): CandleSubscription {
  return { kind: 'candles', market, timeframe, warmUp: options.warmUp ?? 0 };
}

/** The order book: wanted every 2 s, at most 30 s old. */
export function book(market: string, freshness: Freshness = {}): PolledSubscription {
  return { kind: 'book', market, ...FRESHNESS.book, ...freshness };
}

/** The public tape: wanted every 8 s, at most 60 s old. Only new trades are delivered. */
export function trades(market: string, freshness: Freshness = {}): PolledSubscription {
  return { kind: 'trades', market, ...FRESHNESS.trades, ...freshness };
}

/** The numbers of a market's day: wanted every 10 s, at most 60 s old. */
export function stats(market: string, freshness: Freshness = {}): PolledSubscription {
  return { kind: 'stats', market, ...FRESHNESS.stats, ...freshness };
}

/**
 * A moment by the calendar, such as `timer('daily', '0 9 * * *')`: nine o'clock in the morning, UTC. What
 * fell due while nothing ran is not made up for.
 */
export function timer(name: string, cron: string): TimerSubscription {
  return { kind: 'timer', name, cron };
}

/** Default maximum age of a signal. */
const SIGNAL_MAX_AGE_MS = 60_000;

/** Signals from outside: one that is older than `maxAgeMs` (a minute) when the bot takes it is refused. */
export function signalSubscription(
  name: string,
  { maxAgeMs = SIGNAL_MAX_AGE_MS }: Pick<Freshness, 'maxAgeMs'> = {},
): SignalSubscription {
  return { kind: 'signal', name, maxAgeMs };
}

/** Amounts that can be borrowed, by currency. By default polled every minute, at most 5 min old. */
export function marginPools(freshness: Freshness = {}): MarginSubscription {
  return { kind: 'pools', ...MARGIN_FRESHNESS.pools, ...freshness };
}

/** The account's margin wallets: wanted every 30 s, at most 3 min old. */
export function marginWallets(freshness: Freshness = {}): MarginSubscription {
  return { kind: 'margin-wallets', ...MARGIN_FRESHNESS['margin-wallets'], ...freshness };
}

/** The most that may be delegated of a currency: wanted every 5 min, at most 30 min old. */
export function marginLimit(currency: string, freshness: Freshness = {}): MarginSubscription {
  return { kind: 'delegation-limit', currency, ...MARGIN_FRESHNESS['delegation-limit'], ...freshness };
}

/** Returns the route of a subscription: `book BTCIRT`, `candles BTCIRT 1h`, `timer day`, `margin pools`. */
export function routeOfSubscription(wanted: Subscription): string {
  if (wanted.kind === 'timer' || wanted.kind === 'signal' || wanted.kind === 'universe')
    return `${wanted.kind} ${wanted.name}`;
  if (isOfMargin(wanted)) return `margin ${marginTopic(wanted)}`;
  return wanted.kind === 'candles'
    ? `candles ${wanted.market} ${wanted.timeframe}`
    : `${wanted.kind} ${wanted.market}`;
}

/** The same of an event; its kind alone where nobody subscribes to it. */
export function routeOfEvent(event: StrategyEvent): string {
  switch (event.kind) {
    case 'candle':
      return `candles ${event.candle.market} ${event.candle.timeframe}`;
    case 'book':
    case 'trades':
      return `${event.kind} ${event.market}`;
    case 'stats':
      return `stats ${event.stats.market.symbol}`;
    case 'margin':
      return `margin ${marginTopic(event.seen.reading)}`;
    case 'timer':
    case 'signal':
    case 'universe':
      return `${event.kind} ${event.name}`;
    case 'start':
    case 'stop':
    case 'fill':
    case 'order':
    case 'transfer':
    case 'reject':
      return event.kind;
  }
}

/** Returns the subscription for one candidate of a universe. */
export function candidateSubscription(
  market: string,
  template: MemberTemplate,
): CandleSubscription | PolledSubscription {
  return { ...template, market, isPooled: true };
}

/**
 * Returns all subscriptions of a strategy: its own, its universes, and those for each candidate. A market
 * subscription that is also its own is subscribed to once, and is always polled.
 */
export function withUniverses(
  plain: readonly Subscription[],
  universes: readonly UniverseSubscription[],
): readonly Subscription[] {
  const routes = new Set(plain.map(routeOfSubscription));
  const more: Subscription[] = [];
  for (const { candidates, templates } of universes) {
    for (const template of templates) {
      for (const market of candidates) {
        const wanted = candidateSubscription(market, template);
        const route = routeOfSubscription(wanted);
        if (routes.has(route)) continue;
        routes.add(route);
        more.push(wanted);
      }
    }
  }
  return [...plain, ...universes, ...more];
}
