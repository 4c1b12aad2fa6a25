import { algorithmFromJson } from '../../engine/algorithm-json.ts';
import type { EngineOutput } from '../../engine/engine-command.ts';
import type { PositionMoveRecord } from '../../engine/mirror-change.ts';
import type { OrderRecord } from '../../records/order.ts';

/** A stretch of time in which something keeps exits from being placed, in ms of the true time. */
export interface Excuse {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A bracket while it is at work, as the bot says it is. */
export interface WatchedBracket {
  readonly intentId: string;
  readonly strategy: string;
  readonly market: string;
  readonly fromMs: number;
  untilMs: number;
  /** True if it is for a position that was there before. */
  readonly isProtection: boolean;
  /** Amount that was there before: for a protection all of it, for a bracket the dust of earlier ones. */
  readonly before: bigint;
  /** Its orders, by the names that they were placed under. */
  readonly names: Set<string>;
  /** Times at which its own orders had no clear answer, or were refused. */
  readonly excuses: Excuse[];
}

/** Watches which brackets are at work, which orders are theirs, and what keeps exits from being placed. */
export class BracketWatch {
  readonly brackets: WatchedBracket[] = [];
  readonly excuses: Excuse[] = [];
  private readonly atWork = new Map<string, WatchedBracket>();
  private readonly sinceMs = new Map<string, number>();
  /** Strategies whose books a person has changed: by their fills they hold something else. */
  private readonly moved = new Set<string>();

  /** Applies the changes of a step of the bot. */
  take({ changes }: Pick<EngineOutput, 'changes'>, nowMs: number): void {
    for (const change of changes) {
      if (change.kind === 'algorithm') this.takeAlgorithm(change.algorithm, nowMs);
      else if (change.kind === 'algorithm-end') this.end(change.intentId, nowMs);
      else if (change.kind === 'order') this.takeOrder(change.order, nowMs);
      else if (change.kind === 'position-move') this.takeMove(change.move, nowMs);
    }
  }

  /** Something goes on, or is over, that keeps exits from being placed. */
  hold(what: string, isSo: boolean, nowMs: number): void {
    const fromMs = this.sinceMs.get(what);
    if (isSo && fromMs === undefined) this.sinceMs.set(what, nowMs);
    else if (!isSo && fromMs !== undefined) {
      this.sinceMs.delete(what);
      this.excuses.push({ fromMs, toMs: nowMs });
    }
  }

  /** Ends all: the bot ends them itself, or can not know of them any more. */
  endAll(nowMs: number): void {
    for (const { intentId } of this.atWork.values()) this.end(intentId, nowMs);
    for (const what of this.sinceMs.keys()) this.hold(what, false, nowMs);
  }

  /**
   * A life begins with those that the mirror has. One that it never got is forgotten from its beginning on:
   * the life before died before it was on the disk, and nothing of it was sent.
   */
  begin(onDisk: ReadonlySet<string>): void {
    for (const { intentId, fromMs } of this.atWork.values())
      if (!onDisk.has(intentId)) this.end(intentId, fromMs);
  }

  private takeAlgorithm(
    {
      intentId,
      strategy,
      market,
      json,
    }: {
      readonly intentId: string;
      readonly strategy: string;
      readonly market: string;
      readonly json: string;
    },
    nowMs: number,
  ): void {
    const algorithm = algorithmFromJson(json);
    if (algorithm.kind !== 'bracket') return;
    const { terms } = algorithm;
    const hasExit = terms.stopLoss !== null || terms.takeProfit !== null || terms.trail !== null;
    // What is only held until its time is over has no exit to rest.
    if (!hasExit || this.moved.has(strategy)) return;
    let bracket = this.atWork.get(intentId);
    if (bracket === undefined) {
      bracket = {
        intentId,
        strategy,
        market,
        fromMs: nowMs,
        untilMs: Number.POSITIVE_INFINITY,
        isProtection: terms.entry === null,
        before: terms.entry === null || algorithm.entry !== 'ended' ? algorithm.bought : 0n,
        names: new Set(),
        excuses: [],
      };
      this.atWork.set(intentId, bracket);
      this.brackets.push(bracket);
    }
    const { setbacks, isStopAlone, unclear } = algorithm;
    this.holdOne(bracket, 'unclear', unclear !== null, nowMs);
    // Its stop goes at once where only the pair was refused.
    this.holdOne(bracket, 'refused', setbacks.inARow > 0 && !isStopAlone, nowMs);
  }

  private takeMove({ from, to }: PositionMoveRecord, nowMs: number): void {
    for (const strategy of [from, to]) if (strategy !== null) this.moved.add(strategy);
    for (const { intentId, strategy } of this.atWork.values())
      if (this.moved.has(strategy)) this.end(intentId, nowMs);
  }

  private takeOrder({ key, intentId, state, clientOrderId }: OrderRecord, nowMs: number): void {
    const bracket = this.atWork.get(intentId);
    if (bracket === undefined) return;
    if (clientOrderId !== null) bracket.names.add(clientOrderId);
    this.holdOne(bracket, `unknown ${key}`, state === 'unknown', nowMs);
    if (state === 'rejected') bracket.excuses.push({ fromMs: nowMs, toMs: nowMs });
  }

  private holdOne(bracket: WatchedBracket, what: string, isSo: boolean, nowMs: number): void {
    const name = `${bracket.intentId} ${what}`;
    const fromMs = this.sinceMs.get(name);
    if (isSo && fromMs === undefined) this.sinceMs.set(name, nowMs);
    else if (!isSo && fromMs !== undefined) {
      this.sinceMs.delete(name);
      bracket.excuses.push({ fromMs, toMs: nowMs });
    }
  }

  private end(intentId: string, nowMs: number): void {
    const bracket = this.atWork.get(intentId);
    if (bracket === undefined) return;
    for (const name of this.sinceMs.keys())
      if (name.startsWith(`${intentId} `))
        this.holdOne(bracket, name.slice(intentId.length + 1), false, nowMs);
    bracket.untilMs = nowMs;
    this.atWork.delete(intentId);
  }
}
