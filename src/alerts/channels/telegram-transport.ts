import { Api, GrammyError, InputFile } from 'grammy';
import { fetch as undiciFetch, Response, type Dispatcher, type RequestInit } from 'undici';
import { subjectOf } from '../../budget/ledger-file.ts';
import { Redactor } from '../../exchange/redactor.ts';
import type { ChatApi } from '../chat/chat-listener.ts';
import { breakMarkdown, cutOff, escapeForTelegram } from '../alert-text.ts';
import {
  problemOf,
  type ChannelTransport,
  type OutgoingMessage,
  type SendResult,
  boundedWaitMs,
  openDispatcher,
  retryAfterMs,
} from './channel.ts';

export interface TelegramOptions {
  /** Service: Bale has the same API, but reads every text as Markdown. */
  readonly kind: 'telegram' | 'bale';
  readonly token: string;
  readonly chat: string | number;
  readonly apiRoot: string;
  readonly proxy: string | null;
}

/** Longest text and caption, in characters: Telegram accepts 4,096, and 1,024 below a picture. */
const LONGEST_TEXT = 4_000;
const LONGEST_CAPTION = 1_000;
/** Time after which grammY itself gives up; `createChannel` does so earlier. */
const TIMEOUT_SECONDS = 60;
/** Longest time for an answer by chat, in ms: it must not hold up later commands, such as a halt. */
const REPLIES_WITHIN_MS = 15_000;
const TOO_MANY = 429;
const LEAST_SERVER_ERROR = 500;

/** Maximum number of bytes of a reply: a hundred updates with the longest texts have a tenth of it. */
const LARGEST_REPLY_BYTES = 4 * 1_024 * 1_024;

/** Error for a reply that is not from the API, such as the page of a proxy. */
class ForeignReply extends Error {
  readonly afterMs: number | null;

  constructor(status: number, how: string, afterMs: number | null) {
    super(`the service answered ${status} ${how}`);
    this.afterMs = afterMs;
  }
}

/** Reads a reply to its end, but no more bytes than a reply of the API can have. */
async function boundedReply(reply: Response): Promise<Response> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of reply.body ?? []) {
    length += chunk.length;
    // Leaving the loop ends the connection.
    if (length > LARGEST_REPLY_BYTES)
      throw new ForeignReply(reply.status, `with more than ${LARGEST_REPLY_BYTES} bytes`, null);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status: reply.status, headers: reply.headers });
}

/**
 * Creates the API of Telegram and Bale by grammY with our own connections: through a proxy if one is given,
 * and with the wait that a proxy asks for.
 */
function createTelegramApi(
  { token, apiRoot }: Pick<TelegramOptions, 'token' | 'apiRoot'>,
  dispatcher: Dispatcher,
): Api {
  const fetch = async (url: string, init: RequestInit & { readonly signal?: unknown }): Promise<unknown> => {
    const { method, headers, body, signal } = init;
    const controller = new AbortController();
    // grammY passes a signal of its own type.
    (signal as AbortSignal | undefined)?.addEventListener('abort', () => controller.abort());
    const reply = await undiciFetch(url, {
      method: method ?? 'POST',
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body, duplex: 'half' as const }),
      redirect: 'error',
      signal: controller.signal,
      dispatcher,
    });
    if (reply.headers.get('content-type')?.includes('json') === true) return boundedReply(reply);
    await reply.body?.cancel();
    const afterMs = retryAfterMs(reply.headers.get('retry-after'), Date.now());
    throw new ForeignReply(reply.status, 'without JSON', afterMs);
  };
  return new Api(token, {
    apiRoot,
    timeoutSeconds: TIMEOUT_SECONDS,
    fetch,
  });
}

/** Returns the outcome of a message from an error of the API. */
function telegramResult(error: unknown): SendResult {
  if (error instanceof GrammyError) {
    const { error_code: code, description, parameters } = error;
    const problem = `the service answered ${code}: ${description}`;
    const seconds = parameters.retry_after;
    if (code === TOO_MANY || code >= LEAST_SERVER_ERROR)
      return {
        kind: 'retry',
        afterMs: seconds === undefined ? null : boundedWaitMs(seconds * 1_000),
        problem,
        answered: code,
      };
    const movedTo = parameters.migrate_to_chat_id;
    // Only a number is accepted from the service: it is shown as the id to set.
    if (Number.isSafeInteger(movedTo) && movedTo !== undefined)
      return {
        kind: 'refused',
        problem: `the group has become a supergroup, which has another id: set chat: ${movedTo} (${problem})`,
        answered: code,
        movedTo,
      };
    return { kind: 'refused', problem, answered: code };
  }
  const foreign = (error as { readonly error?: unknown }).error;
  const afterMs = foreign instanceof ForeignReply ? foreign.afterMs : null;
  return { kind: 'retry', afterMs, problem: problemOf(error) };
}

