/** CPU time of some work, in ms. Unlike elapsed time, other work on the machine does not add to it. */
export async function cpuMs(work: () => void | Promise<unknown>): Promise<number> {
  const used = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(used);
  return (user + system) / 1_000;
}
