import { DAY_MS } from '../domain/time-text.ts';
import { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import { inputText, expectedMarket } from './decimal-input.ts';
import { fieldsOf } from './fields.ts';
import {
  routeOfSubscription,
  FRESHNESS,
  isOfMargin,
  MARGIN_FRESHNESS,
  type Subscription,
} from './subscriptions.ts';
import { TIMEFRAMES } from '../domain/candle.ts';
import { MOST_MEMBERS, universeSchema } from './universe-rules.ts';
import { Cron } from 'croner';

/** No pattern that means something is longer. */
const LONGEST_PATTERN = 100;

/**
 * Returns the next due time of a timer: the first moment after `afterMs` that its cron pattern names, in UTC.
 * A pattern has five fields (minute, hour, day of the month, month, day of the week) or six, with the second
 * before them, so nothing is due more often than once a second. `@daily` and its like work too.
 * @throws SarrafError `INVALID_STRATEGY` for an invalid pattern, or one that no day ever fits.
 */
export function nextDueMs(cron: string, afterMs: number): number {
  const next = nextOf(cron, afterMs);
  if (next === null) {
    throw new SarrafError(
      'INVALID_STRATEGY',
      `expected a cron pattern that comes to be due, was ${JSON.stringify(cron)}, which never does`,
    );
  }
  return next;
}

function nextOf(cron: string, afterMs: number): number | null {
  // The library takes whatever holds a colon for a date.
  if (typeof cron !== 'string' || cron.length > LONGEST_PATTERN || cron.includes(':'))
    throw refusalOf(cron, null);
  try {
    const pattern = new Cron(cron, { mode: '5-or-6-parts', utcOffset: 0 });
    // An injected time, in the form that the library wants it; nothing is read from a clock.
    // oxlint-disable-next-line no-restricted-globals
    return pattern.nextRun(new Date(afterMs))?.getTime() ?? null;
  } catch (error) {
    throw refusalOf(cron, error);
  }
}

function refusalOf(cron: unknown, cause: unknown): SarrafError {
  const why = cause instanceof Error ? ` (${cause.message.replace(/^CronPattern: /, '')})` : '';
  return new SarrafError(
    'INVALID_STRATEGY',
    `expected a cron pattern of five or six fields such as "0 9 * * 1-5", in UTC, was ${JSON.stringify(cron)}${why}`,
    { cause },
  );
}

/** Subscriptions of one strategy; each costs polls. */
export const MOST_SUBSCRIPTIONS = 200;

/** With those of all candidates of its universes, of which members alone cost polls. */
const MOST_EXPANDED = 5_000;

/** Candidates of one universe: all markets of an exchange. */
const MOST_CANDIDATES = 1_000;

/** Bars that the exchange gives at once, the one that is not closed yet left out. */
export const LONGEST_WARM_UP = 499;

/** Longest signal age that may be declared, at its acceptance by the bot. */
const LONGEST_SIGNAL_AGE_MS = 1_800_000;

const market = z.string().min(1).max(30);
const age = z.int().min(100).max(DAY_MS);
/** Ids are remembered for longer than a signal may be old. */
const signalAge = z.int().min(1_000).max(LONGEST_SIGNAL_AGE_MS);
const isPooled = z.literal(true).exactOptional();
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

const subscription = z.discriminatedUnion('kind', [
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
  z.strictObject({ kind: z.literal('timer'), name, cron: z.string() }),
  z.strictObject({ kind: z.literal('signal'), name, maxAgeMs: signalAge }),
  z.strictObject({
    kind: z.literal('universe'),
    name,
    rules: universeSchema.required({ reserve: true }),
    candidates: z.array(market).max(MOST_CANDIDATES),
    templates: z
      .array(
        z.discriminatedUnion('kind', [
          z.strictObject({ kind: z.literal('candles'), timeframe, warmUp }),
          z.strictObject({ kind: z.literal('book'), everyMs: age, maxAgeMs: age }),
        ]),
      )
      .max(MOST_MEMBERS),
    isPerMember: z.literal(true).exactOptional(),
  }),
]);

/** Origin of a subscription, and the known markets. */
interface SubscriptionSource {
  /** Name of the place for an author. */
  readonly place: string;
  /** Without them any market is believed. */
  readonly knownMarkets: ReadonlySet<string> | undefined;
}

/**
 * A subscription as it comes from an author or from a strategy's thread, so the types are not believed.
 * @throws SarrafError `INVALID_STRATEGY` that says which field is wrong.
 */
export function checkedSubscription(
  wanted: unknown,
  { place, knownMarkets }: SubscriptionSource,
): Subscription {
  const checked = subscription.safeParse(wanted);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw refusal([place, ...(issue?.path ?? [])].join('.'), issue?.message ?? 'expected a subscription');
  }
  checkOne(checked.data, place, knownMarkets);
  return checked.data;
}

/** Subscriptions, each once. Throws like `checkedSubscription`. */
export function checkedSubscriptions(wanted: unknown, of: SubscriptionSource): readonly Subscription[] {
  const { place } = of;
  if (!Array.isArray(wanted)) throw refusal(place, 'expected a list of subscriptions');
  const own = wanted.filter((one: unknown) => fieldsOf(one)['isPooled'] !== true).length;
  if (own > MOST_SUBSCRIPTIONS || wanted.length > MOST_EXPANDED) {
    const [most, were] =
      own > MOST_SUBSCRIPTIONS ? [MOST_SUBSCRIPTIONS, own] : [MOST_EXPANDED, wanted.length];
    throw refusal(place, `expected at most ${most} subscriptions, were ${were}`);
  }
  const checked = Array.from(wanted, (one: unknown, index) =>
    checkedSubscription(one, { ...of, place: `${place}.${index}` }),
  );
  const routes = new Set<string>();
  for (const [index, one] of checked.entries()) {
    const route = routeOfSubscription(one);
    if (routes.has(route)) throw refusal(`${place}.${index}`, `expected each once, was ${route} again`);
    routes.add(route);
  }
  return checked;
}

function checkOne(
  subscription: Subscription,
  place: string,
  knownMarkets: ReadonlySet<string> | undefined,
): void {
  if (subscription.kind === 'timer') {
    // Any time will do: a pattern that is wrong is so at all times.
    nextDueMs(subscription.cron, 0);
    return;
  }
  if (subscription.kind === 'universe' || subscription.kind === 'signal') return;
  if (!isOfMargin(subscription) && knownMarkets !== undefined && !knownMarkets.has(subscription.market)) {
    throw refusal(`${place}.market`, expectedMarket(subscription.market, knownMarkets));
  }
  if (subscription.kind === 'candles' || subscription.maxAgeMs >= subscription.everyMs) return;
  const { everyMs, maxAgeMs } = subscription;
  throw refusal(`${place}.maxAgeMs`, `expected at least everyMs, which is ${everyMs}, was ${maxAgeMs}`);
}

function refusal(place: string, message: string): SarrafError {
  return new SarrafError('INVALID_STRATEGY', `${place}: ${message}`);
}
