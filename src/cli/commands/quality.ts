import { Option, type Command } from 'commander';
import { formatUnits, moneyText, type Units } from '../../domain/money.ts';
import { durationText, MINUTE_MS, SECOND_MS } from '../../domain/time-text.ts';
import { decimalsOf, parseMarket } from '../../exchange/market-names.ts';
import { QUALITY_KEYS, readQualities, type ReadQualities } from '../../mirror/read-qualities.ts';
import {
  groupQualities,
  qualityItem,
  type OrderQuality,
  type QualityGroup,
} from '../../portfolio/execution-quality.ts';
import {
  calibrateCandles,
  calibrateReplay,
  DEFAULT_REPLAY_RULES,
  LEAST_CALIBRATED,
  type FillCalibrations,
} from '../../backtest/fill-calibration.ts';
import { asCommand, failed } from '../command-error.ts';
import { timeOption } from '../data/data-options.ts';
import { filterOf, mirrorCommand, readMirror, withFilters, type FilterOptions } from '../read-mirror.ts';
import { print, rowLines } from '../table.ts';

type Key = keyof typeof QUALITY_KEYS;

interface Options extends FilterOptions {
  readonly since?: number;
  readonly by: Key;
  readonly session?: string;
  readonly calibrate?: true;
}

const bpsText = (bps: number | null): string => (bps === null ? '' : bps.toFixed(1));
/** Returns a duration, of less than a minute with its tenths of a second. */
function lengthText(lengthMs: number | null): string {
  if (lengthMs === null) return '';
  return lengthMs < MINUTE_MS ? `${(lengthMs / SECOND_MS).toFixed(1)} s` : durationText(lengthMs);
}

/** Returns money of a group as people read it, empty if no order has it. */
const moneyOf = (count: number, money: Units, { currency }: QualityGroup): string =>
  count === 0 ? '' : moneyText(formatUnits(money), decimalsOf(currency));

const shareText = (share: number | null | undefined): string =>
  share === null || share === undefined ? '' : `${(share * 100).toFixed(1)} %`;

const aheadText = ({ ahead }: QualityGroup): string => (ahead === null ? '' : `${ahead.toFixed(1)} x`);

function linesOf(groups: readonly QualityGroup[], { by }: Options): readonly string[] {
  return rowLines(
    by === 'hour' ? groups.toSorted((left, right) => Number(left.key) - Number(right.key)) : groups,
    {
      [by === 'hour' ? 'hour (Tehran)' : by]: ({ key }) => key,
      in: ({ currency }) => currency,
      '>orders': ({ orders }) => String(orders),
      '>filled': ({ filledShare }) => shareText(filledShare),
      '>traded': (group) => moneyOf(group.orders, group.traded, group),
      '>slippage': (group) => moneyOf(group.priced, group.slippage, group),
      '>bps': ({ slippageBps }) => bpsText(slippageBps),
      '>fees': (group) => moneyOf(group.orders, group.fees, group),
      '>unfilled': (group) => moneyOf(group.valued, group.unfilledCost, group),
      '>shortfall': (group) => moneyOf(group.valued, group.shortfall, group),
      '>of it bps': ({ shortfallBps }) => bpsText(shortfallBps),
      '>first fill': ({ firstFillMs }) => lengthText(firstFillMs),
      '>whole': ({ completionMs }) => lengthText(completionMs),
      '>ahead': aheadText,
      '>of volume': ({ queueShare }) => shareText(queueShare),
    },
  );
}

/** Returns lines about the orders that the figures leave out. */
function notesOf(groups: readonly QualityGroup[], { standing }: ReadQualities): readonly string[] {
  const count = (of: (group: QualityGroup) => number): number =>
    groups.reduce((sum, group) => sum + of(group), 0);
  const notes: readonly (readonly [text: string, orders: number])[] = [
    ['Orders that still stand, and are not counted', standing],
    [
      'Orders without a known book at their plan, whose slippage and shortfall are not counted',
      count(({ orders, priced }) => orders - priced),
    ],
    [
      'Orders with a fee in a currency without a price, whose fees and shortfall are not counted',
      count(({ unvaluedFees }) => unvaluedFees),
    ],
    [
      'Orders whose shortfall is not counted, since their price at the end or a fee is not known',
      count(({ priced, valued }) => priced - valued),
    ],
    [
      'Orders that rested at a place in the queue that is not known',
      count(({ rested, placed }) => rested - placed),
    ],
    [
      'Orders that rested while not all trades of their market were read',
      count(({ rested, shared }) => rested - shared),
    ],
  ];
  return notes.flatMap(([text, orders]) => (orders === 0 ? [] : [`${text}: ${orders}.`]));
}

const grouped = (qualities: readonly OrderQuality[], { by }: Options): readonly QualityGroup[] =>
  groupQualities(qualities, { keyOf: QUALITY_KEYS[by], currencyOf: (market) => parseMarket(market).quote });

