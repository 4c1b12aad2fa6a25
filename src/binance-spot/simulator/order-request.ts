import { failedFilter } from './filters.ts';
import {
  isLimitType,
  SPOT_ORDER_TYPES,
  type SpotMarket,
  type SpotOrderRequest,
  type SpotOrderType,
  type StpMode,
  type TimeInForce,
} from './state.ts';
import { clientId, plainDecimal, long, optionalParameter, oneOfWords } from './parameters.ts';
import { refusals, SpotRefusal } from './refusal.ts';

export const SIDE = oneOfWords(['BUY', 'SELL'], () => new SpotRefusal(-1117, 'Invalid side.'));
export const ORDER_TYPE = oneOfWords(SPOT_ORDER_TYPES, () => new SpotRefusal(-1116, 'Invalid orderType.'));
const TIME_IN_FORCE = oneOfWords(['GTC', 'IOC', 'FOK'], () => new SpotRefusal(-1115, 'Invalid timeInForce.'));
export const STP_MODE = oneOfWords([
  'NONE',
  'EXPIRE_TAKER',
  'EXPIRE_MAKER',
  'EXPIRE_BOTH',
  'DECREMENT',
  'TRANSFER',
]);
export const RESPONSE_TYPE = oneOfWords(['ACK', 'RESULT', 'FULL']);

/** Parameters of one order that every placement has; lists prefix their names. */
export const DRAFT_FIELDS = {
  timeInForce: optionalParameter(TIME_IN_FORCE),
  quantity: optionalParameter(plainDecimal()),
  quoteOrderQty: optionalParameter(plainDecimal()),
  price: optionalParameter(plainDecimal()),
  clientOrderId: optionalParameter(clientId()),
  stopPrice: optionalParameter(plainDecimal()),
  trailingDelta: optionalParameter(long()),
  icebergQty: optionalParameter(plainDecimal()),
  strategyId: optionalParameter(long()),
  strategyType: optionalParameter(long()),
  pegPriceType: optionalParameter(
    oneOfWords(['PRIMARY_PEG', 'MARKET_PEG'], () => new SpotRefusal(-1210, 'Invalid pegPriceType.')),
  ),
  pegOffsetType: optionalParameter(
    oneOfWords(['PRICE_LEVEL'], () => new SpotRefusal(-1211, 'Invalid pegOffsetType.')),
  ),
  pegOffsetValue: optionalParameter(long()),
} as const;

/** One order as it was sent: texts of its numbers, which mean something on a market alone. */
export interface OrderDraft {
  readonly side: 'BUY' | 'SELL';
  readonly type: SpotOrderType;
  readonly timeInForce?: TimeInForce | undefined;
  readonly quantity?: string | undefined;
  readonly quoteOrderQty?: string | undefined;
  readonly price?: string | undefined;
  readonly clientOrderId?: string | undefined;
  readonly stopPrice?: string | undefined;
  readonly trailingDelta?: number | undefined;
  readonly icebergQty?: string | undefined;
  readonly strategyId?: number | undefined;
  readonly strategyType?: number | undefined;
  readonly pegPriceType?: string | undefined;
  readonly pegOffsetType?: string | undefined;
  readonly pegOffsetValue?: number | undefined;
  readonly selfTradePreventionMode?: string | undefined;
}

/** Returns the name by which the sender knows a field of a draft, such as `abovePrice` for `price`. */
type NameOf = (field: string) => string;

type Field = keyof typeof DRAFT_FIELDS;

/** Fields that an order of a type must have, and those that it may have beside them. */
const FIELDS_OF: Readonly<
  Record<SpotOrderType, { readonly must: readonly Field[]; readonly may: readonly Field[] }>
> = {
  LIMIT: { must: ['timeInForce', 'quantity', 'price'], may: ['icebergQty'] },
  LIMIT_MAKER: { must: ['quantity', 'price'], may: ['icebergQty'] },
  MARKET: { must: [], may: ['quantity', 'quoteOrderQty'] },
  STOP_LOSS: { must: ['quantity'], may: ['stopPrice', 'trailingDelta'] },
  TAKE_PROFIT: { must: ['quantity'], may: ['stopPrice', 'trailingDelta'] },
  STOP_LOSS_LIMIT: {
    must: ['timeInForce', 'quantity', 'price'],
    may: ['stopPrice', 'trailingDelta', 'icebergQty'],
  },
  TAKE_PROFIT_LIMIT: {
    must: ['timeInForce', 'quantity', 'price'],
    may: ['stopPrice', 'trailingDelta', 'icebergQty'],
  },
};

/** Fields that orders of any type may have. */
const LABELS: ReadonlySet<string> = new Set([
  'clientOrderId',
  'strategyId',
  'strategyType',
  'pegPriceType',
  'pegOffsetType',
  'pegOffsetValue',
]);

