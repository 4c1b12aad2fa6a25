import { rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ChatAction } from '../../../../src/alerts/chat/answer-chat.ts';
import { carryOut } from '../../../../src/alerts/open-alerts.ts';
import { ChatListener, type ChatApi } from '../../../../src/alerts/chat/chat-listener.ts';
import { createTelegramChat } from '../../../../src/alerts/channels/telegram-transport.ts';
import { mutedUntilMs, SafeOutbox } from '../../../../src/alerts/outbox-file.ts';
import type { BotRules, RuleAnswer } from '../../../../src/daemon/answers-apart.ts';
import { withoutDirectionMarks } from '../../../../src/language/isolate.ts';
import { ControlClient } from '../../../../src/daemon/control-client.ts';
import { ControlInbox } from '../../../../src/daemon/control/control-inbox.ts';
import { localeOf } from '../../../../src/language/locale.ts';
import { apiError, ChatServer, ACCEPTED } from '../../../support/chat-server.ts';
import { NOON_MS } from '../core/snapshot-fixture.ts';
import { botSeen } from './chat-fixture.ts';
import { sentence } from '../../../../src/language/sentence.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const ALI = 7;

const folder = folderOfEachTest();
let outbox: SafeOutbox;
let done: (readonly [ChatAction, string])[];
let replies: { lines: readonly string[]; buttons: readonly (readonly { data: string }[])[] }[];
let updates: unknown[];
let nowMs: number;
beforeEach(() => {
  outbox = new SafeOutbox(folder);
  done = [];
  replies = [];
  updates = [];
  nowMs = NOON_MS;
});
afterEach(() => {
  outbox.close();
});

const said = (text: string, from = ALI): void => {
  const message = { from: { id: from }, chat: { id: 5 }, date: nowMs / 1_000, text };
  updates.push({ update_id: updates.length + 1, message });
};
const pressed = (data: string, from = ALI): void => {
  const callback_query = { id: 'c', from: { id: from }, data, message: { chat: { id: 5 } } };
  updates.push({ update_id: updates.length + 1, callback_query });
};

/** The service gives each update again until a later offset is asked for. */
const api: ChatApi = {
  bot: 'this',
  updates: async (offset) => updates.filter((one) => (one as { update_id: number }).update_id >= offset),
  reply: async (_, reply) => {
    replies.push(reply);
    return { kind: 'delivered' };
  },
  answerPress: async () => undefined,
  close: async () => undefined,
};

const listener = (over: Partial<ConstructorParameters<typeof ChatListener>[0]> = {}): ChatListener =>
  new ChatListener({
    bot: 'one',
    channel: 'telegram',
    api,
    allowed: [ALI],
    outbox,
    locale: localeOf('en'),
    view: () => botSeen(),
    carryOut: async (action, by) => {
      done.push([action, by]);
      return 'Done: it is';
    },
    explain: async () => ({ kind: 'handlers' }),
    nowMs: () => nowMs,
    log: () => undefined,
    ...over,
  });

const markOf = (reply: (typeof replies)[number] | undefined): string => reply?.buttons[0]?.[0]?.data ?? '';

const RULES: BotRules = {
  strategy: 'dip',
  market: 'BTCUSDT',
  closeTimeMs: NOON_MS,
  isHeld: false,
  markets: ['BTCUSDT'],
  periods: { knownSinceMs: null, enter: [], exit: [] },
  before: [sentence('rules-orders-open', { count: 2 })],
  outcome: sentence('rules-missing', { conditions: 'strength' }),
  missing: ['strength'],
  enter: [
    { text: sentence('rules-all-of'), depth: 0, isTrue: false, left: null, right: null, sinceMs: null },
    { text: 'strength', depth: 1, isTrue: null, left: 31.25, right: 30, sinceMs: NOON_MS },
    ...Array.from({ length: 900 }, () => ({
      text: 'x'.repeat(900),
      depth: 1,
      isTrue: true,
      left: 1,
      right: 0,
      sinceMs: NOON_MS,
    })),
  ],
  exit: [],
};

