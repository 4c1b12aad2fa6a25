import { decimalText } from '../domain/decimal-text.ts';
import { groupedText } from '../domain/money-text.ts';
import type { Currency } from '../domain/market-symbol.ts';
import type { Stretch } from './stretch.ts';
import { studyVoice, type StudyVoice } from './study-voice.ts';
import type { WalkForwardResult } from './walk-forward-result.ts';

/** A column as people read it; words begin at the left, numbers end at the right. */
export interface WalkColumn {
  readonly title: string;
  readonly isWord: boolean;
  /** A cell for each row. */
  readonly cells: readonly string[];
}

/** Figures of the account, beside the objectives. */
const FIGURES = ['totalReturn', 'sharpe', 'maxDrawdown', 'trades', 'profitFactor', 'buyAndHoldReturn'];

/** Returns the choice of each window, and its results in and out of sample: a row for each. */
export function windowTexts(
  { windows, objectives }: WalkForwardResult,
  voice: StudyVoice = studyVoice('en'),
): readonly WalkColumn[] {
  const { say, digits, number, metric, figure, param } = voice;
  const figures = [...new Set([...objectives.slice(0, 1).map(({ metric }) => metric), 'totalReturn'])];
  const names = [...new Set(windows.flatMap(({ params }) => Object.keys(params)))];
  const column = (
    title: string,
    text: (row: WalkForwardResult['windows'][number]) => string,
    isWord = false,
  ): WalkColumn => ({ title, isWord, cells: windows.map(text) });
  return [
    column(say('window.number'), (row) => digits(String(row.number))),
    column(say('window.train'), ({ train }) => stretchText(train, voice), true),
    column(say('window.test'), ({ test }) => stretchText(test, voice), true),
    column(say('window.trial'), ({ trial }) => (trial === null ? say('window.kept') : digits(String(trial)))),
    ...figures.flatMap((name) => [
      column(say('window.inSample', { metric: metric(name) }), ({ inSample }) => figure(name, inSample)),
      column(say('window.outOfSample'), ({ outOfSample }) => figure(name, outOfSample)),
    ]),
    column(say('window.efficiency'), ({ efficiency }) => number(efficiency)),
    column(
      say('window.position'),
      ({ beganExposed }) => say(beganExposed ? 'window.takenOver' : 'window.noPosition'),
      true,
    ),
    ...names.map((name) => column(voice.foreign(name), ({ params }) => param(params[name]))),
  ];
}

/** Returns the changes of each param from window to window: a row for each. */
export function driftTexts(
  { drift, windows }: WalkForwardResult,
  { say, digits, percent, foreign }: StudyVoice = studyVoice('en'),
): readonly WalkColumn[] {
  const borders = windows.length - 1;
  return [
    { title: say('drift.param'), isWord: true, cells: drift.map(({ parameter }) => foreign(parameter)) },
    {
      title: say('drift.changed'),
      isWord: false,
      cells: drift.map(({ changes }) =>
        say('drift.ofBorders', { changes: digits(String(changes)), borders: digits(String(borders)) }),
      ),
    },
    {
      title: say('drift.mean'),
      isWord: false,
      cells: drift.map(({ meanChange }) => percent(meanChange)),
    },
  ];
}

/** The account of all windows, figure by figure; `quote`: its currency, where it is said. */
export function accountTexts(
  { account, objectives, efficiency }: WalkForwardResult,
  voice: StudyVoice = studyVoice('en'),
  quote: Currency | null = null,
): readonly (readonly [name: string, text: string])[] {
  const { say, digits, number, metric, figure } = voice;
  const figures = [...new Set([...objectives.map((objective) => objective.metric), ...FIGURES])];
  const money = (equity: string): string => {
    const text = digits(equityText(equity));
    return quote === null ? text : voice.inUnit(text, quote);
  };
  return [
    [say('account.begins'), money(account.initialEquity)],
    [say('account.ends'), money(account.finalEquity)],
    ...figures.map((name) => [metric(name), figure(name, account.metrics)] as const),
    [say('account.efficiency'), number(efficiency)],
  ];
}

/** The cells of such columns, row by row. */
export const textRows = (columns: readonly WalkColumn[]): readonly (readonly string[])[] =>
  (columns[0]?.cells ?? []).map((_, row) => columns.map(({ cells }) => cells[row] ?? ''));

const stretchText = ({ fromMs, toMs }: Stretch, { say, minute }: StudyVoice): string =>
  say('window.stretch', { from: minute(fromMs), to: minute(toMs) });

const equityText = (equity: string): string => groupedText(decimalText(Number(equity).toFixed(2)));
