/** Windows are longer by so much: two clocks have to agree, and each may be stepped unseen by a little. */
const DRIFT_PARTS = 500;
export const STEP_MS = 100;

/** Returns how much longer a window is here than it is. */
export function longerMs(windowMs: number): number {
  return STEP_MS + Math.ceil(windowMs / DRIFT_PARTS);
}
