import { createServer as createHttpServer, request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createChannel,
  type Channel,
  type OutgoingMessage,
  type SendFailure,
} from '../../../../src/alerts/channels/channel.ts';
import { openChannel } from '../../../../src/alerts/channels/open-channel.ts';
import { revealChannels, type RevealedChannel } from '../../../../src/alerts/alerts-setup.ts';
import { channelSettings } from '../../../../src/daemon/alert-settings.ts';
import { signatureOf } from '../../../../src/alerts/channels/web-transports.ts';
import { Redactor } from '../../../../src/exchange/redactor.ts';
import { apiError, ChatServer, ACCEPTED } from '../../../support/chat-server.ts';
import { SmtpServer } from '../../../support/smtp-server.ts';
import { channelAdvice } from '../../../../src/alerts/test-channels.ts';

const paced = { name: 'one', least: 'info', step: 1, mostPerHour: 30 } as const;
const unpaced = { ...paced, proxy: null } as const;
const chat = { ...unpaced, token: 'secret-word', chat: '1', apiRoot: 'https://secret-word' } as const;
const unpacedWeb = { ...unpaced, url: 'https://secret-word' } as const;

const CHANNELS: Readonly<Record<RevealedChannel['kind'], RevealedChannel>> = {
  telegram: { kind: 'telegram', ...chat, commandsFrom: [] },
  bale: { kind: 'bale', ...chat, commandsFrom: [] },
  rubika: { kind: 'rubika', ...chat },
  ntfy: { kind: 'ntfy', ...unpacedWeb, topic: 'secret-word' },
  discord: { kind: 'discord', ...unpacedWeb },
  webhook: { kind: 'webhook', ...unpacedWeb, headers: {}, body: null, secret: 'secret-word' },
  email: {
    kind: 'email',
    ...paced,
    host: 'secret-word',
    port: 587,
    isSecure: false,
    from: 'a@b',
    to: ['c@d'],
    password: 'secret-word',
  },
};

const refused = (answered: number): SendFailure => ({ kind: 'refused', problem: 'no', answered });
const unreached: SendFailure = { kind: 'retry', afterMs: null, problem: 'no answer within 20 s' };

test.each([
  ['telegram', refused(401), /token is wrong/],
  ['telegram', refused(404), /token is wrong/],
  ['telegram', refused(400), /write \/start to the bot/],
  ['bale', refused(403), /write \/start to the bot/],
  ['bale', unreached, /set apiRoot .* or a proxy$/],
  ['rubika', refused(200), /token .* \/start/],
  ['ntfy', refused(403), /a token that may write/],
  ['ntfy', refused(400), /url and topic/],
  ['discord', refused(404), /new webhook/],
  ['webhook', refused(422), /url, headers, secret and body/],
  ['webhook', unreached, /whether url is right .* or set a proxy$/],
  ['email', refused(535), /user and password/],
  ['email', refused(550), /from, and to each address of to/],
  ['email', unreached, /host, port and isSecure/],
] as const)('%s: %o', (kind, failure, advice) => {
  expect(channelAdvice(CHANNELS[kind], failure)).toMatch(advice);
});

test.each(Object.values(CHANNELS))(
  '$kind waits for a service that has trouble, and repeats no setting',
  (one) => {
    const busy: SendFailure = { kind: 'retry', afterMs: null, problem: '', answered: 503 };
    expect(channelAdvice(one, busy)).toMatch(/^try it again later/);
    const all = [busy, unreached, refused(401), refused(400)].map((failure) => channelAdvice(one, failure));
    expect(all.join()).not.toContain('secret-word');
  },
);

test('a group with another id is told by it', () => {
  const moved: SendFailure = { ...refused(400), movedTo: -1_001_234 };
  expect(channelAdvice(CHANNELS.telegram, moved)).toMatch(/^set chat: -1001234, /);
});

test('a channel with a proxy is told to look at it', () => {
  for (const kind of ['telegram', 'webhook'] as const) {
    const settings = { ...CHANNELS[kind], proxy: 'http://127.0.0.1:1' } as RevealedChannel;
    expect(channelAdvice(settings, unreached)).toContain('whether the proxy runs');
  }
});

const TOKEN = '123456:a-secret-token-of-a-bot';
const shared = { least: 'info', step: 1, mostPerHour: 30 } as const;
const web = { ...shared, proxy: null } as const;

const message = (over: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  id: 'bot-17',
  severity: 'critical',
  title: 'bot: trading is halted',
  lines: ['#3 halted: <b>*now*</b> [a](http://b) @everyone', 'second'],
  footer: 'message 17',
  picture: null,
  buttons: [],
  atMs: 0,
  ...over,
});

