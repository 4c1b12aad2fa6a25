import { readLedger } from '../budget/ledger-report.ts';
import { beginsText, tradingBegins } from '../budget/trading-begins.ts';
import { monotonicMs } from '../budget/process-owner.ts';
import type { EngineNotice } from '../engine/engine-command.ts';
import type { MirrorStore } from '../mirror/mirror-store.ts';
import type { BotVenue } from './bot-venue.ts';
import { ControlInbox, type TakenCommand } from './control/control-inbox.ts';
import type { CreatedBot } from './create-bot.ts';
import { HealthServer } from './health/health-server.ts';
import type { BudgetUse, HealthSource, LockoutState } from './health/health-source.ts';
import type { Lock } from './locks/lock.ts';
import type { BotConfig } from './settings/create-bot-config.ts';

export interface OperatorOptions {
  readonly bot: CreatedBot;
  readonly config: BotConfig;
  readonly venue: BotVenue;
  readonly mirror: MirrorStore;
  readonly lock: Lock;
  /** The ledger's file; null where it is in memory. */
  readonly ledgerFile: string | null;
  readonly onError: (error: unknown) => void;
}

/** How often the progress of a command is written down. */
const PROGRESS_EVERY_MS = 200;

/** A report of the ledger is read from its file; one this young is good enough. */
const REPORT_LASTS_MS = 1_000;

/** What operators and supervisors have of a running bot: commands through the control database, and health over HTTP. */
export class Operator {
  private readonly options: OperatorOptions;
  private readonly inbox: ControlInbox;
  private readonly health: HealthServer | null;
  private readonly notices = new Map<string, number>();
  private readonly endings: (() => void)[] = [];
  private report: {
    readonly atMs: number;
    /** Why no order can leave yet, as after a ledger was made anew. */
    readonly placingFault: string | null;
    readonly budgets: readonly BudgetUse[];
    readonly lockouts: readonly LockoutState[];
  } = {
    atMs: Number.NEGATIVE_INFINITY,
    placingFault: null,
    budgets: [],
    lockouts: [],
  };

  constructor(options: OperatorOptions) {
    this.options = options;
    const { host, port } = options.config.health;
    this.inbox = new ControlInbox(options.config.data.folder);
    this.health = port === null ? null : new HealthServer({ source: this.source(), host, port });
  }

  /** Takes up a halt that holds from before, and begins to listen. Answers the address of the health server, if there is one. */
  async begin(): Promise<string | null> {
    const { bot, lock, onError } = this.options;
    const halted = this.inbox.isHalted();
    if (halted !== null && bot.engine.haltReason() === null) {
      const { reason, wholeAccount } = halted;
      bot.shell.control({ kind: 'halt', reason, wholeAccount });
    }
    this.endings.push(this.inbox.listen((taken) => this.take(taken), onError));
    const address = (await this.health?.listen()) ?? null;
    if (address !== null) lock.tellHealth(address);
    return address;
  }

  count(notices: readonly EngineNotice[]): void {
    for (const notice of notices) {
      if (notice.kind !== 'notice') continue;
      this.notices.set(notice.level, (this.notices.get(notice.level) ?? 0) + 1);
    }
  }

  async end(): Promise<void> {
    for (const end of this.endings) end();
    this.inbox.close();
    await this.health?.close();
  }

  private take({ id, command }: TakenCommand): void {
    const { shell, engine } = this.options.bot;
    const before = engine.status().liveOrders;
    shell.control(command);
    if (command.kind === 'resume' || command.kind === 'accept-balances') {
      this.inbox.done(id, {
        ok: true,
        message: command.kind === 'resume' ? 'trading goes on' : 'the books begin anew',
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

  private source(): HealthSource {
    const { bot, mirror } = this.options;
    const { engine, shell, counts } = bot;
    return {
      heartbeatAgeMs: () => shell.heartbeatAgeMs(),
      mirrorFault: () => (mirror.isWritable() ? null : 'the mirror can not be written'),
      isDiskFull: () => mirror.isRunningOut(),
      phase: () => engine.status().phase,
      haltReason: () => engine.haltReason(),
      credentialFault: () => engine.credentialFault(),
      placingFault: () => this.ledgerReport().placingFault ?? engine.desk.closed(),
      breaks: () =>
        (engine.reconciler.break?.rows ?? []).map(
          ({ currency, expected, found }) => `expected ${expected} ${currency}, found ${found}`,
        ),
      doubts: () => engine.doubts(),
      lockouts: () => this.ledgerReport().lockouts,
      dataAges: () => engine.dataAges(),
      budgets: () => this.ledgerReport().budgets,
      requests: () => counts.outcomes(),
      ordersByState: () => engine.ordersByState(),
      noticesByLevel: () => Object.fromEntries(this.notices),
      strategies: () => engine.seats.map(({ name, requests, fills }) => ({ strategy: name, requests, fills })),
    };
  }

  private ledgerReport(): typeof this.report {
    const { ledgerFile } = this.options;
    const nowMs = monotonicMs();
    if (ledgerFile === null || nowMs - this.report.atMs < REPORT_LASTS_MS) return this.report;
    try {
      const rows = readLedger(ledgerFile, nowMs);
      const begins = tradingBegins(rows, new Set(this.options.venue.ledgerSubjects));
      this.report = {
        atMs: nowMs,
        placingFault: begins.why === 'unknown' ? beginsText(begins) : null,
        budgets: rows.map(({ budget, subject, inUse, limit }) => ({ budget, subject, inUse, limit })),
        lockouts: rows.flatMap(({ budget, lockedForMs }) =>
          lockedForMs === null ? [] : [{ budget, forMs: lockedForMs }],
        ),
      };
    } catch {
      // Somebody has it locked: what was read before is good enough.
      this.report = { ...this.report, atMs: nowMs };
    }
    return this.report;
  }
}
