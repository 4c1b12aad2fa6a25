import { sentence } from '../../language/sentence.ts';
import type { AlgorithmOrder, AlgorithmStep } from './algorithm-step.ts';

/** Given for every empty list, so that a step with nothing to do costs no memory. */
export const NOTHING: readonly never[] = Object.freeze([]);

/** Result of an intent: an algorithm, or the reason there can be none, in one sentence. */
export type Creation<Algorithm> =
  | { readonly ok: true; readonly algorithm: Algorithm }
  | { readonly ok: false; readonly reason: string };

export function refused(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}

export const NO_EQUITY = sentence('no-equity');

export const noPriceOf = (market: string): string => sentence('no-price', { market });

/** Nothing can be placed before a book brings what it lacks. */
export function waitingFor<Algorithm>(algorithm: Algorithm, lacks: string): AlgorithmStep<Algorithm> {
  return { ...waiting(algorithm, { wantsBooks: true }), lacks };
}

/** Nothing to do until an order changes, or until `wakeAtMs`, or until a book arrives. */
export function waiting<Algorithm>(
  algorithm: Algorithm,
  until: { readonly wakeAtMs?: number; readonly wantsBooks?: boolean } = {},
): AlgorithmStep<Algorithm> {
  const { wakeAtMs = null, wantsBooks = false } = until;
  return { algorithm, cancel: NOTHING, place: NOTHING, wakeAtMs, wantsBooks, done: null };
}

/** The end. Orders that are still there stay as they are. */
export function over<Algorithm>(algorithm: Algorithm, done: string): AlgorithmStep<Algorithm> {
  return { algorithm, cancel: NOTHING, place: NOTHING, wakeAtMs: null, wantsBooks: false, done };
}

export function placing<Algorithm>(
  algorithm: Algorithm,
  order: AlgorithmOrder,
  wakeAtMs: number | null = null,
): AlgorithmStep<Algorithm> {
  return { algorithm, cancel: NOTHING, place: [order], wakeAtMs, wantsBooks: false, done: null };
}

export function canceling<Algorithm>(algorithm: Algorithm, key: string): AlgorithmStep<Algorithm> {
  return { algorithm, cancel: [key], place: NOTHING, wakeAtMs: null, wantsBooks: false, done: null };
}
