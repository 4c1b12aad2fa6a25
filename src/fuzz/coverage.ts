import { RULE_FOLLOWER } from './workload/roamer.ts';
import type { VenueAnswer } from '../venues/port.ts';
import type { JournalEntry, MirrorChange } from '../engine/mirror-change.ts';
import type { IntentRecord } from '../records/rows.ts';
import { isPlaceholder, type FillRecord } from '../records/fill.ts';
import type { OrderRecord } from '../records/order.ts';
import { VANDAL_ACTS } from './vandal.ts';
import { WRONG_KINDS } from './reply-mutator.ts';
import { z } from 'zod';
import type { EngineOutput, EngineEvent } from '../engine/engine-event.ts';
import { english } from '../language/sentence.ts';

/** Events that must happen at least once in a suite of seeds, so that it tests what it claims. */
const NEEDED = [
  'orders',
  'fills',
  'ocos',
  'second legs executed',
  'unknown, in the end filled',
  'unknown, in the end cancelled',
  'unknown, in the end rejected',
  'sent again',
  'lockouts',
  'limit lowered',
  'limit reply that lowers',
  'breaks',
  'crash in a lockout',
  'crash with an order sending',
  'crash with an order unknown',
  'crash with an order open',
  'crash with an order cancelling',
  'crash with an order settling',
  ...WRONG_KINDS.map((kind) => `wrong reply ${kind}` as const),
  'wrong refusal of what was done',
  'wrong refusal of what was not done',
  "refusal with the interface's code of what was done",
  "refusal with the interface's code of what was not done",
  'orders that turned up after a rejection',
  'trades renumbered',
  'short list of trades',
  'findings',
  'findings that two readings had',
  'findings that were right again',
  'first start killed',
  'standstill begun',
  'standstill over',
  'order by the price of another exchange',
  'order refused as that price is late',
  ...VANDAL_ACTS.map((act) => `strategy ${act}` as const),
  'mirror put back',
  'mirror restored',
  'mirror of version 4',
  'orders taken over',
  'intent vwap',
  'intent ladder',
  'intent peg',
  'intent dca',
  'exits',
  'exits resized',
  'stops raised',
  'crash with an exit that rests',
  'bar of 1h off the hours of UTC',
  'universe entered',
  'universe left',
  'universe left while something is held',
  'crash with a member left that holds',
  'control lock',
  'control unlock',
  'lock begun',
  'lock refusals',
  'lock ended early',
  'orders that left in a lock',
  'crash in a lock',
  'control pause',
  'control reload',
  'control promote',
  'control cancel',
  'control note',
  'control dry run',
  'note restored',
  'entry waits',
  'entry approved',
  'entry declined',
  'entry expired',
  'entry withdrawn',
  'entry exempt',
  'orders of an approved entry',
  'crash after an approval',
  'crash in a pause',
  'orders of a close',
  'crash amid a close',
  'close result ok',
  'place result ok',
  'place result not ok',
  'purchases by rules',
  'sales by rules',
  'orders for shares',
  'shares sold for, then bought',
  'refused for want of money',
  'transfer done',
  'transfer unknown without a clear answer',
  'transfer unknown after a death',
  'transfer accepted',
  'unknown transfers that were made',
  'unknown transfers that were not made',
  'intent transfer refused',
  'crash with a transfer under way',
  'figures of equity judged',
  'figures of profit judged',
  'lives on a slow machine',
  'starved',
  'watchdog silent',
  'watchdog back',
  'watchdog canceled entries',
  'watchdog kept exits',
  'watchdog has nothing left',
  'watchdog waits for what may turn up',
  'crash of the watchdog amid its cancels',
] as const;

/** Events that must happen in a suite of `LONG_SUITE_SEEDS` seeds or more; shorter ones may miss them. */
const NEEDED_AT_LENGTH = ['placeholders', 'bot back amid the cancels of a watchdog'] as const;

const LONG_SUITE_SEEDS = 60;

/** True if an answer reports an exceeded limit. */
export const isLimit = (answer: VenueAnswer): boolean =>
  answer.outcome === 'failed' && answer.code === 'RATE_LIMITED';

/** True if the engine found that the books do not agree. */
export function isBreak(change: MirrorChange): boolean {
  if (change.kind !== 'journal') return false;
  return change.entry.kind === 'reconciliation' && change.entry.subject === 'break';
}

/** Number of times each event happened. */
export type Counts = Readonly<Record<string, number>>;

/** Counts the events of a run: orders by result, crashes by the states of orders, lockouts and others. */
export class Coverage {
  private readonly found = new Map<string, number>();
  /** Last record of each order that is not final. */
  private readonly live = new Map<string, OrderRecord>();
  /** Keys of live orders that had no clear answer. */
  private readonly doubtful = new Set<string>();
  private readonly rejected = new Set<string>();
  private readonly exits = new ExitCoverage();
  /** True if a market has left a universe while its strategy still holds something there. */
  private holdsLeft = false;
  private readonly portfolio = new PortfolioCoverage();
  readonly transfers = new TransferCoverage();

