import type { BacktestResult } from '../../result/result-schema.ts';
import { escapeHtml } from '../escape-html.ts';
import { currencyText, durationText, moneyText, numberText, percentText, timeText } from '../value-text.ts';

/** Characters from which on a figure is written smaller, so that it stays on its line. */
const LONG = 12;

/** The title of a report, and the switch of its theme. */
export function headerSection({ name, fromMs, toMs, barMs, fidelity }: BacktestResult): string {
  const span = `${timeText(fromMs)} to ${timeText(toMs)} UTC, every ${durationText(barMs)}, fidelity ${fidelity.kind}`;
  return `<header><div><h1>${escapeHtml(name)}</h1><p class="muted">${escapeHtml(span)}</p></div>
<button type="button" id="theme">Theme</button></header>`;
}

/** The figures that are looked at first. */
export function tilesSection({ summary }: BacktestResult): string {
  const { totalReturn, quote } = summary;
  const tiles = [
    tile({
      title: `Final equity, ${currencyText(quote)}`,
      text: moneyText(summary.finalEquity, quote),
      below: `from ${moneyText(summary.initialEquity, quote)}`,
    }),
    tile({
      title: 'Return',
      text: percentText(totalReturn),
      below: `buy and hold ${percentText(summary.buyAndHoldReturn)}`,
      tone: toneOf(totalReturn),
    }),
    tile({ title: 'CAGR', text: percentText(summary.cagr), below: `volatility ${percentText(summary.volatility)}` }),
    tile({ title: 'Sharpe', text: numberText(summary.sharpe), below: `Sortino ${numberText(summary.sortino)}` }),
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
export function warningsSection({ warnings }: BacktestResult): string {
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
