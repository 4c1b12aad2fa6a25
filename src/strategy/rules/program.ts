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
abstract class Cell {
  value = Number.NaN;
  /** Computes the value of a bar, once the cells of its inputs have theirs. */
  abstract step(candle: ClosedCandle): void;
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

  update(atMs: number): void {
    const { value } = this.cell;
    if (this.sinceMs !== null && Object.is(value, this.value)) return;
    this.value = value;
    this.sinceMs = atMs;
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
    for (const watched of this.watchedList) watched.update(candle.closeTimeMs);
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
    return node.kind === 'number' ? new NumberCell(node.value) : new PeerCell(() => this.partOf(node), node);
  }

  private input(node: RuleNode): Cell {
    return present(this.cells.get(node), () => `the cell of a node of kind ${node.kind}`);
  }

  private cellOf(node: RuleNode): Cell {
    switch (node.kind) {
      case 'number':
        return new NumberCell(node.value);
      case 'bar':
        return node.field === 'close' ? new CloseCell() : new BarCell(node.field);
      case 'indicator':
        return new IndicatorCell(
          present(this.peers(node.name), () => `the indicator ${node.name}`),
          node.field,
        );
      case 'clock':
        return new ClockCell(node.unit, node.zone);
      case 'moment':
        return new FactCell(() => this.facts[node.fact]);
      case 'arithmetic':
        return new ArithmeticCell(ARITHMETIC[node.does], this.input(node.left), this.input(node.right));
      case 'compare':
        return node.does === 'isAbove' || node.does === 'isBelow'
          ? new CompareCell(node.does, this.input(node.left), this.input(node.right))
          : new CrossCell(node.does, this.input(node.left), this.input(node.right));
      case 'window':
        return node.does === 'before'
          ? new BeforeCell(this.input(node.of), node.bars)
          : new ExtremeCell(this.input(node.of), node.bars, node.does === 'highest' ? 1 : -1);
      case 'since':
        return new SinceCell(this.input(node.of), node.bars);
      case 'all':
      case 'any':
        return new JoinCell(
          node.kind,
          node.of.map((one) => this.input(one)),
        );
      case 'not':
        return new NotCell(this.input(node.of));
    }
  }
}

class NumberCell extends Cell {
  constructor(value: number) {
    super();
    this.value = value;
  }

  step(): void {
    // A number stays the same.
  }
}

class CloseCell extends Cell {
  step(candle: Candle): void {
    this.value = closeNumber(candle);
  }
}

class BarCell extends Cell {
  private readonly field: Extract<ValueNode, { kind: 'bar' }>['field'];

  constructor(field: BarCell['field']) {
    super();
    this.field = field;
  }

  step(candle: Candle): void {
    this.value = ohlcvOf(candle)[this.field];
  }
}

class IndicatorCell extends Cell {
  private readonly indicator: Indicator;
  private readonly field: string | null;

  constructor(indicator: Indicator, field: string | null) {
    super();
    this.indicator = indicator;
    this.field = field;
  }

  step(): void {
    const { value } = this.indicator;
    if (value === null) this.value = Number.NaN;
    else if (typeof value === 'number') this.value = value;
    else {
      const part: unknown = this.field === null ? null : Reflect.get(value, this.field);
      this.value = typeof part === 'number' ? part : Number.NaN;
    }
  }
}

/** Last value of a node that is computed at the bars of other data. */
class PeerCell extends Cell {
  private readonly find: () => RulePart | null;
  private readonly node: RuleNode;
  private part: RulePart | null = null;

  constructor(find: () => RulePart | null, node: RuleNode) {
    super();
    this.find = find;
    this.node = node;
  }

  step(): void {
    this.part ??= this.find();
    this.value = this.part?.read(this.node) ?? Number.NaN;
  }
}

class ClockCell extends Cell {
  private readonly unit: 'hour' | 'weekday';
  private readonly zone: string;

  constructor(unit: 'hour' | 'weekday', zone: string) {
    super();
    this.unit = unit;
    this.zone = zone;
  }

  step(candle: ClosedCandle): void {
    const { closeTimeMs } = candle;
    const localMs = closeTimeMs + zoneOffsetMs(this.zone, closeTimeMs);
    // The day 0 was a Thursday.
    this.value =
      this.unit === 'hour'
        ? Math.floor(localMs / HOUR_MS) % 24
        : ((Math.floor(localMs / DAY_MS) + 3) % 7) + 1;
  }
}

class FactCell extends Cell {
  private readonly fact: () => number;

  constructor(fact: () => number) {
    super();
    this.fact = fact;
  }

  step(): void {
    this.value = this.fact();
  }
}

const ARITHMETIC: Readonly<Record<Arithmetic, (left: number, right: number) => number>> = {
  plus: (left, right) => left + right,
  minus: (left, right) => left - right,
  times: (left, right) => left * right,
  over: (left, right) => left / right,
  atLeast: Math.max,
  atMost: Math.min,
};

