import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SarrafError } from '../../../src/domain/errors.ts';
import { ORDER_LABELS } from '../../../src/records/order.ts';
import { checkedIntents } from '../../../src/strategy/check-intents.ts';
import { isDecimalFromZero, isPositiveDecimal, textOfNumber } from '../../../src/strategy/decimal-input.ts';
import type { TargetWish } from '../../../src/strategy/intents.ts';
import {
  buy,
  cancel,
  cancelAll,
  bracket,
  iceberg,
  oco,
  exit,
  protect,
  quotes,
  replace,
  sell,
  target,
  twap,
} from '../../support/intents.ts';
import { Decimal } from '../../../src/strategy/sdk.ts';
import { scenarios } from '../../support/scenarios.ts';

const M = 'BTCIRT';
const KNOWN = new Set([M, 'ETHIRT']);
const OCO = { amount: '1', price: '120', stopPrice: '90', stopLimitPrice: '89' };
const TWAP = { amount: '1', overMs: 60_000, slices: 4 };
const BRACKET = {
  entry: { value: '50', price: '100', expireAfterMs: 60_000 },
  takeProfit: { percent: '3' },
  stopLoss: { distance: '2.5' },
  trail: { by: { money: '4' }, minStep: '0', on: 'poll' },
  breakEvenAt: { price: '104' },
  timeStopMs: 3_600_000,
  stopSlip: '0.5',
  whenCanceled: 'leave',
} as const;
const VWAP = { amount: '1', overMs: 60_000, profile: ['1', '0', '2.5'] } as const;
const LADDER = { amount: '1', from: '99', to: '90', orders: 4 } as const;
const PEG = {
  value: '1',
  bound: '99',
  offset: 2,
  minStep: '0',
  everyMs: 1_000,
  share: '0.2',
  expireAfterMs: 9,
} as const;
const DCA = { value: '9', everyMs: 60_000, times: 3, steps: [{ belowPercent: '5', factor: '2' }] } as const;
const ICEBERG = { amount: '1', visible: '0.1', price: '100' };

/** A refused case: its name, the intents, and the message. */
type Wrong = [string, unknown[], string];

const LABELS = Object.fromEntries(ORDER_LABELS.map((label) => [label, 'entry']));
const SOUND = [
  buy(M, { amount: '0.5' }),
  buy(M, { amount: '0.5', price: '9', expireAfterMs: 60_000, postOnly: true }),
  buy(M, { amount: new Decimal('0.5'), price: '12600000000', ...LABELS }),
  sell(M, { amount: '1e-3', stopPrice: '99', price: '98' }),
  oco(M, 'sell', OCO),
  cancel('bot-a-1'),
  cancelAll(),
  cancelAll(M),
  replace('bot-a-1', { price: '5' }),
  replace('bot-a-1', { amount: '5', price: '6' }),
  target(M, { position: '0' }),
  target(M, { value: '0' }),
  target(M, { equityShare: '1', price: new Decimal(7) }),
  quotes(M, [
    { side: 'buy', price: '99', amount: '1' },
    { side: 'sell', price: '101', amount: new Decimal('1.25') },
    { side: 'sell', price: '102', value: '150' },
    { side: 'buy', price: '98', equityShare: '0.1' },
  ]),
  quotes(M, []),
  twap(M, 'buy', TWAP),
  { kind: 'vwap', market: M, side: 'buy', ...VWAP },
  { kind: 'ladder', market: M, side: 'sell', ...LADDER },
  { kind: 'ladder', market: M, side: 'buy', ...LADDER, scale: 'linear', expireAfterMs: 60_000 },
  { kind: 'peg', market: M, side: 'buy', ...PEG },
  { kind: 'peg', market: M, side: 'sell', amount: '1', bound: '90' },
  { kind: 'dca', market: M, ...DCA },
  { kind: 'dca', market: M, value: '100', everyMs: 60_000 },
  twap(M, 'sell', { ...TWAP, price: '3' }),
  iceberg(M, 'buy', ICEBERG),
  bracket(M, BRACKET),
  exit(M),
  exit(M, { reason: 'crossed', price: '99' }),
  protect(M, { amount: '2', averagePrice: new Decimal('99.5'), stopLoss: { price: '90' } }),
];

