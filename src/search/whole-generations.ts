/**
 * The multiple of a generation that is nearest to a number of trials: one population of an evolution. It is
 * one generation at least, and no smaller than `least`.
 */
export function wholeGenerations(
  trials: number,
  { generation, least }: { readonly generation: number; readonly least: number },
): number {
  const nearest = Math.max(1, Math.round(trials / generation)) * generation;
  return nearest >= least ? nearest : Math.ceil(least / generation) * generation;
}
