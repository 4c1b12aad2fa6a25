import type { EngineOutput } from '../../engine/engine-command.ts';
import type { Engine } from '../../engine/engine.ts';
import type { MirrorChange } from '../../engine/mirror-change.ts';
import { MARK } from '../vandal.ts';
import { violationsOf, type Violation } from './violation.ts';

/** Changes of the account and its markets: they hold no text of a strategy. */
const FACTS: ReadonlySet<MirrorChange['kind']> = new Set([
  'book',
  'stats',
  'public-trades',
  'wallet',
  'market',
  'order',
  'fill',
  'intent',
]);

/**
 * Checks that a hostile strategy affects only itself: its changes are not seen by the engine, the mirror or
 * the exchange, no other strategy fails, and nothing of a wrong answer is accepted, its state included.
 */
export class VandalChecker {
  private readonly found: string[] = [];

  watch(engine: Engine, { changes, requests }: EngineOutput, atMs: number): void {
    for (const change of changes) {
      if (FACTS.has(change.kind) && marked(change))
        this.find(`no mark in a change of ${change.kind}`, change, atMs);
      if (
        change.kind === 'journal' &&
        change.entry.kind === 'strategy' &&
        change.entry.subject !== 'vandal'
      ) {
        this.find('no other strategy to fail', change.entry, atMs);
      }
      if (change.kind === 'strategy' && change.strategy.json.includes('"spoiled":true')) {
        this.find('no state out of an answer that was wrong', change.strategy.name, atMs);
      }
    }
    for (const { call } of requests) if (marked(call)) this.find('no mark in a request', call, atMs);
    for (const { market, book } of engine.markets.all()) {
      if (book !== null && marked(book)) this.find(`no mark in the book of ${market.symbol}`, book, atMs);
    }
  }

  violations(): readonly Violation[] {
    return violationsOf('hostile strategy', this.found);
  }

  private find(expected: string, was: unknown, atMs: number): void {
    this.found.push(`expected ${expected} at ${atMs}, was ${textOf(was).slice(0, 300)}`);
  }
}

function marked(what: unknown): boolean {
  return textOf(what).includes(MARK);
}

function textOf(what: unknown): string {
  return (
    JSON.stringify(what, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)) ?? ''
  );
}
