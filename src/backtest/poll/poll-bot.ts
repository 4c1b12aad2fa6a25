import type { Budget } from '../../domain/rate-limit.ts';
import { BudgetLedger } from '../../budget/ledger.ts';
import { RequestLimiter } from '../../budget/limiter.ts';
import { MemoryLockouts } from '../../budget/lockouts.ts';
import { BotShell, type BotShellOptions } from '../../daemon/bot-shell.ts';
import { planInputOf } from '../../daemon/create-plan.ts';
import { RequestCounts } from '../../daemon/request-counts.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { EngineNotice } from '../../engine/engine-command.ts';
import { Engine } from '../../engine/engine.ts';
import type { EngineSettings } from '../../engine/engine-settings.ts';
import { movesPerMinute, planPolls, type PollPlan } from '../../scheduler/plan-polls.ts';
import { timersOf } from '../../virtual/virtual-executor.ts';
import type { Timeline } from '../../virtual/virtual-time.ts';
import type { MemoryMirror } from './memory-mirror.ts';
import { NO_MARGIN_RECORDED } from '../../venues/interface-profile.ts';
import type { RecordedCaller } from '../../venues/recorded-caller.ts';

/** The live bot in virtual time. */
export interface PollBot {
  readonly engine: Engine;
  readonly shell: BotShell;
  readonly plan: PollPlan;
  readonly counts: RequestCounts;
}

export interface PollBotOptions {
  /** Feeds follow from the plan. */
  readonly settings: Omit<EngineSettings, 'feeds'>;
  readonly budgets: ReadonlyMap<string, Budget>;
  /** The caller's. */
  readonly time: Timeline;
  readonly caller: RecordedCaller;
  readonly mirror: MemoryMirror;
  readonly onNotices?: (notices: readonly EngineNotice[], atMs: number) => void;
  readonly onAnswer?: BotShellOptions['onAnswer'];
}

/**
 * The plan that the live bot would make. Throws `INVALID_OPTIONS` when what the strategies want does not fit
 * the limits.
 */
export function planOf(
  instances: EngineSettings['instances'],
  budgets: ReadonlyMap<string, Budget>,
): PollPlan {
  const runners = instances.map(({ runner }) => runner);
  const input = planInputOf(runners, budgets.values());
  const plan = planPolls({ ...input, venue: { ...input.venue, unserved: NO_MARGIN_RECORDED } });
  if (plan.problems.length === 0) return plan;
  const message = ['expected subscriptions that the limits of the exchange allow, were', ...plan.problems];
  throw new SarrafError('INVALID_OPTIONS', message.join('\n  '));
}

/**
 * Puts the bot together of the parts that the daemon has, with virtual time for timers and a mirror in
 * memory. Throws as `planOf` does.
 */
export function createPollBot(options: PollBotOptions): PollBot {
  const { settings, budgets, time, caller, mirror, onNotices = () => undefined, onAnswer } = options;
  const plan = planOf(settings.instances, budgets);
  const engine = new Engine(
    {
      ...settings,
      feeds: plan.feeds,
      movesPerMinute: movesPerMinute(plan.budgets, settings.venue),
      isRestartable: mirror.isKept,
    },
    mirror.load(),
    time.now(),
  );
  const ledger = new BudgetLedger(budgets.values());
  const most = (): ReadonlyMap<string, number> =>
    new Map(ledger.usage().map(({ budget, most: used }) => [budget.name, used]));
  const counts = new RequestCounts({ budgets, most });
  const nowMs = (): number => time.now();
  const shell = new BotShell({
    engine,
    store: mirror,
    time,
    limiter: new RequestLimiter({
      budgets: budgets.values(),
      ledger,
      lockouts: new MemoryLockouts(),
      nowMs,
      // The caller ends every call within its time-out, so nothing needs to watch over it.
      executorFor: () => null,
      areAtOnce: true,
      timers: timersOf(time),
    }),
    caller,
    canLogIn: false,
    limiterMs: nowMs,
    onRequestEnd: ({ call }, { outcome }) => counts.add(caller.endpointOf(call), outcome),
    onNotices,
    ...(onAnswer === undefined ? {} : { onAnswer }),
  });
  return { engine, shell, plan, counts };
}
