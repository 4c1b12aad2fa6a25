import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { messageOf, SarrafError, dataUnusable } from '../domain/errors.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { mirrorPathOf } from '../mirror/mirror-path.ts';
import { MirrorReader } from '../mirror/mirror-reader.ts';
import { wrongInput } from './command-error.ts';
import { integerOption, withBotFolder, type DataFolderOptions } from './option-readers.ts';
import { dataFolderOwner, isDataFolderInUse } from '../daemon/process-locks.ts';
import { askHealth, healthAddress } from './ask-health.ts';

export interface FilterOptions extends DataFolderOptions {
  readonly strategy?: string;
  readonly market?: string;
  readonly last: number;
}

/** Maximum number of lines of a list; a table is the wrong tool for more. */
const MOST_LINES = 100_000;

const EXIT_CODES =
  '\nExit codes: 0 the mirror was read, 1 there is none or it can not be read, 2 an option is wrong.';

export function mirrorCommand(
  name: string,
  options: { readonly description: string; readonly examples: string },
): Command {
  return withBotFolder(new Command(name), 'folder of the mirror')
    .description(options.description)
    .option('--json', 'prints one JSON object')
    .addHelpText('after', `\nExamples:\n${options.examples}\n${EXIT_CODES}`);
}

/** Adds the filters of a command that lists rows. */
export function withFilters(command: Command, last: number): Command {
  return command
    .option('--strategy <name>', 'only of this strategy')
    .option('--market <symbol>', 'only of this market, such as BTCIRT')
    .option('--last <count>', 'only so many, the newest', integerOption(1, MOST_LINES), last);
}

/** Returns filters for the mirror. A market may be spelled in any of its four ways. */
export function filterOf(options: FilterOptions): {
  strategy: string | null;
  market: string | null;
  last: number;
} {
  return {
    strategy: options.strategy ?? null,
    market: options.market === undefined ? null : symbolOf(options.market),
    last: options.last,
  };
}

function symbolOf(market: string): string {
  try {
    return parseMarket(market).symbol;
  } catch (error) {
    throw error instanceof SarrafError ? wrongInput(error.message) : error;
  }
}

/** True if a data folder has a mirror, of any exchange. */
export const hasMirror = ({ data }: Pick<DataFolderOptions, 'data'>): boolean =>
  existsSync(mirrorPathOf(data));

/**
 * Reads from the mirror of a data folder: that of a real exchange, or, if there is none, of paper trading or
 * the embedded one. Throws `DATA_UNUSABLE` if there is none that can be read; it names the bot that is about
 * to create one.
 */
export function readMirror<Result>(
  options: DataFolderOptions,
  read: (reader: MirrorReader) => Result,
): Result {
  const path = mirrorPathOf(options.data);
  if (!hasMirror(options)) {
    const starting = startingBot(options.data);
    if (starting !== null) throw noMirrorYet(path, starting);
  }
  using reader = new MirrorReader(path);
  return read(reader);
}

function noMirrorYet(path: string, { who }: StartingBot): SarrafError {
  return dataUnusable(
    `expected a mirror at ${path}, found none yet: a bot is starting (${who}) and makes it once the exchange has answered; "sarraf status" says what it waits for`,
  );
}

/** A bot that uses a data folder without an open mirror: it starts, or is about to end. */
export interface StartingBot {
  readonly pid: number | null;
  /** Name of the process, for people. */
  readonly who: string;
}

/** Returns the bot that uses a folder whose mirror is not open; null if there is none, or this is unknown. */
export function startingBot(dataFolder: string): StartingBot | null {
  try {
    if (!isDataFolderInUse(dataFolder)) return null;
  } catch {
    // A reader may have no right to check the lock; the mirror is then read or refused all the same.
    return null;
  }
  const owner = dataFolderOwner(dataFolder);
  return owner === null
    ? { pid: null, who: 'another process' }
    : { pid: owner.pid, who: `pid ${owner.pid} on ${owner.host}` };
}

/** Returns why the bot waits, in its own words if it serves health. */
export async function startWaitsFor(dataFolder: string): Promise<string> {
  const unserved = 'no answer from the exchange yet, as far as the command can see without health.port';
  const address = healthAddress(dataFolder);
  if (address === null) return unserved;
  try {
    const { reasons } = await askHealth(`${address}/readyz`);
    return reasons.length === 0 ? 'it has just begun' : reasons.join('; ');
  } catch (error) {
    return `what for is not known: ${messageOf(error)}`;
  }
}
