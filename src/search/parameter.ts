import type { Steps } from './steps.ts';

/**
 * A value of a parameter: an integer is a number, a decimal its canonical text, a choice what was declared. A
 * decimal as text is exact: `0.3` stays `0.3`, whatever a binary float makes of it.
 */
export type ParameterValue = string | number | boolean;

/** The parameter exists only where an earlier one has one of these values. */
export interface Condition {
  readonly parameter: string;
  readonly values: readonly ParameterValue[];
}

/** Common fields of every parameter. */
interface Named {
  /** The name in the strategy's params; a dot leads into an object. */
  readonly name: string;
  /** All of them must hold; none: the parameter always exists. */
  readonly when: readonly Condition[];
}

/** A number in a range, with or without steps. */
export interface NumericParameter extends Named {
  readonly kind: 'integer' | 'decimal';
  /** In which measure values are equally likely: their own, or their logarithm. */
  readonly scale: 'linear' | 'log';
  readonly min: number;
  readonly max: number;
  /** Null: any decimal of at most 15 digits between `min` and `max`. */
  readonly steps: Steps | null;
}

/** One of some values without an order. */
export interface ChoiceParameter extends Named {
  readonly kind: 'choice' | 'boolean';
  readonly values: readonly ParameterValue[];
}

export type Parameter = NumericParameter | ChoiceParameter;

/** Search space of a study: parameters in the order of their declaration. */
export interface Space {
  readonly parameters: readonly Parameter[];
}

/** Values by name; a parameter that does not exist under the others is left out. */
export type Point = Readonly<Record<string, ParameterValue>>;

/** Parameters of one space: more than anyone tells apart, and what the Sobol sequence has dimensions for. */
export const MOST_PARAMETERS = 64;

/** True if the parameter exists under the values of those before it. */
export function isActive({ when }: Parameter, point: Point): boolean {
  return when.every(({ parameter, values }) => {
    const value = point[parameter];
    return value !== undefined && values.includes(value);
  });
}

/** True if a parameter is a number, with an order and distances. */
export function isNumeric(parameter: Parameter): parameter is NumericParameter {
  return parameter.kind === 'integer' || parameter.kind === 'decimal';
}

/** Returns the number of values of a parameter; `Infinity` for a decimal without steps. */
export function valueCount(parameter: Parameter): number {
  if (!isNumeric(parameter)) return parameter.values.length;
  return parameter.steps?.count ?? Infinity;
}
