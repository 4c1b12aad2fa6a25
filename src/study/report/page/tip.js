/** What is said of the thing under the pointer. */

/** Of a finger or a pointer, in pixels. */
const REACH = 24;

/** @type {HTMLElement | null} */
let box = null;

/**
 * Shows lines beside the pointer; none hides them.
 * @param {{ readonly clientX: number, readonly clientY: number }} at
 * @param {readonly string[]} lines
 */
export function showTip({ clientX, clientY }, lines) {
  if (box === null) {
    box = document.createElement('div');
    box.id = 'tip';
    document.body.append(box);
  }
  box.hidden = lines.length === 0;
  if (box.hidden) return;
  box.textContent = lines.join('\n');
  const { offsetWidth, offsetHeight } = box;
  const left = clientX + 14 + offsetWidth > innerWidth ? clientX - 14 - offsetWidth : clientX + 14;
  const top = Math.min(clientY + 14, innerHeight - offsetHeight - 4);
  box.style.left = `${Math.max(4, left)}px`;
  box.style.top = `${Math.max(4, top)}px`;
}

/**
 * Has a picture say what is under the pointer.
 * @param {Element} picture
 * @param {(left: number, top: number) => readonly string[]} linesAt by the place within the picture
 */
export function tipOver(picture, linesAt) {
  /** @param {Event} event */
  const show = (event) => {
    if (!(event instanceof PointerEvent)) return;
    const { left, top } = picture.getBoundingClientRect();
    showTip(event, linesAt(event.clientX - left, event.clientY - top));
  };
  picture.addEventListener('pointermove', show);
  picture.addEventListener('pointerdown', show);
  picture.addEventListener('pointerleave', (event) => {
    if (event instanceof PointerEvent) showTip(event, []);
  });
}

/**
 * The nearest of some things to a place, if one is near.
 * @template {{ readonly left: number, readonly top: number }} Thing
 * @param {readonly Thing[]} things
 * @param {number} left
 * @param {number} top
 * @returns {Thing | null}
 */
export function nearest(things, left, top) {
  /** @type {Thing | null} */
  let found = null;
  let least = REACH ** 2;
  for (const thing of things) {
    const distance = (thing.left - left) ** 2 + (thing.top - top) ** 2;
    if (distance > least) continue;
    least = distance;
    found = thing;
  }
  return found;
}
