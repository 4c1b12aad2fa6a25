import { numberText, percentText } from '../../backtest/report/value-text.ts';
import { minuteText } from '../../domain/time-text.ts';
import { figureText, paramText } from '../../study/figure-text.ts';
import type { WalkForwardResult, WindowRow } from '../../study/walk-forward/walk-forward-result.ts';
import { tableLines, type TableColumn } from '../table.ts';

/** Figures of the account, beside the objectives. */
const FIGURES = ['totalReturn', 'sharpe', 'maxDrawdown', 'trades', 'profitFactor', 'buyAndHoldReturn'];

/** A walk-forward for people. */
export function walkForwardLines(result: WalkForwardResult): readonly string[] {
  const { study, plan, windows, account, trialsAWindow, notes, hash, file } = result;
  const figures = [...new Set([...result.objectives.map(({ metric }) => metric), ...FIGURES])];
  return [
    `${study}: ${windows.length} ${plan.kind} windows, ${trialsAWindow} trials each; what was chosen (${plan.choose}) trades in one account`,
    '',
    ...windowLines(result),
    '',
    ...driftLines(result),
    '',
    ...tableLines(
      [{ title: 'the account, out of sample' }, { title: '', align: 'right' }],
      [
        ['begins with', account.initialEquity],
        ['ends with', account.finalEquity],
        ...figures.map((name) => [name, figureText(name, account.metrics)]),
        ['efficiency, out of over in sample', numberText(result.efficiency)],
      ],
    ),
    '',
    ...notes,
    `hash ${hash}`,
    file,
  ];
}

const right = (title: string): TableColumn => ({ title, align: 'right' });

function windowLines({ windows, objectives }: WalkForwardResult): readonly string[] {
  const figures = [...new Set([...objectives.slice(0, 1).map(({ metric }) => metric), 'totalReturn'])];
  const names = [...new Set(windows.flatMap(({ params }) => Object.keys(params)))];
  return tableLines(
    [
      right('window'),
      { title: 'train' },
      { title: 'test' },
      right('trial'),
      ...figures.flatMap((figure) => [right(`${figure} in`), right('out')]),
      right('efficiency'),
      { title: 'position' },
      ...names.map(right),
    ],
    windows.map((row) => [
      String(row.number),
      stretchText(row.train),
      stretchText(row.test),
      row.trial === null ? 'as before' : String(row.trial),
      ...figures.flatMap((figure) => [figureText(figure, row.inSample), figureText(figure, row.outOfSample)]),
      numberText(row.efficiency),
      row.beganExposed ? 'taken over' : 'none',
      ...names.map((name) => paramText(row.params[name])),
    ]),
  );
}

function driftLines({ drift, windows }: WalkForwardResult): readonly string[] {
  const borders = windows.length - 1;
  return tableLines(
    [
      { title: 'param' },
      { title: 'changed', align: 'right' },
      { title: 'mean change, of its range', align: 'right' },
    ],
    drift.map(({ parameter, changes, meanChange }) => [
      parameter,
      `${changes} of ${borders}`,
      meanChange === null ? 'n/a' : percentText(meanChange),
    ]),
  );
}

const stretchText = ({ fromMs, toMs }: WindowRow['train']): string =>
  `${minuteText(fromMs)} to ${minuteText(toMs)}`;
