import { z } from 'zod';
import type { EngineOutput } from '../../engine/engine-command.ts';
import type { Engine } from '../../engine/engine.ts';
import type { IntentRecord } from '../../records/rows.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { addsRisk, NOTHING_GIVEN, type GivenCoins } from './adds-risk.ts';
import type { ExchangeTruth } from './exchange-truth.ts';
import { isSpoiledBy, namedOrders } from './own-key.ts';
import { violationsOf, type Violation } from './violation.ts';

const sells = z.object({ intentId: z.string().nullable(), strategy: z.string(), market: z.string() });
const wished = z.object({ tag: z.string().optional() });

/** One that leaves or is accepted so late may have met another position. */
const PROMPT_MS = 10_000;

interface ClosingOrder {
  readonly strategy: string;
  /** By the clock of the exchange. */
  readonly sentAtMs: number;
}

interface ByHandCheckerOptions {
  readonly instance: string;
  readonly given?: GivenCoins;
  readonly count: (what: string) => void;
}

/**
 * A close never sells more than was held, by the exchange's own trades, over all lives, and it waits for the
 * ends of all other orders in the coin. And of each order by hand there is one at most, however often its
 * command was given: here each has an amount of its own. A death loses all steps since the last durable one,
 * so the ids and names that they took are free again: what takes one anew is judged for what it is.
 */
export class ByHandChecker {
  private readonly options: ByHandCheckerOptions;
  /** Intents of closes. */
  private readonly closings = new Set<string>();
  private readonly sold = new Map<string, ClosingOrder>();
  /** By the names of orders by hand: their wishes, which are alike for no two commands. */
  private readonly placed = new Map<string, string>();
  /** The same, by their intents. */
  private readonly wishes = new Map<string, string>();
  private readonly tooEarly: string[] = [];
  /** True if an older mirror was restored: the bot then has to rediscover what it knew. */
  private isBlind = false;

  constructor(options: ByHandCheckerOptions) {
    this.options = options;
  }

  /** An older mirror took the place of the one at hand. */
  forget(): void {
    this.isBlind = true;
  }

  /** One step, at a time of the bot's clock and of the exchange's. */
  watch(
    engine: Pick<Engine, 'unfinishedOrders'>,
    { changes }: Pick<EngineOutput, 'changes'>,
    atMs: number,
    exchangeMs: number = atMs,
  ): void {
    if (this.isBlind) return;
    for (const change of changes) {
      if (change.kind === 'journal' && change.entry.kind === 'control')
        this.control(engine, change.entry.subject, change.entry.json);
      if (change.kind === 'intent' && change.intent.status === 'working') this.begin(change.intent);
    }
    for (const change of changes) {
      if (change.kind !== 'order' || change.order.state !== 'sending') continue;
      const { intentId, clientOrderId, strategy, plannedAtMs } = change.order;
      if (clientOrderId === null) continue;
      const wish = this.wishes.get(intentId);
      if (wish === undefined) this.placed.delete(clientOrderId);
      else this.placed.set(clientOrderId, wish);
      if (!this.closings.has(intentId)) this.sold.delete(clientOrderId);
      if (!this.closings.has(intentId) || atMs - plannedAtMs > PROMPT_MS) continue;
      this.options.count('orders of a close');
      this.sold.set(clientOrderId, { strategy, sentAtMs: exchangeMs });
    }
  }

  violations(truth: ExchangeTruth, refused: ReadonlySet<string>): readonly Violation[] {
    const { instance, given = NOTHING_GIVEN } = this.options;
    const own = namedOrders(truth, instance);
    const nameOf = new Map(own.map(({ order, name }) => [order.id, name]));
    const tooMuch = own.flatMap(({ order, name }) => {
      const sale = this.sold.get(name);
      if (sale === undefined || isSpoiledBy(refused, sale.strategy)) return [];
      if (order.openedAtMs - sale.sentAtMs > PROMPT_MS || !addsRisk(order, { truth, nameOf, given }))
        return [];
      return [
        `expected the close ${name} (${order.side} ${order.amount} in ${order.market}) to be of no more than was held`,
      ];
    });
    const names = new Set(nameOf.values());
    const twice = [...Map.groupBy(names, (name) => this.placed.get(name))].flatMap(([wish, alike]) =>
      wish === undefined || alike.length === 1
        ? []
        : [`expected one order by hand for ${wish}, were ${alike.join(', ')}`],
    );
    return violationsOf('by hand', [...tooMuch, ...twice, ...this.tooEarly]);
  }

  private control(engine: Pick<Engine, 'unfinishedOrders'>, subject: string, json: string): void {
    if (subject === 'close sells') {
      const { intentId, strategy, market } = sells.parse(JSON.parse(json));
      if (intentId !== null) this.closings.add(intentId);
      const { base } = parseMarket(market);
      for (const order of engine.unfinishedOrders()) {
        const isOther = order.strategy === strategy && order.intentId !== intentId;
        if (isOther && parseMarket(order.market).base === base)
          this.tooEarly.push(`expected a close of ${strategy} to wait for ${order.key}, was ${order.state}`);
      }
      this.options.count('close sells');
    }
    if (subject === 'close result' || subject === 'place result') {
      const { ok } = z.object({ ok: z.boolean() }).parse(JSON.parse(json));
      this.options.count(`${subject} ${ok ? 'ok' : 'not ok'}`);
    }
  }

  private begin({ id, kind, json }: IntentRecord): void {
    this.closings.delete(id);
    if (kind === 'place' && wished.parse(JSON.parse(json)).tag === 'by-hand') this.wishes.set(id, json);
    else this.wishes.delete(id);
  }
}
