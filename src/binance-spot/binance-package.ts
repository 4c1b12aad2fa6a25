export { BINANCE_SPOT as definition } from './binance-spot.ts';
export { BINANCE_WIRE as wire } from './binance-wire.ts';
