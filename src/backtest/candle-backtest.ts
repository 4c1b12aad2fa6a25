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
import { otherVenueAges } from '../daemon/modes.ts';
import type { BotConfig } from '../daemon/create-bot-config.ts';
import { SarrafError, invalidOptions } from '../domain/errors.ts';
import { createMarket, type Market, type MarketOptions } from '../domain/market.ts';
import type { MarketSymbol, Currency } from '../domain/market-symbol.ts';
import { parseMarket, MARKET_NAMES } from '../exchange/market-names.ts';
import { formatUnits, parseUnits, type Units } from '../domain/money.ts';
import { storedForm } from '../domain/stored-json.ts';
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
import { loadStrategy } from '../plugins/load-strategy.ts';
import { ownStrategies } from '../plugins/own-files.ts';
import { marginTopic } from '../records/margin.ts';

/** File of bars and its market; the market is null where only one is possible. */
export interface CsvSource {
  readonly market: MarketSymbol | null;
  readonly path: string;
}

/** Finer bars: the given ones, else those of the catalogue. */
interface DetailRequest {
  readonly timeframe: Timeframe;
  readonly candles?: readonly CandleColumns[];
}

export interface BacktestRequest {
  readonly config: BotConfig;
  readonly timeframe: Timeframe;
  /** Files of bars that replace the catalogue, by market, which may be null for one. Empty: the catalogue. */
  readonly csv: readonly CsvSource[];
  /** Format of these files, as the user describes it. */
  readonly csvForm?: FileForm | undefined;
  /** Currency of the results; null: rial where any market is priced in it, else tether. */
  readonly currency: Currency | null;
  /** Folder of the catalogue; null where only the given candles are used. */
  readonly catalogue: string | null;
  /** Bars that are already loaded; they take precedence over files and the catalogue. */
  readonly candles?: readonly CandleColumns[];
  /** Finer bars that the price path inside a bar follows where they exist; default: none. */
  readonly detail?: DetailRequest;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Steps of markets that the configuration does not know. */
  readonly steps: { readonly price?: string; readonly amount?: string; readonly minValue?: string };
  readonly rules: BarRules;
  /** External signals to strategies, with their times: a file, or its lines; default: none. */
  readonly signals?: string | readonly FileSignal[];
  /** True if a report with the plots of strategies is drawn; default: false. */
  readonly isDrawn?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
  /** Loads a strategy's file; default: as it is. */
  readonly load?: typeof loadStrategy;
}

/** A backtest, and a function that creates its strategies anew for another run. */
export interface CreatedBacktest {
  readonly backtest: CandleBacktest;
  readonly newInstances: () => Promise<readonly StrategyInstanceSettings[]>;
  /** One line for each strategy that cannot run, and for each market whose step does not fit its bars. */
  readonly problems: readonly string[];
}

/**
 * Loads strategies and bars. Throws `INVALID_STRATEGY` where no strategy can run, `INVALID_OPTIONS` where
 * bars or a market's steps are missing, `INVALID_FILE` for a file without bars.
 */
