import type { SpaceAxes } from './space-axes.ts';
import { CmaProposer } from './cma-proposer.ts';
import { GridProposer } from './grid-proposer.ts';
import { NsgaProposer } from './nsga-proposer.ts';
import type { Proposer } from './proposer.ts';
import { RandomProposer } from './random-proposer.ts';
import type { SamplerSettings } from './sampler-settings.ts';
import { SobolProposer } from './sobol-proposer.ts';
import { TpeProposer } from './tpe-proposer.ts';

/**
 * The way of sampling that the settings name.
 * @throws SarrafError `INVALID_OPTIONS` for a space that it can not sample
 */
export function createProposer(axes: SpaceAxes, { kind, seed, generation }: SamplerSettings): Proposer {
  const setup = { axes, seed, generation };
  switch (kind) {
    case 'grid':
      return new GridProposer(setup);
    case 'random':
      return new RandomProposer(setup);
    case 'sobol':
      return new SobolProposer(setup);
    case 'tpe':
      return new TpeProposer(setup);
    case 'nsga2':
      return new NsgaProposer(setup);
    case 'cmaes':
      return new CmaProposer(setup);
  }
}
