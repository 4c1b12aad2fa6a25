/** Elements of a page, and its buttons. */

/**
 * An element that the page has.
 * @template {HTMLElement} Kind
 * @param {string} id
 * @returns {Kind}
 */
export function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`expected an element "${id}"`);
  return /** @type {Kind} */ (found);
}

/**
 * A button that is pressed or not, and what it changes.
 * @param {HTMLElement} button
 * @param {boolean} isPressed
 * @param {(isPressed: boolean) => void} changed
 */
export function toggle(button, isPressed, changed) {
  let state = isPressed;
  const show = () => {
    button.setAttribute('aria-pressed', String(state));
    changed(state);
  };
  button.addEventListener('click', () => {
    state = !state;
    show();
  });
  show();
}
