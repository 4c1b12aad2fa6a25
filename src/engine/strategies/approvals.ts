import { EnginePart, type ApprovalSettings } from '../engine-settings.ts';
import { present } from '../../domain/errors.ts';
import {
  addUnits,
  divideDown,
  divideUp,
  formatUnits,
  multiplyUnits,
  NO_UNITS,
  subtractUnits,
  type Units,
} from '../../domain/money.ts';
import { isoText } from '../../domain/time-text.ts';
import { english, sentence, type Sentence } from '../../language/sentence.ts';
import type { ApprovalState } from '../../records/field.ts';
import type { IntentRecord } from '../../records/rows.ts';
import { checkedIntents } from '../../strategy/check-intents.ts';
import type { DecimalInput, Intent } from '../../strategy/intents.ts';
import type { OrderTable } from '../orders/order-table.ts';
import type { AlgorithmManagerOptions } from '../algorithms/algorithm-manager.ts';
import type { BeginContext } from '../algorithms/algorithm-starter.ts';
import { positiveRequestedUnits, requestedUnits } from '../algorithms/requested-units.ts';
import type { ApprovalCommand } from '../engine-event.ts';
import type { DoneCommand } from '../stored-records.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import { EXEMPT } from './intent-blotter.ts';
import { amountFor, sizeViewOf } from './sized-intent.ts';
import type { IntentRefusal } from './strategy-notifier.ts';

/** Maximum number of entries that wait at once; more are refused. */
const MOST_WAITING = 100;

const BPS_PER_ONE = 10_000n;

interface ApprovalsOptions extends Pick<
  AlgorithmManagerOptions,
  'outbox' | 'orderManager' | 'risk' | 'markets' | 'views' | 'intents' | 'notifier' | 'closed' | 'rows'
> {
  /** Carries out an approved entry as if it had just been made. Returns the refusal; null if none. */
  readonly carryOut: (instance: StrategyInstance, intent: Intent, id: string) => IntentRefusal | null;
}

/** Entry that waits for a person. */
interface WaitingEntry extends EntryPlace, Pick<IntentRecord, 'id' | 'atMs' | 'bound' | 'best'> {
  readonly intent: Intent;
  readonly expiresAtMs: number;
}

/** Strategy of an entry, and the markets in which it buys. */
interface EntryPlace {
  readonly instance: StrategyInstance;
  readonly markets: readonly string[];
}

/** An intent that begins now, and the state of its approval. */
export type Admitted = Pick<BeginContext, 'approval'> & { readonly intent: Intent };

/** Purchases that an intent asks for, as far as they are known in advance. */
interface Entry {
  readonly markets: readonly string[];
  /** Value in the quote currency: 0 if it adds no risk, null if it is not known in advance. */
  readonly value: Units | null;
  /** Highest price that the intent names; null if it names none. */
  readonly price: Units | null;
  /** Part of the intent that only sells; null if there is none. */
  readonly exits: Intent | null;
}

/**
 * Entries of strategies that wait for a person: an intent that adds risk is stored with its price and its
 * expiry, and nothing is reserved or sent. If a person approves it in time and its price has not left, it
 * begins as a new intent does, with all checks. Each is approved, declined or dropped once, in the step that
 * stores this. Exits never wait, and a strategy's own exit withdraws its waiting entries there.
 */
export class Approvals extends EnginePart<ApprovalsOptions> {
  /** Entries that wait, by the id of their intent, oldest first. */
  readonly waiting = new Map<string, WaitingEntry>();
  /** Time at which the next one expires, in ms since 1970; infinity if none waits. */
  dueAtMs = Number.POSITIVE_INFINITY;

  /** Holds an intent back if it needs an approval. Returns the part that begins now; null if none does. */
  admit(instance: StrategyInstance, intent: Intent): Admitted | null {
    const entry = this.entryOf(instance, intent);
    const quotes = intent.kind === 'quotes' ? { approval: EXEMPT } : {};
    if (entry === null) {
      if (intent.kind === 'exit' || intent.kind === 'target' || intent.kind === 'targets') {
        const markets = this.marketsOf(intent);
        this.end((one) => areOfOneCoin(one, { instance, markets }), sentence('approval-exit'));
      }
      return { intent, ...quotes };
    }
    if (isExempt(entry, instance)) return { intent, approval: EXEMPT };
    // Nothing begins then, so it is refused as any other intent.
    if (this.options.closed() !== null) return { intent };
    const refusal = this.hold(instance, intent, entry);
    if (refusal !== null) {
      const { outbox, notifier } = this.options;
      if (instance.mayComplain(outbox.nowMs)) this.log(instance, intent.kind, refusal);
      notifier.refuse(instance, intent, { code: 'approval', reason: refusal });
    }
    return entry.exits === null ? null : { intent: entry.exits, ...quotes };
  }