/** A node that is computed from the values of two others. */
abstract class TwoSidedCell<Does> extends Cell {
  protected readonly does: Does;
  protected readonly left: Cell;
  protected readonly right: Cell;

  constructor(does: Does, left: Cell, right: Cell) {
    super();
    this.does = does;
    this.left = left;
    this.right = right;
  }
}

class ArithmeticCell extends TwoSidedCell<(left: number, right: number) => number> {
  step(): void {
    const value = this.does(this.left.value, this.right.value);
    this.value = Number.isFinite(value) ? value : Number.NaN;
  }
}

class CompareCell extends TwoSidedCell<Comparison> {
  step(): void {
    const [left, right] = [this.left.value, this.right.value];
    const isTrue = this.does === 'isAbove' ? left > right : left < right;
    this.value = Number.isNaN(left) || Number.isNaN(right) ? Number.NaN : Number(isTrue);
  }
}

class CrossCell extends TwoSidedCell<Comparison> {
  /** Left minus right one bar before; NaN if unknown. */
  private before = Number.NaN;

  step(): void {
    const { before } = this;
    const now = this.left.value - this.right.value;
    this.before = now;
    const isTrue = this.does === 'crossesAbove' ? before <= 0 && now > 0 : before >= 0 && now < 0;
    this.value = Number.isNaN(before) || Number.isNaN(now) ? Number.NaN : Number(isTrue);
  }
}

class BeforeCell extends Cell {
  private readonly of: Cell;
  private readonly ring: Float64Array;
  private next = 0;

  constructor(of: Cell, bars: number) {
    super();
    this.of = of;
    this.ring = new Float64Array(bars).fill(Number.NaN);
  }

  step(): void {
    const { ring, next } = this;
    this.value = ring[next] ?? Number.NaN;
    ring[next] = this.of.value;
    this.next = next + 1 === ring.length ? 0 : next + 1;
  }
}

/** Greatest (`sign` 1) or least (-1) of the last values; unknown while one of them is. */
class ExtremeCell extends Cell {
  private readonly of: Cell;
  private readonly sign: number;
  private readonly ring: Float64Array;
  private next = 0;
  /** Values since the last unknown one. */
  private known = 0;
  /** The greatest of them times the sign, and the bars since it. */
  private best = Number.NEGATIVE_INFINITY;
  private age = 0;

  constructor(of: Cell, bars: number, sign: number) {
    super();
    this.of = of;
    this.sign = sign;
    this.ring = new Float64Array(bars);
  }

  step(): void {
    const { ring, next } = this;
    const value = this.of.value * this.sign;
    ring[next] = value;
    this.next = next + 1 === ring.length ? 0 : next + 1;
    if (Number.isNaN(value)) {
      this.known = 0;
      this.best = Number.NEGATIVE_INFINITY;
      this.value = Number.NaN;
      return;
    }
    this.known += 1;
    this.age += 1;
    if (value >= this.best) [this.best, this.age] = [value, 0];
    else if (this.age >= ring.length) this.search();
    this.value = this.known < ring.length ? Number.NaN : this.best * this.sign;
  }

  /** Finds the greatest value anew, after the last one has left the window. */
  private search(): void {
    const { ring } = this;
    this.best = Number.NEGATIVE_INFINITY;
    for (let back = ring.length - 1; back >= 0; back -= 1) {
      const value = ring[(this.next + ring.length - 1 - back) % ring.length] ?? Number.NaN;
      if (value >= this.best) [this.best, this.age] = [value, back];
    }
  }
}

class SinceCell extends Cell {
  private readonly of: Cell;
  private readonly most: number;
  private bars = Number.NaN;

  constructor(of: Cell, most: number) {
    super();
    this.of = of;
    this.most = most;
  }

  step(): void {
    // An unknown bar could have been one at which it was true.
    if (Number.isNaN(this.of.value)) this.bars = Number.NaN;
    else this.bars = this.of.value === 1 ? 0 : this.bars + 1;
    this.value = this.bars <= this.most ? this.bars : Number.NaN;
  }
}

class JoinCell extends Cell {
  /** Value of a part that decides alone: 0 for `all`, 1 for `any`. */
  private readonly decisive: number;
  private readonly of: readonly Cell[];

  constructor(kind: 'all' | 'any', of: readonly Cell[]) {
    super();
    this.decisive = kind === 'all' ? 0 : 1;
    this.of = of;
  }

  step(): void {
    const { decisive } = this;
    let value = 1 - decisive;
    for (const { value: one } of this.of) {
      if (one === decisive) {
        this.value = decisive;
        return;
      }
      if (Number.isNaN(one)) value = one;
    }
    this.value = value;
  }
}

class NotCell extends Cell {
  private readonly of: Cell;

  constructor(of: Cell) {
    super();
    this.of = of;
  }

  step(): void {
    this.value = 1 - this.of.value;
  }
}
