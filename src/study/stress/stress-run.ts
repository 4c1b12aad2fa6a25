import type { BacktestRun } from '../../backtest/backtest-run.ts';
import { summaryOf } from '../../backtest/result/finish-run.ts';
import { roundTrips, type RoundTrip } from '../../backtest/metrics/round-trips.ts';
import { valuedFills } from '../../backtest/metrics/valued-fills.ts';
import { marketFor } from '../../backtest/setup/candle-backtest.ts';
import type { BotConfig } from '../../daemon/settings/create-bot-config.ts';
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
import { randomEntryPlan } from './random-entry-plan.ts';
import { randomEntryStrategy } from './random-entry-strategy.ts';
import { redrawnBars } from './redrawn-bars.ts';
import { redrawnSignals } from './redrawn-signals.ts';
import type { Cost, StressReport, StressTask, TradesAgain } from './stress-task.ts';
import { tradeChanges } from './trade-changes.ts';

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
