import { present } from '../domain/invariant.ts';

const WRITTEN = 'a place of the log that was written';

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

/**
 * Every request that reached the exchange: what tests hold the limits against. A ring of columns rather than
 * of objects, so that a busy exchange leaves no garbage behind for it.
 */
export class RequestLog {
  private readonly kept: number;
  private readonly times: Float64Array;
  private readonly statuses: Uint16Array;
  private readonly ips: string[] = [];
  private readonly credentialIds: (string | null)[] = [];
  private readonly methods: string[] = [];
  private readonly paths: string[] = [];
  private readonly endpoints: (string | null)[] = [];
  private readonly budgets: (string | null)[] = [];
  private lastNumber = 0;

  constructor(kept = REQUESTS_KEPT) {
    this.kept = kept;
    this.times = new Float64Array(kept);
    this.statuses = new Uint16Array(kept);
  }

  /** Number of requests, including forgotten ones. */
  get count(): number {
    return this.lastNumber;
  }

  add(request: Omit<LoggedRequest, 'number'>): void {
    const place = this.lastNumber % this.kept;
    this.lastNumber += 1;
    this.times[place] = request.timeMs;
    this.statuses[place] = request.status;
    this.ips[place] = request.ip;
    this.credentialIds[place] = request.credentialId;
    this.methods[place] = request.method;
    this.paths[place] = request.path;
    this.endpoints[place] = request.endpoint;
    this.budgets[place] = request.budget;
  }

  /** Oldest first, as they were when asked. */
  values(): readonly LoggedRequest[] {
    const first = Math.max(0, this.lastNumber - this.kept);
    return Array.from({ length: this.lastNumber - first }, (_, index) => this.at(first + index));
  }

  private at(index: number): LoggedRequest {
    const place = index % this.kept;
    return {
      number: index + 1,
      timeMs: present(this.times[place], WRITTEN),
      ip: present(this.ips[place], WRITTEN),
      credentialId: this.credentialIds[place] ?? null,
      method: present(this.methods[place], WRITTEN),
      path: present(this.paths[place], WRITTEN),
      endpoint: this.endpoints[place] ?? null,
      budget: this.budgets[place] ?? null,
      status: present(this.statuses[place], WRITTEN),
    };
  }
}
