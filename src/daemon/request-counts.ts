import type { Budget } from '../domain/rate-limit.ts';
import { ENDPOINTS, type EndpointName } from '../exchange/endpoints.ts';

/** Requests of one endpoint, compared with its limit. */
export interface EndpointUsage {
  readonly endpoint: string;
  readonly requests: number;
  /** Maximum number of requests that were counted in any window of its budget. */
  readonly most: number;
  readonly limit: number;
  readonly windowMs: number;
}

/** Counts sent requests by endpoint and outcome, for the summary and the metrics. */
export class RequestCounts {
  private readonly sent = new Map<EndpointName, number>();
  private readonly ends = new Map<EndpointName, Map<string, number>>();
  private readonly budgets: ReadonlyMap<string, Budget>;
  /** Returns the most slots that were ever in use at once, for the budgets where this is known. */
  private readonly most: () => ReadonlyMap<string, number>;

  constructor(options: {
    readonly budgets: ReadonlyMap<string, Budget>;
    readonly most: () => ReadonlyMap<string, number>;
  }) {
    this.budgets = options.budgets;
    this.most = options.most;
  }

  add(endpoint: EndpointName, outcome: string): void {
    let ends = this.ends.get(endpoint);
    if (ends === undefined) this.ends.set(endpoint, (ends = new Map()));
    ends.set(outcome, (ends.get(outcome) ?? 0) + 1);
    if (outcome !== 'unsent') this.sent.set(endpoint, (this.sent.get(endpoint) ?? 0) + 1);
  }

  /** Returns the ended requests by endpoint and outcome. */
  outcomes(): readonly { readonly endpoint: string; readonly outcome: string; readonly count: number }[] {
    return [...this.ends].flatMap(([endpoint, ends]) =>
      [...ends].map(([outcome, count]) => ({ endpoint, outcome, count })),
    );
  }

  /** Returns the number of requests that were sent against a limit. */
  sentAgainst(budget: string): number {
    const of = [...this.sent].filter(([endpoint]) => ENDPOINTS[endpoint].budget.name === budget);
    return of.reduce((sum, [, count]) => sum + count, 0);
  }

  get total(): number {
    return [...this.sent.values()].reduce((sum, count) => sum + count, 0);
  }

  usage(): readonly EndpointUsage[] {
    const most = this.most();
    return [...this.sent].map(([endpoint, requests]) => {
      const declared = ENDPOINTS[endpoint].budget;
      const { name, limit, windowMs } = this.budgets.get(declared.name) ?? declared;
      return { endpoint, requests, most: most.get(name) ?? 0, limit, windowMs };
    });
  }
}
