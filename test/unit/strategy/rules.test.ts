import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { atr, bollinger, defineIndicator, defineRules, rsi, sma, type StrategyDefinition } from '#sdk';
import { runStrategy } from '#testing';
import { sentenceIn } from '../../../src/language/sentence-in.ts';
import { english, sentence } from '../../../src/language/sentence.ts';
import { localeOf } from '../../../src/language/locale.ts';
import { withoutDirectionMarks } from '../../../src/language/isolate.ts';
import { explainRules, readRules, ruleSetOf, type ReadRules } from '../../../src/strategy/explain-rules.ts';
import { watchRules, type RuleMoment } from '../../../src/strategy/rules.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { LEAST_UNITS, parseUnits } from '../../../src/domain/money.ts';
import { createRuleAnswers } from '../../../src/daemon/answers-apart.ts';
import { UNTIL_RESUMED_MS, type Lock } from '../../../src/engine/lock.ts';
import type { MarketVersionRecord, MirrorChange } from '../../../src/engine/mirror-change.ts';
import { NO_LOCKS } from '../../../src/engine/stored-records.ts';
import { MARKET_NAMES, parseMarket } from '../../../src/exchange/market-names.ts';
import { instanceJson, newLedger } from '../../support/new-ledger.ts';
import { leaveRecord } from '../daemon/left-record.ts';
import {
  fillChange,
  fillRecord,
  intentChange,
  kept,
  mirrorOfEachTest,
  orderChange,
} from '../mirror/mirror-fixture.ts';
import { runnerOn } from '../../support/runner-on.ts';
import { failed, printed, sarrafHere } from '../../support/sarraf-here.ts';
import { folderOfThisTest } from '../../support/temporary-folder.ts';

/** Values without types, as an author in JavaScript has them. */
interface Untyped {
  (...given: readonly unknown[]): Untyped;
  readonly [name: string]: Untyped;
}
type Part = (now: Untyped, setup: Untyped) => unknown;

/** Rules that buy above 100 and sell below 95, but for the given parts. */
const rules = (parts: Readonly<Record<string, unknown>>): StrategyDefinition =>
  defineRules({
    name: 'sample',
    data: ({ market }) => ({ bars: market.candles('1h') }),
    indicators: ({ bars }) => ({ average: sma(bars, 2), band: bollinger(bars, 3) }),
    enter: ({ bars }) => bars.close.isAbove(100),
    exit: ({ bars }) => bars.close.isBelow(95),
    size: { amount: 1 },
    ...parts,
  });

const ordersOf = (parts: Readonly<Record<string, unknown>>, bars: readonly number[]): readonly string[] =>
  runStrategy(rules(parts), { bars }).orders.map(({ side, tag }) => `${side}: ${tag}`);

/** True at a crossing of 100, or above 500. */
const SEVERAL: Part = ({ bars, average }) =>
  average!.isAbove!(0).and!(bars!.close!.crossesAbove!(100)).or!(bars!.close!.isAbove!(500));

/** True after two bars, or above five percent of profit. */
const HELD: Part = (_, { position }) =>
  position!.barsHeld!.isAbove!(2).or!(position!.profitPercent!.isAbove!(5));

/** A size that is known from the fourth bar on. */
const LATE: Part = ({ bars }) => ({ amount: bars!.close!.before!(3).times!(0.01) });

