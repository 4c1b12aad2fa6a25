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
