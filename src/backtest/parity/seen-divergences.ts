import type { Divergence } from './difference.ts';
import type { SeenData, SessionPair } from './session-view.ts';
import type { Telling, TopicKind } from './told.ts';

export interface SeenOptions {
  /** Two looks within this time are at one moment. */
  readonly toleranceMs: number;
  /** What of a market each strategy looks at, beside the book, which every order depends on. */
  readonly reads: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Where the two runs have seen something else of a market for the first time. */
export function seenDivergences({ session, again }: SessionPair, options: SeenOptions): readonly Divergence[] {
  const markets = new Set([...session.books, ...session.bars].map(({ market }) => market));
  const found: Divergence[] = [];
  for (const market of markets) {
    const of = (seen: readonly SeenData[]): readonly SeenData[] => seen.filter((one) => one.market === market);
    const book = firstOther(of(session.books), of(again.books), options.toleranceMs);
    if (book !== null) found.push({ ...book, why: `${market}: ${book.why} book`, strategies: null });
    const bar = firstOther(of(session.bars), of(again.bars), 0);
    if (bar !== null)
      found.push({ ...bar, why: `${market}: ${bar.why} bar`, strategies: readersOf('candles', options) });
  }
  for (const [name, { kind, tellings }] of session.told?.topics ?? []) {
    if (kind !== 'trades' && kind !== 'stats') continue;
    const other = firstOther(tellings, again.told?.topics.get(name)?.tellings ?? [], options.toleranceMs);
    if (other !== null) found.push({ ...other, why: `${other.why} ${name}`, strategies: readersOf(kind, options) });
  }
  return found;
}

function readersOf(kind: TopicKind, { reads }: SeenOptions): ReadonlySet<string> {
  return new Set([...reads].flatMap(([strategy, kinds]) => (kinds.has(kind) ? [strategy] : [])));
}

function firstOther(
  session: readonly Telling[],
  again: readonly Telling[],
  toleranceMs: number,
): Pick<Divergence, 'atMs' | 'cause' | 'why'> | null {
  const shorter = Math.min(session.length, again.length);
  for (let index = 0; index < shorter; index += 1) {
    const left = session[index];
    const right = again[index];
    if (left === undefined || right === undefined) break;
    const atMs = Math.min(left.atMs, right.atMs);
    if (left.text !== right.text) return { atMs, cause: 'data age', why: 'another' };
    if (Math.abs(left.atMs - right.atMs) > toleranceMs)
      return { atMs, cause: 'latency', why: 'at another moment the same' };
  }
  const next = session[shorter] ?? again[shorter];
  return next === undefined ? null : { atMs: next.atMs, cause: 'data age', why: 'in only one run a' };
}
