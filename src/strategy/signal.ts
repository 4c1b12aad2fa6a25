import type { z } from 'zod';
import { oneLine } from '../domain/money.ts';
import type { SignalSubscription } from './subscriptions.ts';
import { frozenCopy } from './fields.ts';
import type { StrategyEvent } from './strategy-event.ts';

/** A message from outside to the strategy, such as an alert of a chart. */
export interface Signal<Payload = unknown> {
  /** Id from the sender: a second signal with this id is not delivered. */
  readonly id: string;
  /** Payload as the declared schema returns it. */
  readonly payload: Payload;
  /** Time at which it was sent according to its sender, in ms since 1970; null if the sender gives none. */
  readonly sentAtMs: number | null;
  /** Time at which the bot accepted it, in ms since 1970. */
  readonly seenAtMs: number;
  /** Sender: `command`, the name of a token, or the source given in a file of signals. */
  readonly source: string;
}

/** Declared signals from outside under one name, whose payload has a schema. */
export interface SignalData<Payload = unknown> {
  readonly kind: 'signal';
  readonly from: Omit<SignalSubscription, 'name'>;
  readonly schema: z.ZodType<Payload>;
}

/** Reason that a signal is not delivered: it is invalid (`refused`) or its strategy not ready (`dropped`). */
export interface SignalObjection {
  readonly outcome: 'refused' | 'dropped';
  readonly code: 'invalid' | 'not-ready' | 'failed';
  readonly reason: string;
}

/** Maximum number of characters of a reason, which goes to the sender and into the journal. */
const LONGEST_REASON = 300;

/** Returns why a payload does not fit a schema, in one line; null if it fits. */
export function payloadProblem(schema: z.ZodType, payload: unknown): string | null {
  try {
    const { error } = schema.safeParse(payload);
    if (error === undefined) return null;
    const [issue] = error.issues;
    const place = ['payload', ...(issue?.path ?? [])].map(String).join('.');
    return reasonOf(`${place}: ${issue?.message ?? 'expected another shape'}`);
  } catch (error) {
    // A refinement in the schema threw, or returned a promise.
    return reasonOf(
      `payload: its schema threw ${error instanceof Error ? error.message : 'something that is no error'}`,
    );
  }
}

/** Returns a signal as the handler receives it. Throws if the schema, which accepted it, now refuses it. */
export function signalOf(
  schema: z.ZodType,
  { id, payload, sentAtMs, seenAtMs, source }: Extract<StrategyEvent, { kind: 'signal' }>,
): Signal {
  return Object.freeze({ id, payload: frozenCopy(schema.parse(payload)), sentAtMs, seenAtMs, source });
}

/** Returns the reason in one line, cut, since it has field names from the sender. */
const reasonOf = (text: string): string => oneLine(text).slice(0, LONGEST_REASON);
