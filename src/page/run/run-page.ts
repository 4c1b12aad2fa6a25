import type { CandlestickData, LineData, UTCTimestamp } from 'lightweight-charts';
import {
  numbersOf,
  fromDistances,
  type BandColumns,
  type CandleSteps,
  type MarketColumns,
  type PlotColumns,
  type ReportData,
} from '../run-data.ts';
import type { BarMoment } from '../chart-bands.ts';

/** Data of a run, as its charts and its table need it. */
export type RunPage = ReturnType<typeof unpackRun>;
export type TradeRow = RunPage['trades'][number];
export type ExitLine = RunPage['exits'][number];
export type Plot = RunPage['plots'][number];

type Point = LineData<UTCTimestamp>;
type Bar = CandlestickData<UTCTimestamp>;

/** Period in one market, or in all (-1). */
export interface Band {
  readonly market: number;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly from: BarMoment;
  readonly until: BarMoment;
  readonly name: string;
  readonly text: string;
}

/** Converts the page's columns to rows. */
export function unpackRun(sent: ReportData) {
  const { quote, startMs, stepMs, isThinned, equity, trades, fills, exits } = sent;
  const timeOf = (step: number): UTCTimestamp => ((startMs + step * stepMs) / 1_000) as UTCTimestamp;
  const at = fromDistances(equity.at);
  const times = at.map(timeOf);
  const last = numbersOf(equity.last);
  const depth = numbersOf(equity.depth).map((value) => -100 * value);
  const lastStep = at.at(-1) ?? 0;
  const momentOf = (timeMs: number): BarMoment => {
    const steps = (timeMs - startMs) / stepMs;
    const step = Math.floor(steps);
    return { time: timeOf(step), part: steps - step, isAfterAll: step > lastStep };
  };
  const tradeNumbers = fromDistances(trades.number);
  return {
    quote,
    profits: sent.profits,
    stepMs,
    isThinned,
    equity: pointsOf(times, last),
    equityRange: rangesOf(times, {
      last,
      low: equity.low === null ? last : numbersOf(equity.low),
      high: equity.high === null ? last : numbersOf(equity.high),
    }),
    drawdown: pointsOf(times, depth),
    drawdownRange: rangesOf(times, { last: depth, low: depth, high: depth }),
    hold: pointsOf(times, holdCurve(at, sent.markets, sent.initialEquity)),
    markets: sent.markets.map(({ name, base, quote, candles }) => {
      const opens = fromDistances(candles.at).map(timeOf);
      const volume = pointsOf(opens, candles.volume);
      return { name, base, quote, decimals: candles.decimals, bars: barsOf(candles, opens), volume };
    }),
    plots: sent.plots.map(({ market, name, pane, style, color, ...columns }) => ({
      market,
      name,
      pane,
      style,
      color,
      points: plotPoints(columns, timeOf),
    })),
    fills: fromDistances(fills.at).map((step, index) => ({
      market: fills.market[index] ?? 0,
      time: timeOf(step),
      isBuy: fills.isBuy[index] === 1,
      price: fills.price[index] ?? 0,
    })),
    trades: fromDistances(trades.openedAtMs).map((openedAtMs, index) => {
      const lengthMs = trades.lengthMs[index] ?? -1;
      return {
        number: tradeNumbers[index] ?? 0,
        market: trades.market[index] ?? 0,
        openedAtMs,
        closedAtMs: lengthMs < 0 ? null : openedAtMs + lengthMs,
        lengthMs,
        amount: Number(trades.amount[index]),
        entryPrice: Number(trades.entryPrice[index]),
        exitPrice: Number(trades.exitPrice[index]),
        fees: trades.fees[index] ?? 0,
        profit: trades.profit[index] ?? 0,
        change: trades.change[index] ?? null,
        exit: trades.exit[index] ?? '',
        tag: trades.tag[index] ?? '',
        strategy: trades.strategy[index] ?? '',
      };
    }),
    exits: exits.from.map((from, index) => ({
      market: exits.market[index] ?? 0,
      from: timeOf(from),
      to: timeOf(exits.to[index] ?? from),
      isTarget: exits.isTarget[index] === 1,
      price: exits.price[index] ?? 0,
      before: exits.before[index] ?? -1,
    })),
    locks: bandsOf(sent.locks, momentOf),
    members: bandsOf(sent.members, momentOf),
    timeAt: (timeMs: number): UTCTimestamp => timeOf(Math.floor((timeMs - startMs) / stepMs)),
  };
}

