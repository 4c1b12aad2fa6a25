/** Asks for the end at the first SIGINT or SIGTERM, and leaves at once at the second. Asks too when nobody reads any more, as after `| head`. */
export function endSignal(): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
  };
  const onOutputError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    controller.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  process.stdout.on('error', onOutputError);
  return { signal: controller.signal, release: () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal) };
}
