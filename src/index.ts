/** The library: a typed client of the exchange's interface. */
export {
  LimitedExchangeClient as ExchangeClient,
  type LimitedClientOptions as ClientOptions,
} from './library/limited-exchange-client.ts';
export type { EndpointMethods } from './exchange/client.ts';
export type { CallOptions, Credentials, OutgoingRequest } from './exchange/client-options.ts';
export type { Access, Endpoint } from './exchange/request-types.ts';
export type { EndpointName, EndpointReply, EndpointRequest } from './exchange/endpoints.ts';
export type { Merchant, PaymentGateway, PaymentReturn } from './exchange/gateway.ts';
export type { EndpointResult, DecodedRefusal, Success } from './exchange/reply-decoder.ts';
export type { ReplyPage } from './exchange/reply-types.ts';
export type { RetryPolicy } from './exchange/client-options.ts';
export type { LoginCredentials } from './exchange/session.ts';
export type { ApiKey } from './exchange/authenticator.ts';
export type { HttpRequest, HttpResponse, Transport } from './exchange/transport.ts';
export { SarrafError, type ErrorCode, type ErrorTraits } from './domain/errors.ts';
export type { Candle } from './domain/candle.ts';
export type { DecimalText } from './domain/decimal-text.ts';
export type { MarketName, MarketSymbol } from './domain/market-symbol.ts';
export type { BookLevel, MarketStats, OrderBook } from './domain/order-book.ts';
export type { Execution, Side } from './domain/order.ts';
export type { ExchangeOrder } from './exchange/order.ts';
export type { OrderStatus } from './exchange/order.ts';
export type { Budget, RateLimit } from './domain/rate-limit.ts';
export type { PublicTrade } from './domain/trade.ts';
export type { ExchangeTrade } from './exchange/order.ts';
