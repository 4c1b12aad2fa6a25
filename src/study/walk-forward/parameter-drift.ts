import type { ParameterValue, Point, Space } from '../space/parameter.ts';
import { distancesIn } from './point-distance.ts';

/** Changes of a parameter from window to window. */
export interface ParameterDrift {
  readonly parameter: string;
  /** Value traded in each window; null if the parameter did not exist. */
  readonly values: readonly (ParameterValue | null)[];
  /** Borders at which it changed. */
  readonly changes: number;
  /**
   * The mean change at a border as a share of the range; of a choice each change is 1. Null with one window.
   */
  readonly meanChange: number | null;
}

/** Returns the differences of each parameter between the traded points, window after window. */
export function parameterDrift(space: Space, points: readonly Point[]): readonly ParameterDrift[] {
  return space.parameters.map((parameter) => {
    const values = points.map((point) => point[parameter.name] ?? null);
    // Without its conditions: whether it exists is told by its value.
    const own = { parameters: [{ ...parameter, when: [] }] };
    const distance = distancesIn(
      own,
      values.map((value): Point => (value === null ? {} : { [parameter.name]: value })),
    );
    const steps = values.slice(1).map((_, index) => distance(index, index + 1));
    return {
      parameter: parameter.name,
      values,
      changes: steps.filter((step) => step > 0).length,
      meanChange: steps.length === 0 ? null : steps.reduce((sum, step) => sum + step, 0) / steps.length,
    };
  });
}
