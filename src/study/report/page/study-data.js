import { packedData } from '../../../backtest/report/page/packed-data.js';
import { lengthOf, percentOf } from '../../../backtest/report/page/texts.js';
import {
  asNumber,
  asWordedNumber,
  foreignText,
  isPersian,
  numberTag,
  say,
} from '../../../backtest/report/page/words.js';
import { tell } from './study-words.js';

/** What the page of a study draws. See `StudyReportData` for what is sent. */

/**
 * @typedef {import('../report-shapes.ts').StudyReportData} StudyData
 * @typedef {StudyData['figures'][number]} Figure
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
  if (value === null) return say('nothing');
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

/** From here on a number is written with a word: a million. */
const LEAST_IN_WORDS = 1e6;

/**
 * A number with at most four digits that tell something.
 * @param {number} value
 */
export function shortNumber(value) {
  const text = value.toLocaleString(numberTag(), digitsOf(value));
  return Math.abs(value) >= LEAST_IN_WORDS ? asWordedNumber(text) : asNumber(text);
}

/**
 * @param {number} value
 * @returns {Intl.NumberFormatOptions}
 */
function digitsOf(value) {
  const size = Math.abs(value);
  if (size >= LEAST_IN_WORDS) return { notation: 'compact', maximumFractionDigits: 2 };
  if (size >= 100 || Number.isInteger(value)) return { maximumFractionDigits: 0 };
  return size >= 1 ? { maximumFractionDigits: 2 } : { maximumSignificantDigits: 3 };
}

/**
 * A value of a param: a number as it is, of a choice its name.
 * @param {Parameter} parameter
 * @param {number} value
 */
function valueOf({ isChoice, cells }, value) {
  return isChoice ? foreignText(cells[value] ?? '') : plainNumber(value);
}

/**
 * A number in all of its digits, and without separators.
 * @param {number} value
 */
export function plainNumber(value) {
  return isPersian()
    ? asNumber(value.toLocaleString(numberTag(), { useGrouping: false, maximumFractionDigits: 20 }))
    : String(value);
}

/**
 * A trial in lines: its number, its figures and its params.
 * @param {StudyPage} study
 * @param {TrialPoint} trial
 */
export function trialLines({ figures, parameters }, { number, state, figures: found, values, isBest }) {
  return [
    tell(headOf(state, isBest), { number: plainNumber(number) }),
    ...figures.map(({ title, kind }, index) =>
      tell('line.figure', { name: title, value: figureOf(found[index] ?? null, kind) }),
    ),
    ...parameters.flatMap((parameter, index) => {
      const value = values[index] ?? null;
      return value === null
        ? []
        : [tell('line.param', { name: parameter.name, value: valueOf(parameter, value) })];
    }),
  ];
}

/**
 * @param {0 | 1 | 2} state
 * @param {boolean} isBest
 * @returns {import('./study-words.js').StudyTextKey}
 */
function headOf(state, isBest) {
  if (state === 2) return 'trial.failed';
  if (state === 1) return isBest ? 'trial.bestBroken' : 'trial.broken';
  return isBest ? 'trial.best' : 'trial.head';
}
