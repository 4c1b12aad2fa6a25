/** The first SIGINT or SIGTERM asks for the end of a call, the second leaves at once. What was sent already may have taken effect, and is told so. */
export function interruption(): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    release: () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  };
}
