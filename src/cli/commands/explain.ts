import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { createBacktest } from '../../backtest/candle-backtest.ts';
import { runBacktest } from '../../backtest/run-backtest.ts';
import { barRulesOf, csvOf, requestOf } from '../../backtest/run-setup.ts';
import type { ConfiguredStrategy } from '../../daemon/create-bot-config.ts';
import { readBotRules } from '../../daemon/read-bot-rules.ts';
import type { BotRules } from '../../daemon/answers-apart.ts';
import { missingFileText, refusedParams, strategyFileOf } from '../../daemon/load-instances.ts';
import { usualCatalogue } from '../../daemon/open-catalogue.ts';
import { runShape } from '../../backtest/run-schema.ts';
import { minuteText } from '../../domain/time-text.ts';
import { MARKET_NAMES } from '../../exchange/market-names.ts';
import { LANGUAGES, localeOf, type Language } from '../../language/locale.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import { sentenceIn } from '../../language/sentence-in.ts';
import { LoadWatch } from '../../plugins/load-watch.ts';
import { loadStrategy, placedError } from '../../plugins/load-strategy.ts';
import { ownStrategies } from '../../plugins/own-files.ts';
import {
  explainRules,
  lastBarLines,
  readRules,
  ruleSetOf,
  shortLines,
  type ConditionLine,
  type RuleSet,
} from '../../strategy/explain-rules.ts';
import { fieldsOf } from '../../strategy/fields.ts';
import { watchRules, type RuleMoment } from '../../strategy/rules.ts';
import { asCommand, wrongInput } from '../command-error.ts';
import { timeOption } from '../data/data-options.ts';
import { botFolderOf, dataOption, overrideOption } from '../option-readers.ts';
import { readConfig, USUAL_CONFIG } from '../read-config.ts';
import { readMirror } from '../read-mirror.ts';
import { RunFlags } from '../run-flags.ts';
import { print, tableLines } from '../table.ts';
import { BACKTEST_FLAGS, configOf, readRunSettings, type RunOptions } from './backtest.ts';

interface LanguageOptions {
  readonly language: Language;
  readonly json?: true;
}

interface ExplainOptions extends LanguageOptions {
  readonly config?: string;
}

/** The parts of a run that rules depend on. */
const { markets, timeframe, params } = runShape;
const RULE_SHAPE = { markets: markets.optional(), timeframe, params };
const RULE_FLAGS = new RunFlags(RULE_SHAPE);

const EXPLAIN_EXAMPLES = `
Market, timeframe and params are those of --config, or of bot.yaml in this folder; options replace them.
Only strategies made by defineRules can be explained: docs/rules.md shows how they are written.
Exit codes: 0 the rules are written, 2 the strategy has none, or an option is wrong.

Examples:
  sarraf explain dip
  sarraf explain strategies/dip.ts --market BTCIRT --timeframe 15m --param floor=25
  sarraf explain dip --language fa --json`;

const languageOption = (): Option =>
  new Option('--language <language>', 'language of the words').choices(LANGUAGES).default('en');

async function explain(strategy: string, options: ExplainOptions): Promise<void> {
  const { file, configured } = findStrategy(strategy, options);
  const written = RULE_FLAGS.written({ ...options });
  const own = fieldsOf(written['params']);
  const read = z.strictObject(RULE_SHAPE).safeParse({
    ...(configured === null ? {} : { timeframe: configured.timeframe }),
    ...written,
    params: { ...configured?.params, ...own },
  });
  if (!read.success) throw wrongInput(RULE_FLAGS.problems(read.error));
  const { markets: [market = configured?.market ?? 'BTCUSDT'] = [], timeframe, params } = read.data;
  const watch = new LoadWatch();
  const { name, rules } = await watch
    .during(file, async () => {
      const { definition, lineOf } = await loadStrategy(file);
      const of = { market, timeframe, params, marketNames: MARKET_NAMES };
      try {
        return { name: configured?.name ?? definition.name, rules: ruleSetOf(definition, of) };
      } catch (error) {
        const refused = refusedParams(error, (path, text) => {
          const inFile = Object.hasOwn(own, String(path[1])) ? undefined : configured?.describe;
          return inFile?.(path, text) ?? `--param ${path.slice(1).join('.')}: ${text}`;
        });
        throw refused === null ? placedError(error, { file, lineOf }) : wrongInput(refused.join('\n'));
      }
    })
    .finally(() => watch.close());
  print(options, { name, ...explainRules(rules) }, () => explanationLines(name, rules, options));
}

