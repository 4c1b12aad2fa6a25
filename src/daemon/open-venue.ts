import type { Venue } from '../venues/venue.ts';
import type { Opening } from '../venues/live-venue.ts';
import type { ReplayFile } from '../venues/replay-file.ts';
import { PaperAccountFile } from './paper-account-file.ts';
import type { BotConfig } from './create-bot-config.ts';

/**
 * Opens the venue of a bot's configuration. Throws if the venue cannot be reached, or lacks the traded
 * markets. Loads only that venue.
 */
export async function openVenue(
  config: BotConfig,
  replay: ReplayFile | null,
  opening: Opening,
): Promise<Venue> {
  const { wrap, startMs } = opening;
  switch (config.mode) {
    case 'live': {
      const { createLiveVenue } = await import('../venues/live-venue.ts');
      return createLiveVenue(config, opening);
    }
    case 'paper': {
      const { createPaperVenue } = await import('../venues/paper-venue.ts');
      return createPaperVenue(config, opening, new PaperAccountFile(config.data.folder));
    }
    case 'embedded': {
      const { createEmbeddedVenue } = await import('../venues/embedded-venue.ts');
      const { embedded, strategies, exchange } = config;
      return createEmbeddedVenue({
        config: embedded.exchange,
        balances: embedded.balances,
        seed: embedded.seed,
        speed: embedded.speed,
        replay,
        traded: replay === null ? strategies.flatMap(({ market }) => market ?? []) : [replay.market.symbol],
        limits: exchange.limits,
        headroom: exchange.headroom,
        ...(wrap === undefined ? {} : { wrap }),
        ...(startMs === undefined ? {} : { startMs }),
      });
    }
  }
}

/** What waits for its slot at the limiter is refused first. */
export async function closeVenue(venue: Venue): Promise<void> {
  await venue.limiter.close();
  await venue.close();
}
