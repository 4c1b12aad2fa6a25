import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { IS_BUNDLE, ownFolder } from '../plugins/own-files.ts';
import type { Language } from '../language/locale.ts';
import { escapeHtml } from './value-text.ts';
import type { FinishedRun } from './finish-run.ts';
import type { ResultHead } from './result-schema.ts';
import { figureGroups } from './summary-lines.ts';
import type { ReportVoice } from './report-voice.ts';

/** Content policy of a report: only what the file contains runs or loads, so it opens offline, untracked. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

/** Level of gzip. The highest level takes ten times as long, for a file that is 5 % smaller. */
const PACKING = 4;

/** Parts of a report page. */
interface HtmlPage {
  readonly language: Language;
  readonly title: string;
  readonly header: string;
  readonly main: readonly string[];
  readonly footer: string;
  /** JSON for the script, which reads it from the element `data`, compressed. */
  readonly data: unknown;
  /** Style sheets, by file name in `src/page/`. */
  readonly styles: readonly string[];
  /** Script, by the folder of `src/page/` that it is built from. */
  readonly script: ReportScript;
}

/** Writes a report as one HTML file that contains its data and script. */
export function htmlPage({ language, title, header, main, footer, data, styles, script }: HtmlPage): string {
  const packed = gzipSync(JSON.stringify(data), { level: PACKING }).toString('base64');
  // Text of the script that would end its element early is escaped.
  return `<!doctype html>
<html lang="${language}"${language === 'fa' ? ' dir="rtl"' : ''} data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escapeHtml(title)}</title>
<style>${styles.map(pageFile).join('\n')}</style>
</head>
<body>
${header}
<main>
${main.join('\n')}
</main>
<footer><p>${footer}</p></footer>
<script type="text/plain" id="data">${packed}</script>
<script>${reportScript(script).replaceAll('</script', String.raw`<\/script`)}</script>
</body>
</html>
`;
}

type ReportScript = 'run' | 'study';

let built: Readonly<Record<ReportScript, string>> | null = null;

/**
 * Returns the script of a report. A bundle contains it; a checkout builds it from its sources once per
 * process, so that no page has a script older than its data. A job of the lab may begin no process, and gets
 * them in a file.
 */
function reportScript(name: ReportScript): string {
  if (IS_BUNDLE) return pageFile(`${name}.js`);
  const { SARRAF_REPORT_SCRIPTS: file } = process.env;
  built ??= JSON.parse(
    file === undefined
      ? execFileSync(process.execPath, [join(ownFolder('page'), 'build-reports.mjs')], { encoding: 'utf8' })
      : readFileSync(file, 'utf8'),
  ) as Readonly<Record<ReportScript, string>>;
  return built[name];
}

const pageFile = (name: string): string => readFileSync(join(ownFolder('page'), name), 'utf8');

