import { sentence } from '../../language/sentence.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import { plainOrder, type AlgorithmStep, type AlgorithmView } from './algorithm-step.ts';
import type { LadderAlgorithm } from './ladder.ts';
import { afterSetbacks, MOST_SETBACKS, NO_SETBACKS } from './setbacks.ts';
import { NOTHING, over } from './step.ts';

/** Places one rung after the other, each once, and cancels what rests when its time is over. */
export function advanceLadder(before: LadderAlgorithm, view: AlgorithmView): AlgorithmStep<LadderAlgorithm> {
  const algorithm = afterAsked(before, view);
  const { expiresAtMs } = algorithm;
  const isExpired = expiresAtMs !== null && view.nowMs >= expiresAtMs;
  const live = view.orders.filter((order) => !isFinal(order));
  if (isExpired) {
    if (live.length === 0) return over(algorithm, sentence('over-time'));
    return resting(algorithm, { cancel: live.filter(mayBeCanceled).map(({ key }) => key), wakeAtMs: null });
  }
  const isGivenUp = algorithm.setbacks.inARow >= MOST_SETBACKS;
  if (algorithm.isAsked || isGivenUp || algorithm.nextRung >= algorithm.rungs.length) {
    if (live.length === 0 && !algorithm.isAsked) return over(algorithm, endOf(algorithm, isGivenUp));
    return resting(algorithm, { cancel: NOTHING, wakeAtMs: expiresAtMs });
  }
  return next(algorithm, view);
}

/** The next rung, once nothing is in the way. */
function next(algorithm: LadderAlgorithm, { nowMs }: AlgorithmView): AlgorithmStep<LadderAlgorithm> {
  const { side, rungs, nextRung, expiresAtMs } = algorithm;
  const { retryAtMs } = algorithm.setbacks;
  if (retryAtMs !== null && retryAtMs > nowMs)
    return resting(algorithm, { cancel: NOTHING, wakeAtMs: Math.min(retryAtMs, expiresAtMs ?? retryAtMs) });
  const rung = rungs[nextRung];
  if (rung === undefined) return over(algorithm, sentence('over-rungs-placed'));
  const step = resting({ ...algorithm, isAsked: true }, { cancel: NOTHING, wakeAtMs: expiresAtMs });
  return { ...step, place: [plainOrder(side, rung.amount, rung.price)] };
}

/** Applies the outcome of the last requested rung: its order exists, or it was refused. */
function afterAsked(algorithm: LadderAlgorithm, view: AlgorithmView): LadderAlgorithm {
  if (!algorithm.isAsked) return algorithm;
  const { keys, nextRung } = algorithm;
  const order = view.orders.find(({ key }) => !keys.includes(key));
  if (order !== undefined && !isKnown(order)) return algorithm;
  const ended = order?.state === 'rejected' ? [order] : [];
  if (order !== undefined && ended.length === 0) {
    const taken = { keys: [...keys, order.key], nextRung: nextRung + 1, setbacks: NO_SETBACKS };
    return { ...algorithm, ...taken, isAsked: false };
  }
  const setbacks = afterSetbacks(algorithm.setbacks, { ended, view });
  const known = order === undefined ? keys : [...keys, order.key];
  return { ...algorithm, keys: known, isAsked: false, setbacks };
}

/** True if it is known that an order arrived, or that it never did. */
function isKnown({ state }: OrderRecord): boolean {
  return state !== 'planned' && state !== 'sending' && state !== 'unknown';
}

function mayBeCanceled({ state }: OrderRecord): boolean {
  return state !== 'planned' && state !== 'cancelling' && state !== 'settling';
}

function resting(
  algorithm: LadderAlgorithm,
  { cancel, wakeAtMs }: { readonly cancel: readonly string[]; readonly wakeAtMs: number | null },
): AlgorithmStep<LadderAlgorithm> {
  return { algorithm, cancel, place: NOTHING, wakeAtMs, wantsBooks: false, done: null };
}

function endOf({ nextRung, rungs, setbacks }: LadderAlgorithm, isGivenUp: boolean): string {
  if (!isGivenUp) return sentence('over-rungs-ended');
  return sentence('over-rungs-refused', {
    placed: nextRung,
    all: rungs.length,
    count: setbacks.inARow,
    reason: setbacks.reason ?? sentence('no-reason'),
  });
}
