import { z } from 'zod';
import type { DecimalText } from '../domain/decimal-text.ts';
import {
  EXIT_KINDS,
  type ExitKind,
  EXECUTIONS,
  ORDER_STATES,
  SIDES,
  type Execution,
  type Side,
  storedOrderId,
  storedTradeId,
  type ListCursor,
  type VenueOrderId,
  type VenueTradeId,
  type VenueWalletId,
} from '../domain/order.ts';
import type { Units } from '../domain/money.ts';
import { storedCount, storedTimeMs, storedUnits } from '../domain/stored-json.ts';
import type { Sentence } from '../language/sentence.ts';

/** Schema of a sentence in stored data. */
export const storedSentence: z.ZodType<Sentence, Sentence> = z.string();

/** Causes of a lock: a kind of rule, or an operator (`hand`). */
export const LOCK_KINDS = ['cooldown', 'stops', 'low-profit', 'drawdown', 'hours', 'dates', 'hand'] as const;

export type LockKind = (typeof LOCK_KINDS)[number];

export const INTENT_STATUSES = ['working', 'done', 'refused'] as const;

/**
 * States of an entry's approval. `waiting`: a person has to decide. `approved`, `declined`: a person did.
 * `expired`: nobody did in time. `withdrawn`: something else ended it, such as an exit or a halt. `exempt`:
 * it needs none, as its value is small or a person requested it.
 */
export const APPROVALS = ['waiting', 'approved', 'declined', 'expired', 'withdrawn', 'exempt'] as const;

export type ApprovalState = (typeof APPROVALS)[number];

export const STRATEGY_STATUSES = ['running', 'paused', 'stopped'] as const;

/** The kinds of fields, with the type of their values in the engine. */
export interface EngineValues {
  /** Text that is never empty. */
  name: string;
  text: string;
  reason: Sentence;
  side: Side;
  execution: Execution;
  orderState: (typeof ORDER_STATES)[number];
  exit: ExitKind;
  /** Money in the quote currency of the market. */
  money: Units;
  /** Money in any other currency. */
  amount: Units;
  /** Time in ms since 1970. */
  time: number;
  count: number;
  cursor: ListCursor;
  orderId: VenueOrderId;
  tradeId: VenueTradeId;
  walletId: VenueWalletId;
  intentStatus: (typeof INTENT_STATUSES)[number];
  approval: ApprovalState;
  strategyStatus: (typeof STRATEGY_STATUSES)[number];
  /** JSON as text. */
  json: string;
}

export type FieldKind = keyof EngineValues;

/** Types of values by kind of field, with another type for money and amounts. */
export type ValuesWith<Decimal> = {
  [Kind in FieldKind]: EngineValues[Kind] extends Units ? Decimal : EngineValues[Kind];
};

export interface RecordField<Kind extends FieldKind = FieldKind, Nullable extends boolean = boolean> {
  readonly kind: Kind;
  readonly isNullable: Nullable;
  /** Description for readers of replies and files. */
  readonly about?: string | undefined;
}

/** Fields of a record, in the order of its columns. */
export type RecordFields = Readonly<Record<string, RecordField>>;

export function field<const Kind extends FieldKind>(kind: Kind, about?: string): RecordField<Kind, false> {
  return { kind, isNullable: false, about };
}

/** Declares a field that may be null. */
export function optional<const Kind extends FieldKind>(kind: Kind, about?: string): RecordField<Kind, true> {
  return { kind, isNullable: true, about };
}

type ValueOf<Of, Values> =
  Of extends RecordField<infer Kind, infer Nullable>
    ? (Kind extends keyof Values ? Values[Kind] : never) | (Nullable extends true ? null : never)
    : never;

/** A record with values for its fields, of the engine's types by default. */
export type RecordOf<Of extends RecordFields, Values = EngineValues> = {
  readonly [Name in keyof Of]: ValueOf<Of[Name], Values>;
};

/** A record with its money and amounts as text. */
export type TextsOf<Of extends RecordFields> = RecordOf<Of, ValuesWith<DecimalText>>;

/** Codecs of a layer: one schema for each kind of field. */
type Codecs = Readonly<Record<FieldKind, z.ZodType>>;

type ShapeOf<Of extends RecordFields, Name extends keyof Of, Layer extends Codecs> = {
  [Key in Name]: Of[Key] extends RecordField<infer Kind, infer Nullable>
    ? Nullable extends true
      ? z.ZodNullable<Layer[Kind]>
      : Layer[Kind]
    : never;
};

/** Returns the schemas of a record's fields as a zod shape, by the codecs of a layer. */
export function shapeOf<Of extends RecordFields, const Name extends keyof Of, Layer extends Codecs>(
  fields: Of,
  names: readonly Name[],
  codecs: Layer,
): ShapeOf<Of, Name, Layer> {
  const schemaOf = ({ kind, isNullable, about }: RecordField): z.ZodType => {
    const codec = codecs[kind];
    const schema = isNullable ? codec.nullable() : codec;
    if (about === undefined) return schema;
    return schema.describe(codec.description === undefined ? about : `${codec.description} ${about}`);
  };
  return Object.fromEntries(names.map((name) => [name, schemaOf(fields[name] as RecordField)])) as ShapeOf<
    Of,
    Name,
    Layer
  >;
}

/** Returns the names of a record's fields without those left out, in order. */
export function namesOf<Of extends RecordFields, const Left extends keyof Of = never>(
  fields: Of,
  without: readonly Left[] = [],
): readonly (Exclude<keyof Of, Left> & string)[] {
  const left: readonly PropertyKey[] = without;
  return Object.keys(fields).filter((name) => !left.includes(name)) as (Exclude<keyof Of, Left> & string)[];
}

type OptionalIn<Of extends RecordFields> = {
  [Name in keyof Of]: Of[Name] extends RecordField<FieldKind, true> ? Name : never;
}[keyof Of];

/** Returns the optional fields of a record, all null. */
export function emptyOf<Of extends RecordFields>(fields: Of): { readonly [Name in OptionalIn<Of>]: null } {
  const names = Object.keys(fields).filter((name) => fields[name]?.isNullable === true);
  return Object.fromEntries(names.map((name) => [name, null])) as { [Name in OptionalIn<Of>]: null };
}

/** Codecs of texts, which are the same in every layer. */
export const WORD_CODECS = {
  name: z.string(),
  text: z.string(),
  /** A reason in English. */
  reason: z.string(),
  side: z.enum(SIDES),
  execution: z.enum(EXECUTIONS),
  orderState: z.enum(ORDER_STATES),
  exit: z.enum(EXIT_KINDS),
  orderId: z.string(),
  tradeId: z.string(),
  walletId: z.string(),
  intentStatus: z.enum(INTENT_STATUSES),
  approval: z.enum(APPROVALS),
  strategyStatus: z.enum(STRATEGY_STATUSES),
  json: z.string(),
};

/** Codecs of JSON that the bot stores for itself. */
export const STORED_CODECS = {
  ...WORD_CODECS,
  reason: storedSentence,
  money: storedUnits,
  amount: storedUnits,
  time: storedTimeMs,
  count: storedCount,
  cursor: storedCount,
  orderId: storedOrderId,
  tradeId: storedTradeId,
};
