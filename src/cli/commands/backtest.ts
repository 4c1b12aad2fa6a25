import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { barRulesOf } from '../../backtest/bar-rules-of.ts';
import { balancesOverride, feeOverride, strategiesOverride } from '../../backtest/bot-overrides.ts';
import { pollRulesOf } from '../../backtest/poll-rules-of.ts';
import type { BacktestRun } from '../../backtest/backtest-run.ts';
import { latencyOfSession } from '../../backtest/session.ts';
import type { PollRules } from '../../venues/poll-rules.ts';
import { resultLines } from '../../backtest/summary-lines.ts';
import { ByteWriter } from '../../backtest/byte-writer.ts';
import { finishRun } from '../../backtest/finish-run.ts';
import { writeResultLine } from '../../backtest/result-json.ts';
import { writeRunFolder } from '../../backtest/write-run-folder.ts';
import type { Timeframe } from '../../domain/timeframe.ts';
import { openCatalogue, usualCatalogue } from '../../daemon/open-catalogue.ts';
import { LANGUAGES, type Language } from '../../language/locale.ts';
import type { Override } from '../../daemon/overrides.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import {
  backtestFlags,
  balanceFlags,
  refuseUnfit,
  stepFlags,
  timeframeFlag,
  type BacktestFlags,
} from '../backtest/backtest-flags.ts';
import { optionsProblem } from '../backtest/backtest-options.ts';
import { CheckFailed } from '../../backtest/check-backtest.ts';
import { failed, wrongInput } from '../command-error.ts';
import { catalogueRecordings } from '../../backtest/recordings.ts';
import { runConfigured, type ConfiguredRun } from '../../backtest/run-configured.ts';
import { asCommand } from '../as-command.ts';
import { formOf } from '../data/data-options.ts';
import { reportOnStderr, type ProgressReport } from '../progress-report.ts';
import { dataOption, integerOption, overrideOption } from '../option-readers.ts';
import { readConfig } from '../read-config.ts';
import { keepHeapTight } from '../tight-heap.ts';

interface Options extends BacktestFlags {
  readonly config?: string;
  readonly set: readonly Override[];
  readonly data: string;
  readonly save: boolean;
  readonly language?: Language;
  readonly parquet?: true;
  readonly latencyFrom?: string;
  readonly seed: number;
  readonly checkLookahead?: true;
  readonly checkWarmup?: true;
  readonly json?: true;
}

const USUAL_TIMEFRAME: Timeframe = '1h';

const EXAMPLES = `
Candles come from the catalogue ("sarraf data"), or from --csv. Strategies, account and fees come
from the configuration (paper.balances, paper.fees), or from --param, --cash and --fee. A run has
the markets that its strategies declare, in one account. Results are in one currency. Money in the
other is valued by USDTIRT, so the run then needs candles of USDTIRT too. Every result lists the
rules by which its orders filled. docs/backtest.md explains them.
Exit codes: 0 the run ended, 1 a strategy stopped or a check found something, 2 an option, a file or
the configuration is wrong.

Examples:
  sarraf backtest --config bot.yaml --timeframe 1h --from 2024-01-01 --to 2024-07-01
  sarraf backtest --config bot.yaml --set strategies.0.params.fast=10 --json
  sarraf backtest market-maker --market BTCUSDT --fidelity poll --cash 10000 --fee 0.1%
  sarraf backtest strategies/ma-cross.ts --csv hours.csv --market BTCUSDT --timeframe 1h --param fast=10 --cash 10000 --fee 0.1%
  sarraf backtest breakout --universe '{"quote":"rls","rankBy":"volume24h","take":10}' --cash 1000000000
  sarraf backtest triangle --market BTCIRT --csv BTCIRT=a.csv --csv BTCUSDT=b.csv --csv USDTIRT=c.csv \\
    --balance rls=10000000000 --balance usdt=10000 --balance btc=0.2 --inventory btc=0.2 --currency rls`;

/** The configuration, with the options of the short form in place of its values. */
function configOf(strategy: string | undefined, options: Options): BotConfig {
  const { config, market, universe, param, cash, balance, inventory, fee } = options;
  const overrides: Override[] = [];
  if (strategy !== undefined) {
    overrides.push(
      strategiesOverride({
        strategy: /[/.]/.test(strategy) ? resolve(strategy) : strategy,
        markets: market,
        universe,
        timeframe: timeframeFlag(options) ?? USUAL_TIMEFRAME,
        params: param,
        inventory,
      }),
    );
  } else if (inventory !== undefined)
    throw wrongInput('expected --inventory with a strategy, was with --config: write inventory in the file');
  if (cash !== undefined || balance !== undefined) overrides.push(balancesOverride(balanceFlags(options)));
  if (fee !== undefined) overrides.push(feeOverride(fee));
  return readConfig(config ?? null, [...overrides, ...options.set], { isOffline: true });
}

async function backtest(strategy: string | undefined, options: Options): Promise<void> {
  const problem = optionsProblem(options.fidelity ?? 'candles', { ...options });
  if (problem !== null) throw wrongInput(problem);
  if (strategy === undefined && options.config === undefined)
    throw wrongInput('expected a strategy such as strategies/ma-cross.ts, or --config bot.yaml, was neither');
  if (options.parquet === true && !options.save)
    throw wrongInput('expected --parquet without --no-save: the files are stored with the run');
  refuseUnfit(strategy, options, options.config);
  keepHeapTight();
  const config = configOf(strategy, options);
  const progress = reportOnStderr({ isSilent: options.json === true });
  try {
    await backtestWith(config, options, progress);
  } finally {
    progress.end();
  }
}

