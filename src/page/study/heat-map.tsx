import { foreignText, pictureText } from '../report-words.ts';
import type { ReportParameter } from '../study-data.ts';
import { extentOf } from './axis.ts';
import { Picture, letterCount } from './picture.tsx';
import { figureText, isLessBetter, studyText, type StudyPage, type StudyView } from './study-page.ts';

const EDGES = { left: 84, right: 14, top: 8, bottom: 46 };
const MOST_WIDTH = 860;
const CELL_HEIGHT = 34;
/** A cell that is narrower has no room for its number. */
const TEXT_WIDTH = 46;

interface HeatMapProps {
  readonly view: StudyView;
  /** Places of two params. */
  readonly across: number;
  readonly up: number;
  readonly width: number;
}

/** A figure by two params, as the median of the trials in each cell. */
export function HeatMap({ view, across, up, width: room }: HeatMapProps) {
  const { study, figure } = view;
  const [x, y, shown] = [study.parameters[across], study.parameters[up], study.figures[figure]];
  if (x === undefined || y === undefined || shown === undefined) return null;
  const [columns, rows] = [x.cells.map(foreignText), y.cells.map(foreignText)];
  const cells = heatCells(study, { across, up, figure });
  const width = Math.min(room, MOST_WIDTH);
  const cellWidth = (width - EDGES.left - EDGES.right) / columns.length;
  const floor = EDGES.top + rows.length * CELL_HEIGHT;
  const { low, high } = extentOf(cells.map(({ median }) => median));
  const opacityOf = (median: number): string => {
    const share = high === low ? 1 : (median - low) / (high - low);
    return (0.06 + 0.6 * (isLessBetter(shown) ? 1 - share : share)).toFixed(3);
  };
  const every = Math.max(1, Math.ceil((Math.max(...columns.map(letterCount)) * 6.4) / cellWidth));
  return (
    <Picture
      name="heat-map"
      title={studyText('heat.label', { figure: shown.title, across: x.name, up: y.name })}
      width={width}
      height={floor + EDGES.bottom}
      linesAt={({ left, top }) => {
        const column = Math.floor((left - EDGES.left) / cellWidth);
        const row = Math.floor((floor - top) / CELL_HEIGHT);
        const cell = cells.find((one) => one.column === column && one.row === row);
        if (cell === undefined) return [];
        return [
          studyText('line.figure', { name: x.name, value: columns[column] ?? '' }),
          studyText('line.figure', { name: y.name, value: rows[row] ?? '' }),
          studyText('heat.median', { figure: shown.title, value: figureText(cell.median, shown.kind) }),
          studyText(cell.trials === 1 ? 'heat.trial' : 'heat.trials', { count: cell.trials }),
        ];
      }}
    >
      {cells.map(({ column, row, median }) => {
        const [left, top] = [EDGES.left + column * cellWidth, floor - (row + 1) * CELL_HEIGHT];
        return (
          <>
            <rect
              class="cell"
              x={left + 1}
              y={top + 1}
              width={Math.max(1, cellWidth - 2)}
              height={CELL_HEIGHT - 2}
              rx={3}
              fill-opacity={opacityOf(median)}
            />
            {cellWidth >= TEXT_WIDTH && (
              <text class="cell-text" x={left + cellWidth / 2} y={top + 21} text-anchor="middle">
                {figureText(median, shown.kind)}
              </text>
            )}
          </>
        );
      })}
      {columns.map((text, index) =>
        index % every !== 0 ? null : (
          <text x={EDGES.left + (index + 0.5) * cellWidth} y={floor + 16} text-anchor="middle">
            {text}
          </text>
        ),
      )}
      {rows.map((text, index) => (
        <text x={EDGES.left - 6} y={floor - (index + 0.5) * CELL_HEIGHT + 4} text-anchor="end">
          {text}
        </text>
      ))}
      <text class="axis-title" x={(EDGES.left + width - EDGES.right) / 2} y={floor + 38} text-anchor="middle">
        {pictureText(studyText('heat.axes', { across: x.name, up: y.name }))}
      </text>
    </Picture>
  );
}

interface HeatCell {
  readonly column: number;
  readonly row: number;
  readonly trials: number;
  readonly median: number;
}

/**
 * Cells with trials that have values and hold every constraint. Trials that are shown because they are among
 * the best have no part in them: medians would be too good.
 */
function heatCells(
  { points, parameters }: StudyPage,
  { across, up, figure }: { readonly across: number; readonly up: number; readonly figure: number },
): readonly HeatCell[] {
  const found = new Map<
    string,
    { readonly column: number; readonly row: number; readonly values: number[] }
  >();
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

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

function cellOf(parameter: ReportParameter | undefined, value: number | null): number | null {
  if (parameter === undefined || value === null || parameter.isChoice) return value;
  const { edges } = parameter;
  // The highest value is in the last cell, and not after it.
  const after = edges.findIndex((edge, index) => index > 0 && value < edge);
  return after === -1 ? edges.length - 2 : after - 1;
}
