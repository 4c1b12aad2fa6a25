import { invalidOptions } from '../domain/errors.ts';
import type { Budget } from '../domain/rate-limit.ts';
import { ExchangeClient } from '../exchange/client.ts';
import { limitsLess } from '../exchange/client-options.ts';
import type { Transport } from '../exchange/transport.ts';
import type { RequestLimiter } from '../budget/limiter.ts';
import { Secret } from '../configuration/secret-file.ts';
import { loadVenuePackage, type VenuePackage } from '../venues/load-venue.ts';
import { CALL_KINDS, type VenueCallKind, type VenueProfile } from '../venues/port.ts';
import type { CredentialSettings, VenuePlace } from '../venues/client-credentials.ts';
import type { VenueConnection } from '../venues/venue-definition.ts';
import { ENDPOINT_OF } from '../venues/venue-request.ts';
import { transportOver, type VenueWire } from '../venues/venue-wire.ts';

/** A venue that the fuzzer tests in place of the built-in one, which stands behind its wire. */
export interface TestedVenue {
  readonly profile: VenueProfile;
  /** Its limits by name, without headroom. */
  readonly limits: ReadonlyMap<string, Budget>;
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

const KEY = 'A'.repeat(43);

/** A credential of each kind; the exchange behind the wire has its own token. */
const CREDENTIALS: Readonly<Record<CredentialSettings['kind'], CredentialSettings>> = {
  token: { kind: 'token', token: new Secret('tested') },
  key: { kind: 'key', publicKey: KEY, privateKey: new Secret(KEY) },
  secret: { kind: 'secret', apiKey: 'tested', apiSecret: new Secret('tested') },
  login: { kind: 'login', username: 'tested', password: new Secret('tested'), totpSecret: null },
};

/**
 * Loads the venue of a file or a package for the fuzzer.
 * @throws SarrafError `INVALID_OPTIONS` if it cannot be used, or has no wire.
 */
export async function loadTestedVenue(place: VenuePlace): Promise<TestedVenue> {
  const { definition, wire } = await loadVenuePackage(place);
  if (wire === null)
    throw invalidOptions(
      `${place.name}: expected an export named wire, the exchange's side of the interface, was none: docs/venues.md shows one`,
    );
  return testedVenue(definition, wire);
}

function testedVenue(definition: VenuePackage['definition'], wire: VenueWire): TestedVenue {
  const [kind] = definition.credentials;
  if (kind === undefined)
    throw invalidOptions(`${definition.name}: expected a kind of credentials, was none`);
  const credentials = CREDENTIALS[kind];
  const settings = { limits: {}, headroom: 0.02 };
  const profile = definition.profileFor({ orderBook: 'v2', credentials });
  const served = CALL_KINDS.filter((call) => profile.unserved?.has(call) !== true);
  const kindOf = new Map<string, VenueCallKind>(served.map((call) => [ENDPOINT_OF[call], call]));
  const budgets = definition.budgetsFor({ limits: {}, headroom: 0 });
  return {
    profile,
    limits: limitsLess(budgets, {}, 0),
    budgetOf(endpoint) {
      const call = kindOf.get(endpoint ?? '');
      return call === undefined ? null : profile.budgets[call];
    },
    connect({ transport, token, nowMs, limiterMs, limiter }) {
      const behind = new ExchangeClient({ transport, credentials: { kind: 'token', token }, nowMs });
      return definition.connect({
        transport: transportOver(behind, wire),
        credentials,
        settings: {
          ...settings,
          baseUrl: 'http://tested',
          name: 'service',
          orderBook: 'v2',
          ledgerFolder: null,
        },
        wallMs: nowMs,
        limiterMs,
        limiter,
        onSecret: () => undefined,
        onProblem: () => undefined,
      });
    },
  };
}
