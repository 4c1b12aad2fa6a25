import { createHmac } from 'node:crypto';
import { cutOff, escapeMarkdown } from '../alert-text.ts';
import {
  type ChannelTransport,
  type OutgoingMessage,
  type SendResult,
  httpPost,
  openDispatcher,
  resultOf,
  type HttpReply,
} from './channel.ts';
import { z } from 'zod';

interface WebRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Creates a transport for a service that accepts one POST for each message. */
function createWebTransport(
  proxy: string | null,
  requestOf: (message: OutgoingMessage) => WebRequest,
): ChannelTransport {
  const dispatcher = openDispatcher(proxy);
  return {
    deliver: async (message, signal) =>
      resultOf(await httpPost({ ...requestOf(message), dispatcher, signal })),
    close: async () => dispatcher.close(),
  };
}

const NTFY_PRIORITY = { info: 2, warning: 4, critical: 5 } as const;

/** Longest message in bytes: one of more than 4,096 becomes an attachment, which most servers refuse. */
const LONGEST_NTFY_BYTES = 4_000;

/** Creates a transport to ntfy (https://docs.ntfy.sh/publish, "Publish as JSON"), public or your own. */
export function createNtfyTransport(options: {
  readonly url: string;
  readonly topic: string;
  readonly token: string | null;
  readonly proxy: string | null;
}): ChannelTransport {
  const { url, topic, token, proxy } = options;
  return createWebTransport(proxy, (message) => ({
    url,
    headers: {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      topic,
      title: message.title,
      message: linesWithin(message, LONGEST_NTFY_BYTES),
      priority: NTFY_PRIORITY[message.severity],
    }),
  }));
}

/** Longest message in characters; Discord accepts 2,000. */
const LONGEST_DISCORD = 1_900;

/** Creates a transport to a webhook of Discord: nobody is mentioned, and no text is markup. */
export function createDiscordTransport(options: {
  readonly url: string;
  readonly proxy: string | null;
}): ChannelTransport {
  return createWebTransport(options.proxy, (message) => {
    // Each character may need an escape before it.
    const [title = '', ...rest] = plainText(message, LONGEST_DISCORD / 2).split('\n');
    const content = [`**${escapeMarkdown(title)}**`, ...rest.map(escapeMarkdown)].join('\n');
    return {
      url: options.url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content: cutOff(content, LONGEST_DISCORD), allowed_mentions: { parse: [] } }),
    };
  });
}

const PLACE = /\{(id|severity|title|text|json|time)\}/g;

/** Returns the signature that shows a receiver that a message is ours, new, and no copy of an earlier one. */
export function signatureOf(
  secret: string,
  of: { readonly id: string; readonly time: string; readonly body: string },
): string {
  return `sha256=${createHmac('sha256', secret).update(`${of.id}.${of.time}.${of.body}`).digest('hex')}`;
}

/** Returns the body of a webhook: a template filled with texts in JSON form, or all fields as JSON. */
function webhookBody(template: string | null, message: OutgoingMessage): string {
  const { id, severity, title, atMs } = message;
  const text = plainText(message);
  const time = new Date(atMs).toISOString();
  const whole = JSON.stringify({ id, severity, title, text, lines: message.lines, time });
  if (template === null) return whole;
  const values: Readonly<Record<string, string>> = { id, severity, title, text, time };
  // The template puts the text in quotes; JSON escapes stop the text from ending them.
  return template.replaceAll(PLACE, (_, name: string) =>
    name === 'json' ? whole : JSON.stringify(values[name] ?? '').slice(1, -1),
  );
}

/** Creates a transport to any service that accepts JSON, signed if a secret is set. */
export function createWebhookTransport(options: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly secret: string | null;
  readonly proxy: string | null;
}): ChannelTransport {
  const { url, headers, body: template, secret, proxy } = options;
  return createWebTransport(proxy, (message) => {
    const body = webhookBody(template, message);
    const time = String(Date.now());
    const { id } = message;
    return {
      url,
      headers: {
        'content-type': 'application/json',
        ...headers,
        'x-sarraf-id': id,
        'x-sarraf-time': time,
        ...(secret === null ? {} : { 'x-sarraf-signature': signatureOf(secret, { id, time, body }) }),
      },
      body,
    };
  });
}

const reply = z.object({ status: z.string(), dev_message: z.string().optional() });

/** Matches words of a status after which a message may be tried again. */
const BUSY = /TOO|LIMIT|BUSY|INTERNAL|ERROR/;

/** Returns the outcome from a reply of Rubika, which answers 200 to refusals too: the body has the status. */
function rubikaResult(answer: HttpReply): SendResult {
  const outer = resultOf(answer);
  if (outer.kind !== 'delivered') return outer;
  const read = z.string().transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: 'no JSON' });
      return z.NEVER;
    }
  });
  const body = reply.safeParse(read.safeParse(answer.text).data);
  if (!body.success)
    return { kind: 'retry', afterMs: answer.retryAfterMs, problem: 'the service answered without a status' };
  const { status, dev_message: more } = body.data;
  if (status === 'OK') return { kind: 'delivered' };
  const problem = `the service answered ${status}${more === undefined ? '' : `: ${more}`}`;
  return BUSY.test(status)
    ? { kind: 'retry', afterMs: answer.retryAfterMs, problem, answered: answer.status }
    : { kind: 'refused', problem, answered: answer.status };
}

/** Creates a transport that sends texts, without pictures or buttons, to a chat of Rubika's API for bots. */
export function createRubikaTransport(options: {
  readonly token: string;
  readonly chat: string;
  readonly apiRoot: string;
  readonly proxy: string | null;
}): ChannelTransport {
  const { token, chat, apiRoot, proxy } = options;
  const dispatcher = openDispatcher(proxy);
  return {
    async deliver(message, signal) {
      const answer = await httpPost({
        url: `${apiRoot}/${encodeURIComponent(token)}/sendMessage`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          chat_id: chat,
          text: plainText(message),
          disable_notification: message.severity === 'info',
        }),
        dispatcher,
        signal,
      });
      return rubikaResult(answer);
    },
    close: async () => dispatcher.close(),
  };
}

/** Longest message in characters: no service accepts many more. */
const LONGEST = 4_000;

/** Returns a message as plain text; one that is too long is cut before its footer. */
function plainText(
  { title, lines, footer }: Pick<OutgoingMessage, 'title' | 'lines' | 'footer'>,
  longest = LONGEST,
): string {
  const text = [title, ...(lines.length === 0 ? [] : ['', ...lines])].join('\n');
  const room = longest - footer.length - 3;
  return `${text.length <= room ? text : `${cutOff(text, room)}…`}\n\n${footer}`;
}

/** Returns the lines and the footer in at most that many bytes; a longer text is cut before the footer. */
function linesWithin(
  { lines, footer }: Pick<OutgoingMessage, 'lines' | 'footer'>,
  longestBytes: number,
): string {
  const text = Buffer.from(lines.join('\n'));
  const room = longestBytes - Buffer.byteLength(`…\n${footer}`);
  if (text.length <= room) return [...lines, footer].join('\n');
  // A character that is cut in two would be shown as a mark.
  const cut = new TextDecoder().decode(text.subarray(0, room), { stream: true });
  return `${cut}…\n${footer}`;
}