const refusalOf = (intents: unknown): string => {
  try {
    checkedIntents(intents, KNOWN);
  } catch (error) {
    if (error instanceof SarrafError && error.code === 'INVALID_STRATEGY') return error.message;
    throw error;
  }
  return 'none';
};

/** Wrong intents of each kind that takes time, with their messages. */
const WRONG_OVER_TIME = [
  [{ kind: 'vwap', side: 'buy', ...VWAP, profile: [] }, 'profile: expected a list of volumes'],
  [
    { kind: 'vwap', side: 'buy', ...VWAP, profile: [1, -1] },
    'profile.1: expected a volume from 0 on, was -1',
  ],
  [
    { kind: 'vwap', side: 'buy', ...VWAP, profile: Array.from({ length: 1_001 }, () => 1) },
    'at most 1000, were 1001',
  ],
  [
    { kind: 'vwap', side: 'buy', ...VWAP, profile: '1' },
    'profile: expected a list of volumes, one a slice, was "1"',
  ],
  [{ kind: 'vwap', side: 'buy', amount: '1', overMs: 60_000 }, 'profile: expected a list of volumes'],
  [{ kind: 'vwap', side: 'buy', ...VWAP, slices: 3 }, 'slices: expected one of'],
  [
    { kind: 'ladder', side: 'buy', ...LADDER, orders: 51 },
    'orders: expected a whole number from 1 to 50, was 51',
  ],
  [{ kind: 'ladder', side: 'buy', ...LADDER, from: 0 }, 'from: expected a positive number'],
  [
    { kind: 'ladder', side: 'buy', ...LADDER, scale: 'steep' },
    'scale: expected one of equal, linear, was "steep"',
  ],
  [{ kind: 'ladder', side: 'buy', ...LADDER, price: 5 }, 'price: expected one of'],
  [{ kind: 'peg', side: 'buy', amount: '1' }, 'bound: expected a positive number'],
  [
    { kind: 'peg', side: 'buy', ...PEG, offset: -1 },
    'offset: expected a whole number from 1 to 1000, was -1',
  ],
  [{ kind: 'peg', side: 'buy', ...PEG, minStep: Number.NaN }, 'minStep: expected percent from 0 on, was NaN'],
  [{ kind: 'peg', side: 'buy', ...PEG, everyMs: 0 }, 'everyMs: expected a whole number from 1'],
  [{ kind: 'dca', value: 5 }, 'everyMs: expected a whole number from 1'],
  [{ kind: 'dca', ...DCA, times: 0 }, 'times: expected a whole number from 1 to 100000, was 0'],
  [{ kind: 'dca', ...DCA, side: 'buy' }, 'side: expected one of'],
  [{ kind: 'dca', ...DCA, steps: [{ belowPercent: 5 }] }, 'steps.0.factor: expected a positive number'],
  [
    { kind: 'dca', ...DCA, steps: [5] },
    'steps.0: expected a step such as { belowPercent: 5, factor: 2 }, was 5',
  ],
  [{ kind: 'dca', ...DCA, steps: 5 }, 'steps: expected a list of steps, was 5'],
] as const;

const TRANSFER = { kind: 'transfer', currency: 'usdt', amount: 12.5, from: 'spot', to: 'margin' };

