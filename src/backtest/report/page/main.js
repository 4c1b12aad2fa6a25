import { isSquashedByHold, startCharts } from './charts.js';
import { element, toggle } from './page-elements.js';
import { readData } from './read-data.js';
import { startTheme } from './theme.js';
import { startTradeTable } from './trade-table.js';
import { say } from './words.js';

/** Begins when the page is there; `data-ready` on the document says that all is drawn. */

async function start() {
  const root = document.documentElement;
  /** @type {{ paint: () => void } | null} */
  let drawn = null;
  startTheme(/** @type {HTMLButtonElement} */ (element('theme')), () => drawn?.paint());
  const data = await readData('data');
  const charts = startCharts(data, {
    chart: element('chart'),
    legend: element('legend'),
    held: element('held'),
    note: element('note'),
  });
  drawn = charts;
  charts.paint();
  element('whole').addEventListener('click', charts.showAll);
  toggle(element('hold'), !isSquashedByHold(data), charts.showHold);
  toggle(element('log'), false, charts.showLog);
  const market = /** @type {HTMLSelectElement} */ (element('market'));
  market.hidden = data.markets.length < 2;
  for (const [index, { name }] of data.markets.entries()) market.add(new Option(name, String(index)));
  market.addEventListener('change', () => charts.showMarket(Number(market.value)));
  if (data.trades.length > 0) {
    startTradeTable(data, element('trades'), (trade) => {
      market.value = String(trade.market);
      charts.goTo(trade);
      const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
      element('charts').scrollIntoView({ behavior: isCalm ? 'auto' : 'smooth', block: 'start' });
    });
  }
  root.dataset['ready'] = 'true';
}

start().catch((error) => {
  const reason = error instanceof Error ? error.message : String(error);
  element('note').textContent = say('notDrawn', { reason });
  throw error;
});
