import type { Sentence } from './sentence.ts';
import type { PlacesOf, Texts } from './translate.ts';

/** Value in a fact, before it is written in the digits and words of a language. */
export type FactFigure =
  /** Number of things. */
  | number
  /** A name, or words that nobody translates, such as what a strategy threw. */
  | string
  /** A number that is written as it is: `0.05`, `1e+100`. */
  | { readonly digits: string }
  /** A statistic; null has no value. */
  | { readonly value: number | null }
  /** A fraction; null has no value. */
  | { readonly share: number | null }
  | { readonly atMs: number }
  | { readonly lengthMs: number }
  /** A length in one unit. */
  | { readonly aboutMs: number }
  /** A sentence that other languages may know, such as why an order was refused. */
  | { readonly said: Sentence }
  /** A currency by its code, such as `usdt`. */
  | { readonly currency: string }
  /** A figure of a run by its name, such as `sharpe`. */
  | { readonly metric: string }
  | Fact
  | readonly FactFigure[];

/**
 * Message in no language: `fact` is the key of a text, and `figures` fill its places. It is plain JSON, so
 * that files can store it.
 */
export interface Fact<Key extends string = string> {
  readonly fact: Key;
  readonly figures: Readonly<Record<string, FactFigure>>;
}

/** Figures for the places of a text: none where it has no places. */
type FiguresOf<Place extends string> = [Place] extends [never]
  ? readonly []
  : readonly [{ readonly [Name in Place]: Name extends 'count' ? number : FactFigure }];

/** Makes facts of the texts of a dictionary: a figure that is missing does not compile. */
type MakeFact<T extends Texts> = <Key extends keyof T & string>(
  key: Key,
  ...figures: FiguresOf<PlacesOf<T[Key]>>
) => Fact<Key>;

export function factsOf<T extends Texts>(): MakeFact<T> {
  return (key, ...[figures]) => ({ fact: key, figures: figures ?? {} });
}

/** A number that is written without separators, such as that of a trial. */
export const inDigits = (value: number): FactFigure => ({ digits: String(value) });