let server: ChatServer;
let opened: Channel[];
beforeEach(async () => {
  server = new ChatServer(() => ACCEPTED);
  opened = [];
  await server.listen();
});
afterEach(async () => {
  await Promise.all(opened.map(async (channel) => channel.close()));
  await server.close();
});

const open = async (settings: RevealedChannel): Promise<Channel> => {
  const channel = await openChannel(settings);
  opened.push(channel);
  return channel;
};

const chatOf = (kind: 'telegram' | 'bale', apiRoot = server.address): RevealedChannel => {
  return { kind, name: kind, ...web, token: TOKEN, chat: 42, commandsFrom: [], apiRoot };
};
const rubika = (): RevealedChannel => {
  return { kind: 'rubika', name: 'rubika', ...web, token: TOKEN, chat: 'c1', apiRoot: server.address };
};
const webhook = (over: object = {}): RevealedChannel => ({
  kind: 'webhook',
  name: 'hook',
  ...web,
  url: `${server.address}/hooks/a-secret-path`,
  headers: { 'x-own': 'own-header-value' },
  body: null,
  secret: 'a-secret-to-sign-with',
  ...over,
});
const ntfy = (): RevealedChannel => {
  const secrets = { topic: 'a-secret-topic', token: 'tk_a-secret-token' };
  return { kind: 'ntfy', name: 'ntfy', ...web, url: server.address, ...secrets };
};
const discord = (): RevealedChannel => {
  const url = `${server.address}/api/webhooks/1/a-secret-path`;
  return { kind: 'discord', name: 'discord', ...web, url };
};

const telegram = () => chatOf('telegram');
const ALL = { telegram, bale: () => chatOf('bale'), rubika, webhook, ntfy, discord };
const RUBIKA_TOOK = { status: 200, body: { status: 'OK', data: {} } } as const;
const takes = (kind: string): void => {
  if (kind === 'rubika') server.answers(RUBIKA_TOOK);
};

describe('every channel', () => {
  test.each(Object.entries(ALL))('%s delivers a message with its id', async (kind, settings) => {
    takes(kind);
    const channel = await open(settings());
    expect(await channel.send(message())).toEqual({ kind: 'delivered' });
    expect(server.seen).toHaveLength(1);
    expect(JSON.stringify(server.seen[0]?.body)).toContain('message 17');
  });

  test.each(Object.entries(ALL))('%s waits as long as a 429 says', async (_, settings) => {
    const channel = await open(settings());
    server.answers({
      status: 429,
      headers: { 'retry-after': '7' },
      body: { ok: false, error_code: 429, description: 'slow down', parameters: { retry_after: 7 } },
    });
    expect(await channel.send(message())).toMatchObject({ kind: 'retry', afterMs: 7_000 });
  });

  test('a group that became a supergroup is named with its new id', async () => {
    const channel = await open(chatOf('telegram'));
    const upgraded = 'Bad Request: group chat was upgraded to a supergroup chat';
    server.answers(apiError(400, upgraded, { migrate_to_chat_id: -1_001_234_567_890 }));
    expect(await channel.send(message())).toMatchObject({
      kind: 'refused',
      answered: 400,
      movedTo: -1_001_234_567_890,
      problem: expect.stringContaining('set chat: -1001234567890 (the service answered 400') as string,
    });
  });

  test.each(Object.entries(ALL))('%s tells a refusal from a failure of the server', async (_, settings) => {
    const channel = await open(settings());
    server.answers(apiError(403, 'blocked by the user'), apiError(502, 'bad gateway'), {
      status: 503,
      headers: { 'content-type': 'text/html', 'retry-after': '9' },
      body: '<html>',
    });
    expect(await channel.send(message())).toMatchObject({ kind: 'refused' });
    expect(await channel.send(message())).toMatchObject({ kind: 'retry', afterMs: null });
    expect(await channel.send(message())).toMatchObject({ kind: 'retry', afterMs: 9_000 });
  });

  test.each(Object.entries(ALL))('%s shows no secret in any problem', async (_, settings) => {
    const channel = await open(settings());
    const echo = JSON.stringify(settings());
    const problems: string[] = [];
    const send = async (): Promise<void> => {
      const result = await channel.send(message());
      if (result.kind !== 'delivered') problems.push(result.problem);
    };
    server.answers(apiError(404, echo), apiError(500, echo), { status: 302, headers: { location: echo } });
    for (let count = 0; count < 3; count += 1) await send();
    server.answers({ status: 200, headers: { 'content-type': 'text/html' }, body: echo });
    await send();
    await server.close();
    await send();
    expect(problems.length).toBeGreaterThanOrEqual(4);
    for (const problem of problems) {
      expect(problem).not.toMatch(/secret-(?:token|path|topic|to-sign)|own-header-value/);
      expect(problem.length).toBeLessThanOrEqual(300);
    }
  });

  test('gives a service up that does not answer in time', async () => {
    const transport = {
      deliver: async (): Promise<never> => new Promise(() => undefined),
      close: async (): Promise<void> => undefined,
    };
    const channel = createChannel({ name: 'slow', transport, redactor: new Redactor([]), withinMs: 1 });
    expect(await channel.send(message())).toEqual({
      kind: 'retry',
      afterMs: null,
      problem: 'no answer within 0.001 s',
    });
  });

  test('survives a server that ends the connection', async () => {
    const rude = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve));
    const { port } = rude.address() as { port: number };
    const channel = await open(chatOf('telegram', `http://127.0.0.1:${port}`));
    const result = await channel.send(message());
    expect(result).toMatchObject({ kind: 'retry', afterMs: null });
    expect(JSON.stringify(result)).not.toContain('secret');
    await new Promise((resolve) => rude.close(resolve));
  });
});

