/** The fields of something that nobody has checked yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** True if something can have fields; a list is one of those that can. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

const NONE: Fields = Object.freeze({});

/** The fields of whatever an author has given; none where it can have none. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : NONE;
}
