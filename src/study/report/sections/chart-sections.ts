import { groupedText } from '../../../domain/money-text.ts';
import type { StudyReportData } from '../report-shapes.ts';

/** The places of the charts; the page's scripts draw into them. */
export function chartSections(data: StudyReportData): readonly string[] {
  if (data.best === null) return [];
  const objectives = data.figures.filter(({ direction }) => direction !== null).length;
  return [
    ...(objectives > 1 ? [paretoSection(data)] : []),
    slicesSection(data),
    ...(data.parameters.length > 1 ? [heatSection(data), parallelSection()] : []),
  ];
}

/** Which trials the charts have; nothing where they have all. */
function sampleNote({ all, trials }: StudyReportData): string {
  const shown = trials.number.length;
  if (shown === all) return '';
  const drawn = trials.isDrawn.reduce<number>((sum, flag) => sum + flag, 0);
  return ` Of ${groupedText(String(all))} trials the charts have ${groupedText(String(shown))}: ${groupedText(String(drawn))} drawn by the study's id, and the best ones. trials.parquet has all.`;
}

const NO_SCRIPT =
  '<noscript>The charts need JavaScript; trials.parquet beside this page has the same.</noscript>';

/** What the colours of a chart mean. */
function keysOf(keys: readonly (readonly string[])[]): string {
  return keys.map(([kind = '', text = '']) => `<span class="key-${kind}">${text}</span>`).join('');
}

function slicesSection(data: StudyReportData): string {
  const { trials, plateau } = data;
  const has = (state: number): boolean => trials.state.some((one) => one === state);
  const keys = [
    ['best', 'best trial'],
    ...(plateau === null
      ? []
      : [
          ['near', 'its neighbours'],
          ['plateau', 'where neighbours may be'],
        ]),
    ['other', 'other trials'],
    ...(has(1) ? [['broken', 'breaks constraints']] : []),
    ...(has(2) ? [['failed', 'failed, on the floor']] : []),
    ['chosen', 'the one that you choose'],
  ];
  return `<section id="slice-section"><div class="bar"><h2>Each param by itself</h2>
<span><select id="figure" aria-label="Figure"></select></span></div><div class="keys">${keysOf(keys)}</div>
<p class="muted chart-note">Every dot is a trial: point at it for its params, click to mark it everywhere.${sampleNote(data)}</p><div id="slices" class="pictures"></div>${NO_SCRIPT}</section>`;
}

function paretoSection(data: StudyReportData): string {
  const objectives = data.figures.filter(({ direction }) => direction !== null).length;
  const choice =
    objectives > 2
      ? '<span><select id="pareto-across" aria-label="Across"></select><select id="pareto-up" aria-label="Up"></select></span>'
      : '';
  const keys = [
    ['best', 'best by the first objective'],
    ['front', 'on the front'],
    ['other', 'other trials'],
    ...(data.trials.state.includes(1) ? [['broken', 'breaks constraints']] : []),
  ];
  return `<section id="pareto-section"><div class="bar"><h2>Pareto front</h2>${choice}</div>
<div class="keys">${keysOf(keys)}</div>
<p class="muted chart-note">No other trial is better than those on the front in one objective and worse in none.${sampleNote(data)}</p><div id="pareto" class="pictures"></div></section>`;
}

function heatSection({ trials }: StudyReportData): string {
  const isSample = trials.isDrawn.includes(0);
  const which = isSample ? "trials that the study's id drew" : 'trials';
  return `<section id="heat-section"><div class="bar"><h2>Two params together: <b class="of-figure"></b></h2>
<span><select id="heat-across" aria-label="Param across"></select><select id="heat-up" aria-label="Param up"></select></span></div>
<p class="muted chart-note">The median of the ${which} in each cell, of those that hold every constraint; the stronger the colour, the better. An empty cell has none.</p><div id="heat" class="pictures"></div></section>`;
}

function parallelSection(): string {
  return `<section id="parallel-section"><h2>All params together: <b class="of-figure"></b></h2>
<p class="muted chart-note">Every line is a trial. The best tenth is drawn stronger, the best trial strongest.</p><div id="parallel" class="scroll" tabindex="0" role="region" aria-label="All params together"></div></section>`;
}
