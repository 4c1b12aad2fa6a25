/** Types of jstat, which has none of its own: only what the project uses. */
declare module 'jstat' {
  const jstat: {
    readonly normal: {
      cdf(x: number, mean: number, deviation: number): number;
      inv(probability: number, mean: number, deviation: number): number;
    };
  };
  export default jstat;
}
