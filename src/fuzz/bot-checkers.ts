import type { EngineOutput, EngineEvent } from '../engine/engine-event.ts';
import type { Engine } from '../engine/engine.ts';
import { drawnApproval, drawnUniverse, givenCoins, INSTANCE, lockRulesOf } from './bot-engine.ts';
import {
  ApprovalChecker,
  NoteChecker,
  BarChecker,
  ByHandChecker,
  SignalChecker,
  VandalChecker,
} from './checkers/by-hand-checker.ts';
import { BracketWatch } from './checkers/protection-checker.ts';
import { DustChecker, FundsChecker, type TrueFunds } from './checkers/exposure-checker.ts';
import {
  truthOf,
  type ExchangeTruth,
  NONE_REFUSED,
  type Violation,
  type WireWitness,
} from './checkers/exchange-truth.ts';
import { OtherPriceChecker } from './other-exchange.ts';
import { FigureChecker } from './checkers/figure-checker.ts';
import { ForeignChecker, RejectionChecker } from './checkers/order-checker.ts';
import {
  FreshnessChecker,
  JournalChecker,
  OverlapChecker,
  PauseChecker,
} from './checkers/freshness-checker.ts';
import { LockChecker } from './checkers/lock-checker.ts';
import { LockoutChecker, LoweredLimitChecker } from './checkers/budget-checker.ts';
import {
  OrphanChecker,
  PositionChecker,
  SharesChecker,
  UniverseChecker,
} from './checkers/position-checker.ts';
import { madeTransfers, TransferChecker } from './checkers/transfer-checker.ts';
import { isLimit, type Coverage } from './coverage.ts';
import { readOrderName } from '../engine/order-names.ts';
import { IN_APPROVAL, IN_CLOSE, IN_LEFT, IN_LOCK, type LikelyCrash } from './bot-life.ts';
import type { ReplyMutator } from './reply-mutator.ts';
import type { Swarm } from './swarm.ts';
import { TREASURER } from './workload/roamer.ts';
import { BOT_USER, type FuzzWorld } from './world.ts';

interface BotCheckersOptions {
  readonly world: FuzzWorld;
  readonly swarm: Swarm;
  readonly mirrorPath: string;
  readonly coverage: Coverage;
  /** Mutator that makes replies wrong; null if there is none. */
  readonly mutator: ReplyMutator | null;
  /** Called at a moment when a crash tests more than at others. */
  readonly onMoment: (crash: LikelyCrash) => void;
}

/** All checkers of a bot: they watch its lives and report their violations at the end. */
export class BotCheckers {
  readonly brackets = new BracketWatch();
  readonly signals = new SignalChecker();
  readonly otherPrice: OtherPriceChecker;
  private readonly options: BotCheckersOptions;
  private readonly journal: JournalChecker;
  private readonly lockouts = new LockoutChecker();
  private readonly lowered: LoweredLimitChecker;
  private readonly foreign = new ForeignChecker(INSTANCE);
  private readonly overlap = new OverlapChecker();
  private readonly freshness = new FreshnessChecker();
  private readonly vandal = new VandalChecker();
  private readonly rejections = new RejectionChecker();
  private readonly universe: UniverseChecker | null;
  readonly locks: LockChecker;
  private readonly byHand: ByHandChecker;
  private readonly pauses = new PauseChecker();
  private readonly approvals: ApprovalChecker;
  private readonly notes: NoteChecker;
  private readonly dust = new DustChecker();
  private readonly funds = new FundsChecker();
  private readonly shares = new SharesChecker();
  readonly transfers: TransferChecker;
  readonly figures: FigureChecker;
  private readonly orphans = new OrphanChecker();
  private readonly bars: BarChecker;
  readonly positions: PositionChecker;
  /** True if money moved other than by a trade: the books learn of it later. */
  isMoneyMoved = false;
  /** True if a limit reply named a lower limit. */
  private isLimitLowered = false;
  private mayBeLockedOut = false;

