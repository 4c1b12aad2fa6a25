import { z } from 'zod';
import { storedTimeMs, storedUnits } from '../../domain/stored-json.ts';
import { formatUnits } from '../../domain/money.ts';
import { storedSentence } from '../../language/stored-sentence.ts';
import type { Sentence } from '../../language/sentence.ts';

export const STORED_BY_HAND = 'by-hand';

/** Maximum number of manual orders that are remembered. A repeated command is recognized by its key. */
export const MOST_PLACED = 200;

/** Maximum number of positions that are being closed at the same time; further commands are refused. */
export const MOST_CLOSINGS = 50;

const storedPlaced = z.object({
  /** Key of the command. */
  key: z.string(),
  atMs: storedTimeMs,
  /** Terms of the order as text, to notice the same order a moment later. */
  terms: z.string(),
  ok: z.boolean(),
  /** Client order id of the order; null if none was placed. */
  clientOrderId: z.string().nullable(),
  message: storedSentence,
});

const storedLeg = z.object({
  asset: z.string(),
  market: z.string(),
  /** Amount held when its sale began. */
  held: storedUnits,
  /** Intent id of the target that sells it; null while other orders are still being canceled. */
  intentId: z.string().nullable(),
  /** Reason why the target ended; null while it has not. */
  end: storedSentence.nullable(),
  /** Amount traded by the target's orders before fees, and its value in the quote currency. */
  traded: storedUnits,
  total: storedUnits,
});

const storedClosing = z.object({
  key: z.string(),
  strategy: z.string(),
  sinceMs: storedTimeMs,
  legs: z.array(storedLeg),
  /** Result of the closing; null while it runs. */
  end: z.object({ ok: z.boolean(), message: storedSentence }).nullable(),
});

const storedMoved = z.object({ key: z.string(), ok: z.boolean(), message: storedSentence });

/** Stored state of manual commands, written together with their effects. */
export const storedByHand = z.object({
  placed: z.array(storedPlaced),
  closings: z.array(storedClosing),
  /** Missing in rows that were written before sarraf had commands on positions. */
  moved: z.array(storedMoved).default([]),
});

/** A command to place a manual order, with the order or the reason why none was placed. */
export type Placed = z.output<typeof storedPlaced>;

/** A command on a position's coins, and its result. */
export type MovedPosition = z.output<typeof storedMoved>;

/** The closing of one coin of a position. */
export type ClosingLeg = z.output<typeof storedLeg>;

/** A command to close a position, with its progress. */
export type Closing = z.output<typeof storedClosing>;

const plain = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? formatUnits(value) : value;

/** Returns the state as JSON to store; units are decimal texts. */
export function byHandToJson(state: z.output<typeof storedByHand>): unknown {
  return JSON.parse(JSON.stringify(state, plain));
}

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
