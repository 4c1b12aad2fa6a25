import { z } from 'zod';
import { storedTimeMs } from '../domain/stored-json.ts';
import type { SignalCommand } from './engine-event.ts';

/** Returns the name under which the ids of a strategy's signals are stored. */
export function signalsKeyOf(strategy: string): `signals ${string}` {
  return `signals ${strategy}`;
}

/**
 * Maximum number of signals for a strategy per minute; more are refused, and their ids are not remembered.
 */
export const MOST_SIGNALS_A_MINUTE = 30;

/**
 * Maximum number of signal ids that are remembered for each strategy; the oldest are dropped. It is more than
 * can come in half an hour, the largest age of a signal.
 */
export const MOST_SIGNAL_IDS = 1_000;

/** Time for which an id is remembered, in ms, unless `MOST_SIGNAL_IDS` newer ones come. */
export const SIGNAL_IDS_RETAINED_MS = 86_400_000;

/** Maximum number of characters and most levels of a payload as JSON. */
const LONGEST_PAYLOAD = 8_192;
const DEEPEST_PAYLOAD = 16;

/** Outcomes of a signal: delivered, dropped because of its strategy's state, or refused. */
export const SIGNAL_OUTCOMES = ['told', 'dropped', 'refused'] as const;

const storedSignal = z.object({
  name: z.string(),
  id: z.string(),
  atMs: storedTimeMs,
  outcome: z.enum(SIGNAL_OUTCOMES),
});

/** JSON of a journal line of the kind `signal`, whose subject is the strategy. */
export const storedSignalLine = z.object({
  name: z.string(),
  id: z.string(),
  payload: z.unknown(),
  sentAtMs: storedTimeMs.nullable(),
  source: z.string(),
  seenAtMs: storedTimeMs,
  outcome: z.enum(SIGNAL_OUTCOMES),
  code: z.string(),
  reason: z.string().nullable(),
});

/** A signal that was received. Its name and id identify a repetition. */
export type SeenSignal = z.output<typeof storedSignal>;

export const storedSignals = z.array(storedSignal);

/** Returns the key of a signal: the same for every repetition, whoever sends it. */
export function signalKey({ strategy, name, id }: Pick<SignalCommand, 'strategy' | 'name' | 'id'>): string {
  return `signal ${strategy} ${name} ${id}`;
}

/** Returns what is wrong with the size of a payload; null if nothing is. The payload must be a JSON value. */
export function payloadSizeProblem(payload: unknown): string | null {
  if (isDeeper(payload)) return `payload: expected at most ${DEEPEST_PAYLOAD} levels of JSON, were more`;
  const { length } = JSON.stringify(payload) ?? '';
  if (length === 0) return 'payload: expected JSON, was none';
  if (length <= LONGEST_PAYLOAD) return null;
  return `payload: expected at most ${LONGEST_PAYLOAD} characters of JSON, were ${length}`;
}

/**
 * True if a payload has too many levels. Checked level by level, so that depth can not overflow the stack.
 */
function isDeeper(payload: unknown): boolean {
  let level: readonly unknown[] = [payload];
  for (let depth = 0; depth <= DEEPEST_PAYLOAD; depth += 1) {
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}