  /** Applies a person's decision on an entry that waits. */
  apply({ kind, intent: id, ...command }: ApprovalCommand): Omit<DoneCommand, 'key'> {
    const by = command.by ?? null;
    const { outbox, intents, notifier } = this.options;
    const entry = this.waiting.get(id);
    if (entry === undefined) return { ok: false, message: sentence('approval-unknown', { intent: id }) };
    if (entry.expiresAtMs <= outbox.nowMs) {
      this.drop(entry, 'expired', sentence('approval-expired'));
      return { ok: false, message: sentence('approval-expired') };
    }
    if (kind === 'decline') {
      const reason = sentence('approval-declined');
      this.drop(entry, 'declined', by === null ? reason : sentence('by-person', { reason, person: by }), by);
      return { ok: true, message: sentence('approval-dropped', { intent: id }) };
    }
    const { instance, atMs } = entry;
    this.remove(id);
    this.note(id, 'approved', by);
    const intent = withRest(entry.intent, outbox.nowMs - atMs);
    const left = this.whyPriceLeft(entry);
    const refusal =
      left === null ? this.options.carryOut(instance, intent, id) : { code: 'approval', reason: left };
    if (refusal === null) return { ok: true, message: sentence('approval-begun', { intent: id }) };
    if (left !== null) this.log(instance, id, left);
    intents.end(id, 'refused', refusal.reason);
    notifier.refuse(instance, intent, refusal);
    return { ok: false, message: sentence('approval-refused', { intent: id, reason: refusal.reason }) };
  }

  /** Drops entries that wait. */
  end(matches: (entry: EntryPlace) => boolean, reason: Sentence): void {
    for (const entry of this.waiting.values()) if (matches(entry)) this.drop(entry, 'withdrawn', reason);
  }

  /** Drops the entries whose time is over. */
  pump(nowMs: number): void {
    for (const entry of this.waiting.values())
      if (entry.expiresAtMs <= nowMs) this.drop(entry, 'expired', sentence('approval-expired'));
  }

  /**
   * Restores the entries that waited before a restart. Those of a mirror from a copy (`isPutBack`) are
   * dropped: they may have been approved since.
   */
  restore(records: readonly IntentRecord[], isPutBack: boolean): void {
    const { notifier, intents } = this.options;
    for (const { id, strategy, atMs, json, approval, expiresAtMs, bound, best } of records) {
      if (approval !== 'waiting') continue;
      const instance = notifier.instancesByName.get(strategy);
      const intent = readIntent(json);
      if (isPutBack || instance?.settings.approval === undefined || intent === null) {
        this.note(id, 'withdrawn', null);
        intents.end(id, 'refused', sentence('approval-other-run'));
        continue;
      }
      const markets = this.marketsOf(intent);
      this.add({ id, instance, intent, atMs, bound, best, markets, expiresAtMs: expiresAtMs ?? atMs });
    }
  }

