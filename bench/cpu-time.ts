/**
 * What some work took of the processor, in ms: other work on the machine does not add to it, as it would to
 * the wall's time.
 */
export async function cpuMs(work: () => void | Promise<unknown>): Promise<number> {
  const used = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(used);
  return (user + system) / 1_000;
}
