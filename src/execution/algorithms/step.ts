import type { ProgramOrder, ProgramStep } from './algorithm-step.ts';

/** Handed out for every empty list, so that a step with nothing to do costs no memory. */
export const NOTHING: readonly never[] = Object.freeze([]);

/** What came of an intent: a program, or why there can be none, in one sentence. */
export type Creation<Program> =
  | { readonly ok: true; readonly program: Program }
  | { readonly ok: false; readonly reason: string };

export function refused(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}

/** Nothing to do until an order changes, or until `wakeAtMs`, or until a book arrives. */
export function waiting<Program>(
  program: Program,
  until: { readonly wakeAtMs?: number; readonly wantsBooks?: boolean } = {},
): ProgramStep<Program> {
  const { wakeAtMs = null, wantsBooks = false } = until;
  return { program, cancel: NOTHING, place: NOTHING, wakeAtMs, wantsBooks, done: null };
}

/** The end. Orders that are still there stay as they are. */
export function over<Program>(program: Program, done: string): ProgramStep<Program> {
  return { program, cancel: NOTHING, place: NOTHING, wakeAtMs: null, wantsBooks: false, done };
}

export function placing<Program>(
  program: Program,
  order: ProgramOrder,
  wakeAtMs: number | null = null,
): ProgramStep<Program> {
  return { program, cancel: NOTHING, place: [order], wakeAtMs, wantsBooks: false, done: null };
}

export function canceling<Program>(program: Program, key: string): ProgramStep<Program> {
  return { program, cancel: [key], place: NOTHING, wakeAtMs: null, wantsBooks: false, done: null };
}