  /** Has an entry wait. Returns why it can not; null if it waits. */
  private hold(instance: StrategyInstance, intent: Intent, entry: Entry): Sentence | null {
    const { outbox, intents, rows, risk } = this.options;
    const { expiresAfterMs, slippageBps } = settingsOf(instance);
    const { markets, value, price } = entry;
    const { nowMs } = outbox;
    if (intent.kind === 'quotes') return sentence('approval-quotes');
    const { name, marketNames } = instance;
    // Entries of one moment may wait together. Later ones would be the same decision, made again.
    for (const other of this.waiting.values())
      if (other.atMs < nowMs && areOfOneCoin(other, { instance, markets }))
        return sentence('approval-waits', { intent: other.id });
    if (this.waiting.size >= MOST_WAITING) return sentence('approval-most', { count: MOST_WAITING });
    const [market = ''] = markets;
    // The amounts of a set of shares are worked out with the prices at which it begins.
    const best = intent.kind === 'targets' ? null : risk.bestFor(market, 'buy');
    if (best === null && intent.kind !== 'targets') return sentence('no-price', { market });
    const step = this.options.markets.get(market)?.market.priceStep ?? NO_UNITS;
    const slipped = best === null ? null : slippedPrice(best, slippageBps, step);
    const bound = price ?? slipped;
    const id = `i${rows.next().toString(36)}`;
    const expiresAtMs = nowMs + Math.min(expiresAfterMs, expiryOf(intent) ?? expiresAfterMs);
    intents.begin(id, name, intent, {
      approval: 'waiting',
      expiresAtMs,
      bound,
      best,
      value,
      decidedBy: null,
    });
    this.add({ id, instance, intent, atMs: nowMs, bound, best, markets, expiresAtMs });
    const { quote } = marketNames.parseMarket(market);
    const worth = value === null ? '' : ` of ${formatUnits(value)} ${quote}`;
    const most = bound === null ? '' : ` at ${formatUnits(bound)} at most`;
    const what = `${intent.kind} in ${markets.join(', ')}${worth}${most}`;
    outbox.warn(
      `${name}: ${what} waits until ${isoText(expiresAtMs)} for "sarraf approve ${id}" or "sarraf decline ${id}"`,
      name,
    );
    outbox.durable();
    return null;
  }

  /**
   * Returns why an approved entry comes too late: it could trade within its bound when it was made, and can
   * not now. One that rests below the price is protected by its own price.
   */
  private whyPriceLeft({ intent, markets, bound, best }: WaitingEntry): Sentence | null {
    if (bound === null || best === null) return null;
    const [market = ''] = markets;
    const now = this.options.risk.bestFor(market, 'buy');
    if (now === null) return sentence('no-price', { market });
    const isStop = 'stopPrice' in intent && intent.stopPrice !== undefined;
    const isLate = best <= bound && (now > bound || (isStop && now === bound));
    return isLate ? sentence('approval-price', { best: formatUnits(now), bound: formatUnits(bound) }) : null;
  }

  private add(entry: WaitingEntry): void {
    this.waiting.set(entry.id, entry);
    this.dueAtMs = Math.min(this.dueAtMs, entry.expiresAtMs);
  }

  private remove(id: string): void {
    this.waiting.delete(id);
    this.dueAtMs = Math.min(...Array.from(this.waiting.values(), ({ expiresAtMs }) => expiresAtMs));
  }

  private note(id: string, approval: ApprovalState, by: string | null): void {
    const { intents, outbox } = this.options;
    intents.note(id, { approval, decidedBy: by });
    outbox.journal('intent', id, { approval, by });
    outbox.durable();
  }

  private log({ name }: StrategyInstance, entry: string, reason: Sentence): void {
    this.options.outbox.info(`${name}: ${entry} does not begin: ${english(reason)}`, name);
  }

  private marketsOf(intent: Intent): readonly string[] {
    return intentMarkets(intent, this.options.orderManager.blotter.table);
  }

  /** Ends an entry that waits, and notifies its strategy. */
  private drop(
    { id, instance, intent }: WaitingEntry,
    approval: ApprovalState,
    reason: Sentence,
    by: string | null = null,
  ): void {
    const { intents, notifier } = this.options;
    this.remove(id);
    this.note(id, approval, by);
    this.log(instance, id, reason);
    intents.end(id, 'refused', reason);
    notifier.refuse(instance, intent, { code: 'approval', reason });
  }

