import { venueSuite } from './venue-suite.ts';
import { openInProcess } from './venue/in-process.ts';

venueSuite('the simulator in this process', () => openInProcess());

venueSuite('a deployment that pads its decimals, counts in milliseconds and adds fields', () =>
  openInProcess({
    decimals: 'padded',
    lastUpdate: 'milliseconds',
    globalStats: 'by-provider',
    gatewayCode: 'number',
    failureField: 'error',
    unknownFields: true,
  }),
);

venueSuite('a deployment that sends bare numbers and has another name', () =>
  openInProcess({ decimals: 'number', gatewayCode: 'trailing-minus', serviceName: 'elsewhere' }),
);
