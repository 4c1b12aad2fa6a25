/** A request as it goes on the wire. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Begins with `/` and includes the query, as it is sent and signed. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** For the whole exchange of request and reply. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /**
   * For how long an admission holds that a limiter has just given: it does not leave where the process stands
   * still for longer before it is written. Without it there is no such bound.
   */
  readonly admittedForMs?: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The way to the exchange. Sends each request at most once and never retries by itself; whatever status comes
 * back is an answer. Where no answer comes it throws a SarrafError whose `outcome` says whether the request
 * can have arrived.
 */
export interface Transport {
  send(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

/**
 * A reply's own time is whole seconds, and what stands between may be a few late: less than this is no error
 * of the clock.
 */
export const TOLERATED_CLOCK_MS = 10_000;

/** Times a request left and its reply arrived, by one clock of this machine, in ms since 1970. */
export interface RequestTimes {
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** Returns the time a reply states that it was written, in whole seconds; null if it names no time. */
export function dateHeaderMs({ headers }: Pick<HttpResponse, 'headers'>): number | null {
  const datedMs = Date.parse(headers['date'] ?? '');
  return Number.isFinite(datedMs) ? datedMs : null;
}

/**
 * Returns the minimum lead of a clock of this machine over the one that wrote a reply; below 0: behind. Null
 * if the reply names no time (the `Date` of RFC 9110, 6.6.1, less the `Age` of a cached reply).
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
