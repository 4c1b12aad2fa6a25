import { moneyOf, priceOf, shortVolume, timeOfDay } from './texts.js';

/**
 * What is under the pointer, or how the charts are to be used where there is none.
 * @param {import('./read-data.js').PageData} data
 * @param {any} at
 */
export function legendOf(data, at) {
  const { time, bar, traded, money, held, depth, plots, decimals, market } = at;
  const drawn = plots.map((/** @type {any} */ { name, key, text }) => labelled(name, text, key));
  if (time === undefined) {
    return [
      ...drawn,
      labelled('Equity', '', 'equity'),
      labelled('Buy and hold', '', 'hold'),
      labelled('Drawdown', '', 'down'),
      ...(data.exits.length === 0 ? [] : [labelled('Target', '', 'target'), labelled('Stop', '', 'stop')]),
      ...(data.locks.length === 0 ? [] : [labelled('Lock', '', 'lock')]),
      ...(data.members.length === 0 ? [] : [labelled('In a universe', '', 'member')]),
      labelled('', 'Wheel or pinch to zoom, drag to move, point for values. Times are UTC.'),
    ];
  }
  const parts = [labelled('', timeOfDay(Number(time) * 1000))];
  if (bar !== null) {
    const numbers = [bar.open, bar.high, bar.low, bar.close].map((value) => priceOf(value, decimals));
    const sold = traded === null ? '' : ` V ${shortVolume(traded)}`;
    parts.push(labelled(market, `O ${numbers[0]} H ${numbers[1]} L ${numbers[2]} C ${numbers[3]}${sold}`));
  }
  parts.push(...drawn);
  if (money !== null) parts.push(labelled('Equity', moneyOf(money, data.quote), 'equity'));
  if (held !== null) parts.push(labelled('Buy and hold', moneyOf(held, data.quote), 'hold'));
  if (depth !== null) parts.push(labelled('Drawdown', `${depth.toFixed(2)} %`, 'down'));
  return parts;
}

/**
 * @param {string} label
 * @param {string} text
 * @param {string} [key]
 */
function labelled(label, text, key) {
  const part = document.createElement('span');
  const name = document.createElement('b');
  name.textContent = label;
  if (key !== undefined) name.className = `key key-${key}`;
  part.append(...(label === '' ? [text] : [name, ` ${text}`]));
  return part;
}