describe('rules', () => {
  test('buy at the close of a bar where enter is true, and sell where exit is', () => {
    expect(ordersOf({}, [99, 101, 102, 94, 93, 103])).toEqual([
      'buy: close of bars is above 100',
      'sell: close of bars is below 95',
      'buy: close of bars is above 100',
    ]);
  });

  test('tag an order with the condition that became true last', () => {
    expect(ordersOf({ enter: SEVERAL }, [99, 98, 101])).toEqual(['buy: close of bars crosses above 100']);
  });

  test('know how long something is held, and its profit', () => {
    expect(ordersOf({ exit: HELD }, [99, 101, 102, 103, 99])).toEqual([
      'buy: close of bars is above 100',
      'sell: number of bars held is above 2',
    ]);
    expect(ordersOf({ exit: HELD }, [99, 101, 107])[1]).toBe('sell: the profit in percent is above 5');
  });

  test.each([
    ['', {}],
    [', in place of the exits of a bracket too', { bracket: { stopLoss: { percent: 50 } } }],
  ])('wait for a sale that is still at work%s', (_, parts) => {
    const bars = [99, 101, 94, 94, 94].map((close, bar) => ({ close, volume: bar < 3 ? 1_000 : 8 }));
    const { orders, refusals } = runStrategy(rules(parts), { bars, volumeShare: 5 });
    const own = orders.filter(({ stopPrice }) => stopPrice === null);
    expect(own.map(({ side, filled }) => `${side} ${filled}`)).toEqual(['buy 1', 'sell 0.8']);
    expect(refusals).toEqual([]);
  });

  test('use the values of the bar in size and bracket', () => {
    const { orders } = runStrategy(
      rules({
        indicators: ({ bars }: { readonly bars: Parameters<typeof atr>[0] }) => ({ range: atr(bars, 2) }),
        size: (({ bars }) => ({ value: bars!.close!.times!(2) })) satisfies Part,
        bracket: (({ range }) => ({ stopLoss: { distance: range!.times!(2).plus!(1) } })) satisfies Part,
      }),
      { bars: [99, 99, 101, 101] },
    );
    // The true ranges are 0 and 2, so their average is 1 and the stop 3 below the purchase.
    expect(orders).toMatchObject([
      { side: 'buy', amount: 2 },
      { side: 'sell', stopPrice: 98 },
    ]);
  });

  test('do nothing where a value of the size is unknown, and place no order that is too small', () => {
    expect(ordersOf({ size: LATE }, [101, 101, 101, 102])).toHaveLength(1);
    expect(ordersOf({ size: { amount: 0.000_001 } }, [101, 102])).toEqual([]);
  });

  test.each<[what: string, parts: Readonly<Record<string, unknown>>, message: RegExp]>([
    ['no size', { size: undefined }, /size: expected a size such as/],
    ['no condition to buy', { enter: undefined }, /enter: expected a function, was undefined/],
    ['an unknown part', { entry: 1 }, /expected the parts of rules \(.*\), was "entry"/],
    ...(
      [
        [
          'a name that is not declared',
          ({ strenght }) => strenght,
          /one of bars, average, band, was strenght/,
        ],
        [
          'a misspelt operator',
          ({ average }) => average!.crossBelow!(30),
          /operator of a series \(isAbove, .*\), was .crossBelow: did you mean crossesBelow\?/,
        ],
        [
          'a misspelt operator of a condition',
          ({ average }) => average!.isBelow!(30).orr!(1),
          /operator of a condition \(and, or, not, barsSince\), was .orr: did you mean or\?/,
        ],
        [
          'an operator of JavaScript',
          ({ average }) => (average as unknown as number) > 30,
          /operator of a series .* was one of JavaScript's own, such as < or \+/,
        ],
        [
          'a look ahead in the words of pandas',
          ({ bars }) => bars!.close!.shift!(-1).isAbove!(1),
          /expected .before\(n\), .* was .shift: rules look back, no operator looks ahead/,
        ],
        [
          'a bar in the words of Pine',
          ({ bars }) => (bars!.close as unknown as readonly Untyped[])[1]!.isAbove!(1),
          /expected .before\(n\), .* was \[1\]: rules look back/,
        ],
        [
          'more bars than a bot keeps',
          ({ bars }) => bars!.close!.before!(500).isAbove!(1),
          /was 500: 499 is the longest history that a bot keeps/,
        ],
        [
          'a look ahead',
          ({ bars }) => bars!.close!.before!(-1).isAbove!(1),
          /before: expected .* was -1: rules look back, no operator looks ahead/,
        ],
        ['a part that an indicator has not', ({ band }) => band!.lowr, /was band.lowr: did you mean lower\?/],
        ['a series in place of a condition', ({ average }) => average, /enter: expected a condition such as/],
        [
          'a text to compare with',
          ({ average }) => average!.isAbove!('1'),
          /isAbove: expected a finite number/,
        ],
        [
          'no bars',
          ({ bars }) => bars!.close!.rises!(0),
          /expected a whole number of bars from 1 to 499, was 0/,
        ],
        [
          'more bars than one request has',
          ({ bars }) => bars!.close!.highest!(300).highest!(300).isAbove!(1),
          /first value within 499 bars, .* needs 599/,
        ],
        ['an unknown zone', (_, { time }) => time!.hour!('Teheran'), /such as "Asia\/Tehran", was "Teheran"/],
        [
          'too many operators, however deep',
          ({ average }) =>
            Array.from({ length: 20_000 }).reduce<Untyped>((sum) => sum.plus!(1), average!).isAbove!(0),
          /at most 1000 operators/,
        ],
      ] as const satisfies readonly (readonly [string, Part, RegExp])[]
    ).map(([what, enter, message]): [string, Readonly<Record<string, unknown>>, RegExp] => [
      what,
      { enter },
      message,
    ]),
    [
      'a history of what is held',
      { exit: ((_, { position }) => position!.barsHeld!.crossesAbove!(2)) satisfies Part },
      /what is held now has no history/,
    ],
    [
      'data other than candles',
      { data: (({ market }) => ({ b: market!.book!() })) satisfies Part },
      /data.b: expected candles/,
    ],
    [
      'a condition that is lost in &&',
      { enter: (({ bars }) => bars!.close!.isAbove!(1) && bars!.close!.isBelow!(9)) satisfies Part },
      /enter: .* "close of bars is above 1" has no part in it: join conditions with .and/,
    ],
    [
      'a promise of a condition',
      { enter: async () => Promise.resolve(1) },
      /enter: expected a condition .* was a promise: leave "async" out/,
    ],
    ['a promise of data', { data: async () => Promise.resolve({}) }, /data: .* was a promise/],
    ['a promise of indicators', { indicators: async () => Promise.resolve({}) }, /indicators: .* a promise/],
    [
      'a size that no order has',
      { size: { equityShare: 0 } },
      /size.equityShare: .* above 0, up to 1, was 0/,
    ],
    [
      'a distance that no order has',
      {
        bracket: (({ average }) => ({
          takeProfit: { price: average },
          stopLoss: { percent: Number.NaN },
        })) satisfies Part,
      },
      /bracket.stopLoss.percent: expected .* was NaN/,
    ],
    ['no data', { data: () => ({}) }, /data: expected candles by name, was none/],
    [
      'one name for two',
      { indicators: ({ bars }: { readonly bars: Parameters<typeof rsi>[0] }) => ({ bars: rsi(bars) }) },
      /indicators.bars: expected another name/,
    ],
  ])('refuse %s', (_what, parts, message) => {
    expect(() => runnerOn(rules(parts), 'BTCUSDT', '1h')).toThrow(message);
  });
});

