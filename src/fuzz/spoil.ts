import type { Dice } from './dice.ts';
import type { WrongKind } from './wrong-replies.ts';

type Holder = Record<string | number, unknown>;

/** Position of a value in a body. */
interface Place {
  readonly holder: Holder;
  readonly key: string | number;
  readonly isLeaf: boolean;
  /** True if it is in the last record of a list, which mostly is the new one. */
  readonly isNewest: boolean;
}

const DEPTH = 20_000;
const NESTED = '\u0000nested';
/** Fields on which something is decided: half of what is made wrong is one of them, where a body has any. */
const TELLING: ReadonlySet<string | number> = new Set([
  'id',
  'orderId',
  'pairId',
  'clientOrderId',
  'status',
  'amount',
  'matchedAmount',
  'total',
  'fee',
  'hasNext',
]);
/** Of which a huge one looks like the newest of all. */
const IDS: ReadonlySet<string | number> = new Set(['id', 'orderId', 'pairId']);
/** Kinds of wrong numbers. */
const NUMBER_KINDS: ReadonlySet<WrongKind> = new Set(['negative', 'tiny', 'zero', 'huge']);
const HUGE_IDS = [9_007_199_254_740_991, 1_000_000_000_000, 123_456_789_012] as const;

/**
 * The same body with one thing about it wrong; null where it has nothing that can be wrong in this way. One
 * place is drawn of all of them, however deep.
 */
export function spoil(body: string, kind: Exclude<WrongKind, 'stale'>, dice: Dice): string | null {
  const root = readBody(body);
  if (root === null) return null;
  const places = placesIn(root);
  const place = dice.pick(placesFor(kind, places, dice));
  if (place === null || !spoilAt(place, { kind, dice, places })) return null;
  return JSON.stringify(root).replace(JSON.stringify(NESTED), `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`);
}

/** Returns the places to which a kind of error may be applied. */
function placesFor(kind: WrongKind, places: readonly Place[], dice: Dice): readonly Place[] {
  if (kind === 'record dropped' || kind === 'record doubled') return places.filter(isRecord);
  if (kind === 'records reversed') return places.filter(isList);
  const all = places.filter((place) => place.isLeaf && suits(kind, place));
  const newest = dice.happens(0.5) ? all.filter(({ isNewest }) => isNewest) : [];
  const leaves = newest.length > 0 ? newest : all;
  const wanted = kind === 'huge' ? IDS : TELLING;
  const telling = dice.happens(0.5) ? leaves.filter(({ key }) => wanted.has(key)) : [];
  return telling.length > 0 ? telling : leaves;
}

/** True if a value is of the type that a kind of error is for. */
function suits(kind: WrongKind, { holder, key }: Place): boolean {
  const value = holder[key];
  if (NUMBER_KINDS.has(kind)) return isNumeric(value);
  return kind !== 'unknown word' || (typeof value === 'string' && !isNumeric(value));
}

/** Null for what is no object, or was cut off by another fault. */
function readBody(body: string): Holder | null {
  try {
    const root: unknown = JSON.parse(body);
    return typeof root === 'object' && root !== null ? (root as Holder) : null;
  } catch {
    return null;
  }
}

/** Every value with its place; those of long lists by their first and last few. */
function placesIn(holder: Holder, isInNewest = false): readonly Place[] {
  const places: Place[] = [];
  const entries = Array.isArray(holder) ? endsOf(holder) : Object.entries(holder);
  for (const [key, value] of entries) {
    const isLeaf = typeof value !== 'object' || value === null;
    const isNewest =
      isInNewest || (Array.isArray(holder) && key === holder.length - 1 && !Array.isArray(value));
    places.push({ holder, key, isLeaf, isNewest });
    if (!isLeaf) places.push(...placesIn(value as Holder, isNewest));
  }
  return places;
}

/** Items at either end of a list that something may be wrong about. */
const MOST_ITEMS = 20;

function endsOf(list: readonly unknown[]): readonly (readonly [index: number, value: unknown])[] {
  const items = list.map((value, index) => [index, value] as const);
  return items.length <= MOST_ITEMS * 2
    ? items
    : [...items.slice(0, MOST_ITEMS), ...items.slice(-MOST_ITEMS)];
}

function isRecord({ holder, isLeaf }: Place): boolean {
  return Array.isArray(holder) && !isLeaf;
}

/** More than one record. Prices of a book, which are lists themselves, are none. */
function isList({ holder, key }: Place): boolean {
  const list = holder[key];
  return Array.isArray(list) && list.length > 1 && !Array.isArray(list[0]) && typeof list[0] === 'object';
}

function spoilAt(
  place: Place,
  of: { readonly kind: WrongKind; readonly dice: Dice; readonly places: readonly Place[] },
): boolean {
  const { holder, key } = place;
  const { kind, dice, places } = of;
  if (kind === 'dropped') {
    if (!Array.isArray(holder)) delete holder[key];
    return !Array.isArray(holder);
  }
  if (kind === 'records reversed') {
    const records = holder[key] as unknown[];
    records.reverse();
    return true;
  }
  const list = holder as unknown as unknown[];
  if (kind === 'record dropped') return list.splice(Number(key), 1).length > 0;
  if (kind === 'record doubled')
    return list.splice(Number(key), 0, structuredClone(holder[key])).length === 0;
  if (kind === 'other record') {
    return exchange(place, places, dice, ({ holder: other, key: name }) => other !== holder && name === key);
  }
  if (kind === 'swapped') {
    return exchange(place, places, dice, ({ holder: other, key: name }) => other === holder && name !== key);
  }
  const wrong = wrongValue(kind, holder[key], dice);
  if (wrong === undefined) return false;
  holder[key] = wrong;
  return true;
}

/**
 * Puts another value of the body in its place, and where both are of one record that value's place gets this
 * one.
 */
function exchange(
  place: Place,
  places: readonly Place[],
  dice: Dice,
  fits: (other: Place) => boolean,
): boolean {
  const { holder, key } = place;
  const other = dice.pick(places.filter((candidate) => candidate.isLeaf && fits(candidate)));
  if (other === null || other.holder[other.key] === holder[key]) return false;
  const own = holder[key];
  holder[key] = other.holder[other.key];
  if (other.holder === holder) holder[other.key] = own;
  return true;
}

/** Undefined where a value can not be wrong in this way. */
function wrongValue(kind: WrongKind, value: unknown, dice: Dice): unknown {
  if (kind === 'null') return value === null ? undefined : null;
  if (kind === 'boolean') return typeof value !== 'boolean' || (dice.happens(0.5) ? !value : 'yes');
  if (kind === 'object') return { toString: 'none', value };
  if (kind === 'nested') return NESTED;
  if (kind === 'unknown word') return 'Suspended';
  return isNumeric(value) ? wrongNumber(kind, value, dice) : undefined;
}

function wrongNumber(kind: WrongKind, value: string | number, dice: Dice): unknown {
  const as = (number: string): unknown => (typeof value === 'number' ? Number(number) : number);
  if (kind === 'negative')
    return String(value).startsWith('-') || Number(value) === 0 ? undefined : as(`-${value}`);
  if (kind === 'tiny') return as('1e-15');
  if (kind === 'zero') return Number(value) === 0 ? undefined : as('0');
  if (kind === 'huge') return as(String(dice.pick(HUGE_IDS) ?? HUGE_IDS[0]));
  return undefined;
}

function isNumeric(value: unknown): value is string | number {
  return (
    typeof value === 'number' || (typeof value === 'string' && /^-?\d+(?:\.\d+)?(?:[eE]-?\d+)?$/.test(value))
  );
}
