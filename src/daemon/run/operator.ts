import { english, sentence, type Sentence, joinSentences } from '../../language/sentence.ts';
import {
  isByHand,
  type ByHandCommand,
  type LockCommand,
  type PromoteCommand,
  type ReloadCommand,
  type SignalCommand,
  type EngineNotice,
} from '../../engine/engine-event.ts';
import { messageOf } from '../../domain/errors.ts';
import { profitText } from '../../portfolio/profit.ts';
import { lockReason, type Lock, isSameScope, PAUSE, scopeText, untilText } from '../../engine/lock.ts';
import type { MirrorStore } from '../../mirror/mirror-store.ts';
import type { Venue } from '../../venues/venue.ts';
import { CancelWait, slowDiskFault, ControlInbox, type ReceivedCommand } from '../control/control-inbox.ts';
import type { CreatedBot } from './create-bot.ts';
import type { HealthSource, EquityState, LedgerWatch } from '../health-source.ts';
import type { BotConfig } from '../create-bot-config.ts';
import { equityFigure, profitFigure } from '../../domain/figure-name.ts';
import { formatUnits, parseUnits, type Units } from '../../domain/money.ts';
import { equityCurrencies, type FigureSource } from '../../mirror/read-series.ts';
import { drawdownOf, valuesOf, withoutDeposits, type ValueAt } from '../../portfolio/value-series.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ControlResult } from '../control-command.ts';

export interface OperatorOptions {
  readonly bot: CreatedBot;
  readonly config: BotConfig;
  readonly venue: Venue;
  readonly mirror: MirrorStore;
  readonly ledger: LedgerWatch;
  /** Loads a strategy anew; returns the function that puts it in its place. Throws with the reason. */
  readonly reload: (strategy: string) => Promise<() => void>;
  /** Prepares a promotion; returns the function that makes and stores it. Throws with the reason. */
  readonly promote: (command: PromoteCommand) => Promise<() => void>;
  readonly onError: (error: unknown) => void;
  /** Called with the reason why the orders of a halt or of the end wait, if none has closed for some time. */
  readonly onWait?: (message: string) => void;
}

/** Interval between writes of a command's progress, in ms. */
const PROGRESS_EVERY_MS = 200;

/**
 * Interface of operators and supervisors to a running bot: commands through the control database, and health
 * reports.
 */
export class Operator {
  private readonly options: OperatorOptions;
  private readonly inbox: ControlInbox;
  private readonly ledger: LedgerWatch;
  private readonly equity: EquityWatch;
  private readonly notices = new Map<string, number>();
  private readonly endings: (() => void)[] = [];
  private readonly cancelWait: CancelWait;
  /** Timers of the commands that are running. */
  private readonly following = new Set<NodeJS.Timeout>();
  private hasEnded = false;

  constructor(options: OperatorOptions) {
    this.options = options;
    this.inbox = new ControlInbox(options.config.data.folder);
    this.ledger = options.ledger;
    this.cancelWait = new CancelWait(options.venue, {
      ledgerFault: () => this.ledger.snapshot().placingFault,
      onWait: (why) => options.onWait?.(english(why)),
    });
    this.equity = new EquityWatch(options.mirror);
  }

  /** Restores a halt from before this run, and listens to commands. */
  begin(): void {
    const { bot, onError } = this.options;
    const halted = this.inbox.isHalted();
    if (halted !== null && bot.engine.haltReason() === null) {
      const { reason, wholeAccount } = halted;
      bot.shell.control({ kind: 'halt', reason, wholeAccount });
    }
    // Locks that were set while no bot ran hold before anything is placed.
    for (const received of this.drainWaiting()) this.apply(received);
    this.endings.push(this.inbox.listen((received) => this.apply(received), onError));
  }

  count(notices: readonly EngineNotice[]): void {
    for (const notice of notices) {
      if (notice.kind !== 'notice') continue;
      this.notices.set(notice.level, (this.notices.get(notice.level) ?? 0) + 1);
    }
  }

  end(): void {
    this.hasEnded = true;
    for (const end of this.endings) end();
    for (const timer of this.following) clearInterval(timer);
    this.inbox.close();
  }

  private drainWaiting(): readonly ReceivedCommand[] {
    try {
      return this.inbox.poll();
    } catch (error) {
      // Another process writes: the next poll accepts them.
      this.options.onError(error);
      return [];
    }
  }

  private applyLock(id: number, command: LockCommand): void {
    const { shell, engine } = this.options.bot;
    const problem = lockProblem(command, engine);
    if (problem !== null) {
      this.options.onError(new Error(`a ${command.kind} was not taken: ${english(problem)}`));
      this.inbox.done(id, { ok: false, message: problem, left: [] });
      return;
    }
    const before = engine.locks.active();
    shell.control(command);
    this.inbox.done(id, lockResult(command, { before, after: engine.locks.active() }));
  }

