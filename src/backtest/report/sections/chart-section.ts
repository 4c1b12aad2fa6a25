import { durationText } from '../value-text.ts';

/** The place of the charts; the page's script draws into it. */
export function chartSection(grid: { readonly isThinned: boolean; readonly stepMs: number }): string {
  const thinned = grid.isThinned
    ? `<p class="muted">So that it can be drawn, each bar above stands for ${durationText(grid.stepMs)}: its price bars run from the first open to the
last close with the highest and lowest price between, equity and drawdown keep their extremes. The figures are of every bar of the run.</p>`
    : '';
  return `<section id="charts"><div class="bar"><h2>Price, equity and drawdown</h2>
<span><select id="market" aria-label="Market" hidden></select><button type="button" id="hold" aria-pressed="false">Buy and hold</button>
<button type="button" id="log" aria-pressed="false">Log scale</button><button type="button" id="whole">Whole run</button></span></div>
<div id="legend"></div><div id="chart"></div><p class="muted" id="note"></p>${thinned}
<noscript>The charts and the list of trades need JavaScript; trades.csv and equity.csv beside this page have the same.</noscript></section>`;
}

/** The place of the list of trades. */
export function tradesSection(counts: { readonly shown: number; readonly all: number }): string {
  const { shown, all } = counts;
  if (all === 0) return `<section id="trade-list"><h2>Trades</h2><p class="muted">Nothing was traded.</p></section>`;
  const left =
    shown < all
      ? ` Of ${all} trades, the ${shown} with the largest profit or loss are here and marked in the chart; trades.csv has all.`
      : '';
  return `<section id="trade-list"><h2>Trades</h2><p class="muted">A row moves the chart to its trade.${left}</p><div id="trades"></div></section>`;
}
