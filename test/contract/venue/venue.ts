import type { ClientOptions } from '../../../src/exchange/client-options.ts';
import { ExchangeClient } from '../../../src/exchange/client.ts';
import type { EndpointReply, EndpointName } from '../../../src/exchange/endpoints.ts';
import type { EndpointResult, DecodedRefusal } from '../../../src/exchange/reply-decoder.ts';
import type { Transport } from '../../../src/exchange/transport.ts';
import type { SimulatedExchange } from '../../../src/simulator/exchange.ts';
import { ALICE_TOKEN, BOB_TOKEN } from '../world.ts';

/** A clock that moves only when the test moves it. */
export class TestClock {
  nowMs: number;

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }
}

/** An exchange on which the suites run, with any adapter between it and the client. */
export interface Venue {
  /** The exchange itself: for preparing a test, never for checking its outcome. */
  readonly exchange: SimulatedExchange;
  readonly clock: TestClock;
  /** Prefix of its key headers, if it is not `service`. */
  readonly serviceName?: string;
  /** Creates a transport to it, which the venue closes. */
  transport(): Transport;
  close(): Promise<void>;
}

/** Creates the client of a user; alice and bob have a token of the user panel. */
export function clientOf(
  venue: Venue,
  who: 'alice' | 'bob' | 'nobody' | NonNullable<ClientOptions['credentials']>,
): ExchangeClient {
  const tokens = { alice: ALICE_TOKEN, bob: BOB_TOKEN };
  const credentials: NonNullable<ClientOptions['credentials']> =
    typeof who === 'object'
      ? who
      : who === 'nobody'
        ? { kind: 'none' }
        : { kind: 'token', token: tokens[who] };
  return new ExchangeClient({
    transport: venue.transport(),
    credentials,
    nowMs: () => venue.clock.nowMs,
    siteUrl: 'https://site.example.test',
    ...(venue.serviceName === undefined ? {} : { serviceName: venue.serviceName }),
  });
}

/** Returns the value of an answer; throws if it is a refusal. */
export async function valueOf<Name extends EndpointName>(
  answer: Promise<EndpointResult<Name>>,
): Promise<EndpointReply<Name>> {
  const result = await answer;
  if (result.ok) return result.value;
  throw new Error(`expected a value, was the refusal ${result.code}: ${result.message}`);
}

/** Returns the refusal of an answer; throws if it is none. */
export async function refusalOf<Name extends EndpointName>(
  answer: Promise<EndpointResult<Name>>,
): Promise<DecodedRefusal> {
  const result = await answer;
  if (!result.ok) return result;
  throw new Error(`expected a refusal, was ${JSON.stringify(result.value)}`);
}
