import { relative } from 'node:path';
import { refuseUnserved } from '../backtest/refuse-unserved.ts';
import type { CandleMarket } from '../backtest/candle-runner.ts';
import type { CandleRules } from '../backtest/candle-venue/candle-rules.ts';
import type { CandleBacktest } from '../backtest/run-backtest.ts';
import { loadSeats } from '../daemon/load-seats.ts';
import type { BotConfig } from '../daemon/settings/create-bot-config.ts';
import { resolutionMs, type Resolution } from '../domain/candle.ts';
import { tryDecimalText } from '../domain/decimal-text.ts';
import { SarrafError } from '../domain/errors.ts';
import { createMarket, type Market, type MarketOptions } from '../domain/market.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { formatUnits, parseUnits, type Units } from '../domain/money.ts';
import type { SeatSettings } from '../engine/engine-settings.ts';
import { EARLIEST_MS, LATEST_MS } from '../recording/read-partitions.ts';
import type { TimeRange } from '../recording/records.ts';
import { onStep } from '../recording/verify/check-step.ts';
import { readExchangeConfig } from '../simulator/settings/exchange-config.ts';
import { SPANS } from '../strategy/subscriptions.ts';
import { openCatalogue } from './data/data-options.ts';
import { readBars, readFileBars } from './load-bars.ts';
import { ownStrategies } from './own-strategies.ts';

export interface BacktestRequest {
  readonly config: BotConfig;
  readonly resolution: Resolution;
  /** Bars of a file in place of the catalogue's, of the one market that is traded. */
  readonly csv: string | null;
  readonly catalogue: string;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Terms of markets that the configuration does not know. */
  readonly steps: { readonly price?: string; readonly amount?: string; readonly minValue?: string };
  readonly rules: CandleRules;
  readonly onProgress?: (done: number, total: number) => void;
}

/** A backtest with strategies that are made anew for each run. */
export interface CreatedBacktest {
  readonly backtest: CandleBacktest;
  readonly newSeats: () => Promise<readonly SeatSettings[]>;
  /** A line for each strategy that can not run, and for a market whose step is not that of its bars. */
  readonly problems: readonly string[];
}

/**
 * Loads strategies and bars. Throws `INVALID_STRATEGY` where no strategy can run, `INVALID_OPTIONS` where bars or a market's steps are missing, `INVALID_FILE` for
 * a file that holds no bars.
 */
export async function createBacktest(request: BacktestRequest): Promise<CreatedBacktest> {
  const { config, fromMs, rules, onProgress } = request;
  const first = await seatsOf(config, { hasBooks: false });
  refuseUnserved(first.seats);
  const startedMs = performance.now();
  const symbols = marketsOf(first.seats);
  const reach = reachMs(first.seats, request.resolution);
  const range = { fromMs: fromMs ?? EARLIEST_MS, toMs: request.toMs ?? LATEST_MS };
  const markets = await loadMarkets(request, { symbols, range, reachMs: fromMs === null ? 0 : reach });
  const { balances, fees } = config.paper;
  const backtest: CandleBacktest = {
    seats: first.seats,
    execution: { ...config.execution, instance: config.instance },
    markets,
    fees,
    balances: Object.fromEntries(Object.entries(balances).map(([currency, text]) => [currency, parseUnits(text)])),
    rules,
    fromMs: fromMs ?? EARLIEST_MS,
    config: keptConfig(config, { resolution: request.resolution, csv: request.csv, fromMs, toMs: request.toMs, rules }),
    loadMs: Math.round(performance.now() - startedMs),
    clock: () => performance.now(),
    ...(onProgress === undefined ? {} : { onProgress }),
  };
  const newSeats = async (): Promise<readonly SeatSettings[]> => (await seatsOf(config, { hasBooks: false })).seats;
  return {
    backtest,
    newSeats,
    problems: [...first.problems, ...markets.flatMap((market) => stepProblem(market) ?? [])],
  };
}

/** The strategies of a configuration, made anew, for a run that has books or has only candles. */
export async function seatsOf(
  config: BotConfig,
  { hasBooks = true }: { readonly hasBooks?: boolean } = {},
): ReturnType<typeof loadSeats> {
  const { strategies, strategiesFolders } = config;
  const knownMarkets = new Set<string>(strategies.map(({ market }) => market));
  try {
    return await loadSeats({ strategies, folders: [...strategiesFolders, ownStrategies()], knownMarkets, hasBooks });
  } catch (error) {
    if (!(error instanceof SarrafError) || error.code !== 'INVALID_STRATEGY') throw error;
    // Problems are indented lines below another; a mistake is one line.
    const message = error.message.replace(/\n\s*/, ': ').replaceAll(/\n\s*/g, '; ');
    throw new SarrafError(error.code, message, { cause: error });
  }
}

