/** Error message of a context that is used after its call has ended. */
export const LATE = 'expected ctx to be used during its call only, it was asked later';

/**
 * Uses every member of an object that a handler kept, and of the objects in it. Returns, by path, the message
 * of the error that it throws, or `shown` if it throws none.
 */
export function usesOf(owner: object, place = ''): Record<string, string> {
  return Object.assign(
    {},
    ...namesOf(owner).map((name): Record<string, string> => {
      const at = place === '' ? name : `${place}.${name}`;
      try {
        const value: unknown = Reflect.get(owner, name);
        if (typeof value === 'function') Reflect.apply(value, owner, []);
        else if (typeof value === 'object' && value !== null) return usesOf(value, at);
        return { [at]: 'shown' };
      } catch (error) {
        return { [at]: error instanceof Error ? error.message : String(error) };
      }
    }),
  ) as Record<string, string>;
}

/** Names of the object's own fields, and of the members of its classes. */
function namesOf(owner: object): readonly string[] {
  const names = new Set<string>();
  for (let of: object | null = owner; of !== null && of !== Object.prototype; of = Object.getPrototypeOf(of))
    for (const name of Object.getOwnPropertyNames(of)) names.add(name);
  names.delete('constructor');
  return [...names];
}
