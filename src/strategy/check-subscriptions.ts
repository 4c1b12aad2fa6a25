import { refusal } from './checks/intent-fields.ts';
import { type SarrafError, invalidStrategy } from '../domain/errors.ts';
import { expectedMarket } from './decimal-input.ts';
import { fieldsOf } from './fields.ts';
import {
  routeOfSubscription,
  isOfMargin,
  isOfOtherVenue,
  subscription,
  type Subscription,
} from './subscriptions.ts';
import { Cron } from 'croner';

/** Longest cron pattern, in characters; no useful pattern is longer. */
const LONGEST_PATTERN = 100;

/**
 * Returns the next due time of a timer, in ms since 1970: the first time after `afterMs` that its cron
 * pattern allows, in UTC. A pattern has five fields (minute, hour, day of the month, month, day of the week),
 * or six with the second before them, so a timer is due at most once a second. `@daily` and similar names
 * work, too.
 * @throws SarrafError `INVALID_STRATEGY` for an invalid pattern, or one that no day ever fits.
 */
export function nextDueMs(cron: string, afterMs: number): number {
  const next = nextOf(cron, afterMs);
  if (next === null)
    throw invalidStrategy(
      `expected a cron pattern that comes to be due, was ${JSON.stringify(cron)}, which never does`,
    );
  return next;
}

function nextOf(cron: string, afterMs: number): number | null {
  // The library reads any text with a colon as a date.
  if (typeof cron !== 'string' || cron.length > LONGEST_PATTERN || cron.includes(':'))
    throw refusalOf(cron, null);
  try {
    const pattern = new Cron(cron, { mode: '5-or-6-parts', utcOffset: 0 });
    // The time is injected, in the form that the library needs; no clock is read.
    // oxlint-disable-next-line no-restricted-globals
    return pattern.nextRun(new Date(afterMs))?.getTime() ?? null;
  } catch (error) {
    throw refusalOf(cron, error);
  }
}

function refusalOf(cron: unknown, cause: unknown): SarrafError {
  const why = cause instanceof Error ? ` (${cause.message.replace(/^CronPattern: /, '')})` : '';
  return invalidStrategy(
    `expected a cron pattern of five or six fields such as "0 9 * * 1-5", in UTC, was ${JSON.stringify(cron)}${why}`,
    { cause },
  );
}

/** Maximum number of subscriptions of one strategy; each costs polls. */
export const MOST_SUBSCRIPTIONS = 200;

/** Most subscriptions including those of all universe candidates. Only members cost polls. */
const MOST_EXPANDED = 5_000;

/** Where a subscription was written, and the known markets. */
interface SubscriptionSource {
  /** Place in the strategy, as its author would name it. */
  readonly place: string;
  /** Markets of the exchange; undefined if any market is accepted. */
  readonly knownMarkets: ReadonlySet<string> | undefined;
}

/**
 * Checks a subscription as it comes from an author or from a strategy's thread; types are not trusted.
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

/** Checks subscriptions and returns each once. Throws like `checkedSubscription`. */
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
    // Any time will do: an invalid pattern is invalid at all times.
    nextDueMs(subscription.cron, 0);
    return;
  }
  if (subscription.kind === 'universe' || subscription.kind === 'signal') return;
  const isOwn = !isOfMargin(subscription) && !isOfOtherVenue(subscription);
  if (isOwn && knownMarkets !== undefined && !knownMarkets.has(subscription.market))
    throw refusal(`${place}.market`, expectedMarket(subscription.market, knownMarkets));
  if (subscription.kind === 'candles' || subscription.maxAgeMs >= subscription.everyMs) return;
  const { everyMs, maxAgeMs } = subscription;
  throw refusal(`${place}.maxAgeMs`, `expected at least everyMs, which is ${everyMs}, was ${maxAgeMs}`);
}
