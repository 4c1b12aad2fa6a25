import type { Budget } from '../domain/rate-limit.ts';
import type { VenueCall } from '../venues/port.ts';
import type { VenueCaller } from '../venues/venue-caller.ts';

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
  private readonly sent = new Map<string, number>();
  private readonly ends = new Map<string, Map<string, number>>();
  private readonly budgetOf = new Map<string, string>();
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

  /** Counts the request of one call. */
  add(call: VenueCall, outcome: string, caller: Pick<VenueCaller, 'endpointOf' | 'budgetOf'>): void {
    const endpoint = caller.endpointOf(call);
    let ends = this.ends.get(endpoint);
    if (ends === undefined) {
      this.ends.set(endpoint, (ends = new Map()));
      this.budgetOf.set(endpoint, caller.budgetOf(call));
    }
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
    const of = [...this.sent].filter(([endpoint]) => this.budgetOf.get(endpoint) === budget);
    return of.reduce((sum, [, count]) => sum + count, 0);
  }

  get total(): number {
    return [...this.sent.values()].reduce((sum, count) => sum + count, 0);
  }

  usage(): readonly EndpointUsage[] {
    const most = this.most();
    return [...this.sent].flatMap(([endpoint, requests]) => {
      const budget = this.budgets.get(this.budgetOf.get(endpoint) ?? '');
      if (budget === undefined) return [];
      const { name, limit, windowMs } = budget;
      return { endpoint, requests, most: most.get(name) ?? 0, limit, windowMs };
    });
  }
}
