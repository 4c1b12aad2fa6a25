import { existsSync, readdirSync, statSync } from 'node:fs';
import { closing } from '../domain/closing.ts';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { listText, SarrafError, invalidStrategy, invalidOptions, didYouMean } from '../domain/errors.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { parseUnits, type Units } from '../domain/money.ts';
import type { StrategyInstanceSettings } from '../engine/engine-settings.ts';
import { lineIn, loadStrategy, placedError } from '../plugins/load-strategy.ts';
import { ownFileHint } from '../plugins/own-files.ts';
import { LoadWatch } from '../plugins/load-watch.ts';
import type { OtherVenueAges } from '../strategy/subscriptions.ts';
import type { StrategyRunner } from '../strategy/runner.ts';
import type { ParamProblem } from '../strategy/runner-setup.ts';
import type { StrategyPort } from '../strategy/strategy-port.ts';
import { candidatesOf, checkedUniverse } from '../strategy/universe-rules.ts';
import type { ConfiguredStrategy } from './create-bot-config.ts';
import { baseName, pluginText } from './strategy-settings.ts';
import type { RunNote } from './run-record.ts';
import type { StrategyThreads } from './strategy-threads.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';

interface LoadInstancesOptions {
  readonly strategies: readonly ConfiguredStrategy[];
  /** Folders searched for plugins by name, in this order. */
  readonly folders: readonly string[];
  /** Markets of the exchange; null if they are unknown, and any is accepted. */
  readonly knownMarkets: ReadonlySet<string> | null;
  /** Other venues of the configuration; left out if any name is accepted. */
  readonly venues?: OtherVenueAges;
  /** Threads, one for each strategy; without it strategies are loaded and called directly. */
  readonly threads?: StrategyThreads;
  /** True if the run has books, trades of others and statistics; the default is true. */
  readonly hasBooks?: boolean;
  /** True if the markets are those of a data set, which lacks some of the exchange's markets. */
  readonly isDataSet?: boolean;
  /** Loads a file if there are no threads; the default is `loadStrategy`. */
  readonly load?: typeof loadStrategy;
}

interface LoadedInstances {
  readonly instances: readonly StrategyInstanceSettings[];
  /** The configured strategy of each instance, by the instance's name. */
  readonly configured: ReadonlyMap<string, ConfiguredStrategy>;
  /** A line for each mistake in a strategy, with its file and line. */
  readonly problems: readonly string[];
  /** Strategies that cannot run. */
  readonly lost: readonly LostStrategy[];
}

/** A configured strategy that cannot run, with the reasons. */
export interface LostStrategy {
  /** Name of the strategy in the configuration. */
  readonly name: string;
  /** Reasons it cannot run: a line for each mistake. */
  readonly reasons: readonly string[];
  readonly isOptional: boolean;
  /** Quote currency in which it would trade. */
  readonly quote: Currency;
  /** Its market, if the exchange does not list it; null if the mistake is another one. */
  readonly unlistedMarket: string | null;
}

/** Maximum number of files that are loaded at once, each in a thread of its own. */
const AT_ONCE = 4;

/**
 * Loads the plugin of every configured strategy and sets it up. One with a mistake is reported, and the
 * others are loaded all the same. Without threads, files are loaded in this process, one by one: one with an
 * endless loop blocks it, and is named on the standard error after some seconds.
 * @throws SarrafError `INVALID_STRATEGY` when none is left.
 */
export async function loadInstances(options: LoadInstancesOptions): Promise<LoadedInstances> {
  using watch = closing(new LoadWatch());
  return await loadAll({ ...options, watch });
}

/**
 * Throws if a strategy that is not optional cannot run. If an earlier run traded its market and the exchange
 * no longer lists it, it is left out instead: the others have positions to manage.
 * @throws SarrafError `INVALID_STRATEGY` that names each such strategy.
 */
export function refuseWithout(
  lost: readonly LostStrategy[],
  { hadMarket }: { readonly hadMarket: (market: string) => boolean },
): void {
  const missed = lost.filter(
    ({ isOptional, unlistedMarket }) =>
      !isOptional && (unlistedMarket === null || !hadMarket(unlistedMarket)),
  );
  if (missed.length === 0) return;
  throw invalidStrategy(
    [
      `expected every strategy to be able to run, ${missed.map(({ name }) => name).join(' and ')} can not`,
      ...missed.flatMap(({ reasons }) => reasons),
      'correct it, or set "optional: true" at the strategy to trade without it',
    ].join('\n  '),
  );
}

interface WatchedOptions extends LoadInstancesOptions {
  readonly watch: LoadWatch;
}

