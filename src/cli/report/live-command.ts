import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { liveRun } from '../../backtest/live-run.ts';
import { resultLines } from '../../backtest/summary-lines.ts';
import { finishRun, type FinishedRun } from '../../backtest/finish-run.ts';
import { writeRunFolder } from '../../backtest/write-run-folder.ts';
import { keptBot } from '../../backtest/candle-backtest.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { LANGUAGES, type Language } from '../../language/locale.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import { MARKET_NAMES } from '../../exchange/market-names.ts';
import { readSessionRows } from '../../mirror/read-session-rows.ts';
import type { SessionRows } from '../../mirror/session-rows.ts';
import { asCommand } from '../as-command.ts';
import { wrongInput } from '../command-error.ts';
import { rangeOption, timeOption } from '../data/data-options.ts';
import { readConfig } from '../read-config.ts';
import { mirrorPathOf } from '../../mirror/mirror-path.ts';
import { dataOption, withoutDataOfEnvironment } from '../option-readers.ts';
import { countText } from '../../domain/money-text.ts';
import { durationText, secondText } from '../../domain/time-text.ts';
import { unprotectedText } from '../../daemon/left-text.ts';
import { shownMoney } from '../../backtest/value-text.ts';
import type { LiveSession, ResultHead } from '../../backtest/result-schema.ts';
import { tableLines, type TableColumn } from '../table.ts';

interface Options {
  readonly config?: string;
  readonly mirror?: string;
  readonly data?: string;
  readonly from?: number;
  readonly to?: number;
  readonly currency?: Currency;
  readonly language?: Language;
  readonly out?: string;
  readonly save: boolean;
  readonly json?: true;
}

const EXAMPLES = `
It reads the mirror alone, also while the bot runs, and asks the exchange for nothing.
Exit codes: 0 well, 1 there is no mirror or it can not be read, 2 an option is wrong.

Examples:
  sarraf report live
  sarraf report live --config config/bot.yaml --from 2024-01-01
  sarraf report live --mirror backup/mirror.sqlite --no-save --json`;

function report(options: Options): void {
  const range = rangeOption(options);
  const config = options.config === undefined ? null : readConfig(options.config, [], { isOffline: true });
  const path = mirrorOf(options, config);
  const startedMs = performance.now();
  const rows = readSessionRows(path, range);
  if (config !== null) refuseOtherBot(rows, config);
  const { run, live } = liveRun(rows, {
    toMs: range.toMs,
    currency: options.currency ?? null,
    params: new Map((config?.strategies ?? []).map(({ name, params }) => [name, params])),
    config: config === null ? null : keptBot(config),
    clock: () => performance.now(),
    loadMs: performance.now() - startedMs,
  });
  print(finishRun(run, Date.now(), live), options, {
    root: options.out ?? join(dirname(path), 'live-reports'),
    language: options.language ?? config?.language ?? 'en',
  });
}

function print(
  finished: FinishedRun,
  options: Options,
  { root, language }: { readonly root: string; readonly language: Language },
): void {
  const { head } = finished;
  const folder = options.save ? writeRunFolder(resolve(root), finished, language) : null;
  const page = folder === null ? null : join(folder, 'report.html');
  if (options.json === true) {
    console.log(JSON.stringify({ ...head, folder, page }));
    return;
  }
  console.log([...resultLines(head), ...sessionLines(head)].join('\n'));
  if (page !== null) console.log(`\nReport: ${page}`);
}

function mirrorOf({ mirror, data }: Options, config: BotConfig | null): string {
  if (mirror !== undefined && data !== undefined)
    throw wrongInput('expected --mirror or --data, were both: the one is a file, the other its folder');
  if (mirror !== undefined) return resolve(mirror);
  if (config === null) return resolve(mirrorPathOf(data ?? 'data'));
  const folder = data === undefined ? config.data.folder : resolve(data);
  const found = mirrorPathOf(folder);
  // Read without credentials, a configuration for real money looks like one of paper.
  const isEmbedded = config.mode === 'embedded';
  const names = isEmbedded ? ['embedded.sqlite'] : ['mirror.sqlite', 'paper.sqlite'];
  const paths = names.map((name) => join(folder, name));
  const path = paths.find((one) => existsSync(one)) ?? join(folder, names[0] ?? '');
  if (existsSync(path) || !existsSync(found)) return path;
  const mode = isEmbedded ? 'embedded' : 'live or paper';
  throw wrongInput(
    `expected ${path}, the mirror of a bot of the mode ${mode}, found ${found} of another one: name the configuration of that bot, or the file with --mirror`,
  );
}

