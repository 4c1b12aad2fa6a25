import { Option, type Command } from 'commander';
import { formatUnits, type Units } from '../../domain/money.ts';
import { durationText, MINUTE_MS, SECOND_MS } from '../../domain/time-text.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { tehranParts } from '../../language/format-time.ts';
import { readQualities, type ReadQualities } from '../../mirror/read-qualities.ts';
import { groupQualities, type OrderQuality, type QualityGroup } from '../../portfolio/execution-quality.ts';
import { timeOption } from '../data/data-options.ts';
import { filterOf, mirrorCommand, readMirror, withFilters, type FilterOptions } from '../read-mirror.ts';
import { print, rowLines } from '../table.ts';

const KEYS = {
  market: ({ order }) => order.market,
  strategy: ({ order }) => order.strategy,
  kind: ({ kind }) => kind,
  /** Hour of Tehran in which it was planned. */
  hour: ({ order }) =>
    String(Math.floor(tehranParts(order.plannedAtMs, 'gregorian').minuteOfDay / 60)).padStart(2, '0'),
  order: ({ order }) => order.key,
} satisfies Readonly<Record<string, (quality: OrderQuality) => string>>;

type Key = keyof typeof KEYS;

interface Options extends FilterOptions {
  readonly since?: number;
  readonly by: Key;
}

const bpsText = (bps: number | null): string => (bps === null ? '' : bps.toFixed(1));
/** Returns a duration, of less than a minute with its tenths of a second. */
function lengthText(lengthMs: number | null): string {
  if (lengthMs === null) return '';
  return lengthMs < MINUTE_MS ? `${(lengthMs / SECOND_MS).toFixed(1)} s` : durationText(lengthMs);
}

/** Returns money of a group, empty if no order has it. */
const moneyOf = (count: number, money: Units): string => (count === 0 ? '' : formatUnits(money));

function linesOf(groups: readonly QualityGroup[], { by }: Options): readonly string[] {
  return rowLines(
    by === 'hour' ? groups.toSorted((left, right) => Number(left.key) - Number(right.key)) : groups,
    {
      [by === 'hour' ? 'hour (Tehran)' : by]: ({ key }) => key,
      in: ({ currency }) => currency,
      '>orders': ({ orders }) => String(orders),
      '>filled': ({ filledShare }) => `${(filledShare * 100).toFixed(1)} %`,
      '>traded': ({ traded }) => formatUnits(traded),
      '>slippage': ({ priced, slippage }) => moneyOf(priced, slippage),
      '>bps': ({ slippageBps }) => bpsText(slippageBps),
      '>fees': ({ fees }) => formatUnits(fees),
      '>unfilled': ({ valued, unfilledCost }) => moneyOf(valued, unfilledCost),
      '>shortfall': ({ valued, shortfall }) => moneyOf(valued, shortfall),
      '>of it bps': ({ shortfallBps }) => bpsText(shortfallBps),
      '>first fill': ({ firstFillMs }) => lengthText(firstFillMs),
      '>whole': ({ completionMs }) => lengthText(completionMs),
    },
  );
}

/** Returns lines about the orders that the figures leave out. */
function notesOf(groups: readonly QualityGroup[], { standing }: ReadQualities): readonly string[] {
  const count = (of: (group: QualityGroup) => number): number =>
    groups.reduce((sum, group) => sum + of(group), 0);
  const unpriced = count(({ orders, priced }) => orders - priced);
  const unvalued = count(({ priced, valued }) => priced - valued);
  return [
    ...(standing === 0 ? [] : [`Orders that still stand, and are not counted: ${standing}.`]),
    ...(unpriced === 0
      ? []
      : [
          `Orders without a known book at their plan, whose slippage and shortfall are not counted: ${unpriced}.`,
        ]),
    ...(unvalued === 0
      ? []
      : [`Orders without a known price at their end, whose shortfall is not counted: ${unvalued}.`]),
  ];
}

function listQuality(options: Options): void {
  const { since = Number.NEGATIVE_INFINITY, by } = options;
  const read = readMirror(options, (reader) =>
    readQualities(reader, { ...filterOf(options), sinceMs: since }),
  );
  const groups = groupQualities(read.qualities, {
    keyOf: KEYS[by],
    currencyOf: (market) => parseMarket(market).quote,
  });
  print(options, { by, standing: read.standing, groups: groups.map(groupItem) }, () => {
    const notes = notesOf(groups, read);
    if (groups.length === 0) return ['No order was sent and ended yet.', ...notes];
    return [...linesOf(groups, options), ...(notes.length === 0 ? [] : ['', ...notes])];
  });
}

/** Returns a group with its money as text. */
function groupItem({ traded, slippage, fees, unfilledCost, shortfall, ...rest }: QualityGroup) {
  const money = { traded, slippage, fees, unfilledCost, shortfall };
  return {
    ...rest,
    ...Object.fromEntries(Object.entries(money).map(([name, units]) => [name, formatUnits(units)])),
  };
}

const EXAMPLES = `  sarraf quality
  sarraf quality --by kind --market BTCIRT --since 2026-01-01
  sarraf quality --by order --strategy grid --json

docs/execution-quality.md explains each figure. A cost is positive, a gain negative.`;

export function qualityCommand(): Command {
  const command = mirrorCommand('quality', {
    description: 'Shows what the orders of this bot cost against the price at which they were decided.',
    examples: EXAMPLES,
  })
    .addOption(
      new Option('--by <what>', 'groups orders by this').choices(Object.keys(KEYS)).default('market'),
    )
    .option('--since <time>', 'only orders planned since this time', timeOption);
  return withFilters(command, 100_000).action(listQuality);
}
