import {
  isNumeric,
  type NumericParameter,
  type Parameter,
  type ParameterValue,
} from '../../search/space-declaration.ts';
import { nearRange } from '../validation/plateau.ts';
import type { StudyVoice } from '../study-voice.ts';
import type { ReportParameter } from '../../page/study-data.ts';

/** Numbers with so many values have a cell of a heat map for each, others for some together. */
const MOST_OWN_CELLS = 16;
const CELLS = 12;
/** Digits of an edge that is no value. */
const DIGITS = 3;

type Cells = Pick<ReportParameter, 'cells' | 'edges'>;

/** A param of the space as an axis, with what is near the best trial's value of it. */
export function parameterAxis(
  parameter: Parameter,
  best: ParameterValue | undefined,
  voice: StudyVoice,
): ReportParameter {
  const { name } = parameter;
  if (!isNumeric(parameter)) {
    const cells = parameter.values.map(String);
    return {
      name,
      isChoice: true,
      isLog: false,
      min: 0,
      max: cells.length - 1,
      cells,
      edges: [],
      near: null,
    };
  }
  const { min, max, scale, steps } = parameter;
  const isLog = scale === 'log';
  const isStepped = steps !== null && (!isLog || steps.count <= MOST_OWN_CELLS);
  return {
    name,
    isChoice: false,
    isLog,
    min,
    max,
    ...(isStepped ? steppedCells(steps, voice) : evenCells({ min, max, isLog }, voice)),
    near: best === undefined ? null : nearRange(parameter, best),
  };
}

/** Cells of one value each, or of as many as it takes; edges are between two values. */
function steppedCells(
  { first, stride, count, decimals }: NonNullable<NumericParameter['steps']>,
  voice: StudyVoice,
): Cells {
  const together = count <= MOST_OWN_CELLS ? 1 : Math.ceil(count / CELLS);
  const valueAt = (place: number): number => (first + place * stride) / 10 ** decimals;
  const edgeAt = (place: number): number => (first + (place - 0.5) * stride) / 10 ** decimals;
  const begins = Array.from({ length: Math.ceil(count / together) }, (_, cell) => cell * together);
  return {
    cells: begins.map((begin) => {
      const last = Math.min(begin + together, count) - 1;
      return last === begin ? voice.param(valueAt(begin)) : rangeText(valueAt(begin), valueAt(last), voice);
    }),
    edges: [...begins, count].map(edgeAt),
  };
}

/** Equal parts of the range, of its logarithm where the scale is one. */
function evenCells(
  { min, max, isLog }: { readonly min: number; readonly max: number; readonly isLog: boolean },
  voice: StudyVoice,
): Cells {
  const edges = Array.from({ length: CELLS + 1 }, (_, place) => {
    if (place === 0) return min;
    if (place === CELLS) return max;
    const share = place / CELLS;
    return Number((isLog ? min * (max / min) ** share : min + (max - min) * share).toPrecision(DIGITS));
  });
  return { cells: edges.slice(1).map((to, cell) => rangeText(edges[cell] ?? to, to, voice)), edges };
}

const rangeText = (from: number, to: number, { say, param }: StudyVoice): string =>
  say('cell.range', { from: param(from), to: param(to) });
