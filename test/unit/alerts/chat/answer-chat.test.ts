import { describe, expect, test } from 'vitest';
import { answerChat, type ChatAnswer } from '../../../../src/alerts/chat/answer-chat.ts';
import { readUpdate, type ChatEvent, type ChatView } from '../../../../src/alerts/chat/chat-update.ts';
import { beginsText } from '../../../../src/budget/trading-begins.ts';
import { sentence } from '../../../../src/language/sentence.ts';
import { withoutDirectionMarks } from '../../../../src/language/isolate.ts';
import { localeOf } from '../../../../src/language/locale.ts';
import { NOON_MS, WAITING } from '../core/snapshot-fixture.ts';
import { botSeen } from './chat-fixture.ts';

const message = (text: string, over: object = {}): unknown => ({
  update_id: 1,
  message: { from: { id: 7, first_name: 'Ali' }, chat: { id: 5 }, date: NOON_MS / 1_000, text, ...over },
});

const press = (data: string): unknown => ({
  update_id: 1,
  callback_query: { id: 'c', from: { id: 7, username: 'ali' }, data, message: { chat: { id: 5 } } },
});

const answer = (
  given: unknown,
  {
    view = botSeen(),
    nowMs = NOON_MS,
    language = 'en',
  }: { view?: ChatView; nowMs?: number; language?: 'en' | 'fa' } = {},
): ChatAnswer => {
  let marks = 0;
  return answerChat(readUpdate(given) as ChatEvent, {
    view,
    nowMs,
    locale: localeOf(language),
    drawMark: () => `m${(marks += 1)}`,
  });
};

describe('an update', () => {
  test('is a command with its argument, also in a group and with Persian digits', () => {
    expect(readUpdate(message('/Mute@our_bot  ۳۰ '))).toMatchObject({
      kind: 'command',
      name: 'mute',
      argument: '30',
      userId: 7,
      userName: 'Ali',
    });
    expect(readUpdate(message('hello'))).toMatchObject({ kind: 'command', name: '' });
  });

  test.each([null, 5, {}, { update_id: 1 }, { update_id: 1, message: { chat: { id: 1 } } }])(
    '%j is nothing that a person said',
    (given) => {
      expect(readUpdate(given)).toBeNull();
    },
  );

  test('gives a name that is safe to be written down', () => {
    const from = { id: 7, first_name: '<b>A\n' };
    expect(readUpdate(message('/help', { from }))).toMatchObject({ userName: 'bA' });
    expect(readUpdate(message('/help', { from: { id: 7 } }))).toMatchObject({ userName: '7' });
  });
});

describe('an entry that waits', () => {
  const other = { ...WAITING, id: 'i9', value: null, bound: null };
  const view = botSeen({ approvals: [WAITING, other] });

  test.each<['en' | 'fa', string]>([
    [
      'en',
      'i3f waits for you until 2026-01-05 12:00: grid buys in BTCIRT by place, for 600,000,000 rial, at 60,000,000,000 rial at most',
    ],
    [
      'fa',
      'i3f تا ۱۴۰۴/۱۰/۱۵ ۱۲:۰۰ منتظر شماست: استراتژی grid در BTCIRT با سفارش می‌خرد، به ارزش ۶۰۰٬۰۰۰٬۰۰۰ ریال، حداکثر با قیمت ۶۰٬۰۰۰٬۰۰۰٬۰۰۰ ریال',
    ],
  ])('is shown with its terms, and two buttons: %s', (language, line) => {
    const { lines, buttons } = answer(message('/approve'), { view, language });
    expect(withoutDirectionMarks(lines[0] ?? '')).toBe(line);
    expect(buttons.map((row) => row.map(({ data }) => data))).toEqual([
      ['approve:i3f', 'decline:i3f'],
      ['approve:i9', 'decline:i9'],
    ]);
  });

  test('is asked for once more where its id is typed, and is decided by one tap on its message', () => {
    expect(answer(message('/decline i3f'), { view }).asks).toMatchObject([
      { action: { kind: 'decline', entry: 'i3f' } },
    ]);
    expect(answer(press('approve:i3f')).does).toEqual({
      kind: 'act',
      action: { kind: 'approve', entry: 'i3f' },
    });
    expect(answer(press('approve:../i3f')).does).toEqual({ kind: 'nothing' });
    expect(answer(message('/approve i7'), { view }).lines).toEqual(['No such entry waits for an approval']);
    expect(answer(message('/status'), { view }).lines).toContain('2 entries wait: /approve');
  });
});

