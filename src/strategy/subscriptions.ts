import { z } from 'zod';
import { otherMarketOf } from '../domain/market-symbol.ts';
import { LONGEST_WARM_UP, TIMEFRAMES, type Timeframe } from '../domain/candle.ts';
import type { Immutable } from '../domain/stored-json.ts';
import { DAY_MS } from '../domain/time-text.ts';
import { inputText } from './decimal-input.ts';
import { MOST_MEMBERS, universeSchema } from './universe-rules.ts';
import { marginTopic } from '../records/margin.ts';
import type { StrategyEvent } from './strategy-event.ts';

/** Polling interval and maximum age of data. Defaults for each kind are in `FRESHNESS`. */
export interface Freshness {
  /** Polling interval in ms, if nothing else asks for the data more often. */
  readonly everyMs?: number;
  /** The longest allowed age in ms. A run does not start if the rate limits can not keep it. */
  readonly maxAgeMs?: number;
}

/** Names of other venues, each with the longest age of its data in ms; null for that of the strategy. */
export type OtherVenueAges = Readonly<Record<string, number | null>>;

/** Defaults. The limits allow 60 book requests a minute, 15 of the public tape, 100 of daily statistics. */
export const FRESHNESS = {
  book: { everyMs: 2_000, maxAgeMs: 30_000 },
  trades: { everyMs: 8_000, maxAgeMs: 60_000 },
  stats: { everyMs: 10_000, maxAgeMs: 60_000 },
} as const satisfies Record<string, Required<Freshness>>;

/** Defaults for margin data. The limits allow 12 requests a minute of pools, and 12 of all wallets. */
export const MARGIN_FRESHNESS = {
  pools: { everyMs: 60_000, maxAgeMs: 300_000 },
  'margin-wallets': { everyMs: 30_000, maxAgeMs: 180_000 },
  'delegation-limit': { everyMs: 300_000, maxAgeMs: 1_800_000 },
} as const satisfies Record<string, Required<Freshness>>;

/** Maximum number of candidates of one universe: more than an exchange has markets. */
const MOST_CANDIDATES = 1_000;

/** Longest `maxAgeMs` that a signal may declare: its age when the bot accepts it. */
const LONGEST_SIGNAL_AGE_MS = 1_800_000;

/** A symbol, or the text of a market of another venue. */
const market = z.string().min(1).max(61);
const age = z.int().min(100).max(DAY_MS);
/** Schema of a signal's maximum age, in ms. Ids are remembered for longer, so none is delivered twice. */
const signalAge = z.int().min(1_000).max(LONGEST_SIGNAL_AGE_MS);
/** Set for a candidate of a universe: it is polled only while its market is followed. */
const isPooled = z.literal(true).exactOptional();
/** Past bars that are delivered before the first live one, besides those for indicators. 0 to 499. */
const warmUp = z.int().min(0).max(LONGEST_WARM_UP).default(0);
const timeframe = z.enum(TIMEFRAMES, {
  error: ({ input }) => `expected one of ${TIMEFRAMES.join(', ')}, was ${inputText(input)}`,
});

const name = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,31}$/, 'expected at most 32 letters, digits and underscores');

const polled = <Kind extends keyof typeof FRESHNESS>(kind: Kind) =>
  z.strictObject({
    kind: z.literal(kind),
    market,
    everyMs: age.default(FRESHNESS[kind].everyMs),
    maxAgeMs: age.default(FRESHNESS[kind].maxAgeMs),
    isPooled,
  });

const ofMargin = <Kind extends keyof typeof MARGIN_FRESHNESS>(kind: Kind) =>
  z.strictObject({
    kind: z.literal(kind),
    everyMs: age.default(MARGIN_FRESHNESS[kind].everyMs),
    maxAgeMs: age.default(MARGIN_FRESHNESS[kind].maxAgeMs),
  });

const currency = z.string().regex(/^[a-z0-9_]{1,20}$/, 'expected a currency in lower case, such as btc');

/**
 * Schema of any subscription of a strategy. `market` is a symbol such as `BTCIRT`, for a book also a market
 * of another venue. Closed bars are requested once a bar has closed, so they have no maximum age.
 */
export const subscription = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('candles'),
    market,
    timeframe,
    warmUp,
    isPooled,
  }),
  polled('book'),
  polled('trades'),
  polled('stats'),
  ofMargin('pools'),
  ofMargin('margin-wallets'),
  ofMargin('delegation-limit').extend({ currency }),
  /** Cron pattern of five fields, or of six with the second first; in UTC. */
  z.strictObject({ kind: z.literal('timer'), name, cron: z.string() }),
  /** Signals from outside under a name that the strategy chose. */
  z.strictObject({ kind: z.literal('signal'), name, maxAgeMs: signalAge }),
  /** Markets by a rule. Candidates also have their own subscriptions. */
  z.strictObject({
    kind: z.literal('universe'),
    name,
    rules: universeSchema.required({ reserve: true }),
    /** Markets that may become members, ordered by name. */
    candidates: z.array(market).max(MOST_CANDIDATES),
    /** Subscriptions of each member. */
    templates: z
      .array(
        z.discriminatedUnion('kind', [
          z.strictObject({ kind: z.literal('candles'), timeframe, warmUp }),
          z.strictObject({ kind: z.literal('book'), everyMs: age, maxAgeMs: age }),
        ]),
      )
      .max(MOST_MEMBERS),
    /** Set for a strategy of one market that runs in each member; it may not buy in other markets. */
    isPerMember: z.literal(true).exactOptional(),
  }),
]);

/** Any subscription of a strategy. */
export type Subscription = Immutable<z.output<typeof subscription>>;
type SubscriptionOf<Kind extends Subscription['kind']> = Extract<Subscription, { readonly kind: Kind }>;

export type CandleSubscription = SubscriptionOf<'candles'>;
export type PolledSubscription = SubscriptionOf<'book' | 'trades' | 'stats'>;
export type MarginSubscription = SubscriptionOf<keyof typeof MARGIN_FRESHNESS>;
export type TimerSubscription = SubscriptionOf<'timer'>;
export type SignalSubscription = SubscriptionOf<'signal'>;
export type UniverseSubscription = SubscriptionOf<'universe'>;
export type MemberTemplate = UniverseSubscription['templates'][number];

const MARGIN_KINDS: ReadonlySet<string> = new Set<MarginSubscription['kind']>([
  'pools',
  'margin-wallets',
  'delegation-limit',
]);

/** True for a subscription to margin data, which has no market. */
export const isOfMargin = (wanted: Subscription): wanted is MarginSubscription =>
  MARGIN_KINDS.has(wanted.kind);

/** Returns the markets of the own exchange whose data a subscription delivers. */
export function marketsOfSubscription(wanted: Subscription): readonly string[] {
  if (wanted.kind === 'timer' || wanted.kind === 'signal' || isOfMargin(wanted)) return [];
  if (wanted.kind === 'universe') return wanted.candidates;
  return isOfOtherVenue(wanted) ? [] : [wanted.market];
}

/** True for a subscription to a book of another venue. */
export const isOfOtherVenue = (wanted: Subscription): wanted is PolledSubscription =>
  wanted.kind === 'book' && otherMarketOf(wanted.market) !== null;

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
