/** The data that a page carries. */

/**
 * Unpacks the JSON in an element of the page. Rejects where the browser can not.
 * @param {string} id
 * @returns {Promise<any>}
 */
export async function packedData(id) {
  const text = document.getElementById(id)?.textContent ?? '';
  const bytes = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}

/**
 * Numbers from their distances.
 * @param {readonly number[]} distances
 */
export function summed(distances) {
  let sum = 0;
  return distances.map((distance) => (sum += distance));
}

/**
 * The numbers of a column: see `NumberColumn`.
 * @param {{ readonly decimals: number, readonly steps: readonly number[] }} column
 */
export function numbersOf({ decimals, steps }) {
  const scale = 10 ** decimals;
  return summed(steps).map((value) => value / scale);
}
