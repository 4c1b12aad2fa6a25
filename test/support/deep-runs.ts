/**
 * Factor by which a deep run tries more cases than `npm test`; `npm run test:deep` sets it. It is set in one
 * place, so that the quick suite keeps a share of every deep test.
 */
const DEPTH = depthOf(process.env['SARRAF_DEEP']);

function depthOf(text: string | undefined): number {
  if (text === undefined) return 1;
  const depth = Number(text);
  if (Number.isFinite(depth) && depth >= 1) return depth;
  throw new Error(`expected a number from 1 on for SARRAF_DEEP, was "${text}"`);
}

/**
 * Returns a number of cases, minutes or kinds: `quick` of them in the quick suite, more in the deep one.
 * `quick` is given where most of the cases are left to the deep suite.
 */
export const deepRuns = (share: number, quick = share): number =>
  DEPTH === 1 ? quick : Math.round(share * DEPTH);
