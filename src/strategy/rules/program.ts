import type { Candle } from '../../domain/candle.ts';
import { zoneOffsetMs } from '../../domain/zone-time.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time-text.ts';
import { present } from '../../domain/errors.ts';
import { MOST_AHEAD, closeNumber, ohlcvOf } from '../column-candle.ts';
import type { CandleData } from '../data/data.ts';
import type { Indicator } from '../indicators/declare-indicator.ts';
import type { ClosedCandle } from '../strategy-event.ts';
import {
  inputsOf,
  type Arithmetic,
  type Comparison,
  type ConditionNode,
  type MomentFact,
  type RuleNode,
  type ValueNode,
} from './expression.ts';

/** Facts of the strategy at the moment of a decision; NaN is unknown. */
export type MomentFacts = Readonly<Record<MomentFact, number>>;

const NO_FACTS: MomentFacts = {
  barsHeld: Number.NaN,
  profitPercent: Number.NaN,
  equity: Number.NaN,
  freeQuote: Number.NaN,
};

/** A node with the data at whose bars it is computed, or `MOMENT`. */
export interface PlacedNode {
  readonly node: RuleNode;
  readonly data: string;
}

/** Place of nodes that are computed at a decision; no data can have this name. */
export const MOMENT = 'a decision';

/** The nodes of some rules but for numbers, inputs first; the same in each run, market and member. */
export interface RulePlan {
  readonly nodes: readonly PlacedNode[];
  /** Bars by name of the data that its nodes need until none depends on the first bar any more. */
  readonly settledAfter: ReadonlyMap<string, number>;
}

/** Returns a running indicator of the same market by its name; undefined if there is none. */
export type Peers = (name: string) => Indicator | undefined;

/** Name of the candles that decide, beside their own. */
export const MAIN_DATA = 'rules';

/** Name of the part of the rules that is computed at the bars of a data. */
export const partName = (data: string): string => `rules ${data}`;

/** Name of the part that is computed at the deciding candles. */
export const MAIN_PART = partName(MAIN_DATA);

/** The part of some rules that is computed at the bars of one data; it is declared like an indicator. */
export class RuleSpec {
  readonly kind = 'rules';
  readonly params = {};
  readonly of: CandleData;
  readonly data: string;
  readonly plan: RulePlan;

  constructor(of: CandleData, data: string, plan: RulePlan) {
    this.of = of;
    this.data = data;
    this.plan = plan;
  }

  start(peers: Peers): RulePart {
    return new RulePart(this, peers);
  }
}

/** Value of one node: a number, or for a condition 1 (true) or 0 (false); NaN is unknown. */
class Cell {
  value = Number.NaN;
  private readonly compute: (candle: ClosedCandle) => number;

  /** `compute` returns the value at a bar, once the cells of its inputs have theirs. */
  constructor(compute: (candle: ClosedCandle) => number) {
    this.compute = compute;
  }

  step(candle: ClosedCandle): void {
    this.value = this.compute(candle);
  }
}

/** A condition of the rules, as it was at the last bar. */
class Watched {
  readonly cell: Cell;
  private value = Number.NaN;
  /** Close of the bar at which it became what it is, in ms since 1970; null before the first bar. */
  sinceMs: number | null = null;

  constructor(cell: Cell) {
    this.cell = cell;
  }

  update(candle: ClosedCandle): void {
    const { value } = this.cell;
    if (this.sinceMs !== null && Object.is(value, this.value)) return;
    this.value = value;
    this.sinceMs = candle.closeTimeMs;
  }

  /** Returns to a stored time, once its cell has returned to its value. NaN is before the first bar. */
  show(sinceMs: number): void {
    this.value = this.cell.value;
    this.sinceMs = Number.isNaN(sinceMs) ? null : sinceMs;
  }
}

/** A decision to do nothing, which stays the same until one of these changes. */
export interface RuleRest {
  readonly position: number;
  /** True if the position was enough for an order. */
  readonly isHeld: boolean;
  /** Condition that was not true; null if none is awaited. */
  readonly awaits: ConditionNode | null;
}

