import { moneyOf, percentText, priceOf, shortVolume, timeOfDay } from './texts.js';
import { foreignText, say, unitAfter } from './words.js';

/**
 * What is under the pointer, or how the charts are to be used where there is none.
 * @param {import('./read-data.js').PageData} data
 * @param {any} at
 */
export function legendOf(data, at) {
  const { time, bar, traded, money, held, depth, plots, decimals, market, base, quote } = at;
  const drawn = plots.map((/** @type {any} */ { name, key, text }) => labelled(foreignText(name), text, key));
  if (time === undefined) {
    return [
      ...drawn,
      labelled(say('equity'), '', 'equity'),
      labelled(say('hold'), '', 'hold'),
      labelled(say('drawdown'), '', 'down'),
      ...(data.exits.length === 0
        ? []
        : [labelled(say('target'), '', 'target'), labelled(say('stop'), '', 'stop')]),
      ...(data.locks.length === 0 ? [] : [labelled(say('lock'), '', 'lock')]),
      ...(data.members.length === 0 ? [] : [labelled(say('member'), '', 'member')]),
      labelled('', say('usage')),
    ];
  }
  const parts = [labelled('', timeOfDay(Number(time) * 1000))];
  if (bar !== null) {
    const numbers = [bar.open, bar.high, bar.low, bar.close].map(
      (value) => `${priceOf(value, decimals)}${unitAfter(quote)}`,
    );
    const [open = '', high = '', low = '', close = ''] = numbers;
    const sold =
      traded === null ? '' : ` ${say('volume', { volume: `${shortVolume(traded)}${unitAfter(base)}` })}`;
    parts.push(labelled(foreignText(market), `${say('bar', { open, high, low, close })}${sold}`));
  }
  parts.push(...drawn);
  if (money !== null) parts.push(labelled(say('equity'), moneyOf(money, data.quote), 'equity'));
  if (held !== null) parts.push(labelled(say('hold'), moneyOf(held, data.quote), 'hold'));
  if (depth !== null) parts.push(labelled(say('drawdown'), percentText(depth, 2), 'down'));
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
