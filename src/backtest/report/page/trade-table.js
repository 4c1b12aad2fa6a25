import { amountOf, lengthOf, moneyOf, percentOf, priceOf, timeOfDay } from './texts.js';
import { asNumber, foreignText, numberTag, say, unitAfter } from './words.js';

/** The table of trades: sorted by a click on a title, a page at a time, and a row moves the chart. */

const ROWS_OF_PAGE = 25;

/**
 * @typedef {import('./read-data.js').Trade} Trade
 * @typedef {{ readonly title: string, readonly order: (trade: Trade) => number, readonly text: (trade: Trade) => string,
 *   readonly isResult?: boolean }} TradeColumn
 */

/**
 * @param {import('./read-data.js').PageData} data
 * @param {HTMLElement} place
 * @param {(trade: Trade) => void} chosen
 */
export function startTradeTable(data, place, chosen) {
  const columns = columnsOf(data);
  const table = document.createElement('table');
  const head = table.createTHead().insertRow();
  const body = table.createTBody();
  const pager = document.createElement('div');
  pager.className = 'pager';
  const state = { page: 0, column: 0, direction: 1, selected: -1 };

  const show = () => {
    const order = columns[state.column]?.order ?? (() => 0);
    const rows = [...data.trades].sort((left, right) => (order(left) - order(right)) * state.direction);
    const pages = Math.max(1, Math.ceil(rows.length / ROWS_OF_PAGE));
    state.page = Math.min(Math.max(state.page, 0), pages - 1);
    const from = state.page * ROWS_OF_PAGE;
    body.replaceChildren(...rows.slice(from, from + ROWS_OF_PAGE).map((trade) => rowOf(trade)));
    for (const [index, cell] of [...head.cells].entries()) {
      const sorted = state.direction === 1 ? 'ascending' : 'descending';
      cell.setAttribute('aria-sort', index === state.column ? sorted : 'none');
    }
    pager.hidden = pages === 1;
    label.textContent = say('rows', {
      from: from + 1,
      to: Math.min(from + ROWS_OF_PAGE, rows.length),
      all: rows.length,
    });
    back.disabled = state.page === 0;
    forward.disabled = state.page === pages - 1;
  };

  /** @param {Trade} trade */
  const rowOf = (trade) => {
    const row = document.createElement('tr');
    row.tabIndex = 0;
    row.dataset['trade'] = String(trade.number);
    row.className = trade.number === state.selected ? 'is-chosen' : '';
    for (const { text, isResult } of columns) {
      const cell = row.insertCell();
      cell.textContent = text(trade);
      if (isResult === true) cell.className = trade.profit < 0 ? 'loss' : 'gain';
    }
    const choose = () => {
      state.selected = trade.number;
      for (const other of body.rows) other.classList.toggle('is-chosen', other === row);
      chosen(trade);
    };
    row.addEventListener('click', choose);
    row.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') choose();
    });
    return row;
  };

  /**
   * @param {string} text
   * @param {number} by
   */
  const pageButton = (text, by) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = text;
    button.addEventListener('click', () => {
      state.page += by;
      show();
    });
    return button;
  };
  const back = pageButton(say('back'), -1);
  const forward = pageButton(say('next'), 1);
  const label = document.createElement('span');
  pager.append(back, label, forward);

  columns.forEach(({ title }, index) => {
    const cell = document.createElement('th');
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = title;
    button.addEventListener('click', () => {
      state.direction = state.column === index ? -state.direction : 1;
      state.column = index;
      state.page = 0;
      show();
    });
    cell.append(button);
    head.append(cell);
  });
  place.replaceChildren(scrolling(table), pager);
  show();
}

/**
 * The columns; those of the market and the strategy are there where the run has several.
 * @param {import('./read-data.js').PageData} data
 * @returns {TradeColumn[]}
 */
function columnsOf(data) {
  /** @param {Trade} trade */
  const marketOf = (trade) => data.markets[trade.market] ?? { name: '', base: '', quote: '', decimals: 2 };
  /** @param {Trade} trade @param {string} price */
  const priceIn = (trade, price) =>
    `${priceOf(price, marketOf(trade).decimals)}${unitAfter(marketOf(trade).quote)}`;
  /** @type {TradeColumn[]} */
  const columns = [
    {
      title: say('trade.number'),
      order: ({ number }) => number,
      text: ({ number }) => asNumber(number.toLocaleString(numberTag(), { useGrouping: false })),
    },
    {
      title: say('trade.opened'),
      order: ({ openedAtMs }) => openedAtMs,
      text: ({ openedAtMs }) => timeOfDay(openedAtMs),
    },
    {
      title: say('trade.length'),
      order: ({ lengthMs }) => lengthMs,
      text: ({ lengthMs }) => lengthOf(lengthMs),
    },
    {
      title: say('trade.profit'),
      isResult: true,
      order: ({ profit }) => profit,
      text: ({ profit }) => moneyOf(profit, data.quote),
    },
    {
      title: say('trade.return'),
      isResult: true,
      order: ({ change }) => change ?? 0,
      text: ({ change }) => percentOf(change),
    },
    {
      title: say('trade.entry'),
      order: ({ entryPrice }) => Number(entryPrice),
      text: (trade) => priceIn(trade, trade.entryPrice),
    },
    {
      title: say('trade.exit'),
      order: ({ exitPrice }) => Number(exitPrice),
      text: (trade) => priceIn(trade, trade.exitPrice),
    },
    {
      title: say('trade.amount'),
      order: ({ amount }) => Number(amount),
      text: (trade) => `${amountOf(trade.amount)}${unitAfter(marketOf(trade).base)}`,
    },
    { title: say('trade.fees'), order: ({ fees }) => fees, text: ({ fees }) => moneyOf(fees, data.quote) },
  ];
  if (data.trades.some(({ exit }) => exit !== ''))
    columns.push(textColumn(data.trades, say('trade.exitBy'), exitText));
  if (data.trades.some(({ tag }) => tag !== ''))
    columns.push(textColumn(data.trades, say('trade.tag'), ({ tag }) => foreignText(tag)));
  if (data.trades.some(({ strategy }) => strategy !== ''))
    columns.splice(
      1,
      0,
      textColumn(data.trades, say('trade.strategy'), ({ strategy }) => foreignText(strategy)),
    );
  if (data.markets.length > 1) {
    columns.splice(1, 0, {
      title: say('trade.market'),
      order: ({ market }) => market,
      text: (trade) => foreignText(marketOf(trade).name),
    });
  }
  return columns;
}

/** @param {Trade} trade */
function exitText({ exit }) {
  return exit === '' ? '' : say(/** @type {import('./words.js').TextKey} */ (`exit.${exit}`));
}

/**
 * A column of words, sorted by the alphabet.
 * @param {readonly Trade[]} trades
 * @param {string} title
 * @param {(trade: Trade) => string} text
 * @returns {TradeColumn}
 */
function textColumn(trades, title, text) {
  const words = [...new Set(trades.map(text))].sort();
  const places = new Map(words.map((word, index) => [word, index]));
  return { title, text, order: (trade) => places.get(text(trade)) ?? 0 };
}

/** @param {HTMLElement} content */
function scrolling(content) {
  const frame = document.createElement('div');
  frame.className = 'scroll';
  frame.append(content);
  return frame;
}
