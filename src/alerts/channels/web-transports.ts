import { createHmac } from 'node:crypto';
import { cutOff, escapeMarkdown } from '../text/escape-text.ts';
import type { ChannelTransport, OutgoingMessage } from './channel.ts';
import { httpPost, openDispatcher, resultOf } from './http-post.ts';
import { linesWithin, plainText } from './plain-text.ts';

interface WebRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** A service that takes one POST for each message. */
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

/** A message of more than 4,096 bytes is an attachment, which most servers refuse. */
const LONGEST_NTFY_BYTES = 4_000;

/** ntfy (https://docs.ntfy.sh/publish, "Publish as JSON"), its public server or one of your own. */
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

/** Discord takes 2,000 characters. */
const LONGEST_DISCORD = 1_900;

/** A webhook as Discord has it: nobody is mentioned, and no text is markup. */
export function createDiscordTransport(options: {
  readonly url: string;
  readonly proxy: string | null;
}): ChannelTransport {
  return createWebTransport(options.proxy, (message) => {
    // Each character may need one before it.
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

/**
 * Returns the signature by which a receiver knows that a message is ours, new and no copy of an earlier one.
 */
export function signatureOf(
  secret: string,
  of: { readonly id: string; readonly time: string; readonly body: string },
): string {
  return `sha256=${createHmac('sha256', secret).update(`${of.id}.${of.time}.${of.body}`).digest('hex')}`;
}

/** The body of a webhook: a template whose places are filled with texts as JSON has them, or all as JSON. */
function webhookBody(template: string | null, message: OutgoingMessage): string {
  const { id, severity, title, atMs } = message;
  const text = plainText(message);
  const time = new Date(atMs).toISOString();
  const whole = JSON.stringify({ id, severity, title, text, lines: message.lines, time });
  if (template === null) return whole;
  const values: Readonly<Record<string, string>> = { id, severity, title, text, time };
  // Within the quotes of the template nothing of a text can end them.
  return template.replaceAll(PLACE, (_, name: string) =>
    name === 'json' ? whole : JSON.stringify(values[name] ?? '').slice(1, -1),
  );
}

/** Any service that takes JSON, signed where a secret is set. */
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
