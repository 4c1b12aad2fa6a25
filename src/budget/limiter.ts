import type { RateLimit } from '../domain/rate-limit.ts';
import type { RequestLedger } from './admission.ts';
import { admittanceOf, type Admittance } from './admittance.ts';
import { BottleneckExecutor } from './bottleneck-executor.ts';
import type { RequestClass } from '../domain/request-class.ts';
import { BudgetLane, type BudgetTrouble, type QueueWait } from './budget-lane.ts';
import type { CommitTimes } from './commit-times.ts';
import { MACHINE_TIMERS, type LaneExecutor, type LaneTimers } from './lane-executor.ts';
import { Lateness } from './lateness.ts';
import type { LimitedCall, LimitedReply, SubmittedCall } from './limited-call.ts';
import type { LockoutBook } from './lockouts.ts';
import { SendTurn } from './send-turn.ts';
import { SubmittedJob } from './submitted-job.ts';

/** Source of admissions: a ledger and lockouts that answer at once, or one that is asked. */
type Admitting =
  | { readonly ledger: RequestLedger; readonly lockouts: LockoutBook }
  | { readonly admittance: Admittance };

export type LimiterOptions = LimiterSettings & Admitting;

export interface LimiterSettings {
  readonly budgets: Iterable<RateLimit>;
  /** The ledger's clock: monotonic, in whole ms. */
  readonly nowMs: () => number;
  /**
   * Time the machine has slept, which that clock leaves out: a request that waited meanwhile has grown old.
   * Default: it never sleeps.
   */
  readonly sleptMs?: () => number;
  /** Requests of one budget on their way at once; 8 without it. */
  readonly mostConcurrent?: number;
  /**
   * Bottleneck and the machine's timers without them; virtual time brings its own. Null: whoever sends keeps
   * to its time-outs, and nothing is waited for after an admission.
   */
  readonly executorFor?: (budget: RateLimit) => LaneExecutor | null;
  readonly timers?: LaneTimers;
  /** Commits that hold up the loop; none do without it. */
  readonly commits?: CommitTimes;
  /** True if requests of different budgets may be admitted at once, for example if commits cost no time. */
  readonly areAtOnce?: boolean;
  /** Called at every lockout, and when the ledger can not be used any more. */
  readonly onTrouble?: ((trouble: BudgetTrouble) => void) | undefined;
}

const MOST_CONCURRENT = 8;
const NEVER_SLEPT = (): number => 0;

/** Sender of requests as their budgets allow. */
export type Limiter = Pick<RequestLimiter, 'submit' | 'close'>;

/** Sends requests as their budgets allow, one lane a budget, so that a full one holds up no other. */
export class RequestLimiter {
  private readonly lanes: ReadonlyMap<string, BudgetLane>;
  private readonly sleptMs: () => number;
  private lastId = 0;

  constructor(options: LimiterOptions) {
    const { nowMs, mostConcurrent = MOST_CONCURRENT, timers = MACHINE_TIMERS } = options;
    const { sleptMs = NEVER_SLEPT } = options;
    this.sleptMs = sleptMs;
    const { executorFor = (budget: RateLimit) => new BottleneckExecutor(budget, { mostConcurrent }) } =
      options;
    const admittance =
      'admittance' in options ? options.admittance : admittanceOf(options.ledger, options.lockouts);
    const lateness = new Lateness();
    const { commits, areAtOnce = false } = options;
    const turn = areAtOnce ? null : new SendTurn();
    this.lanes = new Map(
      [...options.budgets].map((budget) => [
        budget.name,
        new BudgetLane({
          budget,
          admittance,
          nowMs,
          sleptMs,
          mostConcurrent,
          executor: executorFor(budget),
          timers,
          commitMs: () => commits?.totalMs ?? 0,
          turn,
          lateness,
          onTrouble: options.onTrouble,
        }),
      ]),
    );
  }

  /** The same for a sender that has a promise; rejects with whatever `send` throws. */
  async run<T>(call: LimitedCall<T>): Promise<LimitedReply<T>> {
    return new Promise((onEnd, onError) => {
      this.submit<T>({
        ...call,
        send: (signal, handler) => void call.send(signal).then(handler.onEnd, handler.onError),
        handler: { onEnd, onError },
      });
    });
  }

  /**
   * Sends it when its turn comes, and tells what became of it: at once where nothing has to be waited for.
   */
  submit<T>(call: SubmittedCall<T>): void {
    const lane = this.lanes.get(call.budget);
    if (lane === undefined) {
      call.handler.onEnd({ sent: false, reason: 'unknown budget', retryInMs: null });
      return;
    }
    this.lastId += 1;
    const id = this.lastId;
    const { signal } = call;
    const expiresAtMs = call.expiresAtMs + this.sleptMs();
    lane.add(new SubmittedJob({ id, expiresAtMs }, call, () => lane.cancel(id)));
    if (signal?.aborted === true) lane.cancel(id);
  }

  /**
   * Returns what requests of a class wait for, of the budget where most of them do; null if there are none.
   */
  waitOf(requestClass: RequestClass): QueueWait | null {
    const waits = [...this.lanes.values()].flatMap((lane) => lane.waitOf(requestClass) ?? []);
    return waits.toSorted((left, right) => right.waiting - left.waiting)[0] ?? null;
  }

  /** Drops what waits and lets go of the timers. */
  async close(): Promise<void> {
    await Promise.all([...this.lanes.values()].map(async (lane) => lane.close()));
  }
}
