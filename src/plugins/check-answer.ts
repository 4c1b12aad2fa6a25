import { english, sentence } from '../language/sentence.ts';
import { fieldsOf } from '../strategy/fields.ts';
import { MOST_POINTS, type PlotPoint } from '../strategy/plot-batch.ts';
import { checkedSeries } from '../strategy/plots.ts';
import type { StrategyFault } from '../strategy/strategy-fault.ts';
import type { SignalObjection } from '../strategy/signal.ts';
import type { StrategyLogLine } from '../strategy/strategy-log.ts';

/** A few more than a call may log: the one that says how many were left out. */
const MOST_LINES = 21;
const LONGEST_TEXT = 600;
const LONGEST_FIELDS = 1_200;
const LONGEST_STACK = 4_000;
const HANDLER = /^on\.[A-Za-z][A-Za-z0-9_]{0,31}$/;

/** Lines of a log as they come from a thread: what is none is left out. */
export function checkedLog(lines: unknown): readonly StrategyLogLine[] {
  if (!Array.isArray(lines)) return [];
  return lines.slice(0, MOST_LINES).flatMap((line: unknown) => {
    const { text, fields } = Object(line) as Readonly<Record<string, unknown>>;
    if (typeof text !== 'string') return [];
    const isPlain = typeof fields === 'object' && fields !== null && !Array.isArray(fields);
    const isShort = isPlain && JSON.stringify(fields).length <= LONGEST_FIELDS;
    return [
      { text: text.slice(0, LONGEST_TEXT), fields: isShort ? (fields as StrategyLogLine['fields']) : null },
    ];
  });
}

/** Plotted values as they come from a thread: what is none is left out. */
export function checkedPlots(points: unknown): readonly PlotPoint[] {
  if (!Array.isArray(points)) return [];
  return points.slice(0, MOST_POINTS).flatMap((point: unknown) => {
    const { series, atMs, value } = fieldsOf(point);
    const { market, name, pane, style, color } = fieldsOf(series);
    const isValue = value === null || Number.isFinite(value);
    if (typeof market !== 'string' || !isValue || !Number.isSafeInteger(atMs)) return [];
    try {
      const options = { pane: pane ?? undefined, style, color: color ?? undefined };
      const checked = checkedSeries({ market, name, options });
      return [{ series: checked, atMs: atMs as number, value: value as number | null }];
    } catch {
      return [];
    }
  });
}

/** Returns a thread's objection to a signal, checked; null if the signal is to be delivered. */
export function checkedObjection(said: unknown): SignalObjection | null {
  if (said === null) return null;
  const { outcome, code, reason } = fieldsOf(said);
  const isReady = outcome !== 'dropped';
  return {
    outcome: isReady ? 'refused' : 'dropped',
    code: isReady ? 'invalid' : code === 'failed' ? 'failed' : 'not-ready',
    reason:
      typeof reason === 'string' ? reason.slice(0, LONGEST_TEXT) : english(sentence('strategy-no-reason')),
  };
}

/** A fault as it comes from a thread; `of` says what it was asked for. */
export function checkedFault(
  fault: unknown,
  of: { readonly handler: string | null; readonly file: string },
): StrategyFault {
  const { handler, message, line, stack } = Object(fault) as Readonly<Record<string, unknown>>;
  return {
    handler: typeof handler === 'string' && HANDLER.test(handler) ? handler : of.handler,
    file: of.file,
    message:
      typeof message === 'string' ? message.slice(0, LONGEST_TEXT) : english(sentence('strategy-no-message')),
    line: typeof line === 'number' && Number.isInteger(line) && line > 0 ? line : null,
    stack: typeof stack === 'string' ? stack.slice(0, LONGEST_STACK) : null,
  };
}
