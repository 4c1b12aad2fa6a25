import type { FinishedRun } from './finish-run.ts';
import type { ResultHead } from './result-schema.ts';
import { figureGroups } from './report/summary-table.ts';
import type { ReportVoice } from './report-voice.ts';
import { escapeHtml } from './value-text.ts';

/** Characters from which on a figure is written smaller, so that it stays on its line. */
const LONG = 12;

/** The title of a report, and the switch of its theme. */
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

/** The figures that are looked at first. */
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

/** Returns the section on what must be known before any number is believed; empty if there is nothing. */
export function warningsSection(
  { warnings }: Pick<FinishedRun, 'warnings'>,
  { t, format }: ReportVoice,
): string {
  if (warnings.length === 0) return '';
  return `<section class="warnings" id="warnings"><h2>${t('warnings')}</h2>${listOf(warnings.map(format))}</section>`;
}

/** Sentences as a list. */
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

/** Every figure of the summary. */
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

/** The place of the charts; the page's script draws into it. */
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

/** The place of the list of trades. */
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
