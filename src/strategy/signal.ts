import type { z } from 'zod';
import { oneLine } from '../domain/money.ts';
import type { SignalSubscription } from './subscriptions.ts';
import { frozenCopy } from './fields.ts';
import type { StrategyEvent } from './strategy-event.ts';

/** A message from outside to the strategy, such as an alert of a chart. */
export interface Signal<Payload = unknown> {
  /** Of the sender: a signal of the same id is not told again. */
  readonly id: string;
  /** As the declared schema makes it. */
  readonly payload: Payload;
  /** Time at which it was sent according to its sender, in ms since 1970; null if the sender gives none. */
  readonly sentAtMs: number | null;
  /** Time the bot accepted it, in ms since 1970. */
  readonly seenAtMs: number;
  /** Sender: `command`, the name of a token, or the source given in a file of signals. */
  readonly source: string;
}

/** Signals from outside of one name, whose payload has a schema. */
export interface SignalData<Payload = unknown> {
  readonly kind: 'signal';
  readonly from: Omit<SignalSubscription, 'name'>;
  readonly schema: z.ZodType<Payload>;
}

/**
 * Reason a signal is not delivered: it is wrong (`refused`), or the strategy is not ready for it (`dropped`).
 */
export interface SignalObjection {
  readonly outcome: 'refused' | 'dropped';
  readonly code: 'invalid' | 'not-ready' | 'failed';
  readonly reason: string;
}

/** Characters of a reason: it goes to the sender and into the journal. */
const LONGEST_REASON = 300;

/** Reason a payload does not fit a schema, in one line; null if it fits. */
export function payloadProblem(schema: z.ZodType, payload: unknown): string | null {
  try {
    const { error } = schema.safeParse(payload);
    if (error === undefined) return null;
    const [issue] = error.issues;
    const place = ['payload', ...(issue?.path ?? [])].map(String).join('.');
    return reasonOf(`${place}: ${issue?.message ?? 'expected another shape'}`);
  } catch (error) {
    // A refinement of its author that throws, or one that waits.
    return reasonOf(
      `payload: its schema threw ${error instanceof Error ? error.message : 'something that is no error'}`,
    );
  }
}

/** Returns a signal as the handler receives it. Throws if the schema now gives another result than before. */
export function signalOf(
  schema: z.ZodType,
  { id, payload, sentAtMs, seenAtMs, source }: Extract<StrategyEvent, { kind: 'signal' }>,
): Signal {
  return Object.freeze({ id, payload: frozenCopy(schema.parse(payload)), sentAtMs, seenAtMs, source });
}

/** Names of fields come from the sender. */
function reasonOf(text: string): string {
  return oneLine(text).slice(0, LONGEST_REASON);
}
