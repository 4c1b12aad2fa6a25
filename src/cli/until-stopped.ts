/** Waits for SIGINT or SIGTERM. A second signal ends the process at once, as it would without us. */
export function untilStopped(): Promise<null> {
  return new Promise((resolve) => {
    const stop = (): void => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      resolve(null);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}
