import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bollinger, defineIndicator, defineRules, sma, type Condition, type Series } from '#sdk';
import { CandleRunner, type CandleRun, type CandleRunOptions } from '../../src/backtest/candle-runner.ts';
import { PlotRecorder } from '../../src/backtest/backtest-run.ts';
import type { CandleColumns } from '../../src/domain/candle-columns.ts';
import type { MarketSymbol } from '../../src/domain/market-symbol.ts';
import { createMarket } from '../../src/domain/market.ts';
import { parseUnits } from '../../src/domain/money.ts';
import { DEFAULT_ENGINE_TIMES } from '../../src/engine/engine-settings.ts';
import { EMPTY_MIRROR_STATE } from '../../src/engine/mirror-change.ts';
import type { LockRule } from '../../src/engine/lock.ts';
import { createRiskLimits, type RiskLimits } from '../../src/engine/risk-limits.ts';
import { BarFillSimulator } from '../../src/venues/bar-fill-simulator.ts';
import type { StrategyDefinition } from '../../src/strategy/definition.ts';
import { barColumns } from '../support/bar-columns.ts';
import { instanceOf, runnerOn } from '../support/runner-on.ts';
import { randomOf, type Random } from './bar-order.ts';
import { watchRules, type RuleMoment } from '../../src/strategy/rules.ts';
import type { RuleNode } from '../../src/strategy/rules/expression.ts';
import { StrategyRunner } from '../../src/strategy/runner.ts';
import type { ClosedCandle } from '../../src/strategy/strategy-event.ts';
import { MARKET_NAMES, parseMarket } from '../../src/exchange/market-names.ts';
import { deepRuns } from '../support/deep-runs.ts';
import { closedCandle, engineView } from '../unit/strategy/engine-view.ts';

const HOUR_MS = 3_600_000;
const FROM_MS = 1_704_067_200_000;
const SETUP = { market: 'BTCIRT', timeframe: '1h', marketNames: MARKET_NAMES } as const;

type Now = Readonly<Record<string, Readonly<Record<string, Series>> & Series>>;

/** A drawn expression: how it is written in rules, since series exist only while they are compiled. */
type Written<Of> = (now: Now) => Of;

const bars = fc.integer({ min: 1, max: 4 });
const leaf: fc.Arbitrary<Written<Series>> = fc.constantFrom(
  (now) => now['bars']!['close']!,
  (now) => now['bars']!['high']!,
  (now) => now['slow']!['close']!,
  (now) => now['average']!,
  (now) => now['band']!['lower']!,
);
const operand = fc.oneof(leaf, fc.integer({ min: 95, max: 105 }), fc.constant(0));

const { condition } = fc.letrec<{ series: Written<Series>; condition: Written<Condition> }>((tie) => {
  const two = (does: 'plus' | 'minus' | 'times' | 'over' | 'atLeast' | 'atMost') =>
    fc.tuple(tie('series'), operand).map(
      ([left, right]): Written<Series> =>
        (now) =>
          left(now)[does](typeof right === 'number' ? right : right(now)),
    );
  const window = (does: 'highest' | 'lowest' | 'before') =>
    fc.tuple(tie('series'), bars).map(
      ([of, count]): Written<Series> =>
        (now) =>
          of(now)[does](count),
    );
  const compared = (does: 'isAbove' | 'isBelow' | 'crossesAbove' | 'crossesBelow') =>
    fc.tuple(tie('series'), operand).map(
      ([left, right]): Written<Condition> =>
        (now) =>
          left(now)[does](typeof right === 'number' ? right : right(now)),
    );
  const joined = (does: 'and' | 'or') =>
    fc.tuple(tie('condition'), tie('condition')).map(
      ([left, right]): Written<Condition> =>
        (now) =>
          left(now)[does](right(now)),
    );
  const since = fc.tuple(tie('condition'), bars).map(
    ([of, count]): Written<Series> =>
      (now) =>
        of(now).barsSince(count),
  );
  return {
    series: fc.oneof(
      { maxDepth: 3 },
      leaf,
      ...(['plus', 'minus', 'times', 'over', 'atLeast', 'atMost'] as const).map(two),
      ...(['highest', 'lowest', 'before'] as const).map(window),
      since,
    ),
    condition: fc.oneof(
      { maxDepth: 3 },
      ...(['isAbove', 'isBelow', 'crossesAbove', 'crossesBelow'] as const).map(compared),
      ...(['and', 'or'] as const).map(joined),
      tie('condition').map(
        (of): Written<Condition> =>
          (now) =>
            of(now).not(),
      ),
    ),
  };
});

