import { z } from 'zod';
import { problemLines } from '../configuration/load-yaml.ts';
import { openCatalogue } from '../daemon/open-catalogue.ts';
import type { BotConfig } from '../daemon/create-bot-config.ts';
import { invalidOptions } from '../domain/errors.ts';
import type { QuoteCurrency } from '../exchange/market-names.ts';
import { timeframeMs, type Timeframe } from '../domain/candle.ts';
import type { StrategyDefinition } from '../strategy/definition.ts';
import { defined } from '../simulator-server/market-config.ts';
import { DEFAULT_CANDLE_RULES, type BarRules, type PollRules } from '../venues/fill-rules.ts';
import type { BacktestResult } from './result-schema.ts';
import type { BacktestRequest } from './candle-backtest.ts';
import { cellsOf, type Candles, type Moment } from './research-candles.ts';
import { catalogueRecordings } from './recordings.ts';
import { readGivenSignals, type BacktestSignal } from './signals.ts';
import { runShape } from './run-schema.ts';
import { accountOverrides, botConfigOf } from './run-setup.ts';
import { runConfigured, type ConfiguredBacktest } from './run-configured.ts';
import type { BacktestRun } from './backtest-run.ts';
import { finishRun, type FinishedRun } from './finish-run.ts';
import { FILL_TABLE, LOCK_TABLE, MEMBER_TABLE, ORDER_TABLE, TRIP_TABLE } from './result/result-tables.ts';

export interface BacktestStrategy {
  /** Path of its file, name of a bundled strategy, or a result of `defineStrategy`. */
  readonly strategy: string | StrategyDefinition;
  readonly market: string;
  /** Timeframe of its candles; default: that of the given candles, or an hour on a recording. */
  readonly timeframe?: Timeframe;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Amounts from the balances that it may sell without having bought them: `{ btc: 0.5 }`. */
  readonly inventory?: Readonly<Record<string, number | string>>;
  /** Name of this instance; required where one strategy runs twice. */
  readonly name?: string;
}

/** Market data of a backtest, and the rules by which orders fill on it. */
export type BacktestMarkets =
  | {
      /** Candles of every market that a strategy subscribes to. */
      readonly candles: readonly Candles[];
      /**
       * Finer candles of the same markets, all of one timeframe. Where they agree with a candle, the price
       * path inside it follows them. They may have gaps, and strategies do not see them.
       */
      readonly detail?: readonly Candles[];
      /** Rules for how orders fill inside candles. */
      readonly rules?: Partial<BarRules>;
      readonly recording?: undefined;
    }
  | {
      /**
       * Catalogue folder with recorded books and trades of every market that a strategy subscribes to. The
       * whole bot runs on them, with the limits of the exchange.
       */
      readonly recording: string;
      /** Rules for how orders fill in the recorded market, and for the latency of requests. */
      readonly rules?: Partial<PollRules>;
      readonly candles?: undefined;
      readonly detail?: undefined;
    };

/** Options of a backtest. Amounts of money are numbers or decimal texts. */
export type BacktestOptions = BacktestMarkets & {
  readonly strategies: readonly BacktestStrategy[];
  /** Initial balances of the account, by currency: `{ usdt: 10_000 }`. */
  readonly balances: Readonly<Record<string, number | string>>;
  /** Fee of makers and takers in percent, 0 to 100, up to four decimals. Default: the exchange's. */
  readonly feePercent?: number;
  /** First moment that is traded; earlier data only warms up indicators. */
  readonly from?: Moment;
  readonly to?: Moment;
  /** Currency of the results; default: rial where any market is priced in it, else tether. */
  readonly currency?: QuoteCurrency;
  /** External signals to strategies, with their times: the path of a file, or a list. */
  readonly signals?: string | readonly BacktestSignal[];
  /** Steps of a market that the embedded exchange does not know. */
  readonly steps?: BacktestRequest['steps'];
  /** Called from time to time: processed candles, or books and trades, and the share done, 0 to 1. */
  readonly onProgress?: (done: number, share: number) => void;
};

/** Result of a backtest, and the whole equity curve. */
export interface BacktestOutcome {
  readonly result: BacktestResult;
  /** Value of the account at each close, or at each second on a recording, in the currency of the results. */
  readonly equity: { readonly timeMs: Float64Array; readonly value: Float64Array };
  /** One line for each strategy that could not run, and for each market whose prices are off its step. */
  readonly problems: readonly string[];
}

/**
 * Runs strategies on candles or a recording, with the engine that trades live. Throws `INVALID_OPTIONS` for
 * options that contradict each other, `INVALID_STRATEGY` where no strategy can run, `INVALID_FILE` for
 * unreadable signals, and `DATA_UNUSABLE` where a market has no recorded data.
 */
