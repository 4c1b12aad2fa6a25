import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { barRulesOf, PATHS } from '../../backtest/setup/bar-rules-of.ts';
import type { BacktestRun } from '../../backtest/backtest-run.ts';
import { latencyOfSession } from '../../backtest/parity/session.ts';
import type { PollRules } from '../../venues/recorded/poll-rules.ts';
import { resultLines } from '../../backtest/report/summary-lines.ts';
import { ByteWriter } from '../../backtest/result/byte-writer.ts';
import { finishRun } from '../../backtest/result/finish-run.ts';
import { writeResultLine } from '../../backtest/result/result-json.ts';
import { writeRunFolder } from '../../backtest/result/write-run-folder.ts';
import type { MarketSymbol, Currency } from '../../domain/market-symbol.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import type { Timeframe } from '../../domain/timeframe.ts';
import type { Override } from '../../daemon/settings/overrides.ts';
import type { BotConfig } from '../../daemon/settings/create-bot-config.ts';
import {
  balanceOption,
  choiceOption,
  csvOption,
  numberOption,
  optionsProblem,
  parameterOption,
  universeOption,
  percentOption,
  pollRulesOf,
  type RuleOptions,
} from '../backtest-options.ts';
import { CheckFailed } from '../../backtest/setup/check-backtest.ts';
import { failed, wrongInput } from '../command-error.ts';
import type { CsvSource } from '../../backtest/setup/candle-backtest.ts';
import { runConfigured } from '../../backtest/setup/run-configured.ts';
import { asCommand, timeframeOption, timeOption } from '../data/data-options.ts';
import { reportOnStderr, type ProgressReport } from '../progress-report.ts';
import { integerOption, marketOption, overrideOption } from '../option-readers.ts';
import { readConfig } from '../read-config.ts';
import { keepHeapTight } from '../tight-heap.ts';

