import type { Venue } from '../venues/venue.ts';
import { createEmbeddedVenue } from '../venues/embedded/embedded-venue.ts';
import { createLiveVenue, type Opening } from '../venues/live/live-venue.ts';
import { createPaperVenue } from '../venues/paper/paper-venue.ts';
import type { ReplayFile } from '../venues/embedded/replay-file.ts';
import type { BotConfig } from './settings/create-bot-config.ts';

/**
 * Where the bot of a configuration trades. Throws where that can not be reached, or has not the markets that
 * are traded.
 */
export async function openVenue(
  config: BotConfig,
  replay: ReplayFile | null,
  opening: Opening,
): Promise<Venue> {
  const { wrap, startMs } = opening;
  switch (config.mode) {
    case 'live':
      return createLiveVenue(config, opening);
    case 'paper':
      return createPaperVenue(config, opening);
    case 'embedded': {
      const { embedded, strategies, exchange } = config;
      return createEmbeddedVenue({
        config: embedded.exchange,
        balances: embedded.balances,
        seed: embedded.seed,
        speed: embedded.speed,
        replay,
        traded: replay === null ? strategies.map(({ market }) => market) : [replay.market.symbol],
        limits: exchange.limits,
        headroom: exchange.headroom,
        ...(wrap === undefined ? {} : { wrap }),
        ...(startMs === undefined ? {} : { startMs }),
      });
    }
  }
}