/** Closes of hours that fall and rise again, so that most rules buy and sell. */
const WAVES = Array.from({ length: 400 }, (_, hour) => 100 + 8 * Math.sin(hour / 9) + 3 * Math.sin(hour / 2));

/** Writes the waves as a file of candles; returns its path. */
const csv = (folder: string): string => {
  const path = join(folder, 'hours.csv');
  const rows = WAVES.map((close, hour) => {
    const price = close.toFixed(2);
    return `${new Date(Date.UTC(2024, 0, 1, hour)).toISOString()},${price},${price},${price},${price},100000`;
  });
  writeFileSync(path, ['time,open,high,low,close,volume', ...rows, ''].join('\n'));
  return path;
};

/** Time of an hour of the waves. */
const at = (hour: number): string => new Date(Date.UTC(2024, 0, 1, hour)).toISOString();

/** The greatest rise of the close in some bars, by an author. */
const rise = defineIndicator({
  name: 'rise',
  params: { length: 3 },
  init: () => ({ closes: [] as number[] }),
  next: ({ closes }, { close }, { length }) => {
    closes.push(close);
    if (closes.length > length) closes.shift();
    return closes.length < length ? null : close - Math.min(...closes);
  },
  warmUp: ({ length }) => length,
});

/** An indicator by an author in JavaScript. */
const careless = (next: (state: object) => unknown, warmUp: unknown = 1) =>
  defineIndicator({
    name: 'careless',
    init: () => ({}),
    next: next as () => number,
    warmUp: () => warmUp as number,
  });

describe('an indicator of the author', () => {
  const runOf = (indicator: ReturnType<typeof careless>, bars: readonly number[]) =>
    runStrategy(
      defineRules({
        name: 'own',
        data: ({ market }) => ({ bars: market.candles('1h') }),
        indicators: ({ bars: of }) => ({ own: indicator(of) }),
        enter: ({ own }) => own.isAbove(4),
        size: { amount: 1 },
      }),
      { bars },
    );

  test('is used like any other, and drawn', () => {
    const { fills, plots } = runOf((of) => rise(of, { length: 2 }), [100, 103, 108, 108]);
    expect(fills).toMatchObject([{ side: 'buy', price: 108 }]);
    expect(plots).toMatchObject([{ name: 'own', values: [null, 3, 5, 0] }]);
  });

  test.each<[what: string, indicator: ReturnType<typeof careless>, message: RegExp]>([
    ['that uses random numbers', careless(() => Math.random()), /next of careless: expected the same value/],
    ['without a value', careless(() => undefined), /next of careless: expected a number, .* was undefined/],
    [
      'with values of two kinds',
      careless((state: { seen?: true }) => (state.seen === true ? { seen: 1 } : ((state.seen = true), 1))),
      /next of careless: expected a number at each bar, was a record of seen/,
    ],
    ['with part of a bar', careless(() => 1, 1.5), /warmUp of careless: expected a whole number .* was 1.5/],
  ])('is refused %s', (_what, indicator, message) => {
    expect(() => runOf(indicator, [100, 101])).toThrow(message);
  });

  test('that throws stops its strategy alone', () => {
    const late = careless((state: { seen?: number }) => {
      state.seen = (state.seen ?? 0) + 1;
      if (state.seen > 30) throw new Error('no more');
      return state.seen;
    });
    expect(() =>
      runOf(
        late,
        Array.from({ length: 40 }, () => 100),
      ),
    ).toThrow(/indicators: next of careless: no more/);
  });
});

