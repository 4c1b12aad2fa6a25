import { listOf } from '../../../backtest/report/sections/header-sections.ts';
import { escapeHtml } from '../../../backtest/report/value-text.ts';
import { countText, groupedText } from '../../../domain/money-text.ts';
import { minuteText } from '../../../domain/time-text.ts';
import { figureText } from '../../figure-text.ts';
import type { StudyResult } from '../../study-result.ts';
import type { ValidatedStudy } from '../../validated-study.ts';
import { stressTexts } from '../../stress/stress-texts.ts';
import {
  luckText,
  sampleText,
  statisticTexts,
  type StatisticText,
} from '../../validation/statistic-texts.ts';
import type { StudyVerdict } from '../../validation/verdict.ts';

/** The title of a report, and the switch of its theme. */
export function studyHeader({ study, range, strategy, markets, timeframe, fidelity }: StudyResult): string {
  const span = `${minuteText(range.fromMs)} to ${minuteText(range.splitMs)} UTC`;
  const data = fidelity === 'poll' ? 'recorded books' : `candles of ${timeframe}`;
  const what = `Study of ${nameOf(strategy)} on ${markets.join(', ')}, ${data}, trials from ${span}`;
  return `<header><div><h1>${escapeHtml(study)}</h1><p class="muted">${escapeHtml(what)}</p></div>
<button type="button" id="theme">Theme</button></header>`;
}

/** A path by its last part: the whole one is in what was asked. */
const nameOf = (strategy: string): string => strategy.split(/[/\\]/).at(-1) ?? strategy;

/** What is likely luck, what is stable, and what nobody has tested: to be read before any number. */
export function verdictSection({ validation, notes }: ValidatedStudy): string {
  if (validation === null)
    return `<section id="verdict" class="verdict"><h2>Verdict</h2><p>No trial has values.</p>${listOf(notes)}</section>`;
  const { verdict, basis } = validation;
  const { luck, stable, stress, notTested } = verdict;
  const sample = sampleText(basis);
  const reasons = [...luck.reasons, ...(sample === null ? [] : [sample])];
  return `<section id="verdict" class="verdict"><h2>Verdict on trial ${basis.trial}, the best one</h2>
<div class="judged"><div><h3>Luck</h3><p class="word ${toneOf(luck.kind)}" id="luck-word">${sentence(luckText(luck.kind))}</p>${listOf(reasons)}</div>
<div><h3>Stable</h3><p class="word ${toneOf(stable.kind)}" id="stable-word">${sentence(stable.kind)}</p>${listOf([sentence(stable.reason)])}</div>
<div><h3>Under stress</h3><p class="word ${toneOf(stress.kind)}">${sentence(stress.kind)}</p>${listOf(stress.reasons)}</div>
<div><h3>Nobody has tested</h3>${listOf(notTested.map(sentence))}</div></div>
<h3>To know</h3>${listOf(notes)}</section>`;
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

type Word = StudyVerdict['luck' | 'stable' | 'stress']['kind'];

const TONES: Readonly<Record<Word, string>> = {
  'likely luck': 'loss',
  'perhaps luck': 'doubt',
  'unlikely luck': 'gain',
  'not tested': 'doubt',
  plateau: 'gain',
  peak: 'loss',
  holds: 'gain',
  breaks: 'loss',
};

const toneOf = (kind: Word): string => TONES[kind];

/** The figures that are looked at first. */
export function studyTiles(study: ValidatedStudy): string {
  const { best, objectives, counts, wanted, trialsOnData, holdout, range, sampler } = study;
  const failed = counts.done - counts.complete;
  const hasHoldout = range.splitMs < range.toMs;
  const tiles = [
    ...objectives.map(({ metric, direction }) =>
      tile({
        title: `${metric}, ${direction}d`,
        text: figureText(metric, best?.metrics ?? null),
        below: best === null ? 'no trial has values' : `in sample, of trial ${best.number}`,
      }),
    ),
    tile({
      title: 'Trials',
      text: `${groupedText(String(counts.done))} of ${groupedText(String(wanted))}`,
      below: `${groupedText(String(failed))} failed, ${groupedText(String(counts.infeasible))} broke a constraint`,
    }),
    tile({
      title: 'On this data',
      text: groupedText(String(trialsOnData.trials)),
      below: `trials ever, in ${countText(trialsOnData.studies, 'study', 'studies')}`,
    }),
    tile({ title: 'Sampler', text: sampler.kind, below: `seed ${sampler.seed}` }),
    tile({
      title: 'Hold-out',
      text: hasHoldout ? (holdout === null ? 'closed' : 'opened') : 'none',
      below: hasHoldout ? `from ${minuteText(range.splitMs)}` : 'all of the data was seen',
    }),
  ];
  return `<div class="tiles">${tiles.join('')}</div>`;
}

function tile({ title, text, below }: Record<'title' | 'text' | 'below', string>): string {
  return `<div class="tile"><h3>${escapeHtml(title)}</h3><b>${escapeHtml(text)}</b><small>${escapeHtml(below)}</small></div>`;
}

/** Every statistic of luck, with its formula and where that is from. */
export function luckSection({ validation }: ValidatedStudy): string {
  if (validation === null) return '';
  const { basis } = validation;
  const rows = statisticTexts(validation).map(statisticRow);
  return `<section id="luck"><h2>How much of it is luck</h2>
<p class="muted">Statistics of ${countText(basis.days, 'day')} of trial ${basis.trial}, and of ${countText(basis.sampled, 'trial')} tested together. docs/statistics.md says what misleads in each.</p>
${rows.join('\n')}</section>`;
}

/** The best trial with doubled costs, and its trades in other orders; nothing where that was not run. */
export function stressSection({ validation }: ValidatedStudy): string {
  const findings = validation?.stress ?? null;
  if (findings === null) return '';
  const rows = stressTexts(findings).map(
    ({ title, figure, missing }) =>
      `<div><dt>${escapeHtml(sentence(title))}</dt><dd>${escapeHtml(figure ?? `not tested: ${missing}`)}</dd></div>`,
  );
  return `<section id="stress"><h2>Trial ${findings.trial} under stress</h2><dl class="rules">${rows.join('')}</dl></section>`;
}

function statisticRow({ name, title, figure, missing, what, formula, source }: StatisticText): string {
  const found = figure === null ? '<b class="muted">not tested</b>' : `<b>${escapeHtml(figure)}</b>`;
  const why = missing === null ? '' : `<p>${escapeHtml(missing)}</p>`;
  return `<div class="statistic" data-statistic="${name}"><div><h3>${escapeHtml(sentence(title))}</h3>
<p>${escapeHtml(sentence(what))}.</p>${why}<p class="muted"><code>${escapeHtml(formula)}</code><br>${escapeHtml(source)}</p></div>${found}</div>`;
}
