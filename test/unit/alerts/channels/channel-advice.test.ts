import { expect, test } from 'vitest';
import { channelAdvice } from '../../../../src/alerts/test-channels.ts';
import type { SendFailure } from '../../../../src/alerts/channels/channel.ts';
import type { RevealedChannel } from '../../../../src/alerts/alerts-setup.ts';

const paced = { name: 'one', least: 'info', step: 1, mostPerHour: 30 } as const;
const shared = { ...paced, proxy: null } as const;
const chat = { ...shared, token: 'secret-word', chat: '1', apiRoot: 'https://secret-word' } as const;
const web = { ...shared, url: 'https://secret-word' } as const;

const CHANNELS: Readonly<Record<RevealedChannel['kind'], RevealedChannel>> = {
  telegram: { kind: 'telegram', ...chat, commandsFrom: [] },
  bale: { kind: 'bale', ...chat, commandsFrom: [] },
  rubika: { kind: 'rubika', ...chat },
  ntfy: { kind: 'ntfy', ...web, topic: 'secret-word' },
  discord: { kind: 'discord', ...web },
  webhook: { kind: 'webhook', ...web, headers: {}, body: null, secret: 'secret-word' },
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
