import type { RoundTrip } from '../../round-trips.ts';
import { tripReturn } from '../../metrics/trip-statistics.ts';
import { returnHistogram, type HistogramColumn, type MonthlyReturn } from '../../metrics/return-tables.ts';
import { monthName } from '../../../language/format-time.ts';
import { localeOf } from '../../../language/locale.ts';
import type { ReportVoice } from '../../report-voice.ts';

const MONTHS = Array.from({ length: 12 }, (_, index) => index + 1);

/** The change at which a cell has its full colour, at the least. */
const LEAST_FULL = 0.02;

/**
 * A table of years by months, each month coloured by its return; a year's own is that of its months together.
 */
export function monthlySection(monthly: readonly MonthlyReturn[], voice: ReportVoice): string {
  const { say, digits, language } = voice;
  if (monthly.length === 0) return '';
  const full = monthly.reduce((most, { change }) => Math.max(most, Math.abs(change)), LEAST_FULL);
  const years = [...new Set(monthly.map(({ year }) => year))];
  const rows = years.map((year) => {
    const ofYear = monthly.filter((one) => one.year === year);
    const whole = ofYear.reduce((product, { change }) => product * (1 + change), 1) - 1;
    const cells = MONTHS.map((number) =>
      cell(ofYear.find(({ month }) => month === number)?.change, full, voice),
    );
    return `<tr><th scope="row">${digits(String(year))}</th>${cells.join('')}<td class="year ${whole < 0 ? 'loss' : 'gain'}">${digits(percent(whole))}</td></tr>`;
  });
  const names = MONTHS.map((month) => monthName(month, localeOf(language)));
  const titles = ['', ...names, say('monthly.year')].map((title) => `<th scope="col">${title}</th>`).join('');
  return `<section id="monthly"><h2>${say('monthly.title')}</h2><div class="scroll" tabindex="0" role="region" aria-label="${say('monthly.label')}"><table class="heat"><thead><tr>${titles}</tr></thead>
<tbody>${rows.join('')}</tbody></table></div></section>`;
}

function cell(change: number | undefined, full: number, { digits }: ReportVoice): string {
  if (change === undefined) return '<td></td>';
  const strength = (0.08 + 0.62 * Math.min(1, Math.abs(change) / full)).toFixed(2);
  const style =
    change === 0 ? '' : ` style="background:rgba(var(--heat-${change > 0 ? 'gain' : 'loss'}),${strength})"`;
  return `<td${style}>${digits(percent(change))}</td>`;
}

function percent(change: number): string {
  const value = change * 100;
  const text = value.toFixed(Math.abs(value) < 100 ? 1 : 0);
  return Number(text) === 0 ? '0.0' : text;
}

const WIDTH = 900;
const HEIGHT = 240;
const FLOOR = HEIGHT - 24;
const CEILING = 16;

/** Returns the section with the distribution of closed trades by return, as columns. */
export function distributionSection(
  trips: readonly Pick<RoundTrip, 'isOpen' | 'profit' | 'cost'>[],
  voice: ReportVoice,
): string {
  const { say } = voice;
  const returns = trips
    .filter(({ isOpen }) => !isOpen)
    .map(tripReturn)
    .filter((change) => change !== null);
  const columns = returnHistogram(returns);
  if (columns.length === 0) return '';
  return `<section id="distribution"><h2>${say('returns.title')}</h2>${chart(columns, voice)}
<p class="muted">${say('returns.note')}</p></section>`;
}

function chart(columns: readonly HistogramColumn[], voice: ReportVoice): string {
  const { say, digits } = voice;
  const most = columns.reduce((highest, { count }) => Math.max(highest, count), 1);
  const width = WIDTH / columns.length;
  const edge = (value: number): string => digits(edgeText(value, digitsOf(columns[0])));
  const bars = columns.map(({ from, to, count }, index) => {
    const height = ((FLOOR - CEILING) * count) / most;
    const tone = from + to < 0 ? 'loss' : 'gain';
    const x = index * width + 1;
    const title = say('returns.column', { from: edge(from), to: edge(to), count });
    const number =
      count > 0
        ? `<text class="count" x="${(x + width / 2 - 1).toFixed(1)}" y="${(FLOOR - height - 4).toFixed(1)}" text-anchor="middle">${digits(String(count))}</text>`
        : '';
    return `<g><title>${title}</title><rect class="${tone}" x="${x.toFixed(1)}" y="${(FLOOR - height).toFixed(1)}" width="${(width - 2).toFixed(1)}" height="${height.toFixed(1)}" rx="2"/>${number}</g>`;
  });
  return `<svg class="histogram" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${say('returns.label')}">${bars.join('')}
<line x1="0" x2="${WIDTH}" y1="${FLOOR}" y2="${FLOOR}"/>${labels(columns, width, edge)}</svg>`;
}

/** The edges of every few columns, zero among them. */
function labels(columns: readonly HistogramColumn[], width: number, edge: (value: number) => string): string {
  const every = Math.ceil(columns.length / 8);
  const zero = columns.findIndex(({ from }) => Math.abs(from) < 1e-12);
  const offset = zero === -1 ? 0 : zero % every;
  return columns
    .map(({ from }, index) => ({ from, x: index * width }))
    .filter((_, index) => index % every === offset)
    .map(({ from, x }) => {
      const anchor = x < 20 ? 'start' : 'middle';
      return `<text x="${x.toFixed(1)}" y="${FLOOR + 16}" text-anchor="${anchor}">${edge(from)}</text>`;
    })
    .join('');
}

/**
 * As few decimals as tell the edges apart. Three would be read as thousands in Persian, whose decimal
 * separator is nearly that of thousands; only the narrowest columns have them.
 */
function digitsOf(column: HistogramColumn | undefined): number {
  const width = column === undefined ? 1 : (column.to - column.from) * 100;
  const isExact = (digits: number): boolean => Math.abs(width - Number(width.toFixed(digits))) < width / 100;
  return [0, 1, 2, 3].find(isExact) ?? 4;
}

function edgeText(value: number, digits: number): string {
  const text = (value * 100).toFixed(digits);
  return `${Number(text) === 0 ? '0' : text} %`;
}