  constructor(options: BotCheckersOptions) {
    this.options = options;
    const { coverage, mirrorPath, swarm, onMoment } = options;
    this.otherPrice = new OtherPriceChecker((what) => coverage.count(what));
    this.lowered = new LoweredLimitChecker(() => {
      coverage.count('limit reply that lowers');
      this.isLimitLowered = true;
      this.holdLower();
    });
    const universe = drawnUniverse(swarm.seed);
    this.universe = universe === null ? null : new UniverseChecker(universe);
    const { rules: markets, tested } = options.world;
    const given = givenCoins({ seed: swarm.seed, markets, onVandal: () => {}, tested });
    this.locks = new LockChecker({
      instance: INSTANCE,
      given,
      rules: lockRulesOf(swarm.seed),
      count: (what) => {
        coverage.count(what);
        if (what === 'lock begun') onMoment(IN_LOCK);
      },
    });
    this.byHand = new ByHandChecker({
      instance: INSTANCE,
      given,
      count: (what) => {
        coverage.count(what);
        if (what === 'close sells') onMoment(IN_CLOSE);
      },
    });
    this.approvals = new ApprovalChecker(drawnApproval(swarm.seed), (what) => {
      coverage.count(what);
      if (what === 'entry approved') onMoment(IN_APPROVAL);
    });
    this.notes = new NoteChecker(mirrorPath, (what) => coverage.count(what));
    this.bars = new BarChecker(options.world.exchange);
    this.positions = new PositionChecker((what) => coverage.count(what));
    this.journal = new JournalChecker(mirrorPath);
    this.transfers = new TransferChecker(mirrorPath);
    this.figures = new FigureChecker({
      instance: INSTANCE,
      mirrorPath,
      idBehind: options.world.idBehind,
      count: (what) => coverage.count(what),
      truth: () => ({
        truth: truthOf(options.world.exchange, BOT_USER, options.world.venue.timeMs),
        mustAgree: !this.isMoneyMoved && this.canJudgeFunds && !this.mayLoseTrades,
      }),
    });
  }

  /** Called when a life begins; it does not know yet which books stand still. */
  begins(): void {
    this.freshness.begins();
    this.otherPrice.begins();
    this.notes.begins();
  }

  /** Checkers that see each request as it is sent. */
  get witnesses(): readonly WireWitness[] {
    const { journal, transfers, lockouts, lowered, foreign, overlap, freshness } = this;
    return [journal, transfers, lockouts, lowered, foreign, overlap, freshness];
  }

  /** Checkers that see the requests of every process of the account. */
  get accountWitnesses(): readonly WireWitness[] {
    return [this.lockouts, this.foreign];
  }

  /** Names of orders that the bot saw refused, and that may exist all the same. */
  get refusedNames(): ReadonlySet<string> {
    return this.options.mutator?.refusedNames ?? NONE_REFUSED;
  }

  /** Returns the refused names, and a name for each strategy whose books a person changed. */
  get unjudgedNames(): ReadonlySet<string> {
    const { moved } = this.positions;
    return new Set([...this.refusedNames, ...[...moved].map((strategy) => `${INSTANCE}-${strategy}-`)]);
  }

  /** Checks a step of the bot; `engine` is null while none runs. */
  watch(
    engine: Engine | null,
    { event, output }: { readonly event: EngineEvent; readonly output: EngineOutput },
    isLockedOut: () => boolean,
  ): void {
    const { coverage, swarm, onMoment } = this.options;
    const nowMs = this.options.world.time.now();
    if (engine !== null) {
      this.vandal.watch(engine, output, nowMs);
      if (event.kind !== 'opens') {
        this.locks.watch(engine, output, event.atMs, nowMs + swarm.clockSkewMs);
        this.byHand.watch(engine, output, event.atMs, nowMs + swarm.clockSkewMs);
        this.pauses.watch(output, event.atMs);
        this.approvals.watch(event, output);
        this.notes.watch(event, output);
        this.positions.watch(output);
        this.otherPrice.watch(output, nowMs);
        if (output.requests.some(({ call }) => call.kind === 'transfer')) this.isMoneyMoved = true;
        this.figures.watch(engine, output, event.atMs);
        this.orphans.watch(engine, output, event.atMs);
        for (const timeframe of this.bars.watch(output.changes, nowMs + swarm.clockSkewMs))
          coverage.count(`bar of ${timeframe} off the hours of UTC`);
        if (swarm.putBack === null)
          coverage.count('brackets that took dust', this.dust.watch(engine, output));
      }
    }
    if (engine !== null && this.universe !== null) {
      for (const notice of this.universe.watch(engine, event, output, nowMs)) {
        coverage.universe(notice);
        if (notice.left.some((market) => notice.kept.includes(market))) onMoment(IN_LEFT);
      }
    }
    const accepted = {
      idOf: (name: string) =>
        this.options.world.bot.orders.values().find((order) => order.clientOrderId === name)?.id ?? null,
      refused: this.refusedNames,
    };
    this.rejections.watch(output, accepted, nowMs);
    if (swarm.putBack === null) this.shares.watch(output);
    if (this.canJudgeFunds)
      this.funds.watch(output, (currency, strategy) => this.fundsOf(engine, currency, strategy), nowMs);
    this.watchBrackets(engine, { event, output }, isLockedOut);
  }

  /** Called when a life has ended. */
  died(): void {
    this.brackets.hold('dead or not ready', true, this.options.world.time.now());
    if (this.locks.isLocked) this.options.coverage.count('crash in a lock');
    this.locks.died();
    if (this.pauses.isPausing) this.options.coverage.count('crash in a pause');
    this.pauses.died();
    this.dust.died();
  }

