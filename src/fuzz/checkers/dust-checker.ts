import type { EngineOutput } from '../../engine/engine-command.ts';
import { formatUnits } from '../../domain/money.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { algorithmFromJson } from '../../engine/algorithm-json.ts';
import { heldByStrategies, type HoldingBot } from './held-by-strategies.ts';
import { violationsOf, type Violation } from './violation.ts';

/** As many faults are named. */
const MOST_NAMED = 20;

/** Dust of earlier brackets that a bracket includes. */
interface Claim {
  readonly holder: string;
  readonly dust: bigint;
}

/**
 * Dust is sold once: as a bracket begins, it takes no more than its strategy holds, less what brackets have
 * taken that have sold nothing yet. One checker watches all lives of a bot.
 */
export class DustChecker {
  private readonly found: string[] = [];
  private readonly seen = new Set<string>();
  /** By intent: brackets at work that have no exit yet. */
  private readonly claims = new Map<string, Claim>();
  private held: ReadonlyMap<string, bigint> = new Map();

  /** The process died: it may not have written what began last. */
  died(): void {
    this.claims.clear();
  }

  /** One step. Answers in how many brackets dust went. */
  watch(bot: HoldingBot, { changes }: Pick<EngineOutput, 'changes'>): number {
    const held = heldByStrategies(bot);
    let count = 0;
    for (const change of changes) {
      // An id that another life died over before it was written is taken again.
      if (change.kind === 'intent' && change.intent.status === 'working') this.seen.delete(change.intent.id);
      else if (change.kind === 'algorithm-end') this.claims.delete(change.intentId);
      else if (change.kind === 'order' && change.order.side === 'sell')
        this.claims.delete(change.order.intentId);
      else if (change.kind === 'algorithm') {
        const { intentId, strategy, market, json } = change.algorithm;
        if (this.seen.has(intentId)) continue;
        this.seen.add(intentId);
        const dust = dustIn(json);
        if (dust === 0n) continue;
        count += 1;
        const holder = `${strategy} ${parseMarket(market).base}`;
        this.claims.set(intentId, { holder, dust });
        // What else this step brought may have come before or after.
        this.hold(holder, [this.held.get(holder) ?? 0n, held.get(holder) ?? 0n]);
      }
    }
    this.held = held;
    return count;
  }

  violations(): readonly Violation[] {
    return violationsOf('dust', this.found);
  }

  private hold(holder: string, held: readonly bigint[]): void {
    let taken = 0n;
    for (const claim of this.claims.values()) if (claim.holder === holder) taken += claim.dust;
    if (held.some((units) => taken <= units) || this.found.length >= MOST_NAMED) return;
    this.found.push(
      `expected brackets of ${holder} to take at most what is held, ${held.map((units) => formatUnits(units)).join(' or ')}, they took ${formatUnits(taken)}`,
    );
  }
}

/** Returns the dust included in a bracket that has just begun; zero for one that protects a position. */
function dustIn(json: string): bigint {
  const algorithm = algorithmFromJson(json);
  const isNew =
    algorithm.kind === 'bracket' && algorithm.terms.entry !== null && algorithm.entry === 'planned';
  return isNew ? algorithm.bought : 0n;
}
