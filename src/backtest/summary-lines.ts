import { countText, groupedText } from '../domain/money.ts';
import type { ResultHead, BacktestSummary } from './result-schema.ts';
import { currencyText, shownMoney, numberText } from './value-text.ts';
import { durationText, minuteText } from '../domain/time-text.ts';
import { reportVoice, type ReportVoice } from './report-voice.ts';

/** Width of the output in characters, which every terminal has. */
const WIDTH = 80;
const CHART_HEIGHT = 4;
const GAP = 4;
const COLUMN = (WIDTH - GAP) / 2;

/** Writes a result for a terminal of 80 columns: the run, an equity chart, figures, and warnings. */
export function resultLines(result: ResultHead): string[] {
  const { name, fromMs, toMs, barMs, fidelity, timing, warnings } = result;
  const span = `${minuteText(fromMs)} to ${minuteText(toMs)} UTC, every ${durationText(barMs)}, ${fidelity.kind}`;
  const events = countText(timing.events, 'event');
  const rate =
    timing.eventsPerS === null ? '' : `, ${groupedText(String(Math.round(timing.eventsPerS)))} a second`;
  return [
    ...wrapped(name),
    ...wrapped(span),
    '',
    ...chartLines(result),
    '',
    ...figureLines(result),
    '',
    ...refusalLines(result),
    ...lockLines(result),
    ...wrapped(
      `${events} in ${numberText(timing.runMs)} ms${rate}; loaded in ${numberText(timing.loadMs)} ms${timing.fromCache ? ' from the cache' : ''}.`,
    ),
    ...warnings.flatMap((warning) => wrapped(`Warning: ${warning}`)),
  ];
}

/** Draws the equity over time, with its highest and lowest value beside the chart. */
function chartLines({ sketch, summary }: ResultHead): string[] {
  const { timeMs, equity } = sketch;
  if (equity.length < 2) return ['No equity curve: the run has fewer than two bars.'];
  const highest = equity.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const lowest = equity.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const labels = [highest, lowest].map((value) => shownMoney(value, summary.quote));
  const room = Math.max(...labels.map((label) => label.length));
  const chart = brailleChart({ timeMs, value: equity }, { width: WIDTH - room - 1, height: CHART_HEIGHT });
  return [
    `Equity in ${currencyText(summary.quote)}`,
    ...chart.map((line, index) => {
      const label = index === 0 ? labels[0] : index === chart.length - 1 ? labels[1] : '';
      return `${(label ?? '').padStart(room)} ${line}`;
    }),
  ];
}

/** Writes the figures: result and risk on the left, trades and activity on the right. */
function figureLines({ summary }: ResultHead): string[] {
  const [result, risk, trades, activity] = figureGroups(summary).map(groupLines);
  const left = [...(result ?? []), '', ...(risk ?? [])];
  const right = [...(trades ?? []), '', ...(activity ?? [])];
  return Array.from({ length: Math.max(left.length, right.length) }, (_, line) =>
    `${(left[line] ?? '').padEnd(COLUMN + GAP)}${right[line] ?? ''}`.trimEnd(),
  );
}

function groupLines({ title, figures }: FigureGroup): string[] {
  // The name is on the left of a column, the value on the right.
  return [
    title,
    ...figures.map((figure) => {
      const name = `  ${figure.title}`;
      const room = COLUMN - name.length - 1;
      return `${name} ${fitting(figure.text, room).padStart(room)}`;
    }),
  ];
}

/** Shortens a number that is too long: without its decimals, or else as a power of ten. */
function fitting(text: string, room: number): string {
  if (text.length <= room || !/^-?[\d,]+(?:\.\d+)?$/.test(text)) return text;
  const whole = text.replace(/\.\d+$/, '');
  return whole.length <= room ? whole : Number(text.replaceAll(',', '')).toExponential(4);
}

/** Maximum number of refusal reasons on a terminal; the page and the files have all. */
const MOST_REFUSALS = 8;

/** Maximum number of lines for the first case of one reason; the page and the files have all of it. */
const MOST_WHY = 3;