  /** Returns the purchases that an intent asks for; null if it only sells, cancels or protects. */
  private entryOf(instance: StrategyInstance, intent: Intent): Entry | null {
    switch (intent.kind) {
      case 'cancel':
      case 'cancel-all':
      case 'protect':
      case 'exit':
      case 'transfer':
        return null;
      case 'place':
      case 'oco':
      case 'twap':
      case 'vwap':
      case 'ladder':
      case 'peg':
      case 'iceberg':
        return intent.side === 'sell' ? null : this.purchase(instance, intent.market, [intent]);
      case 'bracket':
        return this.purchase(instance, intent.market, [{ side: 'buy', ...intent.entry }]);
      case 'quotes': {
        const buys = intent.quotes.filter(({ side }) => side === 'buy');
        if (buys.length === 0) return null;
        const sells = intent.quotes.filter(({ side }) => side === 'sell');
        const entry = this.purchase(instance, intent.market, buys);
        return entry === null ? null : { ...entry, exits: { ...intent, quotes: sells } };
      }
      case 'dca':
        return { markets: [intent.market], value: null, price: null, exits: null };
      case 'replace':
        return this.replacement(instance, intent);
      case 'target': {
        const raise = this.raiseTo(instance, intent.market, intent);
        if (raise === 0n) return null;
        return { markets: [intent.market], value: raise, price: highestNamed(intent), exits: null };
      }
      case 'targets': {
        const raises = Object.entries(intent.shares).map(
          ([market, equityShare]) =>
            [market, equityShare, this.raiseTo(instance, market, { equityShare })] as const,
        );
        const bought = raises.filter(([, , raise]) => raise !== 0n);
        if (bought.length === 0) return null;
        const sold = raises.filter(
          ([market, , raise]) =>
            raise === 0n && instance.held(instance.marketNames.parseMarket(market).base) > 0n,
        );
        return {
          markets: bought.map(([market]) => market),
          value: bought.reduce<Units | null>(
            (sum, [, , raise]) => (sum === null || raise === null ? null : addUnits(sum, raise)),
            NO_UNITS,
          ),
          price: null,
          exits:
            sold.length === 0
              ? null
              : {
                  ...intent,
                  market: present(sold[0], 'a market to sell in')[0],
                  shares: Object.fromEntries(sold.map(([market, share]) => [market, share] as const)),
                },
        };
      }
    }
  }

  /** Returns the purchase of some orders together; null if they only buy back what the strategy owes. */
  private purchase(
    instance: StrategyInstance,
    symbol: string,
    orders: readonly Parameters<typeof amountFor>[0][],
  ): Entry | null {
    const market = this.options.markets.get(symbol)?.market;
    if (market === undefined) return null;
    const view = sizeViewOf(this.options, instance, market);
    const prices = orders.map(highestNamed);
    let [amount, value]: [Units | null, Units | null] = [NO_UNITS, NO_UNITS];
    for (const [index, order] of orders.entries()) {
      const sized = amountFor(order, view);
      const units = sized.ok ? sized.units : null;
      const at = prices[index] ?? view.priceFor('buy');
      amount = units === null || amount === null ? null : addUnits(amount, units);
      value =
        units === null || at === null || value === null
          ? null
          : addUnits(value, multiplyUnits(at, units, divideUp));
    }
    if (amount !== null && amount <= 0n - instance.held(market.base)) return null;
    const price = prices.reduce((high, one) => (one !== null && (high === null || one > high) ? one : high));
    return { markets: [symbol], value, price, exits: null };
  }

  /** Returns the purchase of a replacement: of no value if it costs no more than the order itself. */
  private replacement(
    instance: StrategyInstance,
    intent: Extract<Intent, { kind: 'replace' }>,
  ): Entry | null {
    const order = this.options.orderManager.blotter.table.get(intent.clientOrderId);
    if (order === undefined || order.strategy !== instance.name || order.side === 'sell') return null;
    const price = highestNamed(intent) ?? order.price;
    const amount = unitsOf(intent.amount) ?? order.amount;
    const isMore = amount > order.amount || price === null || order.price === null || price > order.price;
    const worth = price === null ? null : multiplyUnits(price, amount, divideUp);
    return { markets: [order.market], value: isMore ? worth : NO_UNITS, price, exits: null };
  }

