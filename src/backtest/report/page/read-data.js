import { numbersOf, packedData, summed } from './packed-data.js';

/** What the page draws, as its charts and table need it. See `ReportData` for what is sent. */

/**
 * @typedef {{ readonly time: import('lightweight-charts').UTCTimestamp, readonly value: number }} Point
 * @typedef {{ readonly time: import('lightweight-charts').UTCTimestamp, readonly open: number, readonly high: number,
 *   readonly low: number, readonly close: number }} Bar
 * @typedef {{ readonly market: number, readonly time: import('lightweight-charts').UTCTimestamp, readonly isBuy: boolean,
 *   readonly price: number }} Fill
 * @typedef {{ readonly number: number, readonly market: number, readonly openedAtMs: number, readonly closedAtMs: number | null,
 *   readonly lengthMs: number, readonly amount: string, readonly entryPrice: string, readonly exitPrice: string, readonly fees: number,
 *   readonly profit: number, readonly change: number | null, readonly exit: string, readonly tag: string,
 *   readonly strategy: string }} Trade
 * @typedef {{ readonly market: number, readonly from: import('lightweight-charts').UTCTimestamp,
 *   readonly to: import('lightweight-charts').UTCTimestamp, readonly isTarget: boolean, readonly price: number,
 *   readonly before: number }} ExitLine
 * @typedef {{ readonly time: import('lightweight-charts').UTCTimestamp, readonly part: number,
 *   readonly isAfterAll: boolean }} Moment the bar that has it, and how much of the bar is before it
 * @typedef {{ readonly market: number, readonly fromMs: number, readonly untilMs: number, readonly from: Moment,
 *   readonly until: Moment, readonly name: string, readonly text: string }} Band
 * @typedef {{ readonly name: string, readonly base: string, readonly quote: string, readonly decimals: number,
 *   readonly bars: readonly Bar[],
 *   readonly volume: readonly Point[] }} Market
 * @typedef {{ readonly market: number, readonly name: string, readonly pane: string | null, readonly style: string,
 *   readonly color: string | null, readonly points: readonly (Point & { readonly color?: string })[] }} Plot
 * @typedef {{ readonly quote: string, readonly stepMs: number, readonly isThinned: boolean, readonly equity: readonly Point[],
 *   readonly equityRange: readonly Bar[], readonly drawdown: readonly Point[], readonly drawdownRange: readonly Bar[],
 *   readonly hold: readonly Point[], readonly plots: readonly Plot[],
 *   readonly markets: readonly Market[], readonly fills: readonly Fill[], readonly trades: readonly Trade[],
 *   readonly exits: readonly ExitLine[], readonly locks: readonly Band[], readonly members: readonly Band[],
 *   readonly timeAt: (timeMs: number) => import('lightweight-charts').UTCTimestamp }} PageData
 */

/**
 * Unpacks the data in an element of the page. Rejects where the browser can not.
 * @param {string} id
 * @returns {Promise<PageData>}
 */
export async function readData(id) {
  return unpacked(await packedData(id));
}

/**
 * @param {any} sent
 * @returns {PageData}
 */
function unpacked(sent) {
  const { quote, startMs, stepMs, isThinned, equity, trades, fills } = sent;
  /** @param {number} step */
  const timeOf = (step) =>
    /** @type {import('lightweight-charts').UTCTimestamp} */ ((startMs + step * stepMs) / 1000);
  const at = summed(equity.at);
  const times = at.map(timeOf);
  const last = numbersOf(equity.last);
  const depth = numbersOf(equity.depth).map((value) => -100 * value);
  const markets = sent.markets.map((/** @type {any} */ market) => ({
    ...market,
    at: summed(market.candles.at),
  }));
  const lastStep = at.at(-1) ?? 0;
  /** @param {number} timeMs */
  const momentOf = (timeMs) => {
    const steps = (timeMs - startMs) / stepMs;
    const step = Math.floor(steps);
    return { time: timeOf(step), part: steps - step, isAfterAll: step > lastStep };
  };
  const opened = summed(trades.openedAtMs);
  const numbers = summed(trades.number);
  const filledAt = summed(fills.at);
  return {
    quote,
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
    hold: pointsOf(times, holdCurve(at, markets, sent.initialEquity)),
    markets: markets.map((/** @type {any} */ market) => ({
      name: market.name,
      base: market.base,
      quote: market.quote,
      decimals: market.candles.decimals,
      bars: barsOf(market.candles, market.at.map(timeOf)),
      volume: pointsOf(market.at.map(timeOf), market.candles.volume),
    })),
    plots: sent.plots.map((/** @type {any} */ plot) => ({
      ...plot,
      points: plotPoints(plot, timeOf),
    })),
    fills: filledAt.map((step, index) => ({
      market: fills.market[index],
      time: timeOf(step),
      isBuy: fills.isBuy[index] === 1,
      price: fills.price[index],
    })),
    trades: opened.map((openedAtMs, index) => ({
      number: numbers[index] ?? 0,
      market: trades.market[index],
      openedAtMs,
      closedAtMs: trades.lengthMs[index] < 0 ? null : openedAtMs + trades.lengthMs[index],
      lengthMs: trades.lengthMs[index],
      amount: trades.amount[index],
      entryPrice: trades.entryPrice[index],
      exitPrice: trades.exitPrice[index],
      fees: trades.fees[index],
      profit: trades.profit[index],
      change: trades.change[index],
      exit: trades.exit[index],
      tag: trades.tag[index],
      strategy: trades.strategy[index] ?? '',
    })),
    exits: sent.exits.from.map((/** @type {number} */ from, /** @type {number} */ index) => ({
      market: sent.exits.market[index],
      from: timeOf(from),
      to: timeOf(sent.exits.to[index]),
      isTarget: sent.exits.isTarget[index] === 1,
      price: sent.exits.price[index],
      before: sent.exits.before[index],
    })),
    locks: bandsFrom(sent.locks, momentOf),
    members: bandsFrom(sent.members, momentOf),
    timeAt: (timeMs) => timeOf(Math.floor((timeMs - startMs) / stepMs)),
  };
}

