import { dotsPath, drawn, linePath } from './drawing.js';
import { pictureText, plainText } from './study-words.js';
import { nearest, tipOver } from './tip.js';

/** Things as dots between two axes. */

/**
 * @typedef {'other' | 'broken' | 'near' | 'front' | 'best' | 'chosen' | 'failed'} DotKind the later ones lie above; `failed`
 *   has no height, and stands on the floor
 * @typedef {{ readonly x: number, readonly y: number, readonly kind: DotKind, readonly key: number,
 *   readonly lines: () => readonly string[] }} Dot
 * @typedef {{ readonly title: string, readonly width: number, readonly height: number, readonly x: import('./axis.js').Axis,
 *   readonly y: import('./axis.js').Axis, readonly note?: string, readonly dots: readonly Dot[],
 *   readonly band?: readonly [from: number, to: number] | null,
 *   readonly levels?: readonly { readonly at: number, readonly text: string }[],
 *   readonly line?: readonly { readonly x: number, readonly y: number }[],
 *   readonly labels?: readonly { readonly x: number, readonly y: number, readonly text: string }[],
 *   readonly choose?: (key: number) => void }} DotPicture
 */

/** @type {readonly DotKind[]} */
const ORDER = ['failed', 'broken', 'other', 'near', 'front', 'best', 'chosen'];

/** So that no dot lies on the texts of the upright axis. */
const INSET = 9;

/** Of the words over the upright axis. */
const NOTE_HEIGHT = 14;

const EDGE = { left: 62, right: 22, top: 10, bottom: 40 };

/**
 * The frame of a picture: its axes, and where values are in it.
 * @param {Pick<DotPicture, 'title' | 'width' | 'height' | 'x' | 'y' | 'note'>} of
 */
export function pictureFrame({ title, width, height, x, y, note = '' }) {
  const ceiling = EDGE.top + (note === '' ? 0 : NOTE_HEIGHT);
  const [right, floor] = [width - EDGE.right, height - EDGE.bottom];
  const [begin, extent] = [EDGE.left + INSET, right - EDGE.left - 2 * INSET];
  /** @param {number} value */
  const leftOf = (value) => begin + x.place(value) * extent;
  /** How far along its axis a place of the picture is: 0 to 1. @param {number} left */
  const shareAt = (left) => (left - begin) / extent;
  /** @param {number} value */
  const topOf = (value) => floor - y.place(value) * (floor - ceiling);
  const svg = drawn('svg', { class: 'plot', width, height, role: 'img', 'aria-label': title });
  for (const { at, text } of y.ticks) {
    const top = topOf(at);
    svg.append(
      drawn('line', { class: 'grid', x1: EDGE.left, x2: right, y1: top, y2: top }),
      drawn('text', { x: EDGE.left - 6, y: top + 4, 'text-anchor': 'end' }, [text]),
    );
  }
  for (const { at, text } of spaced(x.ticks, leftOf)) {
    const left = leftOf(at);
    svg.append(
      drawn('line', { class: 'grid', x1: left, x2: left, y1: ceiling, y2: floor }),
      drawn('text', { x: left, y: floor + 15, 'text-anchor': 'middle' }, [text]),
    );
  }
  svg.append(
    drawn('line', { class: 'floor', x1: EDGE.left, x2: right, y1: floor, y2: floor }),
    drawn(
      'text',
      { class: 'axis-title', x: (EDGE.left + right) / 2, y: height - 6, 'text-anchor': 'middle' },
      [pictureText(x.title)],
    ),
  );
  if (note !== '') svg.append(drawn('text', { class: 'axis-title', x: 4, y: 13 }, [pictureText(note)]));
  return { svg, leftOf, topOf, shareAt, floor, ceiling, right, left: EDGE.left };
}

/**
 * Those marks whose texts do not run into one another.
 * @param {import('./axis.js').Axis['ticks']} ticks
 * @param {(value: number) => number} leftOf
 */
function spaced(ticks, leftOf) {
  let end = -Infinity;
  return ticks.filter(({ at, text }) => {
    const half = plainText(text).length * 3.4;
    const left = leftOf(at);
    if (left - half < end) return false;
    end = left + half + 4;
    return true;
  });
}

/**
 * Draws dots, with what is said of them under the pointer. A click on one chooses it.
 * @param {DotPicture} of
 */
export function dotPicture(of) {
  const { dots, band = null, levels = [], line = [], labels = [], choose } = of;
  const { svg, leftOf, topOf, floor, ceiling, right, left } = pictureFrame(of);
  if (band !== null) {
    const [from, to] = [leftOf(band[0]), leftOf(band[1])];
    svg.append(
      drawn('rect', {
        class: 'plateau',
        x: from,
        y: ceiling,
        width: Math.max(2, to - from),
        height: floor - ceiling,
      }),
    );
  }
  for (const { at, text } of levels) {
    const top = topOf(at);
    svg.append(
      drawn('line', { class: 'level', x1: left, x2: right, y1: top, y2: top }),
      drawn('text', { class: 'level-text', x: right, y: top - 4, 'text-anchor': 'end' }, [pictureText(text)]),
    );
  }
  if (line.length > 0) {
    const points = line.map(({ x, y }) => ({ left: leftOf(x), top: topOf(y) }));
    svg.append(drawn('path', { class: 'guide', d: linePath(points) }));
  }
  const placed = dots.map((dot) => ({
    dot,
    left: leftOf(dot.x),
    top: dot.kind === 'failed' ? floor - 4 : topOf(dot.y),
  }));
  for (const kind of ORDER) {
    const own = placed.filter(({ dot }) => dot.kind === kind);
    if (own.length === 0) continue;
    svg.append(drawn('path', { class: `dots dots-${kind}`, 'data-count': own.length, d: dotsPath(own) }));
  }
  for (const { x, y, text } of labels)
    svg.append(drawn('text', { class: 'dot-label', x: leftOf(x) + 7, y: topOf(y) - 6 }, [text]));
  tipOver(svg, (atLeft, atTop) => nearest(placed, atLeft, atTop)?.dot.lines() ?? []);
  if (choose !== undefined) {
    svg.addEventListener('click', (event) => {
      if (!(event instanceof MouseEvent)) return;
      const box = svg.getBoundingClientRect();
      const found = nearest(placed, event.clientX - box.left, event.clientY - box.top);
      if (found !== null) choose(found.dot.key);
    });
  }
  return svg;
}
