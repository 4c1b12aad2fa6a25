import { describe, expect, test } from 'vitest';
import {
  type AlertSnapshot,
  type NewFill,
  type RuleSettings,
  type Alert,
  type AlertCondition,
  channelsFor,
  ABSENT_FOR_MS,
  trackAlerts,
  type AlertChange,
} from '../../../../src/alerts/core/alert-facts.ts';
import { judgeSnapshot } from '../../../../src/alerts/core/judge-snapshot.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { NOON_MS, RULES, wellSnapshot, openAlert as alert } from './snapshot-fixture.ts';

const SETTINGS = { escalateAfterMs: 600_000, lastStep: 2, remindEveryMs: 3_600_000 } as const;

const halted: AlertCondition = {
  key: 'halted',
  severity: 'critical',
  facts: { rule: 'halted', reason: 'by hand' },
  sinceMs: NOON_MS,
};

const track = (
  open: readonly Alert[],
  conditions: readonly AlertCondition[],
  afterMs = 0,
  waiting = new Map<string, number>(),
): readonly AlertChange[] => trackAlerts({ open, conditions, waiting }, SETTINGS, NOON_MS + afterMs);

describe('trackAlerts', () => {
  test('opens what is new, and leaves alone what is known', () => {
    expect(track([], [halted])).toEqual([{ kind: 'open', condition: halted }]);
    expect(track([alert()], [halted])).toEqual([]);
  });

  test('ends what has not held for a while, at the time when it ceased', () => {
    expect(track([alert()], [], 5)).toEqual([{ kind: 'absent', id: 1, sinceMs: NOON_MS + 5 }]);
    const absent = alert({ absentSinceMs: NOON_MS + 5 });
    expect(track([absent], [], ABSENT_FOR_MS)).toEqual([]);
    expect(track([absent], [], ABSENT_FOR_MS + 5)).toEqual([{ kind: 'end', id: 1, atMs: NOON_MS + 5 }]);
  });

  test('ends what is said to be over at once, with the facts of its end, and opens nothing for it', () => {
    const facts = { rule: 'halted', reason: 'over' } as const;
    const over = { ...halted, facts, sinceMs: NOON_MS + 3, isOver: true } as const;
    expect(track([alert()], [over], 5)).toEqual([{ kind: 'end', id: 1, atMs: NOON_MS + 3, facts }]);
    expect(track([], [over])).toEqual([]);
  });

  test('takes what holds again for the same alert', () => {
    const absent = alert({ absentSinceMs: NOON_MS });
    expect(track([absent], [halted], 5)).toEqual([{ kind: 'absent', id: 1, sinceMs: null }]);
  });

  test('waits with what must hold for a while, and begins anew where it did not', () => {
    const slow = { ...halted, forMs: 1_000 };
    const waiting = new Map<string, number>();
    expect(track([], [slow], 0, waiting)).toEqual([]);
    expect(track([], [slow], 999, waiting)).toEqual([]);
    expect(track([], [], 1_000, waiting)).toEqual([]);
    expect(track([], [slow], 1_100, waiting)).toEqual([]);
    expect(track([], [slow], 2_100, waiting)).toEqual([{ kind: 'open', condition: slow }]);
    expect(waiting.size).toBe(0);
  });

  test('escalates what nobody has acknowledged, up to the last step, and then reminds', () => {
    expect(track([alert()], [halted], 600_000)).toEqual([{ kind: 'escalate', id: 1, step: 2 }]);
    const last = alert({ step: 2 });
    expect(track([last], [halted], 3_599_999)).toEqual([]);
    expect(track([last], [halted], 3_600_000)).toEqual([{ kind: 'remind', id: 1 }]);
    const acknowledged = alert({ acknowledgedAtMs: NOON_MS });
    expect(track([acknowledged], [halted], 9_000_000)).toEqual([]);
  });

  test('reminds of nothing that is a warning', () => {
    const warning = alert({ severity: 'warning', step: 2 });
    expect(track([warning], [{ ...halted, severity: 'warning' }], 9_000_000)).toEqual([]);
  });
});