/** Reads rules at the last of some bars, as if nothing was held. */
function readAt(parts: Readonly<Record<string, unknown>>, bars: readonly number[]): ReadRules {
  const read: ReadRules[] = [];
  const onBar = (moment: RuleMoment): void => void read.push(readRules(moment, { isHeld: false }));
  runStrategy(watchRules(rules(parts), onBar, { trades: false }), { bars });
  return read.at(-1)!;
}

const CHOICE: Part = ({ bars }) =>
  bars!.open!.isAbove!(1).and!(bars!.close!.isAbove!(500).or!(bars!.close!.falls!(3)));

describe('what an order lacks', () => {
  test.each<
    [what: string, parts: Readonly<Record<string, unknown>>, bars: readonly number[], missing: string]
  >([
    ['nothing', {}, [101], ''],
    ['a condition', {}, [99], 'close of bars is above 100'],
    [
      'one of several of which one is enough',
      { enter: CHOICE },
      [99, 99],
      'close of bars is above 500 or close of bars is below close of bars 3 bars before (not known yet)',
    ],
    [
      'a crossing from the other side',
      { enter: (({ bars }) => bars!.close!.crossesBelow!(105)) satisfies Part },
      [99, 98],
      'close of bars crosses below 105 (it is below already, and has to come above it first)',
    ],
    [
      'a size that is known',
      { size: LATE },
      [101],
      'size of a purchase: (close of bars 3 bars before) * 0.01 (not known yet)',
    ],
    [
      'a size that is enough',
      { size: { amount: 0.000_001 } },
      [101],
      'a greater size: 0.000001 BTC is worth 0.000101 USDT, and an order must be 0.000001 BTC or more, worth over 11 USDT',
    ],
    [
      'a size whose exit is enough',
      { size: { amount: 0.11 }, bracket: { stopLoss: { percent: 2 } } },
      [101],
      'its exit at 97.9902 USDT is worth 10.778922 USDT, and an order must be worth over 11 USDT',
    ],
    ['a share that is enough', { size: { equityShare: 0.000_001 } }, [101], 'a greater size: '],
  ])('is %s', (_what, parts, bars, missing) => {
    const { missing: found, outcome } = readAt(parts, bars);
    expect(found.map((one) => english(one)).join('; ')).toContain(missing);
    expect(found).toHaveLength(missing === '' ? 0 : 1);
    const persian = withoutDirectionMarks(sentenceIn(outcome, localeOf('fa')));
    expect(persian).toMatch(/^(?:برقرار نیست: |هر چه لازم)/);
    expect(persian).not.toMatch(/\d/);
  });
});

/** How far the close is above its average. */
const FAR: Part = ({ bars, average }) => bars!.close!.minus!(average!);

describe('a request in words', () => {
  test.each<[what: string, parts: Readonly<Record<string, unknown>>, words: string]>([
    ['a share', { size: { equityShare: 0.07 } }, '7 % of the equity'],
    ['a value', { size: { value: 100 } }, 'worth 100'],
    ['an amount', { size: LATE }, '(close of bars 3 bars before) * 0.01'],
    [
      'exits in percent',
      { bracket: { stopLoss: { percent: 2 }, takeProfit: { percent: 4.5 } } },
      'stop 2 % below the entry, target 4.5 % above the entry',
    ],
    [
      'exits of series',
      {
        bracket: ((now, setup) => ({
          stopLoss: { distance: now.average },
          takeProfit: { distance: FAR(now, setup) },
        })) satisfies Part,
      },
      'stop average below the entry, target (close of bars - average) above the entry',
    ],
    [
      'exits at a price and at a loss',
      { bracket: { stopLoss: { money: 5 }, takeProfit: { price: 120 } } },
      'stopLoss money 5, takeProfit price 120',
    ],
    ['what has no words', { bracket: { stopLoss: { percent: 2 }, stopSlip: 3 } }, 'entry, stopSlip 3'],
  ])('is written: %s', (_what, parts, words) => {
    const market = { market: 'BTCUSDT', marketNames: MARKET_NAMES, timeframe: '1h', params: {} } as const;
    const { size, bracket } = explainRules(ruleSetOf(rules(parts), market));
    const said = bracket ?? size;
    expect(english(said)).toContain(words);
    expect(withoutDirectionMarks(sentenceIn(said, localeOf('fa')))).not.toMatch(/[\d%]/);
  });
});