  /** Called before the mirror is restored from its copy. */
  putBack(): void {
    const nowMs = this.options.world.time.now();
    this.brackets.endAll(nowMs);
    this.brackets.hold('dead or not ready', true, nowMs);
    if (this.isLimitLowered) this.holdLower();
    this.journal.forgetFile();
    this.transfers.forgetFile();
    this.locks.forget();
    this.byHand.forget();
    this.pauses.forget();
    this.approvals.forget();
    this.notes.forget();
    this.signals.forget();
  }

  /** Called when somebody else used the account. */
  disturbed(): void {
    this.funds.disturbed(this.options.world.time.now());
  }

  /** Returns the violations in sent requests, over all lives. */
  violations(truth: ExchangeTruth): readonly Violation[] {
    const { exitNames } = this.options.coverage;
    return [
      ...this.journal.violations(),
      ...this.lockouts.violations(),
      ...this.lowered.violations(),
      ...this.foreign.violations(truth),
      ...this.overlap.violations(),
      ...this.freshness.violations(exitNames),
      ...this.otherPrice.violations(),
      ...this.vandal.violations(),
      ...this.rejections.violations(),
      ...(this.universe?.violations() ?? []),
      ...this.locks.violations(truth, { refused: this.unjudgedNames, exits: exitNames }),
      ...this.byHand.violations(truth, this.unjudgedNames),
      ...this.positions.violations(),
      ...this.pauses.violations(),
      ...this.approvals.violations(),
      ...this.notes.violations(),
      ...this.dust.violations(),
      ...this.funds.violations(),
      ...this.shares.violations(),
      ...this.figures.violations(),
      ...this.orphans.violations(truth),
      ...this.bars.violations(),
      ...this.transferViolations(),
    ];
  }

  /** Closes the file. */
  close(): void {
    this.journal.close();
  }

  /**
   * Notes that exits may wait: the bot obeys a lower limit for a day, even once the exchange has restored it,
   * and with few slots one or two lost answers block them all for a quarter of an hour.
   */
  private holdLower(): void {
    this.brackets.hold('told a lower limit', true, this.options.world.time.now());
  }

  private transferViolations(): readonly Violation[] {
    const { world, coverage, mutator } = this.options;
    const made = madeTransfers(world.exchange, BOT_USER);
    const { violations, unknown } = this.transfers.judge({
      made,
      spoiled: mutator?.spoiledTransfers ?? NONE_REFUSED,
      strategy: TREASURER.name,
    });
    for (const key of unknown)
      coverage.count(`unknown transfers that were ${made.has(key) ? 'made' : 'not made'}`);
    return violations;
  }

  /** False if replies are wrong or the mirror was restored: missing money is then no fault of the bot. */
  private get canJudgeFunds(): boolean {
    const { wrongReplies, putBack } = this.options.swarm;
    return wrongReplies === null && putBack === null;
  }

  /** True if the list of trades can hide trades of others, which the books learn by the wallet's lines. */
  private get mayLoseTrades(): boolean {
    return this.options.swarm.tradeHabits.listedMs !== null;
  }

  private fundsOf(engine: Engine | null, currency: string, strategy: string): TrueFunds {
    const { exchange, bot } = this.options.world;
    const wallet = exchange.accounts.walletsOf(BOT_USER).find((one) => one.currency === currency);
    const own = bot.open
      .values()
      .filter(
        ({ clientOrderId, payingWallet }) =>
          clientOrderId?.startsWith(`${INSTANCE}-`) === true && payingWallet.currency === currency,
      );
    const heldBy = (orders: typeof own): bigint => orders.reduce((sum, { held }) => sum + held, 0n);
    const instance = engine?.instances.find(({ name }) => name === strategy);
    return {
      total: wallet?.total ?? 0n,
      heldByOwn: heldBy(own),
      heldByStrategy: heldBy(
        own.filter(({ clientOrderId }) => readOrderName(clientOrderId)?.strategy === strategy),
      ),
      bought: instance?.ledger.state.holdings.get(currency)?.held ?? 0n,
    };
  }

  /** Notes at each step, at little cost, what prevents exits from being placed. */
  private watchBrackets(
    engine: Engine | null,
    { event, output }: { readonly event: EngineEvent; readonly output: EngineOutput },
    isLockedOut: () => boolean,
  ): void {
    const nowMs = this.options.world.time.now();
    const { brackets } = this;
    if (event.kind === 'answer' && (isLimit(event.answer) || event.answer.outcome === 'failed'))
      this.mayBeLockedOut = true;
    if (this.mayBeLockedOut) this.mayBeLockedOut = isLockedOut();
    brackets.hold('locked out', this.mayBeLockedOut, nowMs);
    brackets.hold('dead or not ready', engine === null || engine.closedReason() !== null, nowMs);
    brackets.apply(output, nowMs);
  }
}
