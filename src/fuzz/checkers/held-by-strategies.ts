import type { Engine } from '../../engine/engine.ts';

/** A bot whose strategies hold something. */
export type HoldingBot = Pick<Engine, 'instances'>;

/** Returns each strategy's holding of each asset, by the names of both. */
export function heldByStrategies(engine: HoldingBot): Map<string, bigint> {
  return new Map(
    engine.instances.flatMap((instance) =>
      [...instance.ledger.state.holdings].map(
        ([asset, { held }]) => [`${instance.name} ${asset}`, held] as const,
      ),
    ),
  );
}
