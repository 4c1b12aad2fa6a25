import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { createBacktest } from '../../backtest/candle-backtest.ts';
import { runBacktest } from '../../backtest/run-backtest.ts';
import { barRulesOf, csvOf, requestOf } from '../../backtest/run-setup.ts';
import type { BotConfig, ConfiguredStrategy } from '../../daemon/create-bot-config.ts';
import { strategyFileOf } from '../../daemon/load-instances.ts';
import { usualCatalogue } from '../../daemon/open-catalogue.ts';
import { runShape } from '../../backtest/run-schema.ts';
import { gridOf, shownAnchors } from '../../domain/candle.ts';
import { type DecimalText, ZERO } from '../../domain/decimal-text.ts';
import { formatUnits, NO_UNITS } from '../../domain/money.ts';
import { readFigures } from '../../engine/strategy-instance-record.ts';
import { minuteText } from '../../domain/time-text.ts';
import { MARKET_NAMES } from '../../exchange/market-names.ts';
import { LANGUAGES, localeOf, type Language } from '../../language/locale.ts';
import { joinSentences, sentence, type Sentence } from '../../language/sentence.ts';
import { sentenceIn } from '../../language/sentence-in.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { formatPluginProblem, loadStrategies } from '../../plugins/load-strategies.ts';
import { ownStrategies } from '../../plugins/own-files.ts';
import {
  explainRules,
  missingLines,
  readLines,
  ruleSetOf,
  type ConditionLine,
  type ReadLine,
  type RuleSet,
} from '../../strategy/explain-rules.ts';
import { readMoment, watchRules, type RuleMoment } from '../../strategy/rules.ts';
import { StrategyRunner } from '../../strategy/runner.ts';
import type { StrategyDefinition } from '../../strategy/definition.ts';
import type { ClosedCandle, EngineView, MarketRules } from '../../strategy/strategy-event.ts';
import { INTERFACE_PROFILE } from '../../venues/interface-profile.ts';
import { asCommand, failed, wrongInput } from '../command-error.ts';
import { timeOption } from '../data/data-options.ts';
import { overrideOption } from '../option-readers.ts';
import { readConfig } from '../read-config.ts';
import { readMirror } from '../read-mirror.ts';
import { RunFlags } from '../run-flags.ts';
import { print, tableLines } from '../table.ts';
import { BACKTEST_FLAGS, configOf, readRunSettings, type RunOptions } from './backtest.ts';

interface LanguageOptions {
  readonly language: Language;
  readonly json?: true;
}

/** The parts of a run that rules depend on. */
const { markets, timeframe, params } = runShape;
const RULE_SHAPE = { markets: markets.optional(), timeframe, params };
const RULE_FLAGS = new RunFlags(RULE_SHAPE);

const EXPLAIN_EXAMPLES = `
Only strategies made by defineRules can be explained: docs/rules.md shows how they are written.
Exit codes: 0 the rules are written, 2 the strategy has none, or an option is wrong.

Examples:
  sarraf explain dip
  sarraf explain strategies/dip.ts --market BTCIRT --timeframe 15m --param floor=25
  sarraf explain dip --language fa --json`;

const languageOption = (): Option =>
  new Option('--language <language>', 'language of the words').choices(LANGUAGES).default('en');

async function explain(strategy: string, options: LanguageOptions): Promise<void> {
  const read = z.strictObject(RULE_SHAPE).safeParse(RULE_FLAGS.written({ ...options }));
  if (!read.success) throw wrongInput(RULE_FLAGS.problems(read.error));
  const { markets: [market] = ['BTCUSDT'], ...run } = read.data;
  const definition = await definitionAt(strategyFile(strategy));
  const rules = ruleSetOf(definition, {
    market: market ?? 'BTCUSDT',
    timeframe: run.timeframe,
    params: run.params,
    marketNames: MARKET_NAMES,
  });
  const { name } = definition;
  print(options, { name, ...explainRules(rules) }, () => explanationLines(name, rules, options));
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

function strategyFile(strategy: string): string {
  const plugin = /[/.]/.test(strategy)
    ? ({ kind: 'file', path: resolve(strategy) } as const)
    : ({ kind: 'name', name: strategy } as const);
  const file = strategyFileOf(plugin, [resolve('strategies'), ownStrategies()]);
  if (file !== null) return file;
  throw wrongInput(`expected a strategy file, or the name of one in strategies, was ${strategy}`);
}

async function definitionAt(file: string): Promise<StrategyDefinition> {
  const { strategies, problems } = await loadStrategies(file);
  const [found] = strategies;
  if (found === undefined) throw wrongInput(problems.map(formatPluginProblem).join('\n'));
  return found.definition;
}

export function explainCommand(): Command {
  const command = new Command('explain')
    .description('Writes the rules of a strategy in words: when it buys and sells, how much, and its exits.')
    .argument('<strategy>', 'a strategy file, or the name of one in strategies');
  return RULE_FLAGS.addTo(command)
    .addOption(languageOption())
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXPLAIN_EXAMPLES)
    .action(async (strategy: string, options: LanguageOptions) =>
      asCommand(async () => explain(strategy, options)),
    );
}

