import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { describe, expect, test } from 'vitest';
import type { AlertFacts, PeriodFigures, Alert, NoteKind } from '../../../../src/alerts/core/alert-facts.ts';
import { alertText, breakMarkdown, escapeMarkdown, tamed } from '../../../../src/alerts/alert-text.ts';
import { messageText } from '../../../../src/alerts/text/message-text.ts';
import { withoutDirectionMarks } from '../../../../src/language/isolate.ts';
import { localeOf } from '../../../../src/language/locale.ts';
import { NOON_MS, openAlert, WAITING } from '../core/snapshot-fixture.ts';
import { readEnglish } from '../../../support/facts-of-english.ts';

const ENGLISH = localeOf('en');
const PERSIAN = localeOf('fa');

const FIGURES: PeriodFigures = {
  fromMs: NOON_MS - 86_400_000,
  toMs: NOON_MS,
  equity: [{ currency: 'rls', now: '12345678', change: '-1200', drawdown: 0.034, points: [3, 1, 2] }],
  trades: 1,
  fees: [{ currency: 'usdt', amount: '1.239' }],
  lockouts: 2,
};

/** Facts of every rule, each with a part of its English text. */
const FACTS: readonly (readonly [AlertFacts, string])[] = [
  [{ rule: 'lockout', budget: 'orders/add', endsAtMs: NOON_MS }, 'until 2026-01-05 12:00'],
  [{ rule: 'lockout', budget: 'orders/add', endsAtMs: null }, 'Locked out of orders/add'],
  [{ rule: 'credential', name: 'the token', advice: 'make a new one' }, 'make a new one'],
  [{ rule: 'unknown-order', order: 'bot-1', strategy: 'grid', market: 'BTCIRT', sinceMs: NOON_MS }, 'bot-1'],
  [{ rule: 'break', rows: [{ currency: 'btc', expected: '1.5', found: '1' }] }, 'BTC: expected 1.5, found 1'],
  [{ rule: 'no-orders', reason: 'it is said twice' }, 'No new orders are placed until this is over: it is'],
  [
    { rule: 'refused', strategy: 'grid', market: 'BTCIRT', code: 'BadPrice' },
    'Orders of the strategy grid in BTCIRT were refused three times alike: BadPrice',
  ],
  [{ rule: 'risk-limit', strategy: 'grid', reason: 'why' }, 'The strategy grid can take no new risk: why'],
  [
    { rule: 'standstill', market: 'BTCIRT', reason: 'why' },
    'No order goes to a market until it moves again: why',
  ],
  [{ rule: 'halted', reason: 'news\nand more' }, 'Trading is halted: news and more'],
  [{ rule: 'approval', ...WAITING }, 'i3f waits for you until 2026-01-05 12:00: grid buys in BTCIRT'],
  [
    {
      rule: 'approval',
      ...WAITING,
      amount: decimalText('0.01'),
      outcome: { kind: 'approved', by: 'ali', reason: null },
    },
    'i3f was approved (ali): grid buys in BTCIRT by place, about 0.01 BTC, for 600,000,000 rial, at 60,000,000,000 rial at most',
  ],
  [
    { rule: 'approval', ...WAITING, outcome: { kind: 'refused', by: 'ali', reason: 'the price has left' } },
    'i3f was approved, and did not begin (ali): grid wanted to buy in BTCIRT by place, for 600,000,000 rial, at 60,000,000,000 rial at most: the price has left',
  ],
  [
    { rule: 'approval', ...WAITING, outcome: { kind: 'expired', by: null, reason: null } },
    'i3f has expired: grid wanted',
  ],
  [{ rule: 'no-data', feed: null, readAtMs: null }, 'Nothing was read'],
  [{ rule: 'no-data', feed: null, readAtMs: NOON_MS }, 'the last was at 2026-01-05 12:00'],
  [{ rule: 'no-data', feed: 'book BTCIRT', readAtMs: NOON_MS }, 'book BTCIRT is not read'],
  [{ rule: 'no-data', feed: 'book BTCIRT', readAtMs: null }, 'book BTCIRT was not read yet'],
  [{ rule: 'drawdown', currency: 'rls', share: 0.123, limit: 0.1 }, '12.3% below its peak; the limit is 10%'],
  [{ rule: 'daily-loss', currency: 'usdt', share: 0.06, limit: 0.05 }, 'fell by 6% today'],
  [
    { rule: 'unprotected', strategy: 'grid', market: 'BTCIRT', asset: 'btc', amount: '0.5', reason: null },
    '0.5 BTC of grid in BTCIRT have no exit',
  ],
  [
    {
      rule: 'unprotected',
      strategy: 'grid',
      market: 'BTCIRT',
      asset: 'btc',
      amount: '0.5',
      reason: 'MinStop',
    },
    ': MinStop',
  ],
  [
    {
      rule: 'unclear',
      of: { strategy: 'grid', market: 'BTCIRT' },
      why: 'exit-canceled',
      asset: 'btc',
      amount: '0.5',
    },
    'Somebody else canceled the exit of 0.5 BTC of grid in BTCIRT',
  ],
  [
    { rule: 'unclear', of: null, why: 'coins-left', asset: 'btc', amount: '0.5' },
    'Strategies hold 0.5 BTC more than the account has',
  ],
  [{ rule: 'strategy', strategy: 'grid', status: 'paused', reason: 'threw' }, 'failed and pauses: threw'],
  [{ rule: 'strategy', strategy: 'grid', status: 'stopped', reason: 'threw' }, 'is stopped: threw'],
  [{ rule: 'disk', freeBytes: 123_456_789, fault: null }, '123 MB left'],
  [{ rule: 'disk', freeBytes: 1, fault: 'it is full' }, 'can not be written: it is full'],
  [{ rule: 'clock', aheadMs: 20_000 }, '20s ahead'],
  [{ rule: 'clock', aheadMs: -20_000 }, '20s behind'],
  [{ rule: 'new-device' }, 'a new device'],
  [
    {
      rule: 'big-fill',
      strategy: 'grid',
      market: 'BTCIRT',
      side: 'buy',
      amount: '0.01',
      price: '60000000000',
      value: '600000000',
      currency: 'rls',
    },
    'Bought 0.01 BTC in BTCIRT for 600,000,000 rial, at 60,000,000,000 rial',
  ],
  [
    { rule: 'shadow', shadow: 'grid-2', strategy: 'grid', currency: 'rls', ahead: '-5000000' },
    'The shadow grid-2 has earned 5,000,000 rial less than grid',
  ],
  [{ rule: 'silent', lastSignMs: null }, 'nothing down yet'],
  [
    { rule: 'silent', lastSignMs: NOON_MS },
    'at 2026-01-05 12:00; its open orders stay at the exchange and can fill',
  ],
  [{ rule: 'outbox', reason: 'disk full' }, 'in memory only'],
  [{ rule: 'test' }, 'This is a test'],
  [{ rule: 'summary', period: 'day', figures: FIGURES }, 'The day until 2026-01-05 12:00'],
];

