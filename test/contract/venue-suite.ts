import { describe } from 'vitest';
import { accountSuite } from './venue/account-suite.ts';
import { pagingSuite } from './venue/paging-suite.ts';
import { ClientTrading } from './venue/trading-port.ts';
import { tradingSuite } from './venue/trading-suite.ts';
import { clientOf, type Venue } from './venue/venue.ts';

/** Tests the contract that every adapter of an exchange must keep, by the real client. */
export function venueSuite(name: string, open: () => Promise<Venue>): void {
  describe(name, () => {
    tradingSuite(async () => {
      const venue = await open();
      return {
        clock: venue.clock,
        alice: new ClientTrading(clientOf(venue, 'alice')),
        bob: new ClientTrading(clientOf(venue, 'bob')),
        close: () => venue.close(),
      };
    });
    pagingSuite(open);
    accountSuite(open);
  });
}
