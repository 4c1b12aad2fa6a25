import type { Budget } from '../domain/rate-limit.ts';
import { lowered } from '../budget/named-limit.ts';
import type { EngineNotice } from '../engine/engine-command.ts';
import { pacesOf, type FeedPace } from '../scheduler/pace.ts';
import type { PlannedFeed } from '../scheduler/feed.ts';
import type { Cancel, Timeline } from '../virtual/virtual-time.ts';

/** Another process may have been notified: so often the ledger is looked at. */
const LOOK_EVERY_MS = 5_000;

export interface PaceWatchOptions {
  readonly time: Timeline;
  readonly budgets: ReadonlyMap<string, Budget>;
  /** Limits that the exchange has lowered and that hold now, by budget. */
  readonly namedLimits: () => ReadonlyMap<string, number>;
  /** The feeds of the plan by our own limits, and what a plan with others has. */
  readonly feeds: readonly PlannedFeed[];
  readonly plan: (budgets: Iterable<Budget>) => readonly PlannedFeed[];
  readonly onPace: (paces: readonly FeedPace[]) => void;
  readonly onNotice: (notice: EngineNotice) => void;
}

/**
 * Says when the exchange lowers a limit, to whichever process it said so, and when that is over; has feeds
 * asked as often as the limits allow.
 */
export class PaceWatch {
  private readonly options: PaceWatchOptions;
  private before: ReadonlyMap<string, number> = new Map();
  private cancel: Cancel | null = null;

  constructor(options: PaceWatchOptions) {
    this.options = options;
  }

  /** Looks now and from now on. */
  begin(): void {
    const { time } = this.options;
    this.look();
    this.cancel = time.at(time.now() + LOOK_EVERY_MS, () => this.begin());
  }

  end(): void {
    this.cancel?.();
  }

  look(): void {
    const { budgets, feeds, plan, namedLimits, onPace } = this.options;
    const now = namedLimits();
    const { before } = this;
    const names = new Set([...before.keys(), ...now.keys()]);
    const changed = [...names].filter((name) => before.get(name) !== now.get(name));
    if (changed.length === 0) return;
    this.before = now;
    for (const name of changed) this.tell(name, now.get(name) ?? null);
    const all = [...budgets.values()].map((budget) => lowered(budget, now.get(budget.name) ?? null));
    const limits = all.flatMap(({ name, limit }) => {
      const plannedLimit = budgets.get(name)?.limit ?? limit;
      return plannedLimit === limit ? [] : [{ budget: name, plannedLimit, limit }];
    });
    onPace(pacesOf(feeds, plan(all), limits));
  }

  private tell(name: string, named: number | null): void {
    const own = this.options.budgets.get(name);
    const stated = own?.statedLimit ?? own?.limit;
    const notice =
      named === null
        ? ({
            level: 'info',
            message: `the limit of ${name} is ${stated} again: the exchange no longer lowers it`,
          } as const)
        : ({
            level: 'error',
            message: `the exchange has lowered the limit of ${name} from ${stated} to ${named}: the bot keeps the lower limit and polls less often. The limit rises again after 24 hours without a limit reply, or by "sarraf budget raise ${name}"`,
          } as const);
    this.options.onNotice({ kind: 'notice', subject: null, ...notice });
  }
}
