import { z } from 'zod';
import { storedTimeMs } from '../domain/stored-json.ts';
import type { SignalCommand } from './engine-event.ts';

/** Under which the ids of a strategy's signals are kept, each strategy by itself. */
export function signalsKeyOf(strategy: string): string {
  return `signals ${strategy}`;
}

/** Signals that one strategy may be told in a minute; more are refused, and not remembered. */
export const MOST_SIGNALS_A_MINUTE = 30;

/**
 * Ids that are remembered of each strategy: as many as can come in half an hour, which is as old as a signal
 * may ever be. The oldest go.
 */
export const MOST_SIGNAL_IDS = 1_000;

/** Time an id is remembered, unless `MOST_SIGNAL_IDS` others come. */
export const SIGNAL_IDS_RETAINED_MS = 86_400_000;

/** Characters of a payload as JSON, and its levels. */
const LONGEST_PAYLOAD = 8_192;
const DEEPEST_PAYLOAD = 16;

/** Outcomes of a signal: delivered, dropped for the state of its strategy, or refused for itself. */
export const SIGNAL_OUTCOMES = ['told', 'dropped', 'refused'] as const;

const storedSignal = z.object({
  name: z.string(),
  id: z.string(),
  atMs: storedTimeMs,
  outcome: z.enum(SIGNAL_OUTCOMES),
});

/** The JSON of a line of the journal of the kind `signal`; its subject is the strategy. */
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

/** A signal that came: with its name and id it is known when it comes again. */
export type SeenSignal = z.output<typeof storedSignal>;

export const storedSignals = z.array(storedSignal);

/** One signal has one of these, whoever sends it, and however often. */
export function signalKey({ strategy, name, id }: Pick<SignalCommand, 'strategy' | 'name' | 'id'>): string {
  return `signal ${strategy} ${name} ${id}`;
}

/** Returns the issue with the size of a payload; null if there is none. The payload must be a JSON value. */
export function payloadSizeProblem(payload: unknown): string | null {
  if (isDeeper(payload)) return `payload: expected at most ${DEEPEST_PAYLOAD} levels of JSON, were more`;
  const { length } = JSON.stringify(payload) ?? '';
  if (length === 0) return 'payload: expected JSON, was none';
  if (length <= LONGEST_PAYLOAD) return null;
  return `payload: expected at most ${LONGEST_PAYLOAD} characters of JSON, were ${length}`;
}

/** Level by level, so that no depth is too much for the stack. */
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
