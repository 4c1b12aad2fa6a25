import { invariant } from '../domain/invariant.ts';
import { decimalText, SURE_DIGITS } from '../domain/decimal-text.ts';
import type { NumericParameter, ParameterValue } from './parameter.ts';
import { nearestPlace, textAtPlace, valueAtPlace } from './steps.ts';

/**
 * A numeric parameter as samplers see it: a stretch of the real line, in logarithms where the scale is one. A
 * value with steps stands for the stretch half a step to both sides, so that the outer ones are as likely.
 */
export class NumericAxis {
  readonly kind = 'numeric';
  readonly low: number;
  readonly high: number;
  private readonly isLog: boolean;
  private readonly halfStep: number;

  private readonly parameter: NumericParameter;

  constructor(parameter: NumericParameter) {
    this.parameter = parameter;
    const { min, max, scale, steps } = parameter;
    this.isLog = scale === 'log';
    this.halfStep = steps === null ? 0 : steps.stride / 10 ** steps.decimals / 2;
    this.low = this.onLine(min - this.halfStep);
    this.high = this.onLine(max + this.halfStep);
  }

  get isStepped(): boolean {
    return this.parameter.steps !== null;
  }

  /** Returns the place of a value on the line. */
  coordinateOf(value: ParameterValue): number {
    return this.onLine(Number(value));
  }

  /** The value next to a place on the line. */
  valueAt(coordinate: number): ParameterValue {
    const { steps, kind, min, max } = this.parameter;
    const wanted = this.isLog ? Math.exp(coordinate) : coordinate;
    if (steps === null) {
      const rounded = Number(Math.min(max, Math.max(min, wanted)).toPrecision(SURE_DIGITS));
      return decimalText(Math.min(max, Math.max(min, rounded)));
    }
    const place = nearestPlace(steps, wanted);
    return kind === 'integer' ? valueAtPlace(steps, place) : textAtPlace(steps, place);
  }

  /** The coordinate of the value next to a place on the line. */
  snapped(coordinate: number): number {
    const { steps } = this.parameter;
    if (steps === null) return Math.min(this.high, Math.max(this.low, coordinate));
    const wanted = this.isLog ? Math.exp(coordinate) : coordinate;
    return this.onLine(valueAtPlace(steps, nearestPlace(steps, wanted)));
  }

  /** The value at a place, counted from 0. */
  valueOfPlace(place: number): ParameterValue {
    const { steps, kind } = this.parameter;
    invariant(steps !== null, 'expected a parameter with steps');
    return kind === 'integer' ? valueAtPlace(steps, place) : textAtPlace(steps, place);
  }

  /** The stretch that the value at a coordinate stands for; empty without steps. */
  cellAt(coordinate: number): readonly [left: number, right: number] {
    if (!this.isLog) return [coordinate - this.halfStep, coordinate + this.halfStep];
    const value = Math.exp(coordinate);
    return [Math.log(value - this.halfStep), Math.log(value + this.halfStep)];
  }

  private onLine(value: number): number {
    return this.isLog ? Math.log(value) : value;
  }
}