  /** Gives a command to the engine once, and follows it to its end; one that waited too long is not begun. */
  private applyByHand(received: ReceivedCommand & { readonly command: ByHandCommand }): void {
    const { id, command, isRepeated, postedAtMs } = received;
    const { shell, engine } = this.options.bot;
    const { key } = command;
    if (command.kind === 'place' && isRepeated && engine.byHand.stateOf(key) === null) {
      this.inbox.done(id, { ok: false, message: this.notPlacedText(), left: [] });
      return;
    }
    this.follow(() => {
      let state = engine.byHand.stateOf(key);
      if (state === null) {
        const tooLate = this.inbox.tooLateText(command, postedAtMs);
        if (tooLate !== null) {
          this.inbox.done(id, { ok: false, message: tooLate, left: [] });
          return true;
        }
        // If the position cannot be sold yet, canceling its orders now would leave it unprotected; and an
        // entry that cannot begin yet would be lost.
        const isAtOnce = command.kind === 'cancel' || command.kind === 'place';
        if (!isAtOnce && engine.status().phase === 'syncing') return false;
        shell.control(command);
        state = engine.byHand.stateOf(key);
      }
      if (state === null) return false;
      const { left, closed, end } = state;
      if (end === null) this.inbox.progress(id, { left, closed });
      else this.inbox.done(id, { ...end, left: [] });
      return end !== null;
    });
  }

  /** Gives a signal to the engine once, and follows it to its answer: it waits for strategies to start. */
  private applySignal({ id, postedAtMs }: ReceivedCommand, command: SignalCommand): void {
    const { shell, engine } = this.options.bot;
    // A signal without its own time is as old as its command.
    const sentAtMs = command.sentAtMs ?? postedAtMs;
    shell.control({ ...command, ageMs: this.inbox.sinceMs(sentAtMs) });
    this.follow(() => {
      const reply = engine.signals.replyTo(command);
      if (reply === null) return false;
      const { outcome, code, message } = reply;
      this.inbox.done(id, { ok: outcome === 'told', message, left: [], signal: { outcome, code } });
      return true;
    });
  }

  /** Gives a strategy other code or params, and reports why it stays as it is if that fails. */
  private async applyReload(id: number, command: ReloadCommand | PromoteCommand): Promise<void> {
    const { strategy } = command;
    try {
      const put =
        command.kind === 'reload' ? await this.options.reload(strategy) : await this.options.promote(command);
      if (this.hasEnded) throw new Error('the run is ending');
      put();
      if (command.kind === 'reload') this.options.bot.shell.control(command);
      const message =
        command.kind === 'reload'
          ? sentence('control-reloaded', { strategy })
          : sentence('control-promoted', { shadow: command.shadow });
      this.inbox.done(id, { ok: true, message, left: [] });
    } catch (error) {
      if (this.hasEnded) return;
      const reason = messageOf(error);
      this.options.onError(new Error(`${strategy} was not loaded anew: ${reason}`));
      this.inbox.done(id, {
        ok: false,
        message: sentence('control-not-reloaded', { strategy, reason }),
        left: [],
      });
    }
  }

  /** Returns why an order by hand that an earlier run had accepted is not placed now. */
  private notPlacedText(): Sentence {
    return this.options.bot.engine.orderManager.takeover.isPutBack
      ? sentence('control-placed-unknown')
      : sentence('control-not-placed');
  }

  /** Calls `isOver` at an interval until it returns true. */
  private follow(isOver: () => boolean): void {
    if (isOver()) return;
    const timer = setInterval(() => {
      if (!isOver()) return;
      clearInterval(timer);
      this.following.delete(timer);
    }, PROGRESS_EVERY_MS);
    this.following.add(timer);
  }

  private apply(received: ReceivedCommand): void {
    const { id, command } = received;
    const { shell, engine } = this.options.bot;
    if (isByHand(command)) {
      this.applyByHand({ ...received, command });
      return;
    }
    if (command.kind === 'signal') {
      this.applySignal(received, command);
      return;
    }
    if (command.kind === 'lock' || command.kind === 'unlock') {
      this.applyLock(id, command);
      return;
    }
    if (command.kind === 'reload' || command.kind === 'promote') {
      void this.applyReload(id, command);
      return;
    }
    const before = engine.status().liveOrders;
    shell.control(command);
    if (command.kind === 'resume' || command.kind === 'accept-balances') {
      this.inbox.done(id, {
        ok: true,
        message:
          command.kind === 'resume' ? goesOnText(engine.locks.active()) : sentence('control-books-anew'),
        left: [],
      });
      return;
    }
    this.follow(() => {
      const left = engine.status().liveOrders;
      if (left > 0) {
        this.inbox.progress(id, {
          left,
          closed: Math.max(0, before - left),
          waitsFor: this.cancelWait.update(left, performance.now()),
        });
      } else
        this.inbox.done(id, { ok: true, message: sentence('control-done', { count: before }), left: [] });
      return left === 0;
    });
  }

