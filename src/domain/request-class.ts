/**
 * Purposes of a request, the most urgent first: canceling an order, finding out what became of one, placing
 * the exit of a position, placing any other order, the state of our account, market data, and history that
 * nobody waits for.
 */
export const REQUEST_CLASSES = [
  'cancel',
  'resolve',
  'exit',
  'place',
  'account',
  'market',
  'backfill',
] as const;

export type RequestClass = (typeof REQUEST_CLASSES)[number];

/** 0 is the most urgent. */
export function urgencyOf(requestClass: RequestClass): number {
  return REQUEST_CLASSES.indexOf(requestClass);
}

/**
 * True if a class may use the reserve of a budget: orders must be canceled or found even when everything else
 * is used up.
 */
export function mayUseReserve(requestClass: RequestClass): boolean {
  return requestClass === 'cancel' || requestClass === 'resolve';
}
