import type { ResultHead } from '../../result/result-schema.ts';
import { figureGroups } from '../summary-table.ts';
import { escapeHtml, currencyText, shownMoney, numberText, percentText } from '../value-text.ts';
import { durationText, minuteText } from '../../../domain/time-text.ts';

/** Characters from which on a figure is written smaller, so that it stays on its line. */
const LONG = 12;

/** The title of a report, and the switch of its theme. */
export function headerSection({ name, fromMs, toMs, barMs, fidelity }: ResultHead): string {
  const span = `${minuteText(fromMs)} to ${minuteText(toMs)} UTC, every ${durationText(barMs)}, fidelity ${fidelity.kind}`;
  return `<header><div><h1>${escapeHtml(name)}</h1><p class="muted">${escapeHtml(span)}</p></div>
<button type="button" id="theme">Theme</button></header>`;
}

/** The figures that are looked at first. */
export function tilesSection({ summary }: ResultHead): string {
  const { totalReturn, quote } = summary;
  const tiles = [
    tile({
      title: `Final equity, ${currencyText(quote)}`,
      text: shownMoney(summary.finalEquity, quote),
      below: `from ${shownMoney(summary.initialEquity, quote)}`,
    }),
    tile({
      title: 'Return',
      text: percentText(totalReturn),
      below: `buy and hold ${percentText(summary.buyAndHoldReturn)}`,
      tone: toneOf(totalReturn),
    }),
    tile({
      title: 'CAGR',
      text: percentText(summary.cagr),
      below: `volatility ${percentText(summary.volatility)}`,
    }),
    tile({
      title: 'Sharpe',
      text: numberText(summary.sharpe),
      below: `Sortino ${numberText(summary.sortino)}`,
    }),
    tile({
      title: 'Max drawdown',
      text: percentText(summary.maxDrawdown),
      below: `for ${durationText(summary.maxDrawdownMs)}`,
    }),
    tile({
      title: 'Trades',
      text: String(summary.trades),
      below: `${percentText(summary.winRate)} won, profit factor ${numberText(summary.profitFactor)}`,
    }),
  ];
  return `<div class="tiles">${tiles.join('')}</div>`;
}

/** What must be known before any number is believed; nothing where there is nothing. */
export function warningsSection({ warnings }: ResultHead): string {
  if (warnings.length === 0) return '';
  return `<section class="warnings" id="warnings"><h2>Warnings</h2>${listOf(warnings)}</section>`;
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
export function summarySection({ summary }: ResultHead): string {
  const groups = figureGroups(summary).map(({ title, figures }) => {
    const rows = figures.map(
      (figure) =>
        `<div data-figure="${figure.name}"><dt>${escapeHtml(figure.title)}</dt><dd>${escapeHtml(figure.text)}</dd></div>`,
    );
    return `<div><h3>${escapeHtml(title)}</h3><dl>${rows.join('')}</dl></div>`;
  });
  return `<section id="summary"><h2>Summary</h2><div class="groups">${groups.join('')}</div></section>`;
}

/** The place of the charts; the page's script draws into it. */
export function chartSection(
  grid: { readonly isThinned: boolean; readonly stepMs: number },
  thinnedPlots: string,
): string {
  const thinned = grid.isThinned
    ? `<p class="muted">So that it can be drawn, each bar above stands for ${durationText(grid.stepMs)}: its price bars run from the first open to the
last close with the highest and lowest price between, equity and drawdown keep their extremes. The figures are of every bar of the run.</p>`
    : '';
  const left = thinnedPlots === '' ? '' : `<p class="muted">${escapeHtml(thinnedPlots)}</p>`;
  return `<section id="charts"><div class="bar"><h2>Price, equity and drawdown</h2>
<span><select id="market" aria-label="Market" hidden></select><button type="button" id="hold" aria-pressed="false">Buy and hold</button>
<button type="button" id="log" aria-pressed="false">Log scale</button><button type="button" id="whole">Whole run</button></span></div>
<div id="legend"></div><div class="drawn"><div id="chart"></div><div id="held"></div></div><p class="muted" id="note"></p>${thinned}${left}
<noscript>The charts and the list of trades need JavaScript; trades.csv and equity.csv beside this page have the same.</noscript></section>`;
}

/** The place of the list of trades. */
export function tradesSection(counts: { readonly shown: number; readonly all: number }): string {
  const { shown, all } = counts;
  if (all === 0)
    return `<section id="trade-list"><h2>Trades</h2><p class="muted">Nothing was traded.</p></section>`;
  const left =
    shown < all
      ? ` Of ${all} trades, the ${shown} with the largest profit or loss are here and marked in the chart; trades.csv has all.`
      : '';
  return `<section id="trade-list"><h2>Trades</h2><p class="muted">A row moves the chart to its trade.${left}</p><div id="trades"></div></section>`;
}