  /** Returns the value of what a target buys: 0 for nothing, null if it is not known. */
  private raiseTo(
    instance: StrategyInstance,
    symbol: string,
    target: Partial<Record<'position' | 'value' | 'equityShare' | 'price', DecimalInput | undefined>>,
  ): Units | null {
    const { position, value, equityShare } = target;
    const market = this.options.markets.get(symbol)?.market;
    const requested = requestedUnits(position ?? value ?? equityShare ?? 0);
    // A target that no algorithm accepts is refused as any other.
    if (market === undefined || requested === null || requested === 0n) return NO_UNITS;
    const view = sizeViewOf(this.options, instance, market);
    const price = unitsOf(target.price) ?? view.priceFor('buy');
    if (price === null) return null;
    const held = multiplyUnits(instance.held(market.base), price, divideDown);
    const equity = equityShare === undefined ? null : view.equity();
    if (equityShare !== undefined && equity === null) return null;
    const wanted =
      position !== undefined
        ? multiplyUnits(requested, price, divideDown)
        : value !== undefined || equity === null
          ? requested
          : multiplyUnits(equity, requested, divideDown);
    return wanted > held ? subtractUnits(wanted, held) : NO_UNITS;
  }
}

/** Returns the settings of a strategy whose entries need an approval. */
function settingsOf({ settings }: StrategyInstance): ApprovalSettings {
  return present(settings.approval, 'settings for approvals');
}

/** True if an entry is small enough to need no approval, or adds no risk. */
function isExempt({ markets, value }: Entry, instance: StrategyInstance): boolean {
  const [market = ''] = markets;
  const { quote } = instance.marketNames.parseMarket(market);
  const most = settingsOf(instance).above[quote] ?? NO_UNITS;
  return value !== null && value <= most;
}

/** True if two places are of one strategy and have a coin in common. */
function areOfOneCoin(
  { instance, markets: own }: EntryPlace,
  { instance: of, markets }: EntryPlace,
): boolean {
  const baseOf = (market: string): string => instance.marketNames.parseMarket(market).base;
  const coins = new Set(markets.map(baseOf));
  return instance === of && own.some((market) => coins.has(baseOf(market)));
}

/** Reads a stored intent; null for one that this version does not accept. */
function readIntent(json: string): Intent | null {
  try {
    return checkedIntents([JSON.parse(json)])[0] ?? null;
  } catch {
    return null;
  }
}

function unitsOf(input: DecimalInput | undefined): Units | null {
  return input === undefined ? null : positiveRequestedUnits(input);
}

/** Fields of intents that name a price at which they may buy. */
const PRICES = ['price', 'stopPrice', 'stopLimitPrice', 'from', 'to', 'bound'] as const;

/** Returns the highest price that an intent or an order names; null if it names none. */
function highestNamed(order: object): Units | null {
  const fields: Readonly<Partial<Record<(typeof PRICES)[number], DecimalInput>>> = order;
  return PRICES.reduce<Units | null>((highest, name) => {
    const units = unitsOf(fields[name]);
    return units !== null && (highest === null || units > highest) ? units : highest;
  }, null);
}

/** Returns the highest price on the grid of a market that is above the best by some basis points at most. */
function slippedPrice(best: Units, bps: number, step: Units): Units {
  const highest = divideDown(best * (BPS_PER_ONE + BigInt(bps)), BPS_PER_ONE);
  return (step === NO_UNITS ? highest : divideDown(highest, step) * step) as Units;
}

/** Returns the time after which the rest of an intent is canceled, in ms from its making; null if never. */
function expiryOf(intent: Intent): number | null {
  if (intent.kind === 'bracket') return intent.entry.expireAfterMs ?? null;
  return 'expireAfterMs' in intent ? (intent.expireAfterMs ?? null) : null;
}

/** Returns an intent with the time that is left of its own. */
function withRest(intent: Intent, elapsedMs: number): Intent {
  const ownMs = expiryOf(intent);
  if (ownMs === null) return intent;
  const expireAfterMs = Math.max(1, ownMs - elapsedMs);
  return intent.kind === 'bracket'
    ? { ...intent, entry: { ...intent.entry, expireAfterMs } }
    : ({ ...intent, expireAfterMs } as Intent);
}

/** Returns the markets in which an intent places orders; none for a cancel or a transfer. */
export function intentMarkets(intent: Intent, table: Pick<OrderTable, 'get'>): readonly string[] {
  if (intent.kind === 'cancel' || intent.kind === 'cancel-all' || intent.kind === 'transfer') return [];
  if (intent.kind === 'targets') return Object.keys(intent.shares);
  if (intent.kind !== 'replace') return [intent.market];
  const market = table.get(intent.clientOrderId)?.market;
  return market === undefined ? [] : [market];
}