/** Values of the nodes that are computed at the bars of one data. */
export class RulePart implements Indicator {
  readonly first = 1;
  readonly settledAfter: number;
  readonly hasValue = true;
  readonly number = Number.NaN;
  readonly added = 1;
  readonly plan: RulePlan;
  /** Last decision, if nothing was done at it. */
  rest: RuleRest | null = null;
  private readonly data: string;
  private readonly peers: Peers;
  private readonly cells = new Map<RuleNode, Cell>();
  private readonly watched = new Map<RuleNode, Watched>();
  /** All of `watched`, which each bar goes through. */
  private readonly watchedList: Watched[] = [];
  /** Cells in the order of the plan; null until the first bar, when all other parts exist. */
  private steps: readonly Cell[] | null = null;
  /** Cells that need facts of a moment; null until the first decision. */
  private moment: readonly Cell[] | null = null;
  private facts = NO_FACTS;
  last: ClosedCandle | null = null;
  /** Stored values of `steps` and times of their conditions, slot by slot; null until the first. */
  private stored: Float64Array | null = null;
  /** Number of values in a slot. */
  private width = 0;

  constructor({ plan, data }: RuleSpec, peers: Peers) {
    this.plan = plan;
    this.data = data;
    this.peers = peers;
    this.settledAfter = plan.settledAfter.get(data) ?? 1;
  }

  /** The part itself: the handler of rules reads its nodes. */
  get value(): this {
    return this;
  }

  add(candle: Candle): void {
    // Indicators of strategies are fed with closed candles only.
    this.last = candle as ClosedCandle;
    this.step(this.ownCells(), this.last);
  }

  store(slot: number): void {
    const cells = this.ownCells();
    const { width, watchedList } = this;
    this.stored ??= new Float64Array(width * (MOST_AHEAD + 1));
    let at = width * slot;
    for (const { value } of cells) this.stored[at++] = value;
    for (let place = 0; place < width - cells.length; place += 1)
      this.stored[at++] = watchedList[place]?.sinceMs ?? Number.NaN;
  }

  show(slot: number, last: ClosedCandle | null): void {
    const cells = this.ownCells();
    const { stored, width, watchedList } = this;
    this.last = last;
    let at = width * slot;
    for (const cell of cells) cell.value = stored?.[at++] ?? Number.NaN;
    for (let place = 0; place < width - cells.length; place += 1)
      watchedList[place]?.show(stored?.[at++] ?? Number.NaN);
  }

  /** Returns the first slot from `from` on at which a stored condition is true; `to` if there is none. */
  firstTrue(condition: ConditionNode, from: number, to: number): number {
    const { stored, width } = this;
    const place = this.ownCells().findIndex((cell) => cell === this.cells.get(condition));
    // A node of another part has its value of now at all of these bars.
    if (place === -1 || stored === null) return this.read(condition) === 1 ? from : to;
    for (let slot = from; slot < to; slot += 1) if (stored[width * slot + place] === 1) return slot;
    return to;
  }

  private ownCells(): readonly Cell[] {
    if (this.steps === null) {
      this.steps = this.cellsAt(this.data);
      this.width = this.steps.length + this.watchedList.length;
    }
    return this.steps;
  }

  /** Computes the nodes that need facts of a moment, at the last bar. */
  decide(facts: MomentFacts): void {
    if (this.last === null) return;
    this.facts = facts;
    this.moment ??= this.cellsAt(MOMENT);
    this.step(this.moment, this.last);
  }

  /** Returns the value of a node at the last bar of its data. */
  read(node: RuleNode): number {
    const own = this.cells.get(node);
    if (own !== undefined) return own.value;
    if (node.kind === 'number') return node.value;
    return this.partOf(node)?.read(node) ?? Number.NaN;
  }

  /** Returns the cell of a node, whose value changes with each bar; null if another part computes it. */
  cellAt(node: RuleNode): { readonly value: number } | null {
    return this.cells.get(node) ?? null;
  }

  /** Returns the close of the bar since which a condition is what it is now; null if it is not known. */
  sinceMs(node: RuleNode): number | null {
    return (this.watched.get(node) ?? this.partOf(node)?.watched.get(node))?.sinceMs ?? null;
  }