describe('a question by chat', () => {
  test.each([
    [
      '/status',
      ['The bot runs', 'It may trade', 'grid: runs', 'dip: paused by hand: *news*', '1 open order'],
    ],
    ['/profit', ['grid: +120,000 rial, of it realised unknown']],
    ['/positions', ['grid: 0.5 BTC']],
    ['/orders', ['sell 0.1 BTCIRT at 60,000,000,000 rial, grid']],
    ['/why grid', ['12:00:00 grid: order BTCIRT: refused, over the limit']],
    ['/why', ['12:00:00 grid: order BTCIRT: refused, over the limit']],
    ['/why dip ETHIRT', ['No decisions of dip yet']],
    ['/why nobody', ['There is no strategy nobody. This bot has: grid, dip']],
    ['/budget', ['orders/add: 3 of 60', 'orders/list: LOCKED OUT']],
    ['/locks', ['night of everything, until 2026-01-05 12:00: hours']],
    ['/help', ['/status']],
    ['/dance', ['/help lists them']],
    ['hello', ['/help lists them']],
  ])('%s is answered', (text, lines) => {
    const given = answer(message(text));
    for (const line of lines) expect(given.lines.join('\n')).toContain(line);
    const [, strategy, market = null] = /^\/why (grid|dip)(?: (\w+))?/.exec(text) ?? [];
    expect(given.does).toEqual(
      strategy === undefined ? { kind: 'nothing' } : { kind: 'explain', strategy, market },
    );
    const persian = answer(message(text), { language: 'fa' });
    expect(withoutDirectionMarks(persian.lines.join())).toMatch(/[\u0600-\u06FF]/);
  });

  test('names locks in the language of the reader', () => {
    const lock = { name: 'cooldown', of: null, reason: 'news', endsAtMs: null };
    const view = botSeen({ locks: [lock] });
    expect(answer(message('/locks'), { view }).lines.join()).toContain('cooldown of everything');
    const persian = answer(message('/locks'), { view, language: 'fa' }).lines.join();
    expect(persian).toContain('استراحت پس از معامله');
    expect(persian).not.toContain('cooldown');
  });

  test('is answered of a bot that is silent, halted, or has nothing yet', () => {
    const halt = { reason: 'news', sinceMs: NOON_MS };
    const text = answer(message('/status'), {
      view: botSeen({ halt, books: 'broken' }, { isSilent: true, mutedUntilMs: NOON_MS, strangers: 3 }),
    }).lines.join('\n');
    expect(text).toContain('The bot is silent; its last sign of life was at 2026-01-05 12:00');
    expect(text).toContain('HALTED since 2026-01-05 12:00: news');
    expect(text).toContain('BREAK');
    expect(text).toContain('3 messages of strangers were not answered');
    expect(text).toContain('Muted until');
    const kept = answer(message('/status'), { view: botSeen({ noOrders: 'it is said twice' }) }).lines;
    expect(kept).toContain('NO NEW ORDERS until this is over: it is said twice');
    expect(kept).not.toContain('It may trade');
    const none = botSeen({}, { bot: null });
    for (const command of ['/orders', '/pause', '/resume', '/why'])
      expect(answer(message(command), { view: none }).lines).toEqual(['This bot has stored nothing yet']);
  });

  test.each<['en' | 'fa', string]>([
    [
      'en',
      'No new order can leave yet: trading can begin in 542 s, by the ledger: what was sent before is not known, so the limit of orders/add counts as used up',
    ],
    [
      'fa',
      'هنوز سفارش تازه‌ای فرستاده نمی‌شود: طبق شمارش درخواست‌ها، معامله ۹ دقیقه و ۲ ثانیه دیگر می‌تواند آغاز شود: معلوم نیست پیش‌تر چه فرستاده شده است، پس سقف orders/add پر فرض می‌شود',
    ],
  ])('about a bot whose ledger makes orders wait does not say that it may trade: %s', (language, line) => {
    const waitsFor = beginsText({ waitMs: 541_200, latestMs: 541_200, budget: 'orders/add', why: 'unknown' });
    const { lines } = answer(message('/status'), { view: botSeen({}, { waitsFor }), language });
    expect(lines.map((text) => withoutDirectionMarks(text))).toContain(line);
    expect(lines.join()).not.toMatch(/It may trade|می‌تواند معامله کند/);
  });

  test.each<['en' | 'fa', string]>([
    ['en', 'The halt is still canceling: 3 cancels wait for the answer of the exchange'],
    ['fa', 'توقف هنوز در حال لغو سفارش‌هاست: ۳ لغو منتظر پاسخ صرافی است'],
  ])('about a bot whose halt waits says what for: %s', (language, line) => {
    const haltWait = sentence('cancels-wait-answers', { count: 3 });
    const { lines } = answer(message('/status'), { view: botSeen({}, { haltWait }), language });
    expect(lines.map((text) => withoutDirectionMarks(text))).toContain(line);
  });

  test('that is older than two minutes is not done, and says so', () => {
    const late = answer(message('/halt'), { nowMs: NOON_MS + 121_000 });
    expect(late).toMatchObject({ asks: [], buttons: [] });
    expect(late.lines[0]).toBe('That was 2m 1s ago, so it was not done. Send it again if you still want it');
    expect(answer(message('/halt'), { nowMs: NOON_MS + 120_000 }).asks).toHaveLength(1);
  });
});

