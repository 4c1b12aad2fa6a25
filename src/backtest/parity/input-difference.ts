import type { Divergence } from './difference.ts';
import type { Told, TopicKind } from './told.ts';

/** What two runs have been told by then, and which of it counts. */
export interface Inputs {
  readonly session: Told;
  readonly again: Told;
  /** How many answers each had been given by then. */
  readonly sessionAnswers: number;
  readonly againAnswers: number;
  readonly counts: (kind: TopicKind) => boolean;
}

/** The first thing of which two runs knew otherwise when they decided; null where both knew the same. */
export function inputDifference(of: Inputs): Pick<Divergence, 'cause' | 'why'> | null {
  const { session, again, sessionAnswers, againAnswers, counts } = of;
  for (const name of new Set([...session.topics.keys(), ...again.topics.keys()])) {
    const kind = session.topics.get(name)?.kind ?? again.topics.get(name)?.kind;
    if (kind === undefined || !counts(kind)) continue;
    const left = session.after(name, sessionAnswers);
    const right = again.after(name, againAnswers);
    if (left === right) {
      const isAsOften = session.looksAfter(name, sessionAnswers) === again.looksAfter(name, againAnswers);
      if (kind === 'account' || isAsOften) continue;
      return { cause: 'latency', why: `${name}: one run had looked at it more often` };
    }
    // What both runs come to know is known to one of them earlier; what becomes of orders differs by that, too.
    const isOfBoth =
      kind === 'account' ||
      left === null ||
      right === null ||
      session.wasEver(name, right) ||
      again.wasEver(name, left);
    return isOfBoth
      ? { cause: 'latency', why: `${name}: one run was told it earlier than the other` }
      : { cause: 'data age', why: `${name}: the two runs were told otherwise` };
  }
  return null;
}
