import { countText, parseUnits } from '../../domain/money.ts';
import type { Budget } from '../../domain/rate-limit.ts';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { readLedgerIfAny } from '../../budget/ledger-snapshot.ts';
import { type BudgetReport, loweredBudgets, loweredText } from '../../budget/ledger-report.ts';
import {
  beginsText,
  freshTradingBegins,
  neededBudgets,
  tradingBegins,
  type TradingBegins,
} from '../../budget/trading-begins.ts';
import { strategyFilesAt } from '../../daemon/load-instances.ts';
import { ledgerOf } from '../../daemon/modes.ts';
import { DEFAULT_STRATEGIES, defaultRecord, type BotConfig } from '../../daemon/create-bot-config.ts';
import { ledgerSubjects } from '../../venues/client-credentials.ts';
import { missingInventories, readBooks, planOfConfigs, type ConfigPlan } from '../plan-of-config.ts';
import type { Override } from '../../daemon/read-bot-config.ts';
import { listText, SarrafError } from '../../domain/errors.ts';
import { eventMbADay } from '../../daemon/session-file.ts';
import type { AssetLedger } from '../../portfolio/asset-ledger.ts';
import { TIMEFRAMES, type Timeframe } from '../../domain/candle.ts';
import { wrongInput } from '../command-error.ts';
import { marketOption, overrideOption } from '../option-readers.ts';
import type { VenueProfile } from '../../venues/port.ts';
import { readConfig } from '../read-config.ts';
import type { PlannedFeed } from '../../scheduler/feed.ts';
import type { PlannedBudget, TrailPlan } from '../../scheduler/plan-input.ts';
import type { NewcomerPlan } from '../../scheduler/collect-feeds.ts';
import type { PollPlan } from '../../scheduler/plan-polls.ts';
import type { RestartPlan } from '../../scheduler/plan-problems.ts';
import { standstillProbeMs } from '../../engine/standstill-watch.ts';
import { lengthText } from '../../domain/time-text.ts';
import { english } from '../../language/sentence.ts';
import { print } from '../table.ts';

interface Options {
  readonly config?: string;
  readonly set: readonly Override[];
  readonly strategies?: string;
  readonly market?: readonly string[];
  readonly timeframe?: Timeframe;
  readonly json?: true;
}

const EXAMPLES = `
The command sends nothing, so it does not check whether the markets exist.
The limits are those of the interface, or of the configuration.
Exit codes: 0 it fits, 2 it does not, a strategy can not run, or an option is wrong.

Examples:
  sarraf plan
  sarraf plan --config bot.yaml --set strategies.0.market=ETHIRT
  sarraf plan --strategies strategies/market-maker.ts --market BTCIRT ETHIRT USDTIRT
  sarraf plan --timeframe 15m --json`;

const DEFAULT_MARKET = 'BTCIRT';

/** Error codes for mistakes of the caller: reported in one line, with the exit code for wrong input. */
const INPUT_ERRORS: ReadonlySet<string> = new Set(['INVALID_OPTIONS', 'INVALID_STRATEGY', 'INVALID_MARKET']);

const addMarket = (text: string, before: readonly string[] = []): readonly string[] => [
  ...new Set([...before, marketOption(text)]),
];

/** Returns the configuration to plan; without a file, one for each market, which may share strategies. */
function configsOf(options: Options): readonly [BotConfig, ...BotConfig[]] {
  const { config, strategies, market: markets = [DEFAULT_MARKET], timeframe, set } = options;
  if (config !== undefined) {
    const short = [strategies, options.market, timeframe].some((value) => value !== undefined);
    if (short)
      throw wrongInput(
        'expected --config, or --strategies, --market and --timeframe in its place, were both',
      );
    return [readConfig(config, set)];
  }
  const plugins =
    strategies === undefined
      ? DEFAULT_STRATEGIES.map(({ plugin }) => plugin)
      : strategyFilesAt(resolve(strategies));
  const [first = DEFAULT_MARKET, ...others] = markets;
  const configFor = (market: string): BotConfig => {
    const listed = plugins.map((plugin) => ({
      plugin,
      market,
      ...(timeframe === undefined ? {} : { timeframe }),
    }));
    return readConfig(null, [['strategies', JSON.stringify(listed), 'params.'], ...set]);
  };
  return [configFor(first), ...others.map(configFor)];
}

