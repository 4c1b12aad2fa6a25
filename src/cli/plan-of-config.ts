import { placeText } from '../strategy/strategy-port.ts';
import type { Budget } from '../domain/rate-limit.ts';
import { lowered } from '../budget/admission.ts';
import { planInputOf } from '../daemon/create-plan.ts';
import { loadInstances, type LostStrategy } from '../daemon/load-instances.ts';
import { MODES, otherVenueAges } from '../daemon/modes.ts';
import type { BotConfig } from '../daemon/create-bot-config.ts';
import { StrategyThreads } from '../daemon/strategy-threads.ts';
import { leastLimit } from '../engine/risk-limits.ts';
import { planPolls, type PollPlan } from '../scheduler/plan-polls.ts';
import type { VenueProfile } from '../venues/port.ts';
import { loadVenue } from '../venues/load-venue.ts';
import { loadOtherVenues } from '../venues/other-venues.ts';
import { ownStrategies } from '../plugins/own-files.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addUnits, NO_UNITS, parseUnits, subtractUnits, type Units } from '../domain/money.ts';
import { missingText } from '../engine/inventory.ts';
import { readFigures } from '../engine/strategy-instance-record.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { MirrorReader } from '../mirror/mirror-reader.ts';
import type { AssetLedger } from '../portfolio/asset-ledger.ts';
import { mirrorName } from '../mirror/mirror-path.ts';

export interface ConfigPlan {
  readonly plan: PollPlan;
  /** Facts of the exchange that was planned for. */
  readonly profile: VenueProfile;
  readonly budgets: ReadonlyMap<string, Budget>;
  /** Strategies in the plan, such as `ma-cross (BTCIRT)`. */
  readonly strategies: readonly string[];
  /** Strategies that cannot be set up. */
  readonly lost: readonly LostStrategy[];
  /** Time after which a book stands still for one of them, in ms; null if none has a limit. */
  readonly maxStandstillMs: number | null;
}

/** Facts about an exchange for a plan: its limits, and its markets. */
interface VenueFacts {
  readonly budgets: ReadonlyMap<string, Budget>;
  /** Markets of the exchange; null if no exchange is asked, and any market is accepted. */
  readonly knownMarkets: ReadonlySet<string> | null;
}

/**
 * Returns the plan of a run of these configurations together, from the parts that a run uses. An exchange
 * outside this process is not asked, so any market is accepted; its limits are those of the first
 * configuration.
 * @throws SarrafError `INVALID_STRATEGY` when one has no strategy that can run, `INVALID_MARKET` for one that
 * the embedded exchange lacks.
 */
export async function planOfConfigs(
  configs: readonly [BotConfig, ...BotConfig[]],
  options: {
    readonly askEmbedded: boolean;
    /** Limits that the exchange has lowered, by budget; the default is none. */
    readonly named?: ReadonlyMap<string, number>;
  },
): Promise<ConfigPlan> {
  const [first] = configs;
  const { askEmbedded, named = new Map<string, number>() } = options;
  const own = await MODES[first.mode].profile(first);
  const facts =
    askEmbedded && first.mode === 'embedded' ? await embeddedFacts(first) : await outsideFacts(first, named);
  const others = await loadOtherVenues(first.venues);
  const profile = { ...own, others };
  const limits = [...others.values()].map(({ limit }) => [limit.name, limit] as const);
  const budgets = new Map([...facts.budgets, ...limits]);
  // A file that loops while it is loaded must not block the command.
  const threads = new StrategyThreads({ limits: first.isolation, onPrint: (_, line) => console.error(line) });
  const loaded = await Promise.all(
    configs.map(async ({ strategies, strategiesFolders }) =>
      loadInstances({
        strategies,
        folders: [...strategiesFolders, ownStrategies()],
        knownMarkets: facts.knownMarkets,
        venues: otherVenueAges(first),
        threads,
      }),
    ),
  ).finally(async () => threads.dispose());
  const runners = loaded.flatMap(({ instances }) => instances.map(({ runner }) => runner));
  return {
    plan: planPolls(planInputOf(runners, budgets.values(), profile)),
    profile,
    budgets,
    maxStandstillMs: leastLimit(
      loaded.flatMap(({ instances }) => instances.map(({ limits }) => limits.maxStandstillMs)),
    ),
    strategies: runners.map((runner) => `${runner.name} (${placeText(runner)})`),
    lost: loaded.flatMap(({ lost }) => lost),
  };
}

async function outsideFacts(
  { exchange }: BotConfig,
  named: ReadonlyMap<string, number>,
): Promise<VenueFacts> {
  const own = (await loadVenue(exchange.venue)).budgetsFor(exchange);
  const budgets = new Map([...own].map(([name, budget]) => [name, lowered(budget, named.get(name) ?? null)]));
  return { budgets, knownMarkets: null };
}

/** Opens the embedded exchange of a configuration, reads its budgets and markets, and closes it. */
async function embeddedFacts(config: BotConfig): Promise<VenueFacts> {
  const { signal } = new AbortController();
  const venue = await MODES[config.mode].open(config, null, { signal, onWait: () => undefined });
  await venue.limiter.close();
  await venue.close();
  return { budgets: venue.budgets, knownMarkets: new Set(venue.markets.map(({ symbol }) => symbol)) };
}

/** Assets that strategies own and were given, by strategy name, as in a mirror. */
type Books = ReadonlyMap<string, AssetLedger>;

/**
 * Lists coins that a configuration gives its strategies to sell and the account lacks, one line for each
 * coin: a start would refuse these. `totalOf`: total of a coin in the spot wallet.
 */
export function missingInventories(
  { strategies }: Pick<BotConfig, 'strategies'>,
  totalOf: (asset: string) => Units,
  books: Books = new Map(),
): readonly string[] {
  const wanted = strategies.flatMap(({ name, inventory }) =>
    Object.entries(inventory).map(([asset, amount]) => ({
      name,
      asset,
      more: subtractUnits(parseUnits(amount), books.get(name)?.inventoryOf(asset) ?? NO_UNITS),
    })),
  );
  const given = wanted.filter(({ more }) => more > 0n);
  return [...Map.groupBy(given, ({ asset }) => asset)].flatMap(([asset, parts]) => {
    const owned = [...books.values()].map((ledger) => ledger.held(asset)).filter((held) => held > 0n);
    const text = missingText({
      asset,
      total: totalOf(asset),
      owned: sumOf(owned),
      wanted: sumOf(parts.map(({ more }) => more)),
      names: parts.map(({ name }) => name),
    });
    return text ?? [];
  });
}

/** Reads the books of the strategies of a configuration; empty before the first start. */
export function readBooks({ data, mode, strategies }: BotConfig): Books {
  const path = join(data.folder, mirrorName(mode));
  if (!existsSync(path)) return new Map();
  const names = new Set(strategies.map(({ name }) => name));
  using reader = new MirrorReader(path);
  return new Map(
    reader
      .strategies()
      .filter(({ name }) => names.has(name))
      .map((row) => [row.name, readFigures(row, MARKET_NAMES).ledger]),
  );
}

const sumOf = (parts: readonly Units[]): Units => parts.reduce((sum, part) => addUnits(sum, part), NO_UNITS);
