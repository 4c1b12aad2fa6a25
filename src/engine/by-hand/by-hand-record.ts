import type { Sentence } from '../../language/sentence.ts';

/** Maximum number of manual orders that are remembered. A repeated command is recognized by its key. */
export const MOST_PLACED = 200;

/** Maximum number of positions that are being closed at the same time; further commands are refused. */
export const MOST_CLOSINGS = 50;

/** Progress of a manual command. */
export interface ByHandState {
  /** Orders that the command still waits for, and those that have ended. */
  readonly left: number;
  readonly closed: number;
  /** Result of the command; null while it runs. */
  readonly end: {
    readonly ok: boolean;
    readonly message: Sentence;
    /** Client order ids of the placed orders. */
    readonly placed?: readonly string[];
  } | null;
}

export function ended(ok: boolean, message: Sentence): ByHandState {
  return { left: 0, closed: 0, end: { ok, message } };
}
