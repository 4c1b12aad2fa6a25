import { escapeHtml, numberText, percentText } from '../../../backtest/report/value-text.ts';
import { listOf } from '../../../backtest/report/sections/header-sections.ts';
import { tableSection } from '../../../backtest/report/sections/table-section.ts';
import { groupedText } from '../../../domain/money-text.ts';
import { minuteText } from '../../../domain/time-text.ts';
import { figureText, paramText } from '../../figure-text.ts';
import type { Stretch } from '../../data/stretch.ts';
import type { WalkForwardResult } from '../../walk-forward/walk-forward-result.ts';
import type { ReportedWalk } from '../reported-study.ts';

/** Figures of the account, beside the objectives. */
const FIGURES = ['totalReturn', 'sharpe', 'maxDrawdown', 'trades', 'profitFactor', 'buyAndHoldReturn'];

/** The walk-forward: its account with its windows, each window, and how params moved. */
export function walkSections(walk: ReportedWalk | null): readonly string[] {
  if (walk === null) return [];
  if (walk.kind === 'unknown')
    return [
      `<section id="walk" class="warnings"><h2>Walk-forward</h2><p>One was run, and can not be shown here: ${escapeHtml(walk.reason)}</p></section>`,
    ];
  return [
    accountSection(walk.result),
    againstSection(),
    windowsSection(walk.result),
    driftSection(walk.result),
  ];
}

function accountSection({
  plan,
  windows,
  account,
  objectives,
  efficiency,
  notes,
  hash,
}: WalkForwardResult): string {
  const names = [...new Set([...objectives.map(({ metric }) => metric), ...FIGURES])];
  const rows = [
    ['begins with', groupedText(account.initialEquity)],
    ['ends with', groupedText(account.finalEquity)],
    ...names.map((name) => [name, figureText(name, account.metrics)]),
    ['efficiency', numberText(efficiency)],
  ].map(([name = '', text = '']) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(text)}</dd></div>`);
  const what = `${windows.length} ${plan.kind} windows. One account trades each of them with what was chosen (${plan.choose}) before it: bands are windows, the dashed line is what it began with. Its efficiency is growth out of sample over growth in sample.`;
  return `<section id="walk"><h2>Walk-forward: the account, out of sample</h2><p class="muted chart-note">${escapeHtml(what)}</p>
<div id="equity"></div><dl class="account">${rows.join('')}</dl><h3>To know</h3>${listOf([...notes, `Hash ${hash}`])}</section>`;
}

function againstSection(): string {
  return `<section id="against"><div class="bar"><h2>In sample against out of sample</h2>
<span><select id="walk-figure" aria-label="Figure of the walk-forward"></select></span></div>
<p class="muted chart-note">Every dot is a window. On the line it did as well out of sample as in its train window; below the line less.</p><div id="in-out" class="pictures"></div></section>`;
}

function windowsSection({ windows, objectives }: WalkForwardResult): string {
  const figures = [...new Set([...objectives.slice(0, 1).map(({ metric }) => metric), 'totalReturn'])];
  const names = [...new Set(windows.flatMap(({ params }) => Object.keys(params)))];
  return tableSection({
    id: 'windows',
    title: 'Windows',
    note: 'Each was chosen in its train window, and traded in its test window. Times are UTC.',
    titles: [
      'Window',
      'Train',
      'Test',
      'Trial',
      ...figures.flatMap((figure) => [`${figure} in`, 'out']),
      'Efficiency',
      'Position',
      ...names,
    ].map(escapeHtml),
    rows: windows.map((row) => [
      String(row.number),
      stretchText(row.train),
      stretchText(row.test),
      row.trial === null ? 'as before' : String(row.trial),
      ...figures.flatMap((figure) => [figureText(figure, row.inSample), figureText(figure, row.outOfSample)]),
      numberText(row.efficiency),
      row.beganExposed ? 'taken over' : 'none',
      ...names.map((name) => paramText(row.params[name])),
    ]),
  });
}

function driftSection({ drift, windows }: WalkForwardResult): string {
  return tableSection({
    id: 'drift',
    title: 'How params moved',
    note: 'From window to window. A param that jumps back and forth decides little, or was fitted to noise.',
    titles: ['Param', 'Changed', 'Mean change, of its range', 'Values'],
    rows: drift.map(({ parameter, changes, meanChange, values }) => [
      parameter,
      `${changes} of ${windows.length - 1}`,
      meanChange === null ? 'n/a' : percentText(meanChange),
      values.map((value) => (value === null ? 'none' : String(value))).join(', '),
    ]),
  });
}

const stretchText = ({ fromMs, toMs }: Stretch): string => `${minuteText(fromMs)} to ${minuteText(toMs)}`;
