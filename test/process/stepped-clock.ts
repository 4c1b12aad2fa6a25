import { pathToFileURL } from 'node:url';

/** Arguments of Node with which a program sees its wall clock stepped by so much, so long after its start. */
export function steppedClock({
  byMs,
  afterMs,
}: {
  readonly byMs: number;
  readonly afterMs: number;
}): readonly string[] {
  const address = pathToFileURL('test/process/step-clock.ts');
  address.search = new URLSearchParams({ by: String(byMs), after: String(afterMs) }).toString();
  return ['--import', address.href];
}
