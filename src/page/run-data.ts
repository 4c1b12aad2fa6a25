import type { PlotColor, PlotStyle } from '../strategy/plots.ts';
import type { BarValues } from '../domain/candle.ts';
import type { ExitKind } from '../domain/order.ts';

/**
 * Data that the page of a run draws. Stored as columns, as rows would be several times as large; whole
 * numbers that rise are stored as steps from the one before.
 */
export interface ReportData {
  readonly quote: string;
  readonly startMs: number;
  readonly stepMs: number;
  readonly isThinned: boolean;
  /** In the quote currency; the page works out from it and the bars what buying and holding had brought. */
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
  readonly exits: ExitLines;
  /** Times at which locks held, and markets were in universes. */
  readonly locks: BandColumns;
  readonly members: BandColumns;
}

/** The equity by step: its end, and where a step is several bars, its extremes. Drawdowns are fractions. */
export interface EquityColumns {
  readonly at: readonly number[];
  readonly last: NumberColumn;
  readonly low: NumberColumn | null;
  readonly high: NumberColumn | null;
  readonly depth: NumberColumn;
}

export interface MarketColumns {
  readonly name: string;
  /** Currencies of amounts and prices. */
  readonly base: string;
  readonly quote: string;
  /** The first price that a strategy could have bought at. */
  readonly firstPrice: number;
  readonly candles: CandleSteps;
}

/** Bars as whole numbers of 10^-decimals: the open by the close before, and the others by the open. */
export interface CandleSteps extends BarValues<readonly number[]> {
  readonly decimals: number;
  readonly at: readonly number[];
}

/** A series as the page draws it: its last value of each step that has one. */
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

/** Labels of trades in a list, from their orders: the exit, and the tag of the entry; empty for none. */
export interface TripLabels {
  readonly exit: readonly (ExitKind | '')[];
  readonly tag: readonly string[];
  /** Strategy of each trade; no entries if all are of one strategy. */
  readonly strategy: readonly string[];
}

/** Lines where the exits of brackets rested, by their beginning: each from step to step at one price. */
export interface ExitLines {
  readonly market: readonly number[];
  readonly from: readonly number[];
  /** The last step in which it rested. */
  readonly to: readonly number[];
  /** 1 for a target, 0 for a stop. */
  readonly isTarget: readonly number[];
  readonly price: readonly number[];
  /** The line that the same exit had before, by its place among these; -1 without one. */
  readonly before: readonly number[];
}

/** Bands as columns, by their beginning; whole numbers that rise are steps from the one before. */
export interface BandColumns {
  /** Places among the markets of the page; -1 for all. */
  readonly market: readonly number[];
  readonly fromMs: readonly number[];
  readonly lengthMs: readonly number[];
  readonly name: readonly string[];
  readonly text: readonly string[];
  /** Total number, including those that are too many for a page. */
  readonly all: number;
}

/**
 * Numbers for drawing as the page gets them: in units of 10^-decimals, each as its distance from the one
 * before.
 */
interface NumberColumn {
  readonly decimals: number;
  readonly steps: readonly number[];
}

/** Digits of the largest number of a column: more than a screen can show. */
const DIGITS = 7;

/** Numbers that are all finite as a column, with so many digits of the largest. */
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

/** Each number as its distance from the one before. */
export function distancesOf(values: readonly number[]): number[] {
  return values.map((value, index) => value - (values[index - 1] ?? 0));
}

/** Numbers from their distances. */
export function fromDistances(distances: readonly number[]): readonly number[] {
  let sum = 0;
  return distances.map((distance) => (sum += distance));
}

/** A number with so many digits: what a screen can show, so the last of them may be a tie's other side. */
export function roundedTo(value: number, digits: number): number {
  if (value === 0) return 0;
  const decimals = digits - 1 - Math.floor(Math.log10(Math.abs(value)));
  const scale = 10 ** Math.abs(decimals);
  return decimals < 0 ? Math.round(value / scale) * scale : Math.round(value * scale) / scale;
}
