import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { formatUnits, parseUnits } from '../../domain/money.ts';
import type { EngineOutput } from '../../engine/engine-command.ts';
import type { PositionMoveRecord } from '../../engine/mirror-change.ts';
import type { Engine } from '../../engine/engine.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import type { OrderRecord } from '../../records/order.ts';
import { violationsOf, type Violation } from './violation.ts';

/**
 * After somebody else canceled the exit of a bracket, none is placed until a person says what became of the
 * position; a sale at the market, where the price has passed its stop, is none. Orders that the bot itself
 * wanted canceled are not judged.
 */
export class PositionChecker {
  /** Strategies whose books a person has changed: their fills alone do not say what they hold. */
  readonly moved = new Set<string>();
  private readonly taken = new Set<string>();
  private readonly askedByBot = new Set<string>();
  /** By the intents of brackets that have to wait: whose they are, and the exit that was canceled. */
  private readonly waiting = new Map<string, { readonly strategy: string; readonly taken: string }>();
  private readonly messages: string[] = [];
  private readonly count: (what: string) => void;

  constructor(count: (what: string) => void) {
    this.count = count;
  }

  /** Somebody else has canceled an order of the bot, by its id at the exchange. */
  took(id: number): void {
    this.taken.add(String(id));
  }

  watch({ changes, requests }: Pick<EngineOutput, 'changes' | 'requests'>): void {
    for (const { call } of requests) {
      if (call.kind !== 'cancel') continue;
      if (call.clientOrderId !== null) this.askedByBot.add(call.clientOrderId);
      if (call.venueId !== null) this.askedByBot.add(call.venueId);
    }
    for (const change of changes) {
      if (change.kind === 'order') this.takeOrder(change.order);
      else if (change.kind === 'algorithm-end') this.waiting.delete(change.intentId);
      // An id that was lost with what was on the disk is taken again.
      else if (change.kind === 'intent' && change.intent.status === 'working')
        this.waiting.delete(change.intent.id);
      else if (change.kind === 'position-move') this.takeMove(change.move);
      else if (
        change.kind === 'journal' &&
        change.entry.kind === 'control' &&
        change.entry.subject === 'position'
      )
        this.said(change.entry.json);
    }
  }

  violations(): readonly Violation[] {
    return violationsOf('positions by hand', this.messages);
  }

  private takeOrder({
    key,
    intentId,
    strategy,
    side,
    state,
    venueId,
    filled,
    exit,
    execution,
  }: OrderRecord): void {
    const isAsked = this.askedByBot.has(key) || this.askedByBot.has(venueId ?? '');
    const isTaken = state === 'cancelled' && filled === 0n && this.taken.has(venueId ?? '');
    if (isTaken && exit !== null && !isAsked) {
      this.count('exits that somebody else canceled');
      this.waiting.set(intentId, { strategy, taken: key });
    }
    const waiting = this.waiting.get(intentId);
    if (state !== 'sending' || side !== 'sell' || execution === 'market' || waiting === undefined) return;
    this.waiting.delete(intentId);
    this.messages.push(
      `expected no exit of ${intentId} (${strategy}) after somebody else canceled ${waiting.taken} and before a person said what became of the position, was ${key}`,
    );
  }

  private takeMove({ act, from, to }: PositionMoveRecord): void {
    this.count(`position ${act} in the books`);
    for (const strategy of [from, to]) if (strategy !== null) this.moved.add(strategy);
  }

  private said(json: string): void {
    const { strategy, to } = JSON.parse(json) as { readonly strategy: string; readonly to: string | null };
    for (const [intentId, { strategy: owner }] of this.waiting)
      if (owner === strategy || owner === to) this.waiting.delete(intentId);
  }
}

type MoveRow = Pick<PositionMoveRecord, 'from' | 'to' | 'asset' | 'amount'>;

/** Reads a person's moves in the books of strategies from a mirror. */
export function readPositionMoves(database: Database.Database): readonly MoveRow[] {
  return database
    .prepare<[], MoveRow>(
      'SELECT from_strategy AS "from", to_strategy AS "to", asset, amount FROM position_moves',
    )
    .all();
}

/** Returns the amount a move adds to a strategy, or to all of them; zero if it concerns others. */
export function movedBy({ from, to, amount }: MoveRow, strategy: string | null): bigint {
  const isOf = (owner: string | null): boolean => owner !== null && (strategy === null || owner === strategy);
  return (isOf(to) ? parseUnits(amount) : 0n) - (isOf(from) ? parseUnits(amount) : 0n);
}

interface HoldingRow {
  readonly strategy: string;
  readonly market: string;
  readonly side: string;
  readonly amount: string;
  readonly fee: string;
}

/**
 * Checks that the coins held by strategies equal the sum of their fills, their inventory and a person's
 * statements on positions, each once. Returns the differences; null if all agree.
 */
export function wrongHoldings({ instances }: Pick<Engine, 'instances'>, mirrorPath: string): string | null {
  if (!existsSync(mirrorPath)) return null;
  const database = new Database(mirrorPath, { readonly: true });
  try {
    const fills = database
      .prepare<[], HoldingRow>(
        'SELECT strategy, market, side, amount, fee FROM fills WHERE strategy IS NOT NULL',
      )
      .all();
    const moves = readPositionMoves(database);
    const sums = new Map<string, bigint>();
    const add = (strategy: string, asset: string, units: bigint): void =>
      void sums.set(`${strategy} ${asset}`, (sums.get(`${strategy} ${asset}`) ?? 0n) + units);
    for (const { strategy, market, side, amount, fee } of fills)
      add(
        strategy,
        parseMarket(market).base,
        side === 'buy' ? parseUnits(amount) - parseUnits(fee) : 0n - parseUnits(amount),
      );
    for (const { from, to, asset, amount } of moves) {
      if (from !== null) add(from, asset, 0n - parseUnits(amount));
      if (to !== null) add(to, asset, parseUnits(amount));
    }
    const wrong = instances.flatMap(({ name, ledger, quotes }) =>
      [...ledger.state.holdings].flatMap(([asset, { held }]) => {
        const sum = (sums.get(`${name} ${asset}`) ?? 0n) + ledger.inventoryOf(asset);
        return quotes.has(asset) || sum === held
          ? []
          : [`expected ${name} to hold ${formatUnits(sum)} ${asset}, was ${formatUnits(held)}`];
      }),
    );
    return wrong[0] ?? null;
  } finally {
    database.close();
  }
}
