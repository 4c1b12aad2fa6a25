import { EnginePart } from '../engine-settings.ts';
import { lengthText } from '../../domain/time-text.ts';
import { retainNewest } from '../../domain/retain-newest.ts';
import { english, sentence, type Sentence } from '../../language/sentence.ts';
import { BY_HAND_TAG, STATES_ONCE_SENT, type OrderRecord } from '../../records/order.ts';
import type { AtOnceCommand, ByHandCommand, NoteCommand, PlaceCommand } from '../engine-event.ts';
import type { IntentRouter } from '../strategies/intent-router.ts';
import type { OrderManager } from '../orders/order-manager.ts';
import { leftBehind } from '../exits.ts';
import { CancelByHand, ended, type ByHandState, type CancelByHandOptions } from './cancel-by-hand.ts';
import { CloseByHand, type CloseByHandOptions } from './close-by-hand.ts';
import { PositionByHand, type PositionByHandOptions } from './position-by-hand.ts';
import { restored, type DoneCommand, type Placed, type StoredTexts } from '../stored-records.ts';

/** Maximum number of manual orders that are remembered. A repeated command is recognized by its key. */
const MOST_PLACED = 200;

/** Maximum number of dry runs whose results are remembered, in memory alone. */
const MOST_CHECKED = 50;

export interface PlaceByHandOptions extends Pick<CloseByHandOptions, 'outbox' | 'instanceOf' | 'onChange'> {
  readonly orderManager: OrderManager;
  readonly router: IntentRouter;
}

/**
 * Places a person's orders for strategies, each command once. The result of a command is stored together with
 * the order, so after a crash it is known whether it was done.
 */
export class PlaceByHand extends EnginePart<PlaceByHandOptions> {
  private readonly placed = new Map<string, Placed>();
  /** Results of dry runs, by the key of the command. */
  private readonly checked = new Map<string, ByHandState>();
  /** Key of the command of each order whose answer is awaited, by client order id. */
  private readonly awaited = new Map<string, string>();
  /** Awaited orders that were in flight when the process ended; a search for them runs. */
  private readonly searched = new Set<string>();

  constructor(options: PlaceByHandOptions) {
    super(options);
    const { blotter } = options.orderManager;
    blotter.listen(STATES_ONCE_SENT, (order) => this.onAnswered(order), this.awaited);
  }

  /** Places the order, or only checks it, unless a command with this key came before. */
  apply(command: PlaceCommand): void {
    if (this.placed.has(command.key)) return;
    const { key, isDryRun = false } = command;
    const { nowMs } = this.options.outbox;
    const terms = termsOf(command);
    const refusal = this.twinOf(terms, nowMs);
    const made = refusal === null ? this.place(command) : { ok: false as const, reason: refusal };
    const clientOrderId = made.ok ? made.key : null;
    const allowed = clientOrderId === null ? sentence('place-allowed') : pendingText(clientOrderId);
    const message = made.ok ? allowed : made.reason;
    if (isDryRun) {
      this.checked.set(key, ended(made.ok, message));
      retainNewest(this.checked, MOST_CHECKED);
      return;
    }
    this.note({ key, atMs: nowMs, terms, ok: made.ok, clientOrderId, message });
    if (clientOrderId === null) {
      this.options.outbox.info(`${command.strategy}: an order by hand was refused: ${english(message)}`);
      return;
    }
    this.awaited.set(clientOrderId, key);
    const order = this.options.orderManager.blotter.table.get(clientOrderId);
    if (order !== undefined) this.onAnswered(order);
  }

  stateOf(key: string): ByHandState | null {
    const placed = this.placed.get(key);
    if (placed === undefined) return this.checked.get(key) ?? null;
    const { ok, message, clientOrderId } = placed;
    if (clientOrderId === null) return ended(ok, message);
    if (this.awaited.has(clientOrderId)) return { left: 1, closed: 0, end: null };
    return { left: 0, closed: 0, end: { ok, message, placed: [clientOrderId] } };
  }