async function plan(options: Options): Promise<void> {
  try {
    const configs = configsOf(options);
    if (configs[0].embedded.replay !== null)
      console.error('note: planned without the recording, which brings its own market and length of bars');
    const path = ledgerOf(configs[0]);
    const rows = path === null ? null : await readLedgerIfAny(path);
    const subjects = new Set(Object.values(ledgerSubjects(configs[0].exchange)));
    const lowered = loweredBudgets(rows ?? [], subjects);
    const named = new Map(lowered.map((each) => [each.budget, each.named]));
    const made = await planOfConfigs(configs, { askEmbedded: options.config !== undefined, named });
    const { lost, strategies } = made;
    const reasons = [...new Set(lost.flatMap(({ reasons }) => reasons))];
    const begins = tradingBeginsOf(configs[0], { ...made, rows, subjects });
    const { plan, maxStandstillMs } = made;
    const { eventsMb: mostMb } = configs[0].record ?? defaultRecord('');
    const events = { mbADay: eventMbADay(plan.feeds), mostMb };
    const found = { strategyProblems: reasons, maxStandstillMs, tradingBegins: begins, lowered, events };
    print(options, { strategies, ...plan, ...found }, () => [
      `Plan for ${strategies.join(', ')}`,
      '',
      ...planLines(plan, made),
      ...(lowered.length === 0 ? [] : ['', ...lowered.map((each) => `LOWERED: ${loweredText(each)}.`)]),
      ...beginsLines(begins),
      '',
      `With --record the log of what the bot takes in needs about ${events.mbADay.toFixed(1)} MB a day, of at most ${events.mostMb} MB (record.eventsMb).`,
    ]);
    for (const reason of reasons) console.error(reason);
    const missing = configs.flatMap((config) => inventoriesOf(config));
    if (missing.length > 0) throw wrongInput(missing.join('\n'));
    if (made.plan.problems.length > 0)
      throw wrongInput(['It does not fit:', ...made.plan.problems].join('\n  '));
    const missed = lost.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
    if (missed.length > 0)
      throw wrongInput(
        `A live or paper bot does not start without ${[...new Set(missed)].join(' and ')}: correct it, or set "optional: true" at the strategy`,
      );
  } catch (error) {
    throw error instanceof SarrafError && INPUT_ERRORS.has(error.code) ? wrongInput(error.message) : error;
  }
}

/** Lists the coins given to strategies that the configured balances lack; a live wallet is not queried. */
function inventoriesOf(config: BotConfig): readonly string[] {
  const { mode, strategies } = config;
  if (strategies.every(({ inventory }) => Object.keys(inventory).length === 0)) return [];
  const books = mode === 'embedded' ? new Map<string, AssetLedger>() : readBooks(config);
  if (mode === 'live' || books.size > 0) {
    console.error(
      'note: the start compares the inventory with the wallet, and so does "sarraf doctor"; this command asks for none',
    );
    return [];
  }
  const { balances } = config[mode];
  return missingInventories(config, (asset) => parseUnits(balances[asset] ?? '0'));
}

/** Returns when the first order could leave, by the ledger; null if none is outside this process. */
function tradingBeginsOf(
  config: BotConfig,
  of: {
    readonly budgets: ReadonlyMap<string, Budget>;
    readonly rows: readonly BudgetReport[] | null;
    readonly subjects: ReadonlySet<string>;
    readonly profile: VenueProfile;
  },
): TradingBegins | null {
  if (ledgerOf(config) === null || config.mode !== 'live') return null;
  const { budgets, rows, subjects } = of;
  const needed = neededBudgets(of.profile);
  return rows === null
    ? freshTradingBegins(budgets.values(), needed)
    : tradingBegins(rows, { subjects, needed });
}

function beginsLines(begins: TradingBegins | null): readonly string[] {
  if (begins === null) return [];
  return [
    '',
    begins.waitMs === 0
      ? 'By the ledger trading can begin at once.'
      : `As things stand, ${english(beginsText(begins))}.`,
  ];
}

export function planCommand(): Command {
  return new Command('plan')
    .description(
      'Shows how often the bot would poll each kind of data, how old it can get, and whether that fits the limits.',
    )
    .option('--config <file>', 'configuration of a bot, whose strategies and limits are planned')
    .option('--set <path=value>', 'overrides one value of the configuration; repeatable', overrideOption, [])
    .option('--strategies <path>', 'folder of strategies, or one file (default: those of "sarraf run")')
    .option(
      '--market <symbols...>',
      `markets that each strategy trades in (default: "${DEFAULT_MARKET}")`,
      addMarket,
    )
    .addOption(new Option('--timeframe <length>', 'length of candles (default: "1m")').choices(TIMEFRAMES))
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(plan);
}

/** Maximum number of strategies that one line names; the rest are counted. */
const MOST_ASKERS = 3;

/** Returns lines of a plan for people: the ages of data, requests of endpoints, and those of a restart. */
function planLines(
  plan: PollPlan,
  { budgets, maxStandstillMs }: Pick<ConfigPlan, 'budgets' | 'maxStandstillMs'>,
): readonly string[] {
  return [
    'What the bot polls, and how old the data can get',
    ...tableLines([
      ['data', 'wanted every', 'asked every', 'without orders', 'at most old', 'allowed', 'for'],
      ...plan.feeds.filter(({ isPooled }) => isPooled !== true).map(feedCells),
      ...plan.newcomers.flatMap(memberCells),
    ]),
    '',
    'Requests a minute',
    ...tableLines([
      ['endpoint', 'planned', 'without orders', 'limit', 'reserve', 'left', ''],
      ...plan.budgets.map((budget) => budgetCells(budget, budgets.get(budget.name)?.assumed === true)),
    ]),
    '  The rest is for orders: placing, canceling and looking up. Only canceling and looking up get the reserve.',
    '',
    ...standstillLines(maxStandstillMs),
    ...trailLines(plan.trails),
    ...restartLines(plan.restart),
    ...plan.newcomers.flatMap(newcomerLines),
  ];
}

