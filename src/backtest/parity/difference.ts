/** What a difference between a session and its second run is put down to. */
export type Cause = 'data age' | 'latency' | 'queue' | 'fee' | 'rounding' | 'code';

export const CAUSES: readonly Cause[] = ['data age', 'latency', 'queue', 'fee', 'rounding', 'code'];

/** The cause of each kind of difference, as rules for people. What no rule explains is code. */
export const CAUSE_RULES: Readonly<Record<Cause, string>> = {
  'data age':
    'a book, bar, trade or statistic that was seen before was another one, or a fill met another price than the one that the books show',
  latency:
    'the same was seen, or an answer about the account came, earlier in one run, or an order that fills otherwise was sent at another moment',
  queue: 'an order filled by another amount or at another moment, at the same price',
  fee: 'the same fill cost another fee',
  rounding: 'a fill by less than a step of the market, a fee or money by at most a unit of 1e-10 a fill',
  code: 'told the same, event by event, or with the same books, bars and fills before it, another thing was decided',
};

/** Something that is in one run and not, or otherwise, in the other. Times in ms since 1970. */
export interface Difference {
  readonly what: 'intent' | 'order' | 'fill' | 'money';
  readonly cause: Cause;
  readonly atMs: number;
  /** Whose it is; null for the money of the account. */
  readonly strategy: string | null;
  /** As it was in the session, and in the second run; null where there was none. */
  readonly session: string | null;
  readonly again: string | null;
  readonly why: string;
}

/** From when on two runs have seen, or had, other things, and of what kind that was. */
export interface Divergence {
  readonly atMs: number;
  readonly cause: Cause;
  readonly why: string;
  /** The strategies that know of it; null for all, as of whatever changes the account. */
  readonly strategies: ReadonlySet<string> | null;
}

/** The first divergence that a strategy can know of at a moment; null where everything was the same. */
export function firstKnown(
  divergences: readonly Divergence[],
  of: { readonly strategy: string | null; readonly atMs: number },
): Divergence | null {
  let first: Divergence | null = null;
  for (const divergence of divergences) {
    if (divergence.atMs > of.atMs || divergence.atMs >= (first?.atMs ?? Number.POSITIVE_INFINITY)) continue;
    const { strategies } = divergence;
    if (strategies === null || of.strategy === null || strategies.has(of.strategy)) first = divergence;
  }
  return first;
}
