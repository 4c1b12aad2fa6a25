import { EXECUTIONS, ORDER_STATES, EXIT_KINDS } from '../../../src/domain/order.ts';
import fc from 'fast-check';
import type { Units } from '../../../src/domain/money.ts';
import {
  type FieldKind,
  type RecordFields,
  type RecordOf,
  APPROVALS,
  INTENT_STATUSES,
  STRATEGY_STATUSES,
} from '../../../src/records/field.ts';
import { FILL } from '../../../src/records/fill.ts';
import { ORDER } from '../../../src/records/order.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { algorithmToJson } from '../../../src/engine/algorithm-json.ts';
import { ICEBERG, NOW_MS } from './mirror-fixture.ts';
import { INTENT, NOTE, ALGORITHM, STRATEGY } from '../../../src/records/rows.ts';
import { sentence } from '../../../src/language/sentence.ts';
import { newLedger, instanceJson } from '../../support/new-ledger.ts';

/** There are few names, so that rows are often overwritten. */
const name = fc.constantFrom('a', 'b', 'c', 'd');
const text = fc.string({ maxLength: 12, unit: 'binary' }).filter((value) => !value.includes('\0'));
const json = fc.json({ maxDepth: 2 });
const object = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }))
  .map((value) => JSON.stringify(value));
const units = fc.bigInt({ min: 0n, max: 10n ** 32n }) as fc.Arbitrary<Units>;
const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
/** Ids as whole numbers, and as hex texts. */
const venueText = fc.oneof(
  id.map(String),
  fc.nat().map((value) => value.toString(16)),
);
/** Times around the limit of what counts as recent, and any others. */
const timeMs = fc.oneof(
  fc.integer({ min: NOW_MS - 20 * 60_000, max: NOW_MS }),
  fc.integer({ min: 0, max: 4e12 }),
);
const side = fc.constantFrom('buy' as const, 'sell' as const);

const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });

const BY_KIND: Readonly<Record<FieldKind, fc.Arbitrary<unknown>>> = {
  name,
  text,
  reason: fc.oneof(
    text,
    text.map((reason) => sentence('halted', { reason })),
  ),
  side,
  execution: fc.constantFrom(...EXECUTIONS),
  orderState: fc.constantFrom(...ORDER_STATES),
  exit: fc.constantFrom(...EXIT_KINDS),
  money: units,
  amount: units,
  time: timeMs,
  count: fc.nat(),
  cursor: id,
  orderId: venueText,
  tradeId: venueText,
  walletId: venueText,
  intentStatus: fc.constantFrom(...INTENT_STATUSES),
  approval: fc.constantFrom(...APPROVALS),
  strategyStatus: fc.constantFrom(...STRATEGY_STATUSES),
  json: object,
};

/** Makes records with any values, but those in `special` for the fields there. */
function recordOf<Of extends RecordFields>(
  fields: Of,
  special: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<RecordOf<Of>> {
  const drawn = Object.entries(fields).map(([field, { kind, isNullable }]) => {
    const value = special[field] ?? BY_KIND[kind];
    return [field, isNullable ? orNull(value) : value] as const;
  });
  return fc.record(Object.fromEntries(drawn)) as fc.Arbitrary<RecordOf<Of>>;
}

const order = recordOf(ORDER, {
  // The legs of a pair name each other; these names are of orders that do not exist.
  pairKey: name.map((key) => `pair of ${key}`),
  attempts: fc.nat(3),
}).map((fields) => ({ ...fields, clientOrderId: fields.clientOrderId === null ? null : fields.key }));

const fill = recordOf(FILL, {
  tradeId: fc.constantFrom('1', '2', '3', 'f0e1'),
  cursor: fc.constantFrom(1, 2, 3, Number.MAX_SAFE_INTEGER),
  venueOrderId: fc.constantFrom('1', 'a2'),
});

const instance = json.map((state) => {
  const ledger = newLedger();
  return instanceJson(ledger, { requests: 7, fills: 2, orders: 4, fees: new Map([['btc', 5n]]) }, state);
});

const algorithm = recordOf(ALGORITHM, { json: fc.constant(algorithmToJson(ICEBERG)) });
const strategy = recordOf(STRATEGY, { json: instance });
const intent = recordOf(INTENT, {});
const note = recordOf(NOTE, { tags: fc.constantFrom('[]', '["a"]') });

/** Changes that a restart reads back. */
export const storedChange: fc.Arbitrary<MirrorChange> = fc.oneof(
  { weight: 4, arbitrary: order.map((value) => ({ kind: 'order' as const, order: value })) },
  { weight: 2, arbitrary: fill.map((value) => ({ kind: 'fill' as const, fill: value })) },
  intent.map((value) => ({ kind: 'intent' as const, intent: value })),
  algorithm.map((value) => ({ kind: 'algorithm' as const, algorithm: value })),
  name.map((intentId) => ({ kind: 'algorithm-end' as const, intentId })),
  note.map((value) => ({ kind: 'note' as const, note: value })),
  name.map((entry) => ({ kind: 'note-end' as const, entry })),
  strategy.map((value) => ({ kind: 'strategy' as const, strategy: value })),
  fc.tuple(name, json).map(([key, value]) => ({ kind: 'kept' as const, name: key, json: value })),
  fc.tuple(name, object).map(([subject, value]) => ({
    kind: 'journal' as const,
    entry: { kind: 'notice' as const, subject, json: value },
  })),
);