export async function createBacktest(request: BacktestRequest): Promise<CreatedBacktest> {
  const { config, fromMs, rules, onProgress } = request;
  const available = (): readonly MarketSymbol[] => availableMarkets(request);
  const instancesOf = async (): ReturnType<typeof loadInstances> =>
    backtestInstancesOf(config, { hasBooks: false, available, load: request.load });
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
    // Not earlier than the first bar: timers would fire through all the time before it.
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

/** Returns the signals for the strategies of a run; empty if none were given. Throws `INVALID_FILE`. */
export async function signalsOf(
  { signals }: Pick<BacktestRequest, 'signals'>,
  instances: readonly StrategyInstanceSettings[],
): Promise<readonly DatedSignal[]> {
  const given = typeof signals === 'string' ? await readSignals(signals) : signals;
  return given === undefined ? [] : signalsFor(given, instances);
}

/** Returns what a result stores about its signals: their file, or how many were given. */
export function signalTerms({ signals }: Pick<BacktestRequest, 'signals'>): {
  readonly signals?: string | number;
} {
  if (signals === undefined) return {};
  return { signals: typeof signals === 'string' ? signals : signals.length };
}

/** Returns the markets that have bars: in the given files and candles, else in the catalogue. */
function availableMarkets({ csv, candles, catalogue, timeframe }: BacktestRequest): readonly MarketSymbol[] {
  const given = [
    ...csv.flatMap(({ market }) => (market === null ? [] : [market])),
    ...(candles ?? []).map(({ market }) => market),
  ];
  return given.length > 0 || catalogue === null ? given : recordedMarkets(catalogue, timeframe);
}

/** Returns the markets that must have bars: those that are not only candidates of universes, and USDTIRT. */
export function neededMarkets(instances: readonly StrategyInstanceSettings[]): ReadonlySet<string> {
  const named = instances.flatMap(({ runner }) => [
    ...ownMarketsOf(runner),
    ...runner.subscriptions.flatMap((wanted) =>
      'market' in wanted && wanted.isPooled !== true ? [wanted.market] : [],
    ),
  ]);
  return new Set([...named, MARKET_NAMES.bridge.market]);
}

/** Creates the strategies of a configuration, for a run on books or on candles alone. */
export async function backtestInstancesOf(
  config: BotConfig,
  of: {
    readonly hasBooks?: boolean;
    /** Markets that have data, from which universes choose. */
    readonly available: () => readonly MarketSymbol[];
    readonly load?: typeof loadStrategy | undefined;
  },
): ReturnType<typeof loadInstances> {
  const { strategiesFolders } = config;
  // Nobody is there to approve entries.
  const strategies = config.strategies.map((strategy) => ({ ...strategy, approval: null }));
  const { hasBooks = true, available, load: loadFile = loadStrategy } = of;
  const folders = [...strategiesFolders, ownStrategies()];
  // Both loads below share the same modules, since they belong to one run.
  const files = new Map<string, ReturnType<typeof loadStrategy>>();
  const loadOnce: typeof loadStrategy = async (file) => {
    const loaded = files.get(file) ?? loadFile(file);
    files.set(file, loaded);
    return loaded;
  };
  const load = async (knownMarkets: ReadonlySet<string> | null): ReturnType<typeof loadInstances> =>
    loadInstances({
      strategies,
      folders,
      hasBooks,
      isDataSet: true,
      knownMarkets,
      ...(Object.keys(config.venues).length === 0 ? {} : { venues: otherVenueAges(config) }),
      load: loadOnce,
    });
  // The first load finds the subscriptions, which decide the markets of the run.
  const { instances } = await load(null);
  const more = universeRulesOf(instances).length === 0 ? [] : available();
  return load(new Set<string>([...backtestMarketsOf(instances), ...more]));
}

/** Returns every market that a strategy trades or reads. */
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

/** Returns the time before the start from which bars are needed, in ms; doubled to allow for gaps. */
function reachMs(instances: readonly StrategyInstanceSettings[], timeframe: Timeframe): number {
  const lengths = instances.flatMap(({ runner }) =>
    runner.subscriptions.flatMap((wanted) =>
      wanted.kind === 'candles' ? [runner.warmUpLength(wanted) * timeframeMs(wanted.timeframe)] : [],
    ),
  );
  // Universes rank by the last day.
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
    throw invalidOptions(
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
  throw invalidOptions(
    `expected a detail finer than the candles, which are of ${timeframe}, was ${detail.timeframe}: give a shorter one, such as 1m`,
  );
}

/** Returns the finer bars of a market; empty where there are none, and then its bars are walked whole. */
async function detailOf(
  of: DetailRequest & { readonly range: TimeRange; readonly columns: CandleColumns },
  catalogue: Catalogue | null,
): Promise<CandleColumns> {
  const { timeframe, range, candles } = of;
  const { market, anchors } = of.columns;
  // The last bar of the past is walked on its finer bars too.
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
 * Returns the file of each market; markets without a file use the catalogue. Throws `INVALID_OPTIONS` for a
 * file without a market where several are traded, a second file of one market, and a market that no strategy
 * uses.
 */
function csvFiles(csv: readonly CsvSource[], symbols: readonly MarketSymbol[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { market, path } of csv) {
    const [only] = symbols;
    if (market === null && symbols.length > 1) {
      throw invalidOptions(
        `expected the market of ${path}, since the strategies want ${symbols.join(', ')}: give each file as --csv ${only ?? 'BTCUSDT'}=${path}`,
      );
    }
    const symbol = market ?? only ?? '';
    if (!symbols.some((known) => known === symbol) || files.has(symbol)) {
      const found = files.has(symbol) ? 'a second file of it' : 'none that a strategy subscribes to';
      throw invalidOptions(`expected one file each of ${symbols.join(', ')}, was ${symbol}, ${found}`);
    }
    files.set(symbol, path);
  }
  return files;
}

/** Returns the markets, with tether in rial added if the results need it. */
export function withBridge(
  symbols: readonly MarketSymbol[],
  currency: Currency | null,
): readonly MarketSymbol[] {
  const { market } = MARKET_NAMES.bridge;
  return needsBridge(symbols.map(parseMarket), currency) && !symbols.includes(market)
    ? [...symbols, market]
    : symbols;
}

/** Returns the files as a result stores them; a single file is stored as its path, as in older results. */
function csvTerms(csv: readonly CsvSource[]): unknown {
  const [first] = csv;
  if (first === undefined) return null;
  return csv.length === 1
    ? first.path
    : Object.fromEntries(csv.map(({ market, path }) => [market ?? '', path]));
}

/** Maximum number of bars of a market whose price step is checked; they are spread over the whole run. */
const MOST_STEP_BARS = 20_000;
/** Share of checked bars that may be off the step, since exchanges rarely change their steps. */
const FEW_OFF = 0.01;

/** Returns a warning if bars have prices that the market's step does not allow; null otherwise. */
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

/** Creates a market with the steps of the options, else with those of the configured exchange. */
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
    throw invalidOptions(
      `expected the steps of ${symbol}: give --price-step and --amount-step, such as 0.01 and 0.000001`,
    );
  }
  const options: MarketOptions = { market: parseMarket(symbol), priceStep, amountStep };
  const minOrderValue = minValue ?? textOf(known?.minOrderValue);
  return createMarket(minOrderValue === undefined ? options : { ...options, minOrderValue });
}

const textOf = (units: Units | undefined): string | undefined =>
  units === undefined ? undefined : formatUnits(units);

/** Returns what a result stores of its configuration: everything that affects the result, without secrets. */
export function configTerms(config: BotConfig, more: Readonly<Record<string, unknown>>): unknown {
  return botTerms(config, { ...more, balances: config.paper.balances, feesInMillionths: config.paper.fees });
}

/** Returns the same as `configTerms` without balances and fees, for a bot whose exchange has its own. */
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
  return JSON.parse(JSON.stringify(storedForm(stored))) as unknown;
}

/** Kinds of data that candles do not contain, with their names for messages. */
const UNSERVED: Readonly<Partial<Record<Subscription['kind'], string>>> = {
  book: 'the book',
  trades: 'the trades',
  stats: 'the statistics',
};

/**
 * Refuses a run on candles whose strategies subscribe to data that candles do not contain: such a strategy
 * would get no event and end without an intent. Throws `INVALID_OPTIONS`, which names each subscription.
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
    throw invalidOptions(
      `expected subscriptions that a backtest can serve: ${ofMargin.join(', ')}, and nobody records margin. Run it with mode embedded or live`,
    );
  }
  if (wanted.length === 0) return;
  throw invalidOptions(
    `expected subscriptions that candles can serve: ${wanted.join(', ')}, which candles do not hold. Run it with --fidelity poll on recorded books and trades ("sarraf record", or "sarraf data import --kind depth"), or let it declare market.ticker() or candles where "hasBooks" of data is false`,
  );
}
