import { fieldsOf } from './fields.ts';
import { present } from '../domain/invariant.ts';
import { SarrafError } from '../domain/errors.ts';
import { CandleSeries } from './candle-series.ts';
import { checkedSubscription, MOST_SUBSCRIPTIONS } from './check-subscriptions.ts';
import { LIFE } from './definition.ts';
import type { Data, DeclaredData } from './data.ts';
import { routeOfSubscription } from './event-route.ts';
import type { Subscription } from './subscriptions.ts';

/** Some data of a strategy with where it comes from, which other data may share. */
export interface DataEntry {
  readonly name: string;
  readonly kind: Data['kind'];
  readonly subscription: Subscription;
  /** Whether it is one of a list of that name. */
  readonly isListed: boolean;
  /** The candles that it is, or that it is made of; null for other data. */
  readonly series: CandleSeries | null;
}

const KINDS: ReadonlySet<unknown> = new Set<Data['kind']>([
  'candles',
  'book',
  'ticker',
  'trades',
  'stats',
  'timer',
]);
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,31}$/;

/**
 * What `data` of a strategy answered, each with its subscription: what is wanted twice is subscribed to once,
 * with the shorter ages and the longer history. Authors may write JavaScript, so the types are not believed.
 * @throws SarrafError `INVALID_STRATEGY` that says which data is wrong.
 */
export function checkedData(declared: unknown, knownMarkets?: ReadonlySet<string>): readonly DataEntry[] {
  if (typeof declared !== 'object' || declared === null || Array.isArray(declared)) {
    throw refusal('data', 'expected data by name, such as { bars: market.candles(timeframe) }, was none');
  }
  const parts = Object.entries(declared as DeclaredData).flatMap(([name, part]) =>
    Array.isArray(part)
      ? (part as readonly Data[]).map((one, index) => ({ name, place: `data.${name}.${index}`, part: one }))
      : [{ name, place: `data.${name}`, part: part as Data }],
  );
  if (parts.length > MOST_SUBSCRIPTIONS) {
    throw refusal('data', `expected at most ${MOST_SUBSCRIPTIONS} of them, were ${parts.length}`);
  }
  const wanted = new Map<string, Subscription>();
  const routed: {
    readonly name: string;
    readonly isListed: boolean;
    readonly kind: Data['kind'];
    readonly route: string;
  }[] = [];
  for (const { name, place, part } of parts) {
    const checked = checkedSubscription(subscriptionOf(name, place, part), { place, knownMarkets });
    const route = routeOfSubscription(checked);
    routed.push({ name, kind: part.kind, isListed: place !== `data.${name}`, route });
    const other = wanted.get(route);
    wanted.set(route, other === undefined ? checked : merged(other, checked));
  }
  const series = new Map<string, CandleSeries>();
  for (const [route, subscription] of wanted) {
    if (subscription.kind === 'candles') series.set(route, new CandleSeries(subscription));
  }
  return routed.map(({ route, ...entry }) => ({
    ...entry,
    subscription: present(wanted.get(route), () => `a subscription of ${route}`),
    // Only candles have one.
    series: series.get(route) ?? null,
  }));
}

function subscriptionOf(name: string, place: string, part: unknown): unknown {
  if (!NAME.test(name)) throw refusal(place, 'expected a name of at most 32 letters, digits and underscores');
  if (LIFE.some((life) => life === name)) {
    throw refusal(place, `expected another name: on.${name} is the handler of the strategy's own events`);
  }
  const { kind, from } = fieldsOf(part);
  if (!KINDS.has(kind)) {
    throw refusal(
      place,
      `expected data such as market.candles('1h') or market.book(), was ${JSON.stringify(part)}`,
    );
  }
  return kind === 'timer' ? { ...Object(from), name } : from;
}

/** What serves both of two that want the same. */
function merged(one: Subscription, other: Subscription): Subscription {
  if (one.kind === 'candles' && other.kind === 'candles') {
    return { ...one, warmUp: Math.max(one.warmUp, other.warmUp) };
  }
  if ('everyMs' in one && 'everyMs' in other) {
    const everyMs = Math.min(one.everyMs, other.everyMs);
    return { ...one, everyMs, maxAgeMs: Math.min(one.maxAgeMs, other.maxAgeMs) };
  }
  return one;
}

function refusal(place: string, message: string): SarrafError {
  return new SarrafError('INVALID_STRATEGY', `${place}: ${message}`);
}
