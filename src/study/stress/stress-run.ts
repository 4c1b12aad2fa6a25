import type { BacktestRun } from '../../backtest/backtest-run.ts';
import { summaryOf } from '../../backtest/finish-run.ts';
import { roundTrips, type RoundTrip } from '../../portfolio/round-trips.ts';
import { valuedFills } from '../../backtest/valued-fills.ts';
import { marketFor } from '../../backtest/candle-backtest.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { present, SarrafError, tooLarge } from '../../domain/errors.ts';
import { createRandom, type RandomSource } from '../../domain/random.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { failureReason } from '../trial-runner.ts';
import { trialMetrics } from '../objectives.ts';
import { runOfSetup, withParams, type CandleSetup, type TrialSetup } from '../trials/trial-setup.ts';
import {
  doubledBarRules,
  doubledFees,
  doubledPollRules,
  randomEntryPlan,
  type MarketPlan,
  type PlannedEntry,
} from './stress-runs.ts';
import {
  heldPositions,
  type Cost,
  type StressReport,
  type StressTask,
  type TradesAgain,
} from './stress-task.ts';
import { numberOf } from '../../backtest/statistics.ts';
import { type Units, UNIT_DECIMALS } from '../../domain/money.ts';
import type { StrategyDefinition } from '../../strategy/definition.ts';
import type { StrategyContext } from '../../strategy/context.ts';
import type { FileSignal } from '../../backtest/signals.ts';
import { type CandleColumns, columnScale, firstBarFrom } from '../../domain/candle-columns.ts';
import { rowFrom } from '../../recording/packed-market.ts';
import { stationaryBootstrap } from '../../statistics/stationary-bootstrap.ts';

/** Setup of a run, and the configuration of its bot. */
interface StressPlace {
  readonly setup: TrialSetup;
  readonly config: BotConfig;
}

/** Runs a trial with one thing changed. Throws as `createBacktest` does. */
export async function runStressTask(task: StressTask, of: StressPlace): Promise<StressReport> {
  const { setup, config } = changedBy(task, of);
  const run = await runOfSetup(setup, config);
  const stopped = run.strategies.find(({ failure }) => failure !== null);
  if (stopped !== undefined)
    return { kind: 'failed', failure: 'stopped', reason: failureReason(stopped.failure) };
  const valued = valuedFills(run);
  const all = roundTrips(valued.moved, valued.markets);
  const metrics = trialMetrics(summaryOf(run, all, valued.traded));
  return { kind: 'ran', metrics, trades: task.what === 'again' ? tradesOf(run, all.trips) : null };
}

/** Returns the setup and bot with the task's change. */
function changedBy(task: StressTask, place: StressPlace): StressPlace {
  const { setup, config } = place;
  switch (task.what) {
    case 'again':
      return { setup, config: withParams(config, task.params) };
    case 'costs':
      return withDoubledCosts({ setup, config: withParams(config, task.params) }, task.doubled);
    case 'bars': {
      const drawn = redrawn(task, { config, setup: onCandles(setup) });
      return { setup: { ...onCandles(setup), ...drawn }, config: withParams(config, task.params) };
    }
    case 'entries':
      // Random entries do not use signals.
      return {
        setup: { ...setup, signals: [] },
        config: withRandomEntries(config, task, onCandles(setup)),
      };
  }
}

function onCandles(setup: TrialSetup): CandleSetup {
  if (setup.fidelity === 'candles') return setup;
  throw new SarrafError('INVARIANT', 'expected a study on candles');
}

function withDoubledCosts({ setup, config }: StressPlace, doubled: readonly Cost[]): StressPlace {
  const { paper } = config;
  const fees = doubledFees(paper.fees, doubled);
  return {
    setup:
      setup.fidelity === 'candles'
        ? { ...setup, rules: doubledBarRules(setup.rules, doubled) }
        : { ...setup, rules: doubledPollRules(setup.rules, doubled) },
    config: { ...config, paper: { ...paper, fees } },
  };
}

function redrawn(
  { meanBlock, seed }: Extract<StressTask, { what: 'bars' }>,
  { setup, config }: StressPlace & { readonly setup: CandleSetup },
): Pick<CandleSetup, 'candles' | 'signals'> {
  const { candles, detail, signals, fromMs, steps } = setup;
  if (detail !== undefined) throw new SarrafError('INVARIANT', 'expected candles without a detail to redraw');
  const markets = candles.map((columns) => ({
    columns,
    priceStep: marketFor(columns.market, { config, steps }).priceStep,
  }));
  // One seed for both, so that bars and signals are drawn alike.
  const drawn = () => ({ fromMs, meanBlock, random: createRandom(seed) });
  return {
    candles: redrawnBars(markets, drawn()),
    signals: redrawnSignals(signals, candles, drawn()),
  };
}