/** Every market that a strategy trades or looks at. */
export function marketsOf(seats: readonly SeatSettings[]): readonly MarketSymbol[] {
  return [
    ...new Set(
      seats.flatMap(({ runner }) => [
        runner.market,
        ...runner.subscriptions.flatMap((wanted) => (wanted.kind === 'timer' ? [] : [wanted.market])),
      ]),
    ),
  ] as MarketSymbol[];
}

/** How far before the beginning bars are wanted, so that indicators have settled; with some to spare for gaps. */
function reachMs(seats: readonly SeatSettings[], resolution: Resolution): number {
  const lengths = seats.flatMap(({ runner }) =>
    runner.subscriptions.flatMap((wanted) =>
      wanted.kind === 'candles' ? [runner.warmUpLength(wanted) * resolutionMs(SPANS[wanted.span])] : [],
    ),
  );
  return Math.max(0, ...lengths) * 2 + resolutionMs(resolution);
}

async function loadMarkets(
  request: BacktestRequest,
  wanted: { readonly symbols: readonly MarketSymbol[]; readonly range: TimeRange; readonly reachMs: number },
): Promise<readonly CandleMarket[]> {
  const { csv, resolution } = request;
  const { symbols, range, reachMs: warmUpMs } = wanted;
  if (csv !== null && symbols.length > 1) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected one market with --csv, were ${symbols.join(', ')}: import the files with "sarraf data import" and leave --csv out`,
    );
  }
  const markets = symbols.map((symbol) => marketFor(symbol, request));
  const catalogue = openCatalogue(request.catalogue);
  return Promise.all(
    markets.map(async (market) => {
      const of = { market: market.symbol, resolution, range, warmUpMs };
      return { market, columns: csv === null ? await readBars(catalogue, of) : await readFileBars(csv, of) };
    }),
  );
}

/** Bars that the step is held against, spread over all. */
const MOST_STEP_BARS = 20_000;
/** Prices that may be off it: exchanges change their steps, and rarely. */
const FEW_OFF = 0.01;

/** Says that bars have prices which the market's step does not allow: then the step is that of another market, or of another time. */
function stepProblem({ market, columns }: CandleMarket): string | null {
  const isOnStep = onStep(market.priceStep, columns.priceDecimals);
  const stride = Math.ceil(columns.length / MOST_STEP_BARS);
  let [looked, off] = [0, 0];
  for (let bar = 0; bar < columns.length; bar += stride) {
    looked += 1;
    if (!isOnStep(columns.close[bar] ?? 0)) off += 1;
  }
  if (off <= looked * FEW_OFF) return null;
  const share = Math.ceil((off / looked) * 100);
  return `warning: ${share} % of the bars of ${market.symbol} close off the price step of ${formatUnits(market.priceStep)}: give that of the data with --price-step`;
}

/** A market by the options, else by the configuration's exchange. */
export function marketFor(symbol: MarketSymbol, { config, steps }: Pick<BacktestRequest, 'config' | 'steps'>): Market {
  const { price, amount, minValue } = steps;
  const { markets } = config.embedded.exchange ?? readExchangeConfig({});
  const known = markets.find(({ market }) => market.symbol === symbol)?.market;
  const priceStep = price ?? textOf(known?.priceStep);
  const amountStep = amount ?? textOf(known?.amountStep);
  if (priceStep === undefined || amountStep === undefined) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected the steps of ${symbol}: give --price-step and --amount-step, such as 0.01 and 0.000001`,
    );
  }
  for (const [name, value] of Object.entries({ 'price-step': price, 'amount-step': amount, 'min-value': minValue })) {
    if (value !== undefined && tryDecimalText(value) === null) {
      throw new SarrafError('INVALID_OPTIONS', `expected --${name} to be a decimal such as 0.01, was "${value}"`);
    }
  }
  const options: MarketOptions = { market: symbol, priceStep, amountStep };
  const minOrderValue = minValue ?? textOf(known?.minOrderValue);
  return createMarket(minOrderValue === undefined ? options : { ...options, minOrderValue });
}

const textOf = (units: Units | undefined): string | undefined => (units === undefined ? undefined : formatUnits(units));

const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? formatUnits(value) : value);

/** What a result keeps of its configuration: what decides it, and nothing secret. */
export function keptConfig(config: BotConfig, more: Readonly<Record<string, unknown>>): unknown {
  const kept = {
    ...more,
    balances: config.paper.balances,
    feesInMillionths: config.paper.fees,
    execution: config.execution,
    strategies: config.strategies.map(({ plugin, name, market, span, params, capital, limits }) => ({
      plugin: plugin.kind === 'file' ? relative(process.cwd(), plugin.path) : plugin.name,
      name,
      market,
      span,
      params,
      capital,
      risk: limits,
    })),
  };
  return JSON.parse(JSON.stringify(kept, plain)) as unknown;
}
