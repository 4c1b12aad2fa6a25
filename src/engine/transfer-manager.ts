import type { AlgorithmManagerOptions } from './algorithms/algorithm-manager.ts';
import { EnginePart } from './engine-settings.ts';
import {
  addUnits,
  formatUnits,
  NO_UNITS,
  subtractUnits,
  UNIT_DECIMALS,
  type Units,
  unitsOf,
} from '../domain/money.ts';
import { otherSide } from '../records/margin.ts';
import { english, sentence, type Sentence } from '../language/sentence.ts';
import { requestedUnits } from './algorithms/requested-units.ts';
import type { Intent } from '../strategy/intents.ts';
import type { TransferStatus } from '../strategy/strategy-event.ts';
import type { VenueAnswer, VenueProfile } from '../venues/port.ts';
import type { MarginCache } from './feeds/account-state.ts';
import type { Reconciler } from './fills/reconciler.ts';
import type { Reservations } from './risk/reservations.ts';
import type { StrategyInstance } from './strategy-instance.ts';
import { MOST_TRANSFERS, restored, type StoredTexts, type TransferRecord } from './stored-records.ts';

/** Maximum wait of a transfer for its slot, in ms. Later it may no longer be what the strategy needs. */
const WITHIN_MS = 30_000;

/** Maximum number of decimals of an amount; the exchange cuts further ones ("Monetary precision"). */
const AMOUNT_DECIMALS = 8;
const AMOUNT_STEP = 10n ** BigInt(UNIT_DECIMALS - AMOUNT_DECIMALS);

type TransferIntent = Extract<Intent, { kind: 'transfer' }>;

interface TransferManagerOptions extends Pick<AlgorithmManagerOptions, 'outbox' | 'intents' | 'notifier'> {
  readonly venue: Pick<VenueProfile, 'unserved'>;
  readonly reconciler: Pick<Reconciler, 'books' | 'onTransfer'>;
  readonly reservations: Pick<Reservations, 'spendable' | 'announce'>;
  readonly margin: MarginCache;
  /** True if balances are compared; a run on bars has only spot wallets, so it makes no transfers. */
  readonly reconciles: boolean;
  /** Returns why nothing new is accepted; null while it is. */
  readonly closed: () => Sentence | null;
  readonly requestNow: (feed: 'wallets' | 'margin-wallets') => void;
}

/** Reason why a transfer is refused. */
interface Objection {
  readonly code: string;
  readonly reason: Sentence;
}

/**
 * Moves money between the spot and the margin wallet of a currency. A transfer is on the disk before its
 * request leaves, and is sent once. The interface gives it no id, so without a clear answer its outcome can
 * not be found out. Then it stays unknown, with an alarm: its money stays reserved, and its currency gets no
 * other transfer, until a person has checked (`accept-balances`).
 */
export class TransferManager extends EnginePart<TransferManagerOptions> {
  private records: readonly TransferRecord[] = [];

  /** Returns the amount that unfinished transfers may still move out of a currency's spot wallet. */
  leavingSpot(currency: string): Units {
    let sum = NO_UNITS;
    for (const record of this.records)
      if (record.currency === currency && record.from === 'spot') sum = addUnits(sum, record.amount);
    return sum;
  }

  isAtWork(intentId: string): boolean {
    return this.records.some(({ id }) => id === intentId);
  }

  /** Returns the text on a transfer whose answer is awaited; null if there is none. */
  unsettled(): Sentence | null {
    const record = this.records.find(({ state }) => state === 'sending');
    return record === undefined ? null : sentence('transfer-on-its-way', factsOf(record));
  }

  /** Sends a transfer or rejects its intent. `nextId` is called for the intent's id only if it is sent. */
  apply(instance: StrategyInstance, intent: TransferIntent, nextId: () => string): void {
    const { outbox, intents, notifier } = this.options;
    const units = requestedUnits(intent.amount) ?? NO_UNITS;
    const amount = (units - (units % AMOUNT_STEP)) as Units;
    const objection = this.objectionTo(instance, intent, amount);
    if (objection !== null) {
      notifier.reject(instance, { intent, ...objection });
      return;
    }
    const { currency, from } = intent;
    const record: TransferRecord = {
      id: nextId(),
      strategy: instance.name,
      currency,
      amount,
      from,
      state: 'sending',
      sinceMs: outbox.nowMs,
    };
    intents.begin(record.id, instance.name, intent);
    this.set([...this.records, record]);
    outbox.info(`${instance.name}: ${textOf(record)} is sent`, instance.name);
    outbox.ask(
      { kind: 'transfer', currency, amount, from },
      { requestClass: 'place', withinMs: WITHIN_MS },
      (answer) => this.applyAnswer(record, answer, intent),
    );
  }

  /** Ends the transfers of unknown outcome, after a person has accepted the balances. */
  accept(): void {
    const { intents, outbox } = this.options;
    for (const record of this.records.filter(({ state }) => state === 'unknown')) {
      this.drop(record);
      intents.end(record.id, 'done', sentence('transfer-accepted'));
      outbox.warn(
        `${record.strategy}: ${textOf(record)} is over: the balances were accepted`,
        record.strategy,
      );
      this.notify(record, 'accepted');
    }
  }

  /** Restores the transfers that were unfinished when the last process ended; their outcome is unknown. */
  restore(stored: StoredTexts): void {
    this.records = restored(stored, 'transfers') ?? [];
  }

  /**
   * Reports each restored transfer as unknown, again also to its strategy, whose queued events were lost with
   * the process. To be called after everything is restored.
   */
  resume(): void {
    for (const record of this.records) {
      this.doubt(record, sentence('transfer-run-ended'));
      this.notify(record, 'unknown');
    }
  }

