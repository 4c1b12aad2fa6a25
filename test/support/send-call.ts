import type { VenueCall } from '../../src/venues/port.ts';
import type { VenueCaller, VenueEnd } from '../../src/venues/venue-caller.ts';

const NEVER = new AbortController().signal;

/** Sends a call that is never aborted, and returns how it ended. */
export const sendCall = async (caller: VenueCaller, call: VenueCall): Promise<VenueEnd> =>
  new Promise((onEnd, onError) => caller.send(call, NEVER, { onEnd, onError }));