/** Replaces the strategies by one for all traded markets, so that it has the whole account. */
function withRandomEntries(
  config: BotConfig,
  { held, seed }: Extract<StressTask, { what: 'entries' }>,
  { candles: bars, fromMs }: CandleSetup,
): BotConfig {
  const plan = randomEntryPlan(held, { bars, fromMs, random: createRandom(seed) });
  if (plan.kind === 'unknown') throw new SarrafError('INVARIANT', plan.message);
  const definition = randomEntryStrategy(plan.value);
  const first = present(config.strategies[0], 'a strategy');
  const market = parseMarket(present(plan.value[0], 'a market that was traded').market).symbol;
  const { name } = definition;
  const plugin = { kind: 'definition', definition } as const;
  return { ...config, strategies: [{ ...first, plugin, name, market, universe: null, params: {} }] };
}

function tradesOf(run: BacktestRun, trips: readonly RoundTrip[]): TradesAgain {
  const { markets, quote, curve, initialEquity } = run;
  const isOneCurrency = markets.every(({ market }) => market.quote === quote);
  const bars = markets.map(({ candles }) => candles);
  return {
    changes: tradeChanges(trips, initialEquity),
    held: isOneCurrency ? heldPositions(trips, { bars, curve, initialEquity }) : null,
  };
}

/**
 * Returns the change of equity by each closed trade, in the order in which they ended: its profit over the
 * initial equity plus the profits of all trades that ended before. Compounded they give the initial equity
 * plus all profits, even if trades overlap. The change is 0 if equity is not above 0.
 */
export function tradeChanges(trips: readonly RoundTrip[], initialEquity: Units): readonly number[] {
  const closed = trips
    .flatMap(({ closedAtMs, number, profit }) =>
      closedAtMs === null ? [] : [{ closedAtMs, number, profit }],
    )
    .toSorted((left, right) => left.closedAtMs - right.closedAtMs || left.number - right.number);
  let equity = initialEquity as bigint;
  return closed.map(({ profit }) => {
    const change = equity > 0n ? numberOf(profit) / numberOf(equity as Units) : 0;
    equity += profit;
    return change;
  });
}

const dataName = (market: string): string => `bars${market}`;

/**
 * Returns a strategy that trades by a plan, whatever the market does, as the control that a strategy has to
 * beat. It buys with market orders for the planned share of its equity, or for the free money if that is
 * less.
 */
function randomEntryStrategy(plans: readonly MarketPlan[]): StrategyDefinition {
  return {
    name: 'random',
    data: ({ markets, timeframe }) =>
      Object.fromEntries(
        plans.map(({ market }) => [dataName(market), markets.of(market).candles(timeframe)]),
      ),
    on: Object.fromEntries(plans.map(({ market, entries }) => [dataName(market), follow(market, entries)])),
  };
}

function follow(market: string, entries: readonly PlannedEntry[]): (ctx: StrategyContext) => void {
  const buys = new Map(entries.map((entry) => [entry.buyAtMs, entry.share]));
  const sales = new Set(entries.map(({ sellAtMs }) => sellAtMs));
  return (ctx) => {
    const share = buys.get(ctx.nowMs);
    if (share === undefined && !sales.has(ctx.nowMs)) return;
    const own = ctx.markets.of(market);
    if (share === undefined) {
      ctx.cancelAll(market);
      if (own.position > 0) own.sell({ amount: own.position });
      return;
    }
    const value = Math.min(share * (own.equity ?? 0), own.freeQuote);
    if (value > 0) own.buy({ value });
  };
}

/**
 * Moves signals along with the bars in which they arrived, as `redrawnBars` does with the same options:
 * within a block a signal keeps the bars that follow it. A signal drawn twice appears twice, under two ids;
 * two with one id still share one. Signals before the first bar are dropped.
 */
export function redrawnSignals(
  signals: readonly FileSignal[],
  markets: readonly CandleColumns[],
  of: RedrawOptions,
): readonly FileSignal[] {
  if (signals.length === 0) return signals;
  const times = barTimes(markets, of.fromMs);
  const own = Map.groupBy(
    signals,
    ({ atMs }) => rowFrom(times.length, (row) => times[row] ?? 0, atMs + 1) - 1,
  );
  const ids = new Map<string, string>();
  const drawn: FileSignal[] = [];
  for (const [place, source] of drawnOrder(times.length, of).entries()) {
    const byMs = (times[place] ?? 0) - (times[source] ?? 0);
    for (const signal of own.get(source) ?? []) {
      const key = `${byMs} ${signal.id}`;
      const id = ids.get(key) ?? `drawn-${ids.size + 1}`;
      ids.set(key, id);
      drawn.push({
        ...signal,
        id,
        atMs: signal.atMs + byMs,
        sentAtMs: signal.sentAtMs === null ? null : signal.sentAtMs + byMs,
      });
    }
  }
  return drawn;
}

/** Candles of a market, and its price step. */
interface SteppedBars {
  readonly columns: CandleColumns;
  readonly priceStep: Units;
}

/** Options for redrawing bars. */
interface RedrawOptions {
  readonly fromMs: number | null;
  readonly meanBlock: number;
  readonly random: RandomSource;
}