export async function backtest(options: BacktestOptions): Promise<BacktestOutcome> {
  const { run, problems } = await runConfigured(configuredOf(options));
  const { timeMs, equity, length } = run.curve;
  return {
    result: createResult(run),
    // Not copied: nothing else writes to the columns of a run that has ended.
    equity: { timeMs: timeMs.subarray(0, length), value: equity.subarray(0, length) },
    problems,
  };
}

/** Options that the schema of a configured run reads. */
const { balances, inventory, from, to, currency, steps } = runShape;
const strategies = z.array(z.object({ inventory: inventory.prefault({}) }));
const RUN_OPTIONS = z.object({ strategies, balances, from, to, currency, steps });

type RunOptions = z.output<typeof RUN_OPTIONS>;

function configuredOf(options: BacktestOptions): ConfiguredBacktest {
  const read = RUN_OPTIONS.safeParse(options);
  if (!read.success) throw invalidOptions(problemLines(read.error).join('\n'));
  const { data } = read;
  const { signals, onProgress } = options;
  const common = {
    currency: data.currency ?? null,
    steps: defined(data.steps),
    fromMs: data.from ?? null,
    toMs: data.to ?? null,
    ...(signals === undefined
      ? {}
      : { signals: typeof signals === 'string' ? signals : readGivenSignals(signals) }),
  };
  if (options.recording !== undefined) {
    if (options.candles !== undefined) throw invalidOptions('expected candles or a recording, were both');
    return {
      fidelity: 'poll',
      ...common,
      config: configOf(options, data, '1h'),
      recordings: catalogueRecordings(openCatalogue(options.recording)),
      rules: options.rules ?? {},
      ...(onProgress === undefined ? {} : { onProgress }),
    };
  }
  const candles = (options.candles ?? []).map(cellsOf);
  const [first] = candles
    .map(({ timeframe }) => timeframe)
    .toSorted((a, b) => timeframeMs(a) - timeframeMs(b));
  if (first === undefined) throw invalidOptions('expected candles of a market, or a recording, were none');
  return {
    fidelity: 'candles',
    ...common,
    config: configOf(options, data, first),
    timeframe: first,
    csv: [],
    candles,
    ...detailOf(options.detail ?? []),
    catalogue: null,
    rules: { ...DEFAULT_CANDLE_RULES, ...options.rules },
    ...(onProgress === undefined
      ? {}
      : { onProgress: (done: number, total: number) => onProgress(done, done / total) }),
  };
}

/** Returns the finer candles; empty if there are none. Throws `INVALID_OPTIONS` for several timeframes. */
function detailOf(detail: readonly Candles[]): Pick<BacktestRequest, 'detail'> {
  const [timeframe, other] = new Set(detail.map((candles) => candles.timeframe));
  if (timeframe === undefined) return {};
  if (other === undefined) return { detail: { timeframe, candles: detail.map(cellsOf) } };
  throw invalidOptions(`expected detail of one timeframe, found ${timeframe} and ${other}`);
}

/** Converts the options into a bot configuration, through the same parser as the command line. */
function configOf(options: BacktestOptions, read: RunOptions, timeframe: Timeframe): BotConfig {
  const { feePercent } = options;
  const named = options.strategies.map(({ strategy, ...rest }, index) => ({
    timeframe,
    ...rest,
    inventory: read.strategies[index]?.inventory,
    plugin: typeof strategy === 'string' ? strategy : strategy.name,
  }));
  const account = accountOverrides({ balances: read.balances, fee: feePercent?.toFixed(4) });
  const config = botConfigOf([['strategies', JSON.stringify(named)], ...account], process.env);
  return {
    ...config,
    strategies: config.strategies.map((configured, index) => {
      const given = options.strategies[index]?.strategy;
      if (given === undefined || typeof given === 'string') return configured;
      return { ...configured, plugin: { kind: 'definition', definition: given } };
    }),
  };
}

/**
 * Returns the result of a run as an object. Its tables are built at their first use, since most programs that
 * run many backtests read only the summaries.
 */
export function createResult(run: BacktestRun, createdAtMs: number = Date.now()): BacktestResult {
  return resultOf(finishRun(run, createdAtMs));
}

function resultOf({ run: { orders, fills, locks, members }, head, trips }: FinishedRun): BacktestResult {
  const tradeColumns = once(() => TRIP_TABLE.columns(trips));
  const orderColumns = once(() => ORDER_TABLE.columns(orders));
  const fillColumns = once(() => FILL_TABLE.columns(fills));
  const lockColumns = once(() => LOCK_TABLE.columns(locks.records));
  const memberColumns = once(() => MEMBER_TABLE.columns(members.records));
  return {
    ...head,
    get trades() {
      return tradeColumns();
    },
    get orders() {
      return orderColumns();
    },
    get fills() {
      return fillColumns();
    },
    get lockSpans() {
      return lockColumns();
    },
    get members() {
      return memberColumns();
    },
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}
