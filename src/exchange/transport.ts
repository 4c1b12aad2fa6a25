/** A request as it is sent on the wire. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path with the query, as it is sent and signed; begins with `/`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Time-out for the request and its reply together. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /**
   * Time for which a limiter's admission is valid: the request is not sent if the process stands still for
   * longer before it is written. Left out: no such bound.
   */
  readonly admittedForMs?: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Header names in lower case; repeated headers are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Transport to the exchange. It sends each request at most once and never retries; any status is an answer.
 * If no answer comes, it throws a SarrafError whose `outcome` says whether the request can have arrived.
 */
export interface Transport {
  send(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

/** Difference of clocks that is no fault: a reply's time is in whole seconds, and the network adds a few. */
export const TOLERATED_CLOCK_MS = 10_000;

/** Times at which a request left and its reply arrived, by one clock of this machine, in ms since 1970. */
export interface RequestTimes {
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** Returns the time at which a reply was written, by its header, in whole seconds; null if it has none. */
export function dateHeaderMs({ headers }: Pick<HttpResponse, 'headers'>): number | null {
  const datedMs = Date.parse(headers['date'] ?? '');
  return Number.isFinite(datedMs) ? datedMs : null;
}

/**
 * Returns the least lead of a clock of this machine over the one that wrote a reply; below 0: it is behind.
 * Null if the reply has no time (the `Date` of RFC 9110, 6.6.1, less the `Age` of a cached reply).
 */
export function clockAheadMs(
  { headers }: Pick<HttpResponse, 'headers'>,
  { sentMs, receivedMs }: RequestTimes,
): number | null {
  const datedMs = dateHeaderMs({ headers });
  const ageMs = Number(headers['age'] ?? '0') * 1_000;
  if (datedMs === null || !Number.isFinite(ageMs)) return null;
  // The reply was written at some time between the two, and within the second that it names.
  const aheadMs = Math.max(0, sentMs - (datedMs + ageMs + 1_000));
  const behindMs = Math.max(0, datedMs + ageMs - receivedMs);
  return aheadMs > 0 ? aheadMs : -behindMs;
}
