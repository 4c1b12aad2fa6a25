/**
 * Every error that sarraf throws by itself, with what a caller may conclude from it.
 *
 * - `retry`: `safe` when the same call may be made again as it stands, `never` when it will fail again or may do harm.
 * - `outcome`: what became of the request's effect on the exchange: `none` (certainly nothing), `applied`, or `unknown` (treat as if
 *   it may have happened and find out).
 */
export interface ErrorTraits {
  readonly retry: 'safe' | 'never';
  readonly outcome: 'none' | 'applied' | 'unknown';
  readonly meaning: string;
}

const nothing = { retry: 'never', outcome: 'none' } as const;

export const ERROR_TABLE = {
  INVALID_DECIMAL: { ...nothing, meaning: 'A text is not a finite decimal number.' },
  TOO_MANY_DECIMALS: { ...nothing, meaning: 'A number has more than the ten decimals that the books keep.' },
  OFF_STEP: { ...nothing, meaning: 'A price or amount is not a whole number of the steps of its market.' },
  TOO_LARGE: { ...nothing, meaning: 'A price or amount is beyond 2^53 steps of its market.' },
  INVALID_MARKET: {
    ...nothing,
    meaning: 'A market symbol has none of the four spellings, or its steps are not positive.',
  },
  INVARIANT: { ...nothing, meaning: 'Something that must always hold does not; trading on would make it worse.' },
} as const satisfies Record<string, ErrorTraits>;

export type ErrorCode = keyof typeof ERROR_TABLE;

/** An operating error or a broken invariant. Expected outcomes, such as a refusal by the exchange, are returned, not thrown. */
export class SarrafError extends Error {
  override readonly name = 'SarrafError';
  readonly code: ErrorCode;
  readonly retry: ErrorTraits['retry'];
  readonly outcome: ErrorTraits['outcome'];

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.retry = ERROR_TABLE[code].retry;
    this.outcome = ERROR_TABLE[code].outcome;
  }
}

/** Stops at a broken invariant. The message says what must hold and what was found. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new SarrafError('INVARIANT', message);
}