describe('a transfer', () => {
  test('is kept with its amount as a text', () => {
    expect(checkedIntents([TRANSFER])).toEqual([{ ...TRANSFER, amount: '12.5' }]);
  });

  test.each([
    [{ amount: 0 }, '.amount'],
    [{ amount: -1 }, '.amount'],
    [{ currency: 'USDT' }, '.currency: expected a currency in lower case, such as btc'],
    [{ from: 'wallet' }, '.from: expected spot or margin'],
    [{ to: 'spot' }, '.to: expected margin'],
    [{ market: 'BTCIRT' }, 'market'],
  ])('is refused with %j', (wrong, message) => {
    expect(() => checkedIntents([{ ...TRANSFER, ...wrong }])).toThrow(message);
  });
});

describe('intents that take time', () => {
  test.each(WRONG_OVER_TIME)('%j is refused', (fields, message) => {
    expect(refusalOf([{ market: M, ...fields }])).toContain(message);
  });

  test('hold no list that their author can change later', () => {
    const profile = [1, 2];
    const steps = [{ belowPercent: 5, factor: 2 }];
    const [first, second] = checkedIntents(
      [
        { kind: 'vwap', market: M, side: 'buy', ...VWAP, profile },
        { kind: 'dca', market: M, ...DCA, steps },
      ],
      KNOWN,
    );
    profile[0] = 100;
    steps[0]!.factor = 100;
    expect(first).toMatchObject({ profile: ['1', '2'] });
    expect(second).toMatchObject({ steps: [{ belowPercent: '5', factor: '2' }] });
    expect(() =>
      Object.assign((second as unknown as { steps: object[] }).steps[0]!, { factor: '9' }),
    ).toThrow();
  });
});

