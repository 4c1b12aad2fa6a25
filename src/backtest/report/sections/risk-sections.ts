import type { BacktestRun } from '../../backtest-run.ts';
import { dailyReturns, type DailyReturns } from '../../daily-returns.ts';
import { deepestDrawdowns } from '../../metrics/drawdown-periods.ts';
import { numberOf, type Statistic, finite, mean, quotient, sampleDeviation } from '../../statistics.ts';
import type { ReportVoice } from '../../report-voice.ts';

/** Drawdowns in the list. */
const MOST_DRAWDOWNS = 10;

/** The deepest drawdowns, when they were, and how long it took to come back. */
export function drawdownsSection(
  { curve, fromMs, initialEquity }: BacktestRun,
  { say, percent, minute, length }: ReportVoice,
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
      isOver ? minute(endMs) : say('drawdowns.notYet'),
      length(troughMs - peakMs),
      length(endMs - peakMs),
    ];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  const titles = [
    say('drawdowns.depth'),
    say('drawdowns.peak'),
    say('drawdowns.bottom'),
    say('drawdowns.peakAgain'),
    say('drawdowns.toBottom'),
    say('drawdowns.inAll'),
  ];
  return `<section id="drawdowns"><h2>${say('drawdowns.title')}</h2><div class="scroll" tabindex="0" role="region" aria-label="${say('drawdowns.title')}"><table><thead><tr>${titles.map((title) => `<th scope="col">${title}</th>`).join('')}</tr></thead>
<tbody>${rows.join('')}</tbody></table></div></section>`;
}

const SHORT_DAYS = 30;
const LONG_DAYS = 90;
const YEAR_DAYS = 365;
/** Fewer points make no line. */
const LEAST_POINTS = 10;

/** Sharpe ratio and volatility of the days before each day. Nothing of a run that is too short. */
export function rollingSection(run: BacktestRun, voice: ReportVoice): string {
  const { say } = voice;
  const daily = dailyReturns(run.curve, numberOf(run.initialEquity));
  const windowDays = daily.returns.length >= YEAR_DAYS ? LONG_DAYS : SHORT_DAYS;
  if (daily.returns.length < windowDays + LEAST_POINTS) return '';
  const { sharpe, volatility, firstDay } = rollingFigures(daily, windowDays);
  return `<section id="rolling"><h2>${say('rolling.title', { days: voice.count(windowDays) })}</h2>
${pane({ title: say('rolling.sharpe'), values: sharpe, firstDay, textOf: voice.number }, voice)}
${pane({ title: say('rolling.volatility'), values: volatility, firstDay, textOf: voice.percent }, voice)}
<p class="muted">${say('rolling.note')}</p></section>`;
}

const WIDTH = 900;
const HEIGHT = 110;
const CEILING = 6;
const FLOOR = HEIGHT - 6;

interface Pane {
  readonly title: string;
  readonly values: readonly Statistic[];
  readonly firstDay: DailyReturns['firstDay'];
  readonly textOf: (value: number) => string;
}

/** A line over days, with its largest and least value and a line at zero where that is between them. */
function pane({ title, values, firstDay, textOf }: Pane, { say, day }: ReportVoice): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return '';
  const most = known.reduce((left, right) => Math.max(left, right), Number.NEGATIVE_INFINITY);
  const least = known.reduce((left, right) => Math.min(left, right), Number.POSITIVE_INFINITY);
  const span = most - least || 1;
  const xOf = (index: number): number => (index * WIDTH) / Math.max(1, values.length - 1);
  const yOf = (value: number): number => FLOOR - ((value - least) / span) * (FLOOR - CEILING);
  const zero =
    least < 0 && most > 0
      ? `<line class="zero" x1="0" x2="${WIDTH}" y1="${fixed(yOf(0))}" y2="${fixed(yOf(0))}"/>`
      : '';
  const label = say('rolling.label', {
    title,
    least: textOf(least),
    most: textOf(most),
    last: textOf(known.at(-1) ?? least),
  });
  return `<p class="pane">${label}</p><svg class="rolling" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${zero}<path d="${path(values, xOf, yOf)}"/></svg>
<p class="days"><span>${day(firstDay)}</span><span>${day(firstDay + values.length - 1)}</span></p>`;
}

/** The most points of a line: about one for each pixel of a wide screen. */
const MOST_POINTS = 1_200;

/** A line that has gaps where there is no value. */
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

/** Trading days of a year: these markets have no weekend. */
const DAYS_A_YEAR = 365;

/** Figures of the days up to each day, one after the other. */
interface RollingFigures {
  /** The last day of the first window, in days since 1970-01-01. */
  readonly firstDay: number;
  readonly windowDays: number;
  readonly sharpe: readonly Statistic[];
  readonly volatility: readonly Statistic[];
}

/**
 * Sharpe ratio and volatility of the last `windowDays` days, at the end of each day, both for a year: `mean /
 * deviation x sqrt(365)` and `deviation x sqrt(365)` of daily returns. Empty where there are fewer days.
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