/** Returns another history of the same kind: blocks of bars redrawn by the stationary bootstrap. */
export function redrawnBars(markets: readonly SteppedBars[], of: RedrawOptions): readonly CandleColumns[] {
  const { fromMs } = of;
  const times = barTimes(
    markets.map(({ columns }) => columns),
    fromMs,
  );
  return barsInOrder(markets, { fromMs, order: drawnOrder(times.length, of) });
}

/** Returns, for each of `length` times in order, the index of the time whose bars it gets. */
function drawnOrder(
  length: number,
  { meanBlock, random }: Pick<RedrawOptions, 'meanBlock' | 'random'>,
): Int32Array {
  const order = new Int32Array(length);
  stationaryBootstrap({ length, meanBlock, random })(order);
  return order;
}

/** Returns the open times of all bars of any market from a time on, each once. */
export function barTimes(markets: readonly CandleColumns[], fromMs: number | null): Float64Array {
  const own = markets.map((columns) => columns.openTimeMs.subarray(firstOf(columns, fromMs), columns.length));
  const [only] = own;
  if (only !== undefined && own.length === 1) return only;
  const times = new Set<number>();
  for (const some of own) for (const time of some) times.add(time);
  return Float64Array.from(times).sort();
}

/**
 * Rearranges bars by `order`, whose entries are indexes in `barTimes`: at each time every market gets the bar
 * that it had at the drawn time, or none if it had none. So markets still move together.
 *
 * A bar keeps its ratios to the close before it, and its volume. Prices are chained from the close before the
 * range, or from the first open, and rounded to the market's step, at least one step. The chain itself is not
 * rounded, so roundings do not add up. Bars before the range stay as they are. Throws `TOO_LARGE` if a price
 * is beyond 2^53.
 */
export function barsInOrder(
  markets: readonly SteppedBars[],
  of: { readonly fromMs: number | null; readonly order: Int32Array },
): readonly CandleColumns[] {
  const times = barTimes(
    markets.map(({ columns }) => columns),
    of.fromMs,
  );
  return markets.map((market) => {
    const first = firstOf(market.columns, of.fromMs);
    return chained(market, first, times, sourcesOf(market.columns, first, times), of.order);
  });
}

const firstOf = (columns: CandleColumns, fromMs: number | null): number =>
  fromMs === null ? 0 : firstBarFrom(columns, fromMs);

/** Returns the index of the bar that a market has at each time; -1 if it has none. */
function sourcesOf({ openTimeMs, length }: CandleColumns, first: number, times: Float64Array): Int32Array {
  let next = first;
  return Int32Array.from(times, (time) => {
    if (next >= length || openTimeMs[next] !== time) return -1;
    next += 1;
    return next - 1;
  });
}

const PRICES = ['open', 'high', 'low', 'close'] as const;

function chained(
  { columns, priceStep }: SteppedBars,
  first: number,
  times: Float64Array,
  sources: Int32Array,
  order: Int32Array,
): CandleColumns {
  // As many decimals as both the prices and their step need.

  let decimals = columns.priceDecimals;
  while (decimals < UNIT_DECIMALS && priceStep % columnScale(decimals) !== 0n) decimals += 1;
  const priceDecimals = decimals;
  const scale = 10 ** (priceDecimals - columns.priceDecimals);
  const step = Number(priceStep / columnScale(priceDecimals));
  const longest = first + times.length;
  const made = {
    openTimeMs: new Float64Array(longest),
    open: new Float64Array(longest),
    high: new Float64Array(longest),
    low: new Float64Array(longest),
    close: new Float64Array(longest),
    volume: new Float64Array(longest),
  };
  for (const price of PRICES)
    for (let bar = 0; bar < first; bar += 1) made[price][bar] = cell(columns[price], bar) * scale;
  made.openTimeMs.set(columns.openTimeMs.subarray(0, first));
  made.volume.set(columns.volume.subarray(0, first));
  let length = first;
  let chain = columns.length === 0 ? 0 : closeBefore(columns, first) * scale;
  for (const [index, time] of times.entries()) {
    const source = cell(sources, cell(order, index));
    if (source === -1) continue;
    const ratio = chain / closeBefore(columns, source);
    for (const price of PRICES) made[price][length] = onStep(ratio * cell(columns[price], source), step);
    made.openTimeMs[length] = time;
    made.volume[length] = cell(columns.volume, source);
    chain = ratio * cell(columns.close, source);
    length += 1;
  }
  return { ...columns, ...made, priceDecimals, length };
}

/** Returns the close before a bar; for the first bar its own open. */
const closeBefore = ({ open, close }: CandleColumns, bar: number): number =>
  bar === 0 ? cell(open, 0) : cell(close, bar - 1);

function onStep(price: number, step: number): number {
  const found = Math.max(1, Math.round(price / step)) * step;
  if (Number.isSafeInteger(found)) return found;
  throw tooLarge(`expected a drawn price below 2^53 of its last decimal, was ${found}`);
}

const cell = (column: Float64Array | Int32Array, index: number): number =>
  present(column[index], 'a cell of every column for each bar');