/** Hours whose closes often repeat, so that averages touch prices; some hours are missing. */
const hours = fc.array(fc.record({ close: fc.integer({ min: 97, max: 103 }), isMissing: fc.nat(9) }), {
  minLength: 8,
  maxLength: 40,
});

/** Candles of an hour and of four hours in the order in which they close; the longer one comes first. */
function candlesOf(drawn: readonly { readonly close: number; readonly isMissing: number }[]): ClosedCandle[] {
  return drawn.flatMap(({ close, isMissing }, hour) => {
    const at = { openTimeMs: hour * HOUR_MS, closeTimeMs: (hour + 1) * HOUR_MS };
    const slow = { openTimeMs: (hour - 3) * HOUR_MS, closeTimeMs: at.closeTimeMs, timeframe: '4h' } as const;
    const high = closedCandle(close + 1).high;
    return [
      ...(hour % 4 === 3 ? [closedCandle(close - 1, slow)] : []),
      ...(isMissing === 0 ? [] : [closedCandle(close, { ...at, high })]),
    ];
  });
}

/** Reads the rules of a drawn condition at each of its hours. */
function readAt<Value>(
  written: Written<Condition>,
  candles: readonly ClosedCandle[],
  read: (moment: RuleMoment) => Value,
): Value[] {
  const values: Value[] = [];
  const rules = defineRules({
    name: 'drawn',
    data: ({ market }) => ({ bars: market.candles('1h'), slow: market.candles('4h') }),
    indicators: ({ bars: of, slow }) => ({ average: sma(of, 3), band: bollinger(slow, 2) }),
    enter: (now) => written(now as unknown as Now),
    size: { amount: 1 },
  });
  const runner = new StrategyRunner(
    watchRules(rules, (moment) => void values.push(read(moment)), { trades: false }),
    SETUP,
  );
  for (const candle of candles) runner.handle({ kind: 'candle', candle }, engineView());
  expect(runner.failure).toBeNull();
  return values;
}

/** The value of a node by its definition, from all that was known at a bar: slow, and without memory. */
class Oracle {
  private readonly seen: readonly ClosedCandle[];

  constructor(seen: readonly ClosedCandle[]) {
    this.seen = seen;
  }

  private of(timeframe: string): readonly number[] {
    return this.seen.filter((one) => one.timeframe === timeframe).map(({ close }) => Number(close));
  }

  /** True if a node is computed at the bars of four hours. */
  private isSlow(node: RuleNode): boolean {
    switch (node.kind) {
      case 'bar':
        return node.data === 'slow';
      case 'indicator':
        return node.name === 'band';
      case 'number':
      case 'clock':
      case 'moment':
        return false;
      case 'arithmetic':
      case 'compare': {
        const parts = [node.left, node.right].filter(({ kind }) => kind !== 'number');
        return parts.length > 0 && parts.every((one) => this.isSlow(one));
      }
      case 'window':
      case 'since':
      case 'not':
        return this.isSlow(node.of);
      case 'all':
      case 'any':
        return node.of.every((one) => this.isSlow(one));
    }
  }

  /** The state of knowledge some bars of the node's own candles before. */
  private before(node: RuleNode, count: number): Oracle | null {
    const timeframe = this.isSlow(node) ? '4h' : '1h';
    let { length } = this.seen;
    // A bar of four hours that came after the last hour is not undone with that hour.
    while (length > 0 && this.seen[length - 1]!.timeframe !== timeframe) length -= 1;
    for (let left = count; left > 0; left -= 1) {
      length -= 1;
      while (length > 0 && this.seen[length - 1]!.timeframe !== timeframe) length -= 1;
      if (length <= 0) return null;
    }
    return new Oracle(this.seen.slice(0, length));
  }