/** Returns the text of a message, escaped for the service. */
function telegramText(
  kind: TelegramOptions['kind'],
  { title, lines, footer }: Pick<OutgoingMessage, 'title' | 'lines' | 'footer'>,
  longest = LONGEST_TEXT,
): string {
  const shown = [title, ...(lines.length === 0 ? [] : ['', ...lines])];
  const plain = [...shown, '', footer].join('\n');
  if (plain.length > longest) {
    const room = longest - footer.length - 4;
    const cut = `${cutOff(shown.join('\n'), room)}…`.split('\n');
    return telegramText(kind, { title: cut[0] ?? '', lines: cut.slice(2), footer }, Number.POSITIVE_INFINITY);
  }
  if (kind === 'bale') return breakMarkdown(plain);
  const [head = '', ...rest] = plain.split('\n');
  return [`<b>${escapeForTelegram(head)}</b>`, ...rest.map(escapeForTelegram)].join('\n');
}

/** Longest wait of one poll for updates, in s. */
const POLL_SECONDS = 25;

/** Creates the part of the API for commands by chat, of the same bot. */
export function createTelegramChat(
  options: Pick<TelegramOptions, 'kind' | 'token' | 'apiRoot' | 'proxy'>,
  withinMs = REPLIES_WITHIN_MS,
): ChatApi {
  const { kind, token } = options;
  const redactor = new Redactor([token]);
  const dispatcher = openDispatcher(options.proxy);
  const api = createTelegramApi(options, dispatcher);
  const markup = kind === 'telegram' ? ({ parse_mode: 'HTML' } as const) : {};
  const clean = (error: unknown): Error =>
    new Error(redactor.redact(problemOf(error)).slice(0, LONGEST_ERROR));
  return {
    bot: subjectOf(token),
    async updates(offset, signal) {
      try {
        const updates: unknown = await api.getUpdates(
          { offset, timeout: POLL_SECONDS, allowed_updates: ['message', 'callback_query'] },
          signal as Parameters<Api['getUpdates']>[1],
        );
        if (!Array.isArray(updates)) throw new Error('the service answered without a list of updates');
        return updates;
      } catch (error) {
        throw clean(error);
      }
    },
    async reply(chatId, { lines, buttons }) {
      const [title = '', ...rest] = lines;
      const text = cutOff([title, ...rest].join('\n'), LONGEST_TEXT);
      const shown = kind === 'bale' ? breakMarkdown(text) : escapeForTelegram(text);
      const late = AbortSignal.timeout(withinMs);
      try {
        const more = { ...markup, ...keyboardOf(buttons) };
        await api.sendMessage(chatId, shown, more, late as Parameters<Api['sendMessage']>[3]);
        return { kind: 'delivered' };
      } catch (error) {
        const seconds = withinMs / 1_000;
        const problem = late.aborted ? `no answer within ${seconds} s` : clean(error).message;
        return { kind: 'retry', afterMs: null, problem };
      }
    },
    async answerPress(callbackId) {
      await api.answerCallbackQuery(callbackId);
    },
    close: async () => dispatcher.destroy(),
  };
}

const LONGEST_ERROR = 300;

function keyboardOf(buttons: OutgoingMessage['buttons']): {
  readonly reply_markup?: { readonly inline_keyboard: { text: string; callback_data: string }[][] };
} {
  if (buttons.length === 0) return {};
  return {
    reply_markup: {
      inline_keyboard: buttons.map((row) =>
        row.map(({ label, data }) => ({ text: label, callback_data: data })),
      ),
    },
  };
}

/** Creates a transport that sends to one chat of Telegram or Bale. */
export function createTelegramTransport(options: TelegramOptions): ChannelTransport {
  const { kind, chat, proxy } = options;
  const dispatcher = openDispatcher(proxy);
  const api = createTelegramApi(options, dispatcher);
  const markup = kind === 'telegram' ? ({ parse_mode: 'HTML' } as const) : {};
  return {
    async deliver(message, signal) {
      const keyboard = keyboardOf(message.buttons);
      const silent = { disable_notification: message.severity === 'info' };
      const stop = signal as Parameters<Api['sendMessage']>[3];
      try {
        if (message.picture === null) {
          await api.sendMessage(
            chat,
            telegramText(kind, message),
            { ...markup, ...keyboard, ...silent, link_preview_options: { is_disabled: true } },
            stop,
          );
        } else {
          await api.sendPhoto(
            chat,
            new InputFile(message.picture, 'equity.png'),
            { ...markup, ...keyboard, ...silent, caption: telegramText(kind, message, LONGEST_CAPTION) },
            stop,
          );
        }
        return { kind: 'delivered' };
      } catch (error) {
        return telegramResult(error);
      }
    },
    close: async () => dispatcher.close(),
  };
}