/** Throws where no order of a mirror is of the instance that a configuration names. */
function refuseOtherBot({ path, orders, unfinished }: SessionRows, { instance }: BotConfig): void {
  const [first, ...others] = [...orders, ...unfinished];
  const isOwn = ({ key }: { readonly key: string }): boolean => key.startsWith(`${instance}-`);
  if (first === undefined || isOwn(first) || others.some(isOwn)) return;
  throw wrongInput(
    `expected orders of the instance ${instance} in ${path}, found ${first.key}: it is the mirror of another bot; name its configuration, or leave --config out`,
  );
}

/** `sarraf report live`: the page of a bot that ran, or runs, from its mirror. */
export function liveReportCommand(): Command {
  const currencies = MARKET_NAMES.quotes.map(({ currency }) => currency);
  return new Command('live')
    .description(
      'Writes the page of a bot that ran, or runs, from its mirror: figures, trades, what is open.',
    )
    .option('--config <file>', 'configuration of the bot: names its mirror, and shows its params')
    .option('--mirror <file>', 'the mirror itself, such as a backup')
    .addOption(dataOption('folder of the mirror (default: that of the configuration, else "data")', null))
    .option('--from <time>', 'from this time on (default: all that the mirror has)', timeOption)
    .option('--to <time>', 'up to this time', timeOption)
    .addOption(
      new Option(
        '--currency <currency>',
        'currency of all figures (default: rls if any market is priced in it)',
      ).choices(currencies),
    )
    .addOption(
      new Option(
        '--language <language>',
        'language of the page (default: that of the configuration, else en)',
      ).choices(LANGUAGES),
    )
    .option('--out <folder>', 'where the folder of the report goes (default: live-reports beside the mirror)')
    .option('--no-save', 'prints the figures alone')
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    .action(async (options: Options, command: Command) =>
      asCommand(() =>
        report(options.mirror === undefined ? options : withoutDataOfEnvironment(options, command)),
      ),
    );
}

const COLUMNS: readonly TableColumn[] = [
  { title: 'strategy' },
  { title: 'status' },
  { title: 'profit', align: 'right' },
  { title: 'of closed trades', align: 'right' },
  { title: 'fees', align: 'right' },
  { title: 'trades', align: 'right' },
  { title: 'fills', align: 'right' },
];

/** Lines about what the mirror does not know: all of them are on the page. */
const MOST_CAVEATS = 20;

/** Lists data of a live session besides its figures: strategies, pauses, open items, unknown items. */
function sessionLines({ session, summary, fidelity }: ResultHead): readonly string[] {
  if (session === null) return [];
  const money = (text: string): string => shownMoney(text, summary.quote);
  const rows = session.strategies.map(({ name, status, profit, tradesProfit, fees, trades, fills }) => [
    name,
    status,
    money(profit),
    money(tradesProfit),
    money(fees),
    String(trades),
    String(fills),
  ]);
  return [
    '',
    ...tableLines(COLUMNS, rows),
    '',
    `Last sign of life ${secondText(session.aliveUntilMs)} UTC. ${pausesText(session)}`,
    ...openLines(session),
    '',
    'What the mirror does not know',
    ...fidelity.caveats.slice(0, MOST_CAVEATS).map((caveat) => `  ${caveat}`),
  ];
}

function pausesText({ pauses }: LiveSession): string {
  if (pauses.length === 0) return 'No pause between lives is known.';
  const allMs = pauses.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  return `It did not run ${countText(pauses.length, 'time', 'times')}, ${durationText(allMs)} in all.`;
}

function openLines({ openOrders, positions }: LiveSession): readonly string[] {
  const unprotected = positions.filter((position) => position.unprotected !== '0');
  return [
    `${countText(openOrders.length, 'open order')}, ${countText(positions.length, 'position')}.`,
    ...unprotected.map(unprotectedText),
  ];
}
