import type { Transport } from '../../../src/exchange/transport.ts';
import { UndiciTransport } from '../../../src/exchange/undici-transport.ts';
import { FaultPlan, FaultyAdapter } from '../../../src/simulator-server/fault-plan.ts';
import { ExchangeServer } from '../../../src/simulator-server/exchange-server.ts';
import { WorldClock } from '../../../src/simulator-server/simulation.ts';
import { readExchangeConfig } from '../../../src/simulator-server/exchange-config.ts';
import { WireAdapter } from '../../../src/simulator-server/wire/wire-adapter.ts';
import type { WireForms } from '../../../src/simulator-server/wire/handler.ts';
import { NOW_MS } from '../client-over.ts';
import { createWorld, type WorldOptions } from '../world.ts';
import { TestClock, type Venue } from './venue.ts';

export interface HttpVenue extends Venue {
  readonly baseUrl: string;
}

/** Opens the simulator behind its own server on a loopback port, with a clock that the test moves. */
export async function openOverHttp(
  options: { readonly forms?: Partial<WireForms>; readonly limits?: WorldOptions['limits'] } = {},
): Promise<HttpVenue> {
  const { forms = {}, limits } = options;
  const clock = new TestClock(NOW_MS);
  const serviceName = forms.serviceName ?? 'service';
  const exchange = createWorld({ serviceName, ...(limits === undefined ? {} : { limits }) });
  const adapter = new WireAdapter({ exchange, forms });
  const server = new ExchangeServer({
    simulation: {
      config: readExchangeConfig({ exchange: { name: serviceName } }),
      exchange,
      adapter,
      faulty: new FaultyAdapter(adapter, new FaultPlan()),
    },
    clock: new WorldClock(() => clock.nowMs),
  });
  const baseUrl = await server.listen({ host: '127.0.0.1', port: 0 });
  const transports: Transport[] = [];
  return {
    exchange,
    clock,
    serviceName,
    baseUrl,
    transport: () => {
      const transport = new UndiciTransport({ baseUrl });
      transports.push(transport);
      return transport;
    },
    close: async () => {
      await Promise.all(transports.map((transport) => transport.close()));
      await server.close();
    },
  };
}
