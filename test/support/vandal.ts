/** Built-in objects of the language, which belong to no argument: freezing can not protect them. */
const INTRINSICS: ReadonlySet<unknown> = new Set(
  [
    Object,
    Array,
    Function,
    Map,
    Set,
    Promise,
    Error,
    RegExp,
    Date,
    Uint8Array,
    Object.getPrototypeOf(Uint8Array),
  ].flatMap((one) => [one, (one as { prototype: unknown }).prototype]),
);

const MOST_OBJECTS = 5_000;

/** The paths that were reached, so that a test can prove that all was searched. */
export interface Found {
  readonly paths: readonly string[];
}

/**
 * Walks everything reachable from a value, by fields, getters, prototypes and functions that take a market,
 * and tries to change each object in every way. A change is refused by an error or in silence.
 */
export function vandalize(root: object, call: (path: string, work: () => unknown) => void = attempt): Found {
  const paths: string[] = [];
  const seen = new Set<object>();
  const queue: { readonly path: string; readonly what: object }[] = [{ path: '', what: root }];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { path, what } = next;
    if (seen.has(what) || INTRINSICS.has(what)) continue;
    if (seen.size >= MOST_OBJECTS) throw new Error(`more than ${MOST_OBJECTS} objects are within reach`);
    seen.add(what);
    paths.push(path);
    for (const [name, part] of partsOf(what, root)) queue.push({ path: `${path}.${name}`, what: part });
    for (const damage of damagesTo(what)) call(path, damage);
  }
  return { paths };
}

function attempt(_: string, work: () => unknown): void {
  try {
    work();
  } catch {
    // The change was refused.
  }
}

function partsOf(what: object, root: object): readonly (readonly [name: string, part: object])[] {
  const parts: [string, object][] = [];
  const add = (name: string, part: unknown): void => {
    if ((typeof part === 'object' && part !== null) || typeof part === 'function') parts.push([name, part]);
  };
  for (
    let at: object | null = what;
    at !== null && !INTRINSICS.has(at);
    at = Object.getPrototypeOf(at) as object
  ) {
    for (const name of Reflect.ownKeys(at)) {
      attempt('', () => {
        const part: unknown = Reflect.get(at, name, what);
        add(String(name), part);
        if (typeof part !== 'function' || name === 'constructor' || what !== root) return;
        add(`${String(name)}()`, (part as (market: string, timeframe: string) => unknown)('BTCIRT', '1h'));
      });
    }
    add('[[Prototype]]', Object.getPrototypeOf(at));
  }
  return parts;
}

function* damagesTo(what: object): Generator<() => unknown> {
  const fields = what as Record<string | symbol, unknown>;
  for (const name of Reflect.ownKeys(what)) {
    yield () => (fields[name] = 'vandal');
    yield () => Reflect.set(what, name, 'vandal');
    yield () => Object.defineProperty(what, name, { value: 'vandal', configurable: true, writable: true });
    yield () => delete fields[name];
  }
  yield () => (fields['vandal'] = true);
  yield () => Object.defineProperty(what, 'close', { value: 'vandal', configurable: true });
  yield () => Object.setPrototypeOf(what, { vandal: true });
  if (Array.isArray(what)) {
    const list = what as unknown[];
    yield () => list.push('vandal');
    yield () => list.reverse();
    yield () => list.sort(() => -1);
    yield () => list.splice(0, 1, 'vandal');
    yield () => list.fill('vandal');
    yield () => list.unshift('vandal');
    yield () => (list.length = 0);
  }
  if (what instanceof Map) yield () => what.clear();
  if (what instanceof Map) yield () => what.set('vandal', true);
  if (what instanceof Set) yield () => what.clear();
  if (ArrayBuffer.isView(what)) yield () => (what as Uint8Array).fill(7);
}