describe('a refused rule', () => {
  const source = `import { defineRules, rsi } from '#sdk';
export default defineRules({
  name: 'dip',
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  indicators: ({ bars }) => ({
    strength: rsi(bars, 14),
  }),
  enter: ({ bars, strength }) =>
    strength.isBelow(30).and(bars.close.isAbove(100)),
  size: { equityShare: 0.5 },
  bracket: {
    stopLoss: { percent: 2 },
  },
});`;

  test.each([
    ['an indicator', ['14', '-3'], ':6: indicators.strength: expected length of rsi to be'],
    ['a condition', ['(30).and(', '(30) && ('], ':8: enter: expected to use each condition that it makes'],
    ['an operand', ['(100)', "('x')"], ':9: isAbove: expected a finite number or a series, was "x"'],
    ['a size', ['0.5', '5'], ':10: size.equityShare: expected'],
    ['an exit', ['percent: 2', 'percent: -2'], ':12: bracket.stopLoss.percent: expected a positive number'],
    ['a name', ["'dip'", "'A Dip'"], ':3: name: expected a strategy name'],
    [
      'a wrong name of a series',
      ['bars.close', 'bars.clos'],
      ':9: expected one of open, high, low, close, volume',
    ],
  ] as const)('is named with its file and line by each command: %s', async (_what, [from, to], message) => {
    const folder = folderOfThisTest();
    const file = join(folder, 'dip.ts');
    writeFileSync(file, source.replace(from, to));
    const run = [file, '--csv', csv(folder), '--market', 'BTCUSDT', '--cash', '10000', '--fee', '0.1%'];
    const found = [
      await sarrafHere(['explain', file]),
      await sarrafHere(['backtest', ...run]),
      await sarrafHere(['plan', '--strategies', file]),
    ];
    for (const { code, error } of found)
      expect([code, error.startsWith(`${file}${message}`)], error).toEqual([2, true]);
  });
});

describe('sarraf explain and why', () => {
  test('write the rules in words', async () => {
    const { code, out: output } = await sarrafHere(['explain', 'mean-reversion', '--param', 'length=10']);
    expect(code).toBe(0);
    expect(output).toContain('bands: bollinger length 10 deviations 2 of bars');
    expect(output).toContain('buys while nothing is held, if\n  close of bars is below bands.lower');
    expect(output).toContain('target (bands.middle - close of bars) above the entry');
    const persian = await sarrafHere(['explain', 'ma-cross', '--language', 'fa']);
    expect(persian.out).toContain('تا وقتی چیزی ندارد می‌خرد');
    const folder = folderOfThisTest();
    const config = join(folder, 'bot.yaml');
    writeFileSync(
      config,
      'mode: embedded\nstrategies: [{ plugin: dip, name: mine, market: BTCIRT, timeframe: 15m, params: { floor: 25 } }]\n',
    );
    const inBot = await sarrafHere(['explain', 'mine', '--config', config, '--param', 'length=10']);
    expect(inBot).toEqual(
      printed(/mine: decides .* BTCIRT, 15m\n[^]*strength: rsi length 10[^]*crosses below 25/),
    );
    expect(await sarrafHere(['explain', 'dip', '--param', 'lenght=10'])).toEqual(
      failed(2, 'share, stop, target), was lenght: did you mean length?'),
    );
    const handlers = await sarrafHere(['explain', 'grid']);
    expect(handlers).toMatchObject({
      code: 2,
      error: expect.stringContaining('was grid, which has handlers'),
    });
  });

  test('name what is missing at a bar, and the strategy buys where nothing is', async () => {
    const folder = folderOfThisTest();
    const run = ['ma-cross', '--csv', csv(folder), '--market', 'BTCUSDT', '--cash', '10000', '--fee', '0.1%'];
    const missingAt: boolean[] = [];
    const heldAt: boolean[] = [];
    for (let hour = 10; hour < 34; hour += 1) {
      const { out: output } = await sarrafHere(['why', ...run, '--at', at(hour), '--json']);
      const { isHeld, missing, enter, exit } = JSON.parse(output) as Record<
        'isHeld' | 'missing' | 'enter' | 'exit',
        unknown
      >;
      heldAt.push(isHeld === true);
      missingAt.push(Array.isArray(missing) && missing.length > 0);
      expect([enter, exit]).toMatchObject([[{ depth: 0 }], [{ depth: 0 }]]);
    }
    expect(new Set(heldAt)).toEqual(new Set([true, false]));
    // What is held changes after exactly the bars at which nothing was missing.
    expect(heldAt.slice(1).map((held, hour) => held === heldAt[hour])).toEqual(missingAt.slice(0, -1));
  });
});

