import { BoundedList } from '../core/bounded-list.ts';

/** One request as the exchange saw it, whatever became of it. */
export interface LoggedRequest {
  /** Counts from 1. */
  readonly number: number;
  readonly timeMs: number;
  readonly ip: string;
  /** Of the token or key that came; null when none did, or a bad one. */
  readonly credentialId: string | null;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  /** Null when the address is none of the interface. */
  readonly endpoint: string | null;
  readonly budget: string | null;
  readonly status: number;
}

/** Requests kept; beyond, the oldest are forgotten. */
const REQUESTS_KEPT = 100_000;

/** Every request that reached the exchange, newest last: what tests hold the limits against. */
export class RequestLog {
  private readonly requests: BoundedList<LoggedRequest>;
  private lastNumber = 0;

  constructor(kept = REQUESTS_KEPT) {
    this.requests = new BoundedList(kept);
  }

  /** How many there were, forgotten ones included. */
  get count(): number {
    return this.lastNumber;
  }

  add(request: Omit<LoggedRequest, 'number'>): void {
    this.lastNumber += 1;
    this.requests.push({
      number: this.lastNumber,
      timeMs: request.timeMs,
      ip: request.ip,
      credentialId: request.credentialId,
      method: request.method,
      path: request.path,
      endpoint: request.endpoint,
      budget: request.budget,
      status: request.status,
    });
  }

  /** Oldest first. Not to be changed. */
  values(): readonly LoggedRequest[] {
    return this.requests.values();
  }
}
