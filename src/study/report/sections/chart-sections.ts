import { groupedText } from '../../../domain/money-text.ts';
import type { StudyReportData } from '../report-shapes.ts';

/** The places of the charts; the page's scripts draw into them. */
export function chartSections(data: StudyReportData): readonly string[] {
  if (data.best === null) return [];
  return [slicesSection(data)];
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
  ].map(([kind = '', text = '']) => `<span class="key-${kind}">${text}</span>`);
  return `<section id="slice-section"><div class="bar"><h2>Each param by itself</h2>
<span><select id="figure" aria-label="Figure"></select></span></div><div class="keys">${keys.join('')}</div>
<p class="muted chart-note">Every dot is a trial: point at it for its params, click to mark it everywhere.${sampleNote(data)}</p><div id="slices" class="pictures"></div>${NO_SCRIPT}</section>`;
}