  /** Reports why the cancels at the end of the run wait, if none has come for some time. */
  checkCancels(): void {
    this.cancelWait.update(this.options.bot.engine.status().liveOrders, performance.now());
  }

  source(): HealthSource {
    const { bot, mirror } = this.options;
    const { engine, shell, counts, orderLatency } = bot;
    return {
      heartbeatAgeMs: () => shell.heartbeatAgeMs(),
      mirrorFault: () => mirror.writeFault(),
      isDiskFull: () => mirror.isRunningOut(),
      phase: () => engine.status().phase,
      waitsFor: () => null,
      haltReason: () => english(engine.haltReason()),
      credentialFault: () => english(engine.credentialFault()),
      placingFault: () =>
        this.ledger.snapshot().placingFault ??
        english(engine.slowMachine.fault() ?? engine.orderManager.placer.closed()),
      breaks: () =>
        (engine.reconciler.break?.rows ?? []).map(
          ({ currency, expected, found }) => `expected ${expected} ${currency}, found ${found}`,
        ),
      doubts: () =>
        [
          ...engine.doubts(),
          ...[
            slowDiskFault(this.options.venue, {
              openOrders: engine.status().liveOrders,
              withinMs: this.options.config.drain.withinMs,
            }),
          ].filter((fault) => fault !== null),
        ].map((fault) => english(fault)),
      lockouts: () => this.ledger.snapshot().lockouts,
      locks: () =>
        engine.locks
          .active()
          .map((lock) => ({ kind: engine.locks.kindOf(lock), text: english(lockReason(lock)) })),
      dataAges: () => engine.dataAges(),
      budgets: () => this.ledger.snapshot().budgets,
      requests: () => counts.outcomes(),
      ordersByState: () => engine.ordersByState(),
      noticesByLevel: () => Object.fromEntries(this.notices),
      strategies: () =>
        engine.instances.map((instance) => ({
          strategy: instance.name,
          requests: instance.requests,
          fills: instance.fills,
          orders: instance.orders,
          refusals: instance.tally.refusals(),
          made: profitText(instance.ledger, (symbol) => engine.markets.priceOf(symbol)),
        })),
      equity: () => this.equity.snapshot(),
      orderLatency: () => orderLatency.counts(),
      mirrorBytes: () => mirror.bytes(),
    };
  }
}

function goesOnText(locks: readonly Lock[]): Sentence {
  const paused = locks.flatMap(({ pauses, strategy }) => (pauses === true ? [strategy ?? ''] : []));
  return paused.length === 0
    ? sentence('control-goes-on')
    : sentence('control-goes-on-but', { strategies: paused.join(', ') });
}

/** Time for which the values read are reused, in ms: equity is written only every five minutes. */
const HOLDS_MS = 60_000;
const BASIS_POINTS = 10_000;

/** Values that were read for one currency. */
interface Followed {
  /** Value of the account; null while it has none, as in a break. */
  worth: Units | null;
  worthAtMs: number;
  /** Highest and last value of the profit; null before any. */
  highest: ValueAt | null;
  last: ValueAt | null;
}

/**
 * The equity that the bot wrote last, for health. A mirror of a year has ten thousand values, which take tens
 * of ms to read: all are read once, at the first request, and later only the new ones.
 */
export class EquityWatch {
  private readonly source: FigureSource;
  private readonly steadyMs: () => number;
  /** Values by currency: one entry for each quote currency of the strategies. */
  private readonly followed = new Map<string, Followed>();
  private readAtMs = Number.NEGATIVE_INFINITY;
  private seen: readonly EquityState[] = [];

  /** `steadyMs` reads a clock that is never set, in ms. */
  constructor(source: FigureSource, steadyMs: () => number = () => performance.now()) {
    this.source = source;
    this.steadyMs = steadyMs;
  }

  snapshot(): readonly EquityState[] {
    const nowMs = this.steadyMs();
    if (nowMs - this.readAtMs < HOLDS_MS) return this.seen;
    this.readAtMs = nowMs;
    this.seen = equityCurrencies(this.source).flatMap((currency) => {
      const followed = this.follow(currency);
      const { worth } = followed;
      return worth === null
        ? []
        : [{ currency, value: formatUnits(worth), drawdown: drawdownIn(followed, worth) }];
    });
    return this.seen;
  }