describe('a question about rules', () => {
  test.each<['en' | 'fa', readonly string[]]>([
    [
      'en',
      [
        'one: dip BTCUSDT, candle of 2026-01-05 12:00',
        'it waits for its 2 open orders',
        'nothing is held, so the conditions to buy count',
        'missing: strength',
        '❌ all of these:',
        '❔ strength: 31.25 / 30, since 2026-01-05 12:00',
      ],
    ],
    [
      'fa',
      [
        'one: dip BTCUSDT، کندل ۱۴۰۴/۱۰/۱۵ ۱۲:۰۰',
        'منتظر ۲ سفارش باز خود است',
        'چیزی ندارد، پس شرط‌های خرید در کارند',
        'برقرار نیست: strength',
        '❌ همهٔ این‌ها:',
        '❔ strength: ۳۱٫۲۵ / ۳۰، از ۱۴۰۴/۱۰/۱۵ ۱۲:۰۰',
      ],
    ],
  ])('is answered in the language of the chat, and is bounded: %s', async (language, lines) => {
    const asked: unknown[] = [];
    said('/why dip ethusdt');
    const explain = async (...of: readonly unknown[]): Promise<RuleAnswer> => {
      asked.push(of);
      return { kind: 'rules', rules: RULES };
    };
    await listener({ locale: localeOf(language), explain }).turn();
    await vi.waitUntil(() => replies.length > 0);
    const found = replies[0]!.lines.map((line) => withoutDirectionMarks(line));
    expect(found.slice(0, 6)).toEqual(lines);
    expect(found).toHaveLength(18);
    expect(Math.max(...found.map((line) => line.length))).toBeLessThan(600);
    expect(asked).toEqual([['dip', 'ETHUSDT']]);
  });

  test('does not delay a halt, and says why there is no answer', async () => {
    const { promise, resolve } = Promise.withResolvers<RuleAnswer>();
    said('/why grid');
    said('/halt');
    await listener({ explain: async () => promise }).turn();
    expect(replies.map(({ lines }) => lines[0])).toEqual([expect.stringContaining('Halt trading')]);
    resolve({ kind: 'problem', reason: 'expected a closed bar, was none', markets: [] });
    await vi.waitUntil(() => replies.length > 1);
    expect(replies[1]!.lines).toEqual([
      'one: expected a closed bar, was none',
      expect.stringContaining('refused'),
    ]);
  });
});

test('an entry is approved by a tap of those who may, and a tap of a stranger does nothing', async () => {
  pressed('approve:i3f', ALI + 1);
  pressed('approve:i3f');
  await listener().turn();
  await listener().turn();
  expect(done).toEqual([[{ kind: 'approve', entry: 'i3f' }, String(ALI)]]);
  expect(replies.map(({ lines }) => lines[0])).toEqual(['one: Done: it is']);
  const locale = localeOf('en');
  await carryOut({ kind: 'decline', entry: 'i3f' }, { dataFolder: folder, by: 'ali', locale });
  const inbox = new ControlInbox(folder);
  expect(inbox.poll().map(({ command }) => command)).toMatchObject([
    { kind: 'decline', intent: 'i3f', by: 'ali by chat', key: expect.stringMatching(/^chat-/) },
  ]);
  inbox.close();
});