  valueOf(node: RuleNode): number {
    const at = (one: RuleNode, count: number): number => this.before(node, count)?.valueOf(one) ?? Number.NaN;
    const here = (one: RuleNode): number => at(one, 0);
    switch (node.kind) {
      case 'number':
        return node.value;
      case 'clock':
      case 'moment':
        return Number.NaN;
      case 'bar': {
        const closes = this.of(node.data === 'slow' ? '4h' : '1h');
        return (closes.at(-1) ?? Number.NaN) + (node.field === 'high' ? 1 : 0);
      }
      case 'indicator': {
        const isBand = node.name === 'band';
        const closes = this.of(isBand ? '4h' : '1h').slice(isBand ? -2 : -3);
        if (closes.length < (isBand ? 2 : 3)) return Number.NaN;
        const mean = closes.reduce((sum, one) => sum + one, 0) / closes.length;
        const square = closes.reduce((sum, one) => sum + (one - mean) ** 2, 0) / closes.length;
        return isBand ? mean - 2 * Math.sqrt(square) : mean;
      }
      case 'arithmetic': {
        const [left, right] = [here(node.left), here(node.right)];
        const all = { plus: left + right, minus: left - right, times: left * right, over: left / right };
        const more = { atLeast: Math.max(left, right), atMost: Math.min(left, right) };
        return finite({ ...all, ...more }[node.does]);
      }
      case 'compare': {
        const [left, right] = [here(node.left), here(node.right)];
        const [wasLeft, wasRight] = [at(node.left, 1), at(node.right, 1)];
        const isCross = node.does.startsWith('crosses');
        if ([left, right, ...(isCross ? [wasLeft, wasRight] : [])].some(Number.isNaN)) return Number.NaN;
        return Number(
          {
            isAbove: left > right,
            isBelow: left < right,
            crossesAbove: wasLeft <= wasRight && left > right,
            crossesBelow: wasLeft >= wasRight && left < right,
          }[node.does],
        );
      }
      case 'window': {
        if (node.does === 'before') return at(node.of, node.bars);
        const values = Array.from({ length: node.bars }, (_, count) => at(node.of, count));
        return node.does === 'highest' ? Math.max(...values) : Math.min(...values);
      }
      case 'since': {
        for (let count = 0; count <= node.bars; count += 1) {
          const value = at(node.of, count);
          if (value !== 0) return value === 1 ? count : Number.NaN;
        }
        return Number.NaN;
      }
      case 'not':
        return 1 - here(node.of);
      case 'all':
      case 'any': {
        const decisive = node.kind === 'all' ? 0 : 1;
        const values = node.of.map(here);
        if (values.includes(decisive)) return decisive;
        return values.some(Number.isNaN) ? Number.NaN : 1 - decisive;
      }
    }
  }
}

const finite = (value: number): number => (Number.isFinite(value) ? value : Number.NaN);

const enterOf = ({ reading, rules }: RuleMoment): number => reading.read(rules.enter);

test('rules are what their definition says of the bars so far: unknown, true or false', () => {
  fc.assert(
    fc.property(condition, hours, (written, drawn) => {
      const candles = candlesOf(drawn);
      const [node] = readAt(written, candles, ({ rules }) => rules.enter);
      if (node === undefined) return;
      const expected = candles.flatMap((candle, index) =>
        candle.timeframe === '1h' ? [new Oracle(candles.slice(0, index + 1)).valueOf(node)] : [],
      );
      expect(readAt(written, candles, enterOf)).toEqual(expected);
    }),
    { numRuns: deepRuns(300, 150) },
  );
});

test('rules do not depend on bars to come', () => {
  fc.assert(
    fc.property(condition, hours, fc.nat(), (written, drawn, at) => {
      const candles = candlesOf(drawn);
      const early = readAt(written, candles.slice(0, at % candles.length), enterOf);
      expect(readAt(written, candles, enterOf).slice(0, early.length)).toEqual(early);
    }),
    { numRuns: deepRuns(200, 100) },
  );
});

