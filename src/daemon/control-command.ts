import { z } from 'zod';
import { isByHand, postedCommand, type ControlCommand } from '../engine/engine-event.ts';
import { SIGNAL_OUTCOMES, signalKey } from '../engine/signal-record.ts';
import { storedSentence } from '../records/field.ts';

/** Returns a command's key, the same each time it is posted; null for one that counts each time. */
export function keyOfCommand(command: ControlCommand): string | null {
  if (command.kind === 'signal') return signalKey(command);
  return isByHand(command) ? command.key : null;
}

/** Progress of a command. Counts are of orders. */
const progress = z.object({
  /** Number of the command's orders that are not known to be closed yet. */
  left: z.int().nonnegative(),
  /** Number of the command's orders that were seen closed. */
  closed: z.int().nonnegative(),
  /** Reason the cancels wait, in a sentence; left out if unknown. */
  waitsFor: storedSentence.optional(),
});
export type ControlProgress = Readonly<z.output<typeof progress>>;

/** Maximum number of orders that are named in a result, so that a database row stays small. */
export const MOST_LEFT_NAMED = 200;

const result = z.object({
  ok: z.boolean(),
  /** Sentence for people: what was done, or why it was not. */
  message: storedSentence,
  /**
   * Orders that are not known to be closed, by client order id if they have one. At most `MOST_LEFT_NAMED`
   * are named.
   */
  left: z.array(z.string()).readonly(),
  /** Client order ids of the orders that the command has placed. */
  placed: z.array(z.string()).readonly().optional(),
  signal: z
    .object({ outcome: z.enum(SIGNAL_OUTCOMES), code: z.string() })
    .readonly()
    .optional(),
});
export type ControlResult = Readonly<z.output<typeof result>>;

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Reads the command from a stored row; null for one that this version does not know. */
export function readCommand(text: string): ControlCommand | null {
  return postedCommand.safeParse(jsonOr(text)).data ?? null;
}

export function readProgress(text: string | null): ControlProgress | null {
  return text === null ? null : (progress.safeParse(jsonOr(text)).data ?? null);
}

export function readResult(text: string | null): ControlResult | null {
  return text === null ? null : (result.safeParse(jsonOr(text)).data ?? null);
}