test('an address whose user name is no URL encoding does not end who sends', async () => {
  const url = server.address.replace('http://', 'http://a%secret-word@');
  const result = await (await open(webhook({ url }))).send(message());
  expect(JSON.stringify(result)).not.toContain('secret-word');
});

describe('Telegram and Bale', () => {
  test('show no markup of a text that came from elsewhere', async () => {
    await (await open(chatOf('telegram'))).send(message());
    await (await open(chatOf('bale'))).send(message());
    const [telegram, bale] = server.seen.map(({ body }) => body as { text: string; parse_mode?: string });
    expect(telegram).toMatchObject({ parse_mode: 'HTML' });
    expect(telegram?.text).toContain('&lt;b&gt;*now*&lt;/b&gt;');
    expect(bale?.parse_mode).toBeUndefined();
    expect(bale?.text).not.toMatch(/[*_[\]()](?!\u2060)/);
  });

  test('send buttons, and a picture with the text below it', async () => {
    const channel = await open(chatOf('telegram'));
    const buttons = [[{ label: 'Acknowledge', data: 'ack:3' }]];
    await channel.send(message({ buttons }));
    expect(server.seen[0]).toMatchObject({
      path: `/bot${TOKEN}/sendMessage`,
      body: { reply_markup: { inline_keyboard: [[{ text: 'Acknowledge', callback_data: 'ack:3' }]] } },
    });
    expect(await channel.send(message({ picture: Buffer.from('a picture') }))).toEqual({ kind: 'delivered' });
    expect(server.seen[1]?.path).toContain('sendPhoto');
    expect(server.seen[1]?.body).toContain('a picture');
  });

  test('cut what is too long, and keep the id', async () => {
    await (await open(chatOf('telegram'))).send(message({ lines: ['x'.repeat(9_000)] }));
    const { text } = server.seen[0]!.body as { readonly text: string };
    expect(text.length).toBeLessThan(4_096);
    expect(text).toMatch(/…\n\nmessage 17$/);
  });
});

const hasHalf = (body: unknown): boolean =>
  Object.values(typeof body === 'object' ? (body ?? {}) : { body }).some(
    (value) => typeof value === 'string' && !value.isWellFormed(),
  );

test.each(Object.entries(ALL))(
  '%s is sent no half of a character, for which it would refuse the message for a day',
  async (kind, settings) => {
    const channel = await open(settings());
    for (const before of ['', 'x']) {
      takes(kind);
      const lines = [`${before}${'🔴'.repeat(3_000)}`];
      expect(await channel.send(message({ lines }))).toEqual({ kind: 'delivered' });
    }
    expect(server.seen.map(({ body }) => hasHalf(body))).toEqual([false, false]);
  },
);

test('a channel of the configuration is revealed with all of its secrets', () => {
  const written = { url: 'https://a.example/b', secret: 'to-sign', headers: { 'x-own': 'v' } };
  const settings = channelSettings.parse({ kind: 'webhook', ...written });
  expect(revealChannels([{ ...settings, name: 'hook' }])).toMatchObject([written]);
});

