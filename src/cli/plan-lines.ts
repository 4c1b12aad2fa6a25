import type { PlannedFeed } from '../scheduler/feed.ts';
import type { PlannedBudget } from '../scheduler/planned-budget.ts';
import type { NewcomerPlan } from '../scheduler/pooled-feeds.ts';
import type { PollPlan } from '../scheduler/plan-polls.ts';
import type { RestartPlan } from '../scheduler/plan-restart.ts';
import type { TrailPlan } from '../scheduler/plan-trails.ts';
import { standstillProbeMs } from '../engine/standstill-watch.ts';
import type { ConfigPlan } from './plan-of-config.ts';
import { lengthText } from '../domain/time-text.ts';

/** Strategies that one line names; of more it says how many there are. */
const MOST_ASKERS = 3;

/**
 * A plan for people: every datum with its ages, every endpoint with its requests, and what a restart takes.
 */
export function planLines(
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
  return [key, ...ages, askersText(feed)];
}

/** Returns the polled data of each market of a followed universe, one row for all markets. */
function memberCells({ places, feeds }: NewcomerPlan): readonly (readonly string[])[] {
  return feeds.map((feed) => {
    const [, ...ages] = feedCells(feed);
    const { kind, key } = feed;
    const what = kind === 'candles' ? `candles ${key.slice(key.lastIndexOf(' ') + 1)}` : kind;
    return [`${what} of ${places} markets`, ...ages];
  });
}

function newcomerLines({ universe, places, requests, oneMs, allMs }: NewcomerPlan): readonly string[] {
  const follows = `${universe} follows at most ${places} markets at once`;
  const takes =
    requests === 0
      ? 'a newcomer needs no bars of the past'
      : `the bars of a newcomer take ${counted(requests, 'request')}, ${lengthText(oneMs)}; those of all members at the start, ${lengthText(allMs)}`;
  return ['', `${follows}; ${takes}.`];
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function askersText({ askers }: PlannedFeed): string {
  const more = askers.length - MOST_ASKERS;
  return `${askers.slice(0, MOST_ASKERS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function budgetCells(budget: PlannedBudget, isAssumed: boolean): readonly string[] {
  const { name, requestsPerMinute, idleRequestsPerMinute, limitPerMinute, reserve, windowMs, leftPerMinute } =
    budget;
  const idle = idleRequestsPerMinute === requestsPerMinute ? '' : rateText(idleRequestsPerMinute);
  const reserveText = reserve === 0 ? '' : rateText((reserve / windowMs) * 60_000);
  const note = isAssumed ? 'limit assumed' : usageOf(budget);
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

/** Returns the purpose of requests that no poll uses. */
function usageOf({ name, requestsPerMinute }: PlannedBudget): string {
  if (requestsPerMinute > 0) return '';
  return name === 'orders/add' ? 'placements' : name === 'orders/status' ? 'look-ups of orders' : 'cancels';
}

function rateText(perMinute: number): string {
  return perMinute > 0 && perMinute < 0.05 ? '<0.1' : perMinute.toFixed(1).replace(/\.0$/, '');
}

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
    `After a restart the account is read with ${requests} requests in ${lengthText(soonestMs)}; in ${lengthText(latestMs)} at the latest, when nothing is known of the requests before it`,
    ...tableLines([
      ['read', 'endpoint', 'requests'],
      ...steps.map(({ what, budget, requests }) => [what, budget, String(requests)]),
    ]),
  ];
}

/**
 * Cells under each other, as wide as the widest of their column; columns of numbers end where their heading
 * ends.
 */
function tableLines(rows: readonly (readonly string[])[]): readonly string[] {
  const columns = (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? ''));
  const padded = columns.map((cells) => {
    const width = Math.max(...cells.map(({ length }) => length));
    const isNumbers = cells.slice(1).every((cell) => /^<?[\d.]*$/.test(cell));
    return cells.map((cell) => (isNumbers ? cell.padStart(width) : cell.padEnd(width)));
  });
  return rows.map((_, index) => `  ${padded.map((cells) => cells[index]).join('  ')}`.trimEnd());
}
