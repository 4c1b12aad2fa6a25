import { signal } from '@preact/signals';
import type { ComponentChildren, TargetedPointerEvent } from 'preact';
import { withoutDirectionMarks } from '../../language/isolate.ts';
import { distinctTexts } from '../../language/format-number.ts';
import { pictureText, foreignText } from '../report-words.ts';
import type { FigureKind, ReportParameter } from '../study-data.ts';
import { figureText, percentTick, shortNumber } from './study-page.ts';

/** Position within a picture, in pixels. */
export interface Spot {
  readonly left: number;
  readonly top: number;
}

interface PictureProps {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly name?: string;
  /** Returns the lines of text for a position under the pointer. */
  readonly linesAt: (spot: Spot) => readonly string[];
  readonly onChoose?: (spot: Spot) => void;
  readonly children: ComponentChildren;
}

/** Shows a picture with a text for what is under the pointer. The style sheet sets colours and widths. */
export function Picture({ title, width, height, name = '', linesAt, onChoose, children }: PictureProps) {
  const show = (event: TargetedPointerEvent<SVGSVGElement>): void => {
    tip.value = { left: event.clientX, top: event.clientY, lines: linesAt(spotOf(event)) };
  };
  return (
    <svg
      class={`plot ${name}`}
      width={width}
      height={height}
      role="img"
      aria-label={title}
      onPointerMove={show}
      onPointerDown={show}
      onPointerLeave={() => (tip.value = NO_TIP)}
      onClick={(event) => onChoose?.(spotOf(event))}
    >
      {children}
    </svg>
  );
}

function spotOf(event: MouseEvent & { readonly currentTarget: Element }): Spot {
  const { left, top } = event.currentTarget.getBoundingClientRect();
  return { left: event.clientX - left, top: event.clientY - top };
}

const NO_TIP = { left: 0, top: 0, lines: [] as readonly string[] };
const tip = signal(NO_TIP);

/** Shows lines of text beside the pointer or finger. */
export function Tip() {
  const { left, top, lines } = tip.value;
  const place = (box: HTMLElement | null): void => {
    if (box === null || lines.length === 0) return;
    const { offsetWidth, offsetHeight, style } = box;
    const isBefore = left + 14 + offsetWidth > innerWidth;
    style.left = `${Math.max(4, isBefore ? left - 14 - offsetWidth : left + 14)}px`;
    style.top = `${Math.max(4, Math.min(top + 14, innerHeight - offsetHeight - 4))}px`;
  };
  return (
    <div id="tip" hidden={lines.length === 0} ref={place}>
      {lines.join('\n')}
    </div>
  );
}

/** Maximum distance from a finger or pointer to what it points at, in pixels. */
const REACH = 24;

/** Returns the nearest thing to a position; null if none is within reach. */
export function nearest<Thing extends Spot>(things: readonly Thing[], { left, top }: Spot): Thing | null {
  let found: Thing | null = null;
  let least = REACH ** 2;
  for (const thing of things) {
    const distance = (thing.left - left) ** 2 + (thing.top - top) ** 2;
    if (distance > least) continue;
    least = distance;
    found = thing;
  }
  return found;
}

/** Returns dots as one path: strokes of length 0, which round line ends show as dots. */
const dotsPath = (dots: readonly Spot[]): string =>
  dots.map(({ left, top }) => `M${left.toFixed(1)} ${top.toFixed(1)}h0`).join('');

export const linePath = (points: readonly Spot[]): string =>
  points
    .map(({ left, top }, index) => `${index === 0 ? 'M' : 'L'}${left.toFixed(1)} ${top.toFixed(1)}`)
    .join('');

/** Distance in pixels that keeps dots off the texts of the vertical axis. */
const INSET = 9;
/** Height of the note above the vertical axis, in pixels. */
const NOTE_HEIGHT = 14;
const EDGE = { left: 62, right: 22, top: 10, bottom: 40 };

interface FrameOptions {
  readonly width: number;
  readonly height: number;
  readonly x: PictureAxis;
  readonly y: PictureAxis;
  /** Note above the vertical axis. */
  readonly note?: string;
}

export type Frame = ReturnType<typeof frameOf>;