async function loadAll(options: WatchedOptions): Promise<LoadedInstances> {
  const { strategies } = options;
  const atOnce = options.threads === undefined ? 1 : AT_ONCE;
  const instances: StrategyInstanceSettings[] = [];
  const configured = new Map<string, ConfiguredStrategy>();
  const problems: string[] = [];
  const lost: LostStrategy[] = [];
  for (let first = 0; first < strategies.length; first += atOnce) {
    const some = strategies.slice(first, first + atOnce);
    const loaded = await Promise.all(
      some.map(async (one) => ({ strategy: one, ...(await loadInstance(one, options)) })),
    );
    for (const { strategy, file, instance, problems: found } of loaded) {
      const isConflictingInstance =
        instance !== null && instances.some(({ runner }) => runner.name === instance.runner.name);
      const reasons = isConflictingInstance ? [...found, conflictingInstance(file, instance)] : found;
      problems.push(...reasons);
      if (instance === null || isConflictingInstance) lost.push(lostStrategy(strategy, reasons, options));
      else {
        instances.push(instance);
        configured.set(instance.runner.name, strategy);
      }
    }
  }
  if (instances.length > 0) return { instances, configured, problems, lost };
  throw invalidStrategy([...new Set(problems)].join('\n') || 'expected a strategy, was none');
}

interface LoadedInstance {
  readonly file: string;
  /** The strategy that was set up; null if it cannot run. */
  readonly instance: StrategyInstanceSettings | null;
  readonly problems: readonly string[];
}

async function loadInstance(strategy: ConfiguredStrategy, options: WatchedOptions): Promise<LoadedInstance> {
  const { plugin } = strategy;
  const { folders } = options;
  const file = plugin.kind === 'definition' ? plugin.definition.name : strategyFileOf(plugin, folders);
  if (file === null) {
    const text = missingFileText(plugin as FilePlace, folders);
    return { file: '', instance: null, problems: [strategy.describe?.(['plugin'], text) ?? text] };
  }
  try {
    const load = async () => runnerOf(file, strategy, options);
    const runner = await (options.threads === undefined
      ? options.watch.during(shownPath(file), load)
      : load());
    return { file, instance: instanceOf(runner, strategy), problems: [] };
  } catch (error) {
    const { message } = placedError(error, { file, lineOf: (of) => lineIn(of, file) });
    return { file, instance: null, problems: refusedParams(error, strategy.describe) ?? [message] };
  }
}

function lostStrategy(
  { name, market, universe, optional }: ConfiguredStrategy,
  reasons: readonly string[],
  { knownMarkets }: LoadInstancesOptions,
): LostStrategy {
  const isListed = market === null || knownMarkets === null || knownMarkets.has(market);
  return {
    name,
    reasons,
    isOptional: optional,
    quote:
      market === null
        ? (universe?.quote ?? MARKET_NAMES.bridge.quote)
        : MARKET_NAMES.parseMarket(market).quote,
    unlistedMarket: isListed ? null : market,
  };
}

/**
 * Returns a line for each parameter that the strategy refuses, with its place in the configuration; null if
 * the error is another one.
 */
export function refusedParams(
  error: unknown,
  describe: ConfiguredStrategy['describe'],
): readonly string[] | null {
  if (!(error instanceof SarrafError) || describe === undefined) return null;
  const params = error.details['params'] as readonly ParamProblem[] | undefined;
  return params?.map(({ path, message }) => describe(['params', ...path], message)) ?? null;
}

/** Matches a file in a folder of strategies that is one, and not a test or a declaration of types. */
const STRATEGY_FILE = /^(?!.*\.(?:d|test)\.m?[tj]s$).*\.m?[tj]s$/;

/** Returns the files of all strategies in a folder, or the one file, for a run that knows nothing else. */
export function strategyFilesAt(path: string): readonly string[] {
  if (!existsSync(path)) {
    throw invalidOptions(`expected a folder of strategies or one file at ${path}, was nothing`);
  }
  if (/\.m?[tj]s$/.test(path)) return [path];
  return readdirSync(path)
    .filter((name) => STRATEGY_FILE.test(name))
    .toSorted()
    .map((name) => join(path, name));
}

/**
 * Returns the name that a strategy is given; null if the configuration has none: then it has its own, and
 * until it is loaded, the file's name replaces it.
 */
export function givenName({ name, plugin }: Pick<ConfiguredStrategy, 'name' | 'plugin'>): string | null {
  return name === baseName(pluginText(plugin)) ? null : name;
}

async function runnerOf(
  file: string,
  strategy: ConfiguredStrategy,
  options: LoadInstancesOptions,
): Promise<StrategyPort> {
  const { knownMarkets, venues, threads, hasBooks = true, isDataSet = false, load = loadStrategy } = options;
  const { plugin, universe, timeframe, params, onError } = strategy;
  const market = strategy.market ?? firstCandidate(strategy, knownMarkets);
  const name = givenName(strategy);
  const settings = {
    ...(name === null ? {} : { name }),
    market,
    universe,
    marketNames: MARKET_NAMES,
    timeframe,
    params,
    hasBooks,
    isDataSet,
    ...(knownMarkets === null ? {} : { knownMarkets }),
    ...(venues === undefined ? {} : { venues }),
  };
  if (plugin.kind === 'definition') return runnerHere(plugin.definition, settings);
  const shownFile = shownPath(file);
  if (threads !== undefined) {
    const restarts = onError === 'pause';
    return threads.begin({
      file,
      shownFile,
      name,
      market,
      universe,
      timeframe,
      params,
      knownMarkets,
      venues: venues ?? null,
      restarts,
    });
  }
  const { definition, lineOf } = await load(file);
  try {
    return await runnerHere(definition, { ...settings, source: { file: shownFile, lineOf } });
  } catch (error) {
    throw placedError(error, { file, lineOf });
  }
}

