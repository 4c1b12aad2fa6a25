import { nothing } from './price-lines.js';
import { colour } from './theme.js';
import { timeOfDay } from './texts.js';
import { say } from './words.js';

/** Times when locks held, shaded over all panes, and when a market was in a universe, a strip below its bars. */

/** More in view can not be told from one another: they are left out until the reader zooms in. */
const MOST_IN_VIEW = 1_000;

/** Lines under the pointer. */
const MOST_NAMED = 4;

/** Of what is shorter than a pixel, and how high a strip is. */
const LEAST_WIDTH = 1;
const STRIP_HEIGHT = 6;

/**
 * @typedef {import('./read-data.js').Band} Band
 * @typedef {{ readonly data: import('./read-data.js').PageData, readonly market: () => number,
 *   readonly series: import('./series.js').ChartSeries }} BandPlaces
 */

/**
 * Attaches the bands to the panes; they follow every move of the chart by themselves.
 * @param {BandPlaces} places
 * @returns {{ readonly redraw: () => void }}
 */
export function startTimeBands({ data, market, series }) {
  const { chart, prices, equity, drawdown } = series;
  /** @param {CanvasRenderingContext2D} context @param {{ across: number, down: number, height: number }} canvas */
  const drawLocks = (context, { across, height }) => {
    context.fillStyle = colour('lock');
    for (const [left, width] of stretches(chart, bandsInView(data.locks, data, { market, chart }), across))
      context.fillRect(left, 0, width, height);
  };
  /** @param {CanvasRenderingContext2D} context @param {{ across: number, down: number, height: number }} canvas */
  const drawMembers = (context, { across, down, height }) => {
    context.fillStyle = colour('member');
    const high = STRIP_HEIGHT * down;
    for (const [left, width] of stretches(chart, bandsInView(data.members, data, { market, chart }), across))
      context.fillRect(left, height - high, width, high);
  };
  const updates = [
    attach(prices, 'bottom', drawLocks),
    attach(equity, 'bottom', drawLocks),
    attach(drawdown, 'bottom', drawLocks),
    attach(prices, 'top', drawMembers),
  ];
  return {
    redraw: () => {
      for (const update of updates) update();
    },
  };
}

/**
 * Has something drawn in the pane of a series; answers what has it drawn again.
 * @param {import('lightweight-charts').ISeriesApi<any>} series
 * @param {'bottom' | 'top'} zOrder
 * @param {(context: CanvasRenderingContext2D, canvas: { across: number, down: number, height: number }) => void} draw
 */
function attach(series, zOrder, draw) {
  /** @type {() => void} */
  let update = nothing;
  series.attachPrimitive({
    attached: ({ requestUpdate }) => {
      update = requestUpdate;
    },
    paneViews: () => [
      {
        zOrder: () => zOrder,
        renderer: () => ({
          draw: (target) =>
            target.useBitmapCoordinateSpace(
              ({ context, horizontalPixelRatio, verticalPixelRatio, bitmapSize }) => {
                draw(context, {
                  across: horizontalPixelRatio,
                  down: verticalPixelRatio,
                  height: bitmapSize.height,
                });
              },
            ),
        }),
      },
    ],
  });
  return () => update();
}

/**
 * The bands of a market that are in view; none where they are too many.
 * @param {readonly Band[]} bands
 * @param {import('./read-data.js').PageData} data
 * @param {{ readonly market: () => number, readonly chart: import('lightweight-charts').IChartApi }} places
 */
function bandsInView(bands, data, { market, chart }) {
  const found = bandsOf(bands, data, { market: market(), view: chart.timeScale().getVisibleRange() });
  return found.length > MOST_IN_VIEW ? [] : found;
}

/**
 * @param {readonly Band[]} bands
 * @param {import('./read-data.js').PageData} data
 * @param {{ readonly market: number, readonly view: { readonly from: unknown, readonly to: unknown } | null }} of
 */
function bandsOf(bands, { stepMs }, { market, view }) {
  if (view === null) return [];
  const [fromMs, toMs] = [Number(view.from) * 1000, Number(view.to) * 1000 + stepMs];
  return bands.filter(
    (band) => (band.market === -1 || band.market === market) && band.fromMs < toMs && band.untilMs >= fromMs,
  );
}

/**
 * What is to be said where bands in view are too many to be told apart.
 * @param {import('./read-data.js').PageData} data
 * @param {number} market
 * @param {{ readonly from: unknown, readonly to: unknown } | null} view
 */
export function hiddenBands(data, market, view) {
  /** @param {readonly Band[]} bands @param {'hiddenLocks' | 'hiddenMembers'} what */
  const sentence = (bands, what) => {
    const { length } = bandsOf(bands, data, { market, view });
    return length > MOST_IN_VIEW ? say(what, { count: length }) : '';
  };
  return [sentence(data.locks, 'hiddenLocks'), sentence(data.members, 'hiddenMembers')].join(' ').trim();
}

/**
 * Where bands are on the canvas: those that touch are one, so that no place is shaded twice.
 * @param {import('lightweight-charts').IChartApi} chart
 * @param {readonly Band[]} bands by their beginning
 * @param {number} across
 */
function stretches(chart, bands, across) {
  /** @type {[left: number, width: number][]} */
  const found = [];
  for (const { from, until } of bands) {
    const left = placeOf(chart, from) * across;
    const right = Math.max(left + LEAST_WIDTH * across, placeOf(chart, until) * across);
    const last = found.at(-1);
    if (last !== undefined && left <= last[0] + last[1]) last[1] = Math.max(last[1], right - last[0]);
    else found.push([left, right - left]);
  }
  return found;
}

/**
 * Where a moment is: within its bar, at the edge of the next one where it has none, and after the last.
 * @param {import('lightweight-charts').IChartApi} chart
 * @param {import('./read-data.js').Moment} moment
 */
function placeOf(chart, { time, part, isAfterAll }) {
  const scale = chart.timeScale();
  const exact = scale.timeToIndex(time, false);
  const index = exact ?? scale.timeToIndex(time, true) ?? 0;
  /** @param {number} place */
  const middle = (place) =>
    scale.logicalToCoordinate(/** @type {import('lightweight-charts').Logical} */ (place)) ?? 0;
  const beside = exact === null ? (isAfterAll ? 0.5 : -0.5) : part - 0.5;
  return middle(index) + beside * (middle(1) - middle(0));
}

/**
 * What holds at a bar, a line each.
 * @param {import('./read-data.js').PageData} data
 * @param {number} market
 * @param {number | undefined} time
 */
export function bandLines(data, market, time) {
  if (time === undefined) return [];
  const view = { from: time, to: time };
  const lines = [
    ...bandsOf(data.locks, data, { market, view }),
    ...bandsOf(data.members, data, { market, view }),
  ]
    .filter(({ fromMs, untilMs }) => untilMs > time * 1000 || untilMs === fromMs)
    .map(({ name, text, fromMs, untilMs }) =>
      say('band', { name, from: timeOfDay(fromMs), until: timeOfDay(untilMs), text }),
    );
  const more = lines.length - MOST_NAMED;
  return more > 0 ? [...lines.slice(0, MOST_NAMED), say('moreBands', { count: more })] : lines;
}