test('rules that begin later are the same, once they have seen the bars that they need', () => {
  fc.assert(
    fc.property(condition, hours, fc.nat(12), (written, drawn, late) => {
      const candles = candlesOf(drawn);
      // From the end of four hours on, so that both runs know the same last bars of four hours.
      const rest = candles.slice(candles.findIndex((one) => one.openTimeMs >= late * 4 * HOUR_MS));
      const needs = readAt(written, candles, ({ rules }) => rules.settledAfter)[0];
      const slow = needs?.get('slow') ?? 0;
      const hour = needs?.get('rules') ?? 0;
      const skipped = hour + 4 * (slow + 1);
      const all = readAt(written, candles, enterOf);
      const some = readAt(written, rest, enterOf);
      expect(some.slice(skipped)).toEqual(all.slice(all.length - some.length).slice(skipped));
    }),
    { numRuns: deepRuns(200, 100) },
  );
});

/** Hours of a market with gaps between them, whose closes cross averages often. */
function columnsOf(symbol: MarketSymbol, random: Random, hours = 150): CandleColumns {
  const rows: number[][] = [];
  let last = 10_000;
  for (let hour = random(6); hour < hours; hour += random(9) === 0 ? 3 : 1) {
    const open = last + (random(6) === 0 ? random(401) - 200 : random(21) - 10);
    const close = Math.max(5_000, open + random(301) - 150);
    const [high, low] = [Math.max(open, close) + random(60), Math.min(open, close) - random(60)];
    rows.push([FROM_MS + hour * HOUR_MS, open, high, low, close, 1_000]);
    last = close;
  }
  return barColumns(symbol, '1h', rows, { priceDecimals: 2 });
}

/** A drawn strategy of rules: conditions, what of the position its exit needs, and its purchases. */
const terms = fc.record({
  enter: condition,
  exit: condition,
  position: fc.constantFrom('none', 'barsHeld', 'profitPercent'),
  more: fc.constantFrom({}, { bracket: { stopLoss: { percent: 1 }, takeProfit: { percent: 2 } } }),
  /** The least share buys little more than the least value of an order. */
  share: fc.constantFrom(0.00505, 0.3, 1),
});
type Terms = typeof terms extends fc.Arbitrary<infer Value> ? Value : never;

const rulesWith = ({ enter, exit, position, more, share }: Terms): StrategyDefinition =>
  defineRules({
    name: 'drawn',
    data: ({ market }) => ({ bars: market.candles('1h'), slow: market.candles('4h') }),
    indicators: ({ bars: of, slow }) => ({ average: sma(of, 3), band: bollinger(slow, 2) }),
    enter: (now) => enter(now as unknown as Now),
    exit: (now, { position: held }) => {
      const drawn = exit(now as unknown as Now);
      return position === 'none' ? drawn : drawn.or(held[position].isAbove(2));
    },
    size: (_, { account }) => ({ value: account.freeQuote.times(share) }),
    ...more,
  });

const limits: fc.Arbitrary<Partial<RiskLimits>> = fc.constantFrom(
  {},
  { maxDailyLoss: { usdt: parseUnits('5') } },
  { maxDrawdown: { usdt: parseUnits('9') } },
  { lossCooldown: { losses: 2, pauseMs: 7 * HOUR_MS } },
);
const lock = {
  name: 'pause',
  strategy: null,
  entries: 'cancel' as const,
  withinMs: 20 * HOUR_MS,
  forMs: 9 * HOUR_MS,
};
const locks: fc.Arbitrary<readonly LockRule[]> = fc.constantFrom(
  [],
  [{ ...lock, kind: 'drawdown', fallMillionths: 10_000, reach: 'all' } as const],
  [{ ...lock, kind: 'cooldown' } as const],
  [{ ...lock, kind: 'stops', stops: 1, reach: 'strategy' } as const],
);

const NO_RESTARTS: NonNullable<CandleRunOptions['restarts']> = {
  atMs: [],
  ending: 'killed',
  state: { apply: () => undefined, load: () => ({ ...EMPTY_MIRROR_STATE, epoch: 'back' }) },
  newInstances: () => [],
};