describe('a command by chat', () => {
  test('halts with two taps: the button of the status, and its yes', () => {
    const go = answer(message('/status')).buttons[0]?.[0]?.data ?? '';
    const asked = answer(press(go));
    expect(asked.lines).toEqual(['Halt trading and cancel 1 open order? It holds until you resume']);
    expect(asked.asks).toEqual([{ mark: 'm1', action: { kind: 'halt' } }]);
    expect(asked.buttons[0]?.map(({ data }) => data)).toEqual(['yes:m1', 'no:m1']);
    expect(answer(press('yes:m1')).does).toEqual({ kind: 'confirm', mark: 'm1' });
    expect(answer(press('no:m1'))).toMatchObject({ lines: ['Nothing was done'], does: { kind: 'drop' } });
  });

  test.each([
    ['en', 'Resume', 'grid: halted', 'grid: runs', 'Let it trade again?'],
    ['fa', 'از سرگیری', 'grid: متوقف', 'grid: در حال کار', 'دوباره معامله کند؟'],
  ] as const)(
    'resumes with the button of the status while it is halted, which says of no strategy that it runs: %s',
    (language, label, halted, runs, question) => {
      const view = botSeen({ halt: { reason: 'news', sinceMs: NOON_MS } });
      const { lines, buttons } = answer(message('/status'), { view, language });
      const text = withoutDirectionMarks(lines.join('\n'));
      expect(text).toContain(halted);
      expect(text).not.toContain(runs);
      expect(buttons).toEqual([[{ label, data: 'go:resume' }]]);
      const asked = answer(press('go:resume'), { view, language });
      expect(asked).toMatchObject({ lines: [question], asks: [{ action: { kind: 'resume' } }] });
    },
  );

  test('pauses and resumes one strategy, by name or by button', () => {
    expect(answer(message('/pause grid')).asks).toMatchObject([
      { action: { kind: 'pause', strategy: 'grid' } },
    ]);
    expect(answer(message('/pause')).buttons).toMatchObject([[{ label: 'Pause grid', data: 'yes:m1' }]]);
    expect(answer(message('/resume')).asks).toMatchObject([
      { action: { kind: 'resume-one', strategy: 'dip' } },
    ]);
    expect(answer(message('/resume dip')).lines).toEqual(['Let dip decide again?']);
    expect(answer(message('/pause other')).lines).toEqual([
      'There is no strategy other. This bot has: grid, dip',
    ]);
    expect(answer(message('/resume other')).asks).toEqual([]);
  });

  test('ends a halt, and says where there is none', () => {
    const halted = botSeen({ halt: { reason: 'x', sinceMs: 1 } });
    expect(answer(message('/resume'), { view: halted }).asks).toMatchObject([{ action: { kind: 'resume' } }]);
    const view = botSeen({ strategies: [] });
    expect(answer(message('/resume'), { view }).lines).toEqual(['Nothing is halted or paused']);
  });

  test('mutes for minutes, and acknowledges', () => {
    expect(answer(message('/mute 30')).does).toEqual({ kind: 'mute', untilMs: NOON_MS + 1_800_000 });
    expect(answer(message('/mute')).does).toEqual({ kind: 'mute', untilMs: NOON_MS + 3_600_000 });
    expect(answer(message('/mute 0'))).toMatchObject({
      does: { untilMs: 0 },
      lines: ['Everything is said again'],
    });
    expect(answer(message('/mute soon')).does).toEqual({ kind: 'nothing' });
    expect(answer(press('mute:60')).does).toMatchObject({ kind: 'mute' });
    expect(answer(press('ack:12')).does).toEqual({ kind: 'acknowledge', id: 12 });
    expect(answer(press('ack:x')).lines).toEqual(['That question is over. Send the command again']);
  });
});
