import { resolve } from 'node:path';
import { type Override, readBotConfig } from '../daemon/read-bot-config.ts';
import type { BotConfig } from '../daemon/create-bot-config.ts';
import { baseName } from '../daemon/strategy-settings.ts';
import { invalidOptions } from '../domain/errors.ts';
import { MARKET_NAMES, parseMarket } from '../exchange/market-names.ts';
import { defined } from '../simulator-server/market-config.ts';
import {
  DEFAULT_CANDLE_RULES,
  type BarRules,
  createPollRules,
  type PollRules,
} from '../venues/fill-rules.ts';
import type { BacktestRequest, CsvSource } from './candle-backtest.ts';
import type { RunSettings } from './run-schema.ts';

type WrittenRules = Partial<RunSettings['rules']>;

/** Returns the rules for fills inside candles; omitted rules have their defaults. */
export function barRulesOf(rules: WrittenRules): BarRules {
  const { marketOrders, limitFill, path, spreadBps, slippageBps, slippageRange, volumeShare } = rules;
  const defaults = DEFAULT_CANDLE_RULES;
  return {
    ...defaults,
    arrival: marketOrders ?? defaults.arrival,
    limitFill: limitFill ?? defaults.limitFill,
    path: path ?? defaults.path,
    spreadBps: spreadBps ?? defaults.spreadBps,
    slippage:
      slippageRange === undefined
        ? { kind: 'bps', bps: slippageBps ?? 0 }
        : { kind: 'range', millionths: Math.round(slippageRange * 10_000) },
    volumeShareMillionths: shareOf(volumeShare),
  };
}

function shareOf(share: WrittenRules['volumeShare']): number | null {
  if (share === 'all') return null;
  return share === undefined ? DEFAULT_CANDLE_RULES.volumeShareMillionths : Math.round(share * 10_000);
}

/** Returns the given rules for fills in a recorded market; omitted rules stay omitted. */
export function pollRulesOf({ latency, tradesLag, queue }: WrittenRules): Partial<PollRules> {
  return {
    ...(latency === undefined ? {} : { latency: { kind: 'constant', outMs: latency, backMs: latency } }),
    ...(tradesLag === undefined ? {} : { tradesLagMs: tradesLag }),
    ...(queue === undefined ? {} : { queue: { kind: queue } }),
  };
}

/** Fill rules of a run, by fidelity. */
export type FillRules =
  | { readonly fidelity: 'candles'; readonly rules: BarRules }
  | { readonly fidelity: 'poll'; readonly rules: PollRules };

/** Returns the fill rules of a run with all defaults. */
export function fillRulesOf({ fidelity, rules }: Pick<RunSettings, 'fidelity' | 'rules'>): FillRules {
  return fidelity === 'candles'
    ? { fidelity, rules: barRulesOf(rules) }
    : { fidelity, rules: createPollRules(pollRulesOf(rules)) };
}

/** Returns the market data settings of a run in the form of a request. */
export function requestOf({
  timeframe,
  detail,
  currency,
  steps,
}: Pick<RunSettings, 'timeframe' | 'detail' | 'currency' | 'steps'>): Pick<
  BacktestRequest,
  'timeframe' | 'detail' | 'currency' | 'steps'
> {
  return {
    timeframe,
    currency: currency ?? null,
    steps: defined(steps),
    ...(detail === undefined ? {} : { detail: { timeframe: detail } }),
  };
}

/** Returns the files of candles. One without a market gets the only market; null if there are several. */
export function csvOf({ csv, markets }: Pick<RunSettings, 'csv' | 'markets'>): readonly CsvSource[] {
  const files = typeof csv === 'string' ? { '': csv } : (csv ?? {});
  const [only = null, ...others] = markets ?? [];
  return Object.entries(files).map(([market, path]) => ({
    market: market === '' ? (others.length === 0 ? only : null) : parseMarket(market).symbol,
    path,
  }));
}

/** Maximum number of letters of a strategy's name in its instances' names, a part of order ids. */
const LONGEST_NAME = 9;

/** Strategy of a run and where it trades: once in each of its markets, or in those of a universe. */
type ShortBot = Pick<RunSettings, 'strategy' | 'timeframe'> &
  Partial<Pick<RunSettings, 'markets' | 'universe' | 'inventory' | 'params'>>;

