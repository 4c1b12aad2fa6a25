import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { listText, present, invalidOptions } from '../domain/errors.ts';
import { readRecord, type StoredValue } from '../engine/stored-records.ts';
import type { PromoteCommand } from '../engine/engine-event.ts';
import { MirrorReader } from '../mirror/mirror-reader.ts';
import type { BotConfig, ConfiguredShadow, ConfiguredStrategy } from './create-bot-config.ts';
import { pluginText } from './strategy-settings.ts';

type Pair = Pick<BotConfig, 'strategies' | 'shadows'>;
type Promotion = Omit<StoredValue<'promotions'>[number], 'atMs'>;

/**
 * Strategies that a person has given the code and params of their shadows. The shadow then has those of
 * before, so that both are still compared, and an undo is the same exchange again.
 */
export class Promotions {
  private stored: readonly Promotion[];

  constructor(stored: readonly Promotion[]) {
    this.stored = stored;
  }

  /** Returns a configuration in which promoted strategies and shadows have each other's code and params. */
  apply<Config extends Pair>(config: Config): Config {
    const shadows = config.shadows.filter((shadow) => this.isPromoted(shadow, config));
    const ofStrategy = new Map(shadows.map(({ of, strategy }) => [of, strategy]));
    const swapped = (strategy: ConfiguredStrategy): ConfiguredStrategy =>
      withSetupOf(strategy, ofStrategy.get(strategy.name) ?? strategy);
    return {
      ...config,
      strategies: config.strategies.map(swapped),
      shadows: config.shadows.map((shadow) =>
        shadows.includes(shadow)
          ? { ...shadow, strategy: withSetupOf(shadow.strategy, strategyOf(shadow, config)) }
          : shadow,
      ),
    };
  }

  /** Returns the commands that end promotions of other code or params than those of a configuration. */
  outdated(config: Pair): readonly PromoteCommand[] {
    return this.stored
      .filter(({ shadow, strategy }) => {
        const found = config.shadows.find((one) => one.strategy.name === shadow && one.of === strategy);
        return found === undefined || !this.isPromoted(found, config);
      })
      .map(({ strategy, shadow, setups }) => ({ kind: 'promote', act: 'drop', strategy, shadow, setups }));
  }

  /**
   * Returns the command that promotes a shadow, or undoes it. Throws `INVALID_OPTIONS` if there is no such
   * shadow, or nothing to do or undo.
   */
  commandFor(
    name: string,
    {
      config,
      isUndone,
      by,
    }: { readonly config: Pair; readonly isUndone: boolean; readonly by: string | undefined },
  ): PromoteCommand {
    const shadow = config.shadows.find(({ strategy }) => strategy.name === name);
    if (shadow === undefined) {
      const names = listText(config.shadows.map(({ strategy }) => strategy.name));
      throw invalidOptions(`expected the name of a shadow (${names || 'there are none'}), was ${name}`);
    }
    const isPromoted = this.isPromoted(shadow, config);
    if (isPromoted !== isUndone)
      throw invalidOptions(
        isUndone
          ? `expected ${name} to be promoted, it is not: there is nothing to undo`
          : `expected ${name} not to be promoted yet, ${shadow.of} has its code and params already`,
      );
    const setups = markOf(shadow, config);
    return {
      kind: 'promote',
      act: isUndone ? 'undo' : 'promote',
      strategy: shadow.of,
      shadow: name,
      setups,
      by,
    };
  }

  /** Notes a command that the engine has stored. */
  note({ act, strategy, shadow, setups }: PromoteCommand): void {
    const others = this.stored.filter((one) => one.strategy !== strategy);
    this.stored = act === 'promote' ? [...others, { strategy, shadow, setups }] : others;
  }

  private isPromoted(shadow: ConfiguredShadow, config: Pair): boolean {
    return this.stored.some(
      (one) =>
        one.shadow === shadow.strategy.name &&
        one.strategy === shadow.of &&
        one.setups === markOf(shadow, config),
    );
  }
}

/** Reads the promotions of a mirror; none if it does not exist yet. */
export function readPromotions(mirror: string): Promotions {
  if (!existsSync(mirror)) return new Promotions([]);
  using reader = new MirrorReader(mirror);
  return new Promotions(readRecord(reader.stored(), 'promotions') ?? []);
}

/** Returns a strategy with the code and params of another. */
function withSetupOf(
  strategy: ConfiguredStrategy,
  { plugin, params, describe }: ConfiguredStrategy,
): ConfiguredStrategy {
  return { ...strategy, plugin, params, ...(describe === undefined ? {} : { describe }) };
}

function strategyOf({ of }: ConfiguredShadow, { strategies }: Pair): ConfiguredStrategy {
  return present(
    strategies.find(({ name }) => name === of),
    () => `the strategy ${of} of a shadow`,
  );
}

/** Returns a mark of the code and params that a strategy and its shadow have in a configuration. */
function markOf(shadow: ConfiguredShadow, config: Pair): string {
  const setups = [strategyOf(shadow, config), shadow.strategy].map(({ plugin, params }) => [
    pluginText(plugin),
    params,
  ]);
  return createHash('sha256').update(JSON.stringify(setups)).digest('hex').slice(0, 16);
}