describe('a clock that was set back by a day', () => {
  const DAY_MS = 86_400_000;

  test('escalates and reminds at once, as nobody knows for how long nobody has acknowledged', () => {
    expect(track([alert()], [halted], -DAY_MS)).toEqual([{ kind: 'escalate', id: 1, step: 2 }]);
    expect(track([alert({ step: 2 })], [halted], -DAY_MS)).toEqual([{ kind: 'remind', id: 1 }]);
  });

  test('changes nothing where it was put right by a second', () => {
    expect(track([alert()], [halted], -1_000)).toEqual([]);
  });

  test('ends what does not hold any more after the usual time', () => {
    const absent = alert({ absentSinceMs: NOON_MS });
    const sinceMs = NOON_MS - DAY_MS;
    expect(track([absent], [], -DAY_MS)).toEqual([{ kind: 'absent', id: 1, sinceMs }]);
    const anew = alert({ absentSinceMs: sinceMs });
    expect(track([anew], [], ABSENT_FOR_MS - DAY_MS)).toEqual([{ kind: 'end', id: 1, atMs: sinceMs }]);
  });

  test('opens what must hold for a while after that while', () => {
    const slow = { ...halted, forMs: 1_000 };
    const waiting = new Map([[slow.key, NOON_MS]]);
    expect(track([], [slow], -DAY_MS, waiting)).toEqual([]);
    expect(track([], [slow], 1_000 - DAY_MS, waiting)).toEqual([{ kind: 'open', condition: slow }]);
  });
});

describe('channelsFor', () => {
  const channels = [
    { name: 'phone', least: 'critical', step: 1 },
    { name: 'all', least: 'info', step: 1 },
    { name: 'boss', least: 'warning', step: 2 },
  ] as const;

  test.each([
    ['opened', 'critical', 1, ['phone', 'all']],
    ['opened', 'info', 1, ['all']],
    ['escalated', 'critical', 2, ['boss']],
    ['ended', 'critical', 2, ['phone', 'all', 'boss']],
    ['reminder', 'warning', 2, ['all', 'boss']],
  ] as const)('tells of what is %s with severity %s at step %i: %j', (kind, severity, step, names) => {
    expect(channelsFor({ kind, severity, step }, channels)).toEqual(names);
  });
});

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const ahead = (amount: string): AlertSnapshot['shadows'][number] => ({
  shadow: 'grid-2',
  strategy: 'grid',
  currency: 'rls',
  ahead: parseUnits(amount),
});

const fill = (total: string): NewFill => ({
  tradeId: '7',
  strategy: 'grid',
  market: 'BTCUSDT',
  side: 'sell',
  atMs: NOON_MS,
  price: parseUnits('100000'),
  amount: parseUnits('0.01'),
  total: parseUnits(total),
  currency: 'usdt',
});

const order = (ageMs: number): AlertSnapshot['unknownOrders'][number] => ({
  key: 'bot-1',
  strategy: 'grid',
  market: 'BTCIRT',
  sinceMs: NOON_MS - ageMs,
});

const equity = (...values: readonly number[]): AlertSnapshot['equity'] => [
  {
    currency: 'rls',
    values: values.map((value, index) => ({
      atMs: NOON_MS - (values.length - index) * HOUR_MS,
      value: parseUnits(String(value)),
    })),
  },
];

const row = (kind: string, subject: string, facts: object): AlertSnapshot['rows'] => [
  { seq: 5, atMs: NOON_MS - 10, kind, subject, json: JSON.stringify(facts) },
];

const stopped = (reason: string | null): AlertSnapshot['strategies'] => [
  { name: 'grid', status: 'stopped', reason, atMs: NOON_MS },
];

const keysOf = (over: Partial<AlertSnapshot>, rules: RuleSettings = RULES): readonly string[] =>
  judgeSnapshot(wellSnapshot(over), rules).map(({ key }) => key);

