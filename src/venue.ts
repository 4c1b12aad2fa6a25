/** The package entry `sarraf/venue`: an exchange of your own, as one object. See docs/venues.md. */
export {
  decimalOf,
  defineVenue,
  type EachRow,
  type RestCall,
  type RestCredential,
  type RestLimit,
  type RestRefusal,
  type RestReply,
  type RestRequest,
  type RestUsage,
  type RestVenue,
  type RestWeight,
} from './venues/rest-venue.ts';
export {
  restOrder,
  restTrade,
  restTransaction,
  restWallet,
  type RestOrder,
  type RestTrade,
} from './venues/rest-records.ts';
export type { VenueDefinition } from './venues/venue-definition.ts';
export type { VenueWire, VenueWireAnswer } from './venues/venue-wire.ts';
export { venueOrderId, venueWalletId } from './domain/order.ts';
export type { MarketRule, VenueCall, VenueProfile, VenueValues } from './venues/port.ts';
export { formatUnits, parseUnits, type Units } from './domain/money.ts';
export { UTC_BARS } from './domain/candle.ts';
export { parseMarket } from './exchange/market-names.ts';
