/** Reads a whole number from an environment variable; `otherwise` if it is not set. */
export function numberOf(name: string, otherwise: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return otherwise;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new RangeError(`expected a whole number for ${name}, was "${text}"`);
}