function bandsOf(
  { market, fromMs, lengthMs, name, text }: BandColumns,
  momentOf: (timeMs: number) => BarMoment,
): readonly Band[] {
  return fromDistances(fromMs).map((beginMs, index) => {
    const untilMs = beginMs + (lengthMs[index] ?? 0);
    return {
      market: market[index] ?? -1,
      fromMs: beginMs,
      untilMs,
      from: momentOf(beginMs),
      until: momentOf(untilMs),
      name: name[index] ?? '',
      text: text[index] ?? '',
    };
  });
}

function pointsOf(times: readonly UTCTimestamp[], values: readonly number[]): Point[] {
  return times.map((time, index) => ({ time, value: values[index] ?? 0 }));
}

/** Returns the extremes of each step as bars: when zoomed out, the chart merges bars and keeps extremes. */
function rangesOf(
  times: readonly UTCTimestamp[],
  { last, low, high }: Readonly<Record<'last' | 'low' | 'high', readonly number[]>>,
): Bar[] {
  return times.map((time, index) => {
    const value = last[index] ?? 0;
    return { time, open: value, high: high[index] ?? value, low: low[index] ?? value, close: value };
  });
}

/** Returns the points of a plot. The line from the last point before a gap is transparent. */
function plotPoints(
  { at, values, gaps }: Pick<PlotColumns, 'at' | 'values' | 'gaps'>,
  timeOf: (step: number) => UTCTimestamp,
): Point[] {
  const missing = new Set(gaps);
  return pointsOf(fromDistances(at).map(timeOf), numbersOf(values)).flatMap((point, index) => {
    if (missing.has(index)) return [];
    return missing.has(index + 1) ? [{ ...point, color: 'transparent' }] : [point];
  });
}

/** Returns buy-and-hold at each step: the initial equity in equal parts, at each market's first price. */
function holdCurve(
  steps: readonly number[],
  markets: readonly MarketColumns[],
  initialEquity: number,
): readonly number[] {
  const shares = markets.map(({ candles, firstPrice }) => ({
    candles,
    at: fromDistances(candles.at),
    unitPrice: firstPrice * 10 ** candles.decimals,
    next: 0,
    close: 0,
    growth: 1,
  }));
  return steps.map((step) => {
    let growth = 0;
    for (const share of shares) {
      const { candles, at, unitPrice } = share;
      while (share.next < at.length && (at[share.next] ?? 0) <= step) {
        share.close += (candles.open[share.next] ?? 0) + (candles.close[share.next] ?? 0);
        share.growth = share.close / unitPrice;
        share.next += 1;
      }
      growth += share.growth;
    }
    return shares.length === 0 ? initialEquity : (initialEquity * growth) / shares.length;
  });
}

function barsOf({ decimals, ...columns }: CandleSteps, times: readonly UTCTimestamp[]): Bar[] {
  const scale = 10 ** decimals;
  let before = 0;
  return times.map((time, index) => {
    const open = before + (columns.open[index] ?? 0);
    const priceOf = (steps: readonly number[]): number => (open + (steps[index] ?? 0)) / scale;
    before = open + (columns.close[index] ?? 0);
    return {
      time,
      open: open / scale,
      high: priceOf(columns.high),
      low: priceOf(columns.low),
      close: before / scale,
    };
  });
}
