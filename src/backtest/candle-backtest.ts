import { DAY_MS } from '../domain/time-text.ts';
import { ownMarketsOf } from '../strategy/strategy-port.ts';
import { relative } from 'node:path';
import { columnsOf, type CandleColumns } from '../domain/candle-columns.ts';
import { pluginText } from '../daemon/strategy-settings.ts';
import type { RunMarket } from './candle-runner.ts';
import type { BarRules } from '../venues/fill-rules.ts';
import { needsBridge, recordedMarkets, universeCaveats, universeRulesOf } from './run-currency.ts';
import { firstOpenMs, type CandleBacktest } from './run-backtest.ts';
import { loadInstances } from '../daemon/load-instances.ts';
import type { BotConfig } from '../daemon/create-bot-config.ts';
import { SarrafError } from '../domain/errors.ts';
import { createMarket, type Market, type MarketOptions } from '../domain/market.ts';
import type { MarketSymbol, Currency } from '../domain/market-symbol.ts';
import { parseMarket, MARKET_NAMES } from '../exchange/market-names.ts';
import { formatUnits, parseUnits, type Units } from '../domain/money.ts';
import { longestBarMs, timeframeMs, type Timeframe } from '../domain/candle.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import { EARLIEST_MS, LATEST_MS } from '../recording/read-rows.ts';
import type { Catalogue } from '../recording/catalogue.ts';
import type { TimeRange } from '../recording/records.ts';
import { onStep } from '../recording/check-step.ts';
import { readExchangeConfig } from '../simulator-server/exchange-config.ts';
import { openCatalogue } from '../daemon/open-catalogue.ts';
import { barsWithin, readBars, readFileBars } from './setup/read-bars.ts';
import { type DatedSignal, readSignals, type FileSignal, signalsFor } from './signals.ts';
import type { FileForm } from '../recording/written-form.ts';
import { marketsOfSubscription, isOfMargin, type Subscription } from '../strategy/subscriptions.ts';
import { loadStrategies } from '../plugins/load-strategies.ts';
import { ownStrategies } from '../plugins/own-files.ts';
import { marginTopic } from '../records/margin.ts';

/** A file of bars, and whose they are; null where only one market can be meant. */
export interface CsvSource {
  readonly market: MarketSymbol | null;
  readonly path: string;
}

/** Finer bars: at hand, else those of the catalogue. */
interface DetailRequest {
  readonly timeframe: Timeframe;
  readonly candles?: readonly CandleColumns[];
}

