import type { StudyVoice } from '../../study-voice.ts';
import type { StudyReportData } from '../../../page/study-data.ts';
import { TRIALS_FILE } from './trial-sections.ts';

/** The places of the charts; the page's scripts draw into them. */
export function chartSections(data: StudyReportData, voice: StudyVoice): readonly string[] {
  if (data.best === null) return [];
  const objectives = data.figures.filter(({ direction }) => direction !== null).length;
  return [
    ...(objectives > 1 ? [paretoSection(data, voice)] : []),
    slicesSection(data, voice),
    ...(data.parameters.length > 1 ? [heatSection(data, voice), parallelSection(voice)] : []),
  ];
}

/** Returns a note on the trials shown in the charts, after a blank; nothing if all are shown. */
function sampleNote({ all, trials }: StudyReportData, { say, count }: StudyVoice): string {
  const shown = trials.number.length;
  if (shown === all) return '';
  const drawn = trials.isDrawn.reduce<number>((sum, flag) => sum + flag, 0);
  const of = { all: count(all), shown: count(shown), drawn: count(drawn), file: TRIALS_FILE };
  return ` ${say('charts.sample', of)}`;
}

type Key = 'best' | 'near' | 'plateau' | 'other' | 'broken' | 'failed' | 'chosen' | 'front';

/** Returns the legend of a chart's colours. */
function keysOf(
  keys: readonly Key[],
  { say }: StudyVoice,
  best: 'key.best' | 'key.bestByFirst' = 'key.best',
): string {
  return keys
    .map((key) => `<span class="key-${key}">${say(key === 'best' ? best : `key.${key}`)}</span>`)
    .join('');
}

function slicesSection(data: StudyReportData, voice: StudyVoice): string {
  const { say } = voice;
  const { trials, plateau } = data;
  const has = (state: number): boolean => trials.state.some((one) => one === state);
  const keys: readonly Key[] = [
    'best',
    ...(plateau === null ? [] : (['near', 'plateau'] as const)),
    'other',
    ...(has(1) ? (['broken'] as const) : []),
    ...(has(2) ? (['failed'] as const) : []),
    'chosen',
  ];
  const noScript = say('charts.noScript', { file: TRIALS_FILE });
  return `<section id="slice-section"><div class="bar"><h2>${say('slices.title')}</h2>
<span><select id="figure" aria-label="${say('slices.figure')}"></select></span></div><div class="keys">${keysOf(keys, voice)}</div>
<p class="muted chart-note">${say('slices.note')}${sampleNote(data, voice)}</p><div id="slices" class="pictures"></div><noscript>${noScript}</noscript></section>`;
}

function paretoSection(data: StudyReportData, voice: StudyVoice): string {
  const { say } = voice;
  const objectives = data.figures.filter(({ direction }) => direction !== null).length;
  const choice =
    objectives > 2
      ? `<span><select id="pareto-across" aria-label="${say('pareto.across')}"></select><select id="pareto-up" aria-label="${say('pareto.up')}"></select></span>`
      : '';
  const keys: readonly Key[] = [
    'best',
    'front',
    'other',
    ...(data.trials.state.includes(1) ? (['broken'] as const) : []),
  ];
  return `<section id="pareto-section"><div class="bar"><h2>${say('pareto.title')}</h2>${choice}</div>
<div class="keys">${keysOf(keys, voice, 'key.bestByFirst')}</div>
<p class="muted chart-note">${say('pareto.note')}${sampleNote(data, voice)}</p><div id="pareto" class="pictures"></div></section>`;
}

function heatSection({ trials }: StudyReportData, { say }: StudyVoice): string {
  const isSample = trials.isDrawn.includes(0);
  const note = say(isSample ? 'heat.noteOfSample' : 'heat.note');
  return `<section id="heat-section"><div class="bar"><h2>${say('heat.title')} <b class="of-figure"></b></h2>
<span><select id="heat-across" aria-label="${say('heat.across')}"></select><select id="heat-up" aria-label="${say('heat.up')}"></select></span></div>
<p class="muted chart-note">${note}</p><div id="heat" class="pictures"></div></section>`;
}

function parallelSection({ say }: StudyVoice): string {
  return `<section id="parallel-section"><h2>${say('parallel.title')} <b class="of-figure"></b></h2>
<p class="muted chart-note">${say('parallel.note')}</p><div id="parallel" class="scroll" tabindex="0" role="region" aria-label="${say('parallel.label')}"></div></section>`;
}
