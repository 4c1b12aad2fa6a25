import { countText } from '../../domain/money.ts';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { AlertsSidecar } from '../../alerts/alerts-sidecar.ts';
import type { CreateSidecar } from '../../daemon/sidecar.ts';
import { DashboardSidecar } from '../../dashboard/dashboard-sidecar.ts';
import { strategyFilesAt } from '../../daemon/load-instances.ts';
import { runBot } from '../../daemon/run-bot.ts';
import { DEFAULT_STRATEGIES, defaultRecord, type BotConfig } from '../../daemon/create-bot-config.ts';
import type { Override } from '../../daemon/read-bot-config.ts';
import { SarrafError } from '../../domain/errors.ts';
import { failed, wrongInput, programName } from '../command-error.ts';
import {
  dataOption,
  durationOption,
  integerOption,
  marketOption,
  overrideOption,
} from '../option-readers.ts';
import { endSignal, limitHeap } from '../end-signal.ts';
import { ownStrategies } from '../../plugins/own-files.ts';
import { readConfig } from '../read-config.ts';

interface Options {
  readonly config?: string;
  readonly set: readonly Override[];
  readonly for?: number;
  readonly speed?: number | 'max';
  readonly replay?: string;
  readonly market?: string;
  readonly data?: string;
  readonly strategies?: string;
  readonly seed?: number;
  readonly record?: true;
  readonly newAccount?: true;
  readonly json?: true;
}

const EXAMPLES = `
Examples:
  sarraf run
  sarraf run --for 30s --speed 10
  sarraf run --record --for 1h
  sarraf run --config bot.yaml --set strategies.0.params.fast=10
  sarraf run --replay candles.csv.gz --speed max --for 30s`;

/** Market of a strategy without one of its own. */
const DEFAULT_MARKET = 'BTCIRT';

function speed(text: string): number | 'max' {
  if (text === 'max') return 'max';
  const factor = /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (factor > 0) return factor;
  throw new InvalidArgumentError('expected a number above 0, such as 10, or max.');
}

/** Quotes the absolute path of a file: relative paths start here, those in a file at its folder. */
const quoted = (path: string): string => JSON.stringify(resolve(path));

/** Speed of a demo: a candle of a minute lasts six seconds, so that strategies trade within half a minute. */
export const DEMO_SPEED = 10;

/** Returns the settings that options override. */
function overridesOf(options: Options): readonly Override[] {
  const { config, speed, replay, seed, data, market, strategies, set } = options;
  const overrides: Override[] = [];
  const isDemo = set.length === 0 && [config, strategies, replay].every((option) => option === undefined);
  const pace = speed ?? (isDemo ? DEMO_SPEED : undefined);
  if (pace !== undefined) overrides.push(['embedded.speed', String(pace)]);
  if (replay !== undefined) overrides.push(['embedded.replay', quoted(replay)]);
  if (seed !== undefined) overrides.push(['embedded.seed', String(seed)]);
  if (data !== undefined) overrides.push(['data.folder', quoted(data)]);
  if (strategies !== undefined || (market !== undefined && config === undefined)) {
    const plugins =
      strategies === undefined
        ? DEFAULT_STRATEGIES.map(({ plugin }) => plugin)
        : strategyFilesAt(resolve(strategies));
    const listed = plugins.map((plugin) => ({ plugin, market: market ?? DEFAULT_MARKET }));
    overrides.push(['strategies', JSON.stringify(listed), 'params.']);
  }
  return [...overrides, ...set];
}

/** Reads the configuration. `--record` records to the default place, or to that in the configuration. */
function configOf(options: Options): BotConfig {
  const config = readConfig(options.config ?? null, overridesOf(options));
  if (options.record !== true || config.record !== null) return config;
  return { ...config, record: defaultRecord(config.data.folder) };
}

/** Creates the page. It shows a link that signs in only at a terminal. */
function dashboardOf({ json }: Options): CreateSidecar {
  const isSeen = json !== true && process.stdout.isTTY;
  const writeToPerson = isSeen ? (line: string): void => console.log(line) : null;
  return (config, screen) => new DashboardSidecar({ config, screen, writeToPerson });
}

async function run(options: Options): Promise<void> {
  if (options.replay !== undefined && options.market !== undefined)
    throw wrongInput(
      'expected --market or --replay, were both: the market of a recording is named in it or in its file name',
    );
  if (options.config !== undefined && options.market !== undefined)
    throw wrongInput(
      'expected --market or --config, were both: in a configuration each strategy names its market',
    );
  using ended = endSignal();
  try {
    const config = configOf(options);
    // Virtual time leaves V8 no idle moment: its heap would grow as far as the machine has memory.
    if (config.mode === 'embedded' && config.embedded.speed === 'max') limitHeap();
    const summary = await runBot({
      config,
      bundledStrategies: ownStrategies(),
      forMs: options.for ?? null,
      json: options.json === true,
      write: (line) => console.log(line),
      program: programName(),
      signal: ended.signal,
      isNewAccount: options.newAccount === true,
      readAgain: () => configOf(options),
      onOutputGone: ended.end,
      sidecars: [dashboardOf(options), (...of) => new AlertsSidecar(...of)],
    });
    if (summary.openOrders > 0)
      throw failed(`${countText(summary.openOrders, 'order is', 'orders are')} not known to be closed`);
  } catch (error) {
    const isInput =
      error instanceof SarrafError &&
      ['INVALID_FILE', 'INVALID_MARKET', 'INVALID_STRATEGY', 'INVALID_OPTIONS'].includes(error.code);
    throw isInput ? wrongInput(error.message) : error;
  }
}

export function runCommand(): Command {
  return new Command('run')
    .description(
      'Runs the bot. Without a configuration it runs two demo strategies on the built-in exchange, with synthetic traders or a replayed recording.',
    )
    .option('--config <file>', 'configuration of the bot, such as bot.yaml')
    .option('--set <path=value>', 'overrides one value of the configuration; repeatable', overrideOption, [])
    .option('--for <time>', 'ends by itself after this real time, such as 30s', durationOption)
    .option('--speed <factor>', 'speed as a multiple of real time; max never waits', speed)
    .option('--replay <file>', 'repeats recorded candles or trades as the market (CSV, CSV.gz, JSON lines)')
    .option('--market <symbol>', 'market of the strategies (default: "BTCIRT")', marketOption)
    .addOption(dataOption('folder of the mirror (default: "data")', null))
    .option('--strategies <path>', 'folder of strategies, or one file, instead of the configured ones')
    .option('--seed <number>', 'seed of the market', integerOption(0, 4_294_967_295))
    .option(
      '--record',
      'records the market data that the bot reads, for backtests (default folder: catalogue in --data)',
    )
    .option('--new-account', 'begins a new paper account, and puts the one before aside')
    .option('--json', 'prints JSON lines')
    .addHelpText('after', EXAMPLES)
    .action(run);
}