  /** Returns the condition that made another one true: of its parts, the one that became true last. */
  lastTrue(node: ConditionNode): ConditionNode {
    if (node.kind !== 'all' && node.kind !== 'any') return node;
    const made = node.of.filter((one) => this.read(one) === 1).map((one) => this.lastTrue(one));
    return made.reduce(
      (last, one) => ((this.sinceMs(one) ?? 0) > (this.sinceMs(last) ?? 0) ? one : last),
      made[0] ?? node,
    );
  }

  private step(cells: readonly Cell[], candle: ClosedCandle): void {
    for (const cell of cells) cell.step(candle);
    for (const watched of this.watchedList) watched.update(candle);
  }

  /** Returns the part that computes a node; null for this one. */
  private partOf(node: RuleNode): RulePart | null {
    const placed = this.plan.nodes.find((one) => one.node === node);
    const part = placed === undefined ? undefined : this.peers(partName(placed.data));
    return part instanceof RulePart && part !== this ? part : null;
  }

  /** Makes the cells of the nodes at a place, in the order in which they are computed. */
  private cellsAt(place: string): readonly Cell[] {
    const cells: Cell[] = [];
    for (const { node, data } of this.plan.nodes) {
      if (data !== place) continue;
      for (const input of inputsOf(node)) {
        if (this.cells.has(input)) continue;
        const cell = this.foreignCell(input);
        this.cells.set(input, cell);
        cells.push(cell);
      }
      const cell = this.cellOf(node);
      this.cells.set(node, cell);
      cells.push(cell);
      if (node.kind !== 'compare' && node.kind !== 'not') continue;
      const watched = new Watched(cell);
      this.watched.set(node, watched);
      this.watchedList.push(watched);
    }
    return cells;
  }

  /** Returns a cell for an input that is not computed here: a number, or a node of another part. */
  private foreignCell(node: RuleNode): Cell {
    if (node.kind === 'number') return numberCell(node.value);
    let part: RulePart | null = null;
    return new Cell(() => (part ??= this.partOf(node))?.read(node) ?? Number.NaN);
  }

  private input(node: RuleNode): Cell {
    return present(this.cells.get(node), () => `the cell of a node of kind ${node.kind}`);
  }

  private cellOf(node: RuleNode): Cell {
    switch (node.kind) {
      case 'number':
        return numberCell(node.value);
      case 'bar': {
        const { field } = node;
        return new Cell(field === 'close' ? closeNumber : (candle) => ohlcvOf(candle)[field]);
      }
      case 'indicator':
        return indicatorCell(
          present(this.peers(node.name), () => `the indicator ${node.name}`),
          node.field,
        );
      case 'clock':
        return new Cell(({ closeTimeMs }) => clockValue(node, closeTimeMs));
      case 'moment':
        return new Cell(() => this.facts[node.fact]);
      case 'arithmetic': {
        const [left, right, does] = [this.input(node.left), this.input(node.right), ARITHMETIC[node.does]];
        return new Cell(() => {
          const value = does(left.value, right.value);
          return Number.isFinite(value) ? value : Number.NaN;
        });
      }
      case 'compare':
        return compareCell(node.does, this.input(node.left), this.input(node.right));
      case 'window':
        return node.does === 'before'
          ? beforeCell(this.input(node.of), node.bars)
          : extremeCell(this.input(node.of), node.bars, node.does === 'highest' ? 1 : -1);
      case 'since':
        return sinceCell(this.input(node.of), node.bars);
      case 'all':
      case 'any':
        return joinCell(
          node.kind,
          node.of.map((one) => this.input(one)),
        );
      case 'not': {
        const of = this.input(node.of);
        return new Cell(() => 1 - of.value);
      }
    }
  }
}

function numberCell(value: number): Cell {
  const cell = new Cell(() => value);
  cell.value = value;
  return cell;
}

function indicatorCell(indicator: Indicator, field: string | null): Cell {
  if (field === null) return new Cell(() => indicator.number);
  return new Cell(() => {
    const { value } = indicator;
    const part: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, field) : null;
    return typeof part === 'number' ? part : Number.NaN;
  });
}

