import type { LockCommand } from '../engine/engine-event.ts';
import type { EngineNotice } from '../engine/engine-command.ts';
import { lockReason, type Lock } from '../execution/locks/lock.ts';
import type { MirrorStore } from '../mirror/mirror-store.ts';
import type { Venue } from '../venues/venue.ts';
import { ControlInbox, type TakenCommand } from './control/control-inbox.ts';
import type { CreatedBot } from './create-bot.ts';
import type { HealthSource } from './health/health-source.ts';
import { LedgerWatch } from './health/ledger-watch.ts';
import type { BotConfig } from './settings/create-bot-config.ts';
import { lockProblem, lockResult } from './take-lock.ts';

export interface OperatorOptions {
  readonly bot: CreatedBot;
  readonly config: BotConfig;
  readonly venue: Venue;
  readonly mirror: MirrorStore;
  /** The ledger's file; null where it is in memory. */
  readonly ledgerFile: string | null;
  readonly onError: (error: unknown) => void;
}

/** How often the progress of a command is written down. */
const PROGRESS_EVERY_MS = 200;

/**
 * What operators and supervisors have of a running bot: commands through the control database, and what
 * health says.
 */
export class Operator {
  private readonly options: OperatorOptions;
  private readonly inbox: ControlInbox;
  private readonly ledger: LedgerWatch;
  private readonly notices = new Map<string, number>();
  private readonly endings: (() => void)[] = [];

  constructor(options: OperatorOptions) {
    this.options = options;
    this.inbox = new ControlInbox(options.config.data.folder);
    this.ledger = new LedgerWatch(options.ledgerFile, options.venue.ledgerSubjects);
  }

  /** Takes up a halt that holds from before, and listens to commands. */
  begin(): void {
    const { bot, onError } = this.options;
    const halted = this.inbox.isHalted();
    if (halted !== null && bot.engine.haltReason() === null) {
      const { reason, wholeAccount } = halted;
      bot.shell.control({ kind: 'halt', reason, wholeAccount });
    }
    // Locks that were set while no bot ran hold before anything is placed.
    for (const taken of this.takeWaiting()) this.take(taken);
    this.endings.push(this.inbox.listen((taken) => this.take(taken), onError));
  }

  count(notices: readonly EngineNotice[]): void {
    for (const notice of notices) {
      if (notice.kind !== 'notice') continue;
      this.notices.set(notice.level, (this.notices.get(notice.level) ?? 0) + 1);
    }
  }

  end(): void {
    for (const end of this.endings) end();
    this.inbox.close();
  }

  private takeWaiting(): readonly TakenCommand[] {
    try {
      return this.inbox.take();
    } catch (error) {
      // Another process writes: the next look takes them.
      this.options.onError(error);
      return [];
    }
  }

  private takeLock(id: number, command: LockCommand): void {
    const { shell, engine } = this.options.bot;
    const problem = lockProblem(command, engine);
    if (problem !== null) {
      this.options.onError(new Error(`a ${command.kind} was not taken: ${problem}`));
      this.inbox.done(id, { ok: false, message: problem, left: [] });
      return;
    }
    const before = engine.locks.active();
    shell.control(command);
    this.inbox.done(id, lockResult(command, { before, after: engine.locks.active() }));
  }

  private take({ id, command }: TakenCommand): void {
    const { shell, engine } = this.options.bot;
    if (command.kind === 'lock' || command.kind === 'unlock') {
      this.takeLock(id, command);
      return;
    }
    const before = engine.status().liveOrders;
    shell.control(command);
    if (command.kind === 'resume' || command.kind === 'accept-balances') {
      this.inbox.done(id, {
        ok: true,
        message:
          command.kind === 'resume'
            ? goesOnText(engine.locks.active())
            : 'the books start again from the balances of the exchange',
        left: [],
      });
      return;
    }
    const look = (): void => {
      const left = engine.status().liveOrders;
      if (left > 0) {
        this.inbox.progress(id, { left, closed: Math.max(0, before - left) });
        return;
      }
      clearInterval(timer);
      this.inbox.done(id, { ok: true, message: `${before} orders are canceled`, left: [] });
    };
    const timer = setInterval(look, PROGRESS_EVERY_MS);
    this.endings.push(() => clearInterval(timer));
    look();
  }

  /** What health asks. */
  source(): HealthSource {
    const { bot, mirror } = this.options;
    const { engine, shell, counts } = bot;
    return {
      heartbeatAgeMs: () => shell.heartbeatAgeMs(),
      mirrorFault: () => (mirror.isWritable() ? null : 'the mirror can not be written'),
      isDiskFull: () => mirror.isRunningOut(),
      phase: () => engine.status().phase,
      waitsFor: () => null,
      haltReason: () => engine.haltReason(),
      credentialFault: () => engine.credentialFault(),
      placingFault: () => this.ledger.look().placingFault ?? engine.orderManager.placer.closed(),
      breaks: () =>
        (engine.reconciler.break?.rows ?? []).map(
          ({ currency, expected, found }) => `expected ${expected} ${currency}, found ${found}`,
        ),
      doubts: () => engine.doubts(),
      lockouts: () => this.ledger.look().lockouts,
      locks: () =>
        engine.locks.active().map((lock) => ({ kind: engine.locks.kindOf(lock), said: lockReason(lock) })),
      dataAges: () => engine.dataAges(),
      budgets: () => this.ledger.look().budgets,
      requests: () => counts.outcomes(),
      ordersByState: () => engine.ordersByState(),
      noticesByLevel: () => Object.fromEntries(this.notices),
      strategies: () =>
        engine.instances.map(({ name, requests, fills }) => ({ strategy: name, requests, fills })),
    };
  }
}

function goesOnText(locks: readonly Lock[]): string {
  const paused = locks.flatMap(({ pauses, strategy }) => (pauses === true ? [strategy ?? ''] : []));
  return paused.length === 0 ? 'trading goes on' : `trading goes on; still paused: ${paused.join(', ')}`;
}
