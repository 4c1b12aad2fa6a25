import type { z } from 'zod';
import { fieldsOf } from '../fields.ts';
import { present } from '../../domain/errors.ts';
import { refusal } from './intent-fields.ts';
import { CandleSeries } from '../data/candle-series.ts';
import { checkedSubscription, MOST_SUBSCRIPTIONS } from '../check-subscriptions.ts';
import { isSchema, LIFE } from '../definition.ts';
import type { Data, DeclaredData } from '../data/data.ts';
import type { MemberData, UniverseData } from '../universe/member-data.ts';
import { MemberFeed, MemberSet } from '../universe/member-set.ts';
import { candidatesOf } from '../universe-rules.ts';
import type { MarketNames } from '../../domain/market-symbol.ts';
import { routeOfSubscription, type Subscription, type UniverseSubscription } from '../subscriptions.ts';

/** Data that is subscribed to directly, not through a universe. */
type PlainData = Exclude<Data, UniverseData | MemberData>;

type PlainSubscription = Exclude<Subscription, UniverseSubscription>;

/** One declared data of a strategy, with its route, which other data may share. */
export interface DataEntry {
  readonly name: string;
  readonly kind: PlainData['kind'];
  readonly subscription: PlainSubscription;
  /** True if the data is one of a list under its name. */
  readonly isListed: boolean;
  /** The candles that it is or is made from; null for other data. */
  readonly series: CandleSeries | null;
  /** Schema of a signal's payload; null for other data. */
  readonly schema: z.ZodType | null;
}

const KINDS: ReadonlySet<unknown> = new Set<Data['kind']>([
  'candles',
  'book',
  'ticker',
  'trades',
  'stats',
  'pools',
  'margin-wallets',
  'delegation-limit',
  'timer',
  'signal',
  'universe',
  'member-candles',
  'member-book',
  'member-ticker',
]);
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,31}$/;

/** One declared part, with its name and its place in error messages. */
interface Part {
  readonly name: string;
  readonly place: string;
  readonly part: Data;
}

/** The checked data that a strategy declares. */
export interface CheckedData {
  readonly entries: readonly DataEntry[];
  /** Its universes, with the data of their members. */
  readonly universes: readonly MemberSet[];
  /** Names of lists without an entry. */
  readonly emptyLists: readonly string[];
}

/** The run and the exchange, as known while a strategy declares its data. */
interface DataSource {
  readonly marketNames: MarketNames;
  readonly hasBooks: boolean;
  /** Markets of the exchange; undefined if any market is accepted and no universe has candidates. */
  readonly knownMarkets: ReadonlySet<string> | undefined;
}

/**
 * Checks the `data` of a strategy and returns each entry with its subscription. Data that is declared twice
 * is subscribed to once, with the shorter ages and the longer history. Types of plugins are not trusted.
 * @throws SarrafError `INVALID_STRATEGY` that names the wrong data.
 */
export function checkedData(declared: unknown, source: DataSource): CheckedData {
  if (typeof declared !== 'object' || declared === null || Array.isArray(declared))
    throw refusal('data', 'expected data by name, such as { bars: market.candles(timeframe) }, was none');
  const parts = Object.entries(declared as DeclaredData).flatMap(([name, part]): readonly Part[] =>
    Array.isArray(part)
      ? (part as readonly Data[]).map((one, index) => ({ name, place: `data.${name}.${index}`, part: one }))
      : [{ name, place: `data.${name}`, part: part as Data }],
  );
  if (parts.length > MOST_SUBSCRIPTIONS)
    throw refusal('data', `expected at most ${MOST_SUBSCRIPTIONS} of them, were ${parts.length}`);
  for (const part of parts) checkPart(part);
  return {
    entries: entriesOf(
      parts.filter(({ part }) => !isOfUniverse(part)),
      source.knownMarkets,
    ),
    universes: universesOf(parts, source),
    emptyLists: Object.entries(declared).flatMap(([name, part]) =>
      Array.isArray(part) && part.length === 0 ? [name] : [],
    ),
  };
}

