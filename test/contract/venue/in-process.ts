import { InProcessVenue } from '../../../src/simulator-server/in-process-venue.ts';
import { WireAdapter } from '../../../src/simulator-server/wire/wire-adapter.ts';
import type { WireForms } from '../../../src/simulator-server/wire/handler.ts';
import { NOW_MS } from '../client-over.ts';
import { createWorld } from '../world.ts';
import { TestClock, type Venue } from './venue.ts';

/** Opens the simulator in this process, with replies in these forms. */
export async function openInProcess(forms: Partial<WireForms> = {}): Promise<Venue> {
  const clock = new TestClock(NOW_MS);
  const serviceName = forms.serviceName ?? 'service';
  const exchange = createWorld({ serviceName });
  const venue = new InProcessVenue({ adapter: new WireAdapter({ exchange, forms }), now: () => clock.nowMs });
  return { exchange, clock, serviceName, transport: () => venue, close: () => venue.close() };
}
