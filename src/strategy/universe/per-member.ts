import { invalidStrategy } from '../../domain/errors.ts';
import { madeOnce, retainNewest } from '../../domain/retain-newest.ts';
import { strayHandler, LIFE, type AnyHandler, type StrategyDefinition } from '../definition.ts';
import type { StrategyContext } from '../context.ts';
import type { Data, DataSetup, DeclaredData, MarketData } from '../data/data.ts';
import { fieldsOf } from '../fields.ts';
import { MemberContext, UNIVERSE_NAME, type MemberParts } from './member-context.ts';
import { universeData, type UniverseData } from './member-data.ts';
import type { Universe } from '../shown-universe.ts';
import type { UniverseRules } from '../universe-rules.ts';
import { z } from 'zod';
import { StrategyState } from '../strategy-state.ts';

/** Maximum number of orders that members named but do not have; beyond it the oldest are dropped. */
const MOST_ASKED = 100;

const IS_LIFE: ReadonlySet<string> = new Set(LIFE);

/**
 * Makes a strategy of one market run in each member of a universe. Its handlers see the market of the event
 * as their own; each market has its own indicators, history and state. Must be called for each run.
 */
export function perMember(definition: StrategyDefinition, rules: UniverseRules): StrategyDefinition {
  const members = new Members(definition);
  const { trailing } = definition;
  const state = statesByMarket(definition);
  return {
    name: definition.name,
    ...(definition.params === undefined ? {} : { params: definition.params }),
    ...(state === undefined ? {} : { state }),
    ...(definition.migrate === undefined
      ? {}
      : { migrate: (stored: unknown) => migratedStates(definition, stored) }),
    data: (setup) => members.declare(setup, rules),
    indicators: (data, setup) => members.indicators(data, setup),
    // Indicators of each member are checked in `isWarm` below.
    beforeWarm: 'call',
    ...(trailing === undefined
      ? {}
      : { trailing: { ...trailing, most: trailing.most * (rules.take + rules.reserve) } }),
    on: members.handlers(),
  };
}

/** The members of one run, each with its context. */
class Members {
  private readonly definition: StrategyDefinition;
  private readonly data = new Set<string>();
  private readonly indicatorNames = new Set<string>();
  private readonly parts: MemberParts;
  /** Contexts by market; at most one for each candidate. */
  private readonly contexts = new Map<string, MemberContext>();
  /** Market of the member that named an order it does not have, by the order's id. */
  private readonly asked = new Map<string, string>();

  constructor(definition: StrategyDefinition) {
    this.definition = definition;
    this.parts = {
      data: this.data,
      indicators: this.indicatorNames,
      firstState: firstState(definition),
      hasState: definition.state !== undefined,
      onUnknownOrder: (clientOrderId, market) => {
        this.asked.set(clientOrderId, market);
        retainNewest(this.asked, MOST_ASKED);
      },
    };
  }

  declare(setup: DataSetup<unknown>, rules: UniverseRules): DeclaredData {
    // Throws if this run can not rank by these rules.
    const { from } = setup.universe(rules);
    const universe = universeData(from, { ...setup, isPerMember: true });
    const declared = this.definition.data({
      ...setup,
      market: memberMarket(universe, rules.quote),
      universe: () => {
        throw invalidStrategy(
          'universe(...): expected a strategy of one market, was one that has a universe: give it a market in place of universe',
        );
      },
    });
    for (const [name, data] of Object.entries(fieldsOf(declared))) this.note(name, data);
    const stray = strayHandler(this.definition.on, Object.keys(fieldsOf(declared)));
    if (stray !== null) throw invalidStrategy(stray);
    return { ...declared, [UNIVERSE_NAME]: universe };
  }

  indicators(data: DeclaredData, setup: Parameters<NonNullable<StrategyDefinition['indicators']>>[1]) {
    const specs = this.definition.indicators?.(data, setup) ?? {};
    for (const [name, spec] of Object.entries(specs))
      if (fieldsOf(fieldsOf(spec)['of'])['kind'] === 'member-candles') this.indicatorNames.add(name);
    return specs;
  }

  /** Returns its handlers, each called with the context of the event's market. */
  handlers(): StrategyDefinition['on'] {
    const { on } = this.definition;
    const handlers: Record<string, AnyHandler> = {};
    for (const [name, handle] of Object.entries(on)) {
      if (handle === undefined) continue;
      handlers[name] = IS_LIFE.has(name)
        ? (ctx, event) => this.inMarketsOf(ctx, event, handle)
        : (ctx, event) => this.withData(name, ctx, event, handle);
    }
    const { start } = on;
    if (start !== undefined) handlers[UNIVERSE_NAME] = (ctx, event) => this.begin(ctx, event, start);
    return handlers;
  }

  private note(name: string, data: unknown): void {
    if (name === UNIVERSE_NAME)
      throw invalidStrategy(
        `data.${name}: expected another name: it is that of the universe of a strategy per member`,
      );
    if (Array.isArray(data)) {
      if (data.some(isOfMember))
        throw invalidStrategy(
          `data.${name}: expected data of one name each, was a list: a strategy per member has none of its market`,
        );
    } else if (isOfMember(data)) this.data.add(name);
  }