  private objectionTo(
    instance: StrategyInstance,
    { currency, from }: TransferIntent,
    amount: Units,
  ): Objection | null {
    const { venue, reconciles, closed, reconciler, reservations } = this.options;
    const unserved = reconciles ? venue.unserved?.get('transfer') : sentence('transfer-no-margin');
    if (unserved !== undefined)
      return { code: 'unserved', reason: sentence('transfer-unserved', { reason: unserved }) };
    if (amount <= 0n)
      return { code: 'fit', reason: sentence('transfer-amount', { decimals: AMOUNT_DECIMALS }) };
    const why = closed();
    if (why !== null) return { code: 'closed', reason: why };
    const other = this.records.find((record) => record.currency === currency);
    if (other !== undefined) return { code: 'closed', reason: this.waitsFor(other) };
    if (this.records.length >= MOST_TRANSFERS)
      return { code: 'closed', reason: sentence('transfer-most', { count: MOST_TRANSFERS }) };
    if (reconciler.books.expectedOf(currency) === null)
      return { code: 'data', reason: sentence('transfer-unfollowed', { currency }) };
    if (from === 'margin') return this.objectionOfMargin(currency, amount);
    const spendable = reservations.spendable(instance, currency);
    if (amount <= spendable) return null;
    const of = { asset: currency, needed: amount, spendable, intentId: null };
    return { code: 'funds', reason: reservations.announce(instance, of) };
  }

  /**
   * Checks the free amount of a margin wallet. It is known only if a strategy reads margin wallets; otherwise
   * the exchange decides.
   */
  private objectionOfMargin(currency: string, amount: Units): Objection | null {
    const reading = this.options.margin.get('margin-wallets')?.reading;
    if (reading?.kind !== 'margin-wallets') return null;
    const wallet = reading.wallets.find((one) => one.currency === currency);
    const free = wallet === undefined ? NO_UNITS : unitsOf(wallet.free);
    if (amount <= free) return null;
    const reason = sentence('funds-margin', {
      free: formatUnits(free),
      currency,
      amount: formatUnits(amount),
    });
    return { code: 'funds', reason };
  }

  private waitsFor(record: TransferRecord): Sentence {
    return record.state === 'sending'
      ? sentence('transfer-on-its-way', factsOf(record))
      : sentence('transfer-doubtful', factsOf(record));
  }

  private applyAnswer(record: TransferRecord, answer: VenueAnswer<'transfer'>, intent: TransferIntent): void {
    const { reconciler, intents, requestNow, notifier } = this.options;
    if (answer.outcome === 'value') {
      this.drop(record);
      const { currency, amount, from } = record;
      reconciler.onTransfer(currency, from === 'spot' ? subtractUnits(NO_UNITS, amount) : amount);
      intents.end(record.id, 'done', sentence('transferred'));
      requestNow('wallets');
      requestNow('margin-wallets');
      this.notify(record, 'done');
      return;
    }
    const text = answer.outcome === 'unsent' ? answer.reason : answer.message;
    const code = answer.outcome === 'unsent' ? 'unsent' : answer.code;
    if (answer.outcome !== 'unsent' && answer.effect !== 'none') {
      this.doubt(record, `${code}: ${text}`);
      this.notify(record, 'unknown');
      return;
    }
    this.drop(record);
    const reason = sentence('transfer-not-made', { ...factsOf(record), reason: text });
    intents.end(record.id, 'refused', reason);
    const instance = notifier.instancesByName.get(record.strategy);
    if (instance !== undefined) notifier.reject(instance, { intent, code, reason });
  }

  private doubt(record: TransferRecord, why: Sentence): void {
    const { outbox, intents } = this.options;
    const unknown: TransferRecord = { ...record, state: 'unknown' };
    outbox.durable();
    this.set(this.records.map((one) => (one.id === record.id ? unknown : one)));
    intents.note(record.id, { reason: sentence('transfer-unknown', { reason: why }) });
    outbox.alarm(
      `${record.strategy}: nobody knows whether ${textOf(record)} arrived (${english(why)}). It is not sent again, and no other of ${record.currency} is taken. Look at the wallets, and then "sarraf reconcile --accept"`,
      record.strategy,
    );
  }

  private drop(record: TransferRecord): void {
    // Otherwise a crash could restore it as unknown, although its answer came.
    this.options.outbox.durable();
    this.set(this.records.filter(({ id }) => id !== record.id));
  }

  private set(records: readonly TransferRecord[]): void {
    this.records = records;
    const { outbox } = this.options;
    outbox.persist('transfers', records);
  }

  private notify({ id, strategy, currency, amount, from }: TransferRecord, status: TransferStatus): void {
    const { notifier, outbox } = this.options;
    const to = otherSide(from);
    outbox.journal('transfer', id, { strategy, currency, amount: formatUnits(amount), from, to, status });
    const instance = notifier.instancesByName.get(strategy);
    if (instance === undefined) return;
    const transfer = { id, currency, amount: formatUnits(amount), from, to, status };
    notifier.notify(instance, { kind: 'transfer', transfer });
  }
}

interface TransferFacts {
  readonly amount: string;
  readonly from: string;
  readonly to: string;
}

function factsOf({ amount, currency, from }: TransferRecord): TransferFacts {
  return { amount: `${formatUnits(amount)} ${currency}`, from, to: otherSide(from) };
}

function textOf(record: TransferRecord): string {
  const { amount, from, to } = factsOf(record);
  return `the transfer of ${amount} from ${from} to ${to}`;
}