test('a channel goes through its proxy, and no other does', async () => {
  const asked: string[] = [];
  // A proxy receives the whole address for http, and is asked for a tunnel for https.
  const proxy = createHttpServer((from, to) => {
    asked.push(from.url ?? '');
    const { method = 'POST', headers } = from;
    from.pipe(
      request(from.url ?? '', { method, headers }, (reply) => {
        to.writeHead(reply.statusCode ?? 500, reply.headers);
        reply.pipe(to);
      }),
    );
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const settings = { ...chatOf('telegram'), proxy: `http://127.0.0.1:${port}` } as RevealedChannel;
  expect(await (await open(settings)).send(message())).toEqual({ kind: 'delivered' });
  expect(asked).toEqual([`${server.address}/bot${TOKEN}/sendMessage`]);
  expect(await (await open(chatOf('bale'))).send(message())).toEqual({ kind: 'delivered' });
  expect(asked).toHaveLength(1);
  await Promise.all(opened.splice(0).map(async (channel) => channel.close()));
  await new Promise((resolve) => proxy.close(resolve));
});

test.each([
  [{ status: 'OK' }, 'delivered'],
  [{ status: 'INVALID_ACCESS' }, 'refused'],
  [{ status: 'TOO_REQUESTS' }, 'retry'],
  ['no JSON', 'retry'],
])('Rubika takes the body %j for %s', async (body, kind) => {
  server.answers({ status: 200, body });
  expect(await (await open(rubika())).send(message())).toMatchObject({ kind });
});

describe('a webhook', () => {
  test('is signed over id, time and body, so that a copy is seen', async () => {
    await (await open(webhook())).send(message());
    const { headers, body } = server.seen[0]!;
    const text = JSON.stringify(body);
    expect(headers['x-sarraf-signature']).toBe(
      signatureOf('a-secret-to-sign-with', {
        id: String(headers['x-sarraf-id']),
        time: String(headers['x-sarraf-time']),
        body: text,
      }),
    );
    expect(headers).toMatchObject({ 'x-own': 'own-header-value', 'x-sarraf-id': 'bot-17' });
  });

  test('fills a template, and no text breaks out of it', async () => {
    const channel = await open(webhook({ body: '{"say": "{title}", "all": {json}}' }));
    await channel.send(message({ title: 'a "quoted"\n{text}' }));
    expect(server.seen[0]?.body).toMatchObject({
      say: 'a "quoted"\n{text}',
      all: { id: 'bot-17', severity: 'critical' },
    });
  });
});

describe('Discord and ntfy', () => {
  test('mention nobody and show no markup', async () => {
    await (await open(discord())).send(message());
    const { content, allowed_mentions: mentions } = server.seen[0]!.body as {
      readonly content: string;
      readonly allowed_mentions: unknown;
    };
    expect(mentions).toEqual({ parse: [] });
    expect(content).toContain(String.raw`\*now\*`);
    expect(content).toContain(String.raw`\@everyone`);
  });

  test('cut what is too long for them before its id', async () => {
    const long = message({
      lines: Array.from({ length: 10 }, (_, index) => `${index} ${'معامله متوقف است '.repeat(20)}`),
    });
    await (await open(ntfy())).send(long);
    const { message: text } = server.seen[0]!.body as { readonly message: string };
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096);
    expect(text).toMatch(/^0 معامله[^\uFFFD]*…\n.*message 17/s);
    await (await open(discord())).send(long);
    const { content } = server.seen[1]!.body as { readonly content: string };
    expect(content.length).toBeLessThanOrEqual(2_000);
    expect(content).toContain('message 17');
  });

  test('say how urgent it is', async () => {
    await (await open(ntfy())).send(message());
    expect(server.seen[0]).toMatchObject({
      headers: { authorization: 'Bearer tk_a-secret-token' },
      body: { topic: 'a-secret-topic', priority: 5, title: 'bot: trading is halted' },
    });
  });
});

describe('e-mail', () => {
  let smtp: SmtpServer;
  let settings: RevealedChannel;
  beforeEach(async () => {
    smtp = new SmtpServer();
    settings = {
      kind: 'email',
      name: 'mail',
      ...shared,
      host: '127.0.0.1',
      port: await smtp.listen(),
      isSecure: false,
      user: 'ali',
      password: 'a-secret-password',
      from: 'bot@example.org',
      to: ['ali@example.org'],
    };
  });
  afterEach(async () => smtp.close());

  test('delivers with a Message-ID of its own, and no header of a text', async () => {
    const title = 'halted\r\nBcc: other@example.org';
    const sent = await (await open(settings)).send(message({ title, picture: Buffer.from('png') }));
    expect(sent).toEqual({ kind: 'delivered' });
    const [mail = ''] = smtp.mails;
    expect(mail).toContain('Message-ID: <bot-17@sarraf.invalid>');
    expect(mail).not.toMatch(/^Bcc:/m);
    expect(mail).toContain('equity.png');
  });

  test('tells a final refusal from one that may pass', async () => {
    const channel = await open(settings);
    smtp.refuses('552 a-secret-password is too large');
    smtp.refuses('451 try later');
    expect(await channel.send(message())).toEqual({
      kind: 'refused',
      answered: 552,
      problem: expect.stringContaining('552 [secret] is too large') as string,
    });
    expect(await channel.send(message())).toMatchObject({ kind: 'retry' });
    await smtp.close();
    expect(await channel.send(message())).toMatchObject({ kind: 'retry' });
  });
});
