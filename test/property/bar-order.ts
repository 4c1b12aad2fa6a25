import type { DatedSignal } from '../../src/backtest/signals.ts';
import type { CandleColumns } from '../../src/domain/candle-columns.ts';
import { timeframeMs, type Timeframe } from '../../src/domain/candle.ts';
import { createRandom } from '../../src/domain/random.ts';
import type { Bar } from '../../src/strategy/data/bar.ts';

/** Returns a random whole number from 0 to `below` - 1. */
export type Random = (below: number) => number;

export function randomOf(seed: number): Random {
  const random = createRandom(seed);
  return (below) => Math.floor(random.next() * below);
}

/** Signals named `told` for a strategy; the payload of each is its time. */
export function toldAt(times: readonly number[], strategy: string): readonly DatedSignal[] {
  return times.map((atMs) => {
    const said = { name: 'told', id: `${atMs}`, payload: atMs, sentAtMs: null, source: 'test' };
    return { atMs, command: { kind: 'signal', strategy, ...said } };
  });
}

/** Bars that a strategy requests. */
export interface Wanted {
  readonly symbol: string;
  readonly timeframe: Timeframe;
}

/** A line for a bar as a strategy sees it, with the age of the last bar of each market. */
export const line = (
  strategy: string,
  seen: Record<Exclude<keyof Bar, 'exact'> | 'ages', unknown>,
): string => {
  const { market, timeframe, openTimeMs, open, high, low, close, volume, seenAtMs, missedBefore, ages } =
    seen;
  const numbers = [openTimeMs, open, high, low, close, volume, seenAtMs, missedBefore];
  return [strategy, market, timeframe, ...numbers, JSON.stringify(ages)].join(' ');
};

/** Lines that the listeners must note, worked out moment by moment from the recorded bars alone. */
export function expectedLines(
  columns: readonly CandleColumns[],
  listeners: readonly (readonly Wanted[])[],
  fromMs: number,
): readonly string[] {
  const lines: string[] = [];
  const moments = columns.flatMap(({ openTimeMs, timeframe }) =>
    [...openTimeMs].map((openMs) => openMs + timeframeMs(timeframe)),
  );
  for (const nowMs of [...new Set(moments)].toSorted((one, other) => one - other)) {
    for (const recorded of columns) {
      const partMs = timeframeMs(recorded.timeframe);
      const index = recorded.openTimeMs.indexOf(nowMs - partMs);
      if (index === -1 || nowMs - partMs < fromMs) continue;
      const timeframes = listeners.flatMap((wanted) =>
        wanted.flatMap(({ symbol, timeframe }) => (symbol === recorded.market ? [timeframe] : [])),
      );
      for (const timeframe of new Set(timeframes)) {
        for (const bar of closedBy(recorded, index, timeframe)) {
          const ages = columns.map((other) => ageOf(other, { nowMs, fromMs }));
          for (const [place, wanted] of listeners.entries()) {
            if (!wanted.some((one) => one.symbol === recorded.market && one.timeframe === timeframe))
              continue;
            lines.push(
              line(`listener-${place}`, {
                ...bar,
                market: recorded.market,
                timeframe,
                seenAtMs: nowMs,

                ages,
              }),
            );
          }
        }
      }
    }
  }
  return lines;
}

/** Time since the last known bar closed; of bars begun before the run only the last, if it had closed. */
function ageOf(
  { openTimeMs, timeframe }: CandleColumns,
  { nowMs, fromMs }: { readonly nowMs: number; readonly fromMs: number },
): number | null {
  const closes = [...openTimeMs].map((openMs) => ({ openMs, closeMs: openMs + timeframeMs(timeframe) }));
  const past = closes.findLast(({ openMs }) => openMs < fromMs);
  const last = closes.findLast(({ openMs, closeMs }) => openMs >= fromMs && closeMs <= nowMs);
  const known = last ?? (past !== undefined && past.closeMs <= fromMs ? past : undefined);
  return known === undefined ? null : nowMs - known.closeMs;
}