  /** Names of the exit orders of brackets. */
  get exitNames(): ReadonlySet<string> {
    return this.exits.names;
  }

  count(what: string, times = 1): void {
    this.found.set(what, (this.found.get(what) ?? 0) + times);
  }

  /** Counts a change that the bot writes. */
  change(change: MirrorChange): void {
    if (change.kind === 'order') this.order(change.order);
    else if (change.kind === 'fill') this.count(nameOfFill(change.fill));
    else if (change.kind === 'fill-gone' && isPlaceholder(change.fill)) this.count('placeholders replaced');
    else if (change.kind === 'intent') this.intent(change.intent);
    else if (isBreak(change)) this.count('breaks');
    else if (change.kind === 'journal' && change.entry.kind === 'finding') this.finding(change.entry);
    else if (change.kind === 'journal' && change.entry.kind === 'strategy')
      this.count(`strategy ${change.entry.subject === 'vandal' ? 'vandal' : 'other'} failed`);
    else if (change.kind === 'journal' && change.entry.subject.startsWith('standstill'))
      this.count(change.entry.subject);
  }

  order(order: OrderRecord): void {
    const before = this.live.get(order.key);
    const isRevived = before === undefined && order.state !== 'rejected' && this.rejected.delete(order.key);
    if (isRevived) this.count('orders that turned up after a rejection');
    else if (before === undefined) this.begin(order);
    if (before === undefined && order.intentId === 'adopted') this.count('orders taken over');
    if (order.state === 'unknown') this.doubtful.add(order.key);
    if (before !== undefined && order.attempts > before.attempts && before.attempts > 0)
      this.count('sent again');
    if (order.key.endsWith('/2') && order.filled > 0n && before?.filled === 0n)
      this.count('second legs executed');
    for (const what of this.exits.order(order, before === undefined && !isRevived)) this.count(what);
    this.live.set(order.key, order);
    if (order.state === 'filled' || order.state === 'cancelled' || order.state === 'rejected') {
      this.live.delete(order.key);
      this.count(`ended ${order.state}`);
      if (order.state === 'rejected') this.rejected.add(order.key);
      if (this.doubtful.delete(order.key)) this.count(`unknown, in the end ${order.state}`);
    }
  }

  intent(intent: IntentRecord): void {
    for (const what of this.portfolio.intent(intent)) this.count(what);
    if (intent.status !== 'working') return;
    this.count(`intent ${intent.kind}`);
  }

  /** Counts markets that entered and left a universe. */
  universe({
    entered,
    left,
    kept,
  }: {
    readonly entered: readonly string[];
    readonly left: readonly string[];
    readonly kept: readonly string[];
  }): void {
    if (entered.length > 0) this.count('universe entered', entered.length);
    if (left.length > 0) this.count('universe left', left.length);
    if (left.some((market) => kept.includes(market))) this.count('universe left while something is held');
    this.holdsLeft = kept.length > 0;
  }

  /** Counts implausible data of the exchange, or its correction. */
  private finding({ json }: Pick<JournalEntry, 'json'>): void {
    const { readings, isRight } = JSON.parse(json) as { readonly readings?: number; readonly isRight?: true };
    if (isRight === true) this.count('findings that were right again');
    else this.count(readings === 1 ? 'findings' : 'findings that two readings had');
  }

  answer(answer: VenueAnswer): void {
    this.count(`answer ${answer.outcome}`);
    if (answer.outcome === 'failed') this.count(`failed ${answer.code}`);
    if (isLimit(answer) || (answer.outcome === 'failed' && answer.code === 'UNAUTHORIZED'))
      this.count('lockouts');
  }

  /** Counts the death of a process. The next one finds unwritten changes again. */
  crash(where: string): void {
    this.count('crashes');
    this.count(`crash ${where}`);
    if (this.exits.isResting) this.count('crash with an exit that rests');
    if (this.holdsLeft) this.count('crash with a member left that holds');
    if (this.transfers.isInProgress) this.count('crash with a transfer under way');
    for (const state of new Set([...this.live.values()].map((order) => order.state)))
      this.count(`crash with an order ${state}`);
  }

  /** True if an order is closed and its fills are missing: a short state that a random crash seldom meets. */
  isSettling(): boolean {
    for (const { state } of this.live.values()) if (state === 'settling') return true;
    return false;
  }

  counts(): Counts {
    return Object.fromEntries([...this.found].toSorted(([left], [right]) => left.localeCompare(right)));
  }

  private begin(order: OrderRecord): void {
    this.count('orders');
    if (order.strategy === RULE_FOLLOWER.name && order.exit === null)
      this.count(order.side === 'buy' ? 'purchases by rules' : 'sales by rules');
    if (order.pairKey !== null && !order.key.endsWith('/2')) this.count('ocos');
    for (const what of this.portfolio.order(order)) this.count(what);
  }
}

