import { stringify } from 'yaml';
import { escapeHtml } from '../../../backtest/value-text.ts';
import { tableSection } from '../../../backtest/table-section.ts';
import type { SignalSet } from '../../data-set.ts';
import { readHoldoutReport, type HoldoutReport, trialCount, type StudyResult } from '../../study-result.ts';
import type { StudyVoice } from '../../study-voice.ts';
import type { ReportedStudy } from '../../validated-study.ts';

/** Settings of more characters of YAML are cut on the page. */
const MOST_SETTINGS = 100_000;

/** Figures that are compared beside the objectives. */
const FIGURES = ['totalReturn', 'sharpe', 'maxDrawdown', 'trades', 'profitFactor', 'buyAndHoldReturn'];

/** Returns the best params' results on candles that no trial has seen; nothing if the hold-out is closed. */
export function holdoutSection(study: StudyResult, voice: StudyVoice): string {
  const { holdout, trials, objectives, range } = study;
  if (holdout === null) return '';
  const { say, tell, digits, minute, metric: nameIn, figure } = voice;
  const { openedAtMs, afterTrials, trial: number } = holdout;
  const report = readHoldoutReport(holdout.report, range);
  const when = say('holdout.note', {
    trial: digits(String(number)),
    from: minute(range.splitMs),
    to: minute(range.toMs),
    time: minute(openedAtMs),
    trials: tell(trialCount(afterTrials)),
  });
  const trial = trials.find((one) => one.number === number) ?? null;
  const found = report?.kind === 'ran' ? report.metrics : null;
  const names = [...new Set([...objectives.map(({ metric }) => metric), ...FIGURES])];
  return tableSection({
    id: 'holdout',
    title: say('holdout.title'),
    note: `${when}${whyMissing(report, voice)}`,
    titles: [say('holdout.figure'), say('holdout.inTrials'), say('holdout.inHoldout')],
    rows: names.map((name) => [nameIn(name), figure(name, trial?.metrics ?? null), figure(name, found)]),
  });
}

/** Returns the reason there are no hold-out figures, after a blank; nothing if there are. */
function whyMissing(report: HoldoutReport | null, { say }: StudyVoice): string {
  if (report === null) return ` ${say('holdout.notRun', { command: 'sarraf study open-holdout' })}`;
  return report.kind === 'ran' ? '' : ` ${say('holdout.failed', { reason: report.reason })}`;
}

/** Returns the description of the study: its settings, and the identifiers of its data and code. */
export function askedSection({ study, identity, written }: ReportedStudy, voice: StudyVoice): string {
  const { say } = voice;
  const known = [
    [say('asked.study'), identity.id],
    [say('asked.hash'), study.hash],
    [say('asked.code'), identity.code],
    [say('asked.version'), identity.engine],
    ...study.data.map((set) => [dataText(set, voice), set.sha256]),
    ...(study.signals === null ? [] : [[signalsText(study.signals, voice), study.signals.sha256]]),
    [say('asked.file'), study.file],
  ].map(([name = '', value = '']) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`);
  const text = stringify(written);
  const shown =
    text.length <= MOST_SETTINGS ? text : `${text.slice(0, MOST_SETTINGS)}\n# ... the rest is in the study`;
  return `<section id="asked"><h2>${say('asked.title')}</h2><dl class="rules hashes">${known.join('')}</dl>
<h3>${say('asked.settings')}</h3><pre>${escapeHtml(shown)}</pre></section>`;
}

function dataText(set: StudyResult['data'][number], { say, count, minute, timeframe }: StudyVoice): string {
  const { market, kind, bars, firstMs, lastMs } = set;
  const of = { rows: count(bars), market, from: minute(firstMs), to: minute(lastMs) };
  return set.timeframe === null
    ? say('asked.data', { ...of, kind: say(`data.${kind}`) })
    : say('asked.candles', { ...of, timeframe: timeframe(set.timeframe) });
}

function signalsText(set: SignalSet, { say, minute }: StudyVoice): string {
  const { count, firstMs, lastMs } = set;
  return count === 0
    ? say('asked.noSignals')
    : say('asked.signals', { count, from: minute(firstMs), to: minute(lastMs) });
}
