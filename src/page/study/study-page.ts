import { translateInto } from '../../language/translate.ts';
import {
  asNumber,
  digitsOf,
  foreignText,
  isPersian,
  pageLanguage,
  shownLength,
  shownNumber,
  pictureText,
  pageText,
  shareText,
} from '../report-words.ts';
import type { FigureKind, ReportParameter, StudyReportData, TrialState } from '../study-data.ts';
import { ENGLISH_STUDY_PAGE, PERSIAN_STUDY_PAGE } from '../study-texts.ts';

export const studyText = translateInto<typeof ENGLISH_STUDY_PAGE>(
  pageLanguage,
  isPersian ? PERSIAN_STUDY_PAGE : ENGLISH_STUDY_PAGE,
);

export type Figure = StudyReportData['figures'][number];

/** Trial as charts draw it. */
export interface TrialPoint {
  readonly number: number;
  readonly state: TrialState;
  readonly isDrawn: boolean;
  readonly isNear: boolean;
  readonly isFront: boolean;
  readonly isBest: boolean;
  /** Values by parameter; `figures` are by metric. */
  readonly values: readonly (number | null)[];
  readonly figures: readonly (number | null)[];
}

/** Data of a study, as its charts need it. */
export interface StudyPage extends StudyReportData {
  readonly points: readonly TrialPoint[];
}

export function unpackStudy(sent: StudyReportData): StudyPage {
  const { trials, best } = sent;
  const points = trials.number.map((number, place) => ({
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

/** State of a study's page: the metric and the trial that the reader has chosen. */
export interface StudyView {
  readonly study: StudyPage;
  readonly figure: number;
  readonly chosen: number | null;
  readonly choose: (number: number) => void;
}

export function figureText(value: number | null, kind: FigureKind): string {
  if (value === null) return pageText('nothing');
  if (kind === 'fraction') return shareText(value);
  return kind === 'length' ? shownLength(value) : shortNumber(value);
}

/** True if less is better: as the objective says, or for the drawdown; otherwise more is better. */
export function isLessBetter({ name, direction }: Figure): boolean {
  return direction === null ? name === 'maxDrawdown' : direction === 'minimize';
}

/** Number from which a word shortens it: one million. */
const LEAST_IN_WORDS = 1e6;

/** Formats a number with few decimals; from a million on, a word shortens it. */
export function shortNumber(value: number, digitsMore = 0): string {
  const size = Math.abs(value);
  if (size >= LEAST_IN_WORDS)
    return pictureText(digitsOf(value, { notation: 'compact', maximumFractionDigits: 2 + digitsMore }));
  if (size >= 100 || Number.isInteger(value))
    return shownNumber(value, { maximumFractionDigits: digitsMore });
  const digits = size >= 1 ? { maximumFractionDigits: 2 } : { maximumSignificantDigits: 3 };
  return shownNumber(value, digitsMore === 0 ? digits : { maximumSignificantDigits: 5 + digitsMore });
}

/** Formats a number of percent on an axis. */
export function percentTick(percent: number, digitsMore = 0): string {
  const number = shortNumber(percent, digitsMore);
  return isPersian ? asNumber(`${number}٪`) : `${number} %`;
}

/** Formats a number with all its digits, without separators. */
export function allDigits(value: number): string {
  return isPersian ? shownNumber(value, { useGrouping: false, maximumFractionDigits: 20 }) : String(value);
}

/** Formats a value of a param: a number, or the name of a choice. */
const valueText = ({ isChoice, cells }: ReportParameter, value: number): string =>
  isChoice ? foreignText(cells[value] ?? '') : allDigits(value);

/** Returns a trial as lines of text: its number, metrics and params. */
export function trialLines({ figures, parameters }: StudyPage, trial: TrialPoint): readonly string[] {
  const number = allDigits(trial.number);
  return [
    studyText(headOf(trial), { number }),
    ...figures.map(({ title, kind }, index) =>
      studyText('line.figure', { name: title, value: figureText(trial.figures[index] ?? null, kind) }),
    ),
    ...parameters.flatMap((parameter, index) => {
      const value = trial.values[index] ?? null;
      if (value === null) return [];
      return [studyText('line.param', { name: parameter.name, value: valueText(parameter, value) })];
    }),
  ];
}

function headOf({ state, isBest }: TrialPoint) {
  if (state === 2) return 'trial.failed';
  if (state === 1) return isBest ? 'trial.bestBroken' : 'trial.broken';
  return isBest ? 'trial.best' : 'trial.head';
}
