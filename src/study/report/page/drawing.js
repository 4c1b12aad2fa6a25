/** Elements of a picture. */

/**
 * An element of SVG; colours and widths come from the style sheet, so that a theme changes them.
 * @param {string} name
 * @param {Readonly<Record<string, string | number>>} [attributes]
 * @param {readonly (Node | string)[]} [children]
 */
export function drawn(name, attributes = {}, children = []) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/**
 * Dots as one path: strokes without length, which round ends make dots.
 * @param {readonly { readonly left: number, readonly top: number }[]} dots
 */
export function dotsPath(dots) {
  return dots.map(({ left, top }) => `M${left.toFixed(1)} ${top.toFixed(1)}h0`).join('');
}

/**
 * A line through points.
 * @param {readonly { readonly left: number, readonly top: number }[]} points
 */
export function linePath(points) {
  return points
    .map(({ left, top }, index) => `${index === 0 ? 'M' : 'L'}${left.toFixed(1)} ${top.toFixed(1)}`)
    .join('');
}

/**
 * Calls back with the width of an element, at once and whenever it changes.
 * @param {HTMLElement} element
 * @param {(width: number) => void} draw
 */
export function onWidth(element, draw) {
  let before = -1;
  const check = () => {
    const width = element.clientWidth;
    if (width === before || width === 0) return;
    before = width;
    draw(width);
  };
  new ResizeObserver(check).observe(element);
  check();
}