function clockValue({ unit, zone }: Extract<ValueNode, { kind: 'clock' }>, atMs: number): number {
  const localMs = atMs + zoneOffsetMs(zone, atMs);
  // The day 0 was a Thursday.
  return unit === 'hour' ? Math.floor(localMs / HOUR_MS) % 24 : ((Math.floor(localMs / DAY_MS) + 3) % 7) + 1;
}

const ARITHMETIC: Readonly<Record<Arithmetic, (left: number, right: number) => number>> = {
  plus: (left, right) => left + right,
  minus: (left, right) => left - right,
  times: (left, right) => left * right,
  over: (left, right) => left / right,
  atLeast: Math.max,
  atMost: Math.min,
};

/** True (1) or false (0) by the order of two numbers; NaN if one of them is unknown. */
const isAbove = (left: number, right: number): number => (left > right ? 1 : left <= right ? 0 : Number.NaN);

function compareCell(does: Comparison, left: Cell, right: Cell): Cell {
  if (does === 'isAbove') return new Cell(() => isAbove(left.value, right.value));
  if (does === 'isBelow') return new Cell(() => isAbove(right.value, left.value));
  const sign = does === 'crossesAbove' ? 1 : -1;
  /** Left minus right one bar before, times the sign; NaN if unknown. */
  let before = Number.NaN;
  return new Cell(() => {
    const now = (left.value - right.value) * sign;
    const isKnown = !Number.isNaN(before) && !Number.isNaN(now);
    const value = isKnown ? Number(before <= 0 && now > 0) : Number.NaN;
    before = now;
    return value;
  });
}

function beforeCell(of: Cell, bars: number): Cell {
  const ring = new Float64Array(bars).fill(Number.NaN);
  let next = 0;
  return new Cell(() => {
    const value = ring[next] ?? Number.NaN;
    ring[next] = of.value;
    next = next + 1 === bars ? 0 : next + 1;
    return value;
  });
}

/** Greatest (`sign` 1) or least (-1) of the last values; unknown while one of them is. */
function extremeCell(of: Cell, bars: number, sign: number): Cell {
  const ring = new Float64Array(bars);
  let next = 0;
  /** Values since the last unknown one. */
  let known = 0;
  /** The greatest of them times the sign, and the bars since it. */
  let best = Number.NEGATIVE_INFINITY;
  let age = 0;
  /** Finds the greatest value anew, after the last one has left the window. */
  const search = (): void => {
    best = Number.NEGATIVE_INFINITY;
    for (let back = bars - 1; back >= 0; back -= 1) {
      const value = ring[(next + bars - 1 - back) % bars] ?? Number.NaN;
      if (value >= best) [best, age] = [value, back];
    }
  };
  return new Cell(() => {
    const value = of.value * sign;
    ring[next] = value;
    next = next + 1 === bars ? 0 : next + 1;
    if (Number.isNaN(value)) {
      [known, best] = [0, Number.NEGATIVE_INFINITY];
      return Number.NaN;
    }
    known += 1;
    age += 1;
    if (value >= best) [best, age] = [value, 0];
    else if (age >= bars) search();
    return known < bars ? Number.NaN : best * sign;
  });
}

function sinceCell(of: Cell, most: number): Cell {
  let bars = Number.NaN;
  return new Cell(() => {
    // An unknown bar could have been one at which it was true.
    if (Number.isNaN(of.value)) bars = Number.NaN;
    else bars = of.value === 1 ? 0 : bars + 1;
    return bars <= most ? bars : Number.NaN;
  });
}

function joinCell(kind: 'all' | 'any', of: readonly Cell[]): Cell {
  /** Value of a part that decides alone: 0 for `all`, 1 for `any`. */
  const decisive = kind === 'all' ? 0 : 1;
  return new Cell(() => {
    let value = 1 - decisive;
    for (const { value: one } of of) {
      if (one === decisive) return decisive;
      if (Number.isNaN(one)) value = one;
    }
    return value;
  });
}
