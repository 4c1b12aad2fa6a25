import { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import { TIMEFRAMES } from '../domain/timeframe.ts';
import { FRESHNESS, type Subscription } from './subscriptions.ts';
import { nextDueMs } from './timers.ts';

/** Subscriptions of one strategy; each costs polls. */
const MOST_SUBSCRIPTIONS = 200;

/** Bars that the exchange gives at once, the one that is not closed yet left out. */
export const LONGEST_WARM_UP = 499;

const DAY_MS = 86_400_000;

const market = z.string().min(1).max(30);
const age = z.int().min(100).max(DAY_MS);

const polled = <Kind extends keyof typeof FRESHNESS>(kind: Kind) =>
  z.strictObject({
    kind: z.literal(kind),
    market,
    everyMs: age.default(FRESHNESS[kind].everyMs),
    maxAgeMs: age.default(FRESHNESS[kind].maxAgeMs),
  });

const subscriptions = z
  .array(
    z.discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('candles'),
        market,
        timeframe: z.enum(TIMEFRAMES, `expected one of ${TIMEFRAMES.join(', ')}`),
        warmUp: z.int().min(0).max(LONGEST_WARM_UP).default(0),
      }),
      polled('book'),
      polled('trades'),
      polled('stats'),
      z.strictObject({
        kind: z.literal('timer'),
        name: z
          .string()
          .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'expected at most 32 lower-case letters, digits and hyphens'),
        cron: z.string(),
      }),
    ]),
  )
  .max(MOST_SUBSCRIPTIONS);

/**
 * What `subscribe` returned, when it is a list of subscriptions, each once; ages that were left out are filled in. Authors may write JavaScript, so the
 * types are not believed.
 * @throws SarrafError `INVALID_STRATEGY` that says which field is wrong.
 */
export function checkedSubscriptions(wanted: unknown, knownMarkets?: ReadonlySet<string>): readonly Subscription[] {
  const checked = subscriptions.safeParse(wanted);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw refusal(
      ['subscribe', ...(issue?.path ?? [])].join('.'),
      issue?.message ?? 'expected a list of subscriptions',
    );
  }
  const names = new Set<string>();
  for (const [index, subscription] of checked.data.entries()) {
    const place = `subscribe.${index}`;
    checkOne(subscription, place, knownMarkets);
    const name = nameOf(subscription);
    if (names.has(name)) throw refusal(place, `expected each once, was ${name} again`);
    names.add(name);
  }
  return checked.data;
}

function checkOne(subscription: Subscription, place: string, knownMarkets: ReadonlySet<string> | undefined): void {
  if (subscription.kind === 'timer') {
    // Any time will do: a pattern that is wrong is so at all times.
    nextDueMs(subscription.cron, 0);
    return;
  }
  if (knownMarkets !== undefined && !knownMarkets.has(subscription.market)) {
    throw refusal(`${place}.market`, expectedMarket(subscription.market, knownMarkets));
  }
  if (subscription.kind === 'candles' || subscription.maxAgeMs >= subscription.everyMs) return;
  const { everyMs, maxAgeMs } = subscription;
  throw refusal(`${place}.maxAgeMs`, `expected at least everyMs, which is ${everyMs}, was ${maxAgeMs}`);
}

/** What to say of a market that is not there. */
export function expectedMarket(was: string, knownMarkets: ReadonlySet<string>): string {
  const some = [...knownMarkets].slice(0, 10).join(', ');
  return `expected one of the markets ${some}${knownMarkets.size > 10 ? ', …' : ''}, was ${JSON.stringify(was)}`;
}

function nameOf(subscription: Subscription): string {
  if (subscription.kind === 'timer') return `timer ${subscription.name}`;
  const { kind, market } = subscription;
  return kind === 'candles' ? `candles ${market} ${subscription.timeframe}` : `${kind} ${market}`;
}

function refusal(place: string, message: string): SarrafError {
  return new SarrafError('INVALID_STRATEGY', `${place}: ${message}`);
}
