/**
 * How many times more cases than by `npm test` are tried: `npm run test:deep` sets it. One place for all, so
 * that a share of every deep test stays in the quick suite, and the whole of it is one command.
 */
const DEPTH = depthOf(process.env['SARRAF_DEEP']);

function depthOf(text: string | undefined): number {
  if (text === undefined) return 1;
  const depth = Number(text);
  if (Number.isFinite(depth) && depth >= 1) return depth;
  throw new Error(`expected a number from 1 on for SARRAF_DEEP, was "${text}"`);
}

/**
 * A number of cases, minutes or kinds: as given in the quick suite, more in the deep one. Where the deep suite
 * is the place for most of them, `quick` of them stay in the quick one.
 */
export function deepRuns(share: number, quick = share): number {
  return DEPTH === 1 ? quick : Math.round(share * DEPTH);
}