/** Runs strategies of rules, each in a market of its own. An engine that can restart rests at no bar. */
function runRules(
  drawn: readonly StrategyDefinition[],
  of: {
    readonly seed: number;
    readonly hours?: number;
    readonly limits?: Partial<RiskLimits>;
    readonly locks?: readonly LockRule[];
  },
  rests: boolean,
): { readonly run: CandleRun; readonly plots: unknown } {
  const random = randomOf(of.seed);
  const markets = drawn.map((_, index) => {
    const symbol = index === 0 ? 'BTCUSDT' : 'ETHUSDT';
    const market = createMarket({
      market: parseMarket(symbol),
      priceStep: '0.01',
      amountStep: '0.0001',
      minOrderValue: '5',
    });
    return { market, columns: columnsOf(market.symbol, random, of.hours) };
  });
  const recorders = drawn.map(() => new PlotRecorder());
  const instances = drawn.map((one, index) => {
    const runner = runnerOn(one, markets[index]?.market.symbol ?? '', '1h', {
      name: `drawn-${index}`,
      hasBooks: false,
    });
    runner.plots = recorders[index] ?? null;
    return instanceOf(runner, { limits: { ...createRiskLimits(), ...of.limits } });
  });
  const rates = { maker: 1_000, taker: 1_500 };
  const run = new CandleRunner({
    settings: { ...DEFAULT_ENGINE_TIMES, instance: 'back', instances, locks: of.locks ?? [] },
    markets,
    venue: new BarFillSimulator({
      markets: markets.map(({ market }) => market),
      fees: { rls: rates, usdt: rates },
      balances: { usdt: parseUnits('1000') },
      rules: { volumeShareMillionths: null },
    }),
    quote: 'usdt',
    fromMs: FROM_MS + 9 * HOUR_MS,
    ...(rests ? {} : { restarts: NO_RESTARTS }),
  }).run();
  return { run, plots: recorders.map((recorder) => recorder.series('drawn')) };
}

test('a run in which engine and rules rest is the run in which each bar is processed', () => {
  let [orders, runs] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(terms, { minLength: 1, maxLength: 2 }),
      fc.record({ seed: fc.nat(), limits, locks }),
      (drawn, of) => {
        const strategies = (): StrategyDefinition[] => drawn.map(rulesWith);
        const resting = runRules(strategies(), of, true);
        expect(resting).toEqual(runRules(strategies(), of, false));
        orders += resting.run.orders.length;
        runs += 1;
      },
    ),
    { numRuns: deepRuns(60, 40) },
  );
  // Most drawn conditions are true now and then.
  expect(orders).toBeGreaterThan(runs);
});

/** Rules that wait for hundreds of bars, on an indicator of their own, which may throw at one of them. */
const patient = (throwsAt = Infinity): StrategyDefinition => {
  const rise = defineIndicator({
    name: 'rise',
    init: () => ({ bars: 0, least: Infinity }),
    next: (state, { close }) => {
      state.bars += 1;
      if (state.bars === throwsAt) throw new Error('no such bar');
      state.least = Math.min(state.least * 1.0001, close);
      return close / state.least;
    },
    warmUp: () => 1,
  });
  return defineRules({
    name: 'patient',
    data: ({ market }) => ({ bars: market.candles('1h') }),
    indicators: ({ bars: of }) => ({ average: sma(of, 300), rise: rise(of) }),
    enter: ({ bars: { close }, average, rise: from }) => close.crossesAbove(average).and(from.isAbove(1.08)),
    exit: ({ rise: from }, { position }) => from.isBelow(1.02).or(position.barsHeld.isAbove(900)),
    size: { equityShare: 0.5 },
  });
};

test('a run over more bars than are read ahead at once is the same', () => {
  const of = { seed: 7, hours: 30_000 };
  const { run, plots } = runRules([patient()], of, true);
  expect({ run, plots }).toEqual(runRules([patient()], of, false));
  expect(run.fills.length).toBeGreaterThan(5);
});

test('an indicator that throws stops its strategy at the bar, which was read ahead', () => {
  const of = { seed: 7, hours: 9_000 };
  const run = (rests: boolean) => runRules([patient(5_000), patient()], of, rests);
  expect(run(true)).toEqual(run(false));
  expect([...run(true).run.failures]).toEqual([['drawn-0', 'indicators: next of rise: no such bar']]);
});
