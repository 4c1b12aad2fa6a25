import { EnginePart } from '../engine-settings.ts';
import type { CloseByHandOptions } from './close-by-hand.ts';
import { present } from '../../domain/errors.ts';
import {
  formatUnits,
  negateUnits,
  NO_UNITS,
  parseUnits,
  subtractUnits,
  type Units,
} from '../../domain/money.ts';
import { isSentence, sentence, type Sentence } from '../../language/sentence.ts';
import type { AlgorithmManager } from '../algorithms/algorithm-manager.ts';
import type { PositionCommand } from '../engine-event.ts';
import type { MissingCoins } from '../feeds/account-state.ts';
import type { Reservations } from '../risk/reservations.ts';
import type { StrategyInstance } from '../strategy-instance.ts';
import type { DoneCommand } from '../stored-records.ts';

export interface PositionByHandOptions extends Pick<CloseByHandOptions, 'outbox' | 'markets' | 'instanceOf'> {
  readonly algorithms: AlgorithmManager;
  readonly reservations: Reservations;
  readonly missing: MissingCoins;
  readonly instances: readonly StrategyInstance[];
  /**
   * Returns why a strategy may place nothing in a coin: its position there is being closed. Null if it may.
   */
  readonly closingOf: (strategy: string, coin: string) => Sentence | null;
}

/** Coins that change their owner. `from` or `to` is null for the account itself. */
interface Move {
  readonly from: StrategyInstance | null;
  readonly to: StrategyInstance | null;
  readonly asset: string;
  readonly market: string;
  readonly amount: Units;
  readonly price: Units;
}

/**
 * Corrects the books as a person says: a strategy holds coins (adopt), no longer holds them (write-off), or
 * another strategy holds them (move). No order is placed and the account does not change. If it was unclear
 * whether a position still exists, the command settles that, and its exit is placed again. A command is
 * stored in the step that carries it out, so it is done once or not at all.
 */
export class PositionByHand extends EnginePart<PositionByHandOptions> {
  apply(command: PositionCommand): Omit<DoneCommand, 'key'> {
    const move = this.moveOf(command);
    return isSentence(move)
      ? { ok: false, message: move }
      : { ok: true, message: this.carryOut(command, move) };
  }

  /** Returns the move that a command asks for, or why it is refused. */
  private moveOf(command: PositionCommand): Move | Sentence {
    const { act, strategy, market } = command;
    const { markets } = this.options;
    const instance = this.options.instanceOf(strategy);
    if (instance === undefined) return sentence('no-strategy', { strategy });
    const to = act === 'move' ? this.options.instanceOf(command.to ?? '') : instance;
    if (to === undefined || (act === 'move' && to === instance))
      return sentence('position-to', { strategy: command.to ?? '' });
    const owners = act === 'move' ? [instance, to] : [instance];
    for (const owner of owners) {
      const problem = this.problemOf(owner, market);
      if (problem !== null) return problem;
    }
    const price = command.price === null ? markets.priceOf(market) : parseUnits(command.price);
    if (price === null || price <= 0n) return sentence('position-no-price', { market });
    const asset = instance.marketNames.parseMarket(market).base;
    const whole = act === 'adopt' ? NO_UNITS : this.freeOf(instance, asset);
    const amount = command.amount === null ? whole : parseUnits(command.amount);
    const move = {
      from: act === 'adopt' ? null : instance,
      to: act === 'write-off' ? null : to,
      asset,
      market,
      amount,
      price,
    };
    return this.objectionTo(move, command.amount !== null) ?? move;
  }

  private problemOf(instance: StrategyInstance, market: string): Sentence | null {
    const { markets, closingOf } = this.options;
    const known = instance.markets.filter((name) => markets.get(name) !== undefined);
    if (!known.includes(market))
      return sentence('close-market', { strategy: instance.name, markets: known.join(', '), market });
    const { base } = instance.marketNames.parseMarket(market);
    if (instance.quotes.has(base)) return sentence('position-money', { strategy: instance.name, market });
    return closingOf(instance.name, base);
  }

  /** Returns the amount of a coin that a strategy holds and no order sells. */
  private freeOf(instance: StrategyInstance, asset: string): Units {
    return this.options.reservations.unclaimed(instance, asset);
  }

  private objectionTo({ from, to, asset, amount }: Move, isGiven: boolean): Sentence | null {
    const coin = asset.toUpperCase();
    if (from !== null) {
      const free = this.freeOf(from, asset);
      const held = from.held(asset);
      if (amount > 0n && amount <= free) return null;
      return sentence('position-not-free', {
        strategy: from.name,
        held: `${formatUnits(held)} ${coin}`,
        free: formatUnits(free),
      });
    }
    const missing = this.options.missing.amountOf(asset);
    const strategy = present(to, 'who adopts').name;
    if (!isGiven)
      return missing === 0n
        ? null
        : sentence('position-missing', { amount: `${formatUnits(missing)} ${coin}` });
    const left = this.unowned(asset);
    if (amount > 0n && amount <= left) return null;
    return sentence('position-not-there', { strategy, left: `${formatUnits(left)} ${coin}` });
  }

  /** Returns the amount in the account that no strategy and no manual order holds. */
  private unowned(asset: string): Units {
    const { reservations, instances } = this.options;
    let left = reservations.ofAccount(asset);
    for (const instance of instances) {
      const held = instance.quotes.has(asset) ? NO_UNITS : instance.held(asset);
      if (held > 0n) left = subtractUnits(left, held);
    }
    return left > 0n ? left : NO_UNITS;
  }

  /** Carries out a move and returns the text on what was done. */
  private carryOut({ key, act, by }: PositionCommand, move: Move): Sentence {
    const { outbox, algorithms, markets } = this.options;
    const { from, to, asset, market, amount, price } = move;
    const { nowMs } = outbox;
    const owners = [from, to].filter((owner) => owner !== null);
    if (amount > 0n) {
      for (const owner of owners) {
        owner.applyPrices((symbol) => markets.priceOf(symbol), nowMs);
        owner.applyCoins({
          asset,
          amount: owner === from ? negateUnits(amount) : amount,
          market,
          price,
          atMs: nowMs,
        });
      }
      outbox.change({
        kind: 'position-move',
        move: {
          key,
          act,
          atMs: nowMs,
          from: from?.name ?? null,
          to: to?.name ?? null,
          asset,
          amount: formatUnits(amount),
          price: formatUnits(price),
          market,
          by: by ?? null,
        },
      });
    }
    const strategy = (from ?? present(to, 'whose coins they are')).name;
    const [first] = owners.map((owner) => algorithms.clear(owner, asset));
    const what = `${formatUnits(amount)} ${asset.toUpperCase()}`;
    const at = formatUnits(price);
    if (act === 'move')
      return sentence('position-moved', { amount: what, from: strategy, to: to?.name ?? '', price: at });
    if (act === 'write-off') return sentence('position-written-off', { amount: what, strategy, price: at });
    if (amount > 0n) return sentence('position-adopted', { amount: what, strategy, price: at });
    const held = `${formatUnits(present(to, 'who adopts').held(asset))} ${asset.toUpperCase()}`;
    return sentence(first === true ? 'position-confirmed' : 'position-nothing-unclear', { strategy, held });
  }
}
