import { listOf } from '../../../backtest/header-sections.ts';
import { capitalized, escapeHtml } from '../../../backtest/value-text.ts';
import type { StudyResult } from '../../study-result.ts';
import type { ValidatedStudy } from '../../validated-study.ts';
import { stressTexts, sampleFinding, statisticTexts, type StatisticText } from '../../study-texts.ts';
import { finding } from '../../study-fact.ts';
import type { StudyVoice } from '../../study-voice.ts';
import type { StudyVerdict } from '../../validation/verdict.ts';

/** The title of a report, and the switch of its theme. */
export function studyHeader(study: StudyResult, voice: StudyVoice): string {
  const { say, minute, list, foreign } = voice;
  const { range, strategy, markets, timeframe, fidelity } = study;
  const what = say('header', {
    strategy: nameOf(strategy),
    markets: list(markets.map(foreign)),
    data:
      fidelity === 'poll'
        ? say('header.books')
        : say('header.candles', { timeframe: voice.timeframe(timeframe) }),
    from: minute(range.fromMs),
    to: minute(range.splitMs),
  });
  return `<header><div><h1>${escapeHtml(foreign(study.study))}</h1><p class="muted">${escapeHtml(what)}</p></div>
<button type="button" id="theme">${say('theme')}</button></header>`;
}

/** A path by its last part: the whole one is in what was asked. */
const nameOf = (strategy: string): string => strategy.split(/[/\\]/).at(-1) ?? strategy;

/** Returns the section on likely luck, stability and untested points: to be read before any number. */
export function verdictSection({ validation, notes }: ValidatedStudy, voice: StudyVoice): string {
  const { say, tell, digits } = voice;
  const toKnow = listOf(notes.map(tell));
  if (validation === null)
    return `<section id="verdict" class="verdict"><h2>${say('verdict')}</h2><p>${say('verdict.none')}</p>${toKnow}</section>`;
  const { verdict, basis } = validation;
  const { luck, stable, stress, notTested } = verdict;
  const sample = sampleFinding(basis);
  const reasons = [...luck.reasons, ...(sample === null ? [] : [sample])];
  const title = say('verdict.of', { trial: digits(String(basis.trial)) });
  return `<section id="verdict" class="verdict"><h2>${title}</h2>
<div class="judged"><div><h3>${say('verdict.luck')}</h3>${word(luck.kind, say(`luck.${luck.kind}`), ' id="luck-word"')}${listOf(reasons.map(tell))}</div>
<div><h3>${say('verdict.stable')}</h3>${word(stable.kind, say(`stable.${stable.kind}`), ' id="stable-word"')}${listOf([capitalized(tell(stable.reason))])}</div>
<div><h3>${say('verdict.stress')}</h3>${word(stress.kind, say(`stress.${stress.kind}`))}${listOf(stress.reasons.map(tell))}</div>
<div><h3>${say('verdict.untested')}</h3>${listOf(notTested.map((what) => capitalized(tell(what))))}</div></div>
<h3>${say('toKnow')}</h3>${toKnow}</section>`;
}

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

const word = (kind: Word, text: string, id = ''): string =>
  `<p class="word ${TONES[kind]}"${id}>${capitalized(text)}</p>`;

/** The figures that are looked at first. */
export function studyTiles(study: ValidatedStudy, voice: StudyVoice): string {
  const { say, tell, count, digits, metric: nameIn, figure, minute } = voice;
  const { best, objectives, counts, wanted, trialsOnData, holdout, range, sampler } = study;
  const hasHoldout = range.splitMs < range.toMs;
  const tiles = [
    ...objectives.map(({ metric, direction }) =>
      studyTile({
        title: say(`tile.${direction}d`, { metric: nameIn(metric) }),
        text: figure(metric, best?.metrics ?? null),
        below:
          best === null ? say('tile.noValues') : say('tile.inSample', { trial: digits(String(best.number)) }),
      }),
    ),
    studyTile({
      title: say('tile.trials'),
      text: say('tile.done', { done: count(counts.done), wanted: count(wanted) }),
      below: say('tile.failed', {
        failed: count(counts.done - counts.complete),
        broken: count(counts.infeasible),
      }),
    }),
    studyTile({
      title: say('tile.onData'),
      text: count(trialsOnData.trials),
      below: say('tile.studies', {
        studies: tell(finding('count.studies', { count: trialsOnData.studies })),
      }),
    }),
    studyTile({
      title: say('tile.sampler'),
      text: voice.foreign(sampler.kind),
      below: say('tile.seed', { seed: digits(String(sampler.seed)) }),
    }),
    studyTile({
      title: say('tile.holdout'),
      text: say(hasHoldout ? (holdout === null ? 'tile.closed' : 'tile.opened') : 'tile.none'),
      below: hasHoldout ? say('tile.from', { time: minute(range.splitMs) }) : say('tile.allSeen'),
    }),
  ];
  return `<div class="tiles">${tiles.join('')}</div>`;
}

function studyTile({ title, text, below }: Record<'title' | 'text' | 'below', string>): string {
  return `<div class="tile"><h3>${escapeHtml(title)}</h3><b>${escapeHtml(text)}</b><small>${escapeHtml(below)}</small></div>`;
}

/** Every statistic of luck, with its formula and where that is from. */
export function luckSection({ validation }: ValidatedStudy, voice: StudyVoice): string {
  if (validation === null) return '';
  const { say, tell, digits } = voice;
  const { basis } = validation;
  const note = say('luck.note', {
    days: tell(finding('count.days', { count: basis.days })),
    trial: digits(String(basis.trial)),
    trials: tell(finding('count.trials', { count: basis.sampled })),
    page: 'docs/statistics.md',
  });
  const rows = statisticTexts(validation, voice).map((one) => statisticRow(one, voice));
  return `<section id="luck"><h2>${say('luck.title')}</h2>
<p class="muted">${escapeHtml(note)}</p>
${rows.join('\n')}</section>`;
}

/** The best trial with doubled costs, and its trades in other orders; nothing where that was not run. */
export function stressSection({ validation }: ValidatedStudy, voice: StudyVoice): string {
  const findings = validation?.stress ?? null;
  if (findings === null) return '';
  const { say, digits } = voice;
  const rows = stressTexts(findings, voice).map(({ title, figure, missing }) => {
    const text = figure ?? say('notTestedWhy', { why: missing ?? '' });
    return `<div><dt>${escapeHtml(capitalized(title))}</dt><dd>${escapeHtml(text)}</dd></div>`;
  });
  const title = say('conditions.title', { trial: digits(String(findings.trial)) });
  return `<section id="stress"><h2>${title}</h2><dl class="rules">${rows.join('')}</dl></section>`;
}

/** Formulas and sources are those of the docs, so that a reader finds them there. */
function statisticRow(of: StatisticText, { say }: StudyVoice): string {
  const { name, title, figure, missing, what, formula, source } = of;
  const found = figure === null ? `<b class="muted">${say('notTested')}</b>` : `<b>${escapeHtml(figure)}</b>`;
  const why = missing === null ? '' : `<p>${escapeHtml(missing)}</p>`;
  return `<div class="statistic" data-statistic="${name}"><div><h3>${escapeHtml(capitalized(title))}</h3>
<p>${escapeHtml(capitalized(what))}.</p>${why}<p class="muted"><code>${escapeHtml(formula)}</code><br><cite>${escapeHtml(source)}</cite></p></div>${found}</div>`;
}