describe('intents', () => {
  test('of every kind are passed on as they were meant, as texts', () => {
    expect(JSON.stringify(checkedIntents(SOUND, KNOWN))).toBe(JSON.stringify(SOUND));
    expect(new Set(SOUND.map(({ kind }) => kind)).size).toBe(16);
  });

  test('have numbers as their shortest decimals of 15 digits, and sizes of every kind', () => {
    const wanted = [
      buy(M, { amount: 0.002, price: 100.07 * 0.99 }),
      sell(M, { value: 50_000_000 }),
      twap(M, 'buy', { equityShare: 0.1 + 0.2, overMs: 60_000, slices: 4 }),
      target(M, { position: 0 }),
      target(M, { value: 1e6 }),
      quotes(M, [{ side: 'buy', price: 7, value: 100.5 }]),
    ];
    expect(checkedIntents(wanted, KNOWN)).toEqual([
      { kind: 'place', market: M, side: 'buy', amount: '0.002', price: '99.0693' },
      { kind: 'place', market: M, side: 'sell', value: '50000000' },
      { kind: 'twap', market: M, side: 'buy', equityShare: '0.3', overMs: 60_000, slices: 4 },
      { kind: 'target', market: M, position: '0' },
      { kind: 'target', market: M, value: '1000000' },
      { kind: 'quotes', market: M, quotes: [{ side: 'buy', price: '7', value: '100.5' }] },
    ]);
  });

  scenarios<readonly unknown[]>((message, intents) => {
    expect(refusalOf(intents)).toContain(message);
  }, 'are refused with the place: %s')`
    texts ${['buy']}: intents.0: expected an order such as { amount: 0.01 }, was "buy"
    a list in a list ${[[]]}: intents.0: expected an order such as { amount: 0.01 }, was a list
    a hole ${[cancelAll(), undefined]}: intents.1: expected an order such as { amount: 0.01 }, was undefined
    too many ${Array.from({ length: 101 }, () => cancel('x'))}
      intents: expected at most 100 at once, were 101
    an unknown kind ${[{ kind: 'pray' }]}: intents.0.kind: expected one of place, oco, cancel, cancel-all
    a kind of every object ${[{ kind: 'toString' }]}: intents.0.kind: expected one of
    an unknown field ${[{ ...buy(M, { amount: '1' }), limit: '5' }]}
      intents.0.limit: expected one of kind, market
    an unknown market ${[buy('FOOIRT', { amount: '1' })]}
      intents.0.market: expected one of the markets BTCIRT, ETHIRT, was "FOOIRT"
    no market ${[{ kind: 'cancel-all', market: 7 }]}
      intents.0.market: expected a market such as "BTCIRT", was 7
    no side ${[{ kind: 'place', market: M, amount: '1' }]}
      intents.0.side: expected "buy" or "sell", was undefined
    an amount of NaN ${[{ ...buy(M, { amount: '1' }), amount: Number.NaN }]}
      intents.0.amount: expected a positive number, decimal text or Decimal, was NaN
    a negative number ${[buy(M, { amount: -0.5 })]}
      intents.0.amount: expected a positive number, decimal text or Decimal, was -0.5
    no size ${[{ kind: 'place', market: M, side: 'buy' }]}
      intents.0: expected one of amount, value, equityShare
    two sizes ${[{ ...buy(M, { amount: 1 }), value: 5 }]}
      intents.0: expected one of amount, value, equityShare
    a value of nothing ${[buy(M, { value: 0 })]}
      intents.0.value: expected a positive number, decimal text or Decimal, was 0
    more than all it has ${[buy(M, { equityShare: 1.1 })]}
      intents.0.equityShare: expected a share above 0, up to 1
    a negative amount ${[buy(M, { amount: '-1' })]}
      intents.0.amount: expected a positive number, decimal text or Decimal, was "-1"
    a price of nothing ${[buy(M, { amount: '1', price: '0.00' })]}
      intents.0.price: expected a positive number, decimal text or Decimal, was "0.00"
    a price of null ${[{ ...buy(M, { amount: '1' }), price: null }]}
      intents.0.price: expected a positive number, decimal text or Decimal, was null
    a list for a price ${[{ ...buy(M, { amount: '1' }), price: ['1'] }]}
      intents.0.price: expected a positive number, decimal text or Decimal, was a list
    a pair without a stop ${[{ ...oco(M, 'buy', OCO), stopPrice: undefined }]}
      intents.0.stopPrice: expected a positive number, decimal text or Decimal, was undefined
    a cancel of nothing ${[cancel('')]}: intents.0.clientOrderId: expected the id of an own order, was ""
    a replacement by nothing ${[replace('a', {})]}
      intents.0: expected a new price or a new amount, was neither
    a target of nothing ${[target(M, {} as TargetWish)]}
      intents.0: expected one of position, value, equityShare, was none
    a target of both ${[target(M, { position: '1', equityShare: '1' } as unknown as TargetWish)]}
      intents.0: expected one of position, value, equityShare, was position and equityShare
    a target of a negative value ${[target(M, { value: -1 })]}
      intents.0.value: expected a number from 0 on, was -1
    a negative position ${[target(M, { position: '-1' })]}
      intents.0.position: expected a number from 0 on, was "-1"
    more than everything ${[target(M, { equityShare: '1.01' })]}
      intents.0.equityShare: expected a share from 0, up to 1, was "1.01"
    quotes that are no list ${[{ kind: 'quotes', market: M, quotes: {} }]}
      intents.0.quotes: expected a list of quotes, was an object
    a quote that is none ${[{ kind: 'quotes', market: M, quotes: [5] }]}
      intents.0.quotes.0: expected { side, price, amount }, was 5
    a quote without a price ${[quotes(M, [{ side: 'buy', price: '', amount: '1' }])]}
      intents.0.quotes.0.price: expected a positive number, decimal text or Decimal, was ""
    a quote with a tag
      ${[{ kind: 'quotes', market: M, quotes: [{ side: 'buy', price: '1', amount: '1', tag: 'x' }] }]}
      intents.0.quotes.0.tag: expected one of side, price, amount, value, equityShare
    a quote without a size ${[{ kind: 'quotes', market: M, quotes: [{ side: 'buy', price: '1' }] }]}
      intents.0.quotes.0: expected one of amount, value, equityShare, was none
    a quote of two sizes
      ${[{ kind: 'quotes', market: M, quotes: [{ side: 'buy', price: '1', amount: 1, value: 5 }] }]}
      intents.0.quotes.0: expected one of amount, value, equityShare, was amount and value
    a quote of a value of nothing ${[quotes(M, [{ side: 'buy', price: '1', value: 0 }])]}
      intents.0.quotes.0.value: expected a positive number, decimal text or Decimal, was 0
    a quote of more than all ${[quotes(M, [{ side: 'buy', price: '1', equityShare: 1.1 }])]}
      intents.0.quotes.0.equityShare: expected a share above 0, up to 1, was 1.1
    too many quotes
      ${[
        quotes(
          M,
          Array.from({ length: 101 }, () => ({ side: 'buy' as const, price: '1', amount: '1' })),
        ),
      ]}
      intents.0.quotes: expected at most 100
    half a slice ${[twap(M, 'buy', { ...TWAP, slices: 2.5 })]}
      intents.0.slices: expected a whole number from 1 to 1000, was 2.5
    a TWAP of a year ${[twap(M, 'buy', { ...TWAP, overMs: 31_536_000_000 })]}
      intents.0.overMs: expected a whole number from 1
    an iceberg above the water ${[iceberg(M, 'buy', { ...ICEBERG, visible: '2' })]}
      intents.0.visible: expected at most the amount, "1", was "2"
    an order that rests perhaps ${[buy(M, { amount: 1, price: 9, postOnly: 'maybe' as unknown as boolean })]}
      intents.0.postOnly: expected true or false, was "maybe"
    an order that ends before it begins ${[buy(M, { amount: 1, expireAfterMs: 0 })]}
      intents.0.expireAfterMs: expected a whole number from 1 to 31536000000, was 0
    a bracket without an exit ${[bracket(M, { entry: { amount: 1 } })]}
      intents.0: expected one of takeProfit, laterTargets, stopLoss, trail, timeStopMs, was none
    a bracket without an entry ${[{ kind: 'bracket', market: M, stopLoss: { percent: 1 } }]}
      intents.0.entry: expected an entry such as { amount: 0.01 }, was undefined
    a distance of two kinds ${[{ ...bracket(M, BRACKET), stopLoss: { percent: 1, price: 90 } }]}
      intents.0.stopLoss: expected one of percent, price, distance, money, was percent and price
    later targets whose times do not rise
      ${[
        {
          ...bracket(M, BRACKET),
          laterTargets: [
            { afterMs: 5, percent: 2 },
            { afterMs: 5, percent: 1 },
          ],
        },
      ]}
      intents.0.laterTargets.1.afterMs: expected more than the 5 of the one before, was 5
    a later target in two ways
      ${[{ ...bracket(M, BRACKET), laterTargets: [{ afterMs: 5, percent: 2, price: 3 }] }]}
      intents.0.laterTargets.0: expected one of percent, price, distance, money, was percent and price
    a later target without its time ${[{ ...bracket(M, BRACKET), laterTargets: [{ percent: 2 }] }]}
      intents.0.laterTargets.0.afterMs: expected
    a distance as a number ${[{ ...bracket(M, BRACKET), takeProfit: 3 }]}
      intents.0.takeProfit: expected a distance such as { percent: 2 }, was 3
    a distance of NaN ${[{ ...bracket(M, BRACKET), trail: { by: { percent: Number.NaN } } }]}
      intents.0.trail.by.percent: expected a positive number, decimal text or Decimal, was NaN
    a trail on something else ${[{ ...bracket(M, BRACKET), trail: { by: { percent: 1 }, on: 'tick' } }]}
      intents.0.trail.on: expected one of close, high, poll, was "tick"
    a time stop in seconds of a century ${[{ ...bracket(M, BRACKET), timeStopMs: 3_153_600_000_000 }]}
      intents.0.timeStopMs: expected a whole number from 1 to 31536000000, was 3153600000000
    an unknown field of an entry ${[{ ...bracket(M, BRACKET), entry: { amount: 1, qty: 2 } }]}
      intents.0.entry.qty: expected one of amount, value, equityShare, price, expireAfterMs, was "qty"
    the second of two ${[cancelAll(), buy(M, { amount: 'x' })]}
      intents.1.amount: expected a positive number, decimal text or Decimal, was "x"
  `;

  test.each([
    ['nothing', null, 'intents: expected a list of intents, was null'],
    ['a text', 'buy', 'intents: expected a list of intents, was "buy"'],
    ['a promise', Promise.resolve([]), 'intents: expected a list of intents, was an object'],
    ...[Number.NaN, -2, Infinity].map((amount): Wrong => [
      `a Decimal of ${amount}`,
      [buy(M, { amount: new Decimal(amount) })],
      `intents.0.amount: expected a positive number, decimal text or Decimal, was ${amount}`,
    ]),
    ...ORDER_LABELS.map((label): Wrong => [
      `a long ${label}`,
      [buy(M, { amount: '1', [label]: 'x'.repeat(33) })],
      `intents.0.${label}: expected a text of 1 to 32 characters`,
    ]),
  ])('are refused with the place: %s', (_, intents, message) => {
    expect(refusalOf(intents)).toContain(message);
  });

  test('are taken or refused in words, whatever is given', () => {
    const field = fc.oneof(
      fc.anything(),
      fc.constantFrom('buy', 'sell', M, '1', '0.5', 'quotes', 'place', 'target'),
    );
    const intent = fc.record(
      {
        kind: field,
        market: field,
        side: field,
        amount: field,
        price: field,
        quotes: fc.array(field),
        position: field,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.array(fc.oneof(intent, fc.anything()))), (intents) => {
        expect(refusalOf(intents)).toMatch(/^(?:none$|intents)/);
      }),
    );
  });
});

