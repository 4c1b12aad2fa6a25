import { dirname, join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import {
  backtestSettings,
  backtestShape,
  keyName,
  type BacktestSettings,
} from '../../backtest/run-schema.ts';
import {
  accountOverrides,
  barRulesOf,
  csvOf,
  pollRulesOf,
  requestOf,
  strategiesOverride,
  wholePaths,
} from '../../backtest/run-setup.ts';
import type { BacktestRun } from '../../backtest/backtest-run.ts';
import { resultLines } from '../../backtest/summary-lines.ts';
import { ByteWriter } from '../../backtest/byte-writer.ts';
import { finishRun } from '../../backtest/finish-run.ts';
import { writeResultLine } from '../../backtest/read-run-folder.ts';
import { writeRunFolder } from '../../backtest/write-run-folder.ts';
import { formatProblems, loadYaml } from '../../configuration/load-yaml.ts';
import { openCatalogue, usualCatalogue } from '../../daemon/open-catalogue.ts';
import { LANGUAGES, type Language } from '../../language/locale.ts';
import { english } from '../../language/sentence.ts';
import type { Override } from '../../daemon/read-bot-config.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { failed, wrongInput, asCommand } from '../command-error.ts';
import { runConfigured, type ConfiguredRun } from '../../backtest/run-configured.ts';
import { reportOnStderr, type ProgressReport } from '../progress-report.ts';
import { dataOption, overrideOption } from '../option-readers.ts';
import { readConfig } from '../read-config.ts';
import { RunFlags } from '../run-flags.ts';
import { limitHeap } from '../end-signal.ts';

/** Options that name a run: its strategy, market and bars. */
export interface RunOptions {
  readonly set: readonly Override[];
  readonly json?: true;
}

interface Options extends RunOptions {
  readonly data: string;
  readonly save: boolean;
  readonly language?: Language;
  readonly parquet?: true;
  readonly checkLookahead?: true;
  readonly checkWarmup?: true;
  readonly count?: true;
}

export const BACKTEST_FLAGS = new RunFlags(backtestShape);

const EXAMPLES = `
A file such as run.yaml has the options below as keys, as the file of a study has (docs/studies.md).
Paths in it count from its folder. Candles come from the catalogue ("sarraf data"), or from --csv.
Strategies, account and fees come from the configuration (paper.balances, paper.fees), or from --param, --cash and --fee. A run has
the markets that its strategies declare, in one account. Results are in one currency. Money in the
other is valued by USDTIRT, so the run then needs candles of USDTIRT too. Every result lists the
rules by which its orders filled. docs/backtest.md explains them.
Exit codes: 0 the run ended, 1 a strategy stopped or a check found something, 2 an option, a file or
the configuration is wrong.

Examples:
  sarraf backtest --config bot.yaml --timeframe 1h --from 2024-01-01 --to 2024-07-01
  sarraf backtest run.yaml
  sarraf backtest --config bot.yaml --set strategies.0.params.fast=10 --json
  sarraf backtest market-maker --market BTCUSDT --fidelity poll --cash 10000 --fee 0.1%
  sarraf backtest strategies/ma-cross.ts --csv hours.csv --market BTCUSDT --timeframe 1h --param fast=10 --cash 10000 --fee 0.1%
  sarraf backtest breakout --universe '{"quote":"rls","rankBy":"volume24h","take":10}' --cash 1000000000
  sarraf backtest triangle --market BTCIRT --csv BTCIRT=a.csv --csv BTCUSDT=b.csv --csv USDTIRT=c.csv \\
    --balance rls=10000000000 --balance usdt=10000 --balance btc=0.2 --inventory btc=0.2 --currency rls`;

/** Reads the settings of a run from the options. Throws with every problem at once. */
export function readRunSettings(strategy: string | undefined, options: RunOptions): BacktestSettings {
  const read = backtestSettings(BACKTEST_FLAGS.name).safeParse({
    strategy,
    ...BACKTEST_FLAGS.written({ ...options }),
  });
  if (!read.success) throw wrongInput(BACKTEST_FLAGS.problems(read.error));
  return read.data;
}

/** Reads the configuration, with its values replaced by the options of the short form. */
export function configOf(run: BacktestSettings, { set }: RunOptions): BotConfig {
  const { config = null, strategy } = run;
  const overrides = accountOverrides(run);
  if (strategy === undefined) return readConfig(config, [...overrides, ...set], { isOffline: true });
  const named = /[/.]/.test(strategy) ? resolve(strategy) : strategy;
  const bot = strategiesOverride({ ...run, strategy: named });
  return readConfig(config, [bot, ...overrides, ...set], { isOffline: true });
}

/**
 * Reads the settings of a run from a file. Throws with every problem at once, and if options of the run stand
 * beside it.
 */
function readRunFile(file: string, options: RunOptions): BacktestSettings {
  const flag = BACKTEST_FLAGS.given({ ...options });
  if (flag !== null) throw wrongInput(`expected what ${flag} says in ${file}, found it beside the file`);
  const read = loadYaml(file, backtestSettings(keyName));
  if (!read.ok) throw wrongInput(formatProblems(file, read.problems));
  const folder = dirname(resolve(file));
  const { config, rules } = read.value;
  const { latencyFrom } = rules;
  return {
    ...read.value,
    ...wholePaths(read.value, folder),
    ...(config === undefined ? {} : { config: resolve(folder, config) }),
    rules: latencyFrom === undefined ? rules : { ...rules, latencyFrom: resolve(folder, latencyFrom) },
  };
}

async function backtest(strategy: string | undefined, options: Options): Promise<void> {
  if (options.parquet === true && !options.save)
    throw wrongInput('expected --parquet without --no-save: the files are stored with the run');
  const settings =
    strategy !== undefined && /\.ya?ml$/.test(strategy)
      ? readRunFile(strategy, options)
      : readRunSettings(strategy, options);
  if (options.checkWarmup === true && settings.fidelity === 'poll')
    throw wrongInput('expected --check-warmup with --fidelity candles, found poll, which does not use it');
  limitHeap();
  const config = configOf(settings, options);
  using progress = reportOnStderr({ isSilent: options.json === true });
  await backtestWith(config, { settings, options, progress });
}

async function runChecks(
  check: ConfiguredRun['check'],
  options: Options,
  progress: ProgressReport,
): Promise<void> {
  const { CheckFailed } = await import('../../backtest/check-backtest.ts');
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

async function backtestWith(
  config: BotConfig,
  of: {
    readonly settings: BacktestSettings;
    readonly options: Options;
    readonly progress: ProgressReport;
  },
): Promise<void> {
  const { settings, options, progress } = of;
  const { catalogue = usualCatalogue(), from = null, to = null, signals } = settings;
  const request = {
    ...requestOf(settings),
    config,
    fromMs: from,
    toMs: to,
    isDrawn: options.save,
    ...(signals === undefined ? {} : { signals }),
  };
  const csv = csvOf(settings);
  const isPoll = settings.fidelity === 'poll';
  progress.begin(isPoll ? 'books and trades' : `loading ${csv.map(({ path }) => path).join(', ') || 'bars'}`);
  const { run, problems, check } = await runConfigured(
    isPoll
      ? {
          ...request,
          fidelity: 'poll',
          recordings: (await import('../../backtest/recordings.ts')).catalogueRecordings(
            openCatalogue(catalogue),
          ),
          rules: { ...pollRulesOf(settings.rules), ...(await recordedLatency(settings.rules)) },
          onProgress: (rows, share) => progress.show({ done: rows, share }),
        }
      : {
          ...request,
          fidelity: 'candles',
          catalogue,
          csv,
          csvForm: settings.csvForm,
          rules: barRulesOf(settings.rules),
          onLoaded: () => progress.begin('bars'),
          onProgress: (done, total) => progress.show({ done, share: done / total }),
        },
  );
  progress.end();
  if (options.count === true)
    await (
      await import('../../lab/count-run.ts')
    ).countRun(run, {
      config,
      settings,
      dataFolder: options.data,
    });
  await conclude(run, problems, { ...options, language: options.language ?? config.language });
  if (options.checkLookahead === true || options.checkWarmup === true)
    await runChecks(check, options, progress);
}

async function recordedLatency({ latencyFrom, seed }: BacktestSettings['rules']) {
  if (latencyFrom === undefined) return {};
  const { latencyOfSession } = await import('../../backtest/session.ts');
  return { latency: await latencyOfSession(latencyFrom, seed) };
}

/** Stores and prints the result of a run. Throws if a strategy stopped during it. */
async function conclude(run: BacktestRun, problems: readonly string[], options: Options): Promise<void> {
  for (const problem of problems) console.error(problem);
  const { language = 'en' } = options;
  const beganMs = performance.now();
  const finished = finishRun(run);
  const finishedMs = performance.now();
  // The result of a long run is shown also where the disk has no room for it.
  if (options.json !== true) for (const line of resultLines(finished.head)) console.log(line);
  const root = join(options.data, 'backtests');
  let folder: string | null = null;
  try {
    folder = options.save ? writeRunFolder(root, finished, language) : null;
    // The writer is loaded only here, since it brings 70 MB of DuckDB.
    if (options.parquet === true && folder !== null)
      await (await import('../../query/write-tables.ts')).RUN_EXPORTS.parquet(folder, folder);
  } finally {
    if (options.json === true) {
      // A stream may keep a reference to the bytes that it gets.
      const out = new ByteWriter((piece) => process.stdout.write(Buffer.from(piece)));
      const metricsMs = finishedMs - beganMs;
      const saveMs = folder === null ? null : performance.now() - finishedMs;
      writeResultLine(finished, { folder, metricsMs, saveMs }, out);
      out.flush();
    } else if (folder !== null) console.log(`\nReport: ${join(folder, 'report.html')}`);
  }
  const stopped = run.strategies.flatMap(({ name, failure }) =>
    failure === null ? [] : [`${name} stopped: ${english(failure)}`],
  );
  if (stopped.length > 0) throw failed(stopped.join('\n'));
}

export function backtestCommand(): Command {
  const command = new Command('backtest')
    .description('Runs strategies on recorded data with the engine that trades live, and shows the result.')
    .argument(
      '[strategy]',
      'a strategy file, the name of a bundled one, or a file of settings (.yaml); without it --config names them',
    )
    .option('--set <path=value>', 'overrides one value of the configuration; repeatable', overrideOption, []);
  return BACKTEST_FLAGS.addTo(command)
    .option('--check-lookahead', 'runs again on fewer candles and compares all orders')
    .option('--check-warmup', 'runs again from later starts and compares the orders')
    .option('--count', 'counts the run as a trial on its data, as those of studies are')
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
    .action(asCommand(backtest));
}
