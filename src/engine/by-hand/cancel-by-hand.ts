import { EnginePart } from '../engine-settings.ts';
import { formatUnits, type Units } from '../../domain/money.ts';
import { venueOrderId } from '../../domain/order.ts';
import { retainNewest } from '../../domain/retain-newest.ts';
import { joinSentences, sentence, type Sentence } from '../../language/sentence.ts';
import { mayTrade, type OrderRecord } from '../../records/order.ts';
import type { AlgorithmManager } from '../algorithms/algorithm-manager.ts';
import type { CancelCommand } from '../engine-event.ts';
import type { IntentRouter } from '../strategies/intent-router.ts';
import type { LeftBehind } from '../exits.ts';
import type { OrderManager } from '../orders/order-manager.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import type { Algorithm } from '../algorithm-json.ts';

/** Progress of a manual command. */
export interface ByHandState {
  /** Orders that the command still waits for, and those that have ended. */
  readonly left: number;
  readonly closed: number;
  /** Result of the command; null while it runs. */
  readonly end: {
    readonly ok: boolean;
    readonly message: Sentence;
    /** Client order ids of the placed orders. */
    readonly placed?: readonly string[];
  } | null;
}

export function ended(ok: boolean, message: Sentence): ByHandState {
  return { left: 0, closed: 0, end: { ok, message } };
}

/** Maximum number of commands that are remembered; the oldest are dropped. */
const MOST_REMEMBERED = 50;

export interface CancelByHandOptions {
  readonly orderManager: OrderManager;
  readonly algorithms: AlgorithmManager;
  readonly router: IntentRouter;
  readonly instances: readonly StrategyInstance[];
  readonly leftBehind: () => LeftBehind;
}

interface Canceling {
  readonly keys: readonly string[];
  /** Amount that no stop protected before the cancel, by strategy and coin. */
  readonly uncovered: ReadonlyMap<string, Units>;
  /** Further text for the person; null for none. */
  readonly note: Sentence | null;
}

/**
 * Cancels orders for a person. A cancel of a strategy, a market or everything also ends the algorithms there,
 * which would place new orders. After a cancel of one order its algorithm continues.
 */
export class CancelByHand extends EnginePart<CancelByHandOptions> {
  private readonly commands = new Map<string, Canceling | ByHandState>();

  apply(command: CancelCommand): void {
    if (this.commands.has(command.key)) return;
    this.commands.set(command.key, command.order === null ? this.many(command) : this.one(command.order));
    retainNewest(this.commands, MOST_REMEMBERED);
  }

  stateOf(key: string): ByHandState | null {
    const command = this.commands.get(key);
    if (command === undefined || 'end' in command) return command ?? null;
    const { table } = this.options.orderManager.blotter;
    const orders = command.keys.map((one) => table.get(one));
    const left = orders.filter((order) => order !== undefined && mayTrade(order)).length;
    const closed = orders.length - left;
    if (left > 0) return { left, closed, end: null };
    const filled = orders.filter((order) => order?.state === 'filled').length;
    const canceled = closed - filled;
    const message = joinSentences('both', [
      closed === 0 ? sentence('cancel-none') : canceledText(canceled, filled),
      ...(command.note === null ? [] : [command.note]),
      ...this.newlyUncovered(command.uncovered),
    ]);
    return { left, closed, end: { ok: true, message } };
  }

  private one(name: string): Canceling | ByHandState {
    const { orderManager, algorithms } = this.options;
    const { table } = orderManager.blotter;
    const order = table.get(name) ?? table.byVenueId(venueOrderId(name));
    if (order === undefined) return ended(false, sentence('cancel-unknown', { order: name }));
    if (!mayTrade(order) && order.state !== 'planned')
      return ended(false, sentence('cancel-not-open', { order: order.key, state: order.state }));
    const uncovered = this.uncovered();
    const algorithm = algorithms.algorithmOf(order.intentId);
    orderManager.cancels.cancel(order);
    const keys = order.pairKey === null ? [order.key] : [order.key, order.pairKey];
    return { keys, uncovered, note: algorithm === null ? null : afterCancel(algorithm, order) };
  }

  private many({ strategy, market }: CancelCommand): Canceling | ByHandState {
    const { orderManager, router, instances } = this.options;
    const { table } = orderManager.blotter;
    const orders = table
      .unfinished()
      .filter(
        (order) =>
          (strategy === null || order.strategy === strategy) && (market === null || order.market === market),
      );
    const names = instances.map(({ name }) => name);
    if (strategy !== null && orders.length === 0 && !names.includes(strategy))
      return ended(false, sentence('not-a-strategy', { strategies: names.join(', '), strategy }));
    const uncovered = this.uncovered();
    for (const instance of instances)
      if (strategy === null || instance.name === strategy) router.cancelAll(instance, market);
    const keys = orders.filter((order) => mayTrade(order) || order.state === 'planned').map(({ key }) => key);
    // This includes orders of strategies that no longer run.
    for (const order of orders) orderManager.cancels.cancel(order);
    const running = instances.filter(
      ({ name, status, isPausedByHand }) =>
        (strategy === null || name === strategy) && status === 'running' && !isPausedByHand,
    );
    const note = running.length === 0 ? null : tradesOn(running.map(({ name }) => name));
    return { keys, uncovered, note };
  }

  private uncovered(): ReadonlyMap<string, Units> {
    return new Map(
      this.options
        .leftBehind()
        .unprotected.map(({ strategy, asset, unprotected }) => [`${asset} of ${strategy}`, unprotected]),
    );
  }

  private newlyUncovered(before: ReadonlyMap<string, Units>): readonly Sentence[] {
    const bare = [...this.uncovered()].filter(([name, units]) => units > (before.get(name) ?? 0n));
    return bare.length === 0
      ? []
      : [
          sentence('uncovered-any-more', {
            amounts: bare.map(([name, units]) => `${formatUnits(units)} ${name}`).join(', '),
          }),
        ];
  }
}

function canceledText(count: number, filled: number): Sentence {
  if (filled === 0) return count === 1 ? sentence('cancel-one') : sentence('control-done', { count });
  return count === 1
    ? sentence('cancel-one-filled', { filled })
    : sentence('cancel-filled', { count, filled });
}

/** Returns the text that the strategies continue to trade, and how to prevent it. */
export function tradesOn(names: readonly string[]): Sentence {
  const [first = ''] = names;
  return names.length === 1
    ? sentence('trades-on', { strategy: first, command: `sarraf pause ${first}` })
    : sentence('trade-on', { strategies: names.join(', ') });
}

/** Returns the text on what an order's algorithm does after a person has canceled the order. */
function afterCancel(algorithm: Algorithm, { market, strategy, side }: OrderRecord): Sentence {
  const command = `sarraf cancel --strategy ${strategy} --market ${market}`;
  const ending = sentence('cancel-ending', { command });
  switch (algorithm.kind) {
    case 'quotes':
      return sentence('cancel-quotes', { ending });
    case 'bracket':
      if (side === 'buy') return sentence('cancel-bracket-entry');
      return algorithm.terms.whenCanceled === 'leave'
        ? sentence('cancel-bracket-ends')
        : sentence('cancel-bracket-again', { ending });
    case 'twap':
    case 'vwap':
    case 'dca':
    case 'targets':
      return sentence('cancel-next', { kind: algorithm.kind, ending });
    case 'ladder':
      return sentence('cancel-rungs', { ending });
    case 'expiring':
    case 'iceberg':
    case 'peg':
    case 'replace':
    case 'target':
      return sentence('cancel-ends', { kind: algorithm.kind });
  }
}
