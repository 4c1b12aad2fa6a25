import { returnHistogram, type HistogramColumn } from '../../metrics/return-histogram.ts';
import type { BacktestResult } from '../../result/result-schema.ts';

const WIDTH = 900;
const HEIGHT = 240;
const FLOOR = HEIGHT - 24;
const CEILING = 16;

/** How many closed trades returned how much, as columns. */
export function distributionSection({ trades }: BacktestResult): string {
  const returns = trades.filter(({ isOpen }) => !isOpen).flatMap(({ change }) => (change === null ? [] : [change]));
  const columns = returnHistogram(returns);
  if (columns.length === 0) return '';
  return `<section id="distribution"><h2>Returns of closed trades</h2>${chart(columns)}
<p class="muted">Trades by what they returned on their cost, after fees. The outermost columns hold all that lies beyond them, too.</p></section>`;
}

function chart(columns: readonly HistogramColumn[]): string {
  const most = columns.reduce((highest, { count }) => Math.max(highest, count), 1);
  const width = WIDTH / columns.length;
  const digits = digitsOf(columns[0]);
  const bars = columns.map(({ from, to, count }, index) => {
    const height = ((FLOOR - CEILING) * count) / most;
    const tone = from + to < 0 ? 'loss' : 'gain';
    const x = index * width + 1;
    const title = `${percent(from, digits)} to ${percent(to, digits)}: ${count} ${count === 1 ? 'trade' : 'trades'}`;
    const number =
      count > 0
        ? `<text class="count" x="${(x + width / 2 - 1).toFixed(1)}" y="${(FLOOR - height - 4).toFixed(1)}" text-anchor="middle">${count}</text>`
        : '';
    return `<g><title>${title}</title><rect class="${tone}" x="${x.toFixed(1)}" y="${(FLOOR - height).toFixed(1)}" width="${(width - 2).toFixed(1)}" height="${height.toFixed(1)}" rx="2"/>${number}</g>`;
  });
  return `<svg class="histogram" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Distribution of the returns of trades">${bars.join('')}
<line x1="0" x2="${WIDTH}" y1="${FLOOR}" y2="${FLOOR}"/>${labels(columns, width, digits)}</svg>`;
}

/** The edges of every few columns, zero among them. */
function labels(columns: readonly HistogramColumn[], width: number, digits: number): string {
  const every = Math.ceil(columns.length / 8);
  const zero = columns.findIndex(({ from }) => Math.abs(from) < 1e-12);
  const offset = zero === -1 ? 0 : zero % every;
  return columns
    .map(({ from }, index) => ({ from, x: index * width }))
    .filter((_, index) => index % every === offset)
    .map(({ from, x }) => {
      const anchor = x < 20 ? 'start' : 'middle';
      return `<text x="${x.toFixed(1)}" y="${FLOOR + 16}" text-anchor="${anchor}">${percent(from, digits)}</text>`;
    })
    .join('');
}

function digitsOf(column: HistogramColumn | undefined): number {
  const width = column === undefined ? 1 : (column.to - column.from) * 100;
  return Math.max(0, Math.min(4, 1 - Math.floor(Math.log10(width))));
}

function percent(value: number, digits: number): string {
  const text = (value * 100).toFixed(digits);
  return `${Number(text) === 0 ? '0' : text} %`;
}