/** Returns functions that place values of two axes in a picture. */
export function frameOf({ width, height, x, y, note = '' }: FrameOptions) {
  const ceiling = EDGE.top + (note === '' ? 0 : NOTE_HEIGHT);
  const [left, right, floor] = [EDGE.left, width - EDGE.right, height - EDGE.bottom];
  const [begin, extent] = [left + INSET, right - left - 2 * INSET];
  return {
    height,
    x,
    y,
    note,
    ceiling,
    left,
    right,
    floor,
    leftOf: (value: number): number => begin + x.place(value) * extent,
    topOf: (value: number): number => floor - y.place(value) * (floor - ceiling),
    /** Returns the share of the horizontal axis at a position in pixels, 0 to 1. */
    shareAt: (at: number): number => (at - begin) / extent,
  };
}

export function Axes({ frame }: { readonly frame: Frame }) {
  const { height, x, y, note, ceiling, left, right, floor, leftOf, topOf } = frame;
  return (
    <>
      {y.ticks.map(({ at, text }) => (
        <>
          <line class="grid" x1={left} x2={right} y1={topOf(at)} y2={topOf(at)} />
          <text x={left - 6} y={topOf(at) + 4} text-anchor="end">
            {text}
          </text>
        </>
      ))}
      {spaced(x.ticks, leftOf).map(({ at, text }) => (
        <>
          <line class="grid" x1={leftOf(at)} x2={leftOf(at)} y1={ceiling} y2={floor} />
          <text x={leftOf(at)} y={floor + 15} text-anchor="middle">
            {text}
          </text>
        </>
      ))}
      <line class="floor" x1={left} x2={right} y1={floor} y2={floor} />
      <text class="axis-title" x={(left + right) / 2} y={height - 6} text-anchor="middle">
        {pictureText(x.title)}
      </text>
      {note !== '' && (
        <text class="axis-title" x={4} y={13}>
          {pictureText(note)}
        </text>
      )}
    </>
  );
}

/** Returns the number of characters that take up space. */
export const letterCount = (text: string): number => withoutDirectionMarks(text).length;

/** Returns the ticks whose labels do not overlap. */
function spaced(ticks: PictureAxis['ticks'], leftOf: (value: number) => number): PictureAxis['ticks'] {
  let end = -Infinity;
  return ticks.filter(({ at, text }) => {
    const half = letterCount(text) * 3.4;
    const left = leftOf(at);
    if (left - half < end) return false;
    end = left + half + 4;
    return true;
  });
}

/** Kinds of dots, drawn in this order. `failed` has no value, and stands at the bottom. */
const DOT_KINDS = ['failed', 'broken', 'other', 'near', 'front', 'best', 'chosen'] as const;

export type DotKind = (typeof DOT_KINDS)[number];

/** Dot in a picture with two axes. */
export interface Dot {
  readonly x: number;
  readonly y: number;
  readonly kind: DotKind;
  readonly key: number;
  readonly lines: () => readonly string[];
}

interface DotPictureProps extends FrameOptions {
  readonly title: string;
  readonly dots: readonly Dot[];
  /** Range of the horizontal axis to highlight. */
  readonly band?: readonly [from: number, to: number] | null;
  readonly levels?: readonly { readonly at: number; readonly text: string }[];
  readonly line?: readonly { readonly x: number; readonly y: number }[];
  readonly labels?: readonly { readonly x: number; readonly y: number; readonly text: string }[];
  readonly onChoose?: (key: number) => void;
}

