import type { ComponentChildren } from 'preact';
import { DAY_MS, weekdayOf } from '../domain/time-text.ts';
import type { ProfitGroup } from './run-data.ts';
import type { ShownColumn } from './table.tsx';

type Title = 'profit' | 'trades' | 'winRate' | 'payoff' | 'length' | 'fees' | 'requests';

/** Texts and formats of a page that shows groups of trades. */
export interface ProfitWords<Group extends ProfitGroup> {
  readonly title: (name: Title) => string;
  /** Title of the first column, and the name of a group. */
  readonly groupTitle: string;
  readonly nameOf: (group: Group) => ComponentChildren;
  readonly gain: (group: Group) => ComponentChildren;
  readonly fees: (group: Group) => ComponentChildren;
  readonly share: (fraction: number) => string;
  readonly ratio: (value: number | null) => string;
  readonly length: (lengthMs: number) => string;
  readonly count: (count: number) => string;
  /** Text of a figure that a group without trades has not. */
  readonly none: string;
}

const largest = (groups: readonly ProfitGroup[]): number =>
  Math.max(...groups.map(({ profit }) => Math.abs(Number(profit)))) || 1;

/** Returns the columns of a table of groups, each profit with a bar. */
export function profitColumns<Group extends ProfitGroup>(
  groups: readonly Group[],
  words: ProfitWords<Group>,
): readonly ShownColumn<Group>[] {
  const { title, share, ratio, length, count, none } = words;
  const most = largest(groups);
  const number = (name: Title, cell: (group: Group) => ComponentChildren): ShownColumn<Group> => ({
    head: title(name),
    cell,
    flags: ['number'],
  });
  return [
    { head: words.groupTitle, cell: words.nameOf, flags: ['short', 'title'] },
    number('profit', (group) => (
      <>
        {words.gain(group)}
        <meter
          aria-hidden="true"
          class={Number(group.profit) < 0 ? 'loss' : ''}
          max={most}
          value={Math.abs(Number(group.profit))}
        />
      </>
    )),
    number('trades', ({ trips }) => count(trips)),
    number('winRate', ({ wins, trips }) => (trips === 0 ? none : share(wins / trips))),
    number('payoff', ({ payoff }) => ratio(payoff)),
    number('length', ({ lengthMs, trips }) => (trips === 0 ? none : length(lengthMs))),
    number('fees', words.fees),
    ...(groups.every(({ requests = null }) => requests === null)
      ? []
      : [number('requests', ({ requests }) => count(requests ?? 0))]),
  ];
}

/** Weeks that the calendar shows. */
const WEEKS = 53;

/** Number of shades of a day. */
const LEVELS = 3;

interface CalendarProps<Group> {
  readonly days: readonly Group[];
  readonly label: string;
  readonly titleOf: (day: Group) => string;
}

/** Shows the profit of each day of a year as a square; the table has the same in figures. */
export function ProfitCalendar<Group extends ProfitGroup>(props: CalendarProps<Group>) {
  const { days, label, titleOf } = props;
  // Half a day after its beginning a day of Tehran is that of UTC.
  const byDay = new Map(
    days.map((group) => [Math.floor(((group.fromMs ?? 0) + DAY_MS / 2) / DAY_MS), group]),
  );
  const last = Math.max(...byDay.keys());
  const begin = last - weekdayOf(last) - (WEEKS - 1) * 7;
  const most = largest(days);
  return (
    <div class="calendar" role="img" aria-label={label}>
      {Array.from({ length: last - begin + 1 }, (_, index) => {
        const day = byDay.get(begin + index);
        if (day === undefined) return <i key={index} />;
        const profit = Number(day.profit);
        return (
          <i
            key={index}
            class={profit < 0 ? 'bad' : profit > 0 ? 'good' : 'calm'}
            data-level={Math.ceil((Math.abs(profit) / most) * LEVELS)}
            title={titleOf(day)}
          />
        );
      })}
    </div>
  );
}
