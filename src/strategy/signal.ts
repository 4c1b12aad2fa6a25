import type { z } from 'zod';
import { oneLine } from '../domain/one-line.ts';
import type { SignalSubscription } from './subscriptions.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { StrategyEvent } from './strategy-event.ts';

/** What somebody outside told the strategy, such as an alert of a chart. */
export interface Signal<Payload = unknown> {
  /** Of the sender: a signal of the same id is not told again. */
  readonly id: string;
  /** As the declared schema makes it. */
  readonly payload: Payload;
  /** When it was sent, as its sender says, in ms since 1970; null where the sender says nothing. */
  readonly sentAtMs: number | null;
  /** When the bot took it, in ms since 1970. */
  readonly seenAtMs: number;
  /** Who sent it: `command`, the name of a token, or what a file of signals says. */
  readonly source: string;
}

/** Signals from outside of one name, whose payload has a schema. */
export interface SignalData<Payload = unknown> {
  readonly kind: 'signal';
  readonly from: Omit<SignalSubscription, 'name'>;
  readonly schema: z.ZodType<Payload>;
}

/** Why a signal is not told: it is wrong (`refused`), or the strategy is not ready for it (`dropped`). */
export interface SignalObjection {
  readonly outcome: 'refused' | 'dropped';
  readonly code: 'invalid' | 'not-ready' | 'failed';
  readonly reason: string;
}

/** Characters of a reason: it goes to the sender and into the journal. */
const LONGEST_REASON = 300;

/** What keeps a payload from being of a schema, in one line; null where it is. */
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

/** What the handler gets of a signal. Throws where the schema says another thing than it did before. */
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