function feedCells(feed: PlannedFeed): readonly string[] {
  const { key, intervalMs, idleIntervalMs, wantedAgeMs, worstAgeMs, longestAgeMs, latestAfterCloseMs } = feed;
  const idle = idleIntervalMs === intervalMs ? '' : lengthText(idleIntervalMs);
  const ages =
    latestAfterCloseMs === null
      ? [
          lengthText(wantedAgeMs),
          lengthText(intervalMs),
          idle,
          lengthText(worstAgeMs),
          lengthText(longestAgeMs),
        ]
      : [
          'at close',
          lengthText(intervalMs),
          idle,
          `close + ${lengthText(latestAfterCloseMs)}`,
          `close + ${lengthText(longestAgeMs - intervalMs)}`,
        ];
  return [key, ...ages, listText(feed.askers, MOST_ASKERS)];
}

/** Returns the polled data of each market of a followed universe, one row for all markets. */
function memberCells({ places, feeds }: NewcomerPlan): readonly (readonly string[])[] {
  return feeds.map((feed) => {
    const [, ...ages] = feedCells(feed);
    const { kind, key } = feed;
    const what = kind === 'candles' ? `candles ${key.slice(key.lastIndexOf(' ') + 1)}` : kind;
    return [`${what} of ${countText(places, 'market')}`, ...ages];
  });
}

function newcomerLines({ universe, places, requests, oneMs, allMs }: NewcomerPlan): readonly string[] {
  const follows = `${universe} follows at most ${countText(places, 'market')} at once`;
  const takes =
    requests === 0
      ? 'a newcomer needs no bars of the past'
      : `the bars of a newcomer take ${countText(requests, 'request')}, ${lengthText(oneMs)}; those of all members at the start, ${lengthText(allMs)}`;
  return ['', `${follows}; ${takes}.`];
}

function budgetCells(budget: PlannedBudget, isAssumed: boolean): readonly string[] {
  const { name, requestsPerMinute, idleRequestsPerMinute, limitPerMinute, reserve, windowMs, leftPerMinute } =
    budget;
  const idle = idleRequestsPerMinute === requestsPerMinute ? '' : rateText(idleRequestsPerMinute);
  const reserveText = reserve === 0 ? '' : rateText((reserve / windowMs) * 60_000);
  const units = budget.isWeighted === true ? 'units' : '';
  const note = isAssumed ? 'limit assumed' : (budget.purpose ?? units);
  return [
    name,
    rateText(requestsPerMinute),
    idle,
    rateText(limitPerMinute),
    reserveText,
    rateText(leftPerMinute),
    note,
  ];
}

const rateText = (perMinute: number): string =>
  perMinute > 0 && perMinute < 0.05 ? '<0.1' : perMinute.toFixed(1).replace(/\.0$/, '');

function standstillLines(limitMs: number | null): readonly string[] {
  if (limitMs === null) return [];
  const [limit, half, every] = [limitMs, limitMs / 2, standstillProbeMs(limitMs)].map(lengthText);
  return [
    `A book stands still once the exchange has not changed it for ${limit} while something else of its market is newer: then no order goes there.`,
    `  After ${half} all books and the statistics are asked for every ${every}, with what is left of their budgets.`,
    '',
  ];
}

function trailLines({ demands, movesPerMinute, mostPerMinute, budget }: TrailPlan): readonly string[] {
  if (demands.length === 0) return [];
  return [
    `Stops that follow the price: ${rateText(movesPerMinute)} of at most ${rateText(mostPerMinute)} moves a minute (half of ${budget})`,
    ...tableLines([
      ['strategy', 'at once', 'each at most every'],
      ...demands.map(({ strategy, most, everyMs }) => [strategy, String(most), lengthText(everyMs)]),
    ]),
    '',
  ];
}

function restartLines({ steps, requests, soonestMs, latestMs }: RestartPlan): readonly string[] {
  if (steps.length === 0) return ['After a restart nothing has to be read.'];
  return [
    `After a restart the account is read with ${countText(requests, 'request')} in ${lengthText(soonestMs)}; in ${lengthText(latestMs)} at the latest, when nothing is known of the requests before it`,
    ...tableLines([
      ['read', 'endpoint', 'requests'],
      ...steps.map(({ what, budget, requests }) => [what, budget, String(requests)]),
    ]),
  ];
}

/** Returns aligned cells, as wide as the widest of their column; numbers end where their heading ends. */
function tableLines(rows: readonly (readonly string[])[]): readonly string[] {
  const columns = (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? ''));
  const padded = columns.map((cells) => {
    const width = Math.max(...cells.map(({ length }) => length));
    const isNumbers = cells.slice(1).every((cell) => /^<?[\d.]*$/.test(cell));
    return cells.map((cell) => (isNumbers ? cell.padStart(width) : cell.padEnd(width)));
  });
  return rows.map((_, index) => `  ${padded.map((cells) => cells[index]).join('  ')}`.trimEnd());
}