describe('commands by chat', () => {
  test('are done once, however often their button is pressed, and over a restart', async () => {
    said('/halt');
    await listener().turn();
    const yes = markOf(replies[0]);
    pressed(yes);
    pressed(yes);
    await listener().turn();
    await listener().turn();
    expect(done).toEqual([[{ kind: 'halt' }, String(ALI)]]);
    expect(replies.slice(1).map(({ lines }) => lines[0])).toEqual([
      'one: Done: it is',
      'one: That question is over. Send the command again',
    ]);
  });

  test('are taken where the ids of updates begin anew after a week of silence', async () => {
    updates = [
      { update_id: 900_000, message: { from: { id: ALI }, chat: { id: 5 }, date: 1, text: '/help' } },
    ];
    await listener().turn();
    updates = [];
    nowMs += 8 * 86_400_000;
    said('/halt');
    await listener().turn();
    expect(markOf(replies.at(-1))).not.toBe('');
    await listener().turn();
    expect(replies).toHaveLength(2);
  });

  test('are taken from another bot of the same channel, which counts from elsewhere', async () => {
    updates = [
      { update_id: 900_000, message: { from: { id: ALI }, chat: { id: 5 }, date: 1, text: '/help' } },
    ];
    await listener().turn();
    updates = [];
    said('/halt');
    await listener({ api: { ...api, bot: 'another' } }).turn();
    expect(replies).toHaveLength(2);
  });

  test('are not done again where an earlier version kept their place', async () => {
    said('/halt');
    said('/halt');
    outbox.use((each) => each.setMeta('offset telegram', '2'));
    await listener().turn();
    await listener().turn();
    expect(replies).toHaveLength(1);
  });

  test('of strangers are not answered, and counted', async () => {
    said('/status', 666);
    pressed('go:halt', 666);
    await listener().turn();
    expect(replies).toEqual([]);
    expect(outbox.use((each) => each.strangers())).toBe(2);
  });

  test('are confirmed by who asked for them alone, and within two minutes', async () => {
    said('/halt');
    const both = listener({ allowed: [ALI, 8] });
    await both.turn();
    pressed(markOf(replies[0]), 8);
    await both.turn();
    nowMs += 121_000;
    pressed(markOf(replies[0]));
    await both.turn();
    expect(done).toEqual([]);
    expect(replies).toHaveLength(3);
  });

  test.each([
    ['a day', -86_400_000, 0],
    ['a second', -1_000, 1],
  ])('are confirmed after the clock was set back by %s: %i ms, %i times', async (_, byMs, times) => {
    said('/halt');
    await listener().turn();
    nowMs += byMs;
    pressed(markOf(replies[0]));
    await listener().turn();
    expect(done).toHaveLength(times);
  });

  test('mute until no date of a clock that was set back', async () => {
    said('/mute 1440');
    await listener().turn();
    expect(mutedUntilMs(outbox, nowMs)).toBe(NOON_MS + 86_400_000);
    expect(mutedUntilMs(outbox, nowMs - 1)).toBe(0);
    expect(mutedUntilMs(outbox, nowMs + 86_400_000)).toBe(0);
  });

  test('mute, acknowledge, and take back', async () => {
    outbox.use((each) =>
      each.apply({
        changes: [
          {
            kind: 'open',
            condition: { key: 'k', severity: 'critical', facts: { rule: 'test' }, sinceMs: 1 },
          },
        ],
        atMs: 1,
        cursor: null,
        channels: [],
      }),
    );
    pressed('ack:1');
    pressed('ack:1');
    said('/mute 30');
    said('/halt');
    await listener().turn();
    expect(outbox.use((each) => each.openAlerts())?.[0]).toMatchObject({ acknowledgedBy: String(ALI) });
    expect(mutedUntilMs(outbox, NOON_MS)).toBe(NOON_MS + 1_800_000);
    pressed(markOf(replies.at(-1)).replace('yes', 'no'));
    pressed(markOf(replies.at(-1)));
    await listener().turn();
    expect(done).toEqual([]);
    expect(replies.map(({ lines }) => lines[0])).toEqual([
      'one: Acknowledged by 7: #1',
      'one: #1 was acknowledged before, or is not there',
      'one: Only what is critical until 2026-01-05 12:30',
      'one: Halt trading and cancel 1 open order? It holds until you resume',
      'one: Nothing was done',
      'one: That question is over. Send the command again',
    ]);
  });

  test('that go wrong are answered so, once, and hold up no later one', async () => {
    said('/status');
    said('/help');
    const views = [new Error('no such table'), botSeen()];
    const view = (): ReturnType<typeof botSeen> => {
      const next = views.shift();
      if (next === undefined || next instanceof Error) throw next ?? new Error('asked again');
      return next;
    };
    const both = listener({ view });
    await both.turn();
    await both.turn();
    expect(replies.map(({ lines }) => lines[0])).toEqual([
      'one: NOT done: no such table',
      expect.stringContaining('Commands: /status'),
    ]);
  });

  test('are done though the service never takes that their button was pressed', async () => {
    const deaf = listener({ api: { ...api, answerPress: async () => new Promise(() => undefined) } });
    said('/halt');
    await deaf.turn();
    pressed(markOf(replies[0]));
    await deaf.turn();
    expect(done).toHaveLength(1);
  });

  test.each([
    ['nothing', []],
    ['what has no id', [{}]],
    ['what was taken before', [{ update_id: 0 }]],
  ])('are not asked for without a pause where the service answers at once with %s', async (_, answer) => {
    outbox.use((each) => each.setMeta('offset telegram', '1'));
    let asked = 0;
    const updatesAtOnce = async (): Promise<readonly unknown[]> => {
      asked += 1;
      await new Promise(setImmediate);
      return answer;
    };
    const waiting = listener({ api: { ...api, updates: updatesAtOnce } });
    waiting.begin();
    for (let turn = 0; turn < 2_000; turn += 1) await new Promise(setImmediate);
    await waiting.end();
    expect(asked).toBeLessThan(100);
  });

  test('pass over what nobody said', async () => {
    updates.push({ update_id: 1 }, { update_id: 2, channel_post: {} });
    await listener().turn();
    expect(outbox.use((each) => each.meta('offset telegram'))).toMatch(/^3 /);
  });
});

