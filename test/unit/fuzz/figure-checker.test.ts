import { describe, expect, test } from 'vitest';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { SAME_ID, type ExchangeTruth } from '../../../src/fuzz/checkers/exchange-truth.ts';
import { FigureChecker } from '../../../src/fuzz/checkers/figure-checker.ts';
import { fillRecord } from '../mirror/mirror-fixture.ts';

const START_MS = 1_700_000_000_000;
const MINUTE_MS = 60_000;

const book = (market: string, bid: string, ask: string): MirrorChange => ({
  kind: 'book',
  market,
  book: {
    bids: [[decimalText(bid), decimalText('1')]],
    asks: [[decimalText(ask), decimalText('1')]],
    updatedAtMs: null,
  },
});

/** A purchase of two coins for 196, of which the exchange takes one percent. */
const BOUGHT: MirrorChange = {
  kind: 'fill',
  fill: fillRecord({
    market: 'BTCUSDT',
    strategy: 'one',
    amount: parseUnits('2'),
    price: parseUnits('98'),
    total: parseUnits('196'),
    fee: parseUnits('0.02'),
  }),
};

const figure = (name: string, value: string): MirrorChange => ({
  kind: 'figure',
  figure: { name, atMs: START_MS, value },
});

const truth = (usdt: string): ExchangeTruth => ({
  orders: [],
  fills: [],
  balances: new Map([['usdt', { total: parseUnits(usdt), held: 0n }]]),
});

/** Returns the findings when one run writes these changes, a minute apart. */
function judge(changes: readonly MirrorChange[], money = '804', mustAgree = true): readonly string[] {
  const checker = new FigureChecker({
    instance: 'bot',
    idBehind: SAME_ID,
    mirrorPath: '/nowhere',
    count: () => undefined,
    truth: () => ({ truth: truth(money), mustAgree }),
  });
  const life = {};
  for (const [minute, change] of changes.entries()) {
    const output = { changes: [change], isDurable: false, requests: [], notices: [], wakeAtMs: 0 };
    checker.watch(life, output, START_MS + minute * MINUTE_MS);
  }
  const last = checker.lastEquity;
  return [
    ...checker.violations().map(({ message }) => message),
    ...(last === null || mustAgree ? [] : [`last: ${last}`]),
  ];
}

const SEEN = [book('BTCUSDT', '99', '101'), BOUGHT];

describe('the checker of figures', () => {
  test('agrees with the plain sum of a strategy, of all, and of the wallets with the coins', () => {
    // 1.98 coins at 100, less the 196 that they cost.
    const right = [
      ...SEEN,
      figure('profit/one/usdt', '2'),
      figure('profit/two/usdt', '0'),
      figure('profit/usdt', '2'),
      figure('equity/usdt', '1002'),
    ];
    expect(judge(right)).toEqual([]);
  });

  test.each([
    ['a profit', figure('profit/one/usdt', '2.02'), 'expected profit/one/usdt to be 2 at'],
    ['a profit of another strategy', figure('profit/two/usdt', '2'), 'expected profit/two/usdt to be 0 at'],
    ['an equity', figure('equity/usdt', '1000'), 'expected equity/usdt to be 1002 at'],
  ])('finds %s that is wrong', (_, wrong, message) => {
    expect(judge([...SEEN, wrong])).toEqual([expect.stringContaining(message)]);
  });

  test('finds a value where the last price is too old', () => {
    const nothing = Array.from({ length: 10 }, () => figure('budget/x', '1/2'));
    expect(judge([...SEEN, ...nothing, figure('profit/one/usdt', '2')])).toEqual([
      expect.stringContaining('expected no profit/one/usdt while something held has no price, was 2'),
    ]);
  });

  test('judges only the last equity where money has moved that no trade explains', () => {
    const wrong = figure('equity/usdt', '7');
    expect(judge([...SEEN, wrong], '804', false)).toEqual([
      expect.stringContaining('last: expected equity/usdt to be 1002 at'),
    ]);
    expect(judge([...SEEN, wrong, figure('equity/usdt', '1002')], '804', false)).toEqual([]);
  });
});