const again = (kind: string, subject: string, facts: unknown): AlertSnapshot['rows'] =>
  [3, 5].map((seq) => ({
    seq,
    atMs: NOON_MS - 10_000 + seq,
    kind,
    subject,
    json: JSON.stringify(facts),
  }));

describe('judgeSnapshot', () => {
  test('finds nothing in a bot that is well', () => {
    expect(keysOf({})).toEqual([]);
  });

  test.each<[string, Partial<AlertSnapshot>, readonly string[]]>([
    ['a lockout', { lockouts: [{ budget: 'orders/add', endsAtMs: null }] }, ['lockout orders/add']],
    ['a refused credential', { credential: { name: 'a', advice: 'b', sinceMs: 1 } }, ['credential']],
    [
      'a credential that was refused and is taken again',
      { rows: row('notice', 'credential', { refused: true }) },
      ['credential'],
    ],
    ['an unknown order for 10 minutes', { unknownOrders: [order(600_000)] }, ['unknown-order bot-1']],
    ['no alert of a younger one', { unknownOrders: [order(599_999)] }, []],
    ['a break', { break: { sinceMs: 1, rows: [] } }, ['break']],
    [
      'a break that was accepted since the last look',
      { rows: row('reconciliation', 'break', { why: 'x', rows: [] }) },
      ['break'],
    ],
    ['orders that the bot keeps back', { noOrders: 'the exchange contradicts itself' }, ['no-orders']],
    [
      'a limit on losses that lets no new risk pass',
      { lossLimits: [{ strategy: 'grid', reason: 'why', sinceMs: 1 }] },
      ['risk-limit grid'],
    ],
    [
      'one that is over',
      { rows: row('control', 'limit begun', { strategy: 'grid', reason: 'why' }) },
      ['risk-limit grid'],
    ],
    [
      'orders that were refused alike',
      {
        rows: row('notice', 'refused', { strategy: 'grid', market: 'BTCIRT', side: 'buy', code: 'BadPrice' }),
      },
      ['refused grid BTCIRT buy BadPrice'],
    ],
    [
      'a market that stands still',
      { standstills: [{ market: 'BTCIRT', reason: 'why', sinceMs: 1 }] },
      ['standstill BTCIRT'],
    ],
    ['a halt', { halt: { reason: 'by hand', sinceMs: 1 } }, ['halted']],
    ['a halt that is over', { rows: row('control', 'halt', { reason: 'by hand' }) }, ['halted']],
    ['no data at all', { lastReadMs: NOON_MS - 5 * MINUTE_MS }, ['no-data']],
    [
      'no data of one feed',
      { staleFeeds: [{ feed: 'book BTCIRT', readAtMs: NOON_MS - 6 * MINUTE_MS }] },
      ['no-data book BTCIRT'],
    ],
    ['a feed that is late by less', { staleFeeds: [{ feed: 'x', readAtMs: NOON_MS - MINUTE_MS }] }, []],
    ['a strategy that failed', { strategies: stopped('threw') }, ['strategy grid']],
    ['no alert of one that was stopped without a failure', { strategies: stopped(null) }, []],
    [
      'a strategy that failed and goes on',
      { rows: row('strategy', 'grid', { status: 'paused', reason: 'threw' }) },
      ['strategy grid'],
    ],
    ['a disk with little room', { freeBytes: 499_999_999 }, ['disk']],
    ['a disk that takes nothing', { diskFault: 'the mirror can not be written' }, ['disk']],
    ['a clock that is wrong', { clockAheadMs: -20_000 }, ['clock']],
    ['a new device', { device: 'b' }, ['new-device b']],
    ['no alert of the first device', { device: 'b', deviceBefore: null }, []],
    ['a large trade', { fills: [fill('1000')] }, ['big-fill 7 sell']],
    ['no alert of a smaller one', { fills: [fill('999.99')] }, []],
    ['a shadow that earns more', { shadows: [ahead('5000000')] }, ['shadow grid-2']],
    ['a shadow that earns less', { shadows: [ahead('-5000000')] }, ['shadow grid-2']],
    ['no alert of a small difference', { shadows: [ahead('-4999999')] }, []],
    ['a bot that is silent', { lastSignMs: NOON_MS - 120_000 }, ['silent']],
    ['a bot that never said anything', { lastSignMs: null }, ['silent']],
    ['a bot that is silent since the clock was set back', { lastSignMs: NOON_MS + 3_600_000 }, ['silent']],
    ['a clock that was just set back', { lastSignMs: NOON_MS + 3_600_000, watchedSinceMs: NOON_MS }, []],
    ['no alert of one that has just begun', { lastSignMs: null, watchedSinceMs: NOON_MS - 1 }, []],
    ['a fall from the peak', { equity: equity(80, 100, 90) }, ['drawdown rls']],
    ['no alert of a smaller fall', { equity: equity(80, 100, 91) }, []],
    // 13 hourly values up to 11:00; the first is of 23:00 of the day before, in Tehran.
    ['a loss of the day', { equity: equity(...Array<number>(12).fill(100), 95) }, ['daily-loss rls']],
    ['no alert of a loss of the day before', { equity: equity(100, ...Array<number>(12).fill(95)) }, []],
  ])('finds %s', (_, over, keys) => {
    expect(keysOf(over)).toEqual(keys);
  });

  test('counts what came, went and came again between two looks from the first moment on', () => {
    const rows = [
      ...again('strategy', 'grid', { status: 'paused', reason: 'threw' }),
      ...again('control', 'halt', { reason: 'news' }),
      ...again('reconciliation', 'break', { rows: [] }),
    ];
    const lastMs = NOON_MS - 10_000 + 5;
    for (const over of [
      { rows },
      { rows, halt: { reason: 'news', sinceMs: lastMs }, break: { sinceMs: lastMs, rows: [] } },
    ]) {
      const found = judgeSnapshot(wellSnapshot(over), RULES);
      expect(found.map(({ key, sinceMs }) => [key, sinceMs - NOON_MS])).toEqual(
        ['break', 'halted', 'strategy grid'].map((key) => [key, -9_997]),
      );
    }
  });

  test('keeps silent where every rule is off', () => {
    const off = Object.fromEntries(Object.keys(RULES).map((name) => [name, null])) as unknown as RuleSettings;
    const bad: Partial<AlertSnapshot> = {
      lockouts: [{ budget: 'a', endsAtMs: 1 }],
      credential: { name: 'a', advice: 'b', sinceMs: 1 },
      unknownOrders: [order(HOUR_MS)],
      break: { sinceMs: 1, rows: [] },
      noOrders: 'why',
      lossLimits: [{ strategy: 'a', reason: 'why', sinceMs: 1 }],
      standstills: [{ market: 'BTCIRT', reason: 'why', sinceMs: 1 }],
      halt: { reason: '', sinceMs: 1 },
      lastReadMs: null,
      lastSignMs: null,
      strategies: stopped('threw'),
      unprotected: [{ strategy: 'a', market: 'b', asset: 'c', amount: '1', reason: null }],
      unclear: [{ of: null, why: 'coins-left', asset: 'c', amount: '1', sinceMs: 1 }],
      freeBytes: 1,
      clockAheadMs: 20_000,
      device: 'b',
      fills: [fill('5000')],
      equity: equity(100, 1),
    };
    expect(judgeSnapshot(wellSnapshot(bad), off)).toEqual([]);
    expect(judgeSnapshot(wellSnapshot(bad), RULES)).toHaveLength(19);
  });

  test('passes over rows of the journal that it can not read', () => {
    const rows = ['{', 'null', '{"status":1}'].map((json, seq) => ({
      seq,
      atMs: 1,
      kind: 'strategy',
      subject: 'grid',
      json,
    }));
    expect(keysOf({ rows })).toEqual([]);
  });

  test('has an unprotected position hold for a while before it counts', () => {
    const unprotected = [{ strategy: 'a', market: 'BTCIRT', asset: 'btc', amount: '1', reason: null }];
    expect(judgeSnapshot(wellSnapshot({ unprotected }), RULES)).toMatchObject([{ forMs: 60_000 }]);
  });
});