const act = async (action: ChatAction): Promise<string> =>
  carryOut(action, { dataFolder: folder, by: 'ali', locale: localeOf('en') });

describe('an action', () => {
  test.each<[ChatAction, object | null]>([
    [{ kind: 'halt' }, { reason: sentence('by-chat', { person: 'ali' }) }],
    [{ kind: 'resume' }, null],
    [{ kind: 'pause', strategy: 'grid' }, null],
    [{ kind: 'resume-one', strategy: 'grid' }, null],
  ])('%j waits for the bot where none runs', async (action, halted) => {
    expect(await act(action)).toContain('No bot has taken it yet');
    const client = new ControlClient(folder);
    if (halted === null) expect(client.isHalted()).toBeNull();
    else expect(client.isHalted()).toMatchObject(halted);
    client.close();
  });

  test('says why it was not done', async () => {
    rmSync(folder, { recursive: true, force: true });
    const unusable = carryOut(
      { kind: 'halt' },
      {
        dataFolder: '/dev/null/x',
        by: 'ali',
        locale: localeOf('en'),
      },
    );
    expect(await unusable).toMatch(/^NOT done: /);
  });
});

describe('the API of Telegram', () => {
  test('gives updates from an offset on, and takes answers with their markup escaped', async () => {
    const server = new ChatServer(() => ACCEPTED);
    const apiRoot = await server.listen();
    const chat = createTelegramChat({ kind: 'telegram', token: '1:a-secret-token', apiRoot, proxy: null });
    const update = { update_id: 9, message: { message_id: 1 } };
    server.answers({ status: 200, body: { ok: true, result: [update] } });
    expect(await chat.updates(9, new AbortController().signal)).toEqual([update]);
    expect(server.seen[0]?.body).toMatchObject({ offset: 9 });
    await chat.reply(5, { lines: ['<b>', 'x'], buttons: [[{ label: 'a', data: 'b' }]] });
    expect(server.seen[1]?.body).toMatchObject({ chat_id: 5, text: '&lt;b&gt;\nx' });
    await chat.answerPress('c');
    server.answers({ status: 200, body: { ok: true, result: null } });
    await expect(chat.updates(9, new AbortController().signal)).rejects.toThrow(/without a list of updates/);
    server.answers(apiError(409, 'another one reads 1:a-secret-token'), apiError(400, '1:a-secret-token'));
    await expect(chat.updates(9, new AbortController().signal)).rejects.toThrow(
      /409: another one reads \[secret\]/,
    );
    expect(JSON.stringify(await chat.reply(5, { lines: ['x'], buttons: [] }))).toContain('[secret]');
    await chat.close();
    await server.close();
  });

  test('reads no more of a reply than one of the API can have', async () => {
    const server = new ChatServer(() => ACCEPTED);
    const apiRoot = await server.listen();
    const chat = createTelegramChat({ kind: 'bale', token: '1:a-secret-token', apiRoot, proxy: null });
    let sentBytes = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) {
          sentBytes += 65_536;
          yield Buffer.alloc(65_536, ' ');
        }
      })(),
    );
    server.answers({ status: 200, body: endless, headers: { 'content-type': 'application/json' } });
    await expect(chat.updates(9, new AbortController().signal)).rejects.toThrow(
      'the service answered 200 with more than 4194304 bytes',
    );
    expect(sentBytes).toBeLessThan(64 * 1_024 * 1_024);
    await chat.close();
    await server.close();
  });

  test('does not let an answer that hangs hold up what is said after it', async () => {
    const server = new ChatServer(() => 'hang');
    const apiRoot = await server.listen();
    const options = { kind: 'telegram', token: '1:a-secret-token', apiRoot, proxy: null } as const;
    const chat = createTelegramChat(options, 50);
    expect(await chat.reply(5, { lines: ['x'], buttons: [] })).toEqual({
      kind: 'retry',
      afterMs: null,
      problem: 'no answer within 0.05 s',
    });
    await chat.close();
    await server.close();
  });

  test('ends at once while it waits for updates', async () => {
    const server = new ChatServer(() => 'hang');
    const apiRoot = await server.listen();
    const chat = createTelegramChat({ kind: 'bale', token: '1:a-secret-token', apiRoot, proxy: null });
    const log: string[] = [];
    const waiting = listener({ api: chat, log: (level, text) => void log.push(`${level}: ${text}`) });
    waiting.begin();
    await expect.poll(() => server.seen.length).toBe(1);
    await waiting.end();
    expect(log).toEqual([]);
    await server.close();
  });
});
