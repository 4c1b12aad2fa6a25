import { tryDecimalText } from './decimal-text.ts';
import type { Currency } from './market-symbol.ts';

/**
 * Names of series of figures, and their values:
 *
 * - `equity/CURRENCY`: equity of the bot's strategies, a decimal text;
 * - `profit/CURRENCY`: profit of all strategies together, and `profit/STRATEGY/CURRENCY`: of one strategy;
 * - `budget/NAME`: requests used, and the most that a limit allows now, such as `12/60`;
 * - `requests/NAME`: requests sent against a limit in the day of Tehran that begins at the time of the value;
 * - `plot/STRATEGY/MARKET/NAME`: a series that a strategy plots, a number as text; null is a gap.
 */
type FigureName =
  | { readonly kind: 'equity'; readonly currency: string }
  | { readonly kind: 'profit'; readonly strategy: string | null; readonly currency: string }
  | { readonly kind: 'budget' | 'requests'; readonly budget: string }
  | { readonly kind: 'plot'; readonly strategy: string; readonly market: string; readonly name: string };

export const equityFigure = (currency: Currency): string => `equity/${currency}`;

/** Returns the name of a profit series; `strategy` is null for all strategies together. */
export const profitFigure = (strategy: string | null, currency: Currency): string =>
  strategy === null ? `profit/${currency}` : `profit/${strategy}/${currency}`;

export const budgetFigure = (budget: string): string => `budget/${budget}`;

export const requestsFigure = (budget: string): string => `requests/${budget}`;

export const plotFigure = (strategy: string, market: string, name: string): string =>
  `plot/${strategy}/${market}/${name}`;

/** Drawing styles for the values of a series that a strategy plots. */
export const PLOT_STYLES = ['line', 'steps', 'points', 'bars'] as const;
export type PlotStyle = (typeof PLOT_STYLES)[number];

/** Colours that are visible on both a light and a dark background. */
export const PLOT_COLORS = ['blue', 'orange', 'green', 'red', 'purple', 'gray'] as const;
export type PlotColor = (typeof PLOT_COLORS)[number];

/** Parses a figure name; null for a name that this version does not know. */
export function readFigureName(text: string): FigureName | null {
  const [kind, ...parts] = text.split('/');
  const [first, second] = parts;
  if (first === undefined || first === '') return null;
  const rest = (from: number): string => parts.slice(from).join('/');
  if (kind === 'equity' && parts.length === 1) return { kind, currency: first };
  if (kind === 'budget' || kind === 'requests') return { kind, budget: rest(0) };
  if (second === undefined) return kind === 'profit' ? { kind, strategy: null, currency: first } : null;
  if (kind === 'profit' && parts.length === 2) return { kind, strategy: first, currency: second };
  // The name of a plot is the strategy's own, with any character.
  if (kind === 'plot' && parts.length > 2) return { kind, strategy: first, market: second, name: rest(2) };
  return null;
}

const USED_OF = /^\d+\/\d+$/;

/** True if a text is a valid value of the series of that name; any text is for an unknown name. */
export function isFigureValue(name: string, value: string): boolean {
  const kind = readFigureName(name)?.kind;
  if (kind === 'plot') return value !== '' && Number.isFinite(Number(value));
  if (kind === 'budget') return USED_OF.test(value);
  if (kind === 'requests') return /^\d+$/.test(value);
  return kind === undefined || tryDecimalText(value) !== null;
}

/** Maximum number of characters in the id of a signal. */
const LONGEST_SIGNAL_ID = 64;

/**
 * Rule for the characters and length of an id, as text for people. Tickers of futures have a `!`, such as
 * `ES1!`, and those of shares an `&`.
 */
export const SIGNAL_ID_RULE = `1 to ${LONGEST_SIGNAL_ID} letters, digits and the characters ". : _ - ! &"`;

const ID = new RegExp(`^[\\w.:!&-]{1,${LONGEST_SIGNAL_ID}}$`);

/** True if a value is a valid signal id. */
export const isSignalId = (id: unknown): id is string => typeof id === 'string' && ID.test(id);