  /** Returns the placed orders to store, oldest first. */
  stored(): Placed[] {
    return [...this.placed.values()];
  }

  restore(placed: readonly Placed[]): void {
    for (const one of placed) this.placed.set(one.key, one);
    for (const one of placed) this.awaitAgain(one);
  }

  /**
   * Awaits the answer to an order that was in flight when the process ended, so that its result is still
   * reported.
   */
  private awaitAgain({ key, clientOrderId, message }: Placed): void {
    if (clientOrderId === null || message !== pendingText(clientOrderId)) return;
    const order = this.options.orderManager.blotter.table.get(clientOrderId);
    if (order === undefined) return;
    this.awaited.set(clientOrderId, key);
    this.searched.add(clientOrderId);
    this.onAnswered(order);
  }

  /** Returns why the order is refused: another command placed the same one a moment ago. Null if none did. */
  private twinOf(terms: string, nowMs: number): Sentence | null {
    const windowMs = this.options.orderManager.blotter.venue.identicalOrdersMs;
    for (const one of this.placed.values()) {
      const agoMs = nowMs - one.atMs;
      if (!one.ok || one.clientOrderId === null || one.terms !== terms || agoMs >= windowMs) continue;
      return sentence('place-repeated', {
        ago: lengthText(agoMs),
        order: one.clientOrderId,
        wait: lengthText(windowMs - agoMs),
      });
    }
    return null;
  }

  private place(
    command: PlaceCommand,
  ): { readonly ok: true; readonly key: string | null } | { readonly ok: false; readonly reason: Sentence } {
    const instance = this.options.instanceOf(command.strategy);
    if (instance === undefined)
      return { ok: false, reason: sentence('no-strategy', { strategy: command.strategy }) };
    const { market, side, amount, price, stopPrice, isDryRun = false } = command;
    const intent = {
      kind: 'place' as const,
      market,
      side,
      amount,
      ...(price === null ? {} : { price }),
      ...(stopPrice === null ? {} : { stopPrice }),
      tag: BY_HAND_TAG,
    };
    const made = this.options.router.placeByHand(instance, intent, isDryRun);
    return made.ok
      ? made
      : { ok: false, reason: sentence('place-refused', { code: made.code, reason: made.reason }) };
  }

  private onAnswered(order: OrderRecord): void {
    const key = this.awaited.get(order.key);
    const before = key === undefined ? undefined : this.placed.get(key);
    if (before === undefined || order.state === 'sending' || order.state === 'planned') return;
    if (order.state === 'unknown' && this.searched.has(order.key)) return;
    this.awaited.delete(order.key);
    this.searched.delete(order.key);
    const ok = order.state !== 'rejected';
    this.note({
      ...before,
      ok,
      message: sentence('of-subject', { subject: order.key, said: answerText(order) }),
    });
  }

  private note(placed: Placed): void {
    const { outbox, onChange } = this.options;
    this.placed.set(placed.key, placed);
    retainNewest(this.placed, MOST_PLACED);
    outbox.journal('control', 'place result', { ...placed });
    onChange();
  }
}

function pendingText(order: string): Sentence {
  return sentence('place-pending', { order });
}

function termsOf({ strategy, market, side, amount, price, stopPrice }: PlaceCommand): string {
  return JSON.stringify([strategy, market, side, amount, price, stopPrice]);
}

function answerText({ state, reason }: OrderRecord): Sentence {
  if (state === 'rejected') return sentence('place-rejected', { reason: reason ?? sentence('no-reason') });
  if (state === 'unknown') return sentence('place-unclear');
  return state === 'open' ? sentence('place-open') : sentence('place-is', { state });
}

type ByHandOptions = Omit<
  CancelByHandOptions & CloseByHandOptions & PlaceByHandOptions & PositionByHandOptions,
  'instanceOf' | 'leftBehind' | 'onChange' | 'closingOf'
>;