/** Writes a section with a title, a note and a table that scrolls if it is long. */
export function tableSection(of: {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
}): string {
  const { id, title, note, titles, rows } = of;
  const head = titles.map((text) => `<th scope="col">${text}</th>`).join('');
  const body = rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`)
    .join('');
  return `<section id="${id}" class="bands"><h2>${title}</h2><p class="muted">${escapeHtml(note)}</p>
<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div></section>`;
}

/** Longest figure in normal size, in characters; a longer one is smaller, so that it fits on one line. */
const LONG = 12;

/** Writes the title of a report and the button for its theme. */
export function headerSection(
  { name, fromMs, toMs, barMs, fidelity }: ResultHead,
  { t, minute, length, foreign }: ReportVoice,
): string {
  const span = t('span', {
    from: minute(fromMs),
    to: minute(toMs),
    bar: length(barMs),
    fidelity: t(`fidelity.${fidelity.kind}`),
  });
  return `<header><div><h1>${escapeHtml(foreign(name))}</h1><p class="muted">${escapeHtml(span)}</p></div>
<button type="button" id="theme">${t('theme')}</button></header>`;
}

/** Writes the tiles of the main figures. */
export function tilesSection({ summary }: ResultHead, voice: ReportVoice): string {
  const { t, money, percent, number, length, digits } = voice;
  const { totalReturn, quote } = summary;
  const tiles = [
    tile({
      title: `${t('tile.finalEquity')}${voice.unitOfTitle(quote)}`,
      text: money(summary.finalEquity, quote),
      below: t('tile.from', { money: money(summary.initialEquity, quote) }),
    }),
    tile({
      title: t('figure.totalReturn'),
      text: percent(totalReturn),
      below: t('tile.hold', { change: percent(summary.buyAndHoldReturn) }),
      tone: toneOf(totalReturn),
    }),
    tile({
      title: t('figure.cagr'),
      text: percent(summary.cagr),
      below: t('tile.volatility', { share: percent(summary.volatility) }),
    }),
    tile({
      title: t('figure.sharpe'),
      text: number(summary.sharpe),
      below: t('tile.sortino', { ratio: number(summary.sortino) }),
    }),
    tile({
      title: t('figure.maxDrawdown'),
      text: percent(summary.maxDrawdown),
      below: t('tile.length', { length: length(summary.maxDrawdownMs) }),
    }),
    tile({
      title: t('figure.trades'),
      text: digits(String(summary.trades)),
      below: t('tile.won', { share: percent(summary.winRate), factor: number(summary.profitFactor) }),
    }),
  ];
  return `<div class="tiles">${tiles.join('')}</div>`;
}

/** Writes the section of warnings, which must be read before the figures; empty if there are none. */
export function warningsSection(
  { warnings }: Pick<FinishedRun, 'warnings'>,
  { t, format }: ReportVoice,
): string {
  if (warnings.length === 0) return '';
  return `<section class="warnings" id="warnings"><h2>${t('warnings')}</h2>${listOf(warnings.map(format))}</section>`;
}

/** Writes sentences as an HTML list. */
export function listOf(sentences: readonly string[]): string {
  return `<ul>${sentences.map((sentence) => `<li>${escapeHtml(sentence)}</li>`).join('')}</ul>`;
}

interface Tile {
  readonly title: string;
  readonly text: string;
  readonly below: string;
  readonly tone?: string;
}

function tile({ title, text, below, tone = '' }: Tile): string {
  const size = text.length > LONG ? 'is-long' : '';
  return `<div class="tile"><h3>${escapeHtml(title)}</h3><b class="${tone} ${size}">${escapeHtml(text)}</b><small>${escapeHtml(below)}</small></div>`;
}

function toneOf(value: number | null): string {
  if (value === null || value === 0) return '';
  return value > 0 ? 'gain' : 'loss';
}

/** Writes the section with every figure of the summary. */
export function summarySection({ summary }: ResultHead, voice: ReportVoice): string {
  const groups = figureGroups(summary, voice).map(({ title, figures }) => {
    const rows = figures.map(
      (figure) =>
        `<div data-figure="${figure.name}"><dt>${escapeHtml(figure.title)}</dt><dd>${escapeHtml(figure.text)}</dd></div>`,
    );
    return `<div><h3>${escapeHtml(title)}</h3><dl>${rows.join('')}</dl></div>`;
  });
  return `<section id="summary"><h2>${voice.t('summary')}</h2><div class="groups">${groups.join('')}</div></section>`;
}

/** Writes the empty section that the page's script draws the charts into. */
export function chartSection(
  grid: { readonly isThinned: boolean; readonly stepMs: number },
  thinnedPlots: string,
  { t, length }: ReportVoice,
): string {
  const thinned = grid.isThinned
    ? `<p class="muted">${t('charts.thinned', { bar: length(grid.stepMs) })}</p>`
    : '';
  const left = thinnedPlots === '' ? '' : `<p class="muted">${escapeHtml(thinnedPlots)}</p>`;
  return `<section id="charts"><div id="run-charts" class="chart-note"></div>${thinned}${left}
<noscript>${t('charts.noScript')}</noscript></section>`;
}

/** Writes the section that the page's script lists the trades in. */
export function tradesSection(
  counts: { readonly shown: number; readonly all: number },
  { t, digits }: ReportVoice,
): string {
  const { shown, all } = counts;
  if (all === 0)
    return `<section id="trade-list"><h2>${t('trades.title')}</h2><p class="muted">${t('trades.none')}</p></section>`;
  const left =
    shown < all ? ` ${t('trades.some', { all: digits(String(all)), shown: digits(String(shown)) })}` : '';
  return `<section id="trade-list"><h2>${t('trades.title')}</h2><p class="muted">${t('trades.note')}${left}</p><div id="trades"></div></section>`;
}
