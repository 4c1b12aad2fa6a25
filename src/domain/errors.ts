/**
 * Meaning of an error that sarraf throws by itself, for its caller.
 *
 * - `retry`: `safe` when the same call may be repeated unchanged, `never` when it will fail again or may do
 *   harm.
 * - `outcome`: effect of the request on the exchange: `none` (certainly nothing), `applied`, or `unknown`
 *   (treat as if it may have happened and find out).
 */
export interface ErrorTraits {
  readonly retry: 'safe' | 'never';
  readonly outcome: 'none' | 'applied' | 'unknown';
  readonly meaning: string;
}

const nothing = { retry: 'never', outcome: 'none' } as const;
const notSent = { retry: 'safe', outcome: 'none' } as const;
const uncertain = { retry: 'never', outcome: 'unknown' } as const;

export const ERROR_TABLE = {
  INVALID_DECIMAL: { ...nothing, meaning: 'A text is not a finite decimal number.' },
  TOO_MANY_DECIMALS: { ...nothing, meaning: 'A number has more than the ten decimals that the books keep.' },
  OFF_STEP: { ...nothing, meaning: 'A price or amount is not a whole number of the steps of its market.' },
  TOO_LARGE: { ...nothing, meaning: 'A price or amount is beyond 2^53 steps of its market.' },
  INVALID_MARKET: {
    ...nothing,
    meaning: 'A market symbol has none of the four spellings, or its steps are not positive.',
  },
  INVALID_OPTIONS: {
    ...nothing,
    meaning: 'An option has a value that is not allowed.',
  },
  INVALID_REQUEST: { ...nothing, meaning: 'A request breaks a rule of the interface; it was not sent.' },
  HOST_NOT_FOUND: {
    ...notSent,
    meaning: 'The host name of the exchange could not be resolved; nothing was sent.',
  },
  CONNECTION_REFUSED: {
    ...notSent,
    meaning: 'Nothing listens at the address of the exchange; nothing was sent.',
  },
  CONNECTION_FAILED: {
    ...notSent,
    meaning: 'No connection was made in time, or it was not secure; nothing was sent.',
  },
  CONNECTION_LOST: {
    ...uncertain,
    meaning: 'The connection ended after the request was sent and before its reply.',
  },
  TIMED_OUT: { ...uncertain, meaning: 'The reply did not come in time.' },
  ABORTED: { ...uncertain, meaning: 'The caller gave up waiting for the reply.' },
  CLOSED: { ...nothing, meaning: 'The client was closed before the call; nothing was sent.' },
  TOO_MANY_CALLS: {
    ...notSent,
    meaning: 'The most calls at a time are already under way; nothing was sent.',
  },
  REPLY_TOO_LARGE: { ...uncertain, meaning: 'The reply is larger than the bound on replies.' },
  SERVER_ERROR: { ...uncertain, meaning: 'The exchange, or a proxy before it, answered with a 5xx.' },
  EMPTY_REPLY: { ...uncertain, meaning: 'The reply has no body.' },
  HTML_REPLY: { ...uncertain, meaning: 'The reply is a web page, as proxies send it, not JSON.' },
  TRUNCATED_REPLY: { ...uncertain, meaning: 'The reply begins as JSON and is cut off.' },
  UNEXPECTED_REPLY: {
    ...uncertain,
    meaning: 'The reply does not have the shape that the interface promises.',
  },
  RATE_LIMITED: {
    ...notSent,
    meaning:
      'A rate limit was exceeded and the request was not handled; repeat it only after the wait that the error names.',
  },
  UNAUTHORIZED: { ...nothing, meaning: 'The token or key was missing, bad or expired.' },
  FORBIDDEN: { ...nothing, meaning: 'The token or key lacks the permission for this call.' },
  REFUSED: {
    ...nothing,
    meaning: 'The exchange refused a call that can not return a refusal, such as a page of a list.',
  },
  TOO_MANY_PAGES: {
    ...nothing,
    meaning: 'A list has more pages than the bound that was set for reading it.',
  },
  INVALID_FILE: {
    ...nothing,
    meaning: 'A file of data is missing, or a line of it is wrong.',
  },
  INVALID_STRATEGY: { ...nothing, meaning: 'A strategy can not be loaded, or breaks a rule of the SDK.' },
  DATA_UNUSABLE: {
    ...nothing,
    meaning: 'The data folder or a database in it can not be used; it was left as it is.',
  },
  QUEUE_UNUSABLE: {
    ...notSent,
    meaning: 'The Redis or the workers of a study can not be used; trials that have ended are kept.',
  },
  INVARIANT: {
    ...nothing,
    meaning: 'An internal rule is broken; trading on would make it worse.',
  },
} as const satisfies Record<string, ErrorTraits>;

