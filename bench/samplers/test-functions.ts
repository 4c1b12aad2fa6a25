/** A function that a study minimises; `bench/peers/samplers.py` has one of the same name. */
export interface TestFunction {
  readonly space: Readonly<Record<string, unknown>>;
  /** One value for each objective, all to be minimised. */
  readonly values: (params: Readonly<Record<string, unknown>>) => readonly number[];
}

const range = (min: number, max: number): object => ({ kind: 'decimal', min, max });

/** Makes parameters x0, x1, … with one range. */
const box = (dimensions: number, entry: object): Record<string, object> =>
  Object.fromEntries(Array.from({ length: dimensions }, (_, index) => [`x${index}`, entry]));

const vector = (params: Readonly<Record<string, unknown>>): readonly number[] =>
  Object.entries(params)
    .filter(([name]) => /^x\d+$/.test(name))
    .map(([, value]) => Number(value));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const HARTMANN_A = [
  [10, 3, 17, 3.5, 1.7, 8],
  [0.05, 10, 17, 0.1, 8, 14],
  [3, 3.5, 1.7, 10, 17, 8],
  [17, 8, 0.05, 10, 0.1, 14],
];
const HARTMANN_P = [
  [1312, 1696, 5569, 124, 8283, 5886],
  [2329, 4135, 8307, 3736, 1004, 9991],
  [2348, 1451, 3522, 2883, 3047, 6650],
  [4047, 8828, 8732, 5743, 1091, 381],
];
const HARTMANN_ALPHA = [1, 1.2, 3, 3.2];

function hartmann(x: readonly number[]): number {
  return -sum(
    HARTMANN_ALPHA.map(
      (alpha, row) =>
        alpha *
        Math.exp(
          -sum(
            x.map((at, column) => HARTMANN_A[row]![column]! * (at - HARTMANN_P[row]![column]! / 1e4) ** 2),
          ),
        ),
    ),
  );
}

/** A function with parameters of each kind, and branches with their own parameters: its least value is 0. */
function mixed(params: Readonly<Record<string, unknown>>): number {
  const { length, rate, share, mode, far, near, late } = params;
  const base =
    ((Number(length) - 37) / 20) ** 2 +
    Math.log10(Number(rate) / 0.003) ** 2 +
    (Number(share) * 4 - 1.2) ** 2;
  if (mode === 'far') return base + (Number(far) - 2.25) ** 2 + (late === true ? 0 : 0.3);
  if (mode === 'near') return base + 0.5 + ((Number(near) - 4) / 5) ** 2;
  return base + 1;
}

function zdt(
  params: Readonly<Record<string, unknown>>,
  front: (first: number, g: number) => number,
): number[] {
  const [first = 0, ...rest] = vector(params);
  const g = 1 + (9 * sum(rest)) / rest.length;
  return [first, g * front(first, g)];
}

/** Test functions by name. Their ranges are not symmetric, or the middle of each would be the best point. */
export const TEST_FUNCTIONS: Readonly<Record<string, TestFunction>> = {
  sphere: {
    space: box(5, range(-3, 7)),
    values: (params) => [sum(vector(params).map((x) => x * x))],
  },
  rosenbrock: {
    space: box(5, range(-3, 5)),
    values: (params) => {
      const x = vector(params);
      return [
        sum(x.slice(1).map((next, index) => 100 * (next - x[index]! ** 2) ** 2 + (1 - x[index]!) ** 2)),
      ];
    },
  },
  rastrigin: {
    space: box(5, range(-4, 6)),
    values: (params) => [sum(vector(params).map((x) => x * x - 10 * Math.cos(2 * Math.PI * x) + 10))],
  },
  branin: {
    space: { x0: range(-5, 10), x1: range(0, 15) },
    values: (params) => {
      const [x = 0, y = 0] = vector(params);
      const bent = y - (5.1 / (4 * Math.PI ** 2)) * x * x + (5 / Math.PI) * x - 6;
      return [bent ** 2 + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x) + 10];
    },
  },
  hartmann6: { space: box(6, range(0, 1)), values: (params) => [hartmann(vector(params))] },
  mixed: {
    space: {
      length: { kind: 'integer', min: 2, max: 100 },
      rate: { kind: 'decimal', min: 0.0001, max: 1, scale: 'log' },
      share: { kind: 'decimal', min: 0, max: 1, step: 0.05 },
      mode: { kind: 'choice', values: ['none', 'near', 'far'] },
      near: { kind: 'integer', min: 1, max: 20, when: { mode: 'near' } },
      far: { kind: 'decimal', min: 0, max: 5, when: { mode: 'far' } },
      late: { kind: 'boolean', when: { mode: 'far' } },
    },
    values: (params) => [mixed(params)],
  },
  integers: {
    space: {
      ...box(3, range(-3, 7)),
      ...Object.fromEntries(['x3', 'x4', 'x5'].map((name) => [name, { kind: 'integer', min: -10, max: 15 }])),
    },
    values: (params) => [sum(vector(params).map((x, index) => (index + 1) * x * x))],
  },
  zdt1: {
    space: box(10, range(0, 1)),
    values: (params) => zdt(params, (first, g) => 1 - Math.sqrt(first / g)),
  },
  zdt2: { space: box(10, range(0, 1)), values: (params) => zdt(params, (first, g) => 1 - (first / g) ** 2) },
  zdt3: {
    space: box(10, range(0, 1)),
    values: (params) =>
      zdt(params, (first, g) => 1 - Math.sqrt(first / g) - (first / g) * Math.sin(10 * Math.PI * first)),
  },
};