/**
 * Stretches of time from their columns, by their beginning.
 * @param {any} bands
 * @param {(timeMs: number) => Moment} momentOf
 * @returns {Band[]}
 */
function bandsFrom(bands, momentOf) {
  return summed(bands.fromMs).map((fromMs, index) => {
    const untilMs = fromMs + bands.lengthMs[index];
    const ends = { from: momentOf(fromMs), until: momentOf(untilMs) };
    const { market, name, text } = bands;
    return { market: market[index], fromMs, untilMs, ...ends, name: name[index], text: text[index] };
  });
}

/**
 * @param {readonly import('lightweight-charts').UTCTimestamp[]} times
 * @param {readonly number[]} values
 * @returns {Point[]}
 */
function pointsOf(times, values) {
  return times.map((time, index) => ({ time, value: values[index] ?? 0 }));
}

/**
 * How low and high something was within each step. Zoomed out, the chart makes one bar of many, and keeps both.
 * @param {readonly import('lightweight-charts').UTCTimestamp[]} times
 * @param {{ readonly last: readonly number[], readonly low: readonly number[], readonly high: readonly number[] }} values
 * @returns {Bar[]}
 */
function rangesOf(times, { last, low, high }) {
  return times.map((time, index) => {
    const value = last[index] ?? 0;
    return { time, open: value, high: high[index] ?? value, low: low[index] ?? value, close: value };
  });
}

/**
 * Values of a plot; the line from the last one before a gap is not seen.
 * @param {any} plot
 * @param {(step: number) => import('lightweight-charts').UTCTimestamp} timeOf
 */
function plotPoints({ at, values, gaps }, timeOf) {
  const missing = new Set(gaps);
  return pointsOf(summed(at).map(timeOf), numbersOf(values)).flatMap((point, index) => {
    if (missing.has(index)) return [];
    return missing.has(index + 1) ? [{ ...point, color: 'transparent' }] : [point];
  });
}

/**
 * The initial equity, spread evenly over the markets at their first prices, at each step of the equity.
 * @param {readonly number[]} steps
 * @param {readonly any[]} markets
 * @param {number} initialEquity
 */
function holdCurve(steps, markets, initialEquity) {
  const shares = markets.map(({ at, candles, firstPrice }) => ({
    at,
    candles,
    unitPrice: firstPrice * 10 ** candles.decimals,
    next: 0,
    close: 0,
    growth: 1,
  }));
  return steps.map((step) => {
    let growth = 0;
    for (const share of shares) {
      while (share.next < share.at.length && share.at[share.next] <= step) {
        share.close += share.candles.open[share.next] + share.candles.close[share.next];
        share.growth = share.close / share.unitPrice;
        share.next += 1;
      }
      growth += share.growth;
    }
    return shares.length === 0 ? initialEquity : (initialEquity * growth) / shares.length;
  });
}

/**
 * Bars from their columns, in which the prices are steps from one another.
 * @param {any} candles
 * @param {readonly import('lightweight-charts').UTCTimestamp[]} times
 * @returns {Bar[]}
 */
function barsOf(candles, times) {
  const scale = 10 ** candles.decimals;
  let close = 0;
  return times.map((time, index) => {
    const open = close + candles.open[index];
    close = open + candles.close[index];
    return {
      time,
      open: open / scale,
      high: (open + candles.high[index]) / scale,
      low: (open + candles.low[index]) / scale,
      close: close / scale,
    };
  });
}
