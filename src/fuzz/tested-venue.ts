import { invalidOptions } from '../domain/errors.ts';
import type { Budget } from '../domain/rate-limit.ts';
import { ExchangeClient } from '../exchange/client.ts';
import type { Transport } from '../exchange/transport.ts';
import type { RequestLimiter } from '../budget/limiter.ts';
import { loadVenuePackage, withoutWire } from '../venues/load-venue.ts';
import { CALL_KINDS, type VenueCallKind, type VenueProfile } from '../venues/port.ts';
import type { VenuePlace } from '../venues/client-credentials.ts';
import { connectForTest, profileForTest } from '../venues/venue-contract.ts';
import type { VenueConnection, VenueDefinition } from '../venues/venue-definition.ts';
import { ENDPOINT_OF } from '../venues/venue-request.ts';
import { transportOver, type VenueWire } from '../venues/venue-wire.ts';

/** A venue that the fuzzer tests in place of the built-in one, which stands behind its wire. */
export interface TestedVenue {
  readonly profile: VenueProfile;
  /** Its limits by name, without headroom. */
  readonly limits: ReadonlyMap<string, Budget>;
  readonly idBehind: (id: string) => string;
  /** Returns the limit that counts a request to an endpoint of the exchange behind it; null for none. */
  budgetOf(endpoint: string | null): string | null;
  connect(options: ConnectTested): VenueConnection;
}

interface ConnectTested {
  /** The way to the exchange behind the wire, and a token there. */
  readonly transport: Transport;
  readonly token: string;
  readonly nowMs: () => number;
  readonly limiterMs: () => number;
  readonly limiter: () => RequestLimiter;
}

/**
 * Loads the venue of a file or a package for the fuzzer.
 * @throws SarrafError `INVALID_OPTIONS` if it cannot be used, or has no wire.
 */
export async function loadTestedVenue(place: VenuePlace): Promise<TestedVenue> {
  const { definition, wire } = await loadVenuePackage(place);
  if (wire === null) throw invalidOptions(withoutWire(place.name));
  return testedVenue(definition, wire);
}

function testedVenue(definition: VenueDefinition, wire: VenueWire): TestedVenue {
  const profile = profileForTest(definition);
  const served = CALL_KINDS.filter((call) => profile.unserved?.has(call) !== true);
  const kindOf = new Map<string, VenueCallKind>(served.map((call) => [ENDPOINT_OF[call], call]));
  return {
    profile,
    limits: definition.budgetsFor({ limits: {}, headroom: 0 }),
    idBehind: wire.idBehind ?? ((id) => id),
    budgetOf(endpoint) {
      const call = kindOf.get(endpoint ?? '');
      return call === undefined ? null : profile.budgets[call];
    },
    connect({ transport, token, nowMs, limiterMs, limiter }) {
      const behind = new ExchangeClient({ transport, credentials: { kind: 'token', token }, nowMs });
      return connectForTest(definition, {
        transport: transportOver(behind, wire),
        wallMs: nowMs,
        limiterMs,
        limiter,
      });
    },
  };
}
