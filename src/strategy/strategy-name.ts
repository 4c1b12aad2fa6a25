/** So that instance, strategy, epoch and row fit into the 32 characters of a clientOrderId. */
const LONGEST_NAME = 12;

/** True if a text can be the name of a strategy. The name becomes part of the id of each of its orders. */
export function isStrategyName(name: unknown): name is string {
  return typeof name === 'string' && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= LONGEST_NAME;
}

/** Returns the message for an invalid name. */
export function strategyNameProblem(name: unknown): string {
  return `expected a strategy name of at most twelve lower-case letters, digits and hyphens, was ${JSON.stringify(name)}`;
}
