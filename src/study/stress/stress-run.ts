import type { BacktestRun } from '../../backtest/backtest-run.ts';
import { summaryOf } from '../../backtest/finish-run.ts';
import { roundTrips, type RoundTrip } from '../../backtest/round-trips.ts';
import { valuedFills } from '../../backtest/valued-fills.ts';
import { marketFor } from '../../backtest/candle-backtest.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { SarrafError } from '../../domain/errors.ts';
import { present } from '../../domain/invariant.ts';
import { createRandom } from '../../domain/random.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { failureReason } from '../trials/failure-reason.ts';
import { trialMetrics } from '../trials/trial-metrics.ts';
import { runOfSetup } from '../trials/run-of-setup.ts';
import { withParams, type CandleSetup, type TrialSetup } from '../trials/trial-setup.ts';
import { doubledBarRules, doubledFees, doubledPollRules } from './doubled-costs.ts';
import { heldPositions } from './held-positions.ts';
import { randomEntryPlan, type MarketPlan, type PlannedEntry } from './random-entry-plan.ts';
import { redrawnBars, barTimes, drawnOrder, type RedrawOptions } from './redrawn-bars.ts';
import type { Cost, StressReport, StressTask, TradesAgain } from './stress-task.ts';
import { numberOf } from '../../backtest/statistics.ts';
import type { Units } from '../../domain/money.ts';
import type { StrategyDefinition } from '../../strategy/definition.ts';
import type { StrategyContext } from '../../strategy/context.ts';
import type { FileSignal } from '../../backtest/read-signals.ts';
import type { CandleColumns } from '../../domain/candle-columns.ts';
import { rowFrom } from '../../recording/packed-market.ts';

/** Setup in which trials run, and the bot that runs them. */
interface StressPlace {
  readonly setup: TrialSetup;
  readonly config: BotConfig;
}

/** The run of a trial with one thing changed. Throws as `createBacktest` does. */
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

/** The same place with one thing changed. */
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
      // They listen to nobody.
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
  // Of one seed: both are drawn alike.
  const drawn = () => ({ fromMs, meanBlock, random: createRandom(seed) });
  return {
    candles: redrawnBars(markets, drawn()),
    signals: redrawnSignals(signals, candles, drawn()),
  };
}

/** One strategy in all markets that were traded, so that it has the whole account. */
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
 * initial equity with the profits of all trades that had ended before. Compounded they are the initial equity
 * with all profits, also if trades overlap. A change of zero equity is 0.
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

/** The name of the data of a market. */
const dataName = (market: string): string => `bars${market}`;

/**
 * Buys and sells by a plan, whatever the market does: the control that a strategy has to be better than. It
 * takes, with market orders, for the planned share of its equity or what is free.
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
 * Signals that move with the bars in which they came, as `redrawnBars` draws them with the same options: what
 * a signal says of the bars after it stays true within a block. One that is drawn twice comes twice, under
 * two ids; what came twice under one id still does. Those before the first bar are gone.
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
      drawn.push(moved(signal, { byMs, id }));
    }
  }
  return drawn;
}

const moved = (
  signal: FileSignal,
  { byMs, id }: { readonly byMs: number; readonly id: string },
): FileSignal => ({
  ...signal,
  id,
  atMs: signal.atMs + byMs,
  sentAtMs: signal.sentAtMs === null ? null : signal.sentAtMs + byMs,
});