/** Refuses a draft whose fields do not fit its type. */
export function checkDraft(
  draft: OrderDraft,
  unusedCode: -1106 | -1104,
  nameOf: NameOf = (field) => field,
): void {
  const { type } = draft;
  const { must, may } = FIELDS_OF[type];
  for (const field of must) if (draft[field] === undefined) throw refusals.mandatory(nameOf(field));
  for (const field of Object.keys(DRAFT_FIELDS) as Field[]) {
    if (draft[field] === undefined || LABELS.has(field) || must.includes(field) || may.includes(field))
      continue;
    throw unusedCode === -1106
      ? refusals.notRequired(nameOf(field))
      : refusals.unread(must.length, must.length + 1);
  }
  if (type === 'MARKET') {
    if (draft.quantity === undefined && draft.quoteOrderQty === undefined)
      throw refusals.oneOf(nameOf('quantity'), nameOf('quoteOrderQty'));
    if (draft.quantity !== undefined && draft.quoteOrderQty !== undefined) throw refusals.combination();
  }
  if (may.includes('stopPrice') && draft.stopPrice === undefined && draft.trailingDelta === undefined)
    throw refusals.oneOf(nameOf('stopPrice'), nameOf('trailingDelta'));
  if (draft.strategyType !== undefined && draft.strategyType < 1_000_000)
    throw new SpotRefusal(-1134, "SpotParameter 'strategyType' was less than 1000000.");
  if (draft.icebergQty !== undefined && (draft.timeInForce ?? 'GTC') !== 'GTC')
    throw new SpotRefusal(-1014, 'Unsupported order combination.');
}

/** Reads a draft by the rules of its market: precision, self-trade prevention, filters. */
export function filteredRequest(
  market: SpotMarket,
  draft: OrderDraft,
  of: { readonly nowMs: number; readonly newId: () => string; readonly nameOf?: NameOf },
): SpotOrderRequest {
  const { rules } = market;
  const { type } = draft;
  const nameOf = of.nameOf ?? ((field) => field);
  if (
    draft.pegPriceType !== undefined ||
    draft.pegOffsetType !== undefined ||
    draft.pegOffsetValue !== undefined
  )
    throw refusals.order('Pegged orders are not supported for this symbol.');
  const side = draft.side === 'BUY' ? 'buy' : 'sell';
  const units = (field: 'quantity' | 'quoteOrderQty' | 'price' | 'stopPrice' | 'icebergQty'): bigint =>
    rules.sent(draft[field], nameOf(field));
  const [price, stopPrice, quantity] = [units('price'), units('stopPrice'), units('quantity')];
  const [quoteOrderQty, icebergQty] = [units('quoteOrderQty'), units('icebergQty')];
  if (draft.quantity !== undefined && quantity === 0n) throw new SpotRefusal(-1013, 'Invalid quantity.');
  if (draft.quoteOrderQty !== undefined && quoteOrderQty === 0n)
    throw new SpotRefusal(-1013, 'Invalid quoteOrderQty.');
  if (draft.price !== undefined && isLimitType(type) && price === 0n)
    throw new SpotRefusal(-1013, 'Invalid price.');
  if (draft.stopPrice !== undefined && stopPrice === 0n) throw new SpotRefusal(-1013, 'Invalid stopPrice.');
  const trailingDelta = draft.trailingDelta ?? 0;
  if (draft.trailingDelta === 0) throw refusals.filter('TRAILING_DELTA');
  const { allowedStpModes, defaultStpMode } = rules.settings;
  const stpMode = draft.selfTradePreventionMode ?? defaultStpMode;
  if (!allowedStpModes.includes(stpMode as StpMode))
    throw new SpotRefusal(-1013, 'This symbol does not allow the specified self-trade prevention mode.');
  const failed = failedFilter(
    market,
    { side, type, price, stopPrice, quantity, quoteOrderQty, icebergQty, trailingDelta },
    of.nowMs,
  );
  if (failed !== null) throw refusals.filter(failed);
  if (icebergQty > quantity) throw refusals.order('IcebergQty exceeds QTY.');
  return {
    side,
    type,
    timeInForce: draft.timeInForce ?? 'GTC',
    quantity: rules.stepsOf(quantity),
    price: rules.ticksOf(price),
    stopPrice: rules.ticksOf(stopPrice),
    trailingDelta,
    icebergQty: rules.stepsOf(icebergQty),
    quoteOrderQty,
    clientOrderId: draft.clientOrderId ?? of.newId(),
    stpMode: stpMode as StpMode,
    strategyId: draft.strategyId ?? null,
    strategyType: draft.strategyType ?? null,
  };
}