/**
 * Returns a market that may become a member of a universe, for a strategy that has no market of its own.
 * Throws `INVALID_STRATEGY` if there is none.
 */
function firstCandidate(
  { universe }: Pick<ConfiguredStrategy, 'universe'>,
  knownMarkets: ReadonlySet<string> | null,
): string {
  const rules = checkedUniverse(universe, { marketNames: MARKET_NAMES, knownMarkets: undefined });
  const { bridge } = MARKET_NAMES;
  // Any market of the currency will do while the markets are unknown.
  if (knownMarkets === null)
    return rules.quote === bridge.quote ? bridge.market : MARKET_NAMES.symbolIn('btc', rules.quote);
  const [first] = candidatesOf(rules, knownMarkets, MARKET_NAMES);
  if (first !== undefined) return first;
  const message = `universe: expected markets in ${rules.quote} to choose from, was none of the ${knownMarkets.size} that there are`;
  throw invalidStrategy(message);
}

/**
 * Creates a strategy in this thread. The runner is loaded here: a bot whose strategies have threads needs
 * neither the runner nor its indicators, which are two hundred modules.
 */
async function runnerHere(...of: ConstructorParameters<typeof StrategyRunner>): Promise<StrategyPort> {
  const { StrategyRunner: Runner } = await import('../strategy/runner.ts');
  return new Runner(...of);
}

function instanceOf(runner: StrategyPort, strategy: ConfiguredStrategy): StrategyInstanceSettings {
  const { onError, pauseMs, limits, capital, inventory, locks, approval } = strategy;
  return {
    runner,
    onError,
    pauseMs,
    limits,
    locks,
    capital: unitsByCurrency(capital),
    inventory: unitsByCurrency(inventory),
    ...(approval === null ? {} : { approval: { ...approval, above: unitsByCurrency(approval.above) } }),
  };
}

function unitsByCurrency(amounts: Readonly<Record<string, string>>): Readonly<Record<string, Units>> {
  return Object.fromEntries(Object.entries(amounts).map(([currency, text]) => [currency, parseUnits(text)]));
}

/** Returns a file's path as messages show it: relative to the working folder if it is in it. */
export function shownPath(file: string): string {
  const path = relative(process.cwd(), file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}

/** Returns what the record of a run says of a strategy: its place, and its file with what it starts with. */
export function runNoteOf(
  { name, plugin, market, timeframe, params }: ConfiguredStrategy,
  folders: readonly string[],
): RunNote['strategies'][number] {
  const file = plugin.kind === 'definition' ? null : strategyFileOf(plugin, folders);
  const start = file === null ? {} : { start: { file: resolve(file), timeframe, params } };
  return { name, plugin: pluginText(plugin), market, ...start };
}

/**
 * Returns the file of a plugin: at its path, or by its name in the first folder that has it. Null if there is
 * none.
 */
export function strategyFileOf(plugin: FilePlace, folders: readonly string[]): string | null {
  if (plugin.kind === 'file') return isFile(plugin.path) ? plugin.path : null;
  for (const folder of folders) {
    for (const ending of ['.ts', '.mts', '.js', '.mjs']) {
      const file = join(folder, plugin.name + ending);
      if (isFile(file)) return file;
    }
  }
  return null;
}

type FilePlace = Exclude<ConfiguredStrategy['plugin'], { readonly kind: 'definition' }>;

/** Describes a name that two strategies have: the configuration could not see it from the file's name. */
function conflictingInstance(file: string, { runner }: StrategyInstanceSettings): string {
  return `${file}: expected a name of its own, another strategy is called ${runner.name}: give it one in the configuration`;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Describes a plugin without a file, with the names that there are. */
export function missingFileText(plugin: FilePlace, folders: readonly string[]): string {
  if (plugin.kind === 'file') return `expected the file of a strategy at ${plugin.path}, was none`;
  const { name } = plugin;
  const all = folders.filter((folder) => existsSync(folder)).flatMap(strategyFilesAt);
  const names = [...new Set(all.map(baseName))];
  return [
    `expected one of the strategies in ${folders.join(' or ')} (${listText(names) || 'none'}), was ${name}`,
    didYouMean(name, names),
    ownFileHint(name, process.cwd()),
  ].join('');
}
