import type { Timeframe } from '../domain/candle.ts';
import type { UniverseRules } from './universe-rules.ts';
import { marginTopic } from '../records/margin.ts';
import type { StrategyEvent } from './strategy-event.ts';

/** Polling interval and maximum age of data. Defaults for each kind are in `FRESHNESS`. */
export interface Freshness {
  /** Polling interval in ms, if nothing else asks for the data more often. */
  readonly everyMs?: number;
  /** The longest allowed age in ms. A run does not start if the rate limits can not keep it. */
  readonly maxAgeMs?: number;
}

/** Defaults. The limits allow 60 book requests a minute, 15 of the public tape, 100 of daily statistics. */
export const FRESHNESS = {
  book: { everyMs: 2_000, maxAgeMs: 30_000 },
  trades: { everyMs: 8_000, maxAgeMs: 60_000 },
  stats: { everyMs: 10_000, maxAgeMs: 60_000 },
} as const satisfies Record<string, Required<Freshness>>;

/**
 * Defaults for margin data. The limits allow 12 requests a minute of pools, and 12 of margin and spot wallets
 * together.
 */
export const MARGIN_FRESHNESS = {
  pools: { everyMs: 60_000, maxAgeMs: 300_000 },
  'margin-wallets': { everyMs: 30_000, maxAgeMs: 180_000 },
  'delegation-limit': { everyMs: 300_000, maxAgeMs: 1_800_000 },
} as const satisfies Record<string, Required<Freshness>>;

/** Subscription to closed bars. They are requested once a bar has closed, so they have no maximum age. */
export interface CandleSubscription {
  readonly kind: 'candles';
  readonly market: string;
  readonly timeframe: Timeframe;
  /** Past bars that are delivered before the first live one, besides those for indicators. 0 to 499. */
  readonly warmUp: number;
  /** Set for a candidate of a universe: it is polled only while its market is followed. */
  readonly isPooled?: true;
}

/** Subscription to data of one market that is polled. */
export type PolledSubscription = {
  readonly kind: 'book' | 'trades' | 'stats';
  readonly market: string;
  /** Set for a candidate of a universe: it is polled only while its market is followed. */
  readonly isPooled?: true;
} & Required<Freshness>;

/** Subscription to margin data of the exchange, which is polled. */
export type MarginSubscription = (
  | { readonly kind: 'pools' | 'margin-wallets' }
  | {
      readonly kind: 'delegation-limit';
      /** Currency in lower case. */
      readonly currency: string;
    }
) &
  Required<Freshness>;

/** Subscription to the times of a cron pattern. */
export interface TimerSubscription {
  readonly kind: 'timer';
  readonly name: string;
  /** Cron pattern of five fields, or of six with the second first; in UTC. */
  readonly cron: string;
}

/** Subscription to signals from outside under a name that the strategy chose. */
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

/** Subscription to a universe: markets by a rule. Candidates also have their own subscriptions. */
export interface UniverseSubscription {
  readonly kind: 'universe';
  readonly name: string;
  readonly rules: UniverseRules;
  /** Markets that may become members, ordered by name. */
  readonly candidates: readonly string[];
  readonly templates: readonly MemberTemplate[];
  /** Set for a strategy of one market that runs in each member; it may not buy in other markets. */
  readonly isPerMember?: true;
}

/** Any subscription of a strategy. `market` is a symbol such as `BTCIRT`. */
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

/** True for a subscription to margin data, which has no market. */
export function isOfMargin(wanted: Subscription): wanted is MarginSubscription {
  return MARGIN_KINDS.has(wanted.kind);
}

/** Returns the markets whose data a subscription delivers. */
export function marketsOfSubscription(wanted: Subscription): readonly string[] {
  if (wanted.kind === 'timer' || wanted.kind === 'signal' || isOfMargin(wanted)) return [];
  return wanted.kind === 'universe' ? wanted.candidates : [wanted.market];
}

/** Subscribes to closed candles, in order, each once; after a gap, the next one has the number missing. */
export function candles(
  market: string,
  timeframe: Timeframe,
  options: { readonly warmUp?: number } = {},
): CandleSubscription {
  return { kind: 'candles', market, timeframe, warmUp: options.warmUp ?? 0 };
}

/** Subscribes to the order book: polled every 2 s, at most 30 s old. */
export function book(market: string, freshness: Freshness = {}): PolledSubscription {
  return { kind: 'book', market, ...FRESHNESS.book, ...freshness };
}

/** Subscribes to the public tape: polled every 8 s, at most 60 s old. Only new trades are delivered. */
export function trades(market: string, freshness: Freshness = {}): PolledSubscription {
  return { kind: 'trades', market, ...FRESHNESS.trades, ...freshness };
}

/** Subscribes to a market's daily statistics: polled every 10 s, at most 60 s old. */
export function stats(market: string, freshness: Freshness = {}): PolledSubscription {
  return { kind: 'stats', market, ...FRESHNESS.stats, ...freshness };
}

/**
 * Subscribes to a time of the calendar: `timer('daily', '0 9 * * *')` is nine o'clock in the morning, UTC.
 * Times that passed while the bot was off are skipped.
 */
export function timer(name: string, cron: string): TimerSubscription {
  return { kind: 'timer', name, cron };
}

/** Default maximum age of a signal, in ms. */
const SIGNAL_MAX_AGE_MS = 60_000;

/** Subscribes to signals: one older than `maxAgeMs` (a minute) when the bot accepts it is refused. */
export function signalSubscription(
  name: string,
  { maxAgeMs = SIGNAL_MAX_AGE_MS }: Pick<Freshness, 'maxAgeMs'> = {},
): SignalSubscription {
  return { kind: 'signal', name, maxAgeMs };
}

/** Subscribes to amounts that can be borrowed, by currency: polled every minute, at most 5 min old. */
export function marginPools(freshness: Freshness = {}): MarginSubscription {
  return { kind: 'pools', ...MARGIN_FRESHNESS.pools, ...freshness };
}

/** Subscribes to the account's margin wallets: polled every 30 s, at most 3 min old. */
export function marginWallets(freshness: Freshness = {}): MarginSubscription {
  return { kind: 'margin-wallets', ...MARGIN_FRESHNESS['margin-wallets'], ...freshness };
}

/** Subscribes to the most that may be delegated of a currency: polled every 5 min, at most 30 min old. */
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

/** Returns the route of an event; if it has no subscription, its kind alone. */
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
 * Returns all subscriptions of a strategy: its own, its universes, and those of each candidate. If a
 * candidate's data is also the strategy's own, it is subscribed to once, and is always polled.
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
