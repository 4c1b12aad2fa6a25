/**
 * A whole number of the environment, such as how often something is done; `otherwise` where it is not set.
 * Throws for anything else.
 */
export function numberOf(name: string, otherwise: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return otherwise;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new RangeError(`expected a whole number for ${name}, was "${text}"`);
}