interface Options extends RuleOptions {
  readonly config?: string;
  readonly set: readonly Override[];
  readonly fidelity: 'candles' | 'poll';
  readonly csv: readonly CsvSource[];
  readonly catalogue: string;
  readonly market?: MarketSymbol;
  readonly universe?: Readonly<Record<string, unknown>>;
  readonly timeframe: Timeframe;
  readonly from?: number;
  readonly to?: number;
  readonly param: Readonly<Record<string, unknown>>;
  readonly cash?: string;
  readonly balance?: Readonly<Record<string, string>>;
  readonly currency?: Currency;
  readonly fee?: string;
  readonly priceStep?: string;
  readonly amountStep?: string;
  readonly minValue?: string;
  readonly data: string;
  readonly save: boolean;
  readonly latencyFrom?: string;
  readonly seed: number;
  readonly checkLookahead?: true;
  readonly checkWarmup?: true;
  readonly json?: true;
}

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
    --balance rls=10000000000 --balance usdt=10000 --balance btc=0.2 --currency rls`;

/** What the account begins with. */
function balancesOf({ market, universe, cash, balance = {} }: Options): Readonly<Record<string, string>> {
  if (cash === undefined) return balance;
  const quote = market === undefined ? universe?.['quote'] : parseMarket(market).quote;
  if (typeof quote !== 'string')
    throw wrongInput('expected --market or --universe with --cash, which is of its quote currency');
  if (balance[quote] !== undefined) throw wrongInput(`expected --cash or --balance ${quote}=…, were both`);
  return { ...balance, [quote]: cash };
}

/** The configuration, with the options of the short form in place of its values. */
function configOf(strategy: string | undefined, options: Options): BotConfig {
  const { config, csv, market, universe, timeframe, param, cash, balance, fee } = options;
  if (strategy !== undefined && config !== undefined) {
    throw wrongInput('expected a strategy or --config, were both: a configuration names its strategies');
  }
  if (strategy === undefined && config === undefined) {
    throw wrongInput('expected a strategy such as strategies/ma-cross.ts, or --config bot.yaml, was neither');
  }
  if (strategy !== undefined && market === undefined && universe === undefined)
    throw wrongInput('expected --market, such as BTCUSDT, or --universe, was neither');
  if (universe !== undefined && (market !== undefined || config !== undefined))
    throw wrongInput('expected --universe in place of --market and of --config, was beside one of them');
  if (csv.some((file) => file.market === null) && market === undefined)
    throw wrongInput('expected --market, or --csv BTCUSDT=file: a file does not say whose bars it has');
  const overrides: Override[] = [];
  if (strategy !== undefined) {
    const plugin = /[/.]/.test(strategy) ? resolve(strategy) : strategy;
    overrides.push(['strategies', JSON.stringify([{ plugin, market, universe, timeframe, params: param }])]);
  }
  if (cash !== undefined || balance !== undefined)
    overrides.push(['paper.balances', JSON.stringify(balancesOf(options))]);
  if (fee !== undefined) {
    const rates = { maker: fee, taker: fee };
    overrides.push(['paper.fees', JSON.stringify({ rls: rates, usdt: rates })]);
  }
  return readConfig(config ?? null, [...overrides, ...options.set], { isOffline: true });
}

async function backtest(strategy: string | undefined, options: Options): Promise<void> {
  const problem = optionsProblem(options.fidelity, { ...options });
  if (problem !== null) throw wrongInput(problem);
  keepHeapTight();
  const config = configOf(strategy, options);
  const progress = reportOnStderr({ isSilent: options.json === true });
  try {
    await backtestWith(config, options, progress);
  } finally {
    progress.end();
  }
}

async function backtestWith(config: BotConfig, options: Options, progress: ProgressReport): Promise<void> {
  const request = {
    config,
    catalogue: options.catalogue,
    fromMs: options.from ?? null,
    toMs: options.to ?? null,
    currency: options.currency ?? null,
    steps: {
      ...(options.priceStep === undefined ? {} : { price: options.priceStep }),
      ...(options.amountStep === undefined ? {} : { amount: options.amountStep }),
      ...(options.minValue === undefined ? {} : { minValue: options.minValue }),
    },
  };
  if (options.fidelity === 'poll') {
    if (options.csv.length > 0)
      throw wrongInput('expected recorded books of the catalogue for --fidelity poll, was --csv');
    progress.begin('books and trades');
    const { run, problems } = await runConfigured({
      ...request,
      fidelity: 'poll',
      rules: { ...pollRulesOf(options), ...(await recordedLatency(options)) },
      onProgress: (rows, share) => progress.show({ done: rows, share }),
    });
    progress.end();
    conclude(run, problems, options);
    return;
  }
  progress.begin(`loading ${options.csv.map(({ path }) => path).join(', ') || 'bars'}`);
  const { run, problems, check } = await runConfigured({
    ...request,
    fidelity: 'candles',
    timeframe: options.timeframe,
    csv: options.csv.map(({ market, path }) => ({ market: market ?? options.market ?? null, path })),
    rules: barRulesOf(options),
    onLoaded: () => progress.begin('bars'),
    onProgress: (done, total) => progress.show({ done, share: done / total }),
  });
  progress.end();
  conclude(run, problems, options);
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

/** The latency of a recorded session, where one is given. */
async function recordedLatency({ latency, latencyFrom, seed }: Options): Promise<Partial<PollRules>> {
  if (latencyFrom === undefined) return {};
  if (latency !== undefined) {
    throw wrongInput('expected --latency or --latency-from, were both: the one is constant, the other drawn');
  }
  return { latency: await latencyOfSession(latencyFrom, seed) };
}

/** Keeps and prints what came of a run. Throws where a strategy stopped on the way. */
function conclude(run: BacktestRun, problems: readonly string[], options: Options): void {
  for (const problem of problems) console.error(problem);
  const beganMs = performance.now();
  const finished = finishRun(run);
  const finishedMs = performance.now();
  const folder = options.save ? writeRunFolder(join(options.data, 'backtests'), finished) : null;
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

/** `sarraf backtest`: strategies on recorded bars. */
export function backtestCommand(): Command {
  return new Command('backtest')
    .description('Runs strategies on recorded data with the engine that trades live, and shows the result.')
    .argument('[strategy]', 'a strategy file, or the name of a bundled one; without it --config names them')
    .option('--config <file>', 'configuration of a bot: its strategies, risk, paper.balances and paper.fees')
    .option('--set <path=value>', 'overrides one value of the configuration; repeatable', overrideOption, [])
    .option(
      '--fidelity <kind>',
      'candles, or poll: the whole bot against recorded books and trades',
      choiceOption(['candles', 'poll']),
      'candles' as const,
    )
    .option(
      '--csv <file>',
      'candles from a file instead of the catalogue, CSV or CSV.gz; for several markets BTCUSDT=file, repeated',
      csvOption,
      [],
    )
    .option('--catalogue <folder>', 'folder of the recordings', 'data/catalogue')
    .option('--market <symbol>', 'market of the strategy', marketOption)
    .option(
      '--universe <rules>',
      'markets that the strategy runs in, in place of --market: \'{"quote":"rls","rankBy":"volume24h","take":10}\'',
      universeOption,
    )
    .option(
      '--timeframe <timeframe>',
      'timeframe of the recorded candles',
      timeframeOption,
      '1h' as Timeframe,
    )
    .option('--from <time>', 'first candle of the run; earlier ones warm indicators up', timeOption)
    .option('--to <time>', 'end of the run; a candle that opens then is not in it', timeOption)
    .option('--param <name=value>', 'a parameter of the strategy; repeatable', parameterOption, {})
    .option('--cash <amount>', 'starting money, in the quote currency of --market or --universe')
    .option(
      '--balance <currency=amount>',
      'starting balance of a currency, such as usdt=10000; repeatable',
      balanceOption,
    )
    .option(
      '--currency <currency>',
      'currency of all results: rls or usdt (default: rls if any market is priced in rial, else usdt)',
      choiceOption(['rls', 'usdt']),
    )
    .option('--fee <percent>', 'fee of makers and takers, such as 0.1%', percentOption)
    .option('--price-step <step>', 'price step of the market')
    .option('--amount-step <step>', 'amount step of the market')
    .option('--min-value <amount>', 'minimum value of an order in the market')
    .option(
      '--market-orders <when>',
      'when market orders fill: next-open or this-close',
      choiceOption(['next-open', 'this-close']),
    )
    .option(
      '--limit-fill <when>',
      'what fills a limit order: through (a price beyond its own) or touch (its own price)',
      choiceOption(['through', 'touch']),
    )
    .option('--path <path>', `assumed path through a candle: ${PATHS.join(', ')}`, choiceOption(PATHS))
    .option(
      '--spread-bps <bps>',
      'spread between bid and ask, in hundredths of a percent',
      numberOption(0, 10_000),
    )
    .option(
      '--slippage-bps <bps>',
      'slippage of taker orders, in hundredths of a percent',
      numberOption(0, 10_000),
    )
    .option(
      '--slippage-range <percent>',
      "slippage of taker orders, in percent of the candle's range",
      numberOption(0, 100),
    )
    .option(
      '--volume-share <percent>',
      "percent of a candle's volume that can fill (default: 10), or all",
      volumeShare,
    )
    .option(
      '--latency <ms>',
      'for poll: latency of a request, and of its reply (default: 50)',
      integerOption(0, 60_000),
    )
    .option(
      '--latency-from <folder>',
      'for poll: draws latencies from a recorded session, the data folder of a run with --record',
    )
    .option('--seed <number>', 'seed of --latency-from', integerOption(0, 4_294_967_295), 1)
    .option(
      '--trades-lag <ms>',
      'for poll: how late own trades are listed (default: 0)',
      integerOption(0, 600_000),
    )
    .option(
      '--queue <place>',
      'for poll: place of resting orders in the queue at their price, back or front',
      choiceOption(['back', 'front']),
    )
    .option('--check-lookahead', 'runs again on fewer candles and compares all orders')
    .option('--check-warmup', 'runs again from later starts and compares the orders')
    .option('--data <folder>', 'data folder; the run is stored in backtests below it', 'data')
    .option('--no-save', 'stores nothing')
    .option('--json', 'prints the result as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (strategy: string | undefined, options: Options) =>
      asCommand(async () => backtest(strategy, options)),
    );
}

function volumeShare(text: string): number | 'all' {
  return text === 'all' ? 'all' : numberOption(0.0001, 100)(text);
}
