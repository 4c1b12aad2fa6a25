/** What to say of a market that is not there. */
export function expectedMarket(was: string, knownMarkets: ReadonlySet<string>): string {
  const some = [...knownMarkets].slice(0, 10).join(', ');
  return `expected one of the markets ${some}${knownMarkets.size > 10 ? ', …' : ''}, was ${JSON.stringify(was)}`;
}