type ExpectedBar = Record<
  'openTimeMs' | 'closeTimeMs' | 'open' | 'high' | 'low' | 'close' | 'volume' | 'missedBefore',
  number
>;

/** Bars of a length that are known to be over once the recorded bar at `index` is. */
function closedBy(columns: CandleColumns, index: number, timeframe: Timeframe): readonly ExpectedBar[] {
  const [lengthMs, partMs] = [timeframeMs(timeframe), timeframeMs(columns.timeframe)];
  const startOf = (place: number): number =>
    Math.floor((columns.openTimeMs[place] ?? 0) / lengthMs) * lengthMs;
  const endOf = (place: number): number => (columns.openTimeMs[place] ?? 0) + partMs;
  const start = startOf(index);
  const closed: ExpectedBar[] = [];
  const isLate =
    index > 0 && startOf(index - 1) !== start && endOf(index - 1) !== startOf(index - 1) + lengthMs;
  if (isLate) closed.push(barFrom(columns, startOf(index - 1), lengthMs));
  if (endOf(index) === start + lengthMs) closed.push(barFrom(columns, start, lengthMs));
  return closed;
}

function barFrom(columns: CandleColumns, startMs: number, lengthMs: number): ExpectedBar {
  const places = [...columns.openTimeMs.keys()].filter((place) => {
    const openMs = columns.openTimeMs[place] ?? 0;
    return openMs >= startMs && openMs < startMs + lengthMs;
  });
  const of = (column: Float64Array): number[] => places.map((place) => column[place] ?? Number.NaN);
  const before = columns.openTimeMs[(places[0] ?? 0) - 1];
  const missed =
    before === undefined ? 0 : (startMs - Math.floor(before / lengthMs) * lengthMs) / lengthMs - 1;
  return {
    openTimeMs: startMs,
    closeTimeMs: startMs + lengthMs,
    open: (of(columns.open)[0] ?? Number.NaN) / 10,
    high: Math.max(...of(columns.high)) / 10,
    low: Math.min(...of(columns.low)) / 10,
    close: (of(columns.close).at(-1) ?? Number.NaN) / 10,
    volume: of(columns.volume).reduce((sum, volume) => sum + volume, 0),
    missedBefore: missed,
  };
}

/** Value of the account (one coin of each market) at each moment at which a bar closes. */
export function expectedCurve(columns: readonly CandleColumns[], fromMs: number): readonly string[] {
  const points: string[] = [];
  const bars = columns.flatMap(({ openTimeMs, timeframe }) =>
    [...openTimeMs].flatMap((openMs) => (openMs < fromMs ? [] : [openMs + timeframeMs(timeframe)])),
  );
  for (const nowMs of [...new Set(bars)].toSorted((one, other) => one - other)) {
    const values = columns.map((recorded) => priceAt(recorded, { nowMs, fromMs }) / 10);
    points.push(`${nowMs} ${values.reduce((sum, value) => sum + value, 0).toFixed(6)}`);
  }
  return points;
}

/** The last known close; before the first one, the first open of the run. */
function priceAt(
  { openTimeMs, open, close, timeframe, length }: CandleColumns,
  { nowMs, fromMs }: { readonly nowMs: number; readonly fromMs: number },
): number {
  const ends = [...openTimeMs].map((openMs) => openMs + timeframeMs(timeframe));
  const first = openTimeMs.findIndex((openMs) => openMs >= fromMs);
  const next = first === -1 ? length : first;
  const last = ends.findLastIndex((endMs, place) => place >= next && endMs <= nowMs);
  if (last !== -1) return close[last] ?? 0;
  if (next > 0 && (ends[next - 1] ?? 0) <= fromMs) return close[next - 1] ?? 0;
  return (next < length ? open[next] : close[length - 1]) ?? 0;
}
