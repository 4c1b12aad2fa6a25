import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { barRulesOf } from '../../../../src/backtest/run-setup.ts';
import type { CandleColumns } from '../../../../src/domain/candle-columns.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { createRandom } from '../../../../src/domain/random.ts';
import type {
  PastPosition,
  MarketPositions,
  StressReport,
  StressTask,
} from '../../../../src/study/stress/stress-task.ts';
import { asGoodAs } from '../../../../src/study/stress-findings.ts';
import { redrawnBars } from '../../../../src/study/stress/stress-run.ts';
import { TrialBench } from '../../../../src/study/trials/trial-bench.ts';
import type { CandleSetup } from '../../../../src/study/trials/trial-setup.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import { deepRuns } from '../../../support/deep-runs.ts';
import { FROM_MS, TETHER, walkOf } from '../../backtest/candle-run.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';

/** A strategy that holds while the last bar has risen. */
const RISES = `import { z } from 'zod';
import { defineStrategy } from '#sdk';
export default defineStrategy({
  name: 'rises',
  params: z.strictObject({}),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  on: {
    bars({ position, isTradable, equity, buy, sell }, { open, close }) {
      const holds = isTradable(position, close);
      if (close > open && !holds) buy({ value: equity / 2 });
      if (close <= open && holds) sell({ amount: position });
    },
  },
});
`;

const BARS = 300;
const walk = walkOf(TETHER, { bars: BARS, seed: 1, price: 500 });

/** Draws a nearly normal number: the sum of twelve uniform ones, less six. */
function gaussOf(random: { next(): number }): number {
  let sum = -6;
  for (let draw = 0; draw < 12; draw += 1) sum += random.next();
  return sum;
}

/**
 * Makes bars whose returns correlate with the one before: 0 is noise, 0.4 an edge for those who follow the
 * last bar. The last price is the first one.
 */
function made(seed: number, correlation: number): CandleColumns {
  const random = createRandom(7_919 * seed + 1);
  const returns = new Float64Array(BARS);
  for (let bar = 0; bar < BARS; bar += 1)
    returns[bar] = correlation * (returns[bar - 1] ?? 0) + 0.006 * gaussOf(random);
  const drift = returns.reduce((sum, value) => sum + value, 0) / BARS;
  let price = 50_000;
  const close = returns.map((value) => Math.round((price *= Math.exp(value - drift))));
  const open = close.map((_, bar) => close[bar - 1] ?? 50_000);
  const high = open.map((value, bar) => Math.max(value, close[bar] ?? 0));
  const low = open.map((value, bar) => Math.min(value, close[bar] ?? 0));
  return { ...walk, open, high, low, close };
}

const still: CandleColumns = { ...walk, ...flatPrices() };

function flatPrices(): Pick<CandleColumns, 'open' | 'high' | 'low' | 'close'> {
  const flat = new Float64Array(BARS).fill(50_000);
  return { open: flat, high: flat, low: flat, close: flat };
}

const folder = folderOfAllTests();
let strategy: string;
beforeAll(() => {
  strategy = join(folder, 'rises.ts');
  writeFileSync(strategy, RISES);
});

const benchOf = (columns: CandleColumns, fee?: string): TrialBench => new TrialBench(setupOf([columns], fee));

function setupOf(candles: readonly CandleColumns[], fee = '0.1'): CandleSetup {
  const rates = { maker: fee, taker: fee };
  const strategies = candles.map(({ market }, index) => ({
    plugin: strategy,
    name: `rises-${index + 1}`,
    market,
    timeframe: '1h',
  }));
  return {
    overrides: [
      ['strategies', JSON.stringify(strategies)],
      ['paper.balances', JSON.stringify({ usdt: 10_000 })],
      ['paper.fees', JSON.stringify({ rls: rates, usdt: rates })],
    ],
    timeframe: '1h',
    currency: null,
    steps: { price: '0.01', amount: '0.000001' },
    fidelity: 'candles',
    rules: barRulesOf({}),
    candles,
    signals: [],
    fromMs: null,
    toMs: null,
  };
}

async function ran(bench: TrialBench, task: StressTask): Promise<Extract<StressReport, { kind: 'ran' }>> {
  const report = await bench.stress(task);
  if (report.kind === 'failed') throw new Error(report.reason);
  return report;
}

const returnOf = ({ metrics }: Extract<StressReport, { kind: 'ran' }>): number =>
  metrics['totalReturn'] ?? Number.NaN;

async function controls(
  bench: TrialBench,
  held: readonly MarketPositions[],
  draws: number,
): Promise<readonly number[]> {
  const found: number[] = [];
  for (let seed = 1; seed <= draws; seed += 1)
    found.push(returnOf(await ran(bench, { what: 'entries', held, seed: 104_729 * seed })));
  return found;
}

