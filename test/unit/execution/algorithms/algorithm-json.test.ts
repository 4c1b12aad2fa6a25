import { describe, expect, test } from 'vitest';
import { algorithmFromJson, algorithmToJson } from '../../../../src/engine/algorithm-json.ts';
import {
  createAlgorithm,
  isAlgorithmIntent,
  type SizedAlgorithmIntent,
} from '../../../../src/engine/algorithms/algorithms.ts';
import type { Intent } from '../../../../src/strategy/intents.ts';
import { buy, cancel } from '../../../support/intents.ts';
import { plainOrder } from '../../../../src/engine/algorithms/algorithm-step.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { CREATED, orderOf, quotesOf } from './algorithm-table.ts';
import { english } from '../../../../src/language/sentence.ts';

const replaced = orderOf(plainOrder('buy', parseUnits('1'), parseUnits('99')), { key: 'old', state: 'open' });
const market = 'BTCUSDT';
const INTENTS: readonly SizedAlgorithmIntent[] = [
  quotesOf(['buy', '1@99', 'sell', '1@101.123']),
  { kind: 'replace', clientOrderId: 'id-old', price: '98' },
  { kind: 'target', market, position: '0.1234567891' },
  { kind: 'target', market, value: '500.5' },
  { kind: 'target', market, equityShare: '0.5', price: '99' },
  { kind: 'twap', market, side: 'buy', amount: '10', overMs: 1_000, slices: 7 },
  { kind: 'vwap', market, side: 'buy', amount: '10', overMs: 1_000, profile: [1, '2.5'] },
  { kind: 'ladder', market, side: 'buy', amount: '10', from: 99, to: 95, orders: 3, expireAfterMs: 5 },
  { kind: 'peg', market, side: 'sell', amount: '10', bound: 95, minStep: 0.1, offset: 2 },
  { kind: 'dca', market, value: 50, everyMs: 60_000, steps: [{ belowPercent: 5, factor: 2 }] },
  { kind: 'iceberg', market, side: 'sell', amount: '10', visible: '1', price: '101' },
  {
    kind: 'bracket',
    market,
    entry: { amount: '1', price: '99.5', expireAfterMs: 60_000 },
    takeProfit: { percent: '4' },
    laterTargets: [{ afterMs: 60_000, price: '101' }],
    stopLoss: { distance: '2' },
    trail: { by: { money: '3' }, after: { percent: '1' }, minStep: '0.5', on: 'poll' },
    breakEvenAt: { price: '101' },
    timeStopMs: 3_600_000,
    stopSlip: '0.3',
    whenCanceled: 'leave',
  },
  { kind: 'protect', market, stopLoss: { price: '95' } },
  { kind: 'targets', market, shares: { [market]: '0.4' }, atOnce: 2 },
];

const textOf = (intent: SizedAlgorithmIntent): string => {
  const created = createAlgorithm(intent, { ...CREATED, nowMs: 5, replaced });
  if (!created.ok) throw new Error(english(created.reason));
  return algorithmToJson(created.algorithm);
};

describe('a stored algorithm', () => {
  test('of a version without later targets and late trails has none', () => {
    const created = createAlgorithm(
      { kind: 'protect', market, stopLoss: { price: '95' }, trail: { by: { percent: '2' }, on: 'poll' } },
      { ...CREATED, nowMs: 5, replaced },
    );
    if (!created.ok) throw new Error(english(created.reason));
    const stored = JSON.parse(algorithmToJson(created.algorithm));
    delete stored.algorithm.terms.laterTargets;
    delete stored.algorithm.terms.trail.after;
    expect(algorithmFromJson(JSON.stringify(stored))).toEqual(created.algorithm);
  });

  test.each(INTENTS)('comes back as it was: $kind', (intent) => {
    const created = createAlgorithm(intent, { ...CREATED, nowMs: 5, replaced });
    expect(created.ok && algorithmFromJson(algorithmToJson(created.algorithm))).toEqual(
      created.ok && created.algorithm,
    );
  });

  test('is plain JSON with decimal texts', () => {
    expect(
      JSON.parse(
        textOf({ kind: 'iceberg', market, side: 'sell', amount: '10', visible: '0.5', price: '101' }),
      ),
    ).toEqual({
      version: 1,
      algorithm: {
        kind: 'iceberg',
        side: 'sell',
        amount: '10',
        visible: '0.5',
        price: '101',
        setbacks: { inARow: 0, retryAtMs: null, reason: null, bid: null, ask: null },
        tally: { filled: '0', countedKey: null },
      },
    });
  });

  test('that an earlier version wrote, without fields that came later, is read', () => {
    const text = textOf(INTENTS.find(({ kind }) => kind === 'bracket')!);
    const later: Readonly<Record<string, unknown>> = { trailsFrom: null, awaited: [], bid: null, ask: null };
    const earlier = JSON.stringify(JSON.parse(text), (name, value: unknown) =>
      name in later && JSON.stringify(value) === JSON.stringify(later[name]) ? undefined : value,
    );
    expect(earlier).not.toContain('awaited');
    expect(algorithmFromJson(earlier)).toEqual(algorithmFromJson(text));
  });

  const iceberg = textOf(INTENTS.find(({ kind }) => kind === 'iceberg')!);
  test.each([
    ['is cut', iceberg.slice(0, -5), 'no JSON'],
    ['is of a later version', iceberg.replace('"version":1', '"version":2'), 'algorithm.version'],
    ['is of an unknown kind', iceberg.replace('iceberg', 'sniper'), 'algorithm.algorithm.kind'],
    [
      'has a field more',
      iceberg.replace('"side"', '"hidden":1,"side"'),
      'algorithm.algorithm: Unrecognized key: "hidden"',
    ],
    ['has a field less', iceberg.replace('"visible":"1",', ''), 'algorithm.algorithm.visible'],
    ['has a float for money', iceberg.replace('"visible":"1"', '"visible":1'), 'algorithm.algorithm.visible'],
    [
      'has more digits than the books keep',
      iceberg.replace('"visible":"1"', '"visible":"0.00000000001"'),
      'ten decimals',
    ],
    ['is a list', '[]', 'expected object'],
  ])('is refused when it %s', (_, text, found) => {
    expect(() => algorithmFromJson(text)).toThrow(
      expect.objectContaining({
        code: 'DATA_UNUSABLE',
        message: expect.stringContaining(found) as string,
      }) as Error,
    );
  });
});

test('an intent is served by an algorithm when it takes several orders over time', () => {
  const others: readonly Intent[] = [
    buy(market, { amount: '1' }),
    cancel('x'),
    { kind: 'cancel-all' },
    { kind: 'oco', market, side: 'sell', amount: '1', price: '110', stopPrice: '90', stopLimitPrice: '89' },
  ];
  expect([...INTENTS, ...others].filter((intent) => isAlgorithmIntent(intent))).toEqual(INTENTS);
});
