import { numberText, percentText } from '../../backtest/report/value-text.ts';
import { decimalText } from '../../domain/decimal-text.ts';
import { groupedText } from '../../domain/money-text.ts';
import { minuteText } from '../../domain/time-text.ts';
import type { Stretch } from '../data/stretch.ts';
import { figureText, paramText } from '../figure-text.ts';
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

/** What each window chose, and what that brought in and out of sample: a row for each. */
export function windowTexts({ windows, objectives }: WalkForwardResult): readonly WalkColumn[] {
  const figures = [...new Set([...objectives.slice(0, 1).map(({ metric }) => metric), 'totalReturn'])];
  const names = [...new Set(windows.flatMap(({ params }) => Object.keys(params)))];
  const column = (
    title: string,
    text: (row: WalkForwardResult['windows'][number]) => string,
    isWord = false,
  ): WalkColumn => ({ title, isWord, cells: windows.map(text) });
  return [
    column('window', ({ number }) => String(number)),
    column('train', ({ train }) => stretchText(train), true),
    column('test', ({ test }) => stretchText(test), true),
    column('trial', ({ trial }) => (trial === null ? 'as before' : String(trial))),
    ...figures.flatMap((figure) => [
      column(`${figure} in`, ({ inSample }) => figureText(figure, inSample)),
      column('out', ({ outOfSample }) => figureText(figure, outOfSample)),
    ]),
    column('efficiency', ({ efficiency }) => numberText(efficiency)),
    column('position', ({ beganExposed }) => (beganExposed ? 'taken over' : 'none'), true),
    ...names.map((name) => column(name, ({ params }) => paramText(params[name]))),
  ];
}

/** How each param moved from window to window: a row for each. */
export function driftTexts({ drift, windows }: WalkForwardResult): readonly WalkColumn[] {
  const borders = windows.length - 1;
  return [
    { title: 'param', isWord: true, cells: drift.map(({ parameter }) => parameter) },
    { title: 'changed', isWord: false, cells: drift.map(({ changes }) => `${changes} of ${borders}`) },
    {
      title: 'mean change, of its range',
      isWord: false,
      cells: drift.map(({ meanChange }) => (meanChange === null ? 'n/a' : percentText(meanChange))),
    },
  ];
}

/** The account of all windows, figure by figure. */
export function accountTexts({
  account,
  objectives,
  efficiency,
}: WalkForwardResult): readonly (readonly [name: string, text: string])[] {
  const figures = [...new Set([...objectives.map(({ metric }) => metric), ...FIGURES])];
  return [
    ['begins with', equityText(account.initialEquity)],
    ['ends with', equityText(account.finalEquity)],
    ...figures.map((name) => [name, figureText(name, account.metrics)] as const),
    ['efficiency, growth out of over in sample', numberText(efficiency)],
  ];
}

/** The cells of such columns, row by row. */
export const textRows = (columns: readonly WalkColumn[]): readonly (readonly string[])[] =>
  (columns[0]?.cells ?? []).map((_, row) => columns.map(({ cells }) => cells[row] ?? ''));

const stretchText = ({ fromMs, toMs }: Stretch): string => `${minuteText(fromMs)} to ${minuteText(toMs)}`;

const equityText = (equity: string): string => groupedText(decimalText(Number(equity).toFixed(2)));