function listQuality(options: Options): void {
  const { since = Number.NEGATIVE_INFINITY, by, calibrate } = options;
  const read = readMirror(options, (reader) =>
    readQualities(reader, { ...filterOf(options), sinceMs: since }),
  );
  if (calibrate === true) {
    printCalibration(options, calibrateCandles(read.qualities));
    return;
  }
  const groups = grouped(read.qualities, options);
  print(options, { by, standing: read.standing, groups: groups.map(qualityItem) }, () => {
    const notes = notesOf(groups, read);
    if (groups.length === 0) return ['No order was sent and ended yet.', ...notes];
    return [...linesOf(groups, options), ...(notes.length === 0 ? [] : ['', ...notes])];
  });
}

/** Compares the orders of a recorded session with what the fill rules of a backtest make of them. */
async function compareQuality(folder: string, options: Options): Promise<void> {
  // The simulated exchange takes a while to load.
  const { OrderReplay } = await import('../../backtest/replay-orders.ts');
  const replay = new OrderReplay(folder);
  if (options.calibrate === true) {
    printCalibration(options, await calibrateReplay(replay));
    return;
  }
  const compared = await replay.run(DEFAULT_REPLAY_RULES);
  const { since = Number.NEGATIVE_INFINITY, by } = options;
  const { strategy, market } = filterOf(options);
  const isShown = ({ order }: OrderQuality): boolean =>
    order.plannedAtMs >= since &&
    (strategy === null || order.strategy === strategy) &&
    (market === null || order.market === market);
  const rules = grouped(compared.replay.filter(isShown), options);
  const pairs = grouped(compared.session.filter(isShown), options).map((session) => {
    const { key, currency } = session;
    return { session, rules: rules.find((group) => group.key === key && group.currency === currency) };
  });
  const items = pairs.map((pair) => ({
    session: qualityItem(pair.session),
    rules: pair.rules === undefined ? null : qualityItem(pair.rules),
  }));
  print(options, { by, groups: items }, () =>
    pairs.length === 0
      ? ['No order was sent and ended in this session.']
      : rowLines(pairs, {
          [by]: ({ session }) => session.key,
          in: ({ session }) => session.currency,
          '>orders': ({ session }) => String(session.orders),
          '>filled': ({ session }) => shareText(session.filledShare),
          '>by rules': (pair) => shareText(pair.rules?.filledShare),
          '>slippage bps': ({ session }) => bpsText(session.slippageBps),
          '>by the rules': (pair) => bpsText(pair.rules?.slippageBps ?? null),
          '>shortfall bps': ({ session }) => bpsText(session.shortfallBps),
          '>by these rules': (pair) => bpsText(pair.rules?.shortfallBps ?? null),
          '>ahead': ({ session }) => aheadText(session),
          '>of volume': ({ session }) => shareText(session.queueShare),
        }),
  );
}

/** Prints rules as blocks of the run of a study, one a market, with what they rest on as comments. */
function printCalibration(options: Options, calibrations: FillCalibrations): void {
  const { found, left, orders } = calibrations;
  if (found.length === 0)
    throw failed(
      `expected at least ${LEAST_CALIBRATED} orders with known prices${options.session === undefined ? ' that took from the book' : ''} to fit rules to, found ${orders}: wait for more, or name less with --since, --market and --strategy`,
    );
  print(options, calibrations, () => [
    ...found.flatMap(({ market, fidelity, rules, fitted, heldOut, errorBefore, errorAfter }, index) => [
      ...(index === 0 ? [] : ['---']),
      `# ${market ?? 'All markets with fewer orders'}: fitted to ${fitted} orders. Mean error of the cost of ${heldOut} later orders, in basis points:`,
      `# ${errorBefore.toFixed(2)} by the default rules, ${errorAfter.toFixed(2)} by these.`,
      `fidelity: ${fidelity}`,
      'rules:',
      ...Object.entries(rules).map(([name, setting]) => `  ${name}: ${setting}`),
    ]),
    ...(left === 0
      ? []
      : [`# Orders of markets with fewer than ${LEAST_CALIBRATED}, which fit nothing: ${left}.`]),
  ]);
}

const EXAMPLES = `  sarraf quality
  sarraf quality --by kind --market BTCIRT --since 2026-01-01
  sarraf quality --by order --strategy grid --json
  sarraf quality --session data --by kind
  sarraf quality --calibrate --market BTCIRT

docs/execution-quality.md explains each figure. A cost is positive, a gain negative.`;

export function qualityCommand(): Command {
  const command = mirrorCommand('quality', {
    description: 'Shows what the orders of this bot cost against the price at which they were decided.',
    examples: EXAMPLES,
  })
    .addOption(
      new Option('--by <what>', 'groups orders by this').choices(Object.keys(QUALITY_KEYS)).default('market'),
    )
    .option('--since <time>', 'only orders planned since this time', timeOption)
    .option(
      '--session <folder>',
      'data folder of a run with --record: shows what fill rules of a backtest make of its orders',
    )
    .option('--calibrate', 'prints rules for backtests that are fitted to the orders');
  const compare = asCommand(compareQuality);
  return withFilters(command, 100_000).action(async (options: Options) =>
    options.session === undefined ? listQuality(options) : compare(options.session, options),
  );
}
