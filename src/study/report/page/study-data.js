import { packedData } from '../../../backtest/report/page/packed-data.js';
import { lengthOf, percentOf } from '../../../backtest/report/page/texts.js';

/** What the page of a study draws. See `StudyReportData` for what is sent. */

/**
 * @typedef {import('../report-shapes.ts').StudyReportData} StudyData
 * @typedef {import('../report-shapes.ts').ReportFigure} Figure
 * @typedef {import('../report-shapes.ts').ReportParameter} Parameter
 * @typedef {{ readonly place: number, readonly number: number, readonly state: 0 | 1 | 2, readonly isDrawn: boolean,
 *   readonly isNear: boolean, readonly isFront: boolean, readonly isBest: boolean,
 *   readonly values: readonly (number | null)[], readonly figures: readonly (number | null)[] }} TrialPoint
 * @typedef {StudyData & { readonly points: readonly TrialPoint[] }} StudyPage
 */

/**
 * @param {string} id
 * @returns {Promise<StudyPage>}
 */
export async function readStudy(id) {
  /** @type {StudyData} */
  const sent = await packedData(id);
  const { trials, best } = sent;
  const points = trials.number.map((number, place) => ({
    place,
    number,
    state: trials.state[place] ?? 2,
    isDrawn: trials.isDrawn[place] === 1,
    isNear: trials.isNear[place] === 1,
    isFront: trials.isFront[place] === 1,
    isBest: number === best,
    values: trials.values.map((column) => column[place] ?? null),
    figures: trials.figures.map((column) => column[place] ?? null),
  }));
  return { ...sent, points };
}

/**
 * @param {number | null} value
 * @param {import('../report-shapes.ts').FigureKind} kind
 */
export function figureOf(value, kind) {
  if (value === null) return 'n/a';
  if (kind === 'fraction') return percentOf(value);
  return kind === 'length' ? lengthOf(value) : shortNumber(value);
}

/**
 * An objective says what is better; of other figures all but the drawdown are better the larger they are.
 * @param {Figure} figure
 */
export function isLessBetter({ name, direction }) {
  return direction === null ? name === 'maxDrawdown' : direction === 'minimize';
}

/**
 * A number with at most four digits that tell something.
 * @param {number} value
 */
export function shortNumber(value) {
  const size = Math.abs(value);
  if (size >= 1e6) return value.toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 2 });
  if (size >= 100 || Number.isInteger(value))
    return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
  return size >= 1
    ? value.toLocaleString('en-US', { maximumFractionDigits: 2 })
    : value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

/**
 * A value of a param: a number as it is, of a choice its name.
 * @param {Parameter | undefined} parameter
 * @param {number | null} value
 */
export function valueOf(parameter, value) {
  if (value === null) return 'not there';
  return parameter?.isChoice === true ? (parameter.cells[value] ?? '') : String(value);
}

/**
 * A trial in lines: its number, its figures and its params.
 * @param {StudyPage} study
 * @param {TrialPoint} trial
 */
export function trialLines({ figures, parameters }, { number, state, figures: found, values, isBest }) {
  const words = [
    isBest ? ', the best' : '',
    state === 1 ? ', breaks constraints' : state === 2 ? ', failed' : '',
  ];
  return [
    `Trial ${number}${words.join('')}`,
    ...figures.map(({ name, kind }, index) => `${name} ${figureOf(found[index] ?? null, kind)}`),
    ...parameters.flatMap((parameter, index) => {
      const value = values[index] ?? null;
      return value === null ? [] : [`${parameter.name} = ${valueOf(parameter, value)}`];
    }),
  ];
}
