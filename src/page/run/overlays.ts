import type { IChartApi, UTCTimestamp } from 'lightweight-charts';
import { attach, mergedRanges, middleOf, type Canvas } from '../chart-bands.ts';
import { pageText, shownTime } from '../report-words.ts';
import { colour } from '../theme.ts';
import type { ChartSeries } from './chart-series.ts';
import type { Band, ExitLine, RunPage, TradeRow } from './run-page.ts';

/**
 * Overlays of the charts: resting exits, a line from each entry to its exit, periods of locks, shaded over
 * all panes, and periods of a market in a universe, as a strip below its bars.
 */

/** Maximum numbers in view: more would hide the bars, and are left out until the reader zooms in. */
const MOST_EXITS = 2_000;
const MOST_TRADES = 400;
const MOST_BANDS = 1_000;

/** Maximum number of lines under the pointer. */
const MOST_NAMED = 4;

/** Smallest trade that gets a line, as a share of the largest one: smaller ones are leftovers of others. */
const LEAST_SHARE = 0.001;

/** Height of a strip, in pixels. */
const STRIP_HEIGHT = 6;

/** Visible part of the time scale, in seconds; null before anything is drawn. */
export type View = { readonly from: number; readonly to: number } | null;

export const visibleTime = (chart: IChartApi): View => {
  const range = chart.timeScale().getVisibleRange();
  return range === null ? null : { from: Number(range.from), to: Number(range.to) };
};

/** Attaches all overlays. Returns a function that redraws them, such as after a change of the theme. */
export function startOverlays(data: RunPage, series: ChartSeries, market: () => number): () => void {
  const { chart, prices, equity, drawdown } = series;
  const worth = tradesWorthALine(data);
  const bandsInView = (bands: readonly Band[]): readonly Band[] => {
    const found = bandsOf(bands, data, market(), visibleTime(chart));
    return found.length > MOST_BANDS ? [] : found;
  };
  const drawLocks = ({ context, across, height }: Canvas): void => {
    context.fillStyle = colour('lock');
    for (const [left, width] of mergedRanges(chart, bandsInView(data.locks), across))
      context.fillRect(left, 0, width, height);
  };
  const drawMembers = ({ context, across, down, height }: Canvas): void => {
    context.fillStyle = colour('member');
    const high = STRIP_HEIGHT * down;
    for (const [left, width] of mergedRanges(chart, bandsInView(data.members), across))
      context.fillRect(left, height - high, width, high);
  };
  const drawPriceLines = (canvas: Canvas): void => {
    const view = visibleTime(chart);
    if (view === null) return;
    const pen = penOf(series, canvas);
    const exits = exitsIn(data, market(), view);
    if (exits.length <= MOST_EXITS) for (const line of exits) drawExit(line, pen, data.exits);
    const trades = worth.filter(
      ({ market: own, openedAtMs, closedAtMs }) =>
        own === market() && data.timeAt(closedAtMs) >= view.from && data.timeAt(openedAtMs) <= view.to,
    );
    if (trades.length <= MOST_TRADES) for (const trade of trades) drawTrade(trade, pen, data);
  };
  const updates = [
    attach(prices, 'top', drawPriceLines),
    ...[prices, equity, drawdown].map((each) => attach(each, 'bottom', drawLocks)),
    attach(prices, 'top', drawMembers),
  ];
  return () => {
    for (const update of updates) update();
  };
}

/** Canvas with functions that place times and prices on it. */
interface Pen {
  readonly context: CanvasRenderingContext2D;
  readonly left: (time: UTCTimestamp) => number;
  readonly right: (time: UTCTimestamp) => number;
  readonly middle: (time: UTCTimestamp) => number;
  readonly height: (price: number) => number;
  readonly unit: number;
}

function penOf({ chart, prices }: ChartSeries, { context, across, down }: Canvas): Pen {
  const half = ((middleOf(chart, 1) - middleOf(chart, 0)) / 2) * across;
  const middle = (time: UTCTimestamp): number =>
    middleOf(chart, chart.timeScale().timeToIndex(time, true) ?? 0) * across;
  return {
    context,
    middle,
    left: (time) => middle(time) - half,
    right: (time) => middle(time) + half,
    height: (price) => (prices.priceToCoordinate(price) ?? 0) * down,
    unit: down,
  };
}

