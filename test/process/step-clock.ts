/**
 * To be loaded before a program: steps the wall clock that it sees by `by` ms, `after` ms from its start, both of them in the address that this is
 * imported by. The monotonic clock and timers stay as they are, as when somebody sets the machine's clock.
 */
const { searchParams } = new URL(import.meta.url);
const byMs = Number(searchParams.get('by'));
const afterMs = Number(searchParams.get('after'));

const TrueDate = Date;
const begunMs = performance.now();

function steppedNow(): number {
  return TrueDate.now() + (performance.now() - begunMs >= afterMs ? byMs : 0);
}

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, given: [], newTarget) =>
    Reflect.construct(target, given.length === 0 ? [steppedNow()] : given, newTarget) as object,
  get: (target, name, receiver) => (name === 'now' ? steppedNow : (Reflect.get(target, name, receiver) as unknown)),
});
