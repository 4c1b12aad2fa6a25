import type { RoundTrip } from '../../../portfolio/round-trips.ts';
import { tripReturn } from '../../metrics/run-metrics.ts';
import {
  returnHistogram,
  type HistogramColumn,
  type MonthlyReturn,
  deepestDrawdowns,
} from '../../metrics/equity-metrics.ts';
import { monthName } from '../../../language/format-time.ts';
import { localeOf } from '../../../language/locale.ts';
import type { ReportVoice } from '../../report-voice.ts';
import type { BacktestRun } from '../../backtest-run.ts';
import {
  dailyReturns,
  type DailyReturns,
  numberOf,
  type Statistic,
  finite,
  mean,
  quotient,
  sampleDeviation,
} from '../../statistics.ts';

const MONTHS = Array.from({ length: 12 }, (_, index) => index + 1);

/** Least return at which a cell has its full colour. */
const LEAST_FULL = 0.02;

/** Returns the table of monthly returns, coloured by return; the return of a year compounds its months. */
export function monthlySection(monthly: readonly MonthlyReturn[], voice: ReportVoice): string {
  const { t, digits, language } = voice;
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
  const titles = ['', ...names, t('monthly.year')].map((title) => `<th scope="col">${title}</th>`).join('');
  return `<section id="monthly"><h2>${t('monthly.title')}</h2><div class="scroll" tabindex="0" role="region" aria-label="${t('monthly.label')}"><table class="heat"><thead><tr>${titles}</tr></thead>
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
  const { t } = voice;
  const returns = trips
    .filter(({ isOpen }) => !isOpen)
    .map(tripReturn)
    .filter((change) => change !== null);
  const columns = returnHistogram(returns);
  if (columns.length === 0) return '';
  return `<section id="distribution"><h2>${t('returns.title')}</h2>${chart(columns, voice)}
<p class="muted">${t('returns.note')}</p></section>`;
}

function chart(columns: readonly HistogramColumn[], voice: ReportVoice): string {
  const { t, digits } = voice;
  const most = columns.reduce((highest, { count }) => Math.max(highest, count), 1);
  const width = WIDTH / columns.length;
  const edge = (value: number): string => digits(edgeText(value, digitsOf(columns[0])));
  const bars = columns.map(({ from, to, count }, index) => {
    const height = ((FLOOR - CEILING) * count) / most;
    const tone = from + to < 0 ? 'loss' : 'gain';
    const x = index * width + 1;
    const title = t('returns.column', { from: edge(from), to: edge(to), count });
    const number =
      count > 0
        ? `<text class="count" x="${(x + width / 2 - 1).toFixed(1)}" y="${(FLOOR - height - 4).toFixed(1)}" text-anchor="middle">${digits(String(count))}</text>`
        : '';
    return `<g><title>${title}</title><rect class="${tone}" x="${x.toFixed(1)}" y="${(FLOOR - height).toFixed(1)}" width="${(width - 2).toFixed(1)}" height="${height.toFixed(1)}" rx="2"/>${number}</g>`;
  });
  return `<svg class="histogram" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${t('returns.label')}">${bars.join('')}
<line x1="0" x2="${WIDTH}" y1="${FLOOR}" y2="${FLOOR}"/>${labels(columns, width, edge)}</svg>`;
}

/** Writes labels at the edges of every n-th column, zero among them. */
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
 * Returns the fewest decimals that distinguish the edges. In Persian three decimals look like thousands, as
 * both separators are similar; only the narrowest columns have three.
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

/** Maximum number of drawdowns in the list. */
const MOST_DRAWDOWNS = 10;

/** Returns the section on the deepest drawdowns, with their times and recovery times. */
export function drawdownsSection(
  { curve, fromMs, initialEquity }: BacktestRun,
  { t, percent, minute, length }: ReportVoice,
): string {
  const periods = deepestDrawdowns(
    {
      startMs: fromMs,
      startValue: numberOf(initialEquity),
      timeMs: curve.timeMs.subarray(0, curve.length),
      value: curve.equity.subarray(0, curve.length),
    },
    MOST_DRAWDOWNS,
  );
  if (periods.length === 0) return '';
  const rows = periods.map(({ depth, peakMs, troughMs, endMs, isOver }) => {
    const cells = [
      percent(depth),
      minute(peakMs),
      minute(troughMs),
      isOver ? minute(endMs) : t('drawdowns.notYet'),
      length(troughMs - peakMs),
      length(endMs - peakMs),
    ];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  const titles = [
    t('drawdowns.depth'),
    t('drawdowns.peak'),
    t('drawdowns.bottom'),
    t('drawdowns.peakAgain'),
    t('drawdowns.toBottom'),
    t('drawdowns.inAll'),
  ];
  return `<section id="drawdowns"><h2>${t('drawdowns.title')}</h2><div class="scroll" tabindex="0" role="region" aria-label="${t('drawdowns.title')}"><table><thead><tr>${titles.map((title) => `<th scope="col">${title}</th>`).join('')}</tr></thead>
<tbody>${rows.join('')}</tbody></table></div></section>`;
}

const SHORT_DAYS = 30;
const LONG_DAYS = 90;
const YEAR_DAYS = 365;
/** Fewest points of a line. */
const LEAST_POINTS = 10;

/** Returns the section on rolling Sharpe ratio and volatility; empty for a run that is too short. */
export function rollingSection(run: BacktestRun, voice: ReportVoice): string {
  const { t } = voice;
  const daily = dailyReturns(run.curve, numberOf(run.initialEquity));
  const windowDays = daily.returns.length >= YEAR_DAYS ? LONG_DAYS : SHORT_DAYS;
  if (daily.returns.length < windowDays + LEAST_POINTS) return '';
  const { sharpe, volatility, firstDay } = rollingFigures(daily, windowDays);
  return `<section id="rolling"><h2>${t('rolling.title', { days: voice.count(windowDays) })}</h2>
${pane(t('rolling.sharpe'), sharpe, firstDay, voice.number, voice)}
${pane(t('rolling.volatility'), volatility, firstDay, voice.percent, voice)}
<p class="muted">${t('rolling.note')}</p></section>`;
}

const PANE_HEIGHT = 110;
const PANE_CEILING = 6;
const PANE_FLOOR = PANE_HEIGHT - 6;

/** Draws a line over days, with its range in the title, and a zero line if it crosses zero. */
function pane(
  title: string,
  values: readonly Statistic[],
  firstDay: DailyReturns['firstDay'],
  textOf: (value: number) => string,
  { t, day }: ReportVoice,
): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return '';
  const most = known.reduce((left, right) => Math.max(left, right), Number.NEGATIVE_INFINITY);
  const least = known.reduce((left, right) => Math.min(left, right), Number.POSITIVE_INFINITY);
  const span = most - least || 1;
  const xOf = (index: number): number => (index * WIDTH) / Math.max(1, values.length - 1);
  const yOf = (value: number): number => PANE_FLOOR - ((value - least) / span) * (PANE_FLOOR - PANE_CEILING);
  const zero =
    least < 0 && most > 0
      ? `<line class="zero" x1="0" x2="${WIDTH}" y1="${fixed(yOf(0))}" y2="${fixed(yOf(0))}"/>`
      : '';
  const label = t('rolling.label', {
    title,
    least: textOf(least),
    most: textOf(most),
    last: textOf(known.at(-1) ?? least),
  });
  return `<p class="pane">${label}</p><svg class="rolling" viewBox="0 0 ${WIDTH} ${PANE_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${zero}<path d="${path(values, xOf, yOf)}"/></svg>
<p class="days"><span>${day(firstDay)}</span><span>${day(firstDay + values.length - 1)}</span></p>`;
}

/** Maximum number of points of a line: about one for each pixel of a wide screen. */
const MOST_POINTS = 1_200;

/** Returns the SVG path of a line, with gaps where there is no value. */
function path(
  values: readonly Statistic[],
  xOf: (index: number) => number,
  yOf: (value: number) => number,
): string {
  const step = Math.ceil(values.length / MOST_POINTS);
  const parts: string[] = [];
  let isDown = false;
  for (let index = 0; index < values.length; index += step) {
    const value = values[index] ?? null;
    if (value !== null) parts.push(`${isDown ? 'L' : 'M'}${fixed(xOf(index))} ${fixed(yOf(value))}`);
    isDown = value !== null;
  }
  return parts.join('');
}

const fixed = (value: number): string => value.toFixed(1);

/** Trading days per year: these markets have no weekend. */
const DAYS_A_YEAR = 365;

/** Rolling figures: each value covers the days of the window that ends with its day. */
interface RollingFigures {
  /** Last day of the first window, in days since 1970-01-01. */
  readonly firstDay: number;
  readonly windowDays: number;
  readonly sharpe: readonly Statistic[];
  readonly volatility: readonly Statistic[];
}

/**
 * Returns the Sharpe ratio and volatility of the last `windowDays` days at the end of each day, annualised:
 * `mean / deviation x sqrt(365)` and `deviation x sqrt(365)` of daily returns. Empty for fewer days.
 */
export function rollingFigures({ firstDay, returns }: DailyReturns, windowDays: number): RollingFigures {
  const sharpe: Statistic[] = [];
  const volatility: Statistic[] = [];
  for (let end = windowDays; end <= returns.length; end += 1) {
    const window = [...returns.subarray(end - windowDays, end)];
    const deviation = sampleDeviation(window);
    sharpe.push(scaled(quotient(mean(window), deviation)));
    volatility.push(scaled(deviation));
  }
  return { firstDay: firstDay + windowDays - 1, windowDays, sharpe, volatility };
}

const scaled = (value: Statistic): Statistic =>
  value === null ? null : finite(value * Math.sqrt(DAYS_A_YEAR));
