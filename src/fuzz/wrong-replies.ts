import type { Dice } from './dice.ts';

/** Every kind of wrongness that a field, a record or a whole reply is given. */
export const WRONG_KINDS = [
  'dropped',
  'null',
  'boolean',
  'object',
  'nested',
  'huge',
  'negative',
  'tiny',
  'zero',
  'other record',
  'swapped',
  'unknown word',
  'record dropped',
  'record doubled',
  'records reversed',
  'stale',
] as const;

export type WrongKind = (typeof WRONG_KINDS)[number];

/** Errors in the replies of one run. */
export interface WrongReplies {
  /** Of each reply. */
  readonly probability: number;
  readonly kinds: readonly WrongKind[];
  /**
   * Of each request that places or cancels: something in between refuses it, whether or not the exchange has
   * it.
   */
  readonly refusals: number;
  /**
   * The same with the interface's own code for that very request: it looks exactly like the exchange's.
   */
  readonly ownCodeRefusals: number;
}

const SHARE = 0.5;
const LEAST = 0.002;
/** More, and two readings in a row are wrong alike often enough to be believed. */
const MOST = 0.02;
const LEAST_REFUSALS = 0.01;
const MOST_REFUSALS = 0.1;

/** Half of the seeds have wrong replies, of some of the kinds, or wrong refusals, or both. */
export function drawWrongReplies(dice: Dice): WrongReplies | null {
  if (!dice.happens(SHARE)) return null;
  const kinds = dice.some(WRONG_KINDS, 0.6);
  const probability = dice.happens(0.8) && kinds.length > 0 ? dice.logUniform(LEAST, MOST) : 0;
  const refusals = dice.happens(0.6) ? dice.logUniform(LEAST_REFUSALS, MOST_REFUSALS) : 0;
  const ownCodeRefusals = dice.happens(0.5) ? dice.logUniform(LEAST_REFUSALS, MOST_REFUSALS) : 0;
  return { probability, kinds, refusals, ownCodeRefusals };
}
