import { drawn } from './drawing.js';
import { foreignText } from '../../../backtest/report/page/words.js';
import { figureOf, isLessBetter } from './study-data.js';
import { pictureText, plainText, tell } from './study-words.js';
import { tipOver } from './tip.js';

/** A figure by two params, as the median of the trials in each cell. */

const EDGES = { left: 84, right: 14, top: 8, bottom: 46 };
const MOST_WIDTH = 860;
const CELL_HEIGHT = 34;
/** A cell that is narrower has no room for its number. */
const TEXT_WIDTH = 46;

/**
 * @typedef {{ readonly column: number, readonly row: number, readonly trials: number, readonly median: number }} HeatCell
 */

/**
 * @param {HTMLElement} place
 * @param {import('./slices.js').StudyView} view
 * @param {{ readonly across: number, readonly up: number, readonly width: number }} of places of two params
 */
export function drawHeatMap(place, view, { across, up, width: room }) {
  const { study, figure } = view;
  const [x, y, shown] = [study.parameters[across], study.parameters[up], study.figures[figure]];
  if (x === undefined || y === undefined || shown === undefined) return;
  const [columns, rows] = [x.cells.map(foreignText), y.cells.map(foreignText)];
  const cells = heatCells(study, { across, up, figure });
  const width = Math.min(room, MOST_WIDTH);
  const cellWidth = (width - EDGES.left - EDGES.right) / columns.length;
  const height = EDGES.top + rows.length * CELL_HEIGHT + EDGES.bottom;
  const { low, high } = extentOf(cells);
  const isLess = isLessBetter(shown);
  const svg = drawn('svg', {
    class: 'plot heat-map',
    width,
    height,
    role: 'img',
    'aria-label': tell('heat.label', { figure: shown.title, across: x.name, up: y.name }),
  });
  const floor = EDGES.top + rows.length * CELL_HEIGHT;
  for (const { column, row, median } of cells) {
    const share = high === low ? 1 : (median - low) / (high - low);
    const [left, top] = [EDGES.left + column * cellWidth, floor - (row + 1) * CELL_HEIGHT];
    svg.append(
      drawn('rect', {
        class: 'cell',
        x: left + 1,
        y: top + 1,
        width: Math.max(1, cellWidth - 2),
        height: CELL_HEIGHT - 2,
        rx: 3,
        'fill-opacity': (0.06 + 0.6 * (isLess ? 1 - share : share)).toFixed(3),
      }),
    );
    if (cellWidth >= TEXT_WIDTH)
      svg.append(
        drawn('text', { class: 'cell-text', x: left + cellWidth / 2, y: top + 21, 'text-anchor': 'middle' }, [
          figureOf(median, shown.kind),
        ]),
      );
  }
  appendTitles(svg, { x: x.name, y: y.name, columns, rows, cellWidth, floor, width });
  tipOver(svg, (left, top) => {
    const column = Math.floor((left - EDGES.left) / cellWidth);
    const row = Math.floor((floor - top) / CELL_HEIGHT);
    const cell = cells.find((one) => one.column === column && one.row === row);
    if (cell === undefined) return [];
    return [
      tell('line.figure', { name: x.name, value: columns[column] ?? '' }),
      tell('line.figure', { name: y.name, value: rows[row] ?? '' }),
      tell('heat.median', { figure: shown.title, value: figureOf(cell.median, shown.kind) }),
      tell(cell.trials === 1 ? 'heat.trial' : 'heat.trials', { count: cell.trials }),
    ];
  });
  place.replaceChildren(svg);
}

/**
 * Cells with trials that have values and hold every constraint. Trials that are shown because they are among
 * the best have no part in them: medians would be too good.
 * @param {import('./study-data.js').StudyPage} study
 * @param {{ readonly across: number, readonly up: number, readonly figure: number }} of
 * @returns {HeatCell[]}
 */
export function heatCells({ points, parameters }, { across, up, figure }) {
  /** @type {Map<string, { column: number, row: number, values: number[] }>} */
  const found = new Map();
  for (const { values, figures, state, isDrawn } of points) {
    const value = figures[figure] ?? null;
    const column = cellOf(parameters[across], values[across] ?? null);
    const row = cellOf(parameters[up], values[up] ?? null);
    if (!isDrawn || state !== 0 || value === null || column === null || row === null) continue;
    const key = `${column} ${row}`;
    const cell = found.get(key) ?? { column, row, values: [] };
    cell.values.push(value);
    found.set(key, cell);
  }
  return [...found.values()].map(({ column, row, values }) => ({
    column,
    row,
    trials: values.length,
    median: medianOf(values),
  }));
}

/** @param {readonly number[]} values */
function medianOf(values) {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/**
 * @param {import('./study-data.js').Parameter | undefined} parameter
 * @param {number | null} value
 */
function cellOf(parameter, value) {
  if (parameter === undefined || value === null || parameter.isChoice) return value;
  const { edges } = parameter;
  // The highest value is in the last cell, and not after it.
  const after = edges.findIndex((edge, index) => index > 0 && value < edge);
  return after === -1 ? edges.length - 2 : after - 1;
}

/** @param {readonly HeatCell[]} cells */
function extentOf(cells) {
  let [low, high] = [Infinity, -Infinity];
  for (const { median } of cells) {
    low = Math.min(low, median);
    high = Math.max(high, median);
  }
  return { low, high };
}

/**
 * @param {Element} svg
 * @param {{ readonly x: string, readonly y: string, readonly columns: readonly string[], readonly rows: readonly string[],
 *   readonly cellWidth: number, readonly floor: number, readonly width: number }} of
 */
function appendTitles(svg, { x, y, columns, rows, cellWidth, floor, width }) {
  const widest = Math.max(...columns.map((text) => plainText(text).length)) * 6.4;
  const every = Math.max(1, Math.ceil(widest / cellWidth));
  columns.forEach((text, index) => {
    if (index % every !== 0) return;
    const left = EDGES.left + (index + 0.5) * cellWidth;
    svg.append(drawn('text', { x: left, y: floor + 16, 'text-anchor': 'middle' }, [text]));
  });
  rows.forEach((text, index) => {
    const top = floor - (index + 0.5) * CELL_HEIGHT + 4;
    svg.append(drawn('text', { x: EDGES.left - 6, y: top, 'text-anchor': 'end' }, [text]));
  });
  const middle = (EDGES.left + width - EDGES.right) / 2;
  svg.append(
    drawn('text', { class: 'axis-title', x: middle, y: floor + 38, 'text-anchor': 'middle' }, [
      pictureText(tell('heat.axes', { across: x, up: y })),
    ]),
  );
}
