import { z } from 'zod';
import { storedTimeMs, storedUnits } from '../../domain/stored-json.ts';
import { formatUnits } from '../../domain/money.ts';
import { storedSentence } from '../../language/stored-sentence.ts';
import type { Sentence } from '../../language/sentence.ts';

export const STORED_BY_HAND = 'by-hand';

/** Orders by hand that are remembered: one that is asked for again is known by its key. */
export const MOST_PLACED = 200;

/** Positions that are being closed at once; more are refused. */
export const MOST_CLOSINGS = 50;

const storedPlaced = z.object({
  /** Of the command. */
  key: z.string(),
  atMs: storedTimeMs,
  /** Terms of the order, so that the same order a moment later is noticed. */
  terms: z.string(),
  ok: z.boolean(),
  /** The order's own; null where none was placed. */
  clientOrderId: z.string().nullable(),
  message: storedSentence,
});

const storedLeg = z.object({
  asset: z.string(),
  market: z.string(),
  /** Amount held when it began. */
  held: storedUnits,
  /** Id of the target that sells it; null while it waits for orders. */
  intentId: z.string().nullable(),
  /** Reason the target ended; null while it has not. */
  end: storedSentence.nullable(),
  /** Amount its orders traded, before fees. */
  traded: storedUnits,
  total: storedUnits,
});

const storedClosing = z.object({
  key: z.string(),
  strategy: z.string(),
  sinceMs: storedTimeMs,
  legs: z.array(storedLeg),
  /** Result of the closing; null while it is at work. */
  end: z.object({ ok: z.boolean(), message: storedSentence }).nullable(),
});

const storedMoved = z.object({ key: z.string(), ok: z.boolean(), message: storedSentence });

/** Stored state of manual commands, written together with their effects. */
export const storedByHand = z.object({
  placed: z.array(storedPlaced),
  closings: z.array(storedClosing),
  /** Absent in rows of versions that moved no position. */
  moved: z.array(storedMoved).default([]),
});

/** An order that a person has placed in the book of a strategy, or why it was not. */
export type Placed = z.output<typeof storedPlaced>;

/** Statement of a person about a position, and its result. */
export type MovedPosition = z.output<typeof storedMoved>;

/** One coin of a position that a person closes. */
export type ClosingLeg = z.output<typeof storedLeg>;

/** A position that a person closes. */
export type Closing = z.output<typeof storedClosing>;

const plain = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? formatUnits(value) : value;

/** As it is written: units are decimal texts. */
export function byHandToJson(state: z.output<typeof storedByHand>): unknown {
  return JSON.parse(JSON.stringify(state, plain));
}

/** Progress of a manual command. */
export interface ByHandState {
  /** Orders that it waits for, and those that it has seen at their end. */
  readonly left: number;
  readonly closed: number;
  /** Result of the command; null while it is at work. */
  readonly end: {
    readonly ok: boolean;
    readonly message: Sentence;
    /** Client order ids of what it has placed. */
    readonly placed?: readonly string[];
  } | null;
}

export function ended(ok: boolean, message: Sentence): ByHandState {
  return { left: 0, closed: 0, end: { ok, message } };
}
