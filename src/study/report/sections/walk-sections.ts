import { escapeHtml } from '../../../backtest/report/value-text.ts';
import { listOf } from '../../../backtest/report/sections/header-sections.ts';
import { tableSection } from '../../../backtest/report/sections/table-section.ts';
import type { WalkForwardResult } from '../../walk-forward/walk-forward-result.ts';
import {
  accountTexts,
  driftTexts,
  textRows,
  windowTexts,
  type WalkColumn,
} from '../../walk-forward/walk-texts.ts';
import type { ReportedWalk } from '../reported-study.ts';

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

function accountSection(result: WalkForwardResult): string {
  const { plan, windows, notes, hash } = result;
  const rows = accountTexts(result).map(
    ([name, text]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(text)}</dd></div>`,
  );
  const what = `${windows.length} ${plan.kind} windows. One account trades each of them with what was chosen (${plan.choose}) before it: bands are windows, the dashed line is what it began with.`;
  return `<section id="walk"><h2>Walk-forward: the account, out of sample</h2><p class="muted chart-note">${escapeHtml(what)}</p>
<div id="equity"></div><dl class="account">${rows.join('')}</dl><h3>To know</h3>${listOf([...notes, `Hash ${hash}`])}</section>`;
}

function againstSection(): string {
  return `<section id="against"><div class="bar"><h2>In sample against out of sample</h2>
<span><select id="walk-figure" aria-label="Figure of the walk-forward"></select></span></div>
<p class="muted chart-note">Every dot is a window. On the line it did as well out of sample as in its train window; below the line less.</p><div id="in-out" class="pictures"></div></section>`;
}

function windowsSection(result: WalkForwardResult): string {
  const columns = windowTexts(result);
  return tableSection({
    id: 'windows',
    title: 'Windows',
    note: 'Each was chosen in its train window, and traded in its test window. Times are UTC.',
    titles: titlesOf(columns),
    rows: textRows(columns),
  });
}

function driftSection(result: WalkForwardResult): string {
  const values = result.drift.map((drift) =>
    drift.values.map((value) => (value === null ? 'none' : String(value))).join(', '),
  );
  const columns = [...driftTexts(result), { title: 'values', isWord: true, cells: values }];
  return tableSection({
    id: 'drift',
    title: 'How params moved',
    note: 'From window to window. A param that jumps back and forth decides little, or was fitted to noise.',
    titles: titlesOf(columns),
    rows: textRows(columns),
  });
}

const titlesOf = (columns: readonly WalkColumn[]): readonly string[] =>
  columns.map(({ title }) => escapeHtml(title));