  /** Reads the values of a currency that were written since the last reading. */
  private follow(currency: string): Followed {
    const known = this.followed.get(currency) ?? { worth: null, worthAtMs: -1, highest: null, last: null };
    this.followed.set(currency, known);
    const worth = this.after(equityFigure(currency), known.worthAtMs).at(-1);
    if (worth !== undefined) {
      known.worth = worth.value === null ? null : parseUnits(worth.value);
      known.worthAtMs = worth.atMs;
    }
    for (const made of valuesOf(this.after(profitFigure(null, currency), known.last?.atMs ?? -1))) {
      if (known.highest === null || made.value > known.highest.value) known.highest = made;
      known.last = made;
    }
    return known;
  }

  private after(name: string, atMs: number): ReturnType<FigureSource['figures']> {
    const most = Number.MAX_SAFE_INTEGER;
    return this.source.figures(name, { fromMs: atMs + 1, toMs: Number.MAX_SAFE_INTEGER, most });
  }
}

function drawdownIn({ highest, last }: Followed, worth: Units): number | null {
  if (highest === null || last === null) return null;
  const bps = drawdownOf(withoutDeposits([highest, last], worth))?.now.depthBps ?? null;
  return bps === null ? null : bps / BASIS_POINTS;
}

/**
 * Returns why a running bot cannot accept a lock by hand, such as one of a market that it lacks; null if it
 * can.
 */
function lockProblem(
  command: LockCommand,
  { markets, instances }: Pick<Engine, 'markets' | 'instances'>,
): Sentence | null {
  const { strategy, market } = command;
  if (command.kind === 'lock' && command.pauses === true && (strategy === null || market !== null))
    return sentence('lock-pause-scope', { scope: scopeText(command) });
  if (market !== null && markets.get(market) === undefined) {
    const known = [...markets.all()].map((state) => state.market.symbol);
    return sentence('not-a-market', { markets: known.join(', '), market });
  }
  const names = instances.map(({ name }) => name);
  return strategy === null || names.includes(strategy)
    ? null
    : sentence('not-a-strategy', { strategies: names.join(', '), strategy });
}

/** Returns the result of a lock command, from the locks before and after it. */
function lockResult(
  command: LockCommand,
  { before, after }: { readonly before: readonly Lock[]; readonly after: readonly Lock[] },
): ControlResult {
  return command.kind === 'lock' ? lockedResult(command, after) : unlockedResult(command, before, after);
}

function lockedResult(
  command: Extract<LockCommand, { kind: 'lock' }>,
  after: readonly Lock[],
): ControlResult {
  const lock = after.find(
    (one) => one.rule === null && one.name === command.name && isSameScope(one, command),
  );
  if (lock === undefined)
    return { ok: false, message: sentence('lock-not-taken', { lock: command.name }), left: [] };
  const isLonger = lock.endsAtMs > command.untilMs;
  if (lock.pauses !== true)
    return { ok: true, message: holdsText(lock, isLonger ? 'lock-holds-longer' : 'lock-holds'), left: [] };
  const message = sentence(isLonger ? 'paused-longer' : 'paused', {
    strategy: lock.strategy ?? 'it',
    until: untilText(lock.endsAtMs),
    entries: sentence(lock.entries === 'cancel' ? 'entries-canceled' : 'entries-stay'),
  });
  return { ok: true, message, left: [] };
}

function unlockedResult(
  command: Extract<LockCommand, { kind: 'unlock' }>,
  before: readonly Lock[],
  after: readonly Lock[],
): ControlResult {
  const ended = before.filter((lock) => !after.includes(lock));
  const resumed = ended.flatMap(({ pauses, strategy }) => (pauses === true ? [strategy ?? ''] : []));
  const still = after.filter(
    (lock) =>
      command.isAll || command.market === null || lock.market === null || lock.market === command.market,
  );
  const message = joinSentences('both', [
    ended.length === 0
      ? command.name === PAUSE
        ? sentence('was-not-paused', { strategy: command.strategy ?? 'it' })
        : sentence('no-such-lock')
      : sentence('locks-ended', {
          locks: ended.map((lock) => `${lock.name} of ${scopeText(lock)}`).join(', '),
        }),
    ...(resumed.length === 0 ? [] : [sentence('told-again', { strategies: resumed.join(', ') })]),
    ...(still.length === 0
      ? []
      : [
          sentence('locks-still', {
            locks: joinSentences(
              'both',
              still.map((lock) => holdsText(lock)),
            ),
          }),
        ]),
  ]);
  return { ok: ended.length > 0, message, left: [] };
}

function holdsText(lock: Lock, code: 'lock-holds' | 'lock-holds-longer' = 'lock-holds'): Sentence {
  return sentence(code, { lock: lock.name, scope: scopeText(lock), until: untilText(lock.endsAtMs) });
}