/** Returns the sums over all seeds. */
export function addCounts(all: readonly Counts[]): Counts {
  const sum = new Map<string, number>();
  for (const counts of all)
    for (const [what, times] of Object.entries(counts)) sum.set(what, (sum.get(what) ?? 0) + times);
  return Object.fromEntries([...sum].toSorted(([left], [right]) => left.localeCompare(right)));
}

function nameOfFill(fill: FillRecord): string {
  if (isPlaceholder(fill)) return 'placeholders';
  return fill.orderKey === null ? 'foreign fills' : 'fills';
}

/** Returns the events that a suite has never met. */
export function missingFrom(counts: Counts, seeds: number): readonly string[] {
  return [...NEEDED, ...(seeds >= LONG_SUITE_SEEDS ? NEEDED_AT_LENGTH : [])].filter(
    (what) => (counts[what] ?? 0) === 0,
  );
}

/** Follows sets of shares, and intents that were refused for lack of money. */
class PortfolioCoverage {
  /** Running sets; true once one has sold. */
  private readonly sets = new Map<string, boolean>();

  /** Returns the events in a new value of an intent, as names to count. */
  intent({ id, kind, status, reason: sentence }: IntentRecord): readonly string[] {
    const reason = english(sentence);
    if (kind === 'targets') {
      if (status === 'working') this.sets.set(id, false);
      else this.sets.delete(id);
    }
    // Of an order that was planned already, the intent is done.
    const isRefused = status === 'refused' || reason?.startsWith('refused: ') === true;
    return isRefused && reason?.includes(' to be spent, was ') === true ? ['refused for want of money'] : [];
  }

  /** Returns the events in a new value of an order, as names to count. */
  order({ intentId, side }: OrderRecord): readonly string[] {
    const hasSold = this.sets.get(intentId);
    if (hasSold === undefined) return [];
    if (side === 'sell') this.sets.set(intentId, true);
    return side === 'buy' && hasSold ? ['shares sold for, then bought'] : ['orders for shares'];
  }
}

/** Terms of the last request for an exit; for a pair those of its stop leg. */
interface Exit {
  readonly amount: bigint;
  readonly stopPrice: bigint | null;
}

/** Follows the exits of brackets: their results, and which of them rest. */
export class ExitCoverage {
  /** Names of the exit orders of brackets. */
  readonly names = new Set<string>();
  private readonly exits = new Map<string, Exit>();
  /** Intents with a live exit, by the key of its first order. */
  private readonly resting = new Map<string, string>();

  /** Returns the events in a new value of an order, as names to count. */
  order(order: OrderRecord, isNew: boolean): readonly string[] {
    const { key, intentId, exit, amount, pairKey, state } = order;
    // By the order itself: a mirror that was put back gives the ids of its intents again.
    if (exit === null) return [];
    this.names.add(key);
    if (state === 'filled' || state === 'cancelled' || state === 'rejected') this.resting.delete(key);
    else if (state === 'open') this.resting.set(key, intentId);
    // The stop price of a pair is that of its second leg.
    if (!isNew || (pairKey !== null && !key.endsWith('/2'))) return [];
    const before = this.exits.get(intentId);
    this.exits.set(intentId, { amount, stopPrice: order.stopPrice });
    if (before === undefined) return ['exits'];
    const texts: string[] = [];
    if (before.amount !== amount) texts.push('exits resized');
    if (before.stopPrice !== null && order.stopPrice !== null && order.stopPrice > before.stopPrice)
      texts.push('stops raised');
    return texts;
  }

  get isResting(): boolean {
    return this.resting.size > 0;
  }
}

const stored = z.array(z.object({ state: z.enum(['sending', 'unknown']) }));
const told = z.object({ status: z.enum(['done', 'unknown', 'accepted']) });

/** Follows transfers between the wallets: their ends, and those still running. */
class TransferCoverage {
  private states: ReadonlySet<string> = new Set();

  /** True if the answer to a transfer may come at any moment. */
  get isInProgress(): boolean {
    return this.states.has('sending');
  }

  /** True if a transfer may or may not have arrived. */
  get isUnknown(): boolean {
    return this.states.has('unknown');
  }

  /** Returns the events in a step, as names to count. */
  step(event: EngineEvent, { changes }: EngineOutput): readonly string[] {
    const words: string[] = [];
    for (const change of changes) {
      if (change.kind === 'kept' && change.name === 'transfers')
        this.states = new Set(stored.parse(JSON.parse(change.json)).map(({ state }) => state));
      else if (change.kind === 'intent' && change.intent.kind === 'transfer')
        words.push(`intent transfer ${change.intent.status}`);
      else if (change.kind === 'journal' && change.entry.kind === 'transfer')
        words.push(wordOf(event, told.parse(JSON.parse(change.entry.json)).status));
    }
    return words;
  }
}

/** Returns the name of a transfer event. An unknown transfer without an answer was found by a new life. */
function wordOf(event: EngineEvent, status: string): string {
  if (status !== 'unknown') return `transfer ${status}`;
  return event.kind === 'answer'
    ? 'transfer unknown without a clear answer'
    : 'transfer unknown after a death';
}
