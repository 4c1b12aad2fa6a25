/**
 * In which of the forms that deployments use the simulator writes its replies. The first of each is the
 * default.
 */
export interface WireForms {
  /** The service's own name: prefix of the key headers and of the options keys. */
  readonly serviceName: string;
  /** `8500000`, `8500000.0000000000`, or a bare JSON number. */
  readonly decimals: 'canonical' | 'padded' | 'number';
  /** `lastUpdate` of books: the specification says seconds, deployments also send milliseconds. */
  readonly lastUpdate: 'seconds' | 'milliseconds';
  /** Meaning of `lastUpdate`: the time of the book's last change, or of the reading that is shown. */
  readonly lastUpdateOf: 'change' | 'snapshot';
  /** Versions of the order book: the second is served beside the third, or gone. */
  readonly orderBooks: 'v2-and-v3' | 'v3';
  readonly globalStats: 'by-currency' | 'by-provider';
  /** Options under flat keys (`service.minOrders`), or nested in one object under the service's name. */
  readonly options: 'flat' | 'nested';
  readonly gatewayCode: 'text' | 'number' | 'trailing-minus';
  /** Name of the field with a failure's code: `code` or `error`. */
  readonly failureField: 'code' | 'error';
  /** Leaves `execution`, `market`, `averagePrice` and `hasNext` out, as some deployments do. */
  readonly omitOptionalFields: boolean;
  /** Adds fields that no document names. */
  readonly unknownFields: boolean;
}

export const DEFAULT_FORMS: WireForms = {
  serviceName: 'service',
  decimals: 'canonical',
  lastUpdate: 'seconds',
  lastUpdateOf: 'change',
  orderBooks: 'v2-and-v3',
  globalStats: 'by-currency',
  options: 'flat',
  gatewayCode: 'text',
  failureField: 'code',
  omitOptionalFields: false,
  unknownFields: false,
};