describe('a decimal', () => {
  test.each([
    ['1', true, true],
    ['0.10', true, true],
    ['007', true, true],
    ['1e-3', true, true],
    ['+2', true, true],
    ['12345678901234567890123456789012345678901234', true, true],
    ['0', false, true],
    ['-0', false, true],
    ['0.000', false, true],
    ['-1', false, false],
    ['.5', false, false],
    ['5.', false, false],
    ['1.2.3', false, false],
    ['1,5', false, false],
    [' 1', false, false],
    ['0x10', false, false],
    ['Infinity', false, false],
    ['NaN', false, false],
    ['', false, false],
    ['9'.repeat(81), false, false],
  ])('as %j is positive: %j, not negative: %j', (text, isPositive, isFromZero) => {
    expect([isPositiveDecimal(text), isDecimalFromZero(text)]).toEqual([isPositive, isFromZero]);
  });

  test.each([
    [0.1 + 0.2, '0.3'],
    [1e-7, '0.0000001'],
    [123_456_789_012_345_680_000, '123456789012346000000'],
    [12_600_000_000 * 0.99, '12474000000'],
    [1 / 3, '0.333333333333333'],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
  ])('of the number %d is %j', (number, text) => {
    expect(textOfNumber(number)).toBe(text);
  });

  test('of a number of at most 15 digits is what was written', () => {
    const written = fc.tuple(fc.integer({ min: 1, max: 999_999_999_999_999 }), fc.nat(10));
    fc.assert(
      fc.property(written, ([digits, decimals]) => {
        const text = new Decimal(digits).div(new Decimal(10).pow(decimals)).toFixed();
        expect(textOfNumber(Number(text))).toBe(text);
      }),
    );
  });

  test('is read alike by its characters and by the library', () => {
    const digits = fc.string({ unit: fc.constantFrom(...Array.from('0123456789.')), maxLength: 12 });
    fc.assert(
      fc.property(digits, (text) => {
        const isPlain = /^\d+(?:\.\d+)?$/.test(text);
        expect(isPositiveDecimal(text)).toBe(isPlain && new Decimal(text).greaterThan(0));
      }),
      { numRuns: 1_000 },
    );
  });
});