export type ErrorCode = keyof typeof ERROR_TABLE;

interface SarrafErrorOptions {
  readonly cause?: unknown;
  /** Further details for programs: `httpStatus`, `backOffMs`, `path` and the like. Never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Set if more is known than the table can state: a read that timed out changed nothing. */
  readonly retry?: ErrorTraits['retry'];
  readonly outcome?: ErrorTraits['outcome'];
}

/** An operating error or a broken invariant. Expected outcomes, such as refusals, are returned. */
export class SarrafError extends Error {
  override readonly name = 'SarrafError';
  readonly code: ErrorCode;
  readonly retry: ErrorTraits['retry'];
  readonly outcome: ErrorTraits['outcome'];
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: SarrafErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retry = options.retry ?? ERROR_TABLE[code].retry;
    this.outcome = options.outcome ?? ERROR_TABLE[code].outcome;
    this.details = options.details ?? {};
  }
}

type ErrorParts = readonly [message: string, options?: SarrafErrorOptions];

// Errors of the codes that most checks of what people and files give throw.
export const invalidOptions = (...of: ErrorParts): SarrafError => new SarrafError('INVALID_OPTIONS', ...of);
export const invalidStrategy = (...of: ErrorParts): SarrafError => new SarrafError('INVALID_STRATEGY', ...of);
export const invalidFile = (...of: ErrorParts): SarrafError => new SarrafError('INVALID_FILE', ...of);
export const dataUnusable = (...of: ErrorParts): SarrafError => new SarrafError('DATA_UNUSABLE', ...of);
export const tooLarge = (...of: ErrorParts): SarrafError => new SarrafError('TOO_LARGE', ...of);

/** Returns the message of anything that was thrown. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** A text, or a function that returns it: for checks that are made at every order or poll. */
type Sentence = string | (() => string);

/**
 * Throws if a condition does not hold: a broken invariant. The message says what was expected and what was
 * found.
 * @throws SarrafError `INVARIANT`
 */
export function invariant(condition: boolean, message: Sentence): asserts condition {
  if (!condition) throw new SarrafError('INVARIANT', typeof message === 'string' ? message : message());
}

/**
 * Returns a value that can not be missing, such as the element at an index found before. `what` names it.
 * @throws SarrafError `INVARIANT` if it is missing
 */
export function present<Value>(value: Value, what: Sentence): NonNullable<Value> {
  if (value !== undefined && value !== null) return value;
  throw new SarrafError('INVARIANT', `expected ${typeof what === 'string' ? what : what()}, found nothing`);
}

/** Lists the first texts, and counts the others: `a, b and 3 more`. */
export function listText(texts: readonly string[], most = 20): string {
  const more = texts.length - most;
  return `${texts.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns the number of letters to insert, remove or change to turn one word into the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let index = 1; index <= from.length; index += 1) {
    const next = [index];
    for (let at = 1; at <= to.length; at += 1) {
      const change = (row[at - 1] ?? 0) + (from[index - 1] === to[at - 1] ? 0 : 1);
      next.push(Math.min(change, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Longest word that is compared: a longer one is not a typing mistake. */
const LONGEST_WORD = 60;

/** Returns the known word that was probably meant; null if none is near enough. */
export function nearestWord(word: string, known: readonly string[]): string | null {
  if (word.length > LONGEST_WORD) return null;
  const lower = word.toLowerCase();
  let nearest: string | null = null;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const found = distance(lower, candidate.toLowerCase());
    if (found < least) [nearest, least] = [candidate, found];
  }
  return nearest;
}

/** Returns the end of a message about an unknown word: the one that was probably meant, if one is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const nearest = nearestWord(word, known);
  return nearest === null ? '' : `: did you mean ${nearest}?`;
}