/** Returns one line for each reason of refusals, with the first case in words below it. */
function refusalLines({ refusals }: ResultHead): string[] {
  if (refusals.length === 0) return [];
  const shown = refusals.slice(0, MOST_REFUSALS);
  const room = Math.max(...shown.map(({ count }) => groupedText(String(count)).length));
  const lines = shown.flatMap(({ strategy, what, code, count, meaning, example }) => {
    const line = `  ${groupedText(String(count)).padStart(room)}  ${code} (${what}), ${strategy}`;
    const why = `${meaning === null ? '' : `${meaning} `}First: ${example}`;
    return [
      line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`,
      ...indented(why, room + 4, MOST_WHY),
    ];
  });
  const more = refusals.length - shown.length;
  return ['Refused', ...lines, ...(more > 0 ? [`  and ${countText(more, 'more reason')}`] : []), ''];
}

/** Returns lines with how often and how long each lock was active. */
function lockLines({ locks }: ResultHead): string[] {
  if (locks.length === 0) return [];
  const lines = locks.map(
    ({ name, times, heldMs, refused }) =>
      `${name}: ${countText(times, 'time', 'times')}, ${durationText(heldMs)} in total, refused ${countText(refused, 'order', 'orders')}`,
  );
  return ['Locks', ...lines.flatMap((line) => indented(line, 2, MOST_WHY)), ''];
}

/** Indents a sentence over at most `most` lines; a longer one ends with an ellipsis. */
function indented(sentence: string, left: number, most: number): string[] {
  const width = WIDTH - left;
  const lines = wrapped(sentence, width);
  const cut = (line: string): string => `${line.slice(0, width - 1)}…`;
  return lines
    .slice(0, most)
    .map((line, index) => ' '.repeat(left) + (index === most - 1 && lines.length > most ? cut(line) : line));
}

/** Wraps a sentence; a word longer than a line is cut. */
function wrapped(sentence: string, width = WIDTH): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of sentence
    .split(/\s+/)
    .flatMap((word) => word.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [])) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Bits of the two by four dots of a braille character, by column, each from top to bottom. */
const DOTS: readonly (readonly number[])[] = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
];
const BLANK = 0x28_00;
const DOTS_ACROSS = 2;
const DOTS_DOWN = 4;

/**
 * Draws values over time as a line of braille characters, each with two by four dots. `width` and `height`
 * are in characters, 1 or more. Columns are proportional to time, so a pause has the width of its length. A
 * rise and fall within one column is drawn as a vertical stroke.
 */
export function brailleChart(
  points: { readonly timeMs: readonly number[]; readonly value: readonly number[] },
  size: { readonly width: number; readonly height: number },
): string[] {
  const { timeMs, value } = points;
  const across = size.width * DOTS_ACROSS;
  const down = size.height * DOTS_DOWN;
  const cells = Array.from({ length: size.height }, () => Array.from({ length: size.width }, () => BLANK));
  const columnOf = placing(timeMs, across);
  const rowOf = placing(value, down);
  let before: { readonly column: number; readonly row: number } | null = null;
  for (const [index, one] of value.entries()) {
    const to = { column: columnOf(timeMs[index] ?? 0), row: down - 1 - rowOf(one) };
    for (const dot of stroke(before ?? to, to)) {
      const line = cells[Math.floor(dot.row / DOTS_DOWN)];
      const cell = Math.floor(dot.column / DOTS_ACROSS);
      const bit = DOTS[dot.column % DOTS_ACROSS]?.[dot.row % DOTS_DOWN] ?? 0;
      if (line !== undefined) line[cell] = (line[cell] ?? BLANK) | bit;
    }
    before = to;
  }
  return cells.map((line) => String.fromCharCode(...line));
}

/** Returns a function from a number to an index below `places`; the middle if all values are equal. */
function placing(values: readonly number[], places: number): (value: number) => number {
  const least = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const most = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  if (!(most > least)) return () => Math.floor(places / 2);
  return (value) => Math.min(places - 1, Math.floor(((value - least) / (most - least)) * places));
}

interface Dot {
  readonly column: number;
  readonly row: number;
}

/** Returns the dots on the straight line between two dots, both included. */
function stroke(from: Dot, to: Dot): Dot[] {
  const steps = Math.max(Math.abs(to.column - from.column), Math.abs(to.row - from.row), 1);
  return Array.from({ length: steps + 1 }, (_, step) => ({
    column: Math.round(from.column + ((to.column - from.column) * step) / steps),
    row: Math.round(from.row + ((to.row - from.row) * step) / steps),
  }));
}

/** Figure as text, with its name. */
interface Figure {
  /** Name of the figure in the result and in `docs/metrics.md`. */
  readonly name: keyof BacktestSummary;
  readonly title: string;
  readonly text: string;
}

interface FigureGroup {
  readonly title: string;
  readonly figures: readonly Figure[];
}

type FigureKind = 'currency' | 'money' | 'percent' | 'number' | 'count' | 'length';

/** Figures of each group in their order, with the format of each. */
const GROUPS = {
  result: [
    ['currency', 'quote'],
    ['money', 'initialEquity', 'finalEquity', 'profit'],
    ['percent', 'totalReturn', 'buyAndHoldReturn', 'cagr'],
  ],
  risk: [
    ['percent', 'volatility'],
    ['number', 'sharpe', 'sortino', 'calmar', 'omega'],
    ['percent', 'maxDrawdown'],
    ['length', 'maxDrawdownMs', 'longestDrawdownMs'],
  ],
  trades: [
    ['count', 'trades', 'openTrades'],
    ['percent', 'winRate'],
    ['number', 'profitFactor'],
    ['money', 'expectancy'],
    ['number', 'sqn'],
    ['percent', 'averageTradeReturn', 'bestTradeReturn', 'worstTradeReturn'],
    ['length', 'averageTradeMs', 'longestTradeMs'],
  ],
  activity: [
    ['percent', 'exposure'],
    ['number', 'turnover'],
    ['money', 'tradedValue', 'fees'],
    ['count', 'intents', 'orders', 'refused', 'fills', 'requests'],
    ['number', 'requestsPerFill'],
  ],
} as const satisfies Readonly<
  Record<string, readonly (readonly [FigureKind, ...(keyof BacktestSummary)[]])[]>
>;

/** Returns all figures of the summary as text, grouped under headings. */
export function figureGroups(summary: BacktestSummary, voice = reportVoice('en')): FigureGroup[] {
  const { t } = voice;
  return (['result', 'risk', 'trades', 'activity'] as const).map((group) => ({
    title: t(`group.${group}`),
    figures: GROUPS[group].flatMap(([kind, ...names]) =>
      names
        // A run on candles sends no requests and does not show them.
        .filter((name) => summary.requests !== null || !name.startsWith('requests'))
        .map((name) => ({
          name,
          title: t(`figure.${name}`),
          text: figureText(kind, summary[name], summary.quote, voice),
        })),
    ),
  }));
}

function figureText(
  kind: FigureKind,
  value: string | number | null,
  quote: BacktestSummary['quote'],
  voice: ReportVoice,
): string {
  if (kind === 'currency') return voice.currency(quote);
  if (kind === 'percent') return voice.percent(value === null ? null : Number(value));
  if (value === null) return voice.number(null);
  if (kind === 'money') return voice.money(value, quote);
  if (kind === 'count') return voice.digits(String(value));
  return kind === 'length' ? voice.length(Number(value)) : voice.number(Number(value));
}