interface WhyOptions extends RunOptions, LanguageOptions {
  readonly at?: number;
  readonly data?: string;
  readonly config?: string;
}

const WHY_EXAMPLES = `
With --data it is a bot's strategy: its bars and its position of now are those of the bot's mirror, its
parameters those of the configuration. No request is sent. Without --data the same run as "sarraf backtest"
with these options is made up to the bar.
Exit codes: 0 the conditions are written, 1 there is no such bar, 2 an option is wrong.

Examples:
  sarraf why dip --data data --config bot.yaml
  sarraf why dip --data data --config bot.yaml --at 2024-03-01T12:00Z
  sarraf why dip --csv hours.csv --market BTCUSDT --cash 10000 --at 2024-03-01T12:00Z --json`;

/** The conditions of a strategy at one bar. */
interface BarReading {
  readonly strategy: string;
  readonly market: string;
  /** Close of the bar, in ms since 1970. */
  readonly closeTimeMs: number;
  readonly isHeld: boolean;
  /** Conditions that count at this bar: to sell if something is held, else to buy. */
  readonly lines: readonly ReadLine[];
}

/** Keeps the reading of the last bar up to a time. */
class LastReading {
  found: BarReading | null = null;
  private readonly atMs: number;

  constructor(atMs: number) {
    this.atMs = atMs;
  }

  read(strategy: string, moment: RuleMoment, held: unknown): void {
    const { reading, rules, bar, ctx } = moment;
    if (bar.closeTimeMs > this.atMs) return;
    readMoment(moment, held);
    const isHeld = ctx.isTradable(ctx.position, bar.close);
    const node = isHeld ? rules.exit : rules.enter;
    const { market, closeTimeMs } = bar;
    const lines = node === null ? [] : readLines(node, reading);
    this.found = { strategy, market, closeTimeMs, isHeld, lines };
  }
}

async function why(strategy: string | undefined, options: WhyOptions): Promise<void> {
  const { at = Number.POSITIVE_INFINITY, data } = options;
  const last = new LastReading(at);
  if (data === undefined) await readBacktest(strategy, options, last);
  else await readBot(strategy, { ...options, data }, last);
  const { found } = last;
  if (found === null) throw failed('expected a closed bar at that time, found none before it');
  print(options, { ...found, missing: missingLines(found.lines) }, () => readingLines(found, options));
}

/** Runs the backtest of the options up to the bar, and reads its rules there. */
async function readBacktest(
  strategy: string | undefined,
  options: WhyOptions,
  last: LastReading,
): Promise<void> {
  const settings = readRunSettings(strategy, options);
  const { catalogue = usualCatalogue(), from = null, to = null } = settings;
  const watched = watching(last, true);
  const { backtest } = await createBacktest({
    ...requestOf(settings),
    config: configOf(settings, options),
    fromMs: from,
    toMs: options.at ?? to,
    catalogue,
    csv: csvOf(settings),
    csvForm: settings.csvForm,
    rules: barRulesOf(settings.rules),
    load: watched,
  });
  runBacktest(backtest);
}

/** Loads strategies so that their rules are read at each bar. */
const watching =
  (last: LastReading, trades: boolean): typeof loadStrategies =>
  async (file) => {
    const loaded = await loadStrategies(file);
    return {
      ...loaded,
      strategies: loaded.strategies.map((one) => {
        const { definition } = one;
        const onBar = (moment: RuleMoment): void => last.read(definition.name, moment, moment.ctx.state);
        return { ...one, definition: watchRules(definition, onBar, { trades }) };
      }),
    };
  };

/** Feeds the bars of a bot's mirror to its strategy, and reads its rules at the last one. */
async function readBot(
  name: string | undefined,
  options: WhyOptions & { readonly data: string },
  last: LastReading,
): Promise<void> {
  const config = readConfig(options.config ?? null, options.set, { isOffline: true });
  const configured = configuredStrategy(config, name);
  const definition = await definitionAt(pluginFile(configured, config));
  const { market } = configured;
  if (market === null)
    throw wrongInput(`expected a strategy of one market, ${configured.name} has a universe`);
  readMirror({ data: options.data }, (reader) => {
    const row = reader.strategies().find((one) => one.name === configured.name);
    const figures = row === undefined ? null : readFigures(row, MARKET_NAMES);
    const onBar = (moment: RuleMoment): void => last.read(configured.name, moment, figures?.state);
    const runner = new StrategyRunner(watchRules(definition, onBar, { trades: false }), {
      name: configured.name,
      market,
      marketNames: MARKET_NAMES,
      timeframe: configured.timeframe,
      params: configured.params,
    });
    const { base } = MARKET_NAMES.parseMarket(market);
    const position = formatUnits(figures?.ledger.held(base) ?? NO_UNITS);
    const rules = reader.markets.versions().find(({ symbol }) => symbol === market) ?? null;
    for (const candle of candlesOf(reader, runner, options.at ?? Number.POSITIVE_INFINITY))
      runner.handle({ kind: 'candle', candle }, viewOf(candle.closeTimeMs, position, rules));
    if (runner.failure !== null) throw failed(runner.failure);
  });
}

