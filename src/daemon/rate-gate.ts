import { LATE_ARRIVAL_MS } from '../budget/admission.ts';
import type { BudgetLedger } from '../budget/ledger.ts';
import type { RequestClass as LedgerClass } from '../domain/request-class.ts';
import { SarrafError } from '../domain/errors.ts';
import type { Budget } from '../exchange/endpoint.ts';
import { ENDPOINTS, type EndpointName } from '../exchange/endpoints/index.ts';
import type { Clock } from './clock.ts';

/** What became of asking for a request. */
export type Gated<T> =
  | { readonly sent: true; readonly value: T }
  | { readonly sent: false; readonly retryAtMs: number };

/** What the bot asks for, in its own words. */
type RequestClass = 'cancel' | 'trade' | 'poll';

const LEDGER_CLASSES: Readonly<Record<RequestClass, LedgerClass>> = {
  cancel: 'cancel',
  trade: 'place',
  poll: 'market',
};

/** When to look again if only a reply can free a slot. */
const LOOK_AGAIN_MS = 1_000;

/** Lets requests through as the ledger admits them: a slot is taken before the send and stamped at the reply, whatever the reply is. */
export class RateGate {
  private readonly ledger: BudgetLedger;
  private readonly clock: Clock;
  private readonly budgets: ReadonlyMap<string, Budget>;
  private readonly sentBy = new Map<EndpointName, number>();

  constructor(options: {
    readonly ledger: BudgetLedger;
    readonly clock: Clock;
    readonly budgets: ReadonlyMap<string, Budget>;
  }) {
    this.ledger = options.ledger;
    this.clock = options.clock;
    this.budgets = options.budgets;
  }

  /** Sends now, or says when it may be worth asking again. */
  async tryTo<T>(endpoint: EndpointName, requestClass: RequestClass, send: () => Promise<T>): Promise<Gated<T>> {
    const admission = this.ledger.admit(
      { budget: ENDPOINTS[endpoint].budget.name, requestClass: LEDGER_CLASSES[requestClass] },
      this.clock.now(),
    );
    if (!admission.admitted) return { sent: false, retryAtMs: this.clock.now() + (admission.waitMs ?? LOOK_AGAIN_MS) };
    this.sentBy.set(endpoint, (this.sentBy.get(endpoint) ?? 0) + 1);
    let lingersMs = 0;
    try {
      return { sent: true, value: await send() };
    } catch (error) {
      // Without an answer it may still be on its way, and is counted only when it arrives.
      if (hasNoAnswer(error)) lingersMs = LATE_ARRIVAL_MS;
      throw error;
    } finally {
      this.ledger.settle(admission.slot, this.clock.now() + lingersMs);
    }
  }

  /** Sends as soon as a slot is free. */
  async waitTo<T>(endpoint: EndpointName, requestClass: RequestClass, send: () => Promise<T>): Promise<T> {
    for (;;) {
      const gated = await this.tryTo(endpoint, requestClass, send);
      if (gated.sent) return gated.value;
      await this.clock.sleepUntil(gated.retryAtMs);
    }
  }

  /** Requests sent by endpoint, and the most slots that its budget ever had occupied at once. */
  usage(): readonly {
    readonly endpoint: EndpointName;
    readonly sent: number;
    readonly most: number;
    readonly budget: Budget;
  }[] {
    const most = new Map(this.ledger.usage().map((usage) => [usage.budget.name, usage.most]));
    return [...this.sentBy].map(([endpoint, sent]) => {
      const declared = ENDPOINTS[endpoint].budget;
      const budget = this.budgets.get(declared.name) ?? declared;
      return { endpoint, sent, most: most.get(budget.name) ?? 0, budget };
    });
  }
}

function hasNoAnswer(error: unknown): boolean {
  return error instanceof SarrafError && ['TIMED_OUT', 'ABORTED', 'CONNECTION_LOST'].includes(error.code);
}
