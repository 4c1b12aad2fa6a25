import { SarrafError } from '../domain/errors.ts';

/** Location of a strategy's code, for error messages. */
export interface StrategySource {
  /** Its file, as it is to be said. */
  readonly file: string;
  /** The line of that file that an error speaks of first, from 1 on; null where it names none. */
  readonly lineOf: (error: unknown) => number | null;
}

/** Reason a strategy stopped. */
export interface StrategyFault {
  /** `on.bars` and its like; null where it was in none of them. */
  readonly handler: string | null;
  readonly message: string;
  /** Path of the strategy's file; null if it is unknown. */
  readonly file: string | null;
  /** Null where the error names no line of the file. */
  readonly line: number | null;
  /** Null where what was thrown has none. Cut. */
  readonly stack: string | null;
}

const LONGEST_MESSAGE = 500;
const LONGEST_STACK = 4_000;

/** Describes an error that a handler threw. Never throws, whatever was thrown. */
export function faultOf(
  handler: string | null,
  error: unknown,
  source: StrategySource | null,
): StrategyFault {
  const line = lineOf(error, source);
  // The stack of a refusal of ours shows our code alone.
  const isOurs = line === null && error instanceof SarrafError;
  return {
    handler,
    message: cut(messageOf(error), LONGEST_MESSAGE),
    file: source?.file ?? null,
    line,
    stack: isOurs ? null : stackOf(error),
  };
}

/** A fault in one line: `on.bars: no book (strategies/dip.ts:12)`. */
export function faultText({ handler, message, file, line }: StrategyFault): string {
  const where = file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`;
  return `${handler === null ? '' : `${handler}: `}${message}${where}`;
}

function lineOf(error: unknown, source: StrategySource | null): number | null {
  try {
    return source?.lineOf(error) ?? null;
  } catch {
    return null;
  }
}

function stackOf(error: unknown): string | null {
  try {
    return error instanceof Error && typeof error.stack === 'string' ? cut(error.stack, LONGEST_STACK) : null;
  } catch {
    return null;
  }
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Matches the language's messages for a change of a frozen object. */
const FROZEN = /read only property|object is not extensible|Cannot delete property|which has only a getter/;
const FROZEN_HINT = 'what a handler gets can not be changed, and ctx.setState changes the state';

/** Returns the message of whatever a handler threw. */
function messageOf(error: unknown): string {
  try {
    if (!(error instanceof Error)) return String(error);
    return FROZEN.test(error.message) ? `${error.message}; ${FROZEN_HINT}` : error.message;
  } catch {
    return 'threw something that can not be said';
  }
}