async function runChecks(
  check: ConfiguredRun['check'],
  options: Options,
  progress: ProgressReport,
): Promise<void> {
  const checked = await check({
    lookahead: options.checkLookahead === true,
    warmUp: options.checkWarmup === true,
    onStep: (what) => progress.begin(what),
  }).catch((error: unknown) => {
    throw error instanceof CheckFailed ? failed(error.message) : error;
  });
  progress.end();
  if (options.json !== true) for (const sentence of checked) console.log(`\n${sentence}`);
}

async function backtestWith(config: BotConfig, options: Options, progress: ProgressReport): Promise<void> {
  const only = options.market.length === 1 ? options.market[0] : undefined;
  const { catalogue = usualCatalogue() } = options;
  const request = {
    config,
    fromMs: options.from ?? null,
    toMs: options.to ?? null,
    currency: options.currency ?? null,
    steps: stepFlags(options),
    isDrawn: options.save,
    ...(options.signals === undefined ? {} : { signals: options.signals }),
  };
  if (options.fidelity === 'poll') {
    progress.begin('books and trades');
    const { run, problems, check } = await runConfigured({
      ...request,
      fidelity: 'poll',
      recordings: catalogueRecordings(openCatalogue(catalogue)),
      rules: { ...pollRulesOf(options), ...(await recordedLatency(options)) },
      onProgress: (rows, share) => progress.show({ done: rows, share }),
    });
    progress.end();
    await conclude(run, problems, { ...options, language: options.language ?? config.language });
    await runChecks(check, options, progress);
    return;
  }
  progress.begin(`loading ${options.csv.map(({ path }) => path).join(', ') || 'bars'}`);
  const { run, problems, check } = await runConfigured({
    ...request,
    fidelity: 'candles',
    catalogue,
    timeframe: timeframeFlag(options) ?? USUAL_TIMEFRAME,
    ...(options.detail === undefined ? {} : { detail: { timeframe: options.detail } }),
    csv: options.csv.map(({ market, path }) => ({ market: market ?? only ?? null, path })),
    csvForm: formOf(options),
    rules: barRulesOf(options),
    onLoaded: () => progress.begin('bars'),
    onProgress: (done, total) => progress.show({ done, share: done / total }),
  });
  progress.end();
  await conclude(run, problems, { ...options, language: options.language ?? config.language });
  await runChecks(check, options, progress);
}

/** The latency of a recorded session, where one is given. */
async function recordedLatency({ latency, latencyFrom, seed }: Options): Promise<Partial<PollRules>> {
  if (latencyFrom === undefined) return {};
  if (latency !== undefined) {
    throw wrongInput('expected --latency or --latency-from, were both: the one is constant, the other drawn');
  }
  return { latency: await latencyOfSession(latencyFrom, seed) };
}

/** Keeps and prints what came of a run. Throws where a strategy stopped on the way. */
async function conclude(run: BacktestRun, problems: readonly string[], options: Options): Promise<void> {
  for (const problem of problems) console.error(problem);
  const { language = 'en' } = options;
  const beganMs = performance.now();
  const finished = finishRun(run);
  const finishedMs = performance.now();
  const root = join(options.data, 'backtests');
  const folder = options.save ? writeRunFolder(root, finished, language) : null;
  if (options.parquet === true && folder !== null) await writeParquetBeside(folder);
  if (options.json === true) {
    // A stream may keep what it is given.
    const out = new ByteWriter((piece) => process.stdout.write(Buffer.from(piece)));
    const metricsMs = finishedMs - beganMs;
    const saveMs = folder === null ? null : performance.now() - finishedMs;
    writeResultLine(finished, { folder, metricsMs, saveMs }, out);
    out.flush();
  } else {
    for (const line of resultLines(finished.head)) console.log(line);
    if (folder !== null) console.log(`\nReport: ${join(folder, 'report.html')}`);
  }
  const stopped = run.strategies.filter(({ failure }) => failure !== null);
  if (stopped.length > 0)
    throw failed(stopped.map(({ name, failure }) => `${name} stopped: ${failure}`).join('\n'));
}

/** It is loaded when it is asked for, since it brings 70 MB of DuckDB. */
async function writeParquetBeside(folder: string): Promise<void> {
  const { writeRunParquet } = await import('../../query/write-run-parquet.ts');
  await writeRunParquet(folder, folder);
}

/** `sarraf backtest`: strategies on recorded bars. */
export function backtestCommand(): Command {
  const command = new Command('backtest')
    .description('Runs strategies on recorded data with the engine that trades live, and shows the result.')
    .argument('[strategy]', 'a strategy file, or the name of a bundled one; without it --config names them')
    .option('--config <file>', 'configuration of a bot: its strategies, risk, paper.balances and paper.fees')
    .option('--set <path=value>', 'overrides one value of the configuration; repeatable', overrideOption, []);
  return backtestFlags(command)
    .option(
      '--latency-from <folder>',
      'for poll: draws latencies from a recorded session, the data folder of a run with --record',
    )
    .option('--seed <number>', 'seed of --latency-from', integerOption(0, 4_294_967_295), 1)
    .option('--check-lookahead', 'runs again on fewer candles and compares all orders')
    .option('--check-warmup', 'runs again from later starts and compares the orders')
    .addOption(dataOption('data folder; the run is stored in backtests below it'))
    .addOption(
      new Option(
        '--language <language>',
        'language of the page (default: that of the configuration, else en)',
      ).choices(LANGUAGES),
    )
    .option('--no-save', 'stores nothing')
    .option('--parquet', 'stores the tables of the run as Parquet, too')
    .option('--json', 'prints the result as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (strategy: string | undefined, options: Options) =>
      asCommand(async () => backtest(strategy, options)),
    );
}
