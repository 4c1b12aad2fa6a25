import { InvalidArgumentError, Option, Command } from 'commander';
import { parseDuration } from '../daemon/duration-text.ts';
import type { Override } from '../daemon/read-bot-config.ts';
import { SarrafError } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { wrongInput, failed } from './command-error.ts';
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates the option `--data`, the folder of a bot. The environment variable SARRAF_DATA sets it too, as in
 * the image.
 * @param byDefault null if a configuration names the folder
 */
export function dataOption(description: string, byDefault: string | null = 'data'): Option {
  const option = new Option('--data <folder>', description).env('SARRAF_DATA');
  return byDefault === null ? option : option.default(byDefault);
}

/** Options of a command about a data folder. */
export interface DataFolderOptions {
  readonly data: string;
  readonly json?: true;
}

/** Creates a command about the data folder of a bot. */
export function folderCommand(name: string, description: string, help: string): Command {
  return new Command(name)
    .description(description)
    .addOption(dataOption("the bot's data folder"))
    .option('--json', 'prints one JSON object')
    .addHelpText('after', help);
}

/** Adds `--data`, the folder of a bot, and `--config`, the configuration that names it. */
export function withBotFolder(command: Command, description: string): Command {
  return command
    .addOption(dataOption(description))
    .option('--config <file>', 'configuration of the bot, whose data folder it is')
    .hook('preAction', async () => {
      command.setOptionValue('data', await botFolderOf(command));
    });
}

/** Returns the folder of a bot that `--config`, else `--data` names. */
export async function botFolderOf(command: Command, set: readonly Override[] = []): Promise<string> {
  const { config, data } = command.opts<{ readonly config?: string; readonly data: string }>();
  if (config === undefined) return data;
  if (command.getOptionValueSource('data') === 'cli')
    throw wrongInput('expected --config or --data, found both: each names the data folder');
  const { readConfig } = await import('./read-config.ts');
  // No request leaves: the keys of its account are not needed.
  return readConfig(config, set, { isOffline: true }).data.folder;
}

/** Removes `--data` from the options if the environment set it: an option that was typed replaces it. */
export function withoutDataOfEnvironment<Options extends { readonly data?: string }>(
  options: Options,
  command: Command,
): Options {
  if (command.getOptionValueSource('data') !== 'env') return options;
  const { data: _data, ...others } = options;
  return others as Options;
}

/** Reads a whole number within bounds, both included, from an option. */
export function integerOption(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`expected a whole number from ${least} to ${most}.`);
  };
}

export function marketOption(text: string): MarketSymbol {
  try {
    return parseMarket(text).symbol;
  } catch (error) {
    throw error instanceof SarrafError ? new InvalidArgumentError(`${error.message}.`) : error;
  }
}

/** Reads `path=value` and appends it to the overrides before it. */
export function overrideOption(text: string, before: readonly Override[]): readonly Override[] {
  const at = text.indexOf('=');
  // commander would repeat the text, which may contain a secret.
  if (at < 1) throw wrongInput('expected path=value after --set, such as strategies.0.params.fast=10');
  return [...before, [text.slice(0, at), text.slice(at + 1)]];
}

/** Reads `30s`, `5m`, `2h` to ms. */
export function durationOption(text: string): number {
  const durationMs = parseDuration(text);
  if (durationMs !== null && durationMs > 0) return durationMs;
  throw new InvalidArgumentError('expected a length of time such as 30s, 5m or 2h.');
}

/** Throws if a file exists, or if its folder does not. */
export function refuseExisting(path: string): void {
  if (existsSync(path)) throw wrongInput(`expected no file at ${path} yet, found one: name another`);
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() !== true)
    throw wrongInput(`expected a folder ${dirname(path)} to write ${path} into, found none: make it`);
}

/** Ends the command if a data folder does not exist. */
export function checkBotFolder(data: string): void {
  if (!existsSync(data))
    throw failed(`expected the data folder of a bot at ${data}, found none: name it with --data`);
}