/** Finds a strategy by its file or its name, and how a configuration starts it; null if none does. */
function findStrategy(
  strategy: string,
  { config = existsSync(USUAL_CONFIG) ? USUAL_CONFIG : undefined }: ExplainOptions,
): { readonly file: string; readonly configured: ConfiguredStrategy | null } {
  const bot = config === undefined ? null : readConfig(config, [], { isOffline: true });
  const folders = [...(bot?.strategiesFolders ?? [resolve('strategies')]), ownStrategies()];
  const all = (bot?.strategies ?? []).map((configured) => {
    const { plugin } = configured;
    return { configured, file: plugin.kind === 'definition' ? null : strategyFileOf(plugin, folders) };
  });
  const named = all.find(({ configured }) => configured.name === strategy);
  if (named !== undefined && named.file !== null) return { ...named, file: named.file };
  const plugin = /[/.]/.test(strategy)
    ? ({ kind: 'file', path: resolve(strategy) } as const)
    : ({ kind: 'name', name: strategy } as const);
  const file = strategyFileOf(plugin, folders);
  if (file === null) throw wrongInput(missingFileText(plugin, folders));
  return { file, configured: all.find((one) => one.file === file)?.configured ?? null };
}

function explanationLines(name: string, rules: RuleSet, options: LanguageOptions): readonly string[] {
  const { indicators, enter, exit, size, bracket, bars } = explainRules(rules);
  const write = writerIn(options);
  const { name: data, ...main } = rules.main;
  const indented = (lines: readonly ConditionLine[]): string[] =>
    lines.map(({ text, depth }) => `${'  '.repeat(depth + 1)}${write(text)}`);
  return [
    `${name}: ${write(sentence('rules-deciding', { data, ...main }))}`,
    ...Object.entries(indicators).map(([of, text]) => `  ${of}: ${write(text)}`),
    '',
    write(sentence('rules-buys')),
    ...indented(enter),
    ...(exit.length === 0 ? [] : [write(sentence('rules-sells')), ...indented(exit)]),
    '',
    write(sentence('rules-size', { size })),
    ...(bracket === null ? [] : [write(sentence('rules-bracket', { levels: bracket }))]),
    ...Object.entries(bars).map(([of, count]) => write(sentence('rules-bars', { bars: count, data: of }))),
  ];
}

const writerIn =
  ({ language }: LanguageOptions) =>
  (text: Sentence): string =>
    sentenceIn(text, localeOf(language));

export function explainCommand(): Command {
  const command = new Command('explain')
    .description('Writes the rules of a strategy in words: when it buys and sells, how much, and its exits.')
    .argument('<strategy>', 'a strategy file, or the name of one in strategies');
  return RULE_FLAGS.addTo(command)
    .option('--config <file>', 'configuration of the bot that it is of (default: bot.yaml in this folder)')
    .addOption(languageOption())
    .option('--json', 'prints one JSON object')
    .showHelpAfterError(
      'It reads no data but --config, --market, --timeframe and --param; "sarraf why" reads a bar.',
    )
    .addHelpText('after', EXPLAIN_EXAMPLES)
    .action(asCommand(explain));
}

interface WhyOptions extends RunOptions, LanguageOptions {
  readonly market?: readonly string[];
  readonly at?: number;
}

const WHY_EXAMPLES = `
It is a bot's strategy as it ran last: its bars, and what it holds, are those of the bot's mirror, in the
folder of --data or --config, else in data. No request is sent. For a universe --market names the member.
With other options of a backtest, such as --cash, the same run as "sarraf backtest" is made up to the bar.
Exit codes: 0 they are written, 1 the data can not be read, 2 an option is wrong, or there is no such bar.

Examples:
  sarraf why dip
  sarraf why dip --data data --at 2024-03-01T12:00Z
  sarraf why dip --csv hours.csv --market BTCUSDT --cash 10000 --at 2024-03-01T12:00Z --json`;

/** The rules of a strategy at one bar, of a bot or of a backtest. */
type ShownRules = Omit<BotRules, 'before' | 'markets' | 'periods'> &
  Partial<Pick<BotRules, 'before' | 'markets'>>;

async function why(strategy: string | undefined, options: WhyOptions, command: Command): Promise<void> {
  const { at = null, set, market: [market = null] = [] } = options;
  const flag = BACKTEST_FLAGS.given({ ...options, config: undefined, market: undefined });
  let found: ShownRules;
  if (flag === null) {
    const dataFolder = await botFolderOf(command, set);
    const question = { dataFolder, strategy: strategy ?? null, market, atMs: at };
    const { periods: _, ...rules } = await readBotRules(question, (work) =>
      readMirror({ data: dataFolder }, work),
    );
    found = rules;
  } else if (command.getOptionValueSource('data') === 'cli')
    throw wrongInput(
      `expected --data for a bot, or the options of a backtest, found --data and ${flag}: leave one of them out`,
    );
  else found = await readBacktest(strategy, options);
  print(options, found, () => readingLines(found, options));
}

