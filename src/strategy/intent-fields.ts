import { ORDER_LABELS } from '../records/order.ts';
import { EXIT_FIELDS } from './check-bracket.ts';
import type { Intent } from './intents.ts';

/** Ways to give the size of an order. */
export const SIZES = ['amount', 'value', 'equityShare'] as const;
/** Ways to give the holding to reach. */
export const HOLDINGS = ['position', 'value', 'equityShare'] as const;

/** Permitted fields of each kind. */
export const INTENT_FIELDS: Readonly<Record<Intent['kind'], ReadonlySet<string>>> = {
  place: new Set([
    'kind',
    'market',
    'side',
    ...SIZES,
    'price',
    'stopPrice',
    ...ORDER_LABELS,
    'allowIdentical',
    'expireAfterMs',
    'postOnly',
  ]),
  oco: new Set([
    'kind',
    'market',
    'side',
    ...SIZES,
    'price',
    'stopPrice',
    'stopLimitPrice',
    ...ORDER_LABELS,
    'allowIdentical',
  ]),
  cancel: new Set(['kind', 'clientOrderId']),
  'cancel-all': new Set(['kind', 'market']),
  replace: new Set(['kind', 'clientOrderId', 'price', 'amount']),
  target: new Set(['kind', 'market', ...HOLDINGS, 'price']),
  targets: new Set(['kind', 'market', 'shares', 'band', 'fee', 'atOnce']),
  quotes: new Set(['kind', 'market', 'quotes']),
  twap: new Set(['kind', 'market', 'side', ...SIZES, 'overMs', 'slices', 'price']),
  vwap: new Set(['kind', 'market', 'side', ...SIZES, 'overMs', 'profile', 'price']),
  iceberg: new Set(['kind', 'market', 'side', ...SIZES, 'visible', 'price']),
  ladder: new Set(['kind', 'market', 'side', ...SIZES, 'from', 'to', 'orders', 'scale', 'expireAfterMs']),
  peg: new Set([
    'kind',
    'market',
    'side',
    ...SIZES,
    'bound',
    'offset',
    'minStep',
    'everyMs',
    'share',
    'expireAfterMs',
  ]),
  dca: new Set(['kind', 'market', 'value', 'everyMs', 'times', 'steps']),
  transfer: new Set(['kind', 'currency', 'amount', 'from', 'to']),
  bracket: new Set(['kind', 'market', 'entry', ...EXIT_FIELDS]),
  protect: new Set(['kind', 'market', 'amount', 'averagePrice', ...EXIT_FIELDS]),
  exit: new Set(['kind', 'market', 'reason', 'price']),
};

/** Permitted fields of a bracket's entry. */
export const ENTRY_FIELDS: ReadonlySet<string> = new Set([...SIZES, 'price', 'expireAfterMs']);

/** Permitted fields of a quote. */
export const QUOTE_FIELDS: ReadonlySet<string> = new Set(['side', 'price', ...SIZES]);

/** Fields that are counts, not money. */
export const COUNT_FIELDS: ReadonlySet<string> = new Set([
  'overMs',
  'slices',
  'timeStopMs',
  'expireAfterMs',
  'afterMs',
  'everyMs',
  'times',
  'offset',
  'orders',
  'atOnce',
]);
