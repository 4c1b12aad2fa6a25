import { readBotConfig } from '../../daemon/settings/read-bot-config.ts';
import type { Override } from '../../daemon/settings/overrides.ts';
import type { BotConfig } from '../../daemon/settings/create-bot-config.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { QuoteCurrency } from '../../domain/market-symbol.ts';
import { timeframeMs, type Timeframe } from '../../domain/timeframe.ts';
import type { StrategyDefinition } from '../../strategy/definition.ts';
import { DEFAULT_CANDLE_RULES, type BarRules } from '../../venues/bars/bar-rules.ts';
import { createResult } from '../result/create-result.ts';
import type { BacktestResult } from '../result/result-schema.ts';
import { runBacktest } from '../run-backtest.ts';
import { createBacktest, type BacktestRequest } from './candle-backtest.ts';
import { cellsOf, rangeOf, type Candles, type Moment } from './research-candles.ts';

/** A strategy of a backtest. */
export interface BacktestStrategy {
  /** The path of its file, the name of a bundled one, or what `defineStrategy` gives. */
  readonly strategy: string | StrategyDefinition;
  readonly market: string;
  /** That of the candles without it. */
  readonly timeframe?: Timeframe;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Needed where one strategy runs twice. */
  readonly name?: string;
}

/** What a backtest needs. Amounts of money are numbers or decimal texts. */
export interface BacktestOptions {
  readonly strategies: readonly BacktestStrategy[];
  /** Candles of every market that a strategy subscribes to. */
  readonly candles: readonly Candles[];
  /** What the account begins with, by currency: `{ usdt: 10_000 }`. */
  readonly balances: Readonly<Record<string, number | string>>;
  /**
   * Of makers and takers: 0.1 is a thousandth of what is traded. To a millionth, 0 to 100; that of the
   * exchange without it.
   */
  readonly feePercent?: number;
  /** The first candle that is traded; earlier ones warm up. */
  readonly from?: Moment;
  readonly to?: Moment;
  /** The currency of the results; without it rial where any market is priced in it, else tether. */
  readonly currency?: QuoteCurrency;
  /** How orders fill inside candles. */
  readonly rules?: Partial<BarRules>;
  /** Terms of a market that the embedded exchange does not know. */
  readonly steps?: BacktestRequest['steps'];
  readonly onProgress?: (done: number, total: number) => void;
}

/** A result, with the whole curve of equity beside it. */
export interface BacktestOutcome {
  readonly result: BacktestResult;
  /** What the account was worth at each close, in the currency of the results. */
  readonly equity: { readonly timeMs: Float64Array; readonly value: Float64Array };
  /** A line for each strategy that could not run, and for prices that are off a market's step. */
  readonly problems: readonly string[];
}

/**
 * Runs strategies through candles, by the engine that trades live. Throws `INVALID_OPTIONS` for options that
 * do not fit together, and `INVALID_STRATEGY` where no strategy can run.
 */
export async function backtest(options: BacktestOptions): Promise<BacktestOutcome> {
  const candles = options.candles.map(cellsOf);
  const [first] = candles
    .map(({ timeframe }) => timeframe)
    .toSorted((a, b) => timeframeMs(a) - timeframeMs(b));
  if (first === undefined)
    throw new SarrafError('INVALID_OPTIONS', 'expected candles of a market, were none');
  const { fromMs, toMs } = rangeOf(options);
  const { backtest: created, problems } = await createBacktest({
    config: configOf(options, first),
    timeframe: first,
    csv: [],
    candles,
    currency: options.currency ?? null,
    catalogue: null,
    fromMs: options.from === undefined ? null : fromMs,
    toMs: options.to === undefined ? null : toMs,
    steps: options.steps ?? {},
    rules: { ...DEFAULT_CANDLE_RULES, ...options.rules },
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
  });
  const run = runBacktest(created);
  const { timeMs, equity, length } = run.curve;
  return {
    result: createResult(run),
    equity: { timeMs: timeMs.slice(0, length), value: equity.slice(0, length) },
    problems,
  };
}

/** The settings of a bot that stand for the options: what the command line says goes the same way. */
function configOf({ strategies, balances, feePercent }: BacktestOptions, timeframe: Timeframe): BotConfig {
  const named = strategies.map(({ strategy, ...rest }) => ({
    timeframe,
    ...rest,
    plugin: typeof strategy === 'string' ? strategy : strategy.name,
  }));
  const money = Object.entries(balances).map(([currency, amount]) => [currency, moneyText(amount)]);
  const overrides: Override[] = [
    ['strategies', JSON.stringify(named)],
    ['paper.balances', JSON.stringify(Object.fromEntries(money))],
  ];
  const fee = feePercent === undefined ? null : feePercent.toFixed(4);
  const rates = { maker: fee, taker: fee };
  if (fee !== null) overrides.push(['paper.fees', JSON.stringify({ rls: rates, usdt: rates })]);
  const reading = readBotConfig(null, {
    environment: process.env,
    workingFolder: process.cwd(),
    overrides,
    isOffline: true,
  });
  if (!reading.ok) throw new SarrafError('INVALID_OPTIONS', reading.problems.join('\n'));
  const { config } = reading;
  return {
    ...config,
    strategies: config.strategies.map((configured, index) => {
      const given = strategies[index]?.strategy;
      if (given === undefined || typeof given === 'string') return configured;
      return { ...configured, plugin: { kind: 'definition', definition: given } };
    }),
  };
}

function moneyText(amount: number | string): string {
  if (typeof amount === 'string') return amount;
  const text = String(amount);
  if (/^\d+(\.\d+)?$/.test(text)) return text;
  throw new SarrafError('INVALID_OPTIONS', `expected an amount of money such as 10000 or "0.5", was ${text}`);
}
