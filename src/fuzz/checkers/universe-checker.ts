import type { MarketStats } from '../../domain/market-stats.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EngineOutput } from '../../engine/engine-command.ts';
import type { EngineEvent } from '../../engine/engine-event.ts';
import { violationsOf, type Violation } from './violation.ts';

/** The universe that is checked: one member, the best by a number of the last reply. */
export interface CheckedUniverse {
  readonly strategy: string;
  readonly key: string;
  readonly rankBy: 'volume24h' | 'volatility' | 'spread' | 'change';
  readonly quote: string;
  readonly hysteresis: number;
}

interface Told {
  readonly entered: readonly string[];
  readonly left: readonly string[];
  readonly members: readonly string[];
  readonly kept: readonly string[];
}

/**
 * Derives the members of a universe again from the replies that the bot got. A market enters as the best of
 * the last reply; there is one member at most; a holding in one that has left is still followed.
 */
export class UniverseChecker {
  private readonly universe: CheckedUniverse;
  private readonly found: string[] = [];
  /** Questions for statistics that wait for their reply, of this life. */
  private readonly asked = new Set<number>();
  /** The best of each reply, the last two; null where a reply can not be ranked for sure. */
  private best: readonly (string | null)[] = [];
  private members: readonly string[] = [];
  private engine: Engine | null = null;

  constructor(universe: CheckedUniverse) {
    this.universe = universe;
  }

  /** Looks at a step; answers what was told of the universe in it. */
  watch(engine: Engine, event: EngineEvent, output: EngineOutput, atMs: number): readonly Told[] {
    if (engine !== this.engine) this.beginLife(engine);
    if (event.kind === 'answer' && this.asked.delete(event.requestId) && event.answer.outcome === 'value')
      this.best = [bestOf(event.answer.value as readonly MarketStats[], this.universe), ...this.best].slice(
        0,
        2,
      );
    // Those of a book that may stand still are asked for as a backfill, and rank nothing.
    for (const { id, call, requestClass } of output.requests)
      if (call.kind === 'stats' && requestClass !== 'backfill') this.asked.add(id);
    const told = output.changes.flatMap((change) =>
      change.kind === 'journal' &&
      change.entry.kind === 'universe' &&
      change.entry.subject === this.universe.key
        ? [JSON.parse(change.entry.json) as Told]
        : [],
    );
    for (const one of told) this.check(engine, one, atMs);
    return told;
  }

  violations(): readonly Violation[] {
    return violationsOf('universe', this.found);
  }

  /** A new process knows the members of before. */
  private beginLife(engine: Engine): void {
    this.engine = engine;
    this.asked.clear();
    this.best = [];
    const instance = engine.instances.find(({ name }) => name === this.universe.strategy);
    const state = instance === undefined ? null : engine.universes.stateOf(instance, 'members');
    this.members = state?.members.map(({ market }) => market) ?? [];
  }

  private check(engine: Engine, { entered, left, members, kept }: Told, atMs: number): void {
    const say = (message: string): void => void this.found.push(`${message} at ${atMs}`);
    const expected = [...this.members.filter((market) => !left.includes(market)), ...entered];
    if (members.length > 1) say(`expected one member at most, were ${members.join(', ')}`);
    if (expected.join() !== members.join())
      say(
        `expected the members ${expected.join()} after ${left.join()} left and ${entered.join()} entered, were ${members.join()}`,
      );
    this.members = members;
    const [last, before] = this.best;
    // A reply may come between the choice of a market and its bars.
    const isClear = this.universe.hysteresis === 0 && last !== undefined && last !== null && before !== null;
    for (const market of entered) {
      if (isClear && market !== last && market !== before)
        say(
          `expected ${last} to enter, which the last reply has as the best by ${this.universe.rankBy}, was ${market}`,
        );
    }
    const own = engine.unfinishedOrders().filter(({ strategy }) => strategy === this.universe.strategy);
    const open = new Set(own.map(({ market }) => market));
    for (const market of left) {
      if (open.has(market) && !kept.includes(market) && !members.includes(market))
        say(`expected ${market}, which left with an order open, to be followed`);
    }
  }
}

/** The best market of a reply, by the rule of the documentation; null where the reply is not plain. */
function bestOf(stats: readonly MarketStats[], { quote, rankBy }: CheckedUniverse): string | null {
  let best: { readonly market: string; readonly figure: number } | null = null;
  for (const one of stats) {
    if (one.market.quote !== quote) continue;
    if (one.isClosed || !isPlain(one)) return null;
    const figure = figureOf(one, rankBy);
    if (Number.isNaN(figure)) return null;
    const { symbol } = one.market;
    const isBetter =
      best === null || figure > best.figure || (figure === best.figure && symbol < best.market);
    if (isBetter) best = { market: symbol, figure };
  }
  return best?.market ?? null;
}

/** True if nothing of it could be mistaken for an error. */
function isPlain({ bestBuy, bestSell, latest }: MarketStats): boolean {
  const [bid, ask, last] = [Number(bestBuy), Number(bestSell), Number(latest)];
  return bid > 0 && ask > bid && last > bid / 2 && last < ask * 2;
}

const number = (text: string | null): number => (text === null ? Number.NaN : Number(text));

function figureOf(stats: MarketStats, rankBy: CheckedUniverse['rankBy']): number {
  const { bestBuy, bestSell, dayLow, dayHigh, dayChange, quoteVolume } = stats;
  const [bid, ask] = [number(bestBuy), number(bestSell)];
  switch (rankBy) {
    case 'spread':
      return -(((ask - bid) / ((ask + bid) / 2)) * 10_000);
    case 'change':
      return number(dayChange);
    case 'volatility':
      return ((number(dayHigh) - number(dayLow)) / number(dayLow)) * 100;
    case 'volume24h':
      return number(quoteVolume);
  }
}