/** True if none of 19 random controls does as well, which noise achieves with a chance of 1 in 20. */
async function isBetter(seed: number, correlation: number): Promise<boolean> {
  const bench = benchOf(made(seed, correlation));
  const trial = await ran(bench, { what: 'again', params: {} });
  const held = trial.trades?.held ?? [];
  for (let draw = 1; draw <= 19; draw += 1) {
    const control = await ran(bench, { what: 'entries', held, seed: 104_729 * draw });
    if (asGoodAs(returnOf(trial), [returnOf(control)], 'maximize') > 0) return false;
  }
  return true;
}

const positions: readonly PastPosition[] = Array.from({ length: 20 }, (_, index) => ({
  heldBars: 2 + (index % 7),
  share: 0.2,
}));
const held = [{ market: 'BTCUSDT', positions }];

/** Return after the fees, 0.1 % each, of twenty purchases and sales of a fifth of the equity. */
const COSTS = (1 - 0.2 * (1 - 0.999 ** 2)) ** 20 - 1;

describe('random entries', () => {
  test('pay their costs and nothing else where prices stand still', async () => {
    const bench = benchOf(still);
    for (const found of await controls(bench, held, 5)) expect(found).toBeCloseTo(COSTS, 5);
    for (const found of await controls(benchOf(still, '0'), held, 2)) expect(found).toBe(0);
  });

  test('lose their costs on the mean where prices go nowhere', async () => {
    const found: number[] = [];
    for (let seed = 1; seed <= deepRuns(3); seed += 1)
      found.push(...(await controls(benchOf(made(seed, 0)), held, 20)));
    const mean = found.reduce((sum, one) => sum + one, 0) / found.length;
    const deviation = Math.sqrt(found.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (found.length - 1));
    const error = deviation / Math.sqrt(found.length);
    expect(Math.abs(mean - COSTS)).toBeLessThan(3 * error);
    // The error is small beside the costs, so a mean without costs would be noticed.
    expect(Math.abs(mean)).toBeGreaterThan(3 * error);
  });

  test('trade as often and as long as the trial that they are the control of', async () => {
    const bench = benchOf(made(2, 0));
    const trial = await ran(bench, { what: 'again', params: {} });
    const control = await ran(bench, { what: 'entries', held: trial.trades?.held ?? [], seed: 5 });
    const [one, other] = [trial.metrics, control.metrics];
    const count = ({ trades, openTrades }: typeof one): number => (trades ?? 0) + (openTrades ?? 0);
    expect(count(one)).toBeGreaterThan(50);
    expect(count(other)).toBe(count(one));
    expect(other['exposure']).toBeCloseTo(one['exposure'] ?? 0, 2);
    expect((other['turnover'] ?? 0) / (one['turnover'] ?? 1)).toBeCloseTo(1, 1);
  });

  test('are worse than a planted edge in every data set, and than noise in as many as chance says', async () => {
    const seeds = Array.from({ length: deepRuns(6, 4) }, (_, index) => index + 1);
    const better = { edge: 0, noise: 0 };
    for (const seed of seeds) {
      if (await isBetter(seed, 0.5)) better.edge += 1;
      if (await isBetter(seed, 0)) better.noise += 1;
    }
    expect(better.edge).toBe(seeds.length);
    // Chance gives 1 in 20; three standard deviations above that are too many.
    const byChance = seeds.length / 20;
    expect(better.noise).toBeLessThan(byChance + 3 * Math.sqrt(0.95 * byChance));
  });
});

describe('a study of two markets, whose range begins later than its candles', () => {
  const others = { ...made(3, 0.3), market: parseMarket('ETHUSDT').symbol };
  const setup = (): CandleSetup => ({
    ...setupOf([made(2, 0.3), others]),
    fromMs: FROM_MS + 50 * 3_600_000,
  });

  test('has its controls in both, through one account', async () => {
    const bench = new TrialBench(setup());
    const trial = await ran(bench, { what: 'again', params: {} });
    const traded = trial.trades?.held ?? [];
    expect(traded.map(({ market }) => market)).toEqual(['BTCUSDT', 'ETHUSDT']);
    const control = await ran(bench, { what: 'entries', held: traded, seed: 9 });
    const count = ({ trades, openTrades }: typeof trial.metrics): number => (trades ?? 0) + (openTrades ?? 0);
    expect(count(control.metrics)).toBe(count(trial.metrics));
    expect(count(trial.metrics)).toBe(traded.reduce((sum, one) => sum + one.positions.length, 0));
  });

  test('runs on redrawn candles of both as a trial would that is given them', async () => {
    const own = setup();
    const task = { what: 'bars', params: {}, meanBlock: 10, seed: 77 } as const;
    const { metrics } = await ran(new TrialBench(own), task);
    const markets = own.candles.map((columns) => ({ columns, priceStep: parseUnits('0.01') }));
    const candles = redrawnBars(markets, { fromMs: own.fromMs, meanBlock: 10, random: createRandom(77) });
    expect(await new TrialBench({ ...own, candles }).run({})).toMatchObject({ kind: 'ran', metrics });
    const again = await ran(new TrialBench(own), { what: 'again', params: {} });
    expect(again.metrics['totalReturn']).not.toBe(metrics['totalReturn']);
  });
});