export interface BacktestRequest {
  readonly config: BotConfig;
  readonly timeframe: Timeframe;
  /**
   * Files of bars in place of the catalogue's, by market; that of the one market that is traded needs no
   * name. Empty: the catalogue's.
   */
  readonly csv: readonly CsvSource[];
  /** Format of these files, as the user describes it. */
  readonly csvForm?: FileForm | undefined;
  /** The currency of the results; null: rial where any market is priced in it, else tether. */
  readonly currency: Currency | null;
  /** The folder of the catalogue; null where only the given candles count. */
  readonly catalogue: string | null;
  /** Bars at hand, which go before files and the catalogue. */
  readonly candles?: readonly CandleColumns[];
  /** Finer bars that the inside of bars is walked on, as far as there are any; none without it. */
  readonly detail?: DetailRequest;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Terms of markets that the configuration does not know. */
  readonly steps: { readonly price?: string; readonly amount?: string; readonly minValue?: string };
  readonly rules: BarRules;
  /** Signals to strategies from outside, with their times: a file, or its lines; default: none. */
  readonly signals?: string | readonly FileSignal[];
  /** True if a report is drawn, with the plots of strategies; default: false. */
  readonly isDrawn?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

/** A backtest with strategies that are made anew for each run. */
export interface CreatedBacktest {
  readonly backtest: CandleBacktest;
  readonly newInstances: () => Promise<readonly StrategyInstanceSettings[]>;
  /** A line for each strategy that can not run, and for a market whose step is not that of its bars. */
  readonly problems: readonly string[];
}

/**
 * Loads strategies and bars. Throws `INVALID_STRATEGY` where no strategy can run, `INVALID_OPTIONS` where
 * bars or a market's steps are missing, `INVALID_FILE` for a file that holds no bars.
 */
export async function createBacktest(request: BacktestRequest): Promise<CreatedBacktest> {
  const { config, fromMs, rules, onProgress } = request;
  const available = (): readonly MarketSymbol[] => availableMarkets(request);
  const instancesOf = async (): ReturnType<typeof loadInstances> =>
    backtestInstancesOf(config, { hasBooks: false, available });
  const first = await instancesOf();
  refuseUnserved(first.instances);
  const startedMs = performance.now();
  const symbols = withBridge(backtestMarketsOf(first.instances), request.currency);
  const reach = reachMs(first.instances, request.timeframe);
  const range = { fromMs: fromMs ?? EARLIEST_MS, toMs: request.toMs ?? LATEST_MS };
  const { markets, fromCache } = await loadMarkets(
    request,
    symbols,
    range,
    fromMs === null ? 0 : reach,
    neededMarkets(first.instances),
  );
  const signals = await signalsOf(request, first.instances);
  const { balances, fees } = config.paper;
  const backtest: CandleBacktest = {
    instances: first.instances,
    locks: config.locks,
    execution: { ...config.execution, instance: config.instance },
    markets,
    fees,
    balances: Object.fromEntries(
      Object.entries(balances).map(([currency, text]) => [currency, parseUnits(text)]),
    ),
    currency: request.currency,
    rules,
    isDrawn: request.isDrawn === true,
    signals,
    // Timers would ring through all the time before the first bar.
    fromMs: fromMs ?? firstOpenMs(markets, EARLIEST_MS),
    ...(request.toMs === null ? {} : { signalsToMs: request.toMs }),
    config: configTerms(config, {
      timeframe: request.timeframe,
      ...(request.detail === undefined ? {} : { detail: request.detail.timeframe }),
      csv: csvTerms(request.csv),
      ...(request.csvForm === undefined ? {} : { csvForm: request.csvForm }),
      fromMs,
      toMs: request.toMs,
      rules,
      ...signalTerms(request),
    }),
    caveats: universeCaveats(universeRulesOf(first.instances), {
      markets: markets.length,
      hasBooks: false,
    }),
    loading: { loadMs: Math.round(performance.now() - startedMs), fromCache },
    clock: () => performance.now(),
    ...(onProgress === undefined ? {} : { onProgress }),
  };
  const newInstances = async (): Promise<readonly StrategyInstanceSettings[]> =>
    (await instancesOf()).instances;
  return {
    backtest,
    newInstances,
    problems: [...first.problems, ...markets.flatMap((market) => stepProblem(market) ?? [])],
  };
}

/** Signals of a run for its strategies; none where it was given none. Throws `INVALID_FILE`. */
export async function signalsOf(
  { signals }: Pick<BacktestRequest, 'signals'>,
  instances: readonly StrategyInstanceSettings[],
): Promise<readonly DatedSignal[]> {
  const given = typeof signals === 'string' ? await readSignals(signals) : signals;
  return given === undefined ? [] : signalsFor(given, instances);
}

/** Returns what a result stores of its signals: their file, or how many were given. */
export function signalTerms({ signals }: Pick<BacktestRequest, 'signals'>): {
  readonly signals?: string | number;
} {
  if (signals === undefined) return {};
  return { signals: typeof signals === 'string' ? signals : signals.length };
}

/** Markets that there are bars of: of the files and bars given, else of the catalogue. */
function availableMarkets({ csv, candles, catalogue, timeframe }: BacktestRequest): readonly MarketSymbol[] {
  const given = [
    ...csv.flatMap(({ market }) => (market === null ? [] : [market])),
    ...(candles ?? []).map(({ market }) => market),
  ];
  return given.length > 0 || catalogue === null ? given : recordedMarkets(catalogue, timeframe);
}

/** Markets that are no mere candidates of universes, and that of tether in rial. */
export function neededMarkets(instances: readonly StrategyInstanceSettings[]): ReadonlySet<string> {
  const named = instances.flatMap(({ runner }) => [
    ...ownMarketsOf(runner),
    ...runner.subscriptions.flatMap((wanted) =>
      'market' in wanted && wanted.isPooled !== true ? [wanted.market] : [],
    ),
  ]);
  return new Set([...named, MARKET_NAMES.bridge.market]);
}

/** The strategies of a configuration, made anew, for a run that has books or has only candles. */
export async function backtestInstancesOf(
  config: BotConfig,
  of: {
    readonly hasBooks?: boolean;
    /** Markets that there is data of, from which universes choose. */
    readonly available: () => readonly MarketSymbol[];
  },
): ReturnType<typeof loadInstances> {
  const { strategies, strategiesFolders } = config;
  const { hasBooks = true, available } = of;
  const folders = [...strategiesFolders, ownStrategies()];
  // Both times the same modules: they are made anew for each run, and this is one.
  const files = new Map<string, ReturnType<typeof loadStrategies>>();
  const loadOnce: typeof loadStrategies = async (file) => {
    const loaded = files.get(file) ?? loadStrategies(file);
    files.set(file, loaded);
    return loaded;
  };
  const load = async (knownMarkets: ReadonlySet<string> | null): ReturnType<typeof loadInstances> =>
    loadInstances({ strategies, folders, hasBooks, isDataSet: true, knownMarkets, load: loadOnce });
  try {
    // What they subscribe to is what the run has; that is known once they are there.
    const { instances } = await load(null);
    const more = universeRulesOf(instances).length === 0 ? [] : available();
    return await load(new Set<string>([...backtestMarketsOf(instances), ...more]));
  } catch (error) {
    if (!(error instanceof SarrafError) || error.code !== 'INVALID_STRATEGY') throw error;
    // Problems are indented lines below another; a mistake is one line.
    const message = error.message.replace(/\n\s*/, ': ').replaceAll(/\n\s*/g, '; ');
    throw new SarrafError(error.code, message, { cause: error });
  }
}

/** Every market that a strategy trades or looks at. */
export function backtestMarketsOf(instances: readonly StrategyInstanceSettings[]): readonly MarketSymbol[] {
  return [
    ...new Set(
      instances.flatMap(({ runner }) => [
        ...ownMarketsOf(runner),
        ...runner.subscriptions.flatMap(marketsOfSubscription),
      ]),
    ),
  ] as MarketSymbol[];
}

/**
 * Returns how far before the beginning bars are needed, so that indicators have settled; with some to spare
 * for gaps.
 */
function reachMs(instances: readonly StrategyInstanceSettings[], timeframe: Timeframe): number {
  const lengths = instances.flatMap(({ runner }) =>
    runner.subscriptions.flatMap((wanted) =>
      wanted.kind === 'candles' ? [runner.warmUpLength(wanted) * timeframeMs(wanted.timeframe)] : [],
    ),
  );
  // Universes rank by a day.
  if (universeRulesOf(instances).length > 0) lengths.push(DAY_MS);
  return Math.max(0, ...lengths) * 2 + timeframeMs(timeframe);
}

async function loadMarkets(
  request: BacktestRequest,
  symbols: readonly MarketSymbol[],
  range: TimeRange,
  warmUpMs: number,
  needed: ReadonlySet<string>,
): Promise<{ readonly markets: readonly RunMarket[]; readonly fromCache: boolean }> {
  const { csv, timeframe, detail } = request;
  refuseCoarse(detail, timeframe);
  const files = csvFiles(csv, symbols);
  const markets = symbols.map((symbol) => marketFor(symbol, request));
  const catalogue = request.catalogue === null ? null : openCatalogue(request.catalogue);
  const load = async (market: Market): Promise<RunMarket & { readonly fromCache: boolean }> => {
    const of = { market: market.symbol, timeframe, range, warmUpMs };
    const given = request.candles?.find((columns) => columns.market === market.symbol);
    if (given !== undefined) return { market, columns: barsWithin(given, of), fromCache: false };
    const file = files.get(market.symbol);
    if (file !== undefined)
      return { market, ...(await readFileBars(file, { ...of, form: request.csvForm })) };
    if (catalogue !== null) return { market, ...(await readBars(catalogue, of)) };
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected candles of ${symbols.join(', ')}, found none of ${market.symbol}: add them`,
    );
  };
  const loaded = await Promise.all(
    markets.map(async (market) => {
      try {
        return await load(market);
      } catch (error) {
        const isNone = error instanceof SarrafError && error.code === 'INVALID_OPTIONS';
        if (isNone && !needed.has(market.symbol)) return null;
        throw error;
      }
    }),
  );
  const there = loaded.filter((one) => one !== null);
  return {
    markets: await Promise.all(
      there.map(async ({ market, columns }) => {
        if (detail === undefined) return { market, columns };
        return { market, columns, detail: await detailOf({ ...detail, range, columns }, catalogue) };
      }),
    ),
    fromCache: there.every(({ fromCache }) => fromCache),
  };
}

function refuseCoarse(detail: DetailRequest | undefined, timeframe: Timeframe): void {
  if (detail === undefined || timeframeMs(detail.timeframe) < timeframeMs(timeframe)) return;
  throw new SarrafError(
    'INVALID_OPTIONS',
    `expected a detail finer than the candles, which are of ${timeframe}, was ${detail.timeframe}: give a shorter one, such as 1m`,
  );
}

/** The finer bars of a market; none where there are none, and then its bars are walked whole. */
async function detailOf(
  of: DetailRequest & { readonly range: TimeRange; readonly columns: CandleColumns },
  catalogue: Catalogue | null,
): Promise<CandleColumns> {
  const { timeframe, range, candles } = of;
  const { market, anchors } = of.columns;
  // The last bar of the past is walked, too.
  const warmUpMs = longestBarMs(of.columns.timeframe);
  const given = candles?.find((finer) => finer.market === market);
  if (given !== undefined) return given;
  try {
    if (catalogue !== null) {
      const { columns } = await readBars(catalogue, { market, timeframe, range, warmUpMs });
      return columns;
    }
  } catch (error) {
    if (!(error instanceof SarrafError) || error.code !== 'INVALID_OPTIONS') throw error;
  }
  return columnsOf({ market, timeframe, anchors }, []);
}

/**
 * The file of each market. Files for some of the markets leave the others to the catalogue. Throws
 * `INVALID_OPTIONS` for a file without a market where there are several, and for one of a market that nobody
 * asks for.
 */
function csvFiles(csv: readonly CsvSource[], symbols: readonly MarketSymbol[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { market, path } of csv) {
    const [only] = symbols;
    if (market === null && symbols.length > 1) {
      throw new SarrafError(
        'INVALID_OPTIONS',
        `expected the market of ${path}, since the strategies want ${symbols.join(', ')}: give each file as --csv ${only ?? 'BTCUSDT'}=${path}`,
      );
    }
    const symbol = market ?? only ?? '';
    if (!symbols.some((known) => known === symbol) || files.has(symbol)) {
      const found = files.has(symbol) ? 'a second file of it' : 'none that a strategy subscribes to';
      throw new SarrafError(
        'INVALID_OPTIONS',
        `expected one file each of ${symbols.join(', ')}, was ${symbol}, ${found}`,
      );
    }
    files.set(symbol, path);
  }
  return files;
}

/** The markets, and that of tether in rial where the results need it. */
export function withBridge(
  symbols: readonly MarketSymbol[],
  currency: Currency | null,
): readonly MarketSymbol[] {
  const { market } = MARKET_NAMES.bridge;
  return needsBridge(symbols.map(parseMarket), currency) && !symbols.includes(market)
    ? [...symbols, market]
    : symbols;
}

/** As a result has kept it since there was one file only. */
function csvTerms(csv: readonly CsvSource[]): unknown {
  const [first] = csv;
  if (first === undefined) return null;
  return csv.length === 1
    ? first.path
    : Object.fromEntries(csv.map(({ market, path }) => [market ?? '', path]));
}

/** Bars that the step is held against, spread over all. */
const MOST_STEP_BARS = 20_000;
/** Prices that may be off it: exchanges change their steps, and rarely. */
const FEW_OFF = 0.01;

/**
 * Says that bars have prices which the market's step does not allow: then the step is that of another market,
 * or of another time.
 */
function stepProblem({ market, columns }: RunMarket): string | null {
  const isOnStep = onStep(market.priceStep, columns.priceDecimals);
  const stride = Math.ceil(columns.length / MOST_STEP_BARS);
  let [checked, off] = [0, 0];
  for (let bar = 0; bar < columns.length; bar += stride) {
    checked += 1;
    if (!isOnStep(columns.close[bar] ?? 0)) off += 1;
  }
  if (off <= checked * FEW_OFF) return null;
  const share = Math.ceil((off / checked) * 100);
  return `warning: ${share} % of the bars of ${market.symbol} close off the price step of ${formatUnits(market.priceStep)}: give that of the data with --price-step`;
}

/** A market by the options, else by the configuration's exchange. */
export function marketFor(
  symbol: MarketSymbol,
  { config, steps }: Pick<BacktestRequest, 'config' | 'steps'>,
): Market {
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
  const options: MarketOptions = { market: parseMarket(symbol), priceStep, amountStep };
  const minOrderValue = minValue ?? textOf(known?.minOrderValue);
  return createMarket(minOrderValue === undefined ? options : { ...options, minOrderValue });
}

const textOf = (units: Units | undefined): string | undefined =>
  units === undefined ? undefined : formatUnits(units);

const plain = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? formatUnits(value) : value;

/** Returns what a result stores of its configuration: all that decides it, and nothing secret. */
export function configTerms(config: BotConfig, more: Readonly<Record<string, unknown>>): unknown {
  return botTerms(config, { ...more, balances: config.paper.balances, feesInMillionths: config.paper.fees });
}

/** The same of a bot whose balances and fees are those of its exchange. */
export function botTerms(config: BotConfig, more: Readonly<Record<string, unknown>> = {}): unknown {
  const stored = {
    ...more,
    execution: config.execution,
    ...(config.locks.length === 0 ? {} : { locks: config.locks }),
    strategies: config.strategies.map(
      ({ plugin, name, market, timeframe, params, capital, inventory, limits, locks }) => ({
        plugin: plugin.kind === 'file' ? relative(process.cwd(), plugin.path) : pluginText(plugin),
        name,
        market,
        timeframe,
        params,
        capital,
        ...(Object.keys(inventory).length === 0 ? {} : { inventory }),
        risk: limits,
        ...(locks.length === 0 ? {} : { locks }),
      }),
    ),
  };
  return JSON.parse(JSON.stringify(stored, plain)) as unknown;
}

/** Data that candles do not contain, and where it is recorded. */
const UNSERVED: Readonly<Partial<Record<Subscription['kind'], string>>> = {
  book: 'the book',
  trades: 'the trades',
  stats: 'the statistics',
};

/**
 * Refuses a run on candles whose strategies subscribe to what candles do not hold: such a strategy would
 * get no event, and end as one that wanted nothing. Throws `INVALID_OPTIONS` that names each.
 */
export function refuseUnserved(instances: readonly Pick<StrategyInstanceSettings, 'runner'>[]): void {
  const wanted = instances.flatMap(({ runner }) =>
    runner.subscriptions.flatMap((subscription) => {
      const what = UNSERVED[subscription.kind];
      if (what === undefined || !('market' in subscription)) return [];
      return [`${runner.name} subscribes to ${what} of ${subscription.market}`];
    }),
  );
  const ofMargin = instances.flatMap(({ runner }) =>
    runner.subscriptions.flatMap((subscription) =>
      isOfMargin(subscription) ? [`${runner.name} subscribes to ${marginTopic(subscription)}`] : [],
    ),
  );
  if (ofMargin.length > 0) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected subscriptions that a backtest can serve: ${ofMargin.join(', ')}, and nobody records margin. Run it with mode embedded or live`,
    );
  }
  if (wanted.length === 0) return;
  throw new SarrafError(
    'INVALID_OPTIONS',
    `expected subscriptions that candles can serve: ${wanted.join(', ')}, which candles do not hold. Run it with --fidelity poll on recorded books and trades ("sarraf record", or "sarraf data import --kind depth"), or let it declare market.ticker() or candles where "hasBooks" of data is false`,
  );
}
