import { dataSetText } from '../../data/data-set.ts';
import { stringify } from 'yaml';
import { escapeHtml } from '../../../backtest/report/value-text.ts';
import { tableSection } from '../../../backtest/report/sections/table-section.ts';
import { groupedText } from '../../../domain/money-text.ts';
import { minuteText } from '../../../domain/time-text.ts';
import { figureText } from '../../figure-text.ts';
import { readHoldoutReport } from '../../holdout-report.ts';
import type { StudyResult } from '../../study-result.ts';
import type { ReportedStudy } from '../reported-study.ts';

/** Settings of more characters of YAML are cut on the page. */
const MOST_SETTINGS = 100_000;

/** Figures that are compared beside the objectives. */
const FIGURES = ['totalReturn', 'sharpe', 'maxDrawdown', 'trades', 'profitFactor', 'buyAndHoldReturn'];

/** What the best params did on candles that no trial has seen; nothing where it is closed. */
export function holdoutSection({ holdout, trials, objectives, range }: StudyResult): string {
  if (holdout === null) return '';
  const { openedAtMs, afterTrials, trial: number } = holdout;
  const report = readHoldoutReport(holdout.report);
  const span = `${minuteText(range.splitMs)} to ${minuteText(range.toMs)}`;
  const when = `Trial ${number} on ${span}, opened on ${minuteText(openedAtMs)} UTC after ${groupedText(String(afterTrials))} trials. It is spent: what is chosen after a look at it was not tested on new data.`;
  const trial = trials.find((one) => one.number === number) ?? null;
  const found = report?.kind === 'ran' ? report.metrics : null;
  const names = [...new Set([...objectives.map(({ metric }) => metric), ...FIGURES])];
  const missing =
    report === null
      ? ' Its run did not end: "sarraf study open-holdout" runs it.'
      : report.kind === 'failed'
        ? ` Its run failed: ${report.reason}`
        : '';
  return tableSection({
    id: 'holdout',
    title: 'Hold-out',
    note: `${when}${missing}`,
    titles: ['Figure', 'In the trials', 'In the hold-out'],
    rows: names.map((name) => [name, figureText(name, trial?.metrics ?? null), figureText(name, found)]),
  });
}

/** What the study is: its settings, and what its data and its code were known by. */
export function askedSection({ study, identity, written }: ReportedStudy): string {
  const known = [
    ['Study', identity.id],
    ['Hash of it with all trials', study.hash],
    ['Code of the strategy', identity.code],
    ['Version of sarraf', identity.engine],
    ...study.data.map((set) => [
      `${dataSetText(set)}, ${minuteText(set.firstMs)} to ${minuteText(set.lastMs)}`,
      set.sha256,
    ]),
    ['File', study.file],
  ].map(([name = '', value = '']) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`);
  const text = stringify(written);
  const shown =
    text.length <= MOST_SETTINGS ? text : `${text.slice(0, MOST_SETTINGS)}\n# ... the rest is in the study`;
  return `<section id="asked"><h2>What was asked</h2><dl class="rules hashes">${known.join('')}</dl>
<h3>Settings</h3><pre>${escapeHtml(shown)}</pre></section>`;
}