function configuredStrategy({ strategies }: BotConfig, name: string | undefined): ConfiguredStrategy {
  const found = strategies.filter((one) => name === undefined || one.name === name);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const names = strategies.map((one) => one.name).join(', ');
  throw wrongInput(`expected one strategy of the configuration (${names}), was ${name ?? 'none'}`);
}

function pluginFile({ plugin, name }: ConfiguredStrategy, { strategiesFolders }: BotConfig): string {
  const folders = [...strategiesFolders, ownStrategies()];
  const file = plugin.kind === 'definition' ? null : strategyFileOf(plugin, folders);
  if (file === null) throw wrongInput(`expected a file of the strategy ${name} in ${folders.join(' or ')}`);
  return file;
}

/** Maximum number of stored bars of each series that are read, the newest. */
const MOST_BARS = 100_000;

/** Returns the stored bars of a strategy in the order in which they closed, the longer ones first. */
function candlesOf(reader: MirrorReader, runner: StrategyRunner, toMs: number): readonly ClosedCandle[] {
  const candles = runner.subscriptions.flatMap((wanted) => {
    if (wanted.kind !== 'candles') return [];
    const { market, timeframe: length } = wanted;
    const stored = reader.markets.candles({ market, timeframe: length, last: MOST_BARS });
    const grid = gridOf(length, shownAnchors(length, stored, INTERFACE_PROFILE.barAnchors));
    return stored.map((candle) => {
      const closeTimeMs = grid.endOf(candle.openTimeMs);
      return { ...candle, market, timeframe: length, closeTimeMs, seenAtMs: closeTimeMs, missedBefore: 0 };
    });
  });
  return candles
    .filter(({ closeTimeMs }) => closeTimeMs <= toMs)
    .toSorted((one, other) => one.closeTimeMs - other.closeTimeMs || one.openTimeMs - other.openTimeMs);
}

/** A view of a bot that shows a position: rules that are only read need no money, orders or books. */
const viewOf = (nowMs: number, position: DecimalText, rules: MarketRules | null): EngineView => ({
  nowMs,
  position: () => position,
  positionNumber: () => Number(position),
  inventory: () => ZERO,
  free: () => ({}),
  freeNumber: () => 0,
  orders: () => [],
  book: () => null,
  stats: () => null,
  margin: () => null,
  rules: () => rules,
  locks: () => [],
  universe: () => null,
  equity: () => null,
  ageMs: () => null,
  accountAgeMs: () => null,
});

/** Marks that keep words of two directions apart, which a table does not print. */
const ISOLATES = /[\u2066-\u2069]/g;

function readingLines(found: BarReading, options: LanguageOptions): readonly string[] {
  const { strategy, market, closeTimeMs, isHeld, lines } = found;
  const write = writerIn(options);
  const missing = missingLines(lines).map(({ text, isTrue }) =>
    isTrue === null ? sentence('rules-unknown', { condition: text }) : text,
  );
  const outcome =
    missing.length === 0
      ? sentence('rules-made')
      : sentence('rules-missing', { conditions: joinSentences('both', missing) });
  return [
    `${strategy} ${market} ${minuteText(closeTimeMs)}`,
    write(sentence(isHeld ? 'rules-held' : 'rules-flat')),
    '',
    ...tableLines(
      ['', '', '>left', '>right', '>away', 'since'],
      lines.map(({ text, depth, isTrue, left, right, sinceMs }) => [
        write(sentence(isTrue === null ? 'rules-open' : isTrue ? 'rules-true' : 'rules-false')).replaceAll(
          ISOLATES,
          '',
        ),
        `${'  '.repeat(depth)}${write(text).replaceAll(ISOLATES, '')}`,
        left === null ? '' : shownNumber(left),
        right === null ? '' : shownNumber(right),
        left === null || right === null ? '' : shownNumber(Math.abs(left - right)),
        sinceMs === null ? '' : minuteText(sinceMs),
      ]),
    ),
    '',
    write(lines.length === 0 ? sentence('rules-no-exit') : outcome),
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
    .option('--data <folder>', 'the data folder of the bot that it is about')
    .option('--set <path=value>', 'overrides one value of the configuration; repeatable', overrideOption, []);
  return BACKTEST_FLAGS.addTo(command)
    .addOption(languageOption())
    .option('--json', 'prints one JSON object')
    .addHelpText('after', WHY_EXAMPLES)
    .action(async (strategy: string | undefined, options: WhyOptions) =>
      asCommand(async () => why(strategy, options)),
    );
}