const DIP = `import { defineRules } from '#sdk';
export default defineRules({
  name: 'dip',
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  enter: ({ bars }) => bars.close.isBelow(100),
  exit: ({ bars }, { position }) => bars.close.isAbove(110).and(position.profitPercent.isAbove(5)),
  size: { equityShare: 0.5 },
});`;

const FIRST_MS = Date.UTC(2024, 0, 1);
const HOUR_MS = 3_600_000;

const hours = (from: number, until: number) => [FIRST_MS + from * HOUR_MS, FIRST_MS + until * HOUR_MS];

const dipRow = (json: string): MirrorChange => ({
  kind: 'strategy',
  strategy: { name: 'dip', status: 'running', reason: null, json, atMs: FIRST_MS },
});

const lock = (of: Partial<Lock>): Lock => ({
  name: 'night',
  rule: null,
  strategy: 'dip',
  market: null,
  reason: 'by hand',
  beganAtMs: 1,
  endsAtMs: UNTIL_RESUMED_MS,
  entries: 'keep',
  ...of,
});

describe('why of a bot', () => {
  const mirror = mirrorOfEachTest();

  /** Leaves the folder of a bot with four hours: 101, 99, 104 and 103. */
  const leave = (
    changes: readonly MirrorChange[] = [],
    { market = 'BTCUSDT' }: { market?: string | null } = {},
  ) => {
    const file = join(mirror.folder, 'dip.ts');
    writeFileSync(file, DIP);
    const dip = { name: 'dip', plugin: 'dip', market, start: { file, timeframe: '1h' as const, params: {} } };
    leaveRecord(mirror.folder, { strategies: [dip, { name: 'old', plugin: 'old', market }] });
    const symbols = market === null ? ['BTCUSDT', 'ETHUSDT'] : [market];
    const of = symbols.flatMap((symbol): MirrorChange[] => [
      {
        kind: 'market',
        market: {
          symbol,
          version: 1,
          fromMs: 0,
          priceStep: '0.01',
          amountStep: '0.0001',
          minOrderValue: '5',
        } as MarketVersionRecord,
      },
      ...[101, 99, 104, 103].map((close, hour): MirrorChange => {
        const price = decimalText(String(close));
        const candle = {
          openTimeMs: FIRST_MS + hour * HOUR_MS,
          open: price,
          high: price,
          low: price,
          close: price,
          volume: price,
        };
        return { kind: 'candle', market: symbol, timeframe: '1h', candle };
      }),
    ]);
    mirror.write([...of, ...changes]);
  };

  const ask = async (...args: readonly string[]) =>
    sarrafHere(['why', 'dip', '--data', mirror.folder, ...args]);

  /** A purchase in the second hour, and the row of the strategy after it. */
  const BOUGHT: readonly MirrorChange[] = (() => {
    const fill = {
      strategy: 'dip',
      market: 'BTCUSDT',
      side: 'buy' as const,
      atMs: FIRST_MS + 2 * HOUR_MS + 1_000,
      price: parseUnits('99'),
      amount: parseUnits('1'),
      total: parseUnits('99'),
      fee: parseUnits('0.001'),
    };
    const ledger = newLedger();
    ledger.applyTrade({ ...fillRecord(fill), market: parseMarket('BTCUSDT'), leastAmount: LEAST_UNITS });
    const state = JSON.stringify({ sinceMs: fill.atMs, bought: 1, paid: 99 });
    return [fillChange(fill), dipRow(instanceJson(ledger, {}, state))];
  })();

  test('uses what is held now, or what was held at an earlier bar', async () => {
    leave(BOUGHT);
    expect(await ask()).toEqual(
      printed(
        /something is held[^]*missing: close of bars is above 110; the profit in percent is above 5\n$/,
      ),
    );
    expect(await ask('--at', at(3))).toEqual(
      printed(/something is held[^]*the profit in percent is above 5 +5.05/),
    );
    expect(await ask('--at', at(2))).toEqual(
      printed(/the money of then is not known[^]*nothing is held[^]*all that is needed is true/),
    );
  });

  test('names the exit orders of a strategy without a condition to sell, and how far they are', async () => {
    const exit = { strategy: 'dip', market: 'BTCUSDT', side: 'sell', state: 'open' } as const;
    const target = { key: 'a', exit: 'take-profit', price: parseUnits('110'), stopPrice: null } as const;
    const stop = {
      key: 'b',
      exit: 'stop-loss',
      price: parseUnits('96'),
      stopPrice: parseUnits('97'),
    } as const;
    leave([...BOUGHT, orderChange({ ...exit, ...target }), orderChange({ ...exit, ...stop })]);
    const file = join(mirror.folder, 'held.ts');
    const start = { file, timeframe: '1h' as const, params: {} };
    leaveRecord(mirror.folder, { strategies: [{ name: 'dip', plugin: 'held', market: 'BTCUSDT', start }] });
    writeFileSync(file, DIP.replace(/ {2}exit:.*\n/, ''));
    const { out } = await ask();
    expect(out).toContain(
      'only the exit orders do, take-profit at 110 (6.80 % away), stop-loss at 97 (5.83 % away)\n',
    );
    expect(out).not.toContain('since (UTC)');
    expect((await ask('--language', 'fa')).out).toContain('۶٫۸');
  });

  test('says that a bar is the last one where the time that was asked for is later', async () => {
    leave(BOUGHT);
    expect(await ask('--at', at(9))).toEqual(
      printed('no later candle is known until 2024-01-01T09:00:00Z: this is the last one'),
    );
    expect((await ask('--at', at(4))).out).not.toContain('last one');
    const run = ['ma-cross', '--csv', csv(mirror.folder), '--market', 'BTCUSDT', '--cash', '10000'];
    expect(await sarrafHere(['why', ...run, '--at', '2025-01-01'])).toEqual(
      printed('no later candle is known until 2025-01-01T00:00:00Z'),
    );
    expect((await sarrafHere(['why', ...run, '--at', '2023-01-01'])).code).toBe(2);
    expect(await sarrafHere(['why', 'dip', ...run.slice(1), '--at', at(5)])).toEqual(
      printed(/only 5 of the \d+ candles of bars that it needs are there[^]*compared with/),
    );
    expect(await sarrafHere(['explain', 'dip', '--data', 'data'])).toEqual(
      failed(2, 'It reads no data but --config, --market, --timeframe and --param'),
    );
  });

  test('says that a position of then is not known, and shows both lists', async () => {
    leave([dipRow(instanceJson(newLedger()))].concat(BOUGHT.slice(0, 1)));
    expect(await ask('--at', at(2))).toEqual(
      printed(/what was held then is not known[^]*is below 100[^]*is above 110/),
    );
  });

  test('names first what keeps any order away', async () => {
    leave([
      dipRow(instanceJson(newLedger())),
      kept('control', JSON.stringify({ halted: { reason: 'news', sinceMs: 1, wholeAccount: false } })),
      kept(
        'locks',
        JSON.stringify({
          ...NO_LOCKS,
          locks: [lock({ name: 'night' }), lock({ name: 'pause', pauses: true })],
        }),
      ),
      orderChange({ key: 'a', strategy: 'dip', market: 'BTCUSDT', state: 'open' }),
      intentChange({
        id: 'i',
        strategy: 'dip',
        market: 'BTCUSDT',
        atMs: FIRST_MS + 5 * HOUR_MS,
        status: 'refused',
        reason: 'too dear',
      }),
      intentChange({
        id: 'late',
        strategy: 'dip',
        market: 'BTCUSDT',
        atMs: FIRST_MS + 3 * HOUR_MS,
        status: 'done',
        reason: sentence('bracket-not-entered', { reason: 'NotSent: expired' }),
      }),
    ]);
    expect((await ask('--at', at(3))).out).toContain('was refused: not entered: NotSent: expired');
    const { out } = await ask();
    for (const reason of [
      'no bot runs',
      'it is halted: news',
      'does not decide: by hand',
      'night',
      'it waits for its 1 open',
      'was refused: too dear',
    ])
      expect(out).toContain(reason);
    expect(out.indexOf('night')).toBeLessThan(out.indexOf('nothing is held'));
    expect((await ask('--at', at(3))).out).not.toContain('halted');
  });

  test('of a universe answers for the member that is named', async () => {
    const member = { market: 'ETHUSDT', rank: 1, sinceMs: 1 };
    const universes = { 'dip/members': { members: [member], kept: ['BTCUSDT'] } };
    leave([kept('universes', JSON.stringify({ firstSeen: {}, universes }))], { market: null });
    expect(await ask('--market', 'ETHUSDT')).toEqual(printed('dip ETHUSDT 2024-01-01 04:00'));
    expect(await ask()).toEqual(failed(2, 'expected a market of dip (ETHUSDT, BTCUSDT), was none'));
    expect(await ask('--market', 'TRXUSDT')).toEqual(failed(2, 'was TRXUSDT'));
  });

  test('refuses a name that did not run, a file that is not known, and a configuration', async () => {
    leave();
    expect(await sarrafHere(['why', 'dip', '--data', folderOfThisTest()])).toEqual(
      failed(2, 'expected the folder of a bot that has run, found none at'),
    );
    expect(await sarrafHere(['why', 'dap', '--data', mirror.folder])).toEqual(
      failed(2, '(dip, old), was dap: did you mean dip?'),
    );
    expect(await sarrafHere(['why', 'old', '--data', mirror.folder])).toEqual(
      failed(2, 'expected the file of old'),
    );
    expect(await ask('--config', 'bot.yaml')).toEqual(failed(2, 'expected --config or --data, found both'));
    expect(await ask('--cash', '1')).toEqual(failed(2, 'found --data and --cash: leave one of them out'));
    expect(await ask('--at', '2023-01-01')).toEqual(
      failed(2, 'before 2023-01-01 UTC: the first one that is stored closed at 2024-01-01 01:00 UTC'),
    );
    expect(await ask('--at', '14:10')).toEqual(failed(2, 'write it such as 2024-03-01T14:10Z'));
  });

  test('finds the folder of the bot as other commands do', async () => {
    leave(BOUGHT);
    const config = join(folderOfThisTest(), 'bot.yaml');
    writeFileSync(config, `mode: embedded\ndata: { folder: ${JSON.stringify(mirror.folder)} }\n`);
    const missing = 'missing: close of bars is above 110';
    expect(await sarrafHere(['why', 'dip', '--config', config])).toEqual(printed(missing));
    vi.stubEnv('SARRAF_DATA', mirror.folder);
    expect(await sarrafHere(['why', 'dip'])).toEqual(printed(missing));
    vi.unstubAllEnvs();
  });

  test('shows the periods of its conditions; those of an exit count from what was held then', async () => {
    leave(BOUGHT);
    const file = join(mirror.folder, 'dip.ts');
    writeFileSync(file, DIP.replace('isAbove(110)', 'isAbove(102)'));
    const question = { dataFolder: mirror.folder, strategy: 'dip', market: 'BTCUSDT', atMs: null };
    const answer = await createRuleAnswers().get(question);
    // 104 is 5.05 % above 99, 103 is not; 101 came before the purchase.
    expect(answer).toMatchObject({
      rules: {
        periods: { knownSinceMs: hours(1, 2)[0], enter: [hours(2, 3)], exit: [hours(3, 4)] },
      },
    });
  });

  test('joins the periods of bars that follow each other, and not those around a missing bar', async () => {
    leave();
    mirror.write(
      [98, 97, 96].map((close, index): MirrorChange => {
        const price = decimalText(String(close));
        const openTimeMs = FIRST_MS + [4, 5, 7][index]! * HOUR_MS;
        const ohlc = { open: price, high: price, low: price, close: price };
        return {
          kind: 'candle',
          market: 'BTCUSDT',
          timeframe: '1h',
          candle: { openTimeMs, ...ohlc, volume: price },
        };
      }),
    );
    const question = { dataFolder: mirror.folder, strategy: 'dip', market: null, atMs: null };
    const answer = await createRuleAnswers().get(question);
    expect(answer).toMatchObject({
      rules: { periods: { enter: [hours(2, 3), hours(5, 7), hours(8, 9)], exit: [] } },
    });
  });

  test('is computed in a process of its own, which may loop', async () => {
    leave();
    const answers = createRuleAnswers();
    const question = { dataFolder: mirror.folder, strategy: 'dip', market: null, atMs: null };
    expect(await answers.get(question)).toMatchObject({ kind: 'rules', rules: { isHeld: false } });
    const file = join(mirror.folder, 'dip.ts');
    writeFileSync(
      file,
      `import { defineStrategy } from '#sdk';
export default defineStrategy({ name: 'dip', data: () => ({}), on: {} });`,
    );
    expect(await createRuleAnswers().get(question)).toEqual({
      kind: 'handlers',
    });
    writeFileSync(file, 'for (;;);');
    const looping = await createRuleAnswers({ longestMs: 1_000 }).get(question);
    expect(looping).toMatchObject({ kind: 'problem' });
  });
});