  /** Calls a handler of data: for the member that the data belongs to, or for all if they share it. */
  private withData(name: string, ctx: StrategyContext, event: unknown, handle: AnyHandler): unknown {
    const market = this.data.has(name) ? fieldsOf(event)['market'] : null;
    for (const one of typeof market === 'string' ? [market] : followed(ctx)) {
      const context = this.contextOf(ctx, one);
      if (!this.isWarm(context)) continue;
      const answer = handle.call(this.definition.on, context, event);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  /** Calls a handler of the strategy's life: for one market, or for each followed one at start and stop. */
  private inMarketsOf(ctx: StrategyContext, event: unknown, handle: AnyHandler): unknown {
    const market = this.marketOf(event);
    for (const one of market === null ? followed(ctx) : [market]) {
      const answer = handle.call(this.definition.on, this.contextOf(ctx, one), event);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  /** Calls `start` for each market that enters; it is a restart if the market has a stored state. */
  private begin(ctx: StrategyContext, event: unknown, handle: AnyHandler): unknown {
    const { entered } = fieldsOf(event);
    for (const market of Array.isArray(entered) ? (entered as readonly string[]) : []) {
      const isRestart = Object.hasOwn(fieldsOf(ctx.state), market);
      const answer = handle.call(
        this.definition.on,
        this.contextOf(ctx, market),
        Object.freeze({ isRestart }),
      );
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  private isWarm({ indicators }: MemberContext): boolean {
    if (this.definition.beforeWarm === 'call') return true;
    for (const name in indicators) if (indicators[name] === null) return false;
    return true;
  }

  private marketOf(event: unknown): string | null {
    const { market, intent } = fieldsOf(event);
    if (typeof market === 'string') return market;
    const { clientOrderId } = fieldsOf(intent);
    if (typeof clientOrderId !== 'string') return null;
    const asked = this.asked.get(clientOrderId) ?? null;
    this.asked.delete(clientOrderId);
    return asked;
  }

  private contextOf(ctx: StrategyContext, market: string): MemberContext {
    return madeOnce(this.contexts, market, () => new MemberContext(ctx, market, this.parts));
  }
}

/** Returns the members, the best first, and markets that have left but in which something is held. */
function followed(ctx: StrategyContext): readonly string[] {
  // `declare` added the universe under this name.
  const { markets, kept } = fieldsOf(ctx.data)[UNIVERSE_NAME] as Universe;
  return [...markets, ...kept];
}

/** Returns the own market of a strategy that runs in each member: data is declared for each member. */
function memberMarket(universe: UniverseData, quote: string): MarketData {
  const market = {
    get symbol() {
      return notOf('symbol');
    },
    get base() {
      return notOf('base');
    },
    quote,
    candles: (...of: Parameters<UniverseData['candles']>) => universe.candles(...of),
    book: (...of: Parameters<UniverseData['book']>) => universe.book(...of),
    ticker: (...of: Parameters<UniverseData['ticker']>) => universe.ticker(...of),
    trades: () => notOf('trades'),
    stats: () => notOf('stats'),
  };
  // Data of members takes the place of one market's data: the runner tells them apart by kind.
  return market as unknown as MarketData;
}

function notOf(what: string): never {
  throw invalidStrategy(
    `market.${what}: expected a strategy that declares candles, book and ticker of its market, was one that needs ${what}: it can not be declared per member`,
  );
}

function isOfMember(data: unknown): boolean {
  const { kind } = fieldsOf(data);
  const kinds: readonly unknown[] = [
    'member-candles',
    'member-book',
    'member-ticker',
  ] satisfies Data['kind'][];
  return kinds.includes(kind);
}

type Stateful = Pick<StrategyDefinition, 'name' | 'state' | 'migrate'>;

/** A symbol such as `BTCIRT`. A state stored for one market rarely has such names, and is refused. */
const market = z.string().regex(/^[A-Z0-9_]{3,30}$/);

/** Returns the state of a market before its first change. Throws like `StrategyState`. */
const firstState = ({ name, ...definition }: Stateful): unknown => new StrategyState(name, definition).value;

/** Returns the schema of the states by market; undefined if the strategy keeps no state. */
function statesByMarket({ state }: Stateful): z.ZodType | undefined {
  if (state === undefined) return undefined;
  // Only one market's state changes at a time: states of other markets are not read again.
  const known = new WeakSet<object>();
  const one = z.unknown().transform((value, context) => {
    if (typeof value === 'object' && value !== null && known.has(value)) return value;
    const read = state.safeParse(value);
    if (read.success) {
      if (typeof read.data === 'object' && read.data !== null) known.add(read.data);
      return read.data;
    }
    for (const { path, message } of read.error.issues) context.addIssue({ code: 'custom', path, message });
    return z.NEVER;
  });
  return z.record(market, one, {
    error: ({ code }) =>
      code === 'invalid_key' ? 'expected states by market, such as BTCIRT, was another name' : undefined,
  });
}

/** Migrates each market's stored state. Throws `INVALID_STRATEGY` if one does not fit. */
function migratedStates({ name, ...definition }: Stateful, stored: unknown): unknown {
  return Object.fromEntries(
    Object.entries(fieldsOf(stored)).map(([symbol, one]) => {
      if (!market.safeParse(symbol).success) return [symbol, one];
      const state = new StrategyState(name, definition);
      state.restore(JSON.stringify(one));
      return [symbol, state.value];
    }),
  );
}