const alert = (facts: AlertFacts, over: Partial<Alert> = {}): Alert =>
  openAlert({ id: 3, key: 'k', facts, ...over });

const messageOf = (
  items: readonly (readonly [NoteKind, Alert])[],
  { more = 0, locale = ENGLISH, isWatchdog = false } = {},
): ReturnType<typeof messageText> =>
  messageText(
    {
      id: 17,
      channel: 'c',
      plan: {
        severity: 'critical',
        items: items.map(([kind, one]) => ({ kind, alert: one })),
        more,
        noteIds: [],
      },
      madeAtMs: NOON_MS + 90_000,
      tries: 0,
      nextAtMs: 0,
    },
    { bot: 'bot', locale, isWatchdog },
  );

const HALTED: AlertFacts = { rule: 'halted', reason: 'news' };

test('a watchdog has ids of its own, and no buttons that the bot would answer', () => {
  const ofBot = messageOf([['opened', alert(HALTED)]]);
  expect(ofBot).toMatchObject({ id: 'bot-17', title: expect.stringContaining('#3 ') });
  expect(ofBot.buttons).not.toEqual([]);
  expect(messageOf([['opened', alert(HALTED)]], { isWatchdog: true })).toMatchObject({
    id: 'bot-watchdog-17',
    title: expect.stringContaining('#w3 '),
    buttons: [],
  });
});

/** Returns facts as the bot stores them: texts of the bot itself become sentence records. */
const inSentences = (facts: AlertFacts): AlertFacts =>
  JSON.parse(JSON.stringify(facts), (name, value: unknown) =>
    typeof value === 'string' && !['rule', 'feed'].includes(name) ? readEnglish(value) : value,
  ) as AlertFacts;