/**
 * Returns the strategies of a configuration for a strategy and options. Throws `INVALID_OPTIONS` for coins
 * that belong to none of several markets.
 */
export function strategiesOverride({
  strategy,
  markets = [],
  universe,
  timeframe,
  params,
  inventory = {},
}: ShortBot): Override {
  const bases = markets.map((market) => parseMarket(market).base);
  const ofAll = Object.keys(inventory);
  const lost = bases.length < 2 ? [] : ofAll.filter((coin) => !bases.includes(coin));
  if (lost.length > 0) {
    const message = `expected an inventory of coins of ${markets.join(', ')}, was of ${lost.join(', ')}`;
    throw invalidOptions(message);
  }
  const given = (coins: readonly string[]): object => givenSettings(inventory, coins);
  const common = { plugin: strategy, timeframe, ...(params === undefined ? {} : { params }) };
  const short = baseName(strategy).slice(0, LONGEST_NAME).replace(/-+$/, '');
  const strategies =
    universe === undefined
      ? markets.map((market, index) => ({
          ...common,
          market,
          ...given(
            markets.length === 1
              ? ofAll
              : ofAll.filter((coin) => bases[index] === coin && bases.indexOf(coin) === index),
          ),
          ...(markets.length === 1 ? {} : { name: `${short}-${index + 1}` }),
        }))
      : [{ ...common, universe, ...given(ofAll) }];
  return ['strategies', JSON.stringify(strategies), '--param '];
}

const isQuote = (coin: string): boolean => MARKET_NAMES.quotes.some(({ currency }) => currency === coin);

/** Returns coins as configuration settings; a coin that is also a quote currency becomes capital. */
function givenSettings(amounts: Readonly<Record<string, string>>, coins: readonly string[]): object {
  const of = (some: readonly string[]): object =>
    Object.fromEntries(some.map((coin) => [coin, amounts[coin] ?? '0']));
  return {
    ...(coins.some(isQuote) ? { capital: of(coins.filter(isQuote)) } : {}),
    ...(coins.every(isQuote) ? {} : { inventory: of(coins.filter((coin) => !isQuote(coin))) }),
  };
}

/** Returns the account of a run: its balances, and one fee in percent for all makers and takers. */
export function accountOverrides({
  balances,
  fee,
}: {
  readonly balances?: Readonly<Record<string, unknown>> | undefined;
  readonly fee?: string | undefined;
}): readonly Override[] {
  const rates = { maker: fee, taker: fee };
  return [
    ...(balances === undefined ? [] : [['paper.balances', JSON.stringify(balances)] as const]),
    ...(fee === undefined ? [] : [['paper.fees', JSON.stringify({ rls: rates, usdt: rates })] as const]),
  ];
}

/** Returns the bot configuration of overrides, offline. Throws `INVALID_OPTIONS` with all problems. */
export function botConfigOf(
  overrides: readonly Override[],
  environment: Readonly<Record<string, string | undefined>> = {},
): BotConfig {
  const reading = readBotConfig(null, {
    environment,
    workingFolder: process.cwd(),
    overrides,
    isOffline: true,
  });
  if (reading.ok) return reading.config;
  throw invalidOptions(reading.problems.join('; '));
}

/** Strategy and files of a run. */
type RunPaths = {
  readonly [Name in 'strategy' | 'csv' | 'catalogue' | 'signals']?: RunSettings[Name] | undefined;
};

/** Returns the strategy and the files of a run by absolute paths; relative ones count from a folder. */
export function wholePaths(
  { strategy, csv, catalogue, signals }: RunPaths,
  folder: string,
): { readonly [Name in keyof RunPaths]: Exclude<RunPaths[Name], undefined> } {
  const whole = (path: string): string => resolve(folder, path);
  return {
    ...(strategy === undefined ? {} : { strategy: /[/\\.]/.test(strategy) ? whole(strategy) : strategy }),
    ...(csv === undefined
      ? {}
      : {
          csv:
            typeof csv === 'string'
              ? whole(csv)
              : Object.fromEntries(Object.entries(csv).map(([market, path]) => [market, whole(path)])),
        }),
    ...(catalogue === undefined ? {} : { catalogue: whole(catalogue) }),
    ...(signals === undefined ? {} : { signals: whole(signals) }),
  };
}
