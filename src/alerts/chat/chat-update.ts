import { z } from 'zod';
import { latinDigits } from '../../domain/time-text.ts';
import type { ReconciliationState } from '../../mirror/read-reconciliation.ts';
import type { Alert, WaitingApproval } from '../core/alert-facts.ts';
import type { OrderWith } from '../../records/order.ts';
import type { Sentence } from '../../language/sentence.ts';

const user = z.object({ id: z.int(), first_name: z.string().optional(), username: z.string().optional() });
const chat = z.object({ id: z.int() });

const update = z.object({
  update_id: z.int(),
  message: z.object({ from: user.optional(), chat, date: z.int(), text: z.string().optional() }).optional(),
  callback_query: z
    .object({
      id: z.string(),
      from: user,
      data: z.string().optional(),
      message: z.object({ chat }).optional(),
    })
    .optional(),
});

interface ChatEventBase {
  readonly updateId: number;
  readonly userId: number;
  /** Name of the user, for the journal. */
  readonly userName: string;
  readonly chatId: number;
}

/** Chat input of a person: a command or a button press. */
export type ChatEvent = ChatEventBase &
  (
    | {
        readonly kind: 'command';
        /** Name of the command, in lower case, without the slash. */
        readonly name: string;
        readonly argument: string;
        readonly atMs: number;
      }
    | { readonly kind: 'press'; readonly callbackId: string; readonly data: string }
  );

const LONGEST_NAME = 40;
const LONGEST_ARGUMENT = 100;

/** Returns the id of an update, whatever else is in it; null if it is missing. */
export function updateIdOf(given: unknown): number | null {
  return z.object({ update_id: z.int() }).safeParse(given).data?.update_id ?? null;
}

/** Reads an update of the API; null if it is not a command or press of a person. */
export function readUpdate(given: unknown): ChatEvent | null {
  const read = update.safeParse(given).data;
  if (read === undefined) return null;
  const { update_id: updateId, message, callback_query: press } = read;
  if (press?.data !== undefined && press.message !== undefined) {
    return {
      kind: 'press',
      updateId,
      ...nameOf(press.from),
      chatId: press.message.chat.id,
      callbackId: press.id,
      data: press.data,
    };
  }
  if (message?.from === undefined || message.text === undefined) return null;
  // In a group a command names the bot after an "@".
  const [, name = '', rest = ''] =
    /^\/([A-Za-z]{1,20})(?:@\w+)?(?:\s+(.*))?$/s.exec(message.text.trim()) ?? [];
  return {
    kind: 'command',
    updateId,
    ...nameOf(message.from),
    chatId: message.chat.id,
    name: name.toLowerCase(),
    argument: latinDigits(rest.trim()).slice(0, LONGEST_ARGUMENT),
    atMs: message.date * 1_000,
  };
}

function nameOf({ id, username, first_name: first }: z.output<typeof user>): {
  readonly userId: number;
  readonly userName: string;
} {
  const name = (username ?? first ?? '').replaceAll(/[^\p{L}\p{N}_ -]/gu, '').slice(0, LONGEST_NAME);
  return { userId: id, userName: name === '' ? String(id) : name };
}

/** Data of a bot that a person can request, as its files have it. Money and amounts are decimal texts. */
export interface ChatView {
  /** The bot as its mirror has it; null if there is no mirror yet, or it cannot be read. */
  readonly bot: BotView | null;
  /** Reason the mirror cannot be read; null if it can or does not exist. */
  readonly fault: string | null;
  /** Last sign of life, in ms since 1970; null before any. */
  readonly lastSignMs: number | null;
  readonly isSilent: boolean;
  readonly openAlerts: readonly Alert[];
  readonly mutedUntilMs: number;
  /** Number of messages of people who may not command. */
  readonly strangers: number;
  /** Reason every new order waits, by the ledger, worded as in the terminal; null if one could leave now. */
  readonly waitsFor: Sentence | null;
  /** Reason the cancels of a halt wait; null if they do not wait long. */
  readonly haltWait: Sentence | null;
  readonly budgets: readonly {
    readonly budget: string;
    readonly used: number;
    readonly limit: number;
    readonly isLockedOut: boolean;
  }[];
}

export interface BotView {
  readonly halt: { readonly reason: Sentence; readonly sinceMs: number } | null;
  /** Reason it places no new orders although it may trade; null if nothing holds them back. */
  readonly noOrders: Sentence | null;
  readonly books: ReconciliationState;
  readonly strategies: readonly {
    readonly name: string;
    readonly status: 'running' | 'paused' | 'stopped' | 'pausedByHand';
    readonly reason: Sentence | null;
    readonly currency: string;
    readonly profit: string | null;
    readonly realised: string | null;
    readonly positions: Readonly<Record<string, string>>;
  }[];
  readonly orders: readonly (Pick<OrderWith<string>, 'strategy' | 'market' | 'side' | 'amount' | 'price'> & {
    readonly quote: string;
  })[];
  readonly openOrders: number;
  /** Decisions of all strategies, the newest first. */
  readonly decisions: readonly {
    readonly strategy: string;
    readonly atMs: number;
    readonly kind: string;
    readonly market: string | null;
    readonly status: 'working' | 'done' | 'refused';
    readonly reason: Sentence | null;
  }[];
  readonly approvals: readonly WaitingApproval[];
  readonly locks: readonly {
    readonly name: string;
    readonly of: string | null;
    readonly reason: Sentence;
    /** End of the lock, in ms since 1970; null if only a person ends it. */
    readonly endsAtMs: number | null;
  }[];
}