/** Runs the backtest of the options up to the bar, and reads its rules there. */
async function readBacktest(strategy: string | undefined, options: WhyOptions): Promise<ShownRules> {
  const settings = readRunSettings(strategy, options);
  const { catalogue = usualCatalogue(), from = null, to = null } = settings;
  const { at = Number.POSITIVE_INFINITY } = options;
  const found: ShownRules[] = [];
  let bars = 0;
  const load: typeof loadStrategy = async (file) => {
    const loaded = await loadStrategy(file);
    const { definition } = loaded;
    const onBar = (moment: RuleMoment): void => {
      const { bar, ctx } = moment;
      if (bar.closeTimeMs > at) return;
      bars += 1;
      const isHeld = ctx.isTradable(ctx.position, bar.close);
      const read = readRules(moment, { isHeld });
      const isUnknown = [...read.enter, ...read.exit].some(({ isTrue }) => isTrue === null);
      // Candles before the run may have been read; then all is known from its first bar on.
      const short = isUnknown
        ? shortLines(moment.rules, (name) => (name === moment.rules.main.name ? bars : Infinity))
        : [];
      const before = [...lastBarLines(bar, options.at ?? null), ...short];
      found[0] = { strategy: definition.name, before, ...read };
    };
    return { ...loaded, definition: watchRules(definition, onBar, { trades: true }) };
  };
  const { backtest } = await createBacktest({
    ...requestOf(settings),
    config: configOf(settings, options),
    fromMs: from,
    toMs: options.at ?? to,
    catalogue,
    csv: csvOf(settings),
    csvForm: settings.csvForm,
    rules: barRulesOf(settings.rules),
    load,
  });
  runBacktest(backtest);
  const [last] = found;
  if (last === undefined) throw wrongInput('expected a closed bar at that time, found none before it');
  return last;
}

/** Marks that keep words of two directions apart, which a table does not print. */
const ISOLATES = /[\u2066-\u2069]/g;

/** Titles of conditions; the first two columns, whether it is true and its words, need none. */
const COLUMNS: Readonly<Record<Language, readonly string[]>> = {
  en: ['', '', '>value', '>compared with', '>distance', 'since (UTC)'],
  fa: ['', '', '>مقدار', '>در برابر', '>فاصله', 'از (UTC)'],
};

function readingLines(found: ShownRules, options: LanguageOptions): readonly string[] {
  const { strategy, market, closeTimeMs, isHeld, enter, exit, before = [], outcome } = found;
  const write = writerIn(options);
  const cell = (text: Sentence): string => write(text).replaceAll(ISOLATES, '');
  const shown = [...(isHeld === true ? [] : enter), ...(isHeld === false ? [] : exit)];
  return [
    `${strategy} ${market} ${minuteText(closeTimeMs)} UTC`,
    ...before.map(write),
    ...(isHeld === null ? [] : [write(sentence(isHeld ? 'rules-held' : 'rules-flat'))]),
    '',
    ...tableLines(
      COLUMNS[options.language],
      shown.map(({ text, depth, isTrue, left, right, sinceMs }) => [
        cell(sentence(isTrue === null ? 'rules-open' : isTrue ? 'rules-true' : 'rules-false')),
        `${'  '.repeat(depth)}${cell(text)}`,
        left === null ? '' : shownNumber(left),
        right === null ? '' : shownNumber(right),
        left === null || right === null ? '' : shownNumber(Math.abs(left - right)),
        sinceMs === null ? '' : minuteText(sinceMs),
      ]),
    ).slice(shown.length === 0 ? 1 : 0),
    ...(shown.length === 0 ? [] : ['']),
    write(outcome),
  ];
}

const shownNumber = (value: number): string => String(Number(value.toPrecision(7)));

export function whyCommand(): Command {
  const command = new Command('why')
    .description(
      'Shows the conditions of a strategy made of rules at one bar, and which of them are missing.',
    )
    .argument('[strategy]', 'its name in the configuration, or a strategy file')
    .option('--at <time>', 'the last bar that closed by then; the newest without it', timeOption)
    .addOption(dataOption('the data folder of the bot that it is about'))
    .option('--set <path=value>', 'overrides one value of the configuration; repeatable', overrideOption, []);
  return BACKTEST_FLAGS.addTo(command)
    .addOption(languageOption())
    .option('--json', 'prints one JSON object')
    .addHelpText('after', WHY_EXAMPLES)
    .action(asCommand(why));
}
