import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { SarrafError } from '../../domain/errors.ts';
import { failed, wrongInput } from '../command-error.ts';
import { integerOption } from '../option-readers.ts';

interface Options {
  readonly for?: number;
  readonly speed: number | 'max';
  readonly replay?: string;
  readonly market?: string;
  readonly data: string;
  readonly strategies: string;
  readonly seed: number;
  readonly json?: true;
}

const EXAMPLES = `
Examples:
  sarraf run
  sarraf run --for 30s --speed 10
  sarraf run --replay candles.csv.gz --speed max --for 30s`;

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads `30s`, `5m`, `2h`. */
function duration(text: string): number {
  const parts = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  const unit = UNITS_MS[parts?.[2] ?? ''];
  if (parts === null || unit === undefined || Number(parts[1]) === 0) {
    throw new InvalidArgumentError('expected a length of time such as 30s, 5m or 2h.');
  }
  return Number(parts[1]) * unit;
}

/** Reads a factor, or `max`. */
function speed(text: string): number | 'max' {
  if (text === 'max') return 'max';
  const factor = /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (factor > 0) return factor;
  throw new InvalidArgumentError('expected a number above 0, such as 10, or max.');
}

/** The strategies that come with the package: beside the sources, or built beside the program. */
function ownStrategies(): string {
  return (
    ['../../../strategies', '../../strategies']
      .map((place) => fileURLToPath(new URL(place, import.meta.url)))
      .find((place) => existsSync(place)) ?? 'strategies'
  );
}

/** Asks for the end at the first signal, and leaves at once at the second. */
function endSignal(): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
  };
  // Nobody reads any more, as after `| head`: ends as at a signal, so that no order is left behind.
  const onOutputError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    controller.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  process.stdout.on('error', onOutputError);
  return { signal: controller.signal, release: () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal) };
}

async function run(options: Options): Promise<void> {
  if (options.replay !== undefined && options.market !== undefined) {
    throw wrongInput(
      'expected --market or --replay, were both: the market of a recording is named in it or in its file name',
    );
  }
  // Loaded only now: the other commands need neither SQLite nor the strategies.
  const { runBot } = await import('../../daemon/run-bot.ts');
  const { signal, release } = endSignal();
  try {
    const summary = await runBot({
      speed: options.speed,
      forMs: options.for ?? null,
      replay: options.replay ?? null,
      market: options.market ?? 'BTCIRT',
      dataFolder: options.data,
      strategies: options.strategies,
      seed: options.seed,
      json: options.json === true,
      write: (line) => console.log(line),
      signal,
    });
    if (summary.openOrders > 0) throw failed(`${summary.openOrders} orders are not known to be closed`);
  } catch (error) {
    const isInput =
      error instanceof SarrafError &&
      ['INVALID_FILE', 'INVALID_MARKET', 'INVALID_STRATEGY', 'INVALID_OPTIONS'].includes(error.code);
    throw isInput ? wrongInput(error.message) : error;
  } finally {
    release();
  }
}

/** `sarraf run`: the bot on the embedded exchange. */
export function runCommand(): Command {
  return new Command('run')
    .description(
      'Runs the strategies on the exchange that is built in: with synthetic traders, or with a market that repeats a recording.',
    )
    .option('--for <time>', 'ends by itself after this time on the wall, such as 30s', duration)
    .option('--speed <factor>', 'how much faster than the wall everything goes; max waits for nothing', speed, 1)
    .option('--replay <file>', 'drives the market from recorded candles or trades (CSV, CSV.gz, JSON lines)')
    .option('--market <symbol>', 'market of the synthetic traders (default: "BTCIRT")')
    .option('--data <folder>', 'where the mirror is kept', 'data')
    .option('--strategies <path>', 'folder of strategies, or one file', ownStrategies())
    .option('--seed <number>', 'seed of the market', integerOption(0, 4_294_967_295), 1)
    .option('--json', 'prints JSON lines')
    .addHelpText('after', EXAMPLES)
    .action(async (options: Options) => run(options));
}