/** Returns the exit lines of a market within a period. */
const exitsIn = (data: RunPage, market: number, { from, to }: NonNullable<View>): readonly ExitLine[] =>
  data.exits.filter((line) => line.market === market && line.to >= from && line.from <= to);

const valueOf = ({ amount, entryPrice }: TradeRow): number => amount * entryPrice;

type ClosedTrade = TradeRow & { readonly closedAtMs: number };

const isClosed = (trade: TradeRow): trade is ClosedTrade => trade.closedAtMs !== null;

function tradesWorthALine({ trades }: RunPage): readonly ClosedTrade[] {
  const largest = trades.reduce((most, trade) => Math.max(most, valueOf(trade)), 0);
  return trades.filter(isClosed).filter((trade) => valueOf(trade) >= LEAST_SHARE * largest);
}

/** Draws the price of a resting exit, and the step from where it rested before. */
function drawExit(line: ExitLine, pen: Pen, all: readonly ExitLine[]): void {
  const { context } = pen;
  const [left, top] = [pen.left(line.from), pen.height(line.price)];
  const before = all[line.before];
  context.beginPath();
  context.moveTo(left, before === undefined ? top : pen.height(before.price));
  context.lineTo(left, top);
  context.lineTo(pen.right(line.to), top);
  context.setLineDash([]);
  context.lineWidth = Math.max(1, Math.round(1.5 * pen.unit));
  context.strokeStyle = colour(line.isTarget ? 'target' : 'stop');
  context.stroke();
}

/** Draws a line from the entry of a trade to its exit. */
function drawTrade(trade: ClosedTrade, pen: Pen, data: RunPage): void {
  const { context } = pen;
  context.beginPath();
  context.moveTo(pen.middle(data.timeAt(trade.openedAtMs)), pen.height(trade.entryPrice));
  context.lineTo(pen.middle(data.timeAt(trade.closedAtMs)), pen.height(trade.exitPrice));
  context.setLineDash([4 * pen.unit, 3 * pen.unit]);
  context.lineWidth = Math.max(1, pen.unit);
  context.strokeStyle = colour(trade.profit >= 0 ? 'good' : 'bad');
  context.stroke();
  context.setLineDash([]);
}

/** Returns the bands of a market within a period. */
function bandsOf(bands: readonly Band[], { stepMs }: RunPage, market: number, view: View): readonly Band[] {
  if (view === null) return [];
  const [fromMs, toMs] = [view.from * 1_000, view.to * 1_000 + stepMs];
  return bands.filter(
    (band) => (band.market === -1 || band.market === market) && band.fromMs < toMs && band.untilMs >= fromMs,
  );
}

/** Returns sentences about what is hidden because there is too much of it in view. */
export function hiddenOverlays(data: RunPage, market: number, view: View): readonly string[] {
  if (view === null) return [];
  const [exits, locks, members] = [
    exitsIn(data, market, view).length,
    bandsOf(data.locks, data, market, view).length,
    bandsOf(data.members, data, market, view).length,
  ];
  return [
    ...(exits > MOST_EXITS ? [pageText('hiddenExits', { count: exits })] : []),
    ...(locks > MOST_BANDS ? [pageText('hiddenLocks', { count: locks })] : []),
    ...(members > MOST_BANDS ? [pageText('hiddenMembers', { count: members })] : []),
  ];
}

/** Returns the texts of the bands that cover a bar, one line each. */
export function bandLines(data: RunPage, market: number, time: number): readonly string[] {
  const view = { from: time, to: time };
  const lines = [data.locks, data.members]
    .flatMap((bands) => bandsOf(bands, data, market, view))
    .filter(({ fromMs, untilMs }) => untilMs > time * 1_000 || untilMs === fromMs)
    .map(({ name, text, fromMs, untilMs }) =>
      pageText('band', { name, from: shownTime(fromMs), until: shownTime(untilMs), text }),
    );
  const more = lines.length - MOST_NAMED;
  return more > 0 ? [...lines.slice(0, MOST_NAMED), pageText('moreBands', { count: more })] : lines;
}
