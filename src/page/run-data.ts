import type { PlotColor, PlotStyle } from '../domain/figure-name.ts';
import type { BarValues } from '../domain/candle.ts';
import type { ExitKind } from '../domain/order.ts';

/**
 * Data of a run's page, stored as columns, since rows would be several times as large. Rising whole numbers
 * are stored as the differences from one to the next.
 */
export interface ReportData {
  readonly quote: string;
  readonly startMs: number;
  readonly stepMs: number;
  readonly isThinned: boolean;
  /** Initial equity in the quote currency; the page computes buy-and-hold from it and the bars. */
  readonly initialEquity: number;
  readonly equity: EquityColumns;
  readonly markets: readonly MarketColumns[];
  readonly plots: readonly PlotColumns[];
  readonly fills: {
    readonly market: readonly number[];
    readonly at: readonly number[];
    /** 1 for a buy, 0 for a sell. */
    readonly isBuy: readonly number[];
    readonly price: readonly number[];
  };
  readonly trades: TradeColumns;
  /** Closed trades by day, week, market and other; by the clock and calendar of the page. */
  readonly profits: Readonly<Record<ProfitKind, readonly ProfitGroup[]>>;
  readonly exits: ExitLines;
  /** Periods in which locks held, and in which markets were in universes. */
  readonly locks: BandColumns;
  readonly members: BandColumns;
}

export type ProfitKind = 'day' | 'week' | 'month' | 'hour' | 'strategy' | 'market' | 'reason' | 'tag';

/** Closed trades with something in common. Money: decimal texts. */
export interface ProfitGroup {
  readonly key: string;
  /** Beginning of the day, week or month; null for other groups. */
  readonly fromMs: number | null;
  readonly trips: number;
  readonly wins: number;
  readonly profit: string;
  readonly fees: string;
  readonly payoff: number | null;
  readonly lengthMs: number;
  /** Requests in that time; null or missing if they are not of the group. */
  readonly requests?: number | null;
}

/** Equity of each step: its last value and, for steps of several bars, extremes. Drawdowns are fractions. */
export interface EquityColumns {
  readonly at: readonly number[];
  readonly last: NumberColumn;
  readonly low: NumberColumn | null;
  readonly high: NumberColumn | null;
  readonly depth: NumberColumn;
}

export interface MarketColumns {
  readonly name: string;
  /** Currency of amounts; `quote` is that of prices. */
  readonly base: string;
  readonly quote: string;
  /** First price at which a strategy could have bought. */
  readonly firstPrice: number;
  readonly candles: CandleSteps;
}

/** Bars in units of 10^-decimals: the open minus the close before, and the other prices minus the open. */
export interface CandleSteps extends BarValues<readonly number[]> {
  readonly decimals: number;
  readonly at: readonly number[];
}

/** Plot as the page draws it: the last value of each step that has one. */
export interface PlotColumns {
  readonly market: number;
  readonly name: string;
  readonly pane: string | null;
  readonly style: PlotStyle;
  readonly color: PlotColor | null;
  readonly at: readonly number[];
  readonly values: NumberColumn;
  /** Indices of the values that are gaps. */
  readonly gaps: readonly number[];
}

interface TradeColumns extends TripLabels {
  readonly number: readonly number[];
  readonly market: readonly number[];
  readonly openedAtMs: readonly number[];
  /** Time from opening to closing, in ms; -1 for an open trade. */
  readonly lengthMs: readonly number[];
  readonly amount: readonly string[];
  readonly entryPrice: readonly string[];
  readonly exitPrice: readonly string[];
  readonly fees: readonly number[];
  readonly profit: readonly number[];
  readonly change: readonly (number | null)[];
}

/** Labels of trades in a list: the kind of exit and the tag of the entry's order; empty for none. */
export interface TripLabels {
  readonly exit: readonly (ExitKind | '')[];
  readonly tag: readonly string[];
  /** Strategy of each trade; empty if all are of one strategy. */
  readonly strategy: readonly string[];
}

/** Lines that show the resting exits of brackets, sorted by start: each spans some steps at one price. */
export interface ExitLines {
  readonly market: readonly number[];
  readonly from: readonly number[];
  /** Last step in which the order rested. */
  readonly to: readonly number[];
  /** 1 for a target, 0 for a stop. */
  readonly isTarget: readonly number[];
  readonly price: readonly number[];
  /** Index of the line that the same exit had before; -1 if there is none. */
  readonly before: readonly number[];
}

/** Bands as columns, sorted by start; rising whole numbers are stored as differences. */
export interface BandColumns {
  /** Indexes of the page's markets; -1 for all. */
  readonly market: readonly number[];
  readonly fromMs: readonly number[];
  readonly lengthMs: readonly number[];
  readonly name: readonly string[];
  readonly text: readonly string[];
  /** Total number, including those that were left out because a page cannot show them. */
  readonly all: number;
}

/** Column of numbers for charts: in units of 10^-decimals, each as the difference from the one before. */
interface NumberColumn {
  readonly decimals: number;
  readonly steps: readonly number[];
}

/** Significant digits of the largest number of a column: more than a screen can show. */
const DIGITS = 7;

/** Packs finite numbers as a column, with `digits` significant digits of the largest. */
export function numberColumn(values: readonly number[], digits = DIGITS): NumberColumn {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  const decimals = largest === 0 ? 0 : Math.min(15, digits - 1 - Math.floor(Math.log10(largest)));
  const scale = 10 ** decimals;
  return { decimals, steps: distancesOf(values.map((value) => Math.round(value * scale))) };
}

export function numbersOf({ decimals, steps }: NumberColumn): readonly number[] {
  const scale = 10 ** decimals;
  return fromDistances(steps).map((value) => value / scale);
}

/** Returns the difference of each number from the one before. */
export function distancesOf(values: readonly number[]): number[] {
  return values.map((value, index) => value - (values[index - 1] ?? 0));
}

/** Returns the numbers that `distancesOf` turned into differences. */
export function fromDistances(distances: readonly number[]): readonly number[] {
  let sum = 0;
  return distances.map((distance) => (sum += distance));
}

/** Rounds to significant digits. They are more than a screen shows, so a tie may be rounded either way. */
export function roundedTo(value: number, digits: number): number {
  if (value === 0) return 0;
  const decimals = digits - 1 - Math.floor(Math.log10(Math.abs(value)));
  const scale = 10 ** Math.abs(decimals);
  return decimals < 0 ? Math.round(value / scale) * scale : Math.round(value * scale) / scale;
}

/** Fills of one side in one bar. */
interface FillMark<At> {
  readonly time: At;
  readonly isBuy: boolean;
  /** Mean price of the fills. */
  readonly price: number;
  readonly count: number;
}

/** Returns one mark for the buys of each bar, and one for its sells. */
export function fillMarks<At>(
  fills: readonly { readonly time: At; readonly isBuy: boolean; readonly price: number }[],
): readonly FillMark<At>[] {
  const marks = new Map<string, FillMark<At>>();
  for (const { time, isBuy, price } of fills) {
    const key = `${String(time)} ${isBuy}`;
    const before = marks.get(key) ?? { price: 0, count: 0 };
    const count = before.count + 1;
    marks.set(key, { time, isBuy, price: before.price + (price - before.price) / count, count });
  }
  return [...marks.values()];
}
