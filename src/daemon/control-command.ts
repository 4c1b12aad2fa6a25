import { z } from 'zod';
import { storedTimeMs } from '../domain/stored-json.ts';
import { ENTRY_POLICIES } from '../engine/lock.ts';
import { DRAIN_POLICIES, isByHand, POSITION_ACTS, type ControlCommand } from '../engine/engine-event.ts';
import { isSignalId } from '../domain/signal-id.ts';
import { SIGNAL_OUTCOMES, signalKey } from '../engine/signal-record.ts';
import { BY_HAND_ORDER, ORDER } from '../records/order.ts';
import { shapeOf, STORED_CODECS, storedSentence } from '../records/field.ts';

/** Longest reason that is stored, in characters. */
export const LONGEST_REASON = 500;

/** Longest name of a lock by hand, in characters. */
export const LONGEST_NAME = 40;

/** Longest name of a person who gave a command, in characters. */
export const LONGEST_BY = 80;

const by = z.string().max(LONGEST_BY).optional();

const LONGEST_KEY = 100;

const key = z.string().min(1).max(LONGEST_KEY);
/** Name of a strategy or market, or key of an order. */
const name = z.string().max(LONGEST_KEY);
const decimal = z.string().regex(/^\d{1,30}(?:\.\d{1,20})?$/);

const command = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('halt'),
    reason: z.string().max(LONGEST_REASON),
    wholeAccount: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('resume') }),
  z.strictObject({ kind: z.literal('drain'), openOrders: z.enum(DRAIN_POLICIES) }),
  z.strictObject({ kind: z.literal('accept-balances') }),
  z.strictObject({
    kind: z.literal('lock'),
    name: z.string().max(LONGEST_NAME),
    strategy: z.string().nullable(),
    market: z.string().nullable(),
    reason: z.string().max(LONGEST_REASON),
    untilMs: storedTimeMs,
    entries: z.enum(ENTRY_POLICIES),
    pauses: z.boolean().optional(),
    by,
  }),
  z.strictObject({
    kind: z.literal('cancel'),
    key,
    order: name.nullable(),
    strategy: name.nullable(),
    market: name.nullable(),
    by,
  }),
  z.strictObject({
    kind: z.literal('position'),
    key,
    act: z.enum(POSITION_ACTS),
    strategy: name,
    to: name.nullable(),
    market: name,
    amount: decimal.nullable(),
    price: decimal.nullable(),
    by,
  }),
  z.strictObject({ kind: z.literal('close'), key, strategy: name, market: name.nullable(), by }),
  z.strictObject({
    kind: z.literal('place'),
    key,
    ...shapeOf(ORDER, BY_HAND_ORDER, { ...STORED_CODECS, name, money: decimal, amount: decimal }),
    by,
  }),
  z.strictObject({
    kind: z.literal('signal'),
    strategy: name,
    name,
    id: z.string().refine(isSignalId),
    payload: z.unknown(),
    sentAtMs: storedTimeMs.nullable(),
    source: z.string().max(LONGEST_BY),
  }),
  z.strictObject({
    kind: z.literal('unlock'),
    name: z.string().max(LONGEST_NAME).nullable(),
    strategy: z.string().nullable(),
    market: z.string().nullable(),
    isAll: z.boolean(),
  }),
]);

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
  return command.safeParse(jsonOr(text)).data ?? null;
}

export function readProgress(text: string | null): ControlProgress | null {
  return text === null ? null : (progress.safeParse(jsonOr(text)).data ?? null);
}

export function readResult(text: string | null): ControlResult | null {
  return text === null ? null : (result.safeParse(jsonOr(text)).data ?? null);
}
