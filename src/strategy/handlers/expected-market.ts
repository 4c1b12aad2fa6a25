/** Returns the message for a market that does not exist. */
export function expectedMarket(was: string, knownMarkets: ReadonlySet<string>): string {
  const some = [...knownMarkets].slice(0, 10).join(', ');
  return `expected one of the markets ${some}${knownMarkets.size > 10 ? ', …' : ''}, was ${JSON.stringify(was)}`;
}
