import { existsSync, readdirSync, statSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { SarrafError } from '../domain/errors.ts';
import { parseUnits } from '../domain/money.ts';
import type { SeatSettings } from '../engine/engine-settings.ts';
import { lineIn } from '../plugins/line-in-stack.ts';
import { formatPluginProblem, loadStrategies, type LoadedStrategy } from '../plugins/load-strategies.ts';
import { StrategyRunner, type CallHandler } from '../strategy/runner.ts';
import type { ConfiguredStrategy } from './settings/create-bot-config.ts';
import { baseName } from './settings/strategy-settings.ts';

export interface LoadSeatsOptions {
  readonly strategies: readonly ConfiguredStrategy[];
  /** Where plugins are looked for by their name, in this order. */
  readonly folders: readonly string[];
  readonly knownMarkets: ReadonlySet<string>;
  /** Whether the run has books, trades of others and statistics; true without it. */
  readonly hasBooks?: boolean;
  /** Bounds the time of a handler's call; without it handlers are called as they are. */
  readonly call?: CallHandler;
}

export interface LoadedSeats {
  readonly seats: readonly SeatSettings[];
  /** A line for each strategy that can not run, with the file and line of its mistake. */
  readonly problems: readonly string[];
}

/**
 * Loads the plugin of every configured strategy and sets it up. One with a mistake is told, and the others are there all the same.
 * @throws SarrafError `INVALID_STRATEGY` when none is left.
 */
export async function loadSeats(options: LoadSeatsOptions): Promise<LoadedSeats> {
  const seats: SeatSettings[] = [];
  const problems: string[] = [];
  for (const strategy of options.strategies) {
    const file = fileOf(strategy, options.folders);
    if (file === null) {
      problems.push(missing(strategy, options.folders));
      continue;
    }
    const loaded = await loadStrategies(file);
    problems.push(...loaded.problems.map(formatPluginProblem));
    const [first] = loaded.strategies;
    if (first === undefined) continue;
    const seat = setUp(first, strategy, options);
    if (typeof seat === 'string') problems.push(seat);
    else if (seats.some(({ runner }) => runner.name === seat.runner.name)) problems.push(namesake(file, seat));
    else seats.push(seat);
  }
  if (seats.length > 0) return { seats, problems };
  throw new SarrafError('INVALID_STRATEGY', ['expected a strategy that can run, was none', ...problems].join('\n  '));
}

/** The files of all strategies in a folder, or the one file, for a run that is told no more than where they are. */
export function strategyFilesAt(path: string): readonly string[] {
  if (!existsSync(path)) {
    throw new SarrafError('INVALID_OPTIONS', `expected a folder of strategies or one file at ${path}, was nothing`);
  }
  if (/\.m?[tj]s$/.test(path)) return [path];
  return readdirSync(path)
    .filter((name) => /\.m?[tj]s$/.test(name) && !name.endsWith('.d.ts'))
    .toSorted()
    .map((name) => join(path, name));
}

function setUp(
  { file, definition }: LoadedStrategy,
  strategy: ConfiguredStrategy,
  { knownMarkets, hasBooks = true, call }: LoadSeatsOptions,
): SeatSettings | string {
  const { plugin, market, span, params, onError, pauseMs, limits, capital } = strategy;
  // A strategy that is given no name has its own; that of its file stands for it until it is loaded.
  const fileName = baseName(plugin.kind === 'file' ? plugin.path : plugin.name);
  const name = strategy.name === fileName ? definition.name : strategy.name;
  try {
    const runner = new StrategyRunner(definition, {
      name,
      market,
      span,
      params,
      hasBooks,
      knownMarkets,
      source: { file: sayFile(file), lineOf: (error) => lineIn(error, file) },
      ...(call === undefined ? {} : { call }),
    });
    const owned = Object.entries(capital).map(([quote, text]) => [quote, parseUnits(text)] as const);
    return { runner, onError, pauseMs, limits, capital: Object.fromEntries(owned) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return formatPluginProblem({ file, line: lineIn(error, file), message });
  }
}

/** A file as it is said: from the working folder on where it is in it. */
function sayFile(file: string): string {
  const path = relative(process.cwd(), file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}

function fileOf({ plugin }: ConfiguredStrategy, folders: readonly string[]): string | null {
  if (plugin.kind === 'file') return isFile(plugin.path) ? plugin.path : null;
  for (const folder of folders) {
    for (const ending of ['.ts', '.mts', '.js', '.mjs']) {
      const file = join(folder, plugin.name + ending);
      if (isFile(file)) return file;
    }
  }
  return null;
}

/** By its file's name the configuration could not see that a strategy has the name of another. */
function namesake(file: string, { runner }: SeatSettings): string {
  const message = `expected a name of its own, another strategy is called ${runner.name}: give it one in the configuration`;
  return formatPluginProblem({ file, line: null, message });
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function missing({ name, plugin }: ConfiguredStrategy, folders: readonly string[]): string {
  if (plugin.kind === 'file') return `${name}: expected the file of a strategy at ${plugin.path}, was none`;
  return `${name}: expected a file ${plugin.name}.ts or .js in ${folders.join(' or ')}, was none`;
}