describe('the text of an alert', () => {
  test.each<[AlertFacts, string]>([
    [{ rule: 'halted', reason: 'by ali by chat' }, 'معامله متوقف است: از طرف ali در گفت‌وگو'],
    [
      {
        rule: 'risk-limit',
        strategy: 'grid',
        reason:
          'the loss of the day is 1012000000 RLS, above the limit of 1000000000 RLS; only orders that reduce the position pass until 00:00 UTC',
      },
      'استراتژی grid نمی‌تواند ریسک تازه بگیرد: زیان امروز',
    ],
    [{ rule: 'silent', lastSignMs: NOON_MS }, 'سفارش‌های باز آن در صرافی می‌ماند و ممکن است معامله شود'],
    [{ rule: 'halted', reason: 'the bank is shut' }, 'معامله متوقف است: the bank is shut'],
    [
      { rule: 'disk', freeBytes: 1, fault: 'the disk was full, so only cancels are written' },
      'دیسک پر شد و فقط لغو سفارش‌ها نوشته می‌شود',
    ],
    [{ rule: 'no-data', feed: 'book BTCIRT', readAtMs: null }, 'دفتر سفارش‌های BTCIRT'],
    [
      { rule: 'strategy', strategy: 'grid', status: 'paused', reason: 'RangeError: too deep' },
      'RangeError: too deep',
    ],
  ])('%j has the words of the bot in Persian, and those of people as they are', (facts, text) => {
    expect(withoutDirectionMarks(alertText(inSentences(facts), PERSIAN))).toContain(text);
  });

  test.each(FACTS)('%j says what happened', (facts, text) => {
    expect(alertText(facts, ENGLISH)).toContain(text);
  });

  test.each(FACTS)('%j is said in Persian, with Persian digits and every place filled', (facts) => {
    const text = withoutDirectionMarks(alertText(facts, PERSIAN));
    expect(text).toMatch(/[\u0600-\u06FF]{2}/);
    expect(text).not.toMatch(/[{}]/);
    // English words and foreign ids keep Latin digits; our own counts get Persian ones.
    if (facts.rule === 'drawdown') expect(text).toContain('۱۲٫۳');
    if (facts.rule === 'clock') expect(text).toContain('۲۰ ثانیه');
    if (facts.rule === 'summary') expect(text).toContain('۱۴۰۴/۱۰/۱۵');
  });

  test('sums a day up', () => {
    expect(
      alertText({ rule: 'summary', period: 'day', figures: FIGURES }, ENGLISH).split('\n').slice(1),
    ).toEqual([
      'Equity: 12,345,678 rial, -1,200 rial',
      'Worst fall: 3.4%',
      '1 trade',
      'Fees: 1.24 USDT',
      '2 lockouts',
    ]);
  });
});

describe('a message', () => {
  test('of one alert has it as its title, and says its id', () => {
    expect(messageOf([['opened', alert(HALTED)]])).toMatchObject({
      id: 'bot-17',
      title: 'bot: 🔴 #3 Trading is halted: news',
      lines: [],
      footer: 'message bot-17, 2026-01-05 12:01:30',
      picture: null,
      buttons: [[{ label: 'Acknowledge #3', data: 'ack:3' }], [{ label: 'Mute 1 h', data: 'mute:60' }]],
    });
  });

  test('on an entry that waits has buttons to decide', () => {
    const { buttons } = messageOf([['opened', alert({ rule: 'approval', ...WAITING })]]);
    expect(buttons[0]).toEqual([
      { label: 'Approve i3f', data: 'approve:i3f' },
      { label: 'Decline i3f', data: 'decline:i3f' },
    ]);
    expect(buttons).toHaveLength(3);
  });

  test('of several alerts counts them, and those that it does not name', () => {
    const warning = alert({ rule: 'test' }, { id: 4, severity: 'warning' });
    expect(
      messageOf(
        [
          ['opened', alert(HALTED)],
          ['reminder', warning],
        ],
        { more: 12 },
      ),
    ).toMatchObject({
      title: '🔴 bot: 14 alerts',
      lines: [
        '🔴 #3 Trading is halted: news',
        '🟠 #4 Still, for 1m 30s: This is a test. Alerts of this bot arrive here',
        'and 12 more',
      ],
    });
  });

  test('says of what is over how long it was, and offers nothing', () => {
    const over = alert(HALTED, { endedAtMs: NOON_MS + 60_000 });
    const message = messageOf([['ended', over]]);
    expect(message.title).toBe('bot: ✅ #3 Over after 1m: Trading is halted: news');
    expect(message.buttons).toEqual([]);
  });

  test('has a picture of equity in a summary', () => {
    const { title, lines, picture } = messageOf([
      ['opened', alert({ rule: 'summary', period: 'week', figures: FIGURES }, { endedAtMs: NOON_MS })],
    ]);
    expect(title).toContain('The week until');
    expect(lines).toContain('1 trade');
    expect(picture?.subarray(1, 4).toString()).toBe('PNG');
  });

  test('is said in Persian', () => {
    const { title, footer } = messageOf([['opened', alert(HALTED)]], { locale: PERSIAN });
    expect(withoutDirectionMarks(title)).toContain('معامله متوقف است: news');
    expect(withoutDirectionMarks(footer)).toContain('۱۴۰۴/۱۰/۱۵ ۱۲:۰۱:۳۰');
  });
});

describe('texts of elsewhere', () => {
  test('lose what would break a line or turn the direction, and their tail', () => {
    expect(tamed('a\n\u0000b\u202Ec')).toBe('a bc');
    expect(tamed('\u2067a\u2069\u2066b\u2068c')).toBe('abc');
    expect(tamed('x'.repeat(600))).toHaveLength(500);
    expect(tamed(`x${'🔴'.repeat(300)}`).isWellFormed()).toBe(true);
    expect(tamed('a\uD83D').isWellFormed()).toBe(true);
  });

  test('are no markup', () => {
    expect(escapeMarkdown('*a* [b](c)')).toBe(String.raw`\*a\* \[b\]\(c\)`);
    expect(breakMarkdown('*a*')).toBe('*\u2060a*\u2060');
  });
});