/** Draws dots, with texts under the pointer. A click on a dot chooses it. */
export function DotPicture(props: DotPictureProps) {
  const { title, dots, band = null, levels = [], line = [], labels = [], onChoose } = props;
  const frame = frameOf(props);
  const { leftOf, topOf, floor, ceiling, right, left } = frame;
  const placed = dots.map((dot) => ({
    dot,
    left: leftOf(dot.x),
    top: dot.kind === 'failed' ? floor - 4 : topOf(dot.y),
  }));
  const choose = (spot: Spot): void => {
    const found = nearest(placed, spot);
    if (found !== null) onChoose?.(found.dot.key);
  };
  return (
    <Picture
      title={title}
      width={props.width}
      height={props.height}
      linesAt={(spot) => nearest(placed, spot)?.dot.lines() ?? []}
      onChoose={choose}
    >
      <Axes frame={frame} />
      {band !== null && (
        <rect
          class="plateau"
          x={leftOf(band[0])}
          y={ceiling}
          width={Math.max(2, leftOf(band[1]) - leftOf(band[0]))}
          height={floor - ceiling}
        />
      )}
      {levels.map(({ at, text }) => (
        <>
          <line class="level" x1={left} x2={right} y1={topOf(at)} y2={topOf(at)} />
          <text class="level-text" x={right} y={topOf(at) - 4} text-anchor="end">
            {pictureText(text)}
          </text>
        </>
      ))}
      {line.length > 0 && (
        <path class="guide" d={linePath(line.map(({ x, y }) => ({ left: leftOf(x), top: topOf(y) })))} />
      )}
      {DOT_KINDS.map((kind) => {
        const own = placed.filter(({ dot }) => dot.kind === kind);
        return own.length === 0 ? null : (
          <path class={`dots dots-${kind}`} data-count={own.length} d={dotsPath(own)} />
        );
      })}
      {labels.map(({ x, y, text }) => (
        <text class="dot-label" x={leftOf(x) + 7} y={topOf(y) - 6}>
          {text}
        </text>
      ))}
    </Picture>
  );
}

export interface PictureAxis {
  readonly title: string;
  /** Returns the share of the axis below a value, 0 to 1. */
  readonly place: (value: number) => number;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
}

const TICKS = 6;

/** Returns the axis of a param over its whole range. */
export function rangeAxis({ name, isChoice, cells, isLog, min, max }: ReportParameter): PictureAxis {
  const title = foreignText(name);
  if (!isChoice) return scaleOf({ title, low: min, high: max, isLog, text: shortNumber });
  return {
    title,
    place: (value) => (value + 0.5) / cells.length,
    ticks: cells.map((text, at) => ({ at, text: foreignText(text) })),
  };
}

/** Returns the axis of a metric over the range of its values. */
export function figureAxis(
  { title, kind }: { readonly title: string; readonly kind: FigureKind },
  values: Iterable<number | null | undefined>,
): PictureAxis {
  let { low, high } = extentOf(values);
  if (low > high) [low, high] = [0, 1];
  const margin = (high - low) * 0.04 || Math.abs(high) * 0.1 || 1;
  return scaleOf({
    title,
    low: low - margin,
    high: high + margin,
    isLog: false,
    text: (value) => (kind === 'fraction' ? percentTick(100 * value) : figureText(value, kind)),
  });
}

/** Returns the lowest and the highest value; without values the lowest is above the highest. */
export function extentOf(values: Iterable<number | null | undefined>): {
  readonly low: number;
  readonly high: number;
} {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value === null || value === undefined) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return { low, high };
}

function scaleOf(of: {
  readonly title: string;
  readonly low: number;
  readonly high: number;
  readonly isLog: boolean;
  readonly text: (value: number, digitsMore: number) => string;
}): PictureAxis {
  const { title, low, high, isLog, text } = of;
  const onLine = (value: number): number => (isLog ? Math.log(value) : value);
  const [from, to] = [onLine(low), onLine(high)];
  const ticks = isLog ? logTicks(low, high) : evenTicks(low, high);
  const texts = distinctTexts(ticks, text);
  return {
    title,
    place: (value) => (to === from ? 0.5 : (onLine(value) - from) / (to - from)),
    ticks: ticks.map((at, index) => ({ at, text: texts[index] ?? '' })),
  };
}

/** Returns about six round numbers within a range. */
function evenTicks(low: number, high: number): readonly number[] {
  const raw = (high - low) / TICKS;
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
  const decimals = Math.max(0, -Math.floor(Math.log10(step)));
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toFixed(decimals)));
}

/** Returns powers of ten; in a short range also 3 times, or 2 and 5 times, as much. */
function logTicks(low: number, high: number): readonly number[] {
  const powers = Math.log10(high / low);
  const factors = powers > 4 ? [1] : powers > 1.5 ? [1, 3] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power += 1)
    for (const factor of factors) ticks.push(Number((factor * 10 ** power).toPrecision(3)));
  return ticks.filter((at) => at >= low && at <= high);
}
