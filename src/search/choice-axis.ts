import { invariant, present } from '../domain/invariant.ts';
import type { ChoiceParameter, ParameterValue } from './parameter.ts';

/** A choice as samplers see it: the places of its values, counted from 0, without an order. */
export class ChoiceAxis {
  readonly kind = 'choice';
  readonly count: number;

  private readonly parameter: ChoiceParameter;

  constructor(parameter: ChoiceParameter) {
    this.parameter = parameter;
    this.count = parameter.values.length;
  }

  coordinateOf(value: ParameterValue): number {
    const place = this.parameter.values.indexOf(value);
    invariant(place >= 0, () => `expected a value of ${this.parameter.name}, found ${JSON.stringify(value)}`);
    return place;
  }

  valueAt(place: number): ParameterValue {
    return present(this.parameter.values[place], () => `a value of ${this.parameter.name} at ${place}`);
  }

  valueOfPlace(place: number): ParameterValue {
    return this.valueAt(place);
  }
}