/** Maximum number of commands done at once that are remembered. A repeated command is known by its key. */
const MOST_DONE = 200;

/** Carries out a person's commands on orders and positions while the bot runs. */
export class ByHand extends EnginePart<ByHandOptions> {
  private readonly canceling: CancelByHand;
  readonly closing: CloseByHand;
  private readonly placing: PlaceByHand;
  private readonly positions: PositionByHand;
  /** Results of the commands that are done at once, by key. */
  private readonly done = new Map<string, DoneCommand>();
  /** True if something has changed since the last `store`. */
  isChanged = false;

  constructor(options: ByHandOptions) {
    super(options);
    const { instances, orderManager, markets } = options;
    const shared = {
      ...options,
      instanceOf: (strategy: string) => instances.find(({ name }) => name === strategy),
      leftBehind: () =>
        leftBehind({ unfinished: orderManager.blotter.table.unfinished(), instances, markets }),
      onChange: () => {
        this.isChanged = true;
      },
    };
    this.canceling = new CancelByHand(shared);
    this.closing = new CloseByHand(shared);
    this.placing = new PlaceByHand(shared);
    this.positions = new PositionByHand({
      ...shared,
      closingOf: (strategy, coin) => this.closing.closingOf(strategy, [coin]),
    });
  }

  /** Carries out a command, unless one with the same key was carried out before. */
  apply(command: ByHandCommand): void {
    const { outbox } = this.options;
    if (command.kind !== 'place' || command.isDryRun !== true) {
      outbox.durable();
      outbox.journal('control', command.kind, { ...command });
    }
    if (command.kind === 'cancel') this.canceling.apply(command);
    else if (command.kind === 'close') this.closing.apply(command);
    else if (command.kind === 'place') this.placing.apply(command);
    else this.applyAtOnce(command);
  }

  /** Carries out a command whose result is stored in the same step: it is done once or not at all. */
  private applyAtOnce(command: AtOnceCommand): void {
    const { key, kind } = command;
    if (this.done.has(key)) return;
    const { outbox, approvals } = this.options;
    const result =
      kind === 'position'
        ? this.positions.apply(command)
        : kind === 'note'
          ? this.note(command)
          : approvals.apply(command);
    this.done.set(key, { key, ...result });
    retainNewest(this.done, MOST_DONE);
    outbox.journal('control', `${kind} result`, { key, ...result });
    this.isChanged = true;
  }

  /** Stores a note. The mirror alone has it, as no decision depends on it. */
  private note({ entry, text, tags, by }: NoteCommand): Omit<DoneCommand, 'key'> {
    const { outbox } = this.options;
    const isEmpty = text === '' && tags.length === 0;
    const note = {
      entry,
      text,
      tags: JSON.stringify([...new Set(tags)]),
      by: by ?? null,
      atMs: outbox.nowMs,
    };
    outbox.change(isEmpty ? { kind: 'note-end', entry } : { kind: 'note', note });
    return { ok: true, message: sentence(isEmpty ? 'note-removed' : 'note-stored', { entry }) };
  }

  /** Returns the progress of a command; null if this bot has not accepted one with this key. */
  stateOf(key: string): ByHandState | null {
    const done = this.done.get(key);
    if (done !== undefined) return ended(done.ok, done.message);
    return this.placing.stateOf(key) ?? this.closing.stateOf(key) ?? this.canceling.stateOf(key);
  }

  /** Stores the commands and their results. */
  store(): void {
    this.isChanged = false;
    this.options.outbox.persist('by-hand', {
      placed: this.placing.stored(),
      closings: this.closing.stored(),
      moved: [...this.done.values()],
    });
  }

  restore(texts: StoredTexts, isPutBack: boolean): void {
    const stored = restored(texts, 'by-hand');
    if (stored === null) return;
    const { placed, closings, moved } = stored;
    this.placing.restore(placed);
    for (const one of moved) this.done.set(one.key, one);
    this.closing.restore(closings, isPutBack);
  }
}
