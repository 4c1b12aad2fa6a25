import { z } from 'zod';
import { latinDigits } from '../../domain/calendar-day.ts';

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
  /** For the journal: who it was. */
  readonly userName: string;
  readonly chatId: number;
}

/** Chat input of a person: a command or a button press. */
export type ChatEvent = ChatEventBase &
  (
    | {
        readonly kind: 'command';
        /** In lower case, without the slash. */
        readonly name: string;
        readonly argument: string;
        readonly atMs: number;
      }
    | { readonly kind: 'press'; readonly callbackId: string; readonly data: string }
  );

const LONGEST_NAME = 40;
const LONGEST_ARGUMENT = 100;

/** The id of an update, whatever else is in it; null where even that is missing. */
export function updateIdOf(given: unknown): number | null {
  return z.object({ update_id: z.int() }).safeParse(given).data?.update_id ?? null;
}

/** Reads an update of the API; null for anything that is none of a person's command or press. */
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
