import type { Sentence } from './sentence.ts';
import type { PlacesOf, Texts } from './translate.ts';

/** Value in a fact, before it is written in the digits and words of a language. */
export type FactFigure =
  /** A number of things, written with separators. */
  | number
  /** A name, or words that are not translated, such as what a strategy threw. */
  | string
  /** A number that is written as it is: `0.05`, `1e+100`. */
  | { readonly digits: string }
  /** A statistic; null if it has no value. */
  | { readonly value: number | null }
  /** A fraction of one; null if it has no value. */
  | { readonly share: number | null }
  | { readonly atMs: number }
  | { readonly lengthMs: number }
  /** A length of time, written in one unit. */
  | { readonly aboutMs: number }
  /** A sentence that may be translated, such as why an order was refused. */
  | { readonly said: Sentence }
  /** A currency by its code, such as `usdt`. */
  | { readonly currency: string }
  /** A statistic of a run by its name, such as `sharpe`. */
  | { readonly metric: string }
  | Fact
  | readonly FactFigure[];

/** A message in no language: `fact` is the key of a text, `figures` are its values. It is plain JSON. */
export interface Fact<Key extends string = string> {
  readonly fact: Key;
  readonly figures: Readonly<Record<string, FactFigure>>;
}

/** Arguments with a figure for each place of a text; no arguments if it has no places. */
type FiguresOf<Place extends string> = [Place] extends [never]
  ? readonly []
  : readonly [{ readonly [Name in Place]: Name extends 'count' ? number : FactFigure }];

/** Makes facts for the texts of a dictionary: code with a missing figure does not compile. */
type MakeFact<T extends Texts> = <Key extends keyof T & string>(
  key: Key,
  ...figures: FiguresOf<PlacesOf<T[Key]>>
) => Fact<Key>;

export const factsOf =
  <T extends Texts>(): MakeFact<T> =>
  (key, ...[figures]) => ({ fact: key, figures: figures ?? {} });

/** Returns a figure that is written without separators, such as the number of a trial. */
export const inDigits = (value: number): FactFigure => ({ digits: String(value) });