const isOfUniverse = (part: Data): part is UniverseData | MemberData =>
  part.kind === 'universe' || part.kind.startsWith('member-');

/** Returns the universes with the data of their members. Data belongs to the universe object that made it. */
function universesOf(parts: readonly Part[], source: DataSource): readonly MemberSet[] {
  const { marketNames, knownMarkets = new Set(), hasBooks } = source;
  const sets = new Map<unknown, MemberSet>();
  for (const { name, place, part } of parts) {
    if (!isOfUniverse(part)) continue;
    if (place !== `data.${name}`) throw refusal(place, 'expected a universe by itself, was one in a list');
    if (part.kind !== 'universe') continue;
    const rules = part.from;
    const candidates = candidatesOf(rules, knownMarkets, marketNames);
    const isPerMember = part.isPerMember === true;
    sets.set(part, new MemberSet(name, { rules, candidates, hasBooks, isPerMember }));
  }
  for (const { name, place, part } of parts) {
    if (!isOfUniverse(part) || part.kind === 'universe') continue;
    const set = sets.get(part.of);
    if (set === undefined)
      throw refusal(
        place,
        'expected data of a universe that is declared, too, such as { members, bars: members.candles(timeframe) }',
      );
    set.feeds.push(new MemberFeed(name, part, set));
  }
  return [...sets.values()];
}

function entriesOf(
  parts: readonly Part[],
  knownMarkets: ReadonlySet<string> | undefined,
): readonly DataEntry[] {
  const wanted = new Map<string, PlainSubscription>();
  const routed: {
    readonly name: string;
    readonly isListed: boolean;
    readonly kind: PlainData['kind'];
    readonly route: string;
    readonly schema: z.ZodType | null;
  }[] = [];
  for (const { name, place, part } of parts) {
    const checked = checkedSubscription(subscriptionOf(name, part), { place, knownMarkets });
    if (checked.kind === 'universe' || isOfUniverse(part))
      throw refusal(place, 'expected other data, was a universe');
    const route = routeOfSubscription(checked);
    const isListed = place !== `data.${name}`;
    routed.push({ name, kind: part.kind, isListed, route, schema: schemaOf(part, place, isListed) });
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
    // Only candles have a series.
    series: series.get(route) ?? null,
  }));
}

function checkPart({ name, place, part }: Part): void {
  if (!NAME.test(name)) throw refusal(place, 'expected a name of at most 32 letters, digits and underscores');
  if (LIFE.some((life) => life === name))
    throw refusal(place, `expected another name: on.${name} is the handler of the strategy's own events`);
  if (KINDS.has(fieldsOf(part)['kind'])) return;
  throw refusal(
    place,
    `expected data such as market.candles('1h') or market.book(), was ${JSON.stringify(part)}`,
  );
}

function subscriptionOf(name: string, part: Data): unknown {
  const { kind, from } = fieldsOf(part);
  return kind === 'timer' || kind === 'signal' ? { ...Object(from), name } : from;
}

/** Returns the payload schema of a signal; null for other data. A signal may not be part of a list. */
function schemaOf(part: Data, place: string, isListed: boolean): z.ZodType | null {
  if (part.kind !== 'signal') return null;
  if (isListed) throw refusal(place, 'expected a signal by itself, was one in a list');
  if (isSchema(part.schema)) return part.schema;
  throw refusal(
    place,
    'expected a zod schema of the payload, such as signal(z.strictObject({ side: z.string() }))',
  );
}

/** Merges two subscriptions to the same data into one that serves both. */
function merged(one: PlainSubscription, other: PlainSubscription): PlainSubscription {
  if (one.kind === 'candles' && other.kind === 'candles')
    return { ...one, warmUp: Math.max(one.warmUp, other.warmUp) };
  if ('everyMs' in one && 'everyMs' in other) {
    const everyMs = Math.min(one.everyMs, other.everyMs);
    return { ...one, everyMs, maxAgeMs: Math.min(one.maxAgeMs, other.maxAgeMs) };
  }
  return one;
}
